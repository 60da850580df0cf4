//! Detects changes in a watched folder, through notifications of the system or by walking it.
//!
//! Notifications are collected until the folder is quiet, because editors and copies write in several steps. There is
//! no timer: the worker asks when something is [due](Watch::due). The system does not report everything, such as a
//! change through another name of the same file, so each folder is also walked from time to time.
//!
//! On Linux each subfolder is watched separately, and only if a walk visited it: ignored folders cost nothing. A folder
//! is watched before its last walk, so that no change is missed in between.

use std::collections::BTreeSet;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{
    Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind,
};
use parking_lot::Mutex;

use crate::mounts::Mount;

/// How often a folder is walked without any notification; 50,000 files take about 0.4 s.
const WALK_EVERY: Duration = Duration::from_mins(10);
/// How long a folder must be quiet before its files are inspected.
const QUIET: Duration = Duration::from_millis(150);
/// Files are inspected after this time even if the folder is not quiet, such as with a log that grows all day.
const LOOK_WITHIN: Duration = Duration::from_secs(1);
/// The same for a walk, which costs more.
const WALK_WITHIN: Duration = Duration::from_secs(5);
/// With more paths than this, a walk is cheaper than inspecting each, in time and in memory.
const PATHS_MAX: usize = 1000;
/// How often a folder is walked if the system cannot report changes.
const POLL_EVERY: Duration = Duration::from_secs(5);
/// A folder that takes long to walk is walked less often, so that walks take at most one in this many parts of the
/// time.
const WALK_SHARE: u32 = 20;

/// How changes in the folders are detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watching {
    /// Whether all folders are walked every few seconds instead of using notifications, for places where the system
    /// sends none.
    pub polls: bool,
    /// How often a folder is walked if the system reports changes, because it does not report all of them.
    pub walk_every: Duration,
}

impl Default for Watching {
    fn default() -> Watching {
        Watching {
            polls: false,
            walk_every: WALK_EVERY,
        }
    }
}

/// The changes seen in a folder since the last call.
#[derive(Debug, Default)]
pub struct Seen {
    /// Paths at which something happened.
    pub paths: BTreeSet<PathBuf>,
    /// Whether a walk is needed, because notifications were lost or it is time.
    pub needs_walk: bool,
    /// Whether the folder is quiet.
    pub is_quiet: bool,
}

struct Gathered {
    paths: BTreeSet<PathBuf>,
    /// Paths that were removed or renamed, and are no longer watched.
    gone: BTreeSet<PathBuf>,
    /// Whether notifications were lost, possibly about folders to be watched.
    is_lost: bool,
    /// Whether a walk was postponed until the folder is quiet.
    needs_walk: bool,
    first: Option<Instant>,
    last: Instant,
}

impl Gathered {
    /// Records a notification. Returns whether it is the first since the last call of `take`.
    fn note(&mut self, event: notify::Result<Event>) -> bool {
        match event {
            Ok(event) if event.need_rescan() => self.lose(),
            Ok(event) if !matters(event.kind) => return false,
            // A walk will follow anyway.
            Ok(_) if self.is_lost => {}
            Ok(event) => {
                let is_gone = leaves(event.kind);
                for path in event.paths {
                    if is_gone {
                        self.gone.insert(path.clone());
                    }
                    self.paths.insert(path);
                }
                if self.paths.len() > PATHS_MAX {
                    self.lose();
                }
            }
            Err(_) => self.lose(),
        }
        self.last = Instant::now();
        let is_first = self.first.is_none();
        self.first.get_or_insert(self.last);
        is_first
    }

    fn lose(&mut self) {
        self.is_lost = true;
        self.paths.clear();
        self.gone.clear();
    }
}

