//! A program that dies while it writes an agent's config leaves the config whole, old or new, and a whole backup.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use memlens_tests::Notes;

use crate::memlens::{AtHome, Memlens, text};

const N_KILLS: u32 = 12;
const BETWEEN: Duration = Duration::from_micros(500);
/// The length of the config, in the blocks of `ulimit -f`.
const N_BLOCKS: usize = 600;
const BLOCK: usize = 512;
const ARGUMENTS: [&str; 8] = [
    "export",
    "--target",
    "openclaw",
    "--set",
    "min_score=0.2",
    "--set",
    "max_results=12",
    "--write",
];

/// Returns a config of `N_BLOCKS` blocks. The new config is longer.
fn old_text() -> String {
    let settings =
        "{memory: {search: {query: {minScore: 0.35}}}, meta: {lastTouchedVersion: '2026.9.6'}}\n";
    let remark = "r".repeat(N_BLOCKS * BLOCK - settings.len() - "// \n".len());
    format!("// {remark}\n{settings}")
}

/// Runs the export and lets the system end it when one of its files grows beyond `n_blocks`.
fn die_at(home: &AtHome<'_>, n_blocks: usize) {
    let inner = home.command(&ARGUMENTS);
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -f {n_blocks}; exec \"$@\""), "sh"]);
    limited.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let output = limited.output().expect("it can be started");
    assert_eq!(output.status.code(), None, "a signal ends it: {output:?}");
}

/// Kills the process `delay` after it made its first file in the folder.
fn kill_after(home: &AtHome<'_>, folder: &Path, delay: Duration) {
    let n_files = || fs::read_dir(folder).expect("it is there").count();
    let mut child = home.command(&ARGUMENTS).spawn().expect("it can be started");
    loop {
        let ended = child.try_wait().expect("it can be asked");
        if n_files() > 1 {
            break;
        }
        assert_eq!(ended, None, "it makes a file before it ends");
    }
    sleep(delay);
    // The process may have ended already.
    let _ = child.kill();
    child.wait().expect("it ends");
}

/// Checks that all files left by a killed process are whole. Returns whether the config is the new one. The new text
/// has the backup's name until the two files are exchanged.
fn check_whole(folder: &Path, old: &str, new: &str) -> bool {
    let is_new = fs::read(folder.join("openclaw.json")).expect("it is there") == new.as_bytes();
    let mut has_backup = false;
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("it is an entry").path();
        let held = fs::read_to_string(&path).expect("it can be read");
        let name = text(path.strip_prefix(folder).expect("it lies there"));
        let said = format!("{name}: {} of {} bytes", held.len(), old.len());
        if name.ends_with(".bak") {
            assert!(held == old || held == new && !is_new, "{said}");
            has_backup |= held == old;
        } else if name == "openclaw.json" {
            assert!(held == old || held == new, "{said}");
        } else {
            // A partly written file has a temporary name.
            assert!(
                name.starts_with(".memlens-") && name.ends_with(".part"),
                "{said}"
            );
        }
    }
    assert!(has_backup || !is_new, "what is replaced is kept first");
    is_new
}

#[test]
fn a_killed_write_leaves_whole_configs() {
    let old = old_text();
    let home = Notes::new(&[(".openclaw/openclaw.json", old.as_str())]);
    let memlens = Memlens::of(&[]);
    let home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let folder = home.home.path().join(".openclaw");
    let config = folder.join("openclaw.json");
    let write = || {
        let (status, _, err) = home.run(&ARGUMENTS);
        assert_eq!(status, Some(0), "{err}");
        fs::read_to_string(&config).expect("it is there")
    };
    let new = write();
    assert!(new.len() > old.len(), "{} bytes", new.len());
    let reset = || {
        fs::remove_dir_all(&folder).expect("it is ours");
        fs::create_dir(&folder).expect("it can be made");
        fs::write(&config, &old).expect("it can be written");
    };

    // It dies within the backup, and within the new config after the backup is complete.
    for n_blocks in [N_BLOCKS / 2, N_BLOCKS] {
        reset();
        die_at(&home, n_blocks);
        assert!(!check_whole(&folder, &old, &new), "it died before its end");
    }
    let mut n_new = 0;
    for kill in 0..N_KILLS {
        reset();
        kill_after(&home, &folder, BETWEEN * kill);
        n_new += u32::from(check_whole(&folder, &old, &new));
    }
    println!("{n_new} of {N_KILLS} kills left the new config");

    // Leftover files do not prevent the next export.
    fs::write(&config, &old).expect("it can be written");
    assert!(write() == new, "the next run writes it");
}
