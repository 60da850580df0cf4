//! Seeing what happens in a watched folder: told by the system, or by looking now and then.
//!
//! What is told is gathered until it comes to rest, since editors and copies write in several steps. Nothing ticks
//! meanwhile: the one who works asks when something is [due](Watch::due). The system does not tell of everything, such as
//! a change through another name of the same file, so each folder is walked now and then all the same.
//!
//! On Linux each folder in a watched one is watched by itself, and only those that a walk looked into: what is ignored
//! costs nothing. A folder is watched before it is walked for the last time, so that nothing falls between.

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

/// How often a folder is walked though nothing was seen in it; 50,000 files take some 0.4 s.
const WALK_EVERY: Duration = Duration::from_mins(10);
/// How long a folder must be quiet before its files are looked at.
const QUIET: Duration = Duration::from_millis(150);
/// Files are looked at after so long even if it does not come to rest: a log that grows all day.
const LOOK_WITHIN: Duration = Duration::from_secs(1);
/// And walked, which costs more.
const WALK_WITHIN: Duration = Duration::from_secs(5);
/// Beyond so many paths a walk is cheaper than looking at each, in time and in memory.
const PATHS_MAX: usize = 1000;
/// How often a folder is walked where the system cannot tell of changes.
const POLL_EVERY: Duration = Duration::from_secs(5);
/// A folder that takes long to walk is walked so seldom that it takes this share of the time at most: one in 20.
const WALK_SHARE: u32 = 20;

/// How changes in the folders are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watching {
    /// Whether the system is not asked, and all folders are walked every few seconds: for places where it stays silent.
    pub polls: bool,
    /// How often a folder is walked where the system tells of changes: it does not tell of all of them.
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

/// What was seen in a folder since it was last asked.
#[derive(Debug, Default)]
pub struct Seen {
    /// Where something happened.
    pub paths: BTreeSet<PathBuf>,
    /// Something was missed, or it is time: only a walk can tell.
    pub needs_walk: bool,
    /// The folder has come to rest.
    pub is_quiet: bool,
}

/// Gathers what the system tells.
struct Gathered {
    paths: BTreeSet<PathBuf>,
    /// Paths that went or changed their name: what was watched there is no longer.
    gone: BTreeSet<PathBuf>,
    /// Something was missed, also of what was to be watched.
    is_lost: bool,
    /// A walk was put off until it is quiet.
    needs_walk: bool,
    first: Option<Instant>,
    last: Instant,
}

impl Gathered {
    /// Notes what is told; returns whether it is the first since the last look.
    fn note(&mut self, event: notify::Result<Event>) -> bool {
        match event {
            Ok(event) if event.need_rescan() => self.lose(),
            Ok(event) if !matters(event.kind) => return false,
            // A walk comes anyway.
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

/// Whether something may have happened to a note; mere reading has not.
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

/// Whether something is not any more where it was.
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
    /// None where the system cannot tell.
    watcher: Option<RecommendedWatcher>,
    /// The folders that are watched, relative to the root; the root alone where the system watches whole trees.
    folders: BTreeSet<String>,
    /// Why it is walked every few seconds; none where the system tells of changes.
    polled: Option<String>,
    /// How often it is walked at most, and how often now.
    walk_every_min: Duration,
    walk_every: Duration,
    next_walk: Instant,
}

impl Watch {
    /// Prepares to watch a folder; [`Watch::follow`] begins.
    ///
    /// `wake` is called when something was seen for the first time since [`Watch::take`], from a thread of the
    /// watcher.
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
        if let Some(mount) = Mount::of(root).filter(Mount::is_untold) {
            watch.poll_because(format!(
                "others may change it unnoticed: it is on {}",
                mount.kind
            ));
        }
        watch
    }

    /// Watches these folders, relative to the root, and no others. Returns whether any of them is new: what happened
    /// in it before may not have been told then.
    ///
    /// Where the system refuses, the folder is polled from then on.
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
                // It has just gone; the folder around it tells.
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

    /// When something should be done about the folder: where something was seen, else when it is walked anyway.
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

    /// What was seen, and begins anew.
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
            // Also folders may have come unseen, or gone and come again.
            self.forget_folders();
        }
        seen
    }

    /// Puts off a walk until the folder has come to rest, or for some seconds.
    pub fn put_off(&mut self) {
        let mut gathered = self.gathered.lock();
        gathered.needs_walk = true;
        gathered.last = Instant::now();
        let last = gathered.last;
        gathered.first.get_or_insert(last);
    }

    /// Notes how long a walk took, which tells how often it may be done.
    pub fn walked(&mut self, took: Duration) {
        self.walk_every = self.walk_every_min.max(took * WALK_SHARE);
        self.next_walk = Instant::now() + self.walk_every;
    }

    /// Why the folder is polled, and how often; none where the system tells.
    pub fn polled(&self) -> Option<String> {
        self.polled.as_ref().map(|why| {
            format!(
                "checked every {} s because {why}",
                self.walk_every.as_secs()
            )
        })
    }

    /// Counts folders that went or have another name now, and those in them, as watched no longer.
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

/// An error of the watcher in words.
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
            // The system's own queue ran over.
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
        // A folder in it that is just gone tells nothing of the system.
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
        // What takes long is done seldom.
        watch.walked(Duration::from_secs(2));
        assert!(
            watch
                .polled()
                .is_some_and(|why| why.starts_with("checked every 40 s"))
        );
    }
}
