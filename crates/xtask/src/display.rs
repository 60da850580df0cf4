//! A screen in memory, for windows that are not shown on a real screen.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::error::{Error, Result};

/// A running Xvfb; ended when dropped, and with it every window on it.
#[derive(Debug)]
pub struct Display {
    server: Child,
    /// As in the environment variable `DISPLAY`.
    pub name: String,
}

impl Display {
    /// Starts a screen of `width` by `height` pixels under the first free number.
    pub fn start(width: u32, height: u32) -> Result<Self> {
        let command = "Xvfb";
        let mut server = Command::new(command)
            .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset"])
            .args(["-screen", "0", &format!("{width}x{height}x24")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start {
                command: command.to_owned(),
                source,
            })?;
        let mut number = String::new();
        let out = server.stdout.take().expect("its output is a pipe");
        // The server writes its number once it is ready, and closes the pipe if it cannot start.
        let read = BufReader::new(out).read_line(&mut number);
        let display = Self {
            server,
            name: format!(":{}", number.trim()),
        };
        match read {
            Ok(length) if length > 0 => Ok(display),
            Ok(_) => Err(Error::Answer {
                program: command.to_owned(),
                cause: "it ended without a display".to_owned(),
            }),
            Err(source) => Err(Error::Answer {
                program: command.to_owned(),
                cause: source.to_string(),
            }),
        }
    }

    /// Makes `command` open its windows here, whatever session it is started from.
    pub fn show(&self, command: &mut Command) {
        command
            .env("DISPLAY", &self.name)
            .env("GDK_BACKEND", "x11")
            .env_remove("WAYLAND_DISPLAY");
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // It may have ended already; there is nothing left to do then.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
