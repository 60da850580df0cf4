use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use tempfile::TempDir;

use super::*;

const NAME: &str = "ms-marco-MiniLM-L-6-v2";
const REPOSITORY: &str = "Xenova/ms-marco-MiniLM-L-6-v2";
const FILES: [&str; 5] = [
    "config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    WEIGHTS,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Redirects large files, as hubs do, and sends small ones itself.
    Usual,
    /// Like `Usual`, but this many connections for the weights break in the middle of the rest.
    Breaks(usize),
    /// Sends everything itself, as a whole, without a checksum.
    IgnoresRanges,
    /// Sends weights that do not match its checksum.
    Lies,
    /// Responds with this status and a page.
    Refuses(&'static str),
    /// Redirects every request to itself.
    Circles,
    /// Sends parts that were not requested.
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
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-cross");
        let read = |name: &str| {
            let place = name.rsplit('/').next().expect("a path has a last part");
            let bytes = fs::read(fixture.join(place)).expect("the fixture is there");
            (name.to_owned(), bytes)
        };
        let state = Arc::new(Mutex::new(State {
            manner,
            files: FILES.into_iter().map(read).collect(),
            asked: Vec::new(),
        }));
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // The client may have disconnected.
                let _ = shared.lock().expect("nobody panics with it").answer(stream);
            }
        });
        TestHub { url, state }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }

    /// Downloads the first model and returns the reported progress.
    fn download(&self, models: &TempDir) -> (Result<PathBuf, RerankError>, Vec<(u64, u64)>) {
        self.download_until(models, u64::MAX)
    }

    /// Like [`TestHub::download`], but stops as soon as this many bytes are there.
    fn download_until(
        &self,
        models: &TempDir,
        n_bytes: u64,
    ) -> (Result<PathBuf, RerankError>, Vec<(u64, u64)>) {
        let cancel = CancellationToken::new();
        let mut reported = Vec::new();
        let mut progress = |done: u64, total: u64| {
            reported.push((done, total));
            if done >= n_bytes {
                cancel.cancel();
            }
        };
        let outcome = wanted(&[]).download_from(&self.url, models.path(), &mut progress, &cancel);
        (outcome, reported)
    }

    /// Returns the requested ranges of the weights, and clears all requests.
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
        let prefix = format!("/{REPOSITORY}/resolve/");
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

/// The files of the fixture, with known checksums.
fn wanted(sums: &'static [(&'static str, &'static str)]) -> Wanted {
    Wanted {
        name: NAME,
        repository: REPOSITORY,
        revision: None,
        files: FILES.to_vec(),
        sums,
    }
}

fn models() -> TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

/// Checks that exactly the hub's files exist, with the same content.
fn check_whole(hub: &TestHub, models: &TempDir) {
    let folder = models.path().join(NAME);
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
    let (outcome, reported) = hub.download(&models);
    assert_eq!(outcome.expect("nothing is wrong"), models.path().join(NAME));
    check_whole(&hub, &models);
    let total: usize = hub.state().files.values().map(Vec::len).sum();
    assert!(reported.is_sorted() && reported.iter().all(|(_, of)| *of == total as u64));
    assert_eq!(reported.last(), Some(&(total as u64, total as u64)));
    // Once the version is known, that one is requested.
    let asked = hub.state().asked.clone();
    let fetched = asked
        .iter()
        .filter(|(path, range)| path.contains("/resolve/") && range.ends_with('-'));
    assert!(
        fetched.clone().count() == 5 && fetched.clone().all(|(path, _)| path.contains(COMMIT_ID)),
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
    let expected =
        "cannot download ms-marco-MiniLM-L-6-v2: the connection for onnx/model.onnx broke: ";
    assert!(error.starts_with(expected), "{error}");
    assert!(!models.path().join(NAME).join(WEIGHTS).exists());
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
    let (outcome, reported) = hub.download_until(&models, 20_000);
    let stopped = matches!(outcome, Err(RerankError::DownloadCancelled { .. }));
    assert!(stopped, "{outcome:?}");
    let (done, total) = *reported.last().expect("something came");
    assert!(done < total, "{done} of {total}");
    hub.ranges();

    hub.download(&models).0.expect("nothing is wrong");
    check_whole(&hub, &models);
    let ranges = hub.ranges();
    assert!(ranges.len() == 1 && ranges[0] > 0, "{ranges:?}");
}

#[test]
fn another_version_is_restarted() {
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
        let cause = error.strip_prefix("cannot download ms-marco-MiniLM-L-6-v2: ");
        let cause = cause
            .unwrap_or(&error)
            .replace(hub.url.trim_start_matches("http://"), "HUB");
        assert_eq!(cause, expected);
        let weights = models.path().join(NAME).join("onnx");
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
        let outcome = wanted(&[]).download_from(
            hub,
            models.path(),
            &mut |_, _| {},
            &CancellationToken::new(),
        );
        outcome.expect_err("nobody is there").to_string()
    };
    let error = download(&format!("http://{place}"));
    let expected = format!(
        "cannot download ms-marco-MiniLM-L-6-v2: cannot connect to {place}: Connection refused"
    );
    assert!(error.starts_with(&expected), "{error}");
    // Only this machine itself is called without encryption.
    let error = download("http://hub.example");
    assert!(error.starts_with("cannot use the address: "), "{error}");
}

