//! Vectors leave the process's memory shortly after the last search, and the next search finds the same as the last
//! one.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_engine::Engine;
use memlens_params::Params;
use memlens_tests::{Notes, answers, fresh, hashing};

const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

/// Returns how much of the mapped vectors of the library in `dir` is in this process's memory, in KiB.
fn resident_kib(dir: &Path) -> u64 {
    let maps = fs::read_to_string("/proc/self/smaps").expect("Linux describes every mapping");
    let vectors = dir
        .canonicalize()
        .expect("it is there")
        .join("vectors/flat.");
    let mut is_vectors = false;
    maps.lines()
        .filter_map(|line| {
            // The first line of a mapping ends with its file, if it has one. The lines that describe it start with a
            // word and a colon.
            if !line
                .split(' ')
                .next()
                .is_some_and(|word| word.ends_with(':'))
            {
                is_vectors = line.contains(&*vectors.to_string_lossy());
            }
            let rss = line.strip_prefix("Rss:").filter(|_| is_vectors)?;
            rss.trim().trim_end_matches(" kB").parse::<u64>().ok()
        })
        .sum()
}

/// Waits until `is_so` returns true.
fn wait(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(PAUSE);
    }
}

#[test]
fn vectors_rest_between_searches() {
    let lines: String = (0..1000)
        .map(|line| format!("{{\"text\":\"The relay number {line}.\"}}\n"))
        .collect();
    let notes = Notes::new(&[("many.jsonl", &lines)]);
    let dir = fresh(&[notes.path()]);
    let engine = Engine::open(dir.path(), hashing(), Arc::new(|_| {})).expect("it can be opened");
    // The writing thread may still be opening the lists again.
    wait("they rest, since nobody has searched", || {
        resident_kib(dir.path()) == 0
    });
    let search = || answers(engine.library(), &["relay 7"], &Params::default());
    let found = search();
    // On a busy machine they may be at rest again before this looks.
    wait("a search reads them", || {
        search();
        resident_kib(dir.path()) > 0
    });
    wait("they rest", || resident_kib(dir.path()) == 0);
    assert_eq!(search(), found);
}
