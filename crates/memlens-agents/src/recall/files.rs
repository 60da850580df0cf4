//! Tools for files, if what they read or search is a memory folder.

use std::collections::BTreeMap;

use memlens_files::System;
use serde_json::Value;

use super::Used;
use super::among::Among;
use super::folders::Folders;
use super::happening::{Call, Output, Shape};
use super::shell::{Action, Part, Syntax, actions};
use super::tools;

/// What a call asks of memory, with a memory tool or a file tool.
pub(super) fn all_calls(
    name: &str,
    arguments: &Value,
    folders: &Folders,
    session_folder: Option<&str>,
    at_ms: Option<i64>,
) -> Vec<Call> {
    match tools::call(name, arguments, at_ms) {
        Some(call) => vec![call],
        None => calls(name, arguments, folders, session_folder, at_ms),
    }
}

/// What a call of a tool for files asks of memory, first to last; nothing if it is about other files.
fn calls(
    name: &str,
    arguments: &Value,
    folders: &Folders,
    session_folder: Option<&str>,
    at_ms: Option<i64>,
) -> Vec<Call> {
    let parsed: Value;
    let arguments = match arguments.as_str().map(serde_json::from_str) {
        Some(Ok(inner)) => {
            parsed = inner;
            &parsed
        }
        _ => arguments,
    };
    let tool = FileTool {
        arguments,
        folders,
        session_folder,
        at_ms,
    };
    match name {
        "Read" | "read" | "read_file" | "view" => tool.opening().into_iter().collect(),
        "Grep" | "grep" | "grep_search" | "search_file_content" | "search_files" => {
            // Claude Code shows names unless it is asked for lines.
            let output = match (name, tool.text(&["output_mode"])) {
                ("Grep", None | Some("files_with_matches" | "count")) => Output::Names,
                _ => Output::Lines,
            };
            tool.grep(output).into_iter().collect()
        }
        "Bash" | "bash" | "PowerShell" | "exec" | "shell" | "shell_command" | "exec_command"
        | "container.exec" | "run_shell_command" | "terminal" => tool.shell(name),
        _ => Vec::new(),
    }
}

/// A call of a tool for files.
struct FileTool<'a> {
    arguments: &'a Value,
    folders: &'a Folders,
    session_folder: Option<&'a str>,
    at_ms: Option<i64>,
}

impl<'a> FileTool<'a> {
    /// The first argument of these names that is a text and not empty.
    fn text(&self, names: &[&str]) -> Option<&'a str> {
        let arguments = self.arguments;
        let mut texts = names.iter().filter_map(|name| arguments[*name].as_str());
        texts.find(|text| !text.is_empty())
    }

    fn used(&self, path: &str, lines: Option<(u32, u32)>) -> Used {
        Used {
            path: path.to_owned(),
            lines,
            at_ms: self.at_ms,
            is_part: false,
        }
    }

    /// The opening of a note; `None` for a file outside of the memory folders.
    fn opening(&self) -> Option<Call> {
        let path = self.text(&["file_path", "absolute_path", "path"])?;
        let is_note = self.folders.hold(path, self.session_folder);
        is_note.then(|| Call::Open(vec![self.used(path, tools::lines(self.arguments))]))
    }

    /// The search for a pattern; `None` if it is outside of the memory folders.
    fn grep(&self, output: Output) -> Option<Call> {
        let place = self.text(&["path", "dir_path", "file_path"]);
        let place = place.or(self.session_folder)?;
        if !self.folders.hold(place, self.session_folder) {
            return None;
        }
        Some(Call::Search {
            question: self.text(&["pattern", "query"])?.to_owned(),
            settings: tools::settings(self.arguments, &["pattern", "query"]),
            is_pattern: true,
            answer: Shape::Found {
                place: place.to_owned(),
                from: None,
                output,
            },
        })
    }

    /// What a shell's command line asks of memory.
    fn shell(&self, name: &str) -> Vec<Call> {
        let Some((syntax, line)) = command_line(self.arguments) else {
            return Vec::new();
        };
        let syntax = syntax.unwrap_or_else(|| usual_syntax(name, self.folders.system()));
        let from = self.text(&["workdir", "cwd", "working_directory", "directory"]);
        let from = from.map(|from| self.folders.whole(from, self.session_folder));
        let from = from.as_deref().or(self.session_folder);
        let mut asked = AskedByShell::default();
        for action in actions(&line, syntax, self.folders, from, self.session_folder) {
            match action {
                Action::Reads { path, part } => asked.opened.push(match part {
                    Part::Whole => self.used(&path, None),
                    Part::Lines(first, last) => self.used(&path, Some((first, last))),
                    Part::Unknown => Used {
                        is_part: true,
                        ..self.used(&path, None)
                    },
                }),
                Action::ReadsAmong {
                    folder,
                    pattern,
                    part,
                } => asked.among.push(Among {
                    folder,
                    pattern,
                    lines: match part {
                        Part::Lines(first, last) => Some((first, last)),
                        Part::Whole | Part::Unknown => None,
                    },
                    is_part: part == Part::Unknown,
                    at_ms: self.at_ms,
                }),
                Action::Lists { .. } => {}
                Action::Searches {
                    pattern,
                    paths,
                    output,
                    from,
                } => asked.search(pattern, paths, output, from),
            }
        }
        asked.into_calls()
    }
}

