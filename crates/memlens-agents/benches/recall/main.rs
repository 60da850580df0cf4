//! How fast logs of 10,000 sessions are read, and in how much memory.
//!
//! Run by `cargo xtask bench`, alone by `cargo bench --profile dev --workspace --bench recall`. Prints one series a line as JSON.

mod sessions;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use memlens_agents::{Batch, Home, Keeper, PastQuestion, logs, read_log};
use serde_json::json;

use crate::sessions::KINDS;

/// Sessions of each kind, 10,000 in all.
const SESSIONS: [usize; KINDS.len()] = [2500, 1000, 3000, 2000, 500, 1000];
/// About 90 KB of transcript a session.
const TURNS: usize = 36;

/// A keeper that only counts the questions it receives.
struct Counting(u64);

impl Keeper for Counting {
    fn known(&mut self, _agent: &str, _session: &str) -> Vec<PastQuestion> {
        Vec::new()
    }

    fn keep(&mut self, batch: Batch) -> ControlFlow<()> {
        self.0 += batch.questions.len() as u64;
        ControlFlow::Continue(())
    }

    fn copies(&self) -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("copies")
    }
}

fn main() {
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let (mut n_bytes, mut seconds) = (0.0, 0.0);
    for (kind, n_sessions) in KINDS.into_iter().zip(SESSIONS) {
        let root = scratch.path().join(format!("{kind:?}"));
        fs::create_dir(&root).expect("it can be made");
        let written = sessions::write(&root, kind, n_sessions, TURNS);
        let home = Home::new(&root);
        let mut keeper = Counting(0);
        let started = Instant::now();
        for log in logs(&home) {
            read_log(&log, &home, None, &mut keeper).expect("it can be read");
        }
        let took = started.elapsed().as_secs_f64();
        let note = format!("{n_sessions} sessions, {} questions", written.n_questions);
        assert!(
            keeper.0 >= written.n_questions,
            "{kind:?}: {note}, {} reported",
            keeper.0
        );
        let megabytes = written.n_bytes as f64 / 1e6;
        print(
            &format!("import of {kind:?}"),
            "MB/s",
            &note,
            megabytes / took,
        );
        n_bytes += megabytes;
        seconds += took;
        fs::remove_dir_all(&root).expect("it can be removed");
    }
    let note = format!("{n_bytes:.0} MB of transcript, one thread");
    print(
        "import of 10,000 sessions",
        "MB/s",
        &note,
        n_bytes / seconds,
    );
    if let Some(peak) = peak_memory() {
        let note = "the whole program, made-up sessions included";
        print("peak memory of an import", "MB", note, peak);
    }
}

fn print(name: &str, unit: &str, note: &str, sample: f64) {
    println!(
        "{}",
        json!({"name": name, "unit": unit, "note": note, "samples": [sample]})
    );
}

/// Peak memory of this process in MB; only Linux reports it.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1000.0)
}
