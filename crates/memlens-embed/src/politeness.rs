//! Keeps indexing from slowing down the user's other work.

use std::thread::available_parallelism;

use thread_priority::ThreadPriority;

/// Gives the current thread the lowest priority. On Linux, every thread that it starts afterwards has it too; on Windows
/// threads do not inherit it, so those of ONNX Runtime keep the usual one.
///
/// Raising the priority again needs privileges. If the system refuses, the priority does not change.
pub fn lower_priority() {
    if let Err(error) = ThreadPriority::Min.set_for_current() {
        tracing::debug!(?error, "cannot lower priority");
    }
}

/// Returns how many threads indexing may use: all cores but one, at least 1.
pub fn indexing_threads() -> usize {
    available_parallelism()
        .map_or(1, |cores| cores.get().saturating_sub(1))
        .max(1)
}

/// Checks on Linux that a thread, and one that it starts, run at the lowest priority.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{fs, thread};

    use super::*;

    /// Returns the current thread's nice value: field 19 of its line, after a name that may contain blanks.
    fn nice() -> i32 {
        let line =
            fs::read_to_string("/proc/thread-self/stat").expect("Linux describes every thread");
        let (_, fields) = line.rsplit_once(')').expect("the name stands in brackets");
        fields
            .split_whitespace()
            .nth(16)
            .expect("the field is there")
            .parse()
            .expect("it is a number")
    }

    #[test]
    fn a_polite_thread_starts_polite_threads() {
        let found = thread::spawn(|| {
            lower_priority();
            (
                nice(),
                thread::spawn(nice).join().expect("it does not panic"),
            )
        });
        assert_eq!(found.join().expect("it does not panic"), (19, 19));
    }

    #[test]
    fn there_is_always_a_thread_to_index_with() {
        assert!(indexing_threads() >= 1);
    }
}
