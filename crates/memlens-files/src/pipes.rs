//! Reads and writes paths that the user names and that may be pipes. A pipe is used as long as another process has its
//! other end open. If no process has, the wait is short.
//!
//! Properties checked: a pipe is read completely, even if its data comes late and in pieces; a pipe with no process at
//! its other end is refused.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;

/// Reads a file that the user named: at most one byte more than `n_bytes_max`, so that the caller can detect longer
/// files.
///
/// # Errors
/// The system's error; [`io::ErrorKind::TimedOut`] for a pipe that no process writes to.
pub fn read(path: &Path, n_bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?
        .take(n_bytes_max.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(not(unix))]
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    File::options().write(true).open(path)?.write_all(bytes)
}

#[cfg(unix)]
pub(crate) use served::write;

#[cfg(unix)]
use served::open;

#[cfg(unix)]
mod served {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::io::Errno;

    use super::*;

    /// How long to wait for another process to open a pipe's other end, for example while it is starting.
    const PATIENCE: Duration = Duration::from_secs(2);
    /// Pause between two attempts to open a pipe for writing; the system has no notification for that.
    const PAUSE: Duration = Duration::from_millis(10);

    const FLAGS: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

    /// A file that is opened without blocking.
    pub struct Source {
        file: File,
        /// The time by which a process must have begun to write; `None` if the file is no pipe, or once one has.
        begins_by: Option<Instant>,
    }

    pub fn open(path: &Path) -> io::Result<Source> {
        let file = File::options()
            .read(true)
            .custom_flags(FLAGS.bits() as i32)
            .open(path)?;
        let is_pipe = file.metadata()?.file_type().is_fifo();
        Ok(Source {
            file,
            begins_by: is_pipe.then(|| Instant::now() + PATIENCE),
        })
    }

    impl Read for Source {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                match (self.file.read(buffer), self.begins_by) {
                    // A process has it open for writing.
                    (Err(error), _) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.wait(None)?;
                    }
                    // No process has it open, and perhaps none had.
                    (Ok(0), Some(begins_by)) if !self.wait(Some(Duration::ZERO))?.is_over => {
                        let left = begins_by.saturating_duration_since(Instant::now());
                        if left.is_zero() {
                            return Err(unserved("nobody writes to this pipe"));
                        }
                        self.wait(Some(left))?;
                    }
                    (read, _) => {
                        self.begins_by = self.begins_by.filter(|_| read.is_err());
                        return read;
                    }
                }
            }
        }
    }

    /// The result of waiting for a pipe.
    struct Waited {
        /// Whether all its writers have closed it.
        is_over: bool,
    }

    impl Source {
        /// Waits until data can be read; without a timeout if `time` is `None`.
        fn wait(&self, time: Option<Duration>) -> io::Result<Waited> {
            let time = time.map(|time| Timespec {
                tv_sec: time.as_secs() as _,
                tv_nsec: time.subsec_nanos() as _,
            });
            let mut polled = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut polled, time.as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            Ok(Waited {
                is_over: polled[0].revents().contains(PollFlags::HUP),
            })
        }
    }

    pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let begins_by = Instant::now() + PATIENCE;
        let mut file = loop {
            let opened = File::options()
                .write(true)
                .custom_flags(FLAGS.bits() as i32)
                .open(path);
            match opened {
                Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {
                    if Instant::now() > begins_by {
                        return Err(unserved("nobody reads this pipe"));
                    }
                    std::thread::sleep(PAUSE);
                }
                opened => break opened?,
            }
        };
        // The reader may be slow, so writes block.
        fcntl_setfl(&file, OFlags::empty())?;
        file.write_all(bytes)
    }

    fn unserved(why: &str) -> io::Error {
        io::Error::new(io::ErrorKind::TimedOut, why)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::mpsc;

    use super::*;
    use crate::own::tests::make_pipe;

    fn pipe() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let path = dir.path().join("pipe");
        make_pipe(&path);
        (dir, path)
    }

    #[test]
    fn all_of_a_pipe_is_read() {
        let (_dir, path) = pipe();
        let pieces = ["first ".repeat(50_000), "second".to_owned()];
        let expected = pieces.concat();
        let (go_on, received) = mpsc::channel::<()>();
        let writer = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut file = File::options().write(true).open(path).expect("it is read");
                for piece in pieces {
                    file.write_all(piece.as_bytes()).expect("it is read");
                    let _ = received.recv();
                }
            }
        });
        // The end is reached when the writer closes the pipe, and not before.
        drop(go_on);
        let read = read(&path, u64::MAX).expect("somebody writes to it");
        assert_eq!(read, expected.as_bytes());
        writer.join().expect("it ends");
    }

    #[test]
    fn an_empty_pipe_that_somebody_held_is_at_its_end() {
        let (_dir, path) = pipe();
        let writer = std::thread::spawn({
            let path = path.clone();
            move || drop(File::options().write(true).open(path).expect("it is read"))
        });
        assert_eq!(read(&path, 10).expect("somebody had it open"), b"");
        writer.join().expect("it ends");
    }

    #[test]
    fn what_is_written_to_a_pipe_comes() {
        let (_dir, path) = pipe();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).expect("somebody writes to it")
        });
        let bytes = "much ".repeat(100_000);
        crate::write(&path, bytes.as_bytes()).expect("somebody reads it");
        assert_eq!(reader.join().expect("it ends"), bytes.as_bytes());
    }

    #[test]
    fn a_pipe_that_nobody_serves_is_refused() {
        let (_dir, path) = pipe();
        let error = read(&path, 10).expect_err("nobody writes to it");
        assert_eq!(error.to_string(), "nobody writes to this pipe");
        let error = crate::write(&path, b"x").expect_err("nobody reads it");
        assert_eq!(error.to_string(), "nobody reads this pipe");
    }

    #[test]
    fn more_than_the_limit_is_reported_and_not_read() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let file = dir.path().join("file");
        fs::write(&file, "12345").expect("it can be written");
        assert_eq!(read(&file, 5).expect("it is there"), b"12345");
        assert_eq!(read(&file, 3).expect("it is there"), b"1234");
        assert_eq!(
            read(Path::new("/dev/zero"), 3).expect("it is there"),
            [0; 4]
        );
    }
}
