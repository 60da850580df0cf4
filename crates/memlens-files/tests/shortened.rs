//! A mapping whose file is shortened while it is read, in a process of its own, because a fault would end it.
//!
//! Properties checked: at whatever length and time, the reader reads to the end, finds the written bytes or zeros, and
//! detects it; any other fault ends the process as usual.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::sync::Barrier;
use std::thread;

use memlens_files::{map_own, n_faults};

/// Set in the process that reads.
const AGAIN: &str = "MEMLENS_TEST_SHORTENED";
const N_BYTES: u64 = 300_001;

/// Runs a test of this file in a process of its own.
fn alone(test: &str) -> Output {
    Command::new(std::env::current_exe().expect("it is known"))
        .args(["--exact", test, "--nocapture"])
        .env(AGAIN, "1")
        .output()
        .expect("it can be started")
}

#[test]
fn a_file_that_is_shortened_while_it_is_read_does_not_end_the_process() {
    if std::env::var_os(AGAIN).is_none() {
        let output = alone("a_file_that_is_shortened_while_it_is_read_does_not_end_the_process");
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let path = dir.path().join("list");
    let other = dir.path().join("other");
    fs::write(&other, vec![5; N_BYTES as usize]).expect("it can be written");
    let open = File::open(&other).expect("it is there");
    let whole = map_own(open, N_BYTES, 0).expect("it can be mapped");
    for left in [0, 1, 4_096, 4_097, 150_000, N_BYTES - 1] {
        fs::write(&path, vec![7; N_BYTES as usize]).expect("it can be written");
        let open = File::open(&path).expect("it is there");
        let mapped = map_own(open, N_BYTES, 0).expect("it can be mapped");
        let before = n_faults();
        let start = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..10 {
                        // What is read stays what was written, or is nothing.
                        assert!(mapped.iter().all(|byte| [7, 0].contains(byte)), "{left}");
                    }
                });
            }
            scope.spawn(|| {
                start.wait();
                let cut = File::options().write(true).open(&path).expect("it is ours");
                cut.set_len(left).expect("it can be shortened");
            });
        });
        assert!(mapped.iter().all(|byte| [7, 0].contains(byte)), "{left}");
        assert!(!mapped.is_whole(), "{left}");
        // The end of a page that is still there reads as zeros and is no fault.
        let is_page_gone = left < N_BYTES / 4_096 * 4_096;
        assert_eq!(n_faults() > before, is_page_gone, "{left}");
        // It stays marked, even if the file is filled up again.
        fs::write(&path, vec![7; N_BYTES as usize]).expect("it can be written");
        assert_eq!(mapped.is_whole(), !is_page_gone, "{left}");
        assert!(whole.is_whole() && whole.iter().all(|byte| *byte == 5));
    }
}

#[test]
fn a_fault_elsewhere_ends_the_process_as_ever() {
    if std::env::var_os(AGAIN).is_none() {
        let output = alone("a_fault_elsewhere_ends_the_process_as_ever");
        assert_eq!(output.status.signal(), Some(libc::SIGBUS), "{output:?}");
        return;
    }
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let path = dir.path().join("list");
    fs::write(&path, vec![7; N_BYTES as usize]).expect("it can be written");
    let open = || File::open(&path).expect("it is there");
    let protected = map_own(open(), N_BYTES, 0).expect("it can be mapped");
    // SAFETY: It is about to be shortened, and this process to end by reading it.
    #[allow(unsafe_code)]
    let not_ours = unsafe { memmap2::Mmap::map(&open()) }.expect("it can be mapped");
    let cut = File::options().write(true).open(&path).expect("it is ours");
    cut.set_len(0).expect("it can be shortened");
    assert_eq!(protected.last(), Some(&0), "a missing page reads as zeros");
    println!("{:?}", not_ours.last());
}
