//! Fetching a cross-encoder that a person asked for, and nothing else.
//!
//! Every file is asked for at the hub, which sends most requests on to where the bytes lie. A file grows under another
//! name until it is whole and sums to what the hub said; what came before a connection broke, or before the person
//! stopped it, stays and is gone on from. No account is used and nothing is told of this machine.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, LOCATION, RANGE};
use reqwest::{Client, Response, StatusCode, Url};
use sha2::{Digest, Sha256};
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::http::{Kind, Provider, builder, host, root_cause};
use crate::models::Model;
use crate::{CancellationToken, RerankError, runtime, sum};

/// The environment variable that names another hub, as other programs read it.
const HUB_VARIABLE: &str = "HF_ENDPOINT";
const HUB: &str = "https://huggingface.co";
/// The revision that is asked about; what is downloaded is the commit that it stands for then.
const REVISION: &str = "main";

/// What the hub says of a file that it sends on: its sum, and the commit that it is from.
const LINKED_SUM: &str = "x-linked-etag";
const COMMIT: &str = "x-repo-commit";
/// Characters of a sha256.
const SUM_CHARS: usize = 64;

const N_REDIRECTS_MAX: usize = 10;
/// A server that does not take up a connection, or sends nothing, for so long is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// Connections that break are taken up again so many times, each of them where it broke, and after this time, which
/// doubles.
const N_RESUMES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// What a file is called until it is whole.
const PART: &str = "part";

impl Model {
    /// Downloads what is missing of the model into its folder in `models`, and returns that folder.
    ///
    /// `progress` gets the bytes that are there and those of the whole model, again and again, from this thread. Blocks
    /// until all is there; it must not be called from a thread that runs asynchronous tasks. What is there is not asked
    /// for again, so a model that is complete needs no network.
    ///
    /// # Errors
    /// [`RerankError::Download`] with the cause, or [`RerankError::DownloadCancelled`]; the next call goes on from what
    /// came. [`RerankError::Url`] if `HF_ENDPOINT` names no hub that can be asked.
    pub fn download(
        &self,
        models: &Path,
        progress: &mut dyn FnMut(u64, u64),
        cancel: &CancellationToken,
    ) -> Result<PathBuf, RerankError> {
        let named = env::var(HUB_VARIABLE).ok();
        let hub = named.filter(|hub| !hub.trim().is_empty());
        self.download_from(hub.as_deref().unwrap_or(HUB), models, progress, cancel)
    }

    fn download_from(
        &self,
        hub: &str,
        models: &Path,
        progress: &mut dyn FnMut(u64, u64),
        cancel: &CancellationToken,
    ) -> Result<PathBuf, RerankError> {
        let folder = self.folder(models);
        if self.is_there(models) {
            return Ok(folder);
        }
        let failed = |cause: String| RerankError::Download {
            name: self.name,
            cause,
        };
        let hub = hub_url(hub)?;
        let client = builder(&hub)
            .connect_timeout(PATIENCE)
            .read_timeout(PATIENCE)
            .build()
            .map_err(|error| failed(root_cause(&error)))?;
        let hub = Hub {
            client,
            url: hub,
            repository: self.repository,
        };
        let work = hub.fetch(self.files().collect(), &folder, progress);
        let outcome = runtime::block_on(cancel.run_until_cancelled(work))
            .map_err(|error| failed(error.to_string()))?;
        match outcome {
            None => Err(RerankError::DownloadCancelled { name: self.name }),
            Some(Err(cause)) => Err(failed(cause)),
            Some(Ok(())) => Ok(folder),
        }
    }
}

/// The hub's address; one without encryption must be on this machine.
fn hub_url(hub: &str) -> Result<Url, RerankError> {
    Provider::new(Kind::Custom, hub).endpoint()
}

/// A repository of a hub. Its errors say what went wrong, with the file or the host.
struct Hub {
    client: Client,
    url: Url,
    repository: &'static str,
}

