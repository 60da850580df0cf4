//! The committed bindings are those of the Rust types, and the style sheets know their hues.

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

#[test]
fn every_hue_of_a_stage_has_its_styles() {
    let styles = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/styles");
        std::fs::read_to_string(path.join(name)).unwrap()
    };
    let (tokens, search) = (styles("tokens.css"), styles("search.css"));
    for it in memlens_engine::stage_looks() {
        let hue = serde_json::to_value(it.look.hue).unwrap();
        let hue = hue.as_str().unwrap();
        for expected in [
            format!("  --{hue}: light-dark("),
            format!("\n.{hue} {{\n  --hue: var(--{hue});\n}}"),
        ] {
            assert!(tokens.contains(&expected), "{hue}: {expected}");
        }
        // The neutral hue does not light up.
        let lit = format!(".grid[data-lit=\"{hue}\"]");
        assert!(hue == "cut" || search.contains(&lit), "{hue}: {lit}");
    }
}
