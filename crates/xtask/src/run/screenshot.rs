//! A picture of the real window, taken through WebKit's own WebDriver on a screen in memory.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::Size;
use crate::display::Display;
use crate::error::{Error, Result};

/// Says whether `<html data-settled="true">`, which the window sets while every note is indexed and the answer to its
/// query is of all of them.
const IS_SETTLED: &str =
    "return document.documentElement.dataset.settled === 'true' ? 'settled' : ''";
/// How the window says how far indexing is.
const PROGRESS: &str = "return document.querySelector('[aria-label=\"Library\"]')?.innerText ?? ''";
/// Time limit without any progress of the window; indexing a large folder may take longer in total.
const PROGRESS_WITHIN: Duration = Duration::from_secs(300);
/// A single request; opening the window is the longest.
const REQUEST_WITHIN: Duration = Duration::from_secs(30);
/// The driver listens almost at once; a slow machine gets its time.
const DRIVER_WITHIN: Duration = Duration::from_secs(20);
const POLL_EVERY: Duration = Duration::from_millis(100);

/// Opens `app` with `arguments`, waits until all is indexed and the query answered, and saves the window's content as PNG.
pub fn save(app: &Path, arguments: &[String], size: Size, file: &Path) -> Result<()> {
    look(app, arguments, size, file, IS_SETTLED).map(|_| ())
}

/// Waits until `script`, the body of a function in the page, returns a text that is not empty, and returns it then.
pub fn look(
    app: &Path,
    arguments: &[String],
    size: Size,
    file: &Path,
    script: &str,
) -> Result<String> {
    if !cfg!(target_os = "linux") {
        return Err(Error::Screenshot(
            "it is taken under Xvfb, which only Linux has".to_owned(),
        ));
    }
    // Dropped last to first: the window's session, its driver, the screen.
    let display = Display::start(size.width, size.height)?;
    let driver = Driver::start(&display)?;
    let session = driver.open(app, arguments)?;
    let answer = session.wait_for(script)?;
    let picture = session.screenshot()?;
    fs::write(file, picture).map_err(|source| Error::Write {
        path: file.to_owned(),
        source,
    })?;
    Ok(answer)
}

/// A running WebKitWebDriver; ended when dropped.
struct Driver {
    process: Child,
    address: String,
    agent: ureq::Agent,
}

impl Driver {
    fn start(display: &Display) -> Result<Self> {
        let program = "WebKitWebDriver";
        let start_error = |source| Error::Start {
            command: program.to_owned(),
            source,
        };
        // The port is free again when the listener is dropped at the end of this line.
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(start_error)?
            .port();
        let mut command = Command::new(program);
        command
            .arg(format!("--port={port}"))
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        display.show(&mut command);
        let driver = Self {
            process: command.spawn().map_err(start_error)?,
            address: format!("http://127.0.0.1:{port}"),
            agent: ureq::Agent::config_builder()
                .http_status_as_error(false)
                .timeout_global(Some(REQUEST_WITHIN))
                .build()
                .into(),
        };
        let start = Instant::now();
        loop {
            match driver
                .agent
                .get(format!("{}/status", driver.address))
                .call()
            {
                Ok(_) => return Ok(driver),
                Err(error) if start.elapsed() > DRIVER_WITHIN => {
                    return Err(Error::Screenshot(format!(
                        "{program} does not answer: {error}"
                    )));
                }
                Err(_) => thread::sleep(POLL_EVERY),
            }
        }
    }

    fn open(&self, app: &Path, arguments: &[String]) -> Result<Session<'_>> {
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "webkitgtk:browserOptions": { "binary": app, "args": arguments }
        } } });
        let closed = |cause: String| Error::Screenshot(format!("the window did not open: {cause}"));
        let answer = self.post("session", &wanted).map_err(closed)?;
        let id = answer["sessionId"]
            .as_str()
            .ok_or_else(|| closed(answer.to_string()))?;
        Ok(Session {
            driver: self,
            path: format!("session/{id}"),
        })
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let url = format!("{}/{path}", self.address);
        value(self.agent.post(url).send_json(body))
    }

    fn get(&self, path: &str) -> Result<Value, String> {
        value(self.agent.get(format!("{}/{path}", self.address)).call())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended already; there is nothing left to do then.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The open window; closed when dropped.
struct Session<'a> {
    driver: &'a Driver,
    path: String,
}

impl Session<'_> {
    fn wait_for(&self, script: &str) -> Result<String> {
        let mut progress = (Instant::now(), Value::Null);
        loop {
            match self.run(script)?.as_str() {
                Some(answer) if !answer.is_empty() => return Ok(answer.to_owned()),
                Some(_) | None => thread::sleep(POLL_EVERY),
            }
            let now = self.run(PROGRESS)?;
            if now != progress.1 {
                progress = (Instant::now(), now);
            } else if progress.0.elapsed() > PROGRESS_WITHIN {
                let seconds = PROGRESS_WITHIN.as_secs();
                return Err(Error::Screenshot(format!(
                    "the window was not ready, and nothing moved in it for {seconds} s"
                )));
            }
        }
    }

    fn run(&self, script: &str) -> Result<Value> {
        let path = format!("{}/execute/sync", self.path);
        let ask = json!({ "script": script, "args": [] });
        self.driver.post(&path, &ask).map_err(Error::Screenshot)
    }

    fn screenshot(&self) -> Result<Vec<u8>> {
        let path = format!("{}/screenshot", self.path);
        let answer = self.driver.get(&path).map_err(Error::Screenshot)?;
        answer
            .as_str()
            .and_then(|text| BASE64_STANDARD.decode(text).ok())
            .ok_or_else(|| Error::Screenshot("the driver sent no picture".to_owned()))
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // The screen ends next, and with it the window, should this fail.
        let url = format!("{}/{}", self.driver.address, self.path);
        let _ = self.driver.agent.delete(url).call();
    }
}

/// Takes the `value` out of a WebDriver answer; the error is the driver's own sentence.
fn value(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, String> {
    let mut answer = answer.map_err(|error| error.to_string())?;
    let is_success = answer.status().is_success();
    let body: Result<Value, _> = answer.body_mut().read_json();
    let mut body = body.map_err(|error| error.to_string())?;
    let value = body["value"].take();
    if is_success {
        return Ok(value);
    }
    let message = value["message"].as_str().filter(|text| !text.is_empty());
    let message = message.or(value["error"].as_str());
    Err(message.unwrap_or("the driver refused").to_owned())
}