/// What the hub says of a file.
struct Remote {
    name: &'static str,
    n_bytes: u64,
    /// The content's sha256; the hub tells it of large files only.
    sum: Option<String>,
    /// Changes with the content.
    tag: String,
    commit: String,
}

/// What came in answer to a request for a file.
struct Answer {
    response: Response,
    /// Of the hub's own answer, before it sent the request on.
    first: HeaderMap,
}

/// Why a file is not there yet.
enum Failure {
    /// The connection broke.
    Broken(String),
    /// It would fail again.
    Final(String),
}

impl Hub {
    async fn fetch(
        &self,
        files: Vec<&'static str>,
        folder: &Path,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), String> {
        let mut remotes = Vec::with_capacity(files.len());
        for name in files {
            remotes.push(self.look(name).await?);
        }
        let total = remotes.iter().map(|remote| remote.n_bytes).sum();
        let mut before = 0;
        for remote in &remotes {
            let path = folder.join(remote.name);
            let mut tell = |n_bytes: u64| progress(before + n_bytes, total);
            if fs::metadata(&path).is_ok_and(|file| file.len() == remote.n_bytes) {
                tell(remote.n_bytes);
            } else {
                self.fetch_file(remote, &path, &mut tell).await?;
            }
            before += remote.n_bytes;
        }
        Ok(())
    }

    /// Asks what there is, without asking for it.
    async fn look(&self, name: &'static str) -> Result<Remote, String> {
        let Answer { response, first } = self.ask(name, REVISION, "bytes=0-0".to_owned()).await?;
        let status = response.status();
        let headers = response.headers();
        let n_bytes = match status {
            StatusCode::PARTIAL_CONTENT => whole_bytes(headers),
            // Whoever ignores the range sends the whole, and says how long it is; so does one with nothing to send.
            _ => response.content_length(),
        };
        let wrong = |what: &str| format!("{} does not report {what} of {name}", host(&self.url));
        let tag = text(&first, LINKED_SUM)
            .or_else(|| text(&first, ETAG.as_str()))
            .or_else(|| text(headers, ETAG.as_str()));
        let is_sum =
            |tag: &String| tag.len() == SUM_CHARS && tag.chars().all(|c| c.is_ascii_hexdigit());
        Ok(Remote {
            name,
            n_bytes: n_bytes.ok_or_else(|| wrong("the length"))?,
            sum: text(&first, LINKED_SUM).filter(is_sum),
            tag: tag.ok_or_else(|| wrong("the version"))?,
            commit: text(&first, COMMIT).unwrap_or_else(|| REVISION.to_owned()),
        })
    }

