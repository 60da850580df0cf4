//! Runs a test as a user without access to closed files. The superuser has access to everything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// The user id of a user that owns no files.
const NOBODY: u32 = 65534;

/// Returns whether a file without permissions is closed to this process.
///
/// # Panics
/// If no scratch file can be made. The other function panics then too.
pub fn is_another_user() -> bool {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let closed = dir.path().join("closed");
    fs::write(&closed, "").expect("it can be written");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("it is ours");
    fs::read(&closed).is_err()
}

/// Runs a test of this program as another user, and checks that it passes.
pub fn run_as_another_user(test: &str) {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let (program, dir) = (scratch.path().join("tests"), scratch.path().join("tmp"));
    fs::copy(running(), &program).expect("a copy that others reach can be made");
    fs::create_dir(&dir).expect("a folder can be made");
    for (path, mode) in [(scratch.path(), 0o755), (&dir, 0o777), (&program, 0o755)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }
    let output = Command::new(&program)
        .args(["--exact", test])
        .env("TMPDIR", &dir)
        .current_dir(scratch.path())
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .expect("it can be started");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(
        output.status.success() && out.contains("1 passed"),
        "{out}{err}"
    );
}

/// Returns a path of the running program, also if a build has replaced it meanwhile.
fn running() -> PathBuf {
    let itself = PathBuf::from("/proc/self/exe");
    if itself.exists() {
        return itself;
    }
    std::env::current_exe().expect("this program has a path")
}
