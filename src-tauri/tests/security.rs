//! What the page may do: the policy of its content, and exactly the commands and permissions that are listed here.
//!
//! A new command must be added to the list below, where it is seen; that the policy is in force in the real window is
//! tested from end to end.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Every command of the window, and what of the outside it touches.
const COMMANDS: &[(&str, &str)] = &[
    ("activity", "nothing"),
    ("add_folder", "reads a folder that a person names"),
    (
        "add_agent",
        "reads the folders of an agent that the program lists",
    ),
    (
        "agents",
        "looks at the places where agents keep their memory",
    ),
    ("agents_loaded", "reads files that agents load"),
    (
        "always_loaded",
        "reads the instruction files of an agent that is watched",
    ),
    (
        "always_text",
        "reads one of the files that a watched agent always loads",
    ),
    ("recall_logs", "looks where agents keep their logs"),
    (
        "import_recall",
        "reads agents' logs, once the person agreed in a dialog",
    ),
    ("recall_progress", "tells a progress"),
    ("stop_recall", "stops a work"),
    ("forget_recall", "forgets past questions"),
    ("set_recall", "writes settings"),
    ("past_questions", "reads the library"),
    ("complete_past", "reads the library"),
    ("autopsy_choices", "reads the library"),
    ("then_now", "searches"),
    ("replay_past", "searches"),
    ("replay_progress", "tells a progress"),
    ("stop_replay", "stops a work"),
    ("past_markdown", "searches"),
    ("trace_text", "reads the library"),
    ("save_trace", "writes to a file that the person chooses"),
    ("rows_copied", "reads the library"),
    (
        "autopsy",
        "searches, and reads files of watched folders and of watched agents",
    ),
    (
        "autopsy_markdown",
        "searches, and reads files of watched folders and of watched agents",
    ),
    ("autopsy_progress", "tells a progress"),
    ("stop_autopsy", "stops a work"),
    (
        "save_past_queries",
        "writes to a file that the person chooses",
    ),
    ("aggregate", "nothing"),
    ("clusters", "nothing"),
    ("data_size", "nothing"),
    ("document", "reads a note in a watched folder"),
    ("erase_all", "empties the library; notes stay"),
    ("feedback", "nothing"),
    ("feedback_open", "reads what a person says in a dialog"),
    ("feedback_save", "writes where a person says in a dialog"),
    ("feedback_undo", "nothing"),
    ("export_save", "writes where a person says in a dialog"),
    ("export_text", "nothing"),
    ("journey", "nothing"),
    ("open_again", "nothing"),
    (
        "open_config",
        "starts the system's program, or an editor that the program lists, with the config of an agent that the program lists, or the one picked in a dialog",
    ),
    (
        "open_in_editor",
        "starts the system's program, or an editor that the program lists, with a note in a watched folder",
    ),
    (
        "open_link",
        "starts the system's program with an address of the web or of mail that a person allows",
    ),
    ("pause_folder", "nothing"),
    ("pause_indexing", "nothing"),
    ("pick_folder", "asks a person"),
    ("preset_delete", "nothing"),
    ("preset_open", "reads what a person says in a dialog"),
    (
        "preset_read",
        "reads what export_save wrote in this session",
    ),
    ("preset_save", "nothing"),
    ("presets", "nothing"),
    ("problems", "nothing"),
    ("cancel_rerank", "nothing"),
    ("rank", "nothing"),
    (
        "rerank",
        "asks the provider and runs the command that a person set up and switched on",
    ),
    ("rerank_calls", "nothing"),
    ("cancel_download", "nothing"),
    (
        "download_rerank_model",
        "downloads one of the models that the program lists",
    ),
    ("rerank_http_off", "nothing"),
    ("rerank_settings", "looks for a key in the keyring"),
    (
        "set_rerank_model",
        "reads a model in a folder that a person allows",
    ),
    ("set_hook", "names a command that a person allows"),
    (
        "set_rerank_http",
        "names a host that a person allows; puts a key into the keyring",
    ),
    (
        "test_rerank_http",
        "asks the provider that a person allowed about made-up texts",
    ),
    ("rerank_heat", "nothing"),
    ("rerank_preview", "nothing"),
    ("move_folder", "nothing"),
    ("remove_folder", "nothing"),
    ("search", "reads notes in watched folders"),
    (
        "show_library",
        "starts the system's program with the library's folder",
    ),
    ("set_evergreen", "nothing"),
    ("example_questions", "nothing"),
    ("saved_questions", "nothing"),
    ("save_question", "nothing"),
    ("snippets", "nothing"),
    ("compare", "reads notes in watched folders"),
    (
        "choose_queries",
        "reads the query set that a person chooses in a dialog",
    ),
    ("compare_progress", "nothing"),
    (
        "compare_queries",
        "reads the query set that a person chose, and notes in watched folders",
    ),
    ("stop_compare", "nothing"),
    ("query_sets", "reads notes in watched folders"),
    ("query_set", "reads notes in watched folders"),
    ("new_query_set", "reads notes in watched folders"),
    ("rename_query_set", "nothing"),
    ("delete_query_set", "nothing"),
    ("save_query", "reads notes in watched folders"),
    ("remove_queries", "reads notes in watched folders"),
    ("judge_place", "reads a note in a watched folder"),
    (
        "import_query_set",
        "reads the query set that a person chooses in a dialog",
    ),
    ("export_query_set", "writes a query set where a person says"),
    ("measure_set", "reads notes in watched folders"),
    ("sensitivity", "reads notes in watched folders"),
    ("calibrate", "reads notes in watched folders"),
    ("auto_tune", "reads notes in watched folders"),
    ("tune_progress", "nothing"),
    ("stop_tuning", "nothing"),
    ("runs", "nothing"),
    ("save_run", "reads notes in watched folders"),
    ("run", "nothing"),
    ("compare_runs", "nothing"),
    ("rename_run", "nothing"),
    ("delete_run", "nothing"),
    ("export_run", "writes a run where a person says"),
    (
        "agent_config",
        "reads an agent's config in its usual place, or one that a person picked",
    ),
    (
        "export_for",
        "reads an agent's config in its usual place, or one that a person picked",
    ),
    (
        "export_fragment",
        "writes the settings shown where a person says",
    ),
    (
        "export_targets",
        "reads agents' configs in their usual places",
    ),
    (
        "export_write",
        "changes the agent's config shown, if a person allows",
    ),
    (
        "nearest_setting",
        "reads the query set that a person chose, and notes in watched folders",
    ),
    ("pick_config", "asks for a file"),
    ("emulation_progress", "nothing"),
    ("pipelines", "nothing"),
    ("stop_emulation", "nothing"),
    ("start_query", "nothing"),
    ("zoom", "nothing"),
    ("state", "nothing"),
    ("thumbs", "nothing"),
    ("tree", "nothing"),
    ("unread", "nothing"),
    ("vote", "nothing"),
    ("why_not", "looks at a note in a watched folder"),
];

