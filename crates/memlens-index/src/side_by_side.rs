//! Work in several threads at once.

use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread;

/// Maximum number of threads; with more, the memory bandwidth is the limit.
const THREADS_MAX: usize = 4;
/// Starting a thread takes as long as comparing this many vectors.
const PART_MIN: usize = 10_000;

/// Returns how many of `n` items each thread gets: at least 10,000, so that small work is one part.
pub fn part_len(n: usize) -> usize {
    // Queried once, and not for small work, which takes less time than the system call.
    static N_THREADS: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, |n| n.get().min(THREADS_MAX)));
    if n <= PART_MIN {
        return PART_MIN;
    }
    n.div_ceil(*N_THREADS).max(PART_MIN)
}

/// Returns the result of `work` for each part, in the order of parts. Each part has its own thread, except the last,
/// which runs in this one.
///
/// # Panics
/// If `work` panics.
pub fn side_by_side<Part: Send, Done: Send>(
    parts: impl IntoIterator<Item = Part>,
    work: impl Fn(Part) -> Done + Sync,
) -> Vec<Done> {
    let mut parts: Vec<Part> = parts.into_iter().collect();
    let Some(last) = parts.pop() else {
        return Vec::new();
    };
    thread::scope(|scope| {
        let work = &work;
        let others = parts
            .into_iter()
            .map(|part| scope.spawn(move || work(part)));
        let others: Vec<_> = others.collect();
        let last = work(last);
        let others = others.into_iter().map(|other| other.join());
        let others = others.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)));
        let mut done: Vec<Done> = others.collect();
        done.push(last);
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_done_in_order() {
        for n in [0, 1, PART_MIN - 1, PART_MIN, PART_MIN + 1, 1_000_003] {
            let numbers: Vec<usize> = (0..n).collect();
            let parts = numbers.chunks(part_len(n));
            assert!(parts.len() <= THREADS_MAX);
            let done = side_by_side(parts, <[usize]>::to_vec);
            assert_eq!(done.concat(), numbers);
        }
    }
}
