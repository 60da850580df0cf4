//! The system's dialogs, and what came out of them: the page can ask for one and names no file of its own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use memlens_engine::TraceForm;
use memlens_engine::view::RecallLogs;
use parking_lot::Mutex;
use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath, MessageDialogButtons};

/// How much of an address or a command is shown; a dialog has no place for more.
const SHOWN_CHARS: usize = 300;
/// Maximum number of arguments of a command that are shown.
const ARGUMENTS_SHOWN: usize = 20;

/// Asks the user for paths, and remembers which files they chose to save to.
pub struct Dialogs {
    /// For tests: a file that holds the answer to the next dialog, which is not shown then.
    answer: Option<PathBuf>,
    /// By the text that the page was given, which may be shortened if a path is no text.
    saved: Mutex<HashMap<String, PathBuf>>,
    queries: Mutex<Option<PathBuf>>,
}

impl Dialogs {
    /// Shows dialogs, unless `answer` is a file that contains the answer to the next one.
    pub fn new(answer: Option<PathBuf>) -> Dialogs {
        Dialogs {
            answer,
            saved: Mutex::new(HashMap::new()),
            queries: Mutex::new(None),
        }
    }

    /// Asks for a folder; `None` if the user cancels.
    pub fn folder(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, FileDialogBuilder::blocking_pick_folder)
    }

    /// Asks for a `memlens.json` to read; `None` if the user cancels.
    pub fn preset(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog.add_filter("JSON", &["json"]).blocking_pick_file()
        })
    }

    /// Asks where to save a `memlens.json`; `None` if the user cancels.
    pub fn place_for_preset(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog
                .set_file_name("memlens.json")
                .add_filter("JSON", &["json"])
                .blocking_save_file()
        })
    }

    /// Asks where to save a trace; `None` if the user cancels.
    pub fn place_for_trace(&self, app: &AppHandle, form: TraceForm) -> Option<PathBuf> {
        let end = form.extension();
        self.ask(app, |dialog| {
            dialog
                .set_file_name(format!("memlens-trace.{end}"))
                .add_filter(end.to_uppercase(), &[end])
                .blocking_save_file()
        })
    }

    /// Asks for an agent's config to read; `None` if the user cancels.
    pub fn config(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog
                .add_filter("Configs", &["json", "json5", "conf"])
                .blocking_pick_file()
        })
    }

    /// Asks for a query set to read; `None` if the user cancels.
    pub fn queries(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog
                .add_filter(
                    "Query sets",
                    &["jsonl", "json", "csv", "tsv", "txt", "qrels"],
                )
                .add_filter("All files", &["*"])
                .blocking_pick_file()
        })
    }

    /// Asks where to save a file of this name; `None` if the user cancels.
    pub fn place_for_settings(&self, app: &AppHandle, name: &str) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog.set_file_name(name).blocking_save_file()
        })
    }

    /// Asks whether the config of another program may be changed: the one file that Memlens writes and did not make.
    pub fn allows_config(&self, app: &AppHandle, path: &Path, watched: Option<&str>) -> bool {
        let inside = watched.map_or(String::new(), |folder| {
            format!(
                "\n\nIt is in the watched folder {}, which Memlens otherwise only reads.",
                shown(folder)
            )
        });
        let question = format!(
            "Memlens will change the settings shown in:\n\n{}\n\nA backup is saved next to it. Thresholds were tuned with Memlens’s embedding model; if the agent uses another, they act differently.{inside}",
            shown(&path.display().to_string())
        );
        self.agrees(app, "Change the agent’s config?", question, "Change")
    }

    /// Asks whether Memlens may enter itself in an agent's config, with the command line that the agent starts from then on, or
    /// remove its entry if there is none.
    pub fn allows_tool_server(&self, app: &AppHandle, path: &Path, starts: Option<&str>) -> bool {
        let place = shown(&path.display().to_string());
        let question = match starts {
            Some(starts) => format!(
                "Memlens will enter itself in:\n\n{place}\n\nThe agent will then start:\n\n{}\n\nA backup is saved next to the file.",
                shown(starts)
            ),
            None => format!(
                "Memlens will remove its entry from:\n\n{place}\n\nA backup is saved next to the file."
            ),
        };
        let button = if starts.is_some() {
            "Connect"
        } else {
            "Disconnect"
        };
        self.agrees(app, "Change the agent’s config?", question, button)
    }

    /// Asks whether a program's config gets back what a backup holds.
    pub fn allows_config_back(
        &self,
        app: &AppHandle,
        path: &Path,
        backup: &Path,
        watched: Option<&str>,
    ) -> bool {
        let inside = watched.map_or(String::new(), |folder| {
            format!("\n\nIt is in the watched folder {}.", shown(folder))
        });
        let question = format!(
            "Memlens will put back into:\n\n{}\n\nwhat was there before, from:\n\n{}\n\nWhat it holds now is saved next to it.{inside}",
            shown(&path.display().to_string()),
            shown(&backup.display().to_string())
        );
        self.agrees(
            app,
            "Undo the change of the agent’s config?",
            question,
            "Undo",
        )
    }

    /// Remembers the file of a query set that was chosen.
    pub fn note_queries(&self, path: PathBuf) {
        *self.queries.lock() = Some(path);
    }

    /// The file of a query set that was chosen last.
    pub fn chosen_queries(&self) -> Option<PathBuf> {
        self.queries.lock().clone()
    }

    /// Asks for a file of thumbs to read; `None` if the user cancels.
    pub fn feedback(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog
                .add_filter("JSON lines", &["jsonl"])
                .blocking_pick_file()
        })
    }

    /// Asks where to save the thumbs; `None` if the user cancels.
    pub fn place_for_feedback(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog
                .set_file_name("memlens-feedback.jsonl")
                .add_filter("JSON lines", &["jsonl"])
                .blocking_save_file()
        })
    }

    /// Asks whether agents' logs may be read: they contain more than memory searches.
    pub fn allows_recall(&self, app: &AppHandle, logs: &RecallLogs) -> bool {
        self.agrees(app, "Read past questions?", recall_question(logs), "Read")
    }

    /// Asks whether what agents ask of Memlens's server may be recorded.
    pub fn allows_recording(&self, app: &AppHandle) -> bool {
        let question = "Memlens will store each search and each opened note of connected agents in this library: the question, its settings and which results it got, without the notes’ text. Past questions shows them.";
        self.agrees(
            app,
            "Record calls of agents?",
            question.to_owned(),
            "Record",
        )
    }

    /// Asks where to save a query set; `None` if the user cancels.
    pub fn place_for_queries(&self, app: &AppHandle) -> Option<PathBuf> {
        self.ask(app, |dialog| {
            dialog
                .set_file_name("queries.jsonl")
                .add_filter("JSON lines", &["jsonl"])
                .blocking_save_file()
        })
    }

    /// Asks whether an address may be opened outside of the window: a compromised page could put notes into it.
    pub fn allows(&self, app: &AppHandle, address: &str) -> bool {
        self.agrees(app, "Open outside of Memlens?", question(address), "Open")
    }

    /// Asks whether a command may run on the results of every search where the hook is used: a page that was tampered
    /// with could name one.
    pub fn allows_hook(&self, app: &AppHandle, command: &[String]) -> bool {
        let question = format!(
            "After each search, Memlens will give the question and its results to this command, one argument a line:\n\n{}",
            shown_command(command)
        );
        self.agrees(app, "Run your own command on results?", question, "Allow")
    }

    /// Asks whether a preset from a file may turn on the user's own command.
    pub fn allows_hook_of_preset(&self, app: &AppHandle, name: &str, command: &[String]) -> bool {
        let question = format!(
            "The preset {} turns on your own command. After each search, Memlens will give the question and its results to it, one argument a line:\n\n{}",
            shown(name),
            shown_command(command)
        );
        self.agrees(app, "Let this file start your command?", question, "Allow")
    }

    /// Asks whether everything in the library may be erased.
    pub fn allows_erasing(&self, app: &AppHandle, library: &Path) -> bool {
        let question = format!(
            "Memlens will erase all that it has stored in:\n\n{}\n\nThis cannot be undone. Your notes stay.",
            shown(&library.display().to_string())
        );
        self.agrees(app, "Erase all stored data?", question, "Erase")
    }

    /// Asks whether the page is to be loaded again or the program to be ended, and calls `then` with whether it is to be loaded. Does not wait.
    #[cfg(not(windows))]
    pub fn ask_to_reload(&self, app: &AppHandle, then: impl FnOnce(bool) + Send + 'static) {
        if let Some(answer) = self.answer() {
            return then(answer.is_some());
        }
        app.dialog()
            .message("The process that shows Memlens’s window ended twice within a minute. Nothing that was stored is lost.")
            .title("Memlens cannot show its window")
            .buttons(MessageDialogButtons::OkCancelCustom(
                "Reload".to_owned(),
                "Quit".to_owned(),
            ))
            .show(then);
    }

    /// Asks whether the files of a model may be read from a folder: a page that was tampered with could name any.
    pub fn allows_model(&self, app: &AppHandle, folder: &str) -> bool {
        let question = format!(
            "To rerank, Memlens will load and run the model in this folder:\n\n{}",
            shown(folder)
        );
        self.agrees(app, "Use your own model?", question, "Allow")
    }

    /// Asks whether the files of a model that compares sentences may be read from a folder.
    pub fn allows_second_opinion(&self, app: &AppHandle, folder: &str) -> bool {
        let question = format!(
            "For a second opinion on contradictions, Memlens will load and run the model in this folder:\n\n{}",
            shown(folder)
        );
        self.agrees(app, "Use your own model?", question, "Allow")
    }

    /// Asks whether the text of notes may go to a host, with the value of a variable as the key if one is named.
    pub fn allows_provider(&self, app: &AppHandle, host: &str, key_env: Option<&str>) -> bool {
        let key = key_env.map_or(String::new(), |variable| {
            format!(
                "\n\nIt will also send the value of {} as the key.",
                shown(variable)
            )
        });
        let question = format!(
            "To rerank, Memlens will send your questions and text from your notes to:\n\n{}{key}",
            shown(host)
        );
        self.agrees(app, "Send notes to a provider?", question, "Allow")
    }

    /// Asks a question that one button agrees with.
    fn agrees(&self, app: &AppHandle, title: &str, question: String, button: &str) -> bool {
        match self.answer() {
            Some(answer) => answer.is_some(),
            None => app
                .dialog()
                .message(question)
                .title(title)
                .buttons(MessageDialogButtons::OkCancelCustom(
                    button.to_owned(),
                    "Cancel".to_owned(),
                ))
                .blocking_show(),
        }
    }

    /// Remembers a file that was saved where the user chose, and returns its path in the form that the page receives.
    pub fn note_saved(&self, path: PathBuf) -> String {
        let shown = path.display().to_string();
        let mut saved = self.saved.lock();
        saved.insert(shown.clone(), path);
        shown
    }

    /// The saved file for a path that the page received; `None` for any other path.
    pub fn saved(&self, shown: &str) -> Option<PathBuf> {
        let saved = self.saved.lock();
        saved.get(shown).cloned()
    }

    /// The answer given by a test: `None` without a test, `Some(None)` if it cancels.
    fn answer(&self) -> Option<Option<PathBuf>> {
        let file = self.answer.as_ref()?;
        Some(answer_in(
            &std::fs::read_to_string(file).unwrap_or_default(),
        ))
    }

    fn ask(
        &self,
        app: &AppHandle,
        show: impl FnOnce(FileDialogBuilder<tauri::Wry>) -> Option<FilePath>,
    ) -> Option<PathBuf> {
        match self.answer() {
            Some(answer) => answer,
            // Dialogs can also name things that are no files of this machine.
            None => show(app.dialog().file()).and_then(|path| path.into_path().ok()),
        }
    }
}

