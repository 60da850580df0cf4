//! What the page may do: the policy of its content, and exactly the commands in the reviewed snapshot.
//!
//! A new command changes the snapshot, where a reviewer sees it. `INSTA_UPDATE=always cargo test -p memlens-app` writes the
//! snapshot. That the policy is in force in the real window is tested from end to end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// The commands in the table, each with what it touches outside the library.
const COMMANDS: &[(&str, &str)] = {
    macro_rules! window_commands {
        ($($first:ident $(:: $rest:ident)* : $touches:literal,)*) => {
            &[$((stringify!($first $(:: $rest)*), $touches)),*]
        };
    }
    include!("../src/commands/table.rs")
};

/// What the capability grants: to hear events, to stop hearing them, and the commands that the build lists.
const PERMISSIONS: &[&str] = &[
    "core:event:allow-listen",
    "core:event:allow-unlisten",
    "allow-window-commands",
];

/// The policy: the program's own files, data in images, and Tauri's own channel.
const POLICY: &[(&str, &str)] = &[
    ("default-src", "'self'"),
    ("script-src", "'self'"),
    ("style-src", "'self'"),
    ("img-src", "'self' data: blob:"),
    ("font-src", "'self'"),
    ("connect-src", "ipc: http://ipc.localhost"),
    ("object-src", "'none'"),
    ("base-uri", "'none'"),
    ("form-action", "'none'"),
    ("frame-ancestors", "'none'"),
];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn json(path: &str) -> Value {
    let text = fs::read_to_string(here(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn strings(list: &Value) -> BTreeSet<&str> {
    let list = list.as_array().unwrap();
    list.iter().map(|it| it.as_str().unwrap()).collect()
}

#[test]
fn the_policy_lets_in_the_program_alone() {
    let config = json("tauri.conf.json");
    let security = &config["app"]["security"];
    let policy: Vec<(&str, &str)> = security["csp"]
        .as_str()
        .unwrap()
        .split("; ")
        .map(|directive| directive.split_once(' ').unwrap())
        .collect();
    assert_eq!(policy, POLICY);
    // Of Tauri's changes to it only those of styles are off: they would let in styles by a sum, and then no others.
    let unchanged = &security["dangerousDisableAssetCspModification"];
    assert_eq!(strings(unchanged), BTreeSet::from(["style-src"]));
    let set: BTreeSet<&str> = security
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        set,
        BTreeSet::from(["csp", "dangerousDisableAssetCspModification"])
    );
    // No window is made before the program makes its own, and the page gets no global object of Tauri's.
    let app: BTreeSet<&str> = config["app"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(app, BTreeSet::from(["windows", "security"]));
    assert_eq!(config["app"]["windows"], Value::Array(Vec::new()));
}

#[test]
fn the_window_has_one_capability() {
    let capability = json("capabilities/main.json");
    assert_eq!(
        strings(&capability["permissions"]),
        PERMISSIONS.iter().copied().collect()
    );
    assert_eq!(strings(&capability["windows"]), BTreeSet::from(["main"]));
    for wider in ["remote", "webviews", "local"] {
        assert_eq!(capability[wider], Value::Null, "{wider}");
    }
    let files: Vec<_> = fs::read_dir(here("capabilities"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(files, ["main.json"]);
}

/// The commands that the built program allows, by the permissions that Tauri compiled into it.
fn allowed() -> BTreeSet<String> {
    let built = |name: &str| -> Value {
        let text = fs::read_to_string(Path::new(env!("OUT_DIR")).join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    // Exactly the committed capability is compiled in.
    let compiled = built("capabilities.json");
    assert_eq!(compiled.as_object().unwrap().len(), 1);
    assert_eq!(
        compiled["main"]["permissions"],
        json("capabilities/main.json")["permissions"]
    );
    // Without a manifest of its own, every window could call every command.
    let manifest = &built("acl-manifests.json")["__app-acl__"];
    assert_eq!(manifest["default_permission"], Value::Null);
    assert_eq!(manifest["permission_sets"], Value::Object(Map::new()));
    let permissions = manifest["permissions"].as_object().unwrap();
    assert!(permissions.keys().eq(["allow-window-commands"]));
    strings(&permissions["allow-window-commands"]["commands"]["allow"])
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// The commands that the program has handlers for, by its bindings.
fn handled() -> BTreeSet<String> {
    let dir = tempfile::tempdir().unwrap();
    let bindings = dir.path().join("bindings.ts");
    memlens_app::write_bindings(&bindings).unwrap();
    let bindings = fs::read_to_string(&bindings).unwrap();
    bindings
        .match_indices("__TAURI_INVOKE")
        .filter_map(|(at, _)| {
            let (_, rest) = bindings[at..].split_once("(\"")?;
            rest.split_once('"').map(|(name, _)| name.to_owned())
        })
        .collect()
}

#[test]
fn exactly_the_reviewed_commands_can_be_called() {
    let touches: BTreeMap<&str, &str> = COMMANDS
        .iter()
        .map(|(path, touches)| (path.rsplit(':').next().unwrap().trim(), *touches))
        .collect();
    // No two commands share a name.
    assert_eq!(touches.len(), COMMANDS.len());
    let names: BTreeSet<String> = touches.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(allowed(), names);
    assert_eq!(handled(), names);
    let lines: Vec<String> = touches
        .iter()
        .map(|(name, touches)| format!("{name}: {touches}"))
        .collect();
    insta::assert_snapshot!("commands", lines.join("\n"));
}