/// What the page may do besides calling commands: hear events, and stop hearing them.
const PERMISSIONS: &[&str] = &["core:event:allow-listen", "core:event:allow-unlisten"];

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
fn the_page_may_call_the_commands_listed_here_and_no_others() {
    let allowed: BTreeSet<String> = COMMANDS
        .iter()
        .map(|(command, _)| format!("allow-{}", command.replace('_', "-")))
        .chain(PERMISSIONS.iter().map(|it| (*it).to_owned()))
        .collect();
    let capability = json("capabilities/main.json");
    let permissions = strings(&capability["permissions"]);
    assert_eq!(
        permissions,
        allowed.iter().map(String::as_str).collect::<BTreeSet<_>>()
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

#[test]
fn every_command_that_is_built_is_listed_here() {
    let dir = tempfile::tempdir().unwrap();
    let bindings = dir.path().join("bindings.ts");
    memlens_app::write_bindings(&bindings).unwrap();
    let bindings = fs::read_to_string(&bindings).unwrap();
    let built: BTreeSet<&str> = bindings
        .match_indices("__TAURI_INVOKE")
        .filter_map(|(at, _)| {
            let (_, rest) = bindings[at..].split_once("(\"")?;
            rest.split_once('"').map(|(name, _)| name)
        })
        .collect();
    let listed: BTreeSet<&str> = COMMANDS.iter().map(|(command, _)| *command).collect();
    assert_eq!(built, listed);
    // A command that build.rs does not know could be called from every window without a permission.
    let known = fs::read_to_string(here("build.rs")).unwrap();
    for command in listed {
        assert!(known.contains(&format!("\"{command}\"")), "{command}");
    }
}