/// The question whether the agents' logs may be read.
fn recall_question(logs: &RecallLogs) -> String {
    let mut agents: Vec<&str> = logs
        .logs
        .iter()
        .map(|log| log.agent_name.as_str())
        .collect();
    agents.dedup();
    let files = match logs.logs.len() {
        1 => "1 log file".to_owned(),
        n => format!("{n} log files"),
    };
    format!(
        "Memlens will read {files} ({}) of {}. Only calls of memory tools, reads and searches of memory folders, their answers and what was cited are stored, in this library.",
        logs.size(),
        shown(&agents.join(", "))
    )
}

/// The question about an address.
fn question(address: &str) -> String {
    format!("Your browser or mail app will open:\n\n{}", shown(address))
}

/// A command as it is run: each argument quoted, on a line of its own.
fn shown_command(command: &[String]) -> String {
    let n_more = command.len().saturating_sub(ARGUMENTS_SHOWN);
    let more = match n_more {
        0 => None,
        1 => Some("… and 1 more argument".to_owned()),
        _ => Some(format!("… and {n_more} more arguments")),
    };
    let words = command.iter().take(ARGUMENTS_SHOWN);
    // Quoted as in Rust, which also writes out what cannot be seen.
    let lines: Vec<String> = words
        .map(|word| shown(&format!("{word:?}")))
        .chain(more)
        .collect();
    lines.join("\n")
}

