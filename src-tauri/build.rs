//! Lists the commands that a window may be allowed to call; a capability then allows each by name.

const COMMANDS: &[&str] = &[
    "activity",
    "add_folder",
    "data_size",
    "document",
    "erase_all",
    "feedback",
    "feedback_open",
    "feedback_save",
    "feedback_undo",
    "export_save",
    "export_text",
    "journey",
    "open_in_editor",
    "open_link",
    "pause_folder",
    "pause_indexing",
    "pick_folder",
    "preset_delete",
    "preset_open",
    "preset_read",
    "preset_save",
    "presets",
    "problems",
    "rank",
    "remove_folder",
    "rerank_http_off",
    "rerank_settings",
    "set_hook",
    "set_rerank_http",
    "test_rerank_http",
    "search",
    "show_library",
    "snippets",
    "why_not",
    "start_query",
    "state",
    "thumbs",
    "tree",
    "vote",
];

fn main() {
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
        .expect("the window's configuration is sound");
}