    /// Fetches what is missing of a file, and gives it its name once it is whole.
    async fn fetch_file(
        &self,
        remote: &Remote,
        path: &Path,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), String> {
        let parent = path.parent().unwrap_or(path);
        let at_path = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(parent).map_err(|error| at_path(parent, error))?;
        let part = part_path(path, &remote.tag);
        forget_others(path, &part).map_err(|error| at_path(parent, error))?;
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        let mut file =
            memlens_files::open_own(&part, &mut options).map_err(|error| at_path(&part, error))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => "it is already being downloaded".to_owned(),
            TryLockError::Error(error) => at_path(&part, error),
        })?;
        let mut n_resumes = 0;
        loop {
            match self.append(remote, &mut file, progress).await {
                Ok(()) => break,
                Err(Failure::Broken(_)) if n_resumes < N_RESUMES => {
                    sleep(FIRST_PAUSE * 2_u32.pow(n_resumes)).await;
                    n_resumes += 1;
                }
                Err(Failure::Broken(cause) | Failure::Final(cause)) => return Err(cause),
            }
        }
        if let Err(cause) = check(&mut file, remote) {
            // Nothing can be gone on from.
            drop(file);
            fs::remove_file(&part).map_err(|error| at_path(&part, error))?;
            return Err(cause);
        }
        file.sync_all().map_err(|error| at_path(&part, error))?;
        drop(file);
        fs::rename(&part, path).map_err(|error| at_path(path, error))
    }

    /// Adds to a file what it lacks.
    async fn append(
        &self,
        remote: &Remote,
        file: &mut File,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), Failure> {
        let written = |error: io::Error| Failure::Final(format!("{}: {error}", remote.name));
        let mut n_bytes = file.seek(SeekFrom::End(0)).map_err(written)?;
        if n_bytes > remote.n_bytes {
            file.set_len(0).map_err(written)?;
            n_bytes = file.seek(SeekFrom::Start(0)).map_err(written)?;
        }
        progress(n_bytes);
        if n_bytes == remote.n_bytes {
            return Ok(());
        }
        let range = format!("bytes={n_bytes}-");
        let answer = self.ask(remote.name, &remote.commit, range).await;
        let mut response = answer.map_err(Failure::Broken)?.response;
        match first_byte(response.headers()) {
            Some(first) if first == n_bytes => {}
            Some(_) => {
                let cause = format!(
                    "{} sent the wrong part of {}",
                    host(response.url()),
                    remote.name
                );
                return Err(Failure::Final(cause));
            }
            // The whole comes.
            None => {
                file.set_len(0).map_err(written)?;
                n_bytes = file.seek(SeekFrom::Start(0)).map_err(written)?;
            }
        }
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    file.write_all(&bytes).map_err(written)?;
                    n_bytes += bytes.len() as u64;
                    progress(n_bytes.min(remote.n_bytes));
                    // A stop is noticed after each part, also where the next is there already.
                    yield_now().await;
                }
                Ok(None) if n_bytes == remote.n_bytes => return Ok(()),
                Ok(None) => {
                    let cause = format!(
                        "{} ended after {n_bytes} of {} bytes",
                        remote.name, remote.n_bytes
                    );
                    return Err(Failure::Broken(cause));
                }
                Err(error) => {
                    let cause = format!(
                        "the connection for {} broke: {}",
                        remote.name,
                        root_cause(&error)
                    );
                    return Err(Failure::Broken(cause));
                }
            }
        }
    }

    /// Asks for a part of a file, and follows where the hub sends the request.
    async fn ask(&self, name: &str, revision: &str, range: String) -> Result<Answer, String> {
        let mut url = self.url.clone();
        url.path_segments_mut()
            .expect("an address with a host has a path")
            .pop_if_empty()
            .extend(self.repository.split('/'))
            .extend(["resolve", revision])
            .extend(name.split('/'));
        let mut first = None;
        for _ in 0..=N_REDIRECTS_MAX {
            let asked = self.client.get(url.clone()).header(RANGE, &range);
            let response = asked.send().await.map_err(|error| {
                format!("cannot connect to {}: {}", host(&url), root_cause(&error))
            })?;
            let headers = response.headers();
            // What the hub says of the file stands in the answer that leads away from it.
            if first.is_none() || headers.contains_key(LINKED_SUM) {
                first = Some(headers.clone());
            }
            let status = response.status();
            if status.is_redirection() {
                let to = text(headers, LOCATION.as_str()).and_then(|to| url.join(&to).ok());
                url = to.ok_or_else(|| format!("{} redirects to no address", host(&url)))?;
                continue;
            }
            if !status.is_success() {
                return Err(format!("{} answered {status} for {name}", host(&url)));
            }
            let first = first.unwrap_or_default();
            return Ok(Answer { response, first });
        }
        Err(format!("{} redirects too many times", host(&self.url)))
    }
}

/// A header's text without the quotes that tags stand in.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(text.trim_start_matches("W/").replace('"', ""))
}

/// The length of the whole of which a part is sent.
fn whole_bytes(headers: &HeaderMap) -> Option<u64> {
    let range = text(headers, CONTENT_RANGE.as_str())?;
    range.rsplit_once('/')?.1.parse().ok()
}

/// The place of the first byte that is sent of a whole; none if it is no part that is sent.
fn first_byte(headers: &HeaderMap) -> Option<u64> {
    let range = text(headers, CONTENT_RANGE.as_str())?;
    let range = range.strip_prefix("bytes ")?;
    range.split_once('-')?.0.parse().ok()
}

