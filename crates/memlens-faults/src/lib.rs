//! Faults that a test asks for, where the writer meets disk, database, lists and model.
//!
//! [`strike`] stands at each such [`Place`] and does nothing until a test arms a [`Fault`] there. In a released program
//! it is empty: it works only where `debug_assertions` are on. A fault names a folder, so that tests beside each other
//! in one process do not meet each other's.
//!
//! ```
//! use std::path::Path;
//! use memlens_faults::{Fault, Place, strike};
//!
//! let dir = Path::new("/library");
//! let fault = Fault::at(Place::Store, dir).only("save").after(1).fails();
//! assert!(strike(Place::Store, dir, "read the folders").is_ok());
//! assert!(strike(Place::Store, dir, "save documents").is_ok());
//! assert!(strike(Place::Store, dir, "save documents").is_err());
//! assert_eq!(fault.n_struck(), 1);
//! drop(fault);
//! assert!(strike(Place::Store, dir, "save documents").is_ok());
//! ```

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

/// Where something can fail; beside it stands the folder that a fault names, and what is told of the deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A query of the library in the folder; told is what it attempts, as the error says it.
    Store,
    /// Writing a list of the library in the folder; told is which.
    Lists,
    /// Listing the watched folder itself; nothing is told.
    Root,
    /// An entry of a folder in the watched one; told is the folder's path in it.
    Walk,
    /// Looking at a file in the watched folder; told is its path in it.
    Entry,
    /// A query of the cache of scores in the folder of a library; told is what it attempts.
    Scores,
    /// Making a vector, in tests alone; told is the text. The folder is whatever the test names.
    Embedder,
}

/// What an armed fault does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Harm {
    Fails,
    FillsTheDisk,
    Hangs,
}

struct Armed {
    id: u64,
    place: Place,
    folder: PathBuf,
    only: String,
    harm: Harm,
    n_spared: u64,
    n_harmed_max: u64,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    so_far: Mutex<SoFar>,
    changed: Condvar,
}

#[derive(Default)]
struct SoFar {
    n_struck: u64,
    is_over: bool,
}

impl State {
    fn change(&self, change: impl FnOnce(&mut SoFar)) {
        change(&mut self.so_far());
        self.changed.notify_all();
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.so_far.lock()
    }
}

/// Set while any fault is armed, so that a program without one pays for a look at it and no more.
static IS_ANY: AtomicBool = AtomicBool::new(false);
static ARMED: Mutex<Vec<Armed>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Fails, or waits, where a test has armed a fault at this place and folder.
///
/// # Errors
/// The armed one: [`io::ErrorKind::StorageFull`] for a full disk, else [`io::ErrorKind::Other`].
#[inline]
pub fn strike(place: Place, folder: &Path, told: &str) -> io::Result<()> {
    if cfg!(debug_assertions) && IS_ANY.load(Ordering::Relaxed) {
        return strike_armed(place, folder, told);
    }
    Ok(())
}

#[cold]
fn strike_armed(place: Place, folder: &Path, told: &str) -> io::Result<()> {
    let (harm, state) = {
        let mut armed = armed();
        let Some(fault) = armed.iter_mut().find(|fault| {
            let is_spent = fault.n_harmed_max == 0;
            !is_spent
                && fault.place == place
                && fault.folder == folder
                && told.contains(&fault.only)
        }) else {
            return Ok(());
        };
        if fault.n_spared > 0 {
            fault.n_spared -= 1;
            return Ok(());
        }
        fault.n_harmed_max -= 1;
        fault.state.change(|it| it.n_struck += 1);
        (fault.harm, fault.state.clone())
    };
    match harm {
        Harm::Fails => Err(io::Error::other("a fault for a test")),
        Harm::FillsTheDisk => Err(io::Error::from(io::ErrorKind::StorageFull)),
        Harm::Hangs => {
            state
                .changed
                .wait_while(&mut state.so_far(), |it| !it.is_over);
            Ok(())
        }
    }
}

fn armed() -> MutexGuard<'static, Vec<Armed>> {
    ARMED.lock()
}

