//! Reading a mapping whose file another program shortened.
//!
//! The system answers such a read with SIGBUS, which ends the process. Here a handler puts a page of zeros in place of the missing one, and
//! marks the mapping as torn. Whoever read from it checks the mark afterwards, and throws away what was read.
//!
//! Reviewed rules of this module:
//! - The handler only reads and writes atomics of statics and calls `mmap` and `sigaction`, which are plain system calls: it takes no lock,
//!   allocates nothing, and does not unwind.
//! - It replaces pages of registered ranges alone. A range is registered after its mapping was made and withdrawn before the mapping goes,
//!   so no other memory is ever replaced.
//! - Every other fault goes to the handler that was there before, or ends the process as it would without this one.
//!
//! Properties checked: a mapping is read to its end while its file is cut off; another fault still ends the process.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use libc::{c_int, c_void, siginfo_t};

/// Maximum number of mappings that are protected at a time. Further ones are read without protection.
const RANGES: usize = 1024;

/// A registered mapping. Free while `start` is 0; being filled while it is [`CLAIMED`].
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    is_torn: AtomicBool,
}

/// `start` of a slot that is being filled; no mapping starts at this address.
const CLAIMED: usize = 1;

static SLOTS: [Slot; RANGES] = [const {
    Slot {
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        is_torn: AtomicBool::new(false),
    }
}; RANGES];
static N_FAULTS: AtomicU64 = AtomicU64::new(0);
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(0);
/// The handler that was there before, once ours is.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// How many missing pages were read by this process so far. What was read in between is not to be trusted.
pub fn n_faults() -> u64 {
    N_FAULTS.load(Ordering::Acquire)
}

/// Protects a mapping until it is dropped, which must come before the mapping is unmapped.
pub(crate) struct Protected(Option<&'static Slot>);

impl Protected {
    pub(crate) fn new(bytes: &[u8]) -> Protected {
        install();
        let start = bytes.as_ptr() as usize;
        let claimed = SLOTS.iter().find(|slot| {
            let claim =
                slot.start
                    .compare_exchange(0, CLAIMED, Ordering::AcqRel, Ordering::Relaxed);
            claim.is_ok()
        });
        if let Some(slot) = claimed {
            slot.is_torn.store(false, Ordering::Relaxed);
            slot.end.store(start + bytes.len(), Ordering::Release);
            // Last: the handler takes a range with a start for whole.
            slot.start.store(start, Ordering::Release);
        }
        Protected(claimed)
    }

    /// Whether a page of the mapping was missing when it was read.
    pub(crate) fn is_torn(&self) -> bool {
        self.0
            .is_some_and(|slot| slot.is_torn.load(Ordering::Acquire))
    }
}

impl Drop for Protected {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            slot.start.store(0, Ordering::Release);
        }
    }
}

fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: The call only reads a constant of the system.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let Some(page_bytes) = usize::try_from(page_bytes)
            .ok()
            .filter(|it| it.is_power_of_two())
        else {
            return;
        };
        PAGE_BYTES.store(page_bytes, Ordering::Relaxed);
        // SAFETY: All zeros is a valid `sigaction`, and every field that matters is set. The handler has the signature that SA_SIGINFO asks for.
        // The handler before is stored before ours can run.
        unsafe {
            let mut before = MaybeUninit::<libc::sigaction>::zeroed();
            if libc::sigaction(libc::SIGBUS, ptr::null(), before.as_mut_ptr()) != 0 {
                return;
            }
            BEFORE.store(
                Box::into_raw(Box::new(before.assume_init())),
                Ordering::Release,
            );
            let mut ours = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = handle;
            ours.sa_sigaction = handler as libc::sighandler_t;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut ours.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const ours, ptr::null_mut());
        }
    });
}

extern "C" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: The system passes a valid `siginfo_t`, and the address is set for SIGBUS.
    let at = unsafe { (*info).si_addr() } as usize;
    if !replaced(at) {
        hand_over(signal, info, context);
    }
}

/// Maps a page of zeros at an address of a registered range.
fn replaced(at: usize) -> bool {
    let range = SLOTS.iter().find(|slot| {
        let start = slot.start.load(Ordering::Acquire);
        let end = slot.end.load(Ordering::Acquire);
        // Read again: the slot may have been given to another mapping in between.
        let is_one = start > CLAIMED && slot.start.load(Ordering::Acquire) == start;
        is_one && (start..end).contains(&at)
    });
    let Some(slot) = range else {
        return false;
    };
    let page_bytes = PAGE_BYTES.load(Ordering::Relaxed);
    let page = at & !(page_bytes - 1);
    // First: another thread can read the zeros as soon as they are there. If mapping them fails, the process ends.
    slot.is_torn.store(true, Ordering::SeqCst);
    N_FAULTS.fetch_add(1, Ordering::SeqCst);
    // SAFETY: The page belongs to a mapping that is read only and still there, since a reader of it is in this very handler. It has no
    // content that could be lost, as reading it failed.
    let made = unsafe {
        libc::mmap(
            page as *mut c_void,
            page_bytes,
            libc::PROT_READ,
            libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    made != libc::MAP_FAILED
}

/// Leaves a fault to the handler that was there before, or to the system.
fn hand_over(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: The pointer comes from a box that is never freed. A handler that was set has the signature that its flags say. Without one the
    // system's own answer is set, and the fault occurs again as soon as this returns.
    unsafe {
        let before = BEFORE.load(Ordering::Acquire);
        let handler = if before.is_null() {
            libc::SIG_DFL
        } else {
            (*before).sa_sigaction
        };
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            let mut system = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            system.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(signal, &raw const system, ptr::null_mut());
        } else if (*before).sa_flags & libc::SA_SIGINFO != 0 {
            let handler = std::mem::transmute::<
                libc::sighandler_t,
                extern "C" fn(c_int, *mut siginfo_t, *mut c_void),
            >(handler);
            handler(signal, info, context);
        } else {
            let handler = std::mem::transmute::<libc::sighandler_t, extern "C" fn(c_int)>(handler);
            handler(signal);
        }
    }
}
