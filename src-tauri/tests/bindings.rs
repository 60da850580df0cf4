//! The committed bindings are those of the Rust types.

use std::path::Path;

#[test]
fn the_bindings_are_up_to_date() {
    let dir = tempfile::tempdir().unwrap();
    let fresh = dir.path().join("bindings.ts");
    memlens_app::write_bindings(&fresh).unwrap();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/api/bindings.ts");
    assert_eq!(
        std::fs::read_to_string(&fresh).unwrap(),
        std::fs::read_to_string(&committed).unwrap(),
        "run `cargo xtask codegen`"
    );
}
