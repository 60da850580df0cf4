//! Tools for files, if what they read or search is a memory folder.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Used;
use super::among::Among;
use super::folders::Folders;
use super::happening::{Call, Output, Shape};
use super::shell::{Action, Part, actions};
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
    let text = |names: &[&str]| {
        let texts = names.iter().filter_map(|name| arguments[*name].as_str());
        texts.into_iter().find(|text| !text.is_empty())
    };
    let opening = |path: &str, lines| Used {
        path: path.to_owned(),
        lines,
        at_ms,
        is_part: false,
    };
    match name {
        "Read" | "read" | "read_file" | "view" => {
            let path = text(&["file_path", "absolute_path", "path"]);
            let path = path.filter(|path| folders.hold(path, session_folder));
            let used = path.map(|path| opening(path, tools::lines(arguments)));
            used.map(|used| Call::Open(vec![used]))
                .into_iter()
                .collect()
        }
        "Grep" | "grep" | "grep_search" | "search_file_content" | "search_files" => {
            let place = text(&["path", "dir_path", "file_path"]).or(session_folder);
            let place = place.filter(|place| folders.hold(place, session_folder));
            let (Some(place), Some(pattern)) = (place, text(&["pattern", "query"])) else {
                return Vec::new();
            };
            vec![Call::Search {
                question: pattern.to_owned(),
                settings: tools::settings(arguments, &["pattern", "query"]),
                is_pattern: true,
                answer: Shape::Found {
                    place: place.to_owned(),
                    from: None,
                    output: match (name, text(&["output_mode"])) {
                        // Claude Code shows names unless it is asked for lines.
                        ("Grep", None | Some("files_with_matches" | "count")) => Output::Names,
                        _ => Output::Lines,
                    },
                },
            }]
        }
        "Bash" | "bash" | "exec" | "shell" | "shell_command" | "exec_command"
        | "container.exec" | "run_shell_command" | "terminal" => {
            let Some(line) = command_line(arguments) else {
                return Vec::new();
            };
            let from = text(&["workdir", "cwd", "working_directory", "directory"]);
            let from = from.map(|from| folders.whole(from, session_folder));
            let from = from.as_deref().or(session_folder);
            let mut opened = Vec::new();
            let mut among = Vec::new();
            // Several searches share one answer, so they are one question.
            let mut patterns = Vec::new();
            let mut shape: Option<Shape> = None;
            for action in actions(&line, folders, from, session_folder) {
                match action {
                    Action::Reads { path, part } => opened.push(match part {
                        Part::Whole => opening(&path, None),
                        Part::Lines(first, last) => opening(&path, Some((first, last))),
                        Part::Unknown => Used {
                            is_part: true,
                            ..opening(&path, None)
                        },
                    }),
                    Action::ReadsAmong {
                        folder,
                        pattern,
                        part,
                    } => among.push(Among {
                        folder,
                        pattern,
                        lines: match part {
                            Part::Lines(first, last) => Some((first, last)),
                            Part::Whole | Part::Unknown => None,
                        },
                        is_part: part == Part::Unknown,
                        at_ms,
                    }),
                    Action::Lists { .. } => {}
                    Action::Searches {
                        pattern,
                        paths,
                        output,
                        from,
                    } => {
                        patterns.push(pattern);
                        let is_wild = paths.iter().any(|path| path.contains(['*', '?', '[']));
                        let is_several = shape.is_some() || paths.len() > 1 || is_wild;
                        let mut paths = paths.into_iter();
                        shape = Some(Shape::Found {
                            // Bare lines are of no one note if there are several.
                            place: paths.next().filter(|_| !is_several).unwrap_or_default(),
                            from,
                            output,
                        });
                    }
                }
            }
            // The output of a search cannot be separated from that of files read beside it.
            let is_mixed = !opened.is_empty() || !among.is_empty();
            let mut calls = Vec::new();
            if let Some(Shape::Found {
                place,
                from,
                output,
            }) = shape
            {
                calls.push(Call::Search {
                    question: patterns.join("\n"),
                    settings: BTreeMap::new(),
                    is_pattern: true,
                    answer: Shape::Found {
                        place: if is_mixed { String::new() } else { place },
                        from,
                        output,
                    },
                });
            }
            if !opened.is_empty() {
                calls.push(Call::Open(opened));
            }
            if !among.is_empty() {
                calls.push(Call::OpenAmong(among));
            }
            calls
        }
        _ => Vec::new(),
    }
}

/// The shell command of a call: a string, or a program with its arguments, of which a shell's last is the command.
fn command_line(arguments: &Value) -> Option<String> {
    let command = [&arguments["command"], &arguments["cmd"]];
    let command = command.into_iter().find(|command| !command.is_null())?;
    if let Some(line) = command.as_str() {
        return Some(line.to_owned());
    }
    let words: Vec<&str> = command
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    match words[..] {
        [shell, .., option, line] if shell.ends_with("sh") && option.starts_with('-') => {
            Some(line.to_owned())
        }
        _ => Some(
            words
                .iter()
                .map(|word| format!("'{}'", word.replace('\'', r"'\''")))
                .collect::<Vec<_>>()
                .join(" "),
        ),
    }
}
