//! How the C library's allocator keeps memory that the program has given back.
//!
//! Loading a model takes tens of megabytes for a moment. With its defaults glibc learns from that to keep blocks of this size
//! for later, in an arena per thread, and the window holds them while it idles.

/// Blocks from this size on are the system's again as soon as they are free, bytes; glibc would raise it by itself.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OWN_BLOCK_BYTES: i32 = 128 * 1024;

/// Arenas that threads share; two writers never wait for one another, and the window has no more.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const N_ARENAS: i32 = 2;

/// Lets free memory go back to the system; does nothing if the C library is another. To be called before threads start.
#[allow(unsafe_code)]
pub fn keep_little_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (parameter, value) in [
        (libc::M_MMAP_THRESHOLD, OWN_BLOCK_BYTES),
        (libc::M_TRIM_THRESHOLD, OWN_BLOCK_BYTES),
        (libc::M_ARENA_MAX, N_ARENAS),
    ] {
        // SAFETY: mallopt takes two numbers and touches nothing but the allocator's own settings; a number that it does not
        // know it refuses.
        unsafe { libc::mallopt(parameter, value) };
    }
}
