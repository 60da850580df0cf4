//! Parses the output of file searchers into results: `rg`, `grep`, and the agents' own tools of that kind.

use super::happening::Output;
use super::{Returned, text_line};

/// Maximum number of results of one search.
const RESULTS: usize = 1000;
const NOTES: &[&str] = &[".md", ".markdown", ".txt", ".mdx", ".org"];

/// Parsed output of a searcher.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// Files with matching lines, or their names alone.
    Results(Vec<Returned>),
    Nothing,
    Error,
    Other,
}

/// Reads the output of a searcher: the files that it names, each with the lines that it shows of it. Lines without a file are
/// those of `place`, if that is a note.
pub(super) fn found(text: &str, place: &str, output: Output) -> Found {
    let text = output_of(text);
    // Context lines are joined to their path by the sign that may also be in it: only paths of other lines are recognised.
    let known: Vec<&str> = match output {
        Output::Lines => text
            .lines()
            .filter_map(|line| Some(named(line)?.path))
            .collect(),
        Output::Names | Output::Changed => Vec::new(),
    };
    // Only beside lines that match are there others.
    let has_numbers = text
        .lines()
        .any(|line| numbered(line.strip_prefix('L').unwrap_or(line), ':').is_some());
    let mut found: Vec<Returned> = Vec::new();
    // Gemini CLI names a file once, and then its lines.
    let mut of_file: Option<&str> = None;
    let (mut has_error, mut has_other) = (false, false);
    for line in text.lines() {
        let line = line.trim_end();
        let Some(named) = place_of(line, &mut of_file, place, &known, has_numbers) else {
            has_error |= is_error(line);
            has_other |= !line.is_empty() && !is_frame(line);
            continue;
        };
        let Named { path, at, text, .. } = named;
        let is_name_only = named.is_name_only || output == Output::Names;
        let path = path.strip_prefix("./").unwrap_or(path);
        if let Some(last) = found.last_mut()
            && last.path == path
            && last.is_name_only == is_name_only
        {
            let is_next = match (&mut last.lines, at) {
                // Lines that follow each other are one result.
                (Some((_, end)), Some(at)) if at == *end || at == *end + 1 => {
                    *end = at;
                    true
                }
                (None, None) => true,
                _ => false,
            };
            if is_next {
                text_line::add(last, text);
                continue;
            }
        }
        if found.len() == RESULTS {
            break;
        }
        let mut result = Returned {
            path: path.to_owned(),
            lines: at.filter(|_| !is_name_only).map(|at| (at, at)),
            score: None,
            is_name_only,
            line_hashes: Vec::new(),
            text: None,
        };
        if !is_name_only {
            text_line::add(&mut result, text);
        }
        found.push(result);
    }
    if !found.is_empty() {
        Found::Results(found)
    } else if has_error {
        Found::Error
    } else if has_other {
        Found::Other
    } else {
        Found::Nothing
    }
}

/// The place that a line shows.
fn place_of<'l>(
    line: &'l str,
    of_file: &mut Option<&'l str>,
    place: &'l str,
    known: &[&'l str],
    has_numbers: bool,
) -> Option<Named<'l>> {
    if let Some(path) = line.strip_prefix("File: ") {
        *of_file = Some(path);
        return None;
    }
    if is_frame(line) || is_error(line) {
        return None;
    }
    let lines_of = of_file.unwrap_or(place);
    let shows = |path, at, text| Named {
        path,
        at,
        text,
        is_name_only: false,
    };
    let bare = line.strip_prefix('L').unwrap_or(line);
    let number = numbered(bare, ':').or_else(|| numbered(bare, '-').filter(|_| has_numbers));
    if let Some((at, text)) = number.filter(|_| is_note(lines_of)) {
        return Some(shows(lines_of, Some(at), text));
    }
    let of_known = known.iter().find_map(|path| {
        let (number, text) = numbered(line.strip_prefix(path)?.strip_prefix('-')?, '-')?;
        Some(shows(*path, Some(number), text))
    });
    of_known
        .or_else(|| named(line))
        // Of one note a searcher shows bare lines.
        .or_else(|| (!line.is_empty() && is_note(place)).then(|| shows(place, None, line)))
}

/// Whether a line belongs to no file and reports that something was or was not found.
fn is_frame(line: &str) -> bool {
    let frames = [
        "No files found",
        "No matches found",
        "No match found",
        "Found ",
        "(no output)",
        "(empty)",
        "(Bash completed with no output)",
        "--",
    ];
    frames.iter().any(|frame| line.starts_with(frame))
}

