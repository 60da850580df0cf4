//! `kill -9` at random moments of indexing, saving and rebuilding the lists: the next start finds a sound library and
//! embeds only what is missing.
//!
//! The engine's tests measure how much a kill may lose, at every moment. Here real processes die at random moments,
//! drawn from a fixed seed. `MEMLENS_TEST_KILLS=100` makes at least 100 of them die.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use memlens_store::{Store, StoreError};
use memlens_tests::{Content, Notes, content};
use serde_json::Value;

use crate::memlens::{Memlens, text};

/// The number of kills while most texts are still to be embedded, while only documents and lists are to be written, and
/// while the lists are rebuilt.
const KILLS_EMBEDDING: u32 = 8;
const KILLS_COMMITTING: u32 = 4;
const KILLS_REBUILDING: u32 = 3;
/// The variable with the least number of kills; if it is not set, the numbers above are used once.
const KILLS: &str = "MEMLENS_TEST_KILLS";
const SEED: u64 = 0x5eed;
const STOPPED: &str = "memlens: stopped; finished work is kept, run it again to continue\n";

/// Returns a generator of numbers in `[0, 1)`: a linear congruential generator. Source: Knuth, MMIX.
fn random() -> impl FnMut() -> f64 {
    let mut state = SEED;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

pub fn notes() -> Notes {
    let notes = Notes::new(&[]);
    for number in 0..20 {
        let sections: String = (0..6)
            .map(|section| {
                format!("## Part {section}\n\nRelay {section} of hall {number} is quiet.\n\n")
            })
            .collect();
        notes.write(&format!("note-{number}.md"), sections);
    }
    notes
}

/// Starts indexing and kills the process after `delay`.
fn kill_index(memlens: &Memlens, notes: &Notes, delay: Duration) {
    let mut child = memlens
        .command(&["index", text(notes.path())])
        .spawn()
        .expect("it can be started");
    sleep(delay);
    // The process may have ended already.
    let _ = child.kill();
    child.wait().expect("it ends");
}

pub fn n_saved(library: &Path) -> u64 {
    match Store::open_read_only(library) {
        Ok(store) => store.n_embeddings().expect("they can be counted"),
        Err(StoreError::Missing { .. }) => 0,
        Err(error) => panic!("{error}"),
    }
}

/// Checks that a library left by a killed process can be searched, or that there is none yet.
pub fn check_sound(memlens: &Memlens, notes: &Notes) {
    let search = memlens.run(&["search", "quiet relay of hall 7", "--json"]);
    let status = memlens.run(&["status", "--json"]);
    if search.status == 0 {
        let report: Value = serde_json::from_str(&search.out).expect("it is JSON");
        for row in report["results"].as_array().expect("it is a list") {
            assert_eq!(row["folder"], text(notes.path()));
        }
        assert_eq!(
            (status.status, status.err.as_str()),
            (0, ""),
            "what was torn was repaired: {status:?}"
        );
    } else {
        let missing = format!(
            "memlens: there is no library in {}: index a folder first\n",
            memlens.library().display()
        );
        assert_eq!(
            (search.status, status.status),
            (1, 1),
            "{search:?} {status:?}"
        );
        assert_eq!((&search.err, &status.err), (&missing, &missing));
    }
}

/// Checks that the library has the same content and answers as a fresh library of the same notes.
pub fn check_equals_fresh(memlens: &Memlens, notes: &Notes) {
    let fresh_library = Memlens::of(&[notes]);
    let [found, expected]: [(Content, Value); 2] = [memlens, &fresh_library].map(|memlens| {
        let store = Store::open_read_only(memlens.library()).expect("it can be read");
        let mut report = memlens.json(&["search", "quiet relay of hall 7", "--json"]);
        for stage in report["stages"].as_array_mut().expect("it is a list") {
            stage["ms"].take();
        }
        (content(&store), report)
    });
    assert_eq!(found, expected);
}

/// Checks that Ctrl+C, `delay` after the start, keeps finished work and reports it.
fn check_stopped(notes: &Notes, delay: Duration, n_texts: u64) {
    let memlens = Memlens::new();
    let child = memlens
        .command(&["index", text(notes.path())])
        .spawn()
        .expect("it can be started");
    sleep(delay);
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(1) => assert_eq!(said, STOPPED),
        // The process had ended before, or had not begun to handle Ctrl+C.
        code => assert!(code.is_none_or(|code| code == 0), "{code:?}: {said}"),
    }
    let n_before = n_saved(memlens.library());
    let report = memlens.json(&["index", text(notes.path()), "--json"]);
    assert_eq!(report["n_embedded"].as_u64(), Some(n_texts - n_before));
    check_equals_fresh(&memlens, notes);
}

/// Sends Ctrl+C to a process.
fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("it can be sent");
    assert!(sent.success(), "it is not waited for yet");
}

