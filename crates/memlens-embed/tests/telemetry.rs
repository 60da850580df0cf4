//! The library is not loaded if it would report its use.
//!
//! In a file of its own, because the environment belongs to the process.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use memlens_embed::{Bundled, EmbedError, Locations};

const VARIABLE: &str = "ORT_DISABLE_TELEMETRY";
/// Makes this program try to load the model.
const LOAD: &str = "MEMLENS_TEST_LOAD";
/// Exit codes of that program.
const LOADED: i32 = 0;
const REFUSED: i32 = 7;
const OTHER: i32 = 8;

#[test]
fn a_library_that_would_report_is_not_loaded() {
    if env::var_os(LOAD).is_some() {
        return load();
    }
    let home = tempfile::tempdir().expect("a scratch folder can be made");
    let tried = |value: Option<&str>| {
        let mut this = Command::new(env::current_exe().expect("this program has a path"));
        this.args(["--exact", "a_library_that_would_report_is_not_loaded"])
            .env(LOAD, "1")
            .env("HOME", home.path())
            .env("XDG_CACHE_HOME", home.path().join("cache"));
        match value {
            Some(value) => this.env(VARIABLE, value),
            None => this.env_remove(VARIABLE),
        };
        let output = this.output().expect("it can be started");
        output.status.code()
    };
    for value in [None, Some(""), Some("0"), Some("no")] {
        assert_eq!(tried(value), Some(REFUSED), "{value:?}");
    }
    assert_eq!(tried(Some("1")), Some(LOADED));
    // Loaded or refused, it left nothing behind: no id of this machine, no reports to send.
    let left: Vec<_> = fs::read_dir(home.path())
        .expect("it is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    assert_eq!(left, [] as [&Path; 0]);
}

fn load() {
    let at = Locations::find(&[]).expect("`cargo xtask setup` was run");
    std::process::exit(match Bundled::load(&at, 1) {
        Ok(_) => LOADED,
        Err(EmbedError::Telemetry) => REFUSED,
        Err(_) => OTHER,
    });
}