/// What a file is called until it is whole; parts of another version are not gone on from.
fn part_path(path: &Path, tag: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    let tag: String = tag.chars().filter(char::is_ascii_alphanumeric).collect();
    name.push(format!(".{tag}.{PART}"));
    path.with_file_name(name)
}

/// Removes what came of other versions of a file.
fn forget_others(path: &Path, part: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for entry in fs::read_dir(path.parent().unwrap_or(path))? {
        let other = entry?.path();
        let is_part = other.extension().is_some_and(|extension| extension == PART);
        let is_of_file = other
            .file_name()
            .is_some_and(|other| other.to_string_lossy().starts_with(&format!("{name}.")));
        if is_part && is_of_file && other != part {
            fs::remove_file(other)?;
        }
    }
    Ok(())
}

/// Checks a whole file against what the hub said of it.
fn check(file: &mut File, remote: &Remote) -> Result<(), String> {
    let Some(expected) = &remote.sum else {
        return Ok(());
    };
    let read = |error: io::Error| format!("{}: {error}", remote.name);
    let mut sum = Sha256::new();
    file.seek(SeekFrom::Start(0)).map_err(read)?;
    sum::add(&mut sum, file).map_err(read)?;
    match sum::hex(sum).eq_ignore_ascii_case(expected) {
        true => Ok(()),
        false => Err(format!(
            "what came of {} is not what the hub announced",
            remote.name
        )),
    }
}

