//! Another user of the same machine, who looks into everything that the program makes.
//!
//! Properties checked: whatever the umask, each file and folder that any command makes on its own is its user's alone, temporary files and backups
//! included; a config that is replaced keeps its mode; a library of another user is not opened.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::memlens::text;

const NOBODY: u32 = 65_534;
/// Occurs in the note, in each question and in the log.
const SECRET: &str = "zanzibar4711";
const CONFIG: &str = "{\n  meta: {lastTouchedVersion: '2026.9.6'},\n}\n";

/// A home folder that everybody may look into, with all that the program uses below it.
struct Machine {
    root: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let machine = Machine {
            root: tempfile::tempdir().expect("a scratch folder can be made"),
        };
        for folder in ["home/.openclaw", "tmp", "notes", "out"] {
            fs::create_dir_all(machine.at(folder)).expect("it can be made");
        }
        for folder in ["", "home", "home/.openclaw", "tmp", "out"] {
            set_mode(&machine.at(folder), 0o755);
        }
        let note = machine.at("notes/hall.md");
        fs::write(&note, format!("The {SECRET} router stands in the hall.\n"))
            .expect("it can be written");
        set_mode(&note, 0o600);
        set_mode(&machine.at("notes"), 0o700);
        let config = machine.at("home/.openclaw/openclaw.json");
        fs::write(&config, CONFIG).expect("it can be written");
        set_mode(&config, 0o640);
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// The program with a umask that opens every file to everybody.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "umask 0 && exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_memlens"))
            .arg("--library")
            .arg(self.at("library"))
            .args(arguments)
            .current_dir(self.at("out"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.at("home"))
            .env("TMPDIR", self.at("tmp"))
            .stdin(Stdio::null());
        for name in ["ORT_DYLIB_PATH", "MEMLENS_MODELS", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("it can be started");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("it prints UTF-8")
    }

    /// Every path below the root with its mode and when it was changed.
    fn all(&self) -> BTreeMap<PathBuf, (u32, i64, u64)> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.root.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                let found = path.symlink_metadata().expect("it is there");
                if found.is_dir() {
                    folders.push(path.clone());
                }
                let state = (found.mode() & 0o777, found.mtime_nsec(), found.ino());
                all.insert(path, state);
            }
        }
        all
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

/// What another user reads of all below a folder; `None` if this process cannot become one.
fn read_by_nobody(root: &Path) -> Option<String> {
    let output = Command::new("sh")
        .args([
            "-c",
            "find \"$0\" -print -type f -exec cat {} + 2>/dev/null; true",
        ])
        .arg(root)
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir("/")
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn another_user_finds_nothing_in_what_the_program_makes() {
    let machine = Machine::new();
    let before = machine.all();
    let question = format!("where is the {SECRET} router");
    machine.run(&["index", text(&machine.at("notes"))]);
    for arguments in [
        &["search", &question, "--set", "rerank=late"][..],
        &["questions", "add", &question],
        &["feedback", "--add", "up", &question, "hall.md:1"],
        &["recall", "import", "--yes"],
        &["emulate", &question, "--agent", "openclaw@2026.9"],
        &[
            "export",
            "--set",
            "max_results=8",
            "--target",
            "openclaw",
            "--write",
        ],
        &["status", "--json"],
    ] {
        machine.run(arguments);
    }
    let made: Vec<(PathBuf, u32)> = machine
        .all()
        .into_iter()
        .filter(|(path, state)| before.get(path) != Some(state))
        .map(|(path, (mode, ..))| (path, mode))
        .collect();
    let is_config = |path: &Path| path.starts_with(machine.at("home/.openclaw"));
    let of_config = made.iter().filter(|(path, _)| is_config(path));
    // The folder, the config and its backup: each as open as before.
    let of_config: Vec<u32> = of_config.map(|(_, mode)| *mode).collect();
    assert!(of_config.contains(&0o640), "{made:?}");
    assert!(
        of_config.iter().all(|mode| [0o640, 0o755].contains(mode)),
        "{made:?}"
    );
    let known = [machine.at("home"), machine.at("tmp"), machine.at("out")];
    let open: Vec<&(PathBuf, u32)> = made
        .iter()
        .filter(|(path, mode)| mode & 0o077 != 0 && !is_config(path) && !known.contains(path))
        .collect();
    assert!(open.is_empty(), "{open:?}");
    assert!(
        made.iter()
            .any(|(path, _)| path.ends_with("library.sqlite"))
    );
    if let Some(read) = read_by_nobody(machine.root.path()) {
        assert!(read.contains("openclaw.json"), "{read}");
        assert!(!read.contains(SECRET), "{read}");
        assert!(!read.contains("library.sqlite\n"), "{read}");
    }
}

#[test]
fn a_library_of_another_user_is_opened_only_if_it_is_allowed() {
    let machine = Machine::new();
    machine.run(&["index", text(&machine.at("notes"))]);
    let library = machine.at("library");
    if chown(&library, Some(NOBODY), None).is_err() {
        // Only the superuser can give a folder away.
        return;
    }
    for arguments in [&["search", "router"][..], &["index"], &["erase", "--yes"]] {
        let output = machine.command(arguments).output().expect("it runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {err}");
        let expected = format!(
            "cannot open library {}: it, or a file in it, belongs to another user, ",
            library.display()
        );
        assert!(err.contains(&expected), "{arguments:?}: {err}");
        assert!(err.contains("65534"), "{arguments:?}: {err}");
    }
    let allowed = machine
        .command(&["search", "router"])
        .env("MEMLENS_SAFE_LIBRARIES", &library)
        .output()
        .expect("it runs");
    assert!(allowed.status.success(), "{allowed:?}");
}
