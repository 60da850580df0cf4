//! A full disk whose blocks are smaller than a page of memory.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use memlens_tests::Notes;

use crate::memlens::text;

/// A disk of a few megabytes with blocks smaller than a page of memory.
struct SmallDisk {
    dir: tempfile::TempDir,
}

impl SmallDisk {
    /// `None` if this process may not mount one.
    fn new() -> Option<SmallDisk> {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let image = dir.path().join("image");
        let file = fs::File::create(&image).expect("it can be made");
        file.set_len(6 << 20).expect("it can be sparse");
        let disk = SmallDisk { dir };
        fs::create_dir(disk.path()).expect("it can be made");
        let is_done = |command: &mut Command| {
            let output = command.output();
            output.is_ok_and(|output| output.status.success())
        };
        let is_made = is_done(
            Command::new("mkfs.ext4")
                .args(["-q", "-b", "1024"])
                .arg(&image),
        );
        let mut mount = Command::new("mount");
        let is_mounted = is_done(mount.args(["-o", "loop"]).arg(&image).arg(disk.path()));
        (is_made && is_mounted).then_some(disk)
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("disk")
    }

    /// Fills the disk except for `n_left` bytes.
    fn fill(&self, n_left: usize) {
        let path = self.path().join("filling");
        let _ = fs::remove_file(&path);
        let mut filling = fs::File::create(&path).expect("it can be made");
        while filling.write_all(&[1; 1024]).is_ok() {}
        let n_bytes = filling.metadata().expect("it is open").len();
        let left = n_bytes.saturating_sub(n_left as u64);
        filling.set_len(left).expect("it can be shortened");
        filling.sync_all().expect("it is on the disk");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).output();
    }
}

/// SQLite's shared memory is a file of 32 KiB.
#[test]
fn a_reader_on_a_full_disk_with_small_blocks_ends_with_an_error() {
    let Some(disk) = SmallDisk::new() else {
        eprintln!("skipped: this user may not mount a disk");
        return;
    };
    let library = disk.path().join("library");
    let notes = Notes::new(&[("hall.md", "The router stands in the hall.")]);
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_memlens"))
            .arg("--library")
            .arg(&library)
            .args(arguments)
            .output()
            .expect("it can be started")
    };
    let indexed = run(&["index", text(notes.path())]);
    assert!(indexed.status.success(), "{indexed:?}");
    let mut n_refused = 0;
    for n_left in (0..=64).step_by(4) {
        let _ = fs::remove_file(library.join("library.sqlite-shm"));
        disk.fill(n_left << 10);
        let output = run(&["status"]);
        let err = String::from_utf8_lossy(&output.stderr);
        // No status is a signal.
        match output.status.code() {
            Some(0) => {}
            Some(1) => {
                n_refused += 1;
                assert!(err.starts_with("memlens: cannot "), "{n_left}: {err}");
            }
            other => panic!("{n_left} KiB left: {other:?} {:?} {err}", output.status),
        }
    }
    assert!(n_refused > 0);
    disk.fill(1 << 20);
    assert!(run(&["status"]).status.success());
}