/// What is checked, against a hub of this machine: all of a model comes and can be loaded; what broke, was stopped or
/// is of another version; what the hub may do wrong; that nothing is asked for which is there.
#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io::{BufRead, BufReader};
    use std::net::{TcpListener, TcpStream};
    use std::sync::{Arc, Mutex};
    use std::thread;

    use tempfile::TempDir;

    use super::*;
    use crate::MODELS;

    /// How the hub behaves.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Manner {
        /// It sends large files on, as hubs do, and small ones itself.
        Usual,
        /// As usual, but so many connections for the weights break in the middle of what is left.
        Breaks(usize),
        /// It sends everything itself, whole, and says no sum.
        IgnoresRanges,
        /// The weights are not what it says.
        Lies,
        /// It answers with this status and a page.
        Refuses(&'static str),
        /// It sends every request to itself.
        Circles,
        /// It sends parts that nobody asked for.
        Confuses,
    }

    /// A hub on this machine that serves the files of the fixture as those of the first model.
    struct TestHub {
        url: String,
        state: Arc<Mutex<State>>,
    }

    struct State {
        manner: Manner,
        files: HashMap<String, Vec<u8>>,
        /// Path and range of each request.
        asked: Vec<(String, String)>,
    }

    const WEIGHTS: &str = "onnx/model.onnx";
    const COMMIT_ID: &str = "c0ffee";

    impl TestHub {
        fn new(manner: Manner) -> TestHub {
            let fixture =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-cross");
            let read = |name: &str| {
                let place = name.rsplit('/').next().expect("a path has a last part");
                let bytes = fs::read(fixture.join(place)).expect("the fixture is there");
                (name.to_owned(), bytes)
            };
            let state = Arc::new(Mutex::new(State {
                manner,
                files: MODELS[0].files().map(read).collect(),
                asked: Vec::new(),
            }));
            let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
            let url = format!("http://{}", listener.local_addr().expect("it is bound"));
            let shared = state.clone();
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    // Whoever asked may have gone away.
                    let _ = shared.lock().expect("nobody panics with it").answer(stream);
                }
            });
            TestHub { url, state }
        }

        fn state(&self) -> std::sync::MutexGuard<'_, State> {
            self.state.lock().expect("nobody panics with it")
        }

        /// Downloads the first model and returns what was told of the progress.
        fn download(&self, models: &TempDir) -> (Result<PathBuf, RerankError>, Vec<(u64, u64)>) {
            self.download_until(models, u64::MAX)
        }

        /// As [`TestHub::download`], but stops it as soon as so many bytes are there.
        fn download_until(
            &self,
            models: &TempDir,
            n_bytes: u64,
        ) -> (Result<PathBuf, RerankError>, Vec<(u64, u64)>) {
            let cancel = CancellationToken::new();
            let mut told = Vec::new();
            let mut progress = |done: u64, total: u64| {
                told.push((done, total));
                if done >= n_bytes {
                    cancel.cancel();
                }
            };
            let outcome = MODELS[0].download_from(&self.url, models.path(), &mut progress, &cancel);
            (outcome, told)
        }

        /// The ranges that were asked for of the weights' bytes, and forgets all requests.
        fn ranges(&self) -> Vec<u64> {
            let asked = std::mem::take(&mut self.state().asked);
            asked
                .into_iter()
                .filter(|(path, _)| path.starts_with("/cdn/"))
                .filter_map(|(_, range)| {
                    let first = range.strip_prefix("bytes=")?.strip_suffix('-')?;
                    first.parse().ok()
                })
                .collect()
        }
    }

    impl State {
        fn answer(&mut self, stream: TcpStream) -> io::Result<()> {
            let mut lines = BufReader::new(&stream).lines();
            let request = lines.next().transpose()?.unwrap_or_default();
            let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
            let mut range = String::new();
            for line in lines {
                let line = line?;
                if line.is_empty() {
                    break;
                }
                if let Some(value) = line.to_lowercase().strip_prefix("range: ") {
                    value.clone_into(&mut range);
                }
            }
            self.asked.push((path.clone(), range.clone()));
            self.send(&stream, &path, &range)
        }

        fn send(&mut self, mut out: &TcpStream, path: &str, range: &str) -> io::Result<()> {
            let prefix = format!("/{}/resolve/", MODELS[0].repository);
            let (is_hub, place) = match (path.strip_prefix(&prefix), path.strip_prefix("/cdn/")) {
                (Some(rest), _) => (true, rest.split_once('/').map_or("", |(_, name)| name)),
                (None, Some(name)) => (false, name),
                (None, None) => (true, ""),
            };
            if let Manner::Refuses(status) = self.manner {
                return write!(
                    out,
                    "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 4\r\n\r\npage"
                );
            }
            if self.manner == Manner::Circles {
                return write!(
                    out,
                    "HTTP/1.1 307 Temporary Redirect\r\nlocation: {path}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
                );
            }
            let Some(bytes) = self.files.get(place) else {
                return write!(
                    out,
                    "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
                );
            };
            let sum: String = Sha256::digest(bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let about = format!(
                "x-repo-commit: {COMMIT_ID}\r\netag: \"{}\"\r\nconnection: close\r\n",
                &sum[..40]
            );
            if is_hub && place == WEIGHTS && self.manner != Manner::IgnoresRanges {
                let sum = if self.manner == Manner::Lies {
                    "0".repeat(64)
                } else {
                    sum
                };
                return write!(
                    out,
                    "HTTP/1.1 302 Found\r\n{about}x-linked-etag: \"{sum}\"\r\nlocation: /cdn/{place}\r\ncontent-length: 0\r\n\r\n"
                );
            }
            if self.manner == Manner::IgnoresRanges {
                write!(
                    out,
                    "HTTP/1.1 200 OK\r\n{about}content-length: {}\r\n\r\n",
                    bytes.len()
                )?;
                return out.write_all(bytes);
            }
            let (first, last) = range
                .strip_prefix("bytes=")
                .and_then(|range| range.split_once('-'))
                .expect("every request asks for a range");
            let is_whole_rest = last.is_empty();
            let mut first: usize = first.parse().expect("it is a number");
            if self.manner == Manner::Confuses && is_whole_rest {
                first += 1;
            }
            let end = last.parse().map_or(bytes.len(), |last: usize| last + 1);
            write!(
                out,
                "HTTP/1.1 206 Partial Content\r\n{about}content-range: bytes {first}-{}/{}\r\ncontent-length: {}\r\n\r\n",
                end - 1,
                bytes.len(),
                end - first
            )?;
            let mut sent = end;
            if let Manner::Breaks(n_left) = &mut self.manner
                && *n_left > 0
                && !is_hub
                && is_whole_rest
            {
                *n_left -= 1;
                sent = first + (end - first) / 2;
            }
            out.write_all(&bytes[first..sent])
        }
    }

    fn models() -> TempDir {
        tempfile::tempdir().expect("a scratch folder can be made")
    }

    /// Checks that every file is there as the hub has it, and no other.
    fn check_whole(hub: &TestHub, models: &TempDir) {
        let folder = MODELS[0].folder(models.path());
        for (name, bytes) in &hub.state().files {
            assert_eq!(&fs::read(folder.join(name)).expect("it is there"), bytes);
        }
        assert_eq!(
            fs::read_dir(folder.join("onnx"))
                .expect("it is there")
                .count(),
            1
        );
    }

    #[test]
    fn all_of_a_model_comes() {
        let hub = TestHub::new(Manner::Usual);
        let models = models();
        let (outcome, told) = hub.download(&models);
        assert_eq!(
            outcome.expect("nothing is wrong"),
            MODELS[0].folder(models.path())
        );
        check_whole(&hub, &models);
        let total: usize = hub.state().files.values().map(Vec::len).sum();
        assert!(told.is_sorted() && told.iter().all(|(_, of)| *of == total as u64));
        assert_eq!(told.last(), Some(&(total as u64, total as u64)));
        // Once the version is known, it is the one that is asked for.
        let asked = hub.state().asked.clone();
        let fetched = asked
            .iter()
            .filter(|(path, range)| path.contains("/resolve/") && range.ends_with('-'));
        assert!(
            fetched.clone().count() == 5
                && fetched.clone().all(|(path, _)| path.contains(COMMIT_ID)),
            "{asked:?}"
        );

        hub.state().asked.clear();
        assert!(hub.download(&models).0.is_ok());
        assert_eq!(hub.state().asked, []);
    }

    #[test]
    fn a_connection_that_breaks_is_taken_up_again() {
        let hub = TestHub::new(Manner::Breaks(2));
        let models = models();
        hub.download(&models).0.expect("it comes in the end");
        check_whole(&hub, &models);
        let n_bytes = hub.state().files[WEIGHTS].len() as u64;
        let half = n_bytes / 2;
        assert_eq!(hub.ranges(), [0, half, half + (n_bytes - half) / 2]);
    }

    #[test]
    fn what_came_is_gone_on_from() {
        let hub = TestHub::new(Manner::Breaks(usize::MAX));
        let models = models();
        let error = hub
            .download(&models)
            .0
            .expect_err("it breaks each time")
            .to_string();
        let expected = "cannot download cross-encoder ms-marco-MiniLM-L-6-v2: the connection for onnx/model.onnx broke: ";
        assert!(error.starts_with(expected), "{error}");
        assert!(!MODELS[0].is_there(models.path()));
        let n_asked = hub.ranges().len();
        assert_eq!(n_asked, 1 + N_RESUMES as usize);

        hub.state().manner = Manner::Usual;
        hub.download(&models).0.expect("nothing is wrong now");
        check_whole(&hub, &models);
        let ranges = hub.ranges();
        assert!(ranges.len() == 1 && ranges[0] > 0, "{ranges:?}");
    }

    #[test]
    fn a_download_that_is_stopped_is_gone_on_from() {
        let hub = TestHub::new(Manner::Usual);
        let models = models();
        let (outcome, told) = hub.download_until(&models, 20_000);
        let stopped = matches!(outcome, Err(RerankError::DownloadCancelled { .. }));
        assert!(stopped, "{outcome:?}");
        let (done, total) = *told.last().expect("something came");
        assert!(done < total, "{done} of {total}");
        hub.ranges();

        hub.download(&models).0.expect("nothing is wrong");
        check_whole(&hub, &models);
        let ranges = hub.ranges();
        assert!(ranges.len() == 1 && ranges[0] > 0, "{ranges:?}");
    }

    #[test]
    fn another_version_is_begun_anew() {
        let hub = TestHub::new(Manner::Usual);
        let models = models();
        assert!(hub.download_until(&models, 20_000).0.is_err());
        hub.ranges();
        hub.state().files.get_mut(WEIGHTS).expect("it is there")[7] ^= 1;
        hub.download(&models).0.expect("nothing is wrong");
        check_whole(&hub, &models);
        assert_eq!(hub.ranges(), [0]);
    }

    #[test]
    fn a_server_that_sends_only_wholes_will_do() {
        let hub = TestHub::new(Manner::IgnoresRanges);
        let models = models();
        assert!(hub.download_until(&models, 20_000).0.is_err());
        hub.download(&models).0.expect("nothing is wrong");
        check_whole(&hub, &models);
    }

    #[test]
    fn what_is_wrong_is_said_and_not_kept() {
        let check = |manner: Manner, expected: &str| {
            let hub = TestHub::new(manner);
            let models = models();
            let error = hub
                .download(&models)
                .0
                .expect_err("it is wrong")
                .to_string();
            let cause =
                error.strip_prefix("cannot download cross-encoder ms-marco-MiniLM-L-6-v2: ");
            let cause = cause
                .unwrap_or(&error)
                .replace(hub.url.trim_start_matches("http://"), "HUB");
            assert_eq!(cause, expected);
            let weights = MODELS[0].folder(models.path()).join("onnx");
            let n_kept = fs::read_dir(weights).map_or(0, |files| {
                files
                    .flatten()
                    .filter(|file| file.metadata().is_ok_and(|it| it.len() > 0))
                    .count()
            });
            assert_eq!(n_kept, 0, "{manner:?}");
        };
        check(
            Manner::Lies,
            "what came of onnx/model.onnx is not what the hub announced",
        );
        check(
            Manner::Refuses("401 Unauthorized"),
            "HUB answered 401 Unauthorized for config.json",
        );
        check(
            Manner::Refuses("404 Not Found"),
            "HUB answered 404 Not Found for config.json",
        );
        check(
            Manner::Refuses("200 OK"),
            "HUB does not report the version of config.json",
        );
        check(Manner::Circles, "HUB redirects too many times");
        check(Manner::Confuses, "HUB sent the wrong part of config.json");
    }

    #[test]
    fn offline_is_said_with_the_cause() {
        let closed = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let place = closed.local_addr().expect("it is bound").to_string();
        drop(closed);
        let download = |hub: &str| {
            let models = models();
            let outcome = MODELS[0].download_from(
                hub,
                models.path(),
                &mut |_, _| {},
                &CancellationToken::new(),
            );
            outcome.expect_err("nobody is there").to_string()
        };
        let error = download(&format!("http://{place}"));
        let expected = format!(
            "cannot download cross-encoder ms-marco-MiniLM-L-6-v2: cannot connect to {place}: Connection refused"
        );
        assert!(error.starts_with(&expected), "{error}");
        // Only this machine itself is asked without encryption.
        let error = download("http://hub.example");
        assert!(error.starts_with("cannot use the address: "), "{error}");
    }

    #[test]
    fn two_do_not_download_the_same() {
        let hub = TestHub::new(Manner::Usual);
        let models = models();
        assert!(hub.download_until(&models, 20_000).0.is_err());
        let weights = MODELS[0].folder(models.path()).join("onnx");
        let part = fs::read_dir(weights)
            .expect("it is there")
            .flatten()
            .next()
            .expect("a part came");
        let other = File::open(part.path()).expect("it can be read");
        other.lock().expect("nobody has it");
        let error = hub
            .download(&models)
            .0
            .expect_err("another has it")
            .to_string();
        assert!(
            error.ends_with(": it is already being downloaded"),
            "{error}"
        );
        drop(other);
        hub.download(&models).0.expect("nobody else has it");
        check_whole(&hub, &models);
    }
}