/// A fault to be armed, and which deeds it strikes.
#[derive(Debug, Clone)]
pub struct Plan {
    place: Place,
    folder: PathBuf,
    only: String,
    n_spared: u64,
    n_harmed_max: u64,
}

/// A fault that strikes until it is dropped.
pub struct Fault {
    id: u64,
    state: Arc<State>,
}

impl Fault {
    /// Plans a fault for a place of a folder, by the path that the program knows it by: without links.
    pub fn at(place: Place, folder: &Path) -> Plan {
        Plan {
            place,
            folder: folder.to_owned(),
            only: String::new(),
            n_spared: 0,
            n_harmed_max: u64::MAX,
        }
    }

    /// How many deeds it has struck.
    pub fn n_struck(&self) -> u64 {
        self.state.so_far().n_struck
    }

    /// Waits until it has struck.
    ///
    /// # Panics
    /// Where it does not within three minutes.
    pub fn wait(&self) {
        let patience = Duration::from_secs(180);
        let waited = self.state.changed.wait_while_for(
            &mut self.state.so_far(),
            |it| it.n_struck == 0,
            patience,
        );
        assert!(!waited.timed_out(), "a fault was armed and never struck");
    }
}

impl Plan {
    /// Strikes only where this stands in what is told of a deed.
    #[must_use]
    pub fn only(mut self, told: &str) -> Plan {
        told.clone_into(&mut self.only);
        self
    }

    /// Spares so many deeds first.
    #[must_use]
    pub fn after(mut self, n: u64) -> Plan {
        self.n_spared = n;
        self
    }

    /// Strikes so many deeds at most.
    #[must_use]
    pub fn times(mut self, n: u64) -> Plan {
        self.n_harmed_max = n;
        self
    }

    /// Has the deed fail.
    #[must_use]
    pub fn fails(self) -> Fault {
        self.arm(Harm::Fails)
    }

    /// Has the deed fail as on a full disk.
    #[must_use]
    pub fn fills_the_disk(self) -> Fault {
        self.arm(Harm::FillsTheDisk)
    }

    /// Has the deed wait until the fault is dropped.
    #[must_use]
    pub fn hangs(self) -> Fault {
        self.arm(Harm::Hangs)
    }

    fn arm(self, harm: Harm) -> Fault {
        let Plan {
            place,
            folder,
            only,
            n_spared,
            n_harmed_max,
        } = self;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State::default());
        armed().push(Armed {
            id,
            place,
            folder,
            only,
            harm,
            n_spared,
            n_harmed_max,
            state: state.clone(),
        });
        IS_ANY.store(true, Ordering::SeqCst);
        Fault { id, state }
    }
}

impl Drop for Fault {
    fn drop(&mut self) {
        let mut armed = armed();
        armed.retain(|fault| fault.id != self.id);
        IS_ANY.store(!armed.is_empty(), Ordering::SeqCst);
        drop(armed);
        self.state.change(|it| it.is_over = true);
    }
}

#[cfg(test)]
mod tests {
    //! A fault strikes what it names and nothing else, and one that hangs lets go when it is over.

    use super::*;

    #[test]
    fn a_fault_strikes_what_it_names() {
        let (here, there) = (Path::new("/a"), Path::new("/b"));
        let full = Fault::at(Place::Lists, here).times(1).fills_the_disk();
        assert!(strike(Place::Lists, there, "").is_ok());
        assert!(strike(Place::Root, here, "").is_ok());
        let error = strike(Place::Lists, here, "").expect_err("it is armed");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(strike(Place::Lists, here, "").is_ok(), "once");
        assert_eq!(full.n_struck(), 1);
    }

    #[test]
    fn what_hangs_goes_on_when_the_fault_is_over() {
        let folder = Path::new("/c");
        let fault = Fault::at(Place::Walk, folder).hangs();
        std::thread::scope(|scope| {
            let hanging = scope.spawn(|| strike(Place::Walk, folder, ""));
            fault.wait();
            assert!(!hanging.is_finished());
            drop(fault);
            assert!(hanging.join().expect("it does not panic").is_ok());
        });
    }
}
