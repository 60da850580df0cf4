//! Fault injection for tests, in the code that writes to disk, database, lists and model.
//!
//! [`inject`] is called at each such [`Place`] and does nothing until a test arms a [`Fault`] there. It is empty in
//! release builds: it works only if `debug_assertions` are on. A fault names a folder, so that parallel tests in one
//! process do not affect each other.
//!
//! ```
//! use std::path::Path;
//! use memlens_faults::{Fault, Place, inject};
//!
//! let dir = Path::new("/library");
//! let fault = Fault::at(Place::Store, dir).only("save").after(1).fails();
//! assert!(inject(Place::Store, dir, "read the folders").is_ok());
//! assert!(inject(Place::Store, dir, "save documents").is_ok());
//! assert!(inject(Place::Store, dir, "save documents").is_err());
//! assert_eq!(fault.n_triggered(), 1);
//! drop(fault);
//! assert!(inject(Place::Store, dir, "save documents").is_ok());
//! ```

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

/// A place where faults can be injected. The folder that a fault names, and the `label` text of [`inject`], depend on
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A query of the library in the folder. The text names the attempted query, as error messages do.
    Store,
    /// Writing a list of the library in the folder. The text names the list.
    Lists,
    /// Listing the watched folder itself. The text is empty.
    Root,
    /// Reading an entry of a folder inside the watched folder. The text is that folder's relative path.
    Walk,
    /// Inspecting a file in the watched folder. The text is the file's relative path.
    Entry,
    /// A query of the cache of scores in a library's folder. The text names the attempted query.
    Scores,
    /// Computing a vector, in tests only. The text is the text to embed; the folder is chosen by the test.
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
    n_triggered: u64,
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

/// Set while any fault is armed, so that programs without one pay only for this check.
static IS_ANY: AtomicBool = AtomicBool::new(false);
static ARMED: Mutex<Vec<Armed>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Fails or blocks if a test has armed a fault for this place and folder and for a part of the text `label`.
///
/// # Errors
/// The error of the armed fault: [`io::ErrorKind::StorageFull`] for a full disk, otherwise [`io::ErrorKind::Other`].
#[inline]
pub fn inject(place: Place, folder: &Path, label: &str) -> io::Result<()> {
    if cfg!(debug_assertions) && IS_ANY.load(Ordering::Relaxed) {
        return inject_armed(place, folder, label);
    }
    Ok(())
}

#[cold]
fn inject_armed(place: Place, folder: &Path, label: &str) -> io::Result<()> {
    let (harm, state) = {
        let mut armed = armed();
        let Some(fault) = armed.iter_mut().find(|fault| {
            let is_spent = fault.n_harmed_max == 0;
            !is_spent
                && fault.place == place
                && fault.folder == folder
                && label.contains(&fault.only)
        }) else {
            return Ok(());
        };
        if fault.n_spared > 0 {
            fault.n_spared -= 1;
            return Ok(());
        }
        fault.n_harmed_max -= 1;
        fault.state.change(|it| it.n_triggered += 1);
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

/// Describes a fault and the calls that it affects, before it is armed.
#[derive(Debug, Clone)]
pub struct Plan {
    place: Place,
    folder: PathBuf,
    only: String,
    n_spared: u64,
    n_harmed_max: u64,
}

/// An armed fault, in effect until it is dropped.
pub struct Fault {
    id: u64,
    state: Arc<State>,
}

impl Fault {
    /// Starts describing a fault at a place of a folder. The path must be the one that the program uses, without links.
    pub fn at(place: Place, folder: &Path) -> Plan {
        Plan {
            place,
            folder: folder.to_owned(),
            only: String::new(),
            n_spared: 0,
            n_harmed_max: u64::MAX,
        }
    }

    /// Returns how many calls the fault has affected.
    pub fn n_triggered(&self) -> u64 {
        self.state.so_far().n_triggered
    }

    /// Waits until the fault has affected a call.
    ///
    /// # Panics
    /// If that takes longer than three minutes.
    pub fn wait(&self) {
        let patience = Duration::from_secs(180);
        let waited = self.state.changed.wait_while_for(
            &mut self.state.so_far(),
            |it| it.n_triggered == 0,
            patience,
        );
        assert!(!waited.timed_out(), "a fault was armed and never triggered");
    }
}

impl Plan {
    /// Restricts the fault to calls whose text contains `label`.
    #[must_use]
    pub fn only(mut self, label: &str) -> Plan {
        label.clone_into(&mut self.only);
        self
    }

    /// Lets the first `n` calls succeed.
    #[must_use]
    pub fn after(mut self, n: u64) -> Plan {
        self.n_spared = n;
        self
    }

    /// Affects at most `n` calls.
    #[must_use]
    pub fn times(mut self, n: u64) -> Plan {
        self.n_harmed_max = n;
        self
    }

    /// Arms the fault: calls fail.
    #[must_use]
    pub fn fails(self) -> Fault {
        self.arm(Harm::Fails)
    }

    /// Arms the fault: calls fail as if the disk were full.
    #[must_use]
    pub fn fills_the_disk(self) -> Fault {
        self.arm(Harm::FillsTheDisk)
    }

    /// Arms the fault: calls block until the fault is dropped.
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
    //! A fault affects only the calls that it names, and a blocking one releases them when it is dropped.

    use super::*;

    #[test]
    fn a_fault_strikes_what_it_names() {
        let (here, there) = (Path::new("/a"), Path::new("/b"));
        let full = Fault::at(Place::Lists, here).times(1).fills_the_disk();
        assert!(inject(Place::Lists, there, "").is_ok());
        assert!(inject(Place::Root, here, "").is_ok());
        let error = inject(Place::Lists, here, "").expect_err("it is armed");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(inject(Place::Lists, here, "").is_ok(), "once");
        assert_eq!(full.n_triggered(), 1);
    }

    #[test]
    fn what_hangs_goes_on_when_the_fault_is_over() {
        let folder = Path::new("/c");
        let fault = Fault::at(Place::Walk, folder).hangs();
        std::thread::scope(|scope| {
            let hanging = scope.spawn(|| inject(Place::Walk, folder, ""));
            fault.wait();
            assert!(!hanging.is_finished());
            drop(fault);
            assert!(hanging.join().expect("it does not panic").is_ok());
        });
    }
}