/// Returns whether a note may have changed; reading does not count.
fn matters(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

/// Returns whether something is no longer at its path.
fn leaves(kind: EventKind) -> bool {
    match kind {
        EventKind::Remove(_) => true,
        EventKind::Modify(ModifyKind::Name(mode)) => mode != RenameMode::To,
        EventKind::Any
        | EventKind::Access(_)
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Other => false,
    }
}

/// Watches one folder until it is dropped.
pub struct Watch {
    root: PathBuf,
    gathered: Arc<Mutex<Gathered>>,
    /// `None` if the system cannot report changes.
    watcher: Option<RecommendedWatcher>,
    /// The watched folders, relative to the root; only the root if the system watches whole trees.
    folders: BTreeSet<String>,
    /// Why it is walked every few seconds; `None` if the system reports changes.
    polled: Option<String>,
    /// The shortest and the current interval between walks.
    walk_every_min: Duration,
    walk_every: Duration,
    next_walk: Instant,
}

impl Watch {
    /// Prepares to watch a folder; [`Watch::follow`] starts it.
    ///
    /// `wake` is called from a thread of the watcher when something is seen for the first time since [`Watch::take`].
    pub fn new(root: &Path, watching: Watching, wake: impl Fn() + Send + 'static) -> Watch {
        let gathered = Arc::new(Mutex::new(Gathered {
            paths: BTreeSet::new(),
            gone: BTreeSet::new(),
            is_lost: false,
            needs_walk: false,
            first: None,
            last: Instant::now(),
        }));
        let mut watch = Watch {
            root: root.to_owned(),
            gathered: gathered.clone(),
            watcher: None,
            folders: BTreeSet::new(),
            polled: None,
            walk_every_min: watching.walk_every,
            walk_every: watching.walk_every,
            next_walk: Instant::now() + watching.walk_every,
        };
        if watching.polls {
            watch.poll_because("polling was requested".to_owned());
            return watch;
        }
        let noting = move |event| {
            let is_first = gathered.lock().note(event);
            if is_first {
                wake();
            }
        };
        match RecommendedWatcher::new(noting, Config::default()) {
            Ok(watcher) => watch.watcher = Some(watcher),
            Err(error) => watch.poll_because(words(&error)),
        }
        if let Some(mount) = Mount::of(root).filter(Mount::may_change_unnoticed) {
            watch.poll_because(format!(
                "others may change it unnoticed: it is on {}",
                mount.kind
            ));
        }
        watch
    }

    /// Watches these folders, relative to the root, and no others. Returns whether any of them is new: earlier changes
    /// in it may have been missed.
    ///
    /// If the system refuses, the folder is polled from then on.
    pub fn follow(&mut self, folders: &[String]) -> bool {
        self.leave_gone();
        let Some(watcher) = &mut self.watcher else {
            return false;
        };
        let is_by_folder = RecommendedWatcher::kind() == WatcherKind::Inotify;
        let (wanted, mode) = if is_by_folder {
            (folders, RecursiveMode::NonRecursive)
        } else {
            (&[String::new()][..], RecursiveMode::Recursive)
        };
        let wanted: BTreeSet<&String> = wanted.iter().collect();
        self.folders.retain(|folder| {
            let is_wanted = wanted.contains(folder);
            if !is_wanted {
                // It may be gone by now.
                let _ = watcher.unwatch(&self.root.join(folder));
            }
            is_wanted
        });
        let mut is_any_new = false;
        for folder in wanted {
            if self.folders.contains(folder) {
                continue;
            }
            match watcher.watch(&self.root.join(folder), mode) {
                Ok(()) => {
                    is_any_new = true;
                    self.folders.insert(folder.clone());
                }
                // It has just been removed; the parent's notification covers it.
                Err(error) if is_missing(&error) && !folder.is_empty() => {}
                Err(error) => {
                    self.watcher = None;
                    self.folders.clear();
                    self.poll_because(words(&error));
                    return false;
                }
            }
        }
        is_any_new
    }

    /// Returns when the folder must be handled: soon if something was seen, otherwise when its next walk is due.
    pub fn due(&self) -> Instant {
        let gathered = self.gathered.lock();
        let seen = gathered.first.map(|first| {
            let within = if gathered.is_lost || gathered.needs_walk {
                WALK_WITHIN
            } else {
                LOOK_WITHIN
            };
            (gathered.last + QUIET).min(first + within)
        });
        seen.map_or(self.next_walk, |seen| seen.min(self.next_walk))
    }

    /// Returns what was seen, and resets it.
    pub fn take(&mut self) -> Seen {
        self.leave_gone();
        let now = Instant::now();
        let is_time = self.next_walk <= now;
        if is_time {
            self.next_walk = now + self.walk_every;
        }
        let mut gathered = self.gathered.lock();
        let seen = Seen {
            paths: take(&mut gathered.paths),
            needs_walk: gathered.is_lost || gathered.needs_walk || is_time,
            is_quiet: gathered.last.elapsed() >= QUIET,
        };
        gathered.first = None;
        gathered.needs_walk = false;
        if take(&mut gathered.is_lost) {
            drop(gathered);
            // Subfolders may also have been added, or removed and added again, unnoticed.
            self.forget_folders();
        }
        seen
    }

    /// Postpones a walk until the folder is quiet, or for some seconds.
    pub fn put_off(&mut self) {
        let mut gathered = self.gathered.lock();
        gathered.needs_walk = true;
        gathered.last = Instant::now();
        let last = gathered.last;
        gathered.first.get_or_insert(last);
    }

    /// Records how long a walk took, which determines how often the folder is walked.
    pub fn walked(&mut self, took: Duration) {
        self.walk_every = self.walk_every_min.max(took * WALK_SHARE);
        self.next_walk = Instant::now() + self.walk_every;
    }

    /// Returns why and how often the folder is polled; `None` if the system reports changes.
    pub fn polled(&self) -> Option<String> {
        self.polled.as_ref().map(|why| {
            format!(
                "checked every {} s because {why}",
                self.walk_every.as_secs()
            )
        })
    }

    /// Removes folders that were removed or renamed, and those inside them, from the watched ones.
    fn leave_gone(&mut self) {
        let gone = take(&mut self.gathered.lock().gone);
        if gone.is_empty() {
            return;
        }
        self.folders.retain(|folder| {
            let path = self.root.join(folder);
            !path.ancestors().any(|path| gone.contains(path))
        });
    }

    fn forget_folders(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            for folder in take(&mut self.folders) {
                let _ = watcher.unwatch(&self.root.join(folder));
            }
        }
    }

    fn poll_because(&mut self, why: String) {
        if self.polled.is_none() {
            self.polled = Some(why);
            self.walk_every_min = self.walk_every_min.min(POLL_EVERY);
            self.walked(Duration::ZERO);
        }
    }
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        ErrorKind::Generic(_) | ErrorKind::InvalidConfig(_) | ErrorKind::MaxFilesWatch => false,
    }
}