/// Whether a line is an error message of a shell or searcher.
fn is_error(line: &str) -> bool {
    let programs = [
        "rg: ",
        "grep: ",
        "egrep: ",
        "fgrep: ",
        "ugrep: ",
        "ag: ",
        "ack: ",
        "bash: ",
        "/bin/bash: ",
        "sh: ",
        "/bin/sh: ",
        "zsh: ",
        "zsh:",
        "bwrap: ",
        "error: ",
        "Error: ",
        "cat: ",
        "cd: ",
        "Get-Content: ",
        "Get-Content : ",
        "Select-String: ",
        "Select-String : ",
        "Get-ChildItem: ",
        "Get-ChildItem : ",
    ];
    programs.iter().any(|program| line.starts_with(program))
        || line.contains("sandbox error")
        || line.contains("sandbox denied")
        || line.contains("failed in sandbox")
}

/// Output of a command, without what agents wrap around it.
pub(super) fn output_of(text: &str) -> &str {
    // Codex: the process, then its output.
    if let Some((_, output)) = text.split_once("\nOutput:\n") {
        return output;
    }
    if text.ends_with("\nOutput:") {
        return "";
    }
    // Claude Code, of a command that failed.
    if let Some(rest) = text.strip_prefix("Exit code ") {
        return rest.split_once('\n').map_or("", |(_, output)| output);
    }
    // Gemini CLI: the output between the command and its exit code.
    if is_of_gemini(text)
        && let Some((_, output)) = split_line(text, "Output: ")
    {
        let ends = [
            "\nError: ",
            "\nExit Code: ",
            "\nSignal: ",
            "\nProcess Group PGID: ",
        ];
        let end = ends.iter().filter_map(|end| output.find(end)).min();
        return &output[..end.unwrap_or(output.len())];
    }
    text
}

/// Whether a text is the answer of Gemini CLI's shell.
fn is_of_gemini(text: &str) -> bool {
    text.starts_with("Command: ") || text.starts_with("Output: ")
}

/// Exit code that a text contains, of the process whose output it is.
pub(super) fn exit_code(text: &str) -> Option<i64> {
    let number = |text: &str| -> Option<i64> { text.lines().next()?.trim().parse().ok() };
    let after = |text: &str, label: &str| -> Option<i64> { number(text.split_once(label)?.1) };
    if is_of_gemini(text) {
        return number(text.rsplit_once("\nExit Code: ")?.1);
    }
    // Codex says it before the output, Claude Code in the first line.
    if let Some((head, _)) = text.split_once("\nOutput:") {
        return after(head, "Process exited with code ").or_else(|| after(head, "Exit code: "));
    }
    number(text.strip_prefix("Exit code ")?)
}

/// The text after a label at the beginning of a line.
fn split_line<'t>(text: &'t str, label: &str) -> Option<(&'t str, &'t str)> {
    if let Some(rest) = text.strip_prefix(label) {
        return Some(("", rest));
    }
    text.split_once(&format!("\n{label}"))
}

/// Results written as text, as qmd prints them: `#a1b2c3 87% notes/pond.md - Title`.
pub(super) fn ranked(text: &str) -> Option<Vec<Returned>> {
    if text.starts_with("No results found") {
        return Some(Vec::new());
    }
    let results: Vec<Returned> = text
        .lines()
        .filter_map(|line| {
            let (id, rest) = line.strip_prefix('#')?.split_once(' ')?;
            let (share, rest) = rest.trim_start().split_once("% ")?;
            let path = rest.split(" - ").next()?.trim();
            let is_id = id.chars().all(|sign| sign.is_ascii_hexdigit());
            (is_id && !path.is_empty()).then_some(Returned {
                path: path.to_owned(),
                lines: None,
                score: Some(share.parse::<f64>().ok()? / 100.0),
                is_name_only: false,
                line_hashes: Vec::new(),
                text: None,
            })
        })
        .take(RESULTS)
        .collect();
    (!results.is_empty()).then_some(results)
}

/// The number and the text of a line such as `12:text`, or `12-text` beside one that matched.
fn numbered(line: &str, sign: char) -> Option<(u32, &str)> {
    let (number, text) = line.split_once(sign)?;
    let number = number.parse().ok().filter(|number| *number > 0)?;
    Some((number, text))
}

/// What a line shows of a file.
struct Named<'l> {
    path: &'l str,
    at: Option<u32>,
    /// The text that it shows.
    text: &'l str,
    /// Whether the line is the file's name and nothing else.
    is_name_only: bool,
}

/// The file of a line such as `notes/pond.md:12:text`, `notes/pond.md:text` or `notes/pond.md`.
fn named(line: &str) -> Option<Named<'_>> {
    let mut ends = line.match_indices(':').map(|(at, _)| at);
    let named = ends.find_map(|at| {
        let (path, rest) = (&line[..at], &line[at + 1..]);
        let number = numbered(rest, ':');
        let is_it = is_note(path) || (number.is_some() && path.contains(['/', '\\']));
        // Select-String marks a line that matches among others.
        let marked = path.strip_prefix("> ").or_else(|| path.strip_prefix("  "));
        let path = marked.filter(|_| number.is_some()).unwrap_or(path);
        is_it.then_some(Named {
            path,
            at: number.map(|(at, _)| at),
            text: number.map_or(rest, |(_, text)| text),
            is_name_only: false,
        })
    });
    let is_name = |line: &str| is_note(line) && !line.contains(": ");
    named.or_else(|| {
        is_name(line).then_some(Named {
            path: line,
            at: None,
            text: "",
            is_name_only: true,
        })
    })
}

