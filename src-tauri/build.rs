//! Allows the commands in `src/commands/table.rs` to the window.

use std::path::Path;

/// The names of the commands, each after the path of its module.
const COMMANDS: &[&str] = {
    macro_rules! window_commands {
        ($($first:ident $(:: $rest:ident)* : $touches:literal,)*) => {
            &[$(stringify!($first $(:: $rest)*)),*]
        };
    }
    include!("src/commands/table.rs")
};

/// The file of the permission that `capabilities/main.json` grants.
const PERMISSION: &str = "gen/permissions/window.toml";

fn main() {
    write_permission(Path::new(PERMISSION)).expect("the permission can be written");
    // Once the program has a permission of its own, Tauri refuses every command that is in none.
    let manifest = tauri_build::AppManifest::new().permissions_path_pattern(PERMISSION);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
        .expect("the window's configuration is sound");
}

/// Writes the permission to call every command, unless the file holds it already.
fn write_permission(path: &Path) -> std::io::Result<()> {
    let names = COMMANDS.iter().map(|path| {
        let name = path.rsplit(':').next().unwrap_or(path).trim();
        format!("  \"{name}\",\n")
    });
    let text = format!(
        "[[permission]]\nidentifier = \"allow-window-commands\"\n\
         description = \"Allows every command of the window.\"\n\
         commands.allow = [\n{}]\n",
        names.collect::<String>()
    );
    if std::fs::read_to_string(path).is_ok_and(|written| written == text) {
        return Ok(());
    }
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(path, text)
}