/// Returns the error message for an error of the watcher.
fn words(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system's limit on watched folders is reached (fs.inotify.max_user_watches)"
                .to_owned()
        }
        ErrorKind::Io(error) => format!("the system cannot watch it: {error}"),
        ErrorKind::PathNotFound
        | ErrorKind::WatchNotFound
        | ErrorKind::Generic(_)
        | ErrorKind::InvalidConfig(_) => format!("the system cannot watch it: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, AccessMode, CreateKind, Flag, ModifyKind, RenameMode};
    use notify::{Error, Event, EventKind};

    use super::*;

    fn gathered() -> Gathered {
        Gathered {
            paths: BTreeSet::new(),
            gone: BTreeSet::new(),
            is_lost: false,
            needs_walk: false,
            first: None,
            last: Instant::now(),
        }
    }

    fn event(kind: EventKind, path: &str) -> notify::Result<Event> {
        Ok(Event::new(kind).add_path(PathBuf::from(path)))
    }

    #[test]
    fn what_matters_is_gathered_and_the_first_of_it_wakes() {
        let mut it = gathered();
        let reading = EventKind::Access(AccessKind::Open(AccessMode::Any));
        assert!(!it.note(event(reading, "/x/a.md")));
        assert!(it.paths.is_empty() && it.first.is_none());
        assert!(it.note(event(EventKind::Create(CreateKind::File), "/x/a.md")));
        assert!(!it.note(event(EventKind::Create(CreateKind::File), "/x/b.md")));
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::From));
        assert!(!it.note(event(renamed, "/x/b.md")));
        assert_eq!((it.paths.len(), it.gone.len(), it.is_lost), (2, 1, false));
    }

    #[test]
    fn more_than_can_be_gathered_asks_for_a_walk_and_takes_no_room() {
        let losses: [fn(&mut Gathered); 3] = [
            // The system's own queue overflowed.
            |it| {
                it.note(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
            },
            |it| {
                it.note(Err(Error::generic("broken")));
            },
            |it| {
                for number in 0..=PATHS_MAX {
                    it.note(event(EventKind::Any, &format!("/x/{number}.md")));
                }
            },
        ];
        for lose in losses {
            let mut it = gathered();
            it.note(event(EventKind::Any, "/x/a.md"));
            lose(&mut it);
            assert!(it.is_lost && it.paths.is_empty() && it.gone.is_empty());
        }
    }

    #[test]
    fn a_folder_that_cannot_be_watched_is_polled() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let mut watch = Watch::new(dir.path(), Watching::default(), || {});
        assert_eq!(watch.polled(), None);
        assert!(watch.follow(&[String::new()]));
        assert!(!watch.follow(&[String::new()]), "it is watched already");
        // A subfolder that has just been removed says nothing about the system.
        assert!(!watch.follow(&[String::new(), "gone".to_owned()]));
        assert_eq!(watch.polled(), None);
        let is_due_within = |watch: &Watch, time| watch.due() <= Instant::now() + time;
        assert!(
            !is_due_within(&watch, Duration::from_secs(500)),
            "it is walked now and then all the same"
        );
        drop(dir);
        watch.forget_folders();
        assert!(!watch.follow(&[String::new()]));
        let why = watch.polled().expect("it is polled");
        assert!(
            why.starts_with("checked every 5 s because the system cannot watch it"),
            "{why}"
        );
        assert!(is_due_within(&watch, POLL_EVERY));
        // A slow walk is repeated less often.
        watch.walked(Duration::from_secs(2));
        assert!(
            watch
                .polled()
                .is_some_and(|why| why.starts_with("checked every 40 s"))
        );
    }
}