/// What the commands of one line ask of memory.
#[derive(Default)]
struct AskedByShell {
    opened: Vec<Used>,
    among: Vec<Among>,
    /// The patterns of all searches. They share one answer, so they are one question.
    patterns: Vec<String>,
    /// What the searches print; `None` without a search.
    printed: Option<Printed>,
}

/// What the searches of a line print.
struct Printed {
    /// The one note that is searched; empty if there may be several, because bare lines are of no one note then.
    place: String,
    from: Option<String>,
    output: Output,
}

impl AskedByShell {
    fn search(
        &mut self,
        pattern: String,
        paths: Vec<String>,
        output: Output,
        from: Option<String>,
    ) {
        self.patterns.push(pattern);
        let is_wild = paths.iter().any(|path| path.contains(['*', '?', '[']));
        let is_several = self.printed.is_some() || paths.len() > 1 || is_wild;
        let mut paths = paths.into_iter();
        self.printed = Some(Printed {
            place: paths.next().filter(|_| !is_several).unwrap_or_default(),
            from,
            output,
        });
    }

    fn into_calls(self) -> Vec<Call> {
        let mut calls = Vec::new();
        // The output of a search cannot be separated from that of files read beside it.
        let is_mixed = !self.opened.is_empty() || !self.among.is_empty();
        if let Some(printed) = self.printed {
            calls.push(Call::Search {
                question: self.patterns.join("\n"),
                settings: BTreeMap::new(),
                is_pattern: true,
                answer: Shape::Found {
                    place: if is_mixed {
                        String::new()
                    } else {
                        printed.place
                    },
                    from: printed.from,
                    output: printed.output,
                },
            });
        }
        if !self.opened.is_empty() {
            calls.push(Call::Open(self.opened));
        }
        if !self.among.is_empty() {
            calls.push(Call::OpenAmong(self.among));
        }
        calls
    }
}

/// The syntax of the lines that a tool runs, if the call names no shell. On Windows, the tools of Claude Code and Hermes that
/// run Bash are given Git Bash; the other agents run PowerShell there.
fn usual_syntax(tool: &str, system: System) -> Syntax {
    match (tool, system) {
        ("PowerShell", _) => Syntax::PowerShell,
        ("Bash" | "bash" | "terminal", _) => Syntax::Posix,
        (_, System::Windows) => Syntax::PowerShell,
        (_, System::Linux | System::MacOs) => Syntax::Posix,
    }
}

/// The shell command of a call, with its syntax if the call names its shell: a string, or a program with its arguments, of
/// which a shell's last is the command.
fn command_line(arguments: &Value) -> Option<(Option<Syntax>, String)> {
    let command = [&arguments["command"], &arguments["cmd"]];
    let command = command.into_iter().find(|command| !command.is_null())?;
    if let Some(line) = command.as_str() {
        let shell = arguments["shell"].as_str();
        return Some((shell.and_then(Syntax::of_shell), line.to_owned()));
    }
    let words: Vec<&str> = command
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if let [shell, .., option, line] = words[..]
        && let Some(syntax) = Syntax::of_shell(shell)
        && (option.starts_with('-') || (syntax == Syntax::PowerShell && option.starts_with('/')))
    {
        return Some((Some(syntax), line.to_owned()));
    }
    let quoted = words
        .iter()
        .map(|word| format!("'{}'", word.replace('\'', r"'\''")));
    Some((Some(Syntax::Posix), quoted.collect::<Vec<_>>().join(" ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_argument_of_a_shell_is_its_command_only_behind_an_option() {
        let line = |command: Value| command_line(&json!({ "command": command }));
        let (syntax, read) = line(json!(["bash", "-lc", "cat a.md"])).expect("it has a command");
        assert!(matches!(syntax, Some(Syntax::Posix)));
        assert_eq!(read, "cat a.md");
        let (_, read) = line(json!(["cmd.exe", "/c", "type a.md"])).expect("it has a command");
        assert_eq!(read, "type a.md");
        // A script with an argument.
        let (_, read) = line(json!(["bash", "/opt/run.sh", "cat a.md"])).expect("it has a command");
        assert_eq!(read, "'bash' '/opt/run.sh' 'cat a.md'");
    }
}
