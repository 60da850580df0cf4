//! Libraries that cannot be loaded give an error with the reason, never a panic.
//!
//! In a file of its own: once a process has loaded a library, it does not search for another.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use memlens_embed::{Bundled, EmbedError, Locations};

/// Tries to load `runtime` and returns the error message.
fn refusal(runtime: &Path) -> String {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("model");
    match Bundled::load(
        &Locations {
            runtime: runtime.to_owned(),
            model,
        },
        1,
    ) {
        Err(EmbedError::LoadRuntime { path, why, .. }) => {
            assert!(path.is_absolute(), "{}", path.display());
            why
        }
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("{} was loaded", runtime.display()),
    }
}

/// Compiles `source` to a library of the system's kind.
fn compile(folder: &Path, source: &str) -> PathBuf {
    let (file, library) = (folder.join("other.rs"), folder.join("other.library"));
    fs::write(&file, source).expect("it can be written");
    let rustc = option_env!("RUSTC").unwrap_or("rustc");
    let done = Command::new(rustc)
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "cdylib",
            "-C",
            "panic=abort",
            "-o",
        ])
        .args([&library, &file])
        .status()
        .expect("the compiler can be run");
    assert!(done.success());
    library
}

#[test]
fn a_missing_file() {
    let why = refusal(Path::new("no/such/libonnxruntime.so"));
    assert!(why.contains("no/such"), "{why}");
}

#[test]
fn a_file_that_is_no_library() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let file = scratch.path().join("libonnxruntime.so");
    for content in [
        &b""[..],
        b"not a library",
        &[0x7f, b'E', b'L', b'F', 2, 1, 1, 0],
    ] {
        fs::write(&file, content).expect("it can be written");
        assert!(refusal(&file).contains("libonnxruntime.so"));
    }
}

#[test]
fn another_library() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let library = compile(
        scratch.path(),
        "#[unsafe(no_mangle)] pub extern \"C\" fn other() {}",
    );
    let why = refusal(&library);
    assert!(why.contains("does not export"), "{why}");
}

#[test]
fn an_older_library() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let source = r#"
        use std::ffi::{c_char, c_void};
        #[repr(C)]
        pub struct Base { api: extern "C" fn(u32) -> *const c_void, version: extern "C" fn() -> *const c_char }
        extern "C" fn api(_: u32) -> *const c_void { std::ptr::null() }
        extern "C" fn version() -> *const c_char { c"1.23.2".as_ptr() }
        static BASE: Base = Base { api, version };
        #[unsafe(no_mangle)]
        pub extern "C" fn OrtGetApiBase() -> *const Base { &BASE }
    "#;
    let why = refusal(&compile(scratch.path(), source));
    assert!(
        why.contains("1.23.2") && why.contains("expected version"),
        "{why}"
    );
}