/// A text on one line: all of it, or its beginning and how much more there is.
fn shown(text: &str) -> String {
    let n_more = text.chars().count().saturating_sub(SHOWN_CHARS);
    // Characters that would break the line or change the text direction are replaced.
    let is_hidden = |sign: char| {
        sign.is_control() || matches!(sign, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let shown = text.chars().take(SHOWN_CHARS);
    let shown: String = shown
        .map(|sign| if is_hidden(sign) { '\u{fffd}' } else { sign })
        .collect();
    let more = match n_more {
        0 => String::new(),
        _ => format!("… and {n_more} more characters"),
    };
    format!("{shown}{more}")
}

/// Parses an answer: a path, or an empty text for cancelling.
fn answer_in(text: &str) -> Option<PathBuf> {
    let path = text.trim_end_matches('\n');
    (!path.is_empty()).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use memlens_engine::view::RecallLog;

    use super::*;

    #[test]
    fn one_log_file_is_not_files() {
        let log = |agent_name: &str| RecallLog {
            agent: agent_name.to_lowercase(),
            agent_name: agent_name.to_owned(),
            path: "~/log.jsonl".to_owned(),
            n_bytes: 900_000.0,
            n_questions: 0,
            is_read: false,
            problem: None,
        };
        let question = |logs: Vec<RecallLog>| {
            recall_question(&RecallLogs {
                is_allowed: false,
                n_bytes: logs.iter().map(|it| it.n_bytes).sum(),
                logs,
                problems: Vec::new(),
                keep_days: 365,
                is_alarm_on: true,
                records_calls: false,
                copies: Vec::new(),
            })
        };
        let one = question(vec![log("Codex")]);
        assert!(
            one.starts_with("Memlens will read 1 log file (900 kB) of Codex. "),
            "{one}"
        );
        let two = question(vec![log("Codex"), log("Hermes")]);
        assert!(
            two.starts_with("Memlens will read 2 log files (1.8 MB) of Codex, Hermes. "),
            "{two}"
        );
    }

    #[test]
    fn only_a_saved_file_is_known_again() {
        let dialogs = Dialogs::new(None);
        let shown = dialogs.note_saved(PathBuf::from("/home/robin/memlens.json"));
        assert_eq!(shown, "/home/robin/memlens.json");
        assert_eq!(dialogs.saved(&shown), Some(PathBuf::from(&shown)));
        for made_up in [
            "",
            "/etc/passwd",
            "/home/robin/other.json",
            "/home/robin/./memlens.json",
            "/home/robin/memlens.json/",
            "memlens.json",
        ] {
            assert_eq!(dialogs.saved(made_up), None, "{made_up}");
        }
    }

    #[test]
    fn a_long_address_tells_that_it_is() {
        assert!(question("https://example.org/a").ends_with("open:\n\nhttps://example.org/a"));
        let long = format!("https://example.org/{}", "é".repeat(SHOWN_CHARS));
        let asked = question(&long);
        assert!(asked.ends_with("… and 20 more characters"), "{asked}");
    }

    #[test]
    fn nothing_is_hidden_in_what_is_asked_about() {
        assert_eq!(shown("sort\n\u{202e}fr- mr"), "sort\u{fffd}\u{fffd}fr- mr");
    }

    #[test]
    fn a_command_is_shown_with_an_argument_on_each_line() {
        let command = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            shown_command(&words)
        };
        assert_eq!(
            command(&["sh", "-c", "a b\n\u{202e}c\u{200b}\"", ""]),
            "\"sh\"\n\"-c\"\n\"a b\\n\\u{202e}c\\u{200b}\\\"\"\n\"\""
        );
        let many = command(&vec!["x"; ARGUMENTS_SHOWN + 2]);
        assert!(many.ends_with("\n… and 2 more arguments"), "{many}");
        let long = command(&[&"y".repeat(SHOWN_CHARS + 10)]);
        assert!(long.ends_with("… and 12 more characters"), "{long}");
    }

    #[test]
    fn an_empty_answer_cancels() {
        assert_eq!(answer_in(""), None);
        assert_eq!(answer_in("\n"), None);
        assert_eq!(answer_in("/a b/c\n"), Some(PathBuf::from("/a b/c")));
    }
}
