//! The programs that a note is opened with, at a line if the program takes one.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use memlens_files::System;
use serde::Deserialize;
use specta::Type;

/// A program that the user may choose for their notes. Its command is defined here: the page names no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Editor {
    /// What the system opens such files with, which takes no line.
    System,
    /// Visual Studio Code, its Insiders edition, or VSCodium.
    Vscode,
    /// Cursor.
    Cursor,
    /// Zed.
    Zed,
    /// Sublime Text.
    Sublime,
    /// The first of JetBrains' programs that is there.
    Jetbrains,
    /// Vim in a window of its own.
    Vim,
    /// A running Emacs, or else a new one.
    Emacs,
}

/// Opens a file and does not wait for it to be closed. `line` counts from 1; with `None` the program decides.
///
/// # Errors
/// `NotFound` if no such program can be started, with the names that were tried; otherwise the system's error.
pub fn open(editor: Editor, file: &Path, line: Option<u32>) -> io::Result<()> {
    if editor == Editor::System {
        return open_by_system(file);
    }
    let line = line.unwrap_or(1).max(1);
    for program in programs(System::CURRENT, editor) {
        match start(&mut command(editor, program, file, line)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => return done,
        }
    }
    // Registered with the system also if the program is on no PATH, as on a Mac.
    if let Some(url) = url(editor, file, line) {
        return open_by_system(url);
    }
    Err(io::Error::new(
        io::ErrorKind::NotFound,
        format!(
            "no {} on PATH; install the editor's command-line launcher or choose another editor in Settings",
            programs(System::CURRENT, editor).join(" or ")
        ),
    ))
}

/// Opens a file, folder or address with what the system opens such with, with the user's umask.
///
/// # Errors
/// What the system answers.
pub fn open_by_system(what: impl AsRef<OsStr>) -> io::Result<()> {
    let mut failed = io::Error::from(io::ErrorKind::NotFound);
    for mut command in open::commands(what) {
        match start(&mut command) {
            Ok(()) => return Ok(()),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// What an editor is called by, first what is asked first.
fn programs(system: System, editor: Editor) -> &'static [&'static str] {
    match editor {
        Editor::System => &[],
        Editor::Vscode => &["code", "code-insiders", "codium"],
        Editor::Cursor => &["cursor"],
        Editor::Zed => &["zed", "zeditor"],
        Editor::Sublime => &["subl"],
        Editor::Jetbrains if system == System::Windows => &[
            "idea64.exe",
            "pycharm64.exe",
            "webstorm64.exe",
            "rustrover64.exe",
            "goland64.exe",
            "clion64.exe",
            "phpstorm64.exe",
        ],
        Editor::Jetbrains => &[
            "idea",
            "pycharm",
            "webstorm",
            "rustrover",
            "goland",
            "clion",
            "phpstorm",
        ],
        Editor::Vim => &["gvim", "mvim"],
        Editor::Emacs => &["emacsclient", "emacs"],
    }
}

fn command(editor: Editor, program: &str, file: &Path, line: u32) -> Command {
    let mut command = Command::new(memlens_files::program(program));
    let mut at_line = file.as_os_str().to_owned();
    at_line.push(format!(":{line}"));
    match editor {
        Editor::System | Editor::Zed | Editor::Sublime => command.arg(at_line),
        Editor::Vscode | Editor::Cursor => command.arg("--goto").arg(at_line),
        Editor::Jetbrains => command.arg("--line").arg(line.to_string()).arg(file),
        Editor::Vim => command.arg(format!("+{line}")).arg(file),
        Editor::Emacs => {
            if program == "emacsclient" {
                command.args(["--no-wait", "--alternate-editor=emacs"]);
            }
            command.arg(format!("+{line}")).arg(file)
        }
    };
    command
}

/// The address that an editor answers to, for those that have one.
fn url(editor: Editor, file: &Path, line: u32) -> Option<String> {
    let scheme = match editor {
        Editor::Vscode => "vscode",
        Editor::Cursor => "cursor",
        Editor::Zed => "zed",
        Editor::System | Editor::Sublime | Editor::Jetbrains | Editor::Vim | Editor::Emacs => {
            return None;
        }
    };
    let file = tauri::Url::from_file_path(file).ok()?;
    Some(format!("{scheme}://file{}:{line}", file.path()))
}

/// Starts a program with the user's umask and does not wait for its end.
///
/// # Errors
/// If it cannot be started.
pub fn start(command: &mut Command) -> io::Result<()> {
    memlens_engine::with_users_umask(command);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Ctrl+C in the terminal that Memlens was started from is not for it.
        command.process_group(0);
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // A launcher that ended would stay a zombie.
    thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(editor: Editor) -> Vec<String> {
        let program = programs(System::Linux, editor)[0];
        command(editor, program, Path::new("/notes/a b;c.md"), 12)
            .get_args()
            .map(|it| it.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn each_editor_gets_file_and_line_in_its_own_syntax() {
        let at = "/notes/a b;c.md:12";
        assert_eq!(arguments(Editor::Vscode), ["--goto", at]);
        assert_eq!(arguments(Editor::Cursor), ["--goto", at]);
        assert_eq!(arguments(Editor::Zed), [at]);
        assert_eq!(arguments(Editor::Sublime), [at]);
        assert_eq!(
            arguments(Editor::Jetbrains),
            ["--line", "12", "/notes/a b;c.md"]
        );
        assert_eq!(arguments(Editor::Vim), ["+12", "/notes/a b;c.md"]);
        assert_eq!(
            arguments(Editor::Emacs),
            [
                "--no-wait",
                "--alternate-editor=emacs",
                "+12",
                "/notes/a b;c.md"
            ]
        );
    }

    #[test]
    fn the_same_editors_are_tried_on_every_system() {
        for editor in [Editor::Vscode, Editor::Jetbrains, Editor::Vim] {
            let on_windows = programs(System::Windows, editor).iter();
            let on_windows: Vec<&str> = on_windows
                .map(|name| name.trim_end_matches("64.exe"))
                .collect();
            assert_eq!(programs(System::Linux, editor), on_windows, "{editor:?}");
            assert_eq!(
                programs(System::Linux, editor),
                programs(System::MacOs, editor)
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_address_has_no_characters_that_mean_something_else() {
        let path = Path::new("/notes/50%?#.md");
        assert_eq!(
            url(Editor::Cursor, path, 3).as_deref(),
            Some("cursor://file/notes/50%25%3F%23.md:3")
        );
        assert_eq!(url(Editor::Vim, path, 3), None);
    }
}