/// Returns whether a process handles Ctrl+C itself.
#[cfg(target_os = "linux")]
fn listens(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.expect("it is not waited for yet");
    let mut caught = status
        .lines()
        .filter_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught
        .next()
        .map(|mask| u64::from_str_radix(mask.trim(), 16));
    // SIGINT is the second signal.
    caught.is_some_and(|mask| mask.is_ok_and(|mask| mask & 0b10 != 0))
}

#[cfg(target_os = "linux")]
#[test]
fn a_walk_is_stopped_by_ctrl_c() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    // A walk that is not stopped reports the link.
    std::os::unix::fs::symlink(notes.at("a.md"), notes.at("link.md")).expect("it can be made");
    let memlens = Memlens::new();
    let mut child = memlens
        .command(&["index", text(notes.path())])
        .spawn()
        .expect("it can be started");
    while !listens(&child) {
        let ended = child.try_wait().expect("it can be asked");
        assert_eq!(ended, None, "it listens first");
        sleep(Duration::from_millis(1));
    }
    // The process still has to load its model before the walk.
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*said), (Some(1), STOPPED));
    let store = Store::open_read_only(memlens.library()).expect("it had begun");
    assert_eq!(store.problems().expect("they can be read"), []);
    drop(store);
    let report = memlens.json(&["index", "--json"]);
    assert_eq!(report["problems"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_killed_index_is_taken_up_where_it_stood() {
    let notes = notes();
    let started = Instant::now();
    let fresh_library = Memlens::new();
    let n_texts = fresh_library.json(&["index", text(notes.path()), "--json"])["n_embedded"]
        .as_u64()
        .expect("it is a count");
    let whole = started.elapsed();
    assert!(
        n_texts > 100,
        "{n_texts} texts are too few to be interrupted"
    );

    check_stopped(&notes, whole.mul_f64(0.5), n_texts);
    let mut random = random();
    let n_kills: u32 = std::env::var(KILLS).map_or(1, |text| text.parse().expect("it is a number"));
    for _ in 0..n_kills.div_ceil(KILLS_EMBEDDING + KILLS_COMMITTING + KILLS_REBUILDING) {
        check_kills(whole, n_texts, &mut random);
    }
}

/// Kills processes at random moments while they index `n_texts` texts; indexing all of them takes `whole`.
fn check_kills(whole: Duration, n_texts: u64, random: &mut impl FnMut() -> f64) {
    let notes = notes();
    let memlens = Memlens::new();
    let mut n_before = 0;
    for _ in 0..KILLS_EMBEDDING {
        // The first kills are often too early for any progress, the last ones after the end of the work.
        kill_index(&memlens, &notes, whole.mul_f64(0.5 * random()));
        let n_after = n_saved(memlens.library());
        assert!(
            n_after >= n_before,
            "{n_before} were saved and {n_after} are left"
        );
        println!("{n_after} of {n_texts} texts are saved");
        n_before = n_after;
        check_sound(&memlens, &notes);
    }
    let report = memlens.json(&["index", text(notes.path()), "--json"]);
    assert_eq!(
        report["n_embedded"].as_u64(),
        Some(n_texts - n_before),
        "what is missing and no more"
    );
    assert_eq!(n_saved(memlens.library()), n_texts);
    check_equals_fresh(&memlens, &notes);

    // The texts are the same under new names, so only documents and lists are written.
    for round in 0..KILLS_COMMITTING {
        for number in 0..20 {
            let from = if round == 0 {
                format!("note-{number}.md")
            } else {
                format!("{}/note-{number}.md", round - 1)
            };
            notes.rename(&from, &format!("{round}/note-{number}.md"));
        }
        kill_index(&memlens, &notes, whole.mul_f64(0.3 * random()));
        assert_eq!(n_saved(memlens.library()), n_texts);
        check_sound(&memlens, &notes);
    }
    let report = memlens.json(&["index", text(notes.path()), "--json"]);
    assert_eq!(report["n_embedded"], 0);
    check_equals_fresh(&memlens, &notes);
    // The notes are unchanged, but the lists are gone.
    for _ in 0..KILLS_REBUILDING {
        for list in ["text", "vectors"] {
            fs::remove_dir_all(memlens.library().join(list)).expect("it is there");
        }
        kill_index(&memlens, &notes, whole.mul_f64(0.3 * random()));
        assert_eq!(n_saved(memlens.library()), n_texts);
        // A list is used if it was complete, or else rebuilt, and a rebuild is reported.
        let search = memlens.run(&["search", "quiet relay of hall 7", "--json"]);
        assert_eq!(search.status, 0, "{search:?}");
        check_sound(&memlens, &notes);
    }
    check_equals_fresh(&memlens, &notes);
}
