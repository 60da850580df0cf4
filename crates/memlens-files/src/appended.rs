//! A file of lines that many processes append to and one takes: what was appended is taken whole, in order, and not lost if the
//! taker dies.
//!
//! The taker moves the file aside, so that appending goes on in a new one, and removes it once its lines are stored. A file that was
//! moved aside by a taker that died comes first. A lock, held while a line is written or the file is moved or removed, keeps it whole:
//! what was removed because lines are not wanted any more does not come back by a line that was on its way.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::held_open::rename;
use crate::own::open_own;

/// How long the lock is waited for: it is held for the time of one write.
const LOCK_WAIT: Duration = Duration::from_millis(200);
/// How long a removal waits for it.
const REMOVAL_WAIT: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(1);

/// What became of a line that was to be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appending {
    /// It was appended.
    Done,
    /// The file is full.
    Full,
    /// It is not wanted any more.
    Unwanted,
}

/// A file of lines of the program's own.
#[derive(Debug, Clone)]
pub struct Appended {
    path: PathBuf,
    /// Maximum size in bytes.
    n_bytes_max: u64,
}

impl Appended {
    /// The file at `path`, which holds at most `n_bytes_max` bytes.
    pub fn new(path: PathBuf, n_bytes_max: u64) -> Appended {
        Appended { path, n_bytes_max }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    /// The file that was moved aside.
    fn aside(&self) -> PathBuf {
        self.beside(".taken")
    }

    /// Path of the lock, a file of its own that is never removed.
    fn lock_path(&self) -> PathBuf {
        self.beside(".lock")
    }

    /// Takes the lock; it is released when the file is dropped.
    fn lock(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let lock = open_own(&self.lock_path(), options.write(true).create(true))?;
        locked(lock, LOCK_WAIT)
    }

    /// Appends a line, which must hold no end of line, if `is_wanted` says so. That is asked once the lock is held: what makes the
    /// line unwanted must be done before [`Appended::remove`] is called.
    ///
    /// # Errors
    /// The system's error, also if the path is a link (see [`open_own`]) or the lock is not free in time.
    pub fn append(&self, line: &[u8], is_wanted: impl FnOnce() -> bool) -> io::Result<Appending> {
        let _lock = self.lock()?;
        if !is_wanted() {
            return Ok(Appending::Unwanted);
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = open_own(&self.path, &mut options)?;
        let n_bytes = file.metadata()?.len();
        let mut text = Vec::with_capacity(line.len() + 2);
        if n_bytes > 0 && !ends_with_line(&mut file)? {
            // A process died while it wrote: its line ends here, and is no line that can be read.
            text.push(b'\n');
        }
        text.extend_from_slice(line);
        text.push(b'\n');
        if n_bytes + text.len() as u64 > self.n_bytes_max {
            return Ok(Appending::Full);
        }
        file.write_all(&text)?;
        Ok(Appending::Done)
    }

    /// Whether there is anything to take.
    pub fn has_lines(&self) -> bool {
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        is_there(&self.path) || is_there(&self.aside())
    }

    /// Passes everything that was appended to `store`, and removes it once that succeeded. If this process dies in between, the
    /// same text is passed again. The last line may be torn. Must be called by one process at a time.
    ///
    /// # Errors
    /// That of `store`; the system's error, also if the path is a link.
    pub fn take(&self, mut store: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        loop {
            let aside = self.aside();
            if aside.symlink_metadata().is_ok() {
                let mut text = Vec::new();
                let file = open_own(&aside, OpenOptions::new().read(true))?;
                file.take(self.n_bytes_max).read_to_end(&mut text)?;
                store(&text)?;
                fs::remove_file(&aside)?;
            }
            if self.path.symlink_metadata().is_err() {
                return Ok(());
            }
            let _lock = self.lock()?;
            // Only a file of the program's own is moved.
            drop(open_own(&self.path, OpenOptions::new().read(true))?);
            rename(&self.path, &aside)?;
        }
    }

    /// Removes everything that was appended and not taken. One that cannot be removed keeps no other.
    ///
    /// # Errors
    /// The system's error, with the path that was not removed; [`ErrorKind::WouldBlock`] if another process holds the lock for
    /// long, which may still append a line.
    pub fn remove(&self) -> Result<(), (PathBuf, io::Error)> {
        // Where the lock cannot even be opened, nothing is appended. One that is made later is held by a process that asks later
        // whether its line is wanted.
        let lock = open_own(&self.lock_path(), OpenOptions::new().write(true)).ok();
        let lock = lock.map(|lock| locked(lock, REMOVAL_WAIT));
        let mut kept = None;
        for path in [self.path.clone(), self.aside()] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    kept.get_or_insert((path, error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        match (kept, lock) {
            (Some(kept), _) => Err(kept),
            (None, Some(Err(error))) if error.kind() == ErrorKind::WouldBlock => {
                Err((self.path.clone(), error))
            }
            (None, _) => Ok(()),
        }
    }
}

/// Locks a file; it is released when the file is dropped.
fn locked(lock: File, wait: Duration) -> io::Result<File> {
    let until = Instant::now() + wait;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(POLL),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(ErrorKind::WouldBlock, "it is in use"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn ends_with_line(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dir: &Path) -> Appended {
        Appended::new(dir.join("calls"), 64)
    }

    fn append(file: &Appended, line: &[u8]) -> io::Result<bool> {
        let appended = file.append(line, || true)?;
        Ok(appended == Appending::Done)
    }

    fn taken(file: &Appended) -> String {
        let mut all = Vec::new();
        let take = |text: &[u8]| {
            all.extend_from_slice(text);
            Ok(())
        };
        file.take(take).expect("it can be taken");
        String::from_utf8(all).expect("it is text")
    }

    #[test]
    fn lines_are_taken_once_in_order_and_a_torn_one_ends() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let file = file(dir.path());
        assert!(!file.has_lines());
        assert_eq!(taken(&file), "");
        assert!(append(&file, b"a").expect("it can be written"));
        fs::write(dir.path().join("calls"), "a\n{\"b").expect("it can be written");
        append(&file, b"c").expect("it can be written");
        assert!(file.has_lines());
        assert_eq!(taken(&file), "a\n{\"b\nc\n");
        assert_eq!(taken(&file), "");
        assert!(!file.has_lines());
    }

    #[test]
    fn what_was_not_stored_is_taken_again_before_what_came_later() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let file = file(dir.path());
        append(&file, b"a").expect("it can be written");
        let refused = file.take(|_| Err(io::Error::other("full")));
        assert!(refused.is_err());
        append(&file, b"b").expect("it can be written");
        assert_eq!(taken(&file), "a\nb\n");
        append(&file, b"a").expect("it can be written");
        file.take(|_| Err(io::Error::other("full")))
            .expect_err("it is refused");
        append(&file, b"b").expect("it can be written");
        file.remove().expect("it can be removed");
        assert_eq!(taken(&file), "");
    }

    #[test]
    fn a_line_that_is_on_its_way_does_not_come_back_after_a_removal() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let file = file(dir.path());
        let unwanted = file.append(b"a", || false).expect("it can be asked");
        assert_eq!(unwanted, Appending::Unwanted);
        assert!(!file.has_lines());
        let remover = file.clone();
        let mut removing = None;
        let appended = file.append(b"a", || {
            // The consent is withdrawn now: the removal must wait for the line.
            removing = Some(thread::spawn(move || remover.remove()));
            thread::sleep(Duration::from_millis(100));
            true
        });
        assert_eq!(appended.expect("it can be written"), Appending::Done);
        let removing = removing.expect("it was started").join();
        removing.expect("it ends").expect("it can be removed");
        assert!(!file.has_lines());
    }

    #[test]
    fn what_cannot_be_removed_keeps_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let file = file(dir.path());
        file.remove().expect("there is nothing");
        assert!(!dir.path().join("calls.lock").exists());
        for (odd, other) in [("calls", "calls.taken"), ("calls.taken", "calls")] {
            fs::create_dir(dir.path().join(odd)).expect("it can be made");
            fs::write(dir.path().join(other), "a\n").expect("it can be written");
            let (path, _) = file.remove().expect_err("it is a folder");
            assert_eq!(path, dir.path().join(odd));
            assert!(!dir.path().join(other).exists());
            fs::remove_dir(path).expect("it can be removed");
        }
        fs::create_dir(dir.path().join("calls.lock")).expect("it can be made");
        fs::write(dir.path().join("calls"), "a\n").expect("it can be written");
        append(&file, b"b").expect_err("there is no lock");
        file.remove().expect("nothing can be appended");
        assert!(!file.has_lines());
    }

    #[test]
    fn a_full_file_takes_no_more() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let file = file(dir.path());
        assert!(append(&file, &[b'a'; 40]).expect("it can be written"));
        assert!(!append(&file, &[b'b'; 40]).expect("it can be written"));
        assert_eq!(taken(&file).len(), 41);
        assert!(append(&file, &[b'b'; 40]).expect("it can be written"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_refused_and_nobody_else_can_read() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().expect("a folder can be made");
        let file = file(dir.path());
        append(&file, b"a").expect("it can be written");
        let path = dir.path().join("calls");
        let mode = fs::metadata(&path)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::remove_file(&path).expect("it can be removed");
        let other = dir.path().join("other");
        fs::write(&other, "mine").expect("it can be written");
        for name in ["calls", "calls.taken"] {
            symlink(&other, dir.path().join(name)).expect("links can be made");
            if name == "calls" {
                append(&file, b"b").expect_err("it is a link");
            }
            file.take(|_| Ok(())).expect_err("it is a link");
            assert_eq!(fs::read(&other).expect("it can be read"), b"mine");
            fs::remove_file(dir.path().join(name)).expect("it can be removed");
        }
    }

    #[test]
    fn many_writers_lose_nothing_to_a_taker() {
        let dir = tempfile::tempdir().expect("a folder can be made");
        let file = Appended::new(dir.path().join("calls"), 1 << 20);
        let mut all = String::new();
        thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let file = &file;
                    scope.spawn(move || {
                        for n in 0..50 {
                            let line = format!("{writer} {n}");
                            while append(file, line.as_bytes()).is_err() {}
                        }
                    })
                })
                .collect();
            while !writers.iter().all(thread::ScopedJoinHandle::is_finished) {
                all += &taken(&file);
            }
        });
        all += &taken(&file);
        let mut lines: Vec<&str> = all.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 200);
    }
}