fn is_note(path: &str) -> bool {
    let lower = path.to_lowercase();
    NOTES
        .iter()
        .any(|end| lower.ends_with(end) && lower.len() > end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed_in(text: &str) -> Vec<String> {
        results_of(text, "/m", Output::Lines)
    }

    fn results_of(text: &str, place: &str, output: Output) -> Vec<String> {
        match found(text, place, output) {
            Found::Results(found) => found.into_iter().map(line).collect(),
            other @ (Found::Nothing | Found::Error | Found::Other) => vec![format!("{other:?}")],
        }
    }

    fn line(it: Returned) -> String {
        let name = if it.is_name_only { " (name)" } else { "" };
        match it.lines {
            Some((first, last)) => format!("{}:{first}-{last}{name}", it.path),
            None => it.path + name,
        }
    }

    #[test]
    fn what_searchers_print_is_read_back() {
        for (text, results) in [
            (
                "/m/a.md:3:pond\n/m/a.md:4:pump\n/m/a.md:9:koi\n/m/b.md:1:x: y",
                &["/m/a.md:3-4", "/m/a.md:9-9", "/m/b.md:1-1"][..],
            ),
            (
                "Found 2 files\n/m/a.md\n/m/b c.md",
                &["/m/a.md (name)", "/m/b c.md (name)"],
            ),
            (
                "/m/a-1.md-11-before\n/m/a-1.md:12:koi\n/m/a-1.md-13-after\n--\n/m/b.md:4:koi",
                &["/m/a-1.md:11-13", "/m/b.md:4-4"],
            ),
            ("./a.md:koi at 8:30\n./a.md:pond", &["a.md"]),
            ("C:\\m\\a.md:7:koi", &["C:\\m\\a.md:7-7"]),
            (
                "\r\n  memories\\a.md:6:before\r\n> memories\\a.md:7:koi\r\n  memories\\a.md:8:after\r\n",
                &["memories\\a.md:6-8"],
            ),
            (
                "Select-String : Cannot find path 'C:\\m\\a.md' because it does not exist.",
                &["Error"],
            ),
            (
                "Found 2 matches for pattern \"koi\" in path \"/m\":\n---\nFile: a.md\nL4: koi\nL5: koi too\n---",
                &["a.md:4-5"],
            ),
            (
                "Chunk ID: 8a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nMEMORY.md:2:koi\n",
                &["MEMORY.md:2-2"],
            ),
            ("No files found", &["Nothing"]),
            ("", &["Nothing"]),
            ("Exit code 1", &["Nothing"]),
            (
                "Chunk ID: 8a\nProcess exited with code 1\nOutput:",
                &["Nothing"],
            ),
            (
                "Command: rg koi\nOutput: (empty)\nExit Code: 1",
                &["Nothing"],
            ),
            ("rg: /m: No such file or directory (os error 2)", &["Error"]),
            (
                "Process exited with code 1\nOutput:\nbwrap: setting up uid map: Permission denied",
                &["Error"],
            ),
            ("the pond is deep", &["Other"]),
        ] {
            assert_eq!(listed_in(text), results, "{text}");
        }
    }

    #[test]
    fn lines_of_one_note_stand_without_its_name() {
        let note = "/m/MEMORY.md";
        for (text, output, results) in [
            (
                "12:pump\n13-after it\n",
                Output::Lines,
                "/m/MEMORY.md:12-13",
            ),
            ("the pump of the pond", Output::Lines, "/m/MEMORY.md"),
            (
                "grep: /m/MEMORY.md: No such file or directory",
                Output::Lines,
                "Error",
            ),
            ("", Output::Lines, "Nothing"),
            ("/m/MEMORY.md:3", Output::Names, "/m/MEMORY.md (name)"),
        ] {
            assert_eq!(results_of(text, note, output), [results], "{text}");
        }
    }

    #[test]
    fn results_in_words_are_read_back() {
        let listed_in =
            ranked("Found 1 result for \"koi\":\n\n#a1b2c3 87% notes/pond.md - The pond\n");
        let listed_in = listed_in.expect("they are results");
        assert_eq!(
            (listed_in[0].path.as_str(), listed_in[0].score),
            ("notes/pond.md", Some(0.87))
        );
        assert_eq!(ranked("No results found for \"koi\""), Some(Vec::new()));
        assert_eq!(ranked("# A note about 40% more"), None);
    }
}