#[test]
fn two_do_not_download_the_same() {
    let hub = TestHub::new(Manner::Usual);
    let models = models();
    assert!(hub.download_until(&models, 20_000).0.is_err());
    let weights = models.path().join(NAME).join("onnx");
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

/// The checksums of the fixture, and one of nothing.
const RIGHT: &str = "f6bdb0eaea0489b266a00d5b4b3a013002afc6084a09c008cea4f3573ebec642";
const WRONG: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn a_known_sum_is_required_before_the_file_comes() {
    let download = |hub: &TestHub, models: &TempDir, sums| {
        let cancel = CancellationToken::new();
        wanted(sums).download_from(&hub.url, models.path(), &mut |_, _| {}, &cancel)
    };
    for manner in [Manner::Usual, Manner::IgnoresRanges] {
        let hub = TestHub::new(manner);
        let models = models();
        let error = download(&hub, &models, &[(WEIGHTS, WRONG)]).expect_err("it is another");
        let expected =
            format!("{WEIGHTS} has the sha256 {RIGHT}, and not {WRONG}, which is known for it");
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert!(!models.path().join(NAME).join(WEIGHTS).exists());
        if manner == Manner::Usual {
            // A hub that announces the sum is not asked for the content.
            assert_eq!(hub.ranges(), [0; 0]);
        }
        download(&hub, &models, &[(WEIGHTS, RIGHT)]).expect("it is the known one");
        check_whole(&hub, &models);
    }
}

#[test]
fn what_came_first_is_what_comes_later() {
    let hub = TestHub::new(Manner::Usual);
    let models = models();
    hub.download(&models).0.expect("nothing is wrong");
    let remove = || fs::remove_dir_all(models.path().join(NAME)).expect("it is there");
    remove();
    hub.state().asked.clear();
    hub.download(&models).0.expect("it is the same");
    let asked = hub.state().asked.clone();
    let of_commit = format!("/{REPOSITORY}/resolve/{COMMIT_ID}/");
    assert!(asked[0].0.starts_with(&of_commit), "{asked:?}");

    for file in [WEIGHTS, "config.json"] {
        remove();
        hub.state().files.get_mut(file).expect("it is there")[7] ^= 1;
        let error = hub
            .download(&models)
            .0
            .expect_err("it is another")
            .to_string();
        assert!(
            error.contains(&format!("{file} has the sha256 "))
                && error.contains("downloaded first"),
            "{error}"
        );
        let folder = models.path().join(NAME);
        assert!(!folder.join(file).exists());
        fs::create_dir_all(&folder).expect("it can be made");
        hub.state().files.get_mut(file).expect("it is there")[7] ^= 1;
    }
    hub.download(&models).0.expect("it is as before");
    check_whole(&hub, &models);
}
