//! Runs a test of this program in another process, with another environment.

use std::env;
use std::process::Command;

/// Set in such a process.
const MARK: &str = "MEMLENS_TEST_CHILD";

/// Returns the value that the parent passed; `None` in the parent.
pub fn handed_over() -> Option<String> {
    env::var(MARK).ok()
}

/// Runs the test of that name, including its module, and fails if it fails.
pub fn run(test: &str, handed_over: &str, environment: &[(&str, &str)]) {
    let program = env::current_exe().expect("this program has a path");
    let output = Command::new(program)
        .args(["--exact", test])
        .env(MARK, handed_over)
        .envs(environment.iter().copied())
        .output()
        .expect("this program can be started once more");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
