//! What a command line of a shell asks of a memory folder: a search for words in it, or the reading of notes.
//!
//! Only the plain commands that agents use are understood. Whatever else a line does is passed over.

use super::folders::Folders;
use super::happening::Output;

/// One thing that a command line does to notes, of which the agent sees the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Searches for a pattern below these paths.
    Searches {
        pattern: String,
        paths: Vec<String>,
        output: Output,
        /// Folder in which it runs.
        from: Option<String>,
    },
    /// Reads a note, or some of it. A relative path is joined to the folder in which the command runs.
    Reads { path: String, part: Part },
}

/// What a command shows of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// These lines, first and last, 1-based.
    Lines(u32, u32),
    /// Some lines, and not which.
    Unknown,
}

const SEARCHERS: &[&str] = &["rg", "grep", "egrep", "fgrep", "ugrep", "ag", "ack"];
const READERS: &[&str] = &[
    "cat", "bat", "less", "more", "nl", "head", "tail", "sed", "awk",
];
/// Options of searchers whose value is the next word.
const TAKES_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-m",
    "-g",
    "-t",
    "-T",
    "--glob",
    "--iglob",
    "--type",
    "--max-count",
    "--context",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--after-context",
    "--before-context",
    "--sort",
    "--max-depth",
    "-d",
];
/// A longer line is no command that searches.
const LINE: usize = 64 << 10;

/// Programs in a pipeline that leave lines as they are, or change what is around them.
const PASSES: &[&str] = &[
    "cat", "bat", "less", "more", "nl", "tee", "sort", "uniq", "tac", "fold", "fmt", "tr",
    "column", "expand", "iconv",
];

/// What a command line does to notes in these folders, first to last. `from` is the folder in which it runs.
pub(super) fn actions(
    line: &str,
    folders: &Folders,
    from: Option<&str>,
    session_folder: Option<&str>,
) -> Vec<Action> {
    let mut actions = Vec::new();
    if line.len() > LINE {
        return actions;
    }
    let mut from = from.map(str::to_owned);
    let mut variables: Vec<(String, Vec<String>)> = Vec::new();
    // What the last command of the pipeline so far shows.
    let mut piped: Vec<Action> = Vec::new();
    let mut is_piped = false;
    for command in commands(line) {
        let words = command.words.iter().map(String::as_str);
        let (words, has_text, is_written) = without_redirections(words);
        let words: Vec<String> = words
            .into_iter()
            .flat_map(|word| expanded(word, &variables))
            .collect();
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next_if(|word| is_before_command(word)) {
            if let Some((name, value)) = word.split_once('=') {
                variables.push((name.to_owned(), vec![value.to_owned()]));
            }
        }
        let words: Vec<&str> = words.collect();
        let (program, words) = match words.split_first() {
            Some((program, words)) => (program.rsplit('/').next().unwrap_or(program), words),
            None => ("", &[][..]),
        };
        let is_fed = std::mem::take(&mut is_piped);
        let mut shown = if is_fed {
            filtered(std::mem::take(&mut piped), program, words)
        } else {
            actions.append(&mut piped);
            Vec::new()
        };
        match program {
            "cd" | "pushd" => {
                if let Some(to) = words.first() {
                    from = Some(folders.whole(to, from.as_deref()));
                }
            }
            "for" => {
                if let [name, "in", values @ ..] = words {
                    let values = values.iter().map(|value| (*value).to_owned());
                    variables.push(((*name).to_owned(), values.collect()));
                }
            }
            program => {
                let place = Place {
                    folders,
                    from: from.as_deref(),
                    session_folder,
                };
                shown.extend(place.actions(program, words, is_fed));
            }
        }
        piped = if is_written { Vec::new() } else { shown };
        is_piped = command.is_piped;
        if has_text {
            // What follows is a text and no command.
            break;
        }
    }
    actions.append(&mut piped);
    actions
}

/// Where a command runs.
struct Place<'a> {
    folders: &'a Folders,
    from: Option<&'a str>,
    session_folder: Option<&'a str>,
}

impl Place<'_> {
    /// What a command does by itself; one that is fed by another searches no folder unless it names one.
    fn actions(&self, program: &str, words: &[&str], is_fed: bool) -> Vec<Action> {
        let mut actions = Vec::new();
        if SEARCHERS.contains(&program) {
            let Searched {
                pattern,
                mut paths,
                output,
            } = searched(words);
            if paths.is_empty() && !is_fed {
                paths.push(".".to_owned());
            }
            paths.retain(|path| self.holds(path));
            if let Some(pattern) = pattern.filter(|_| !paths.is_empty()) {
                actions.push(Action::Searches {
                    pattern,
                    paths,
                    output,
                    from: self.from.map(str::to_owned),
                });
            }
        } else if READERS.contains(&program) && !is_edit(program, words) {
            let part = part_read(program, words);
            let paths = words
                .iter()
                .filter(|word| !word.starts_with('-') && self.holds(word));
            actions.extend(paths.map(|path| Action::Reads {
                path: match path.starts_with(['~', '$']) {
                    true => (*path).to_owned(),
                    false => self.folders.whole(path, self.from),
                },
                part,
            }));
        }
        actions
    }

    fn holds(&self, path: &str) -> bool {
        let whole = self.folders.whole(path, self.from);
        self.folders.hold(&whole, self.session_folder)
    }
}

/// What the agent sees of earlier actions of a pipeline after this command.
fn filtered(actions: Vec<Action>, program: &str, words: &[&str]) -> Vec<Action> {
    let is_searcher = SEARCHERS.contains(&program);
    let narrowed = match program {
        "head" | "tail" | "sed" | "awk" => Some(part_read(program, words)),
        _ => None,
    };
    let mut of_search: Option<Vec<String>> = None;
    let mut left = Vec::new();
    for action in actions {
        match action {
            Action::Reads { path, .. } if is_searcher => {
                of_search.get_or_insert_default().push(path);
            }
            Action::Reads { path, part } => {
                let part = match narrowed {
                    Some(narrower) => both(part, narrower),
                    None if PASSES.contains(&program) => part,
                    // Counted, or handed to a program of which nothing is known.
                    None => continue,
                };
                left.push(Action::Reads { path, part });
            }
            Action::Searches {
                pattern,
                paths,
                output,
                from,
            } => {
                let is_as_before = is_searcher
                    || PASSES.contains(&program)
                    || matches!(program, "head" | "tail")
                    || (program == "sed" && words.contains(&"-n"));
                let output = if is_as_before {
                    output
                } else {
                    Output::Changed
                };
                left.push(Action::Searches {
                    pattern,
                    paths,
                    output,
                    from,
                });
            }
        }
    }
    if let Some(paths) = of_search {
        let Searched {
            pattern, output, ..
        } = searched(words);
        // Of several notes nobody knows whose lines they are.
        let output = match paths.len() {
            1 => output,
            _ => Output::Changed,
        };
        left.extend(pattern.map(|pattern| Action::Searches {
            pattern,
            paths,
            output,
            from: None,
        }));
    }
    left
}

/// What is left of a part after a narrower one.
fn both(part: Part, narrower: Part) -> Part {
    match (part, narrower) {
        (part, Part::Whole) => part,
        (Part::Whole, narrower) => narrower,
        (Part::Lines(first, last), Part::Lines(from, to)) => {
            let at = |line: u32| first.saturating_add(line - 1);
            Part::Lines(at(from).min(last), at(to).min(last))
        }
        (Part::Unknown, _) | (_, Part::Unknown) => Part::Unknown,
    }
}

/// A word with the values of a variable that it begins with.
fn expanded(word: &str, variables: &[(String, Vec<String>)]) -> Vec<String> {
    for (name, values) in variables.iter().rev() {
        for named in [format!("${name}"), format!("${{{name}}}")] {
            let rest = word.strip_prefix(&named);
            if let Some(rest) = rest.filter(|it| it.is_empty() || it.starts_with('/')) {
                return values
                    .iter()
                    .map(|value| format!("{value}{rest}"))
                    .collect();
            }
        }
    }
    vec![word.to_owned()]
}

/// A command's words without what it writes to and reads from, whether its text follows, and whether its output goes to a file.
fn without_redirections<'w>(words: impl Iterator<Item = &'w str>) -> (Vec<&'w str>, bool, bool) {
    let mut left = Vec::new();
    let mut is_written = false;
    let mut words = words;
    while let Some(word) = words.next() {
        let target = word.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '&');
        if target.starts_with("<<") {
            return (left, true, is_written);
        }
        if !target.starts_with(['>', '<']) {
            left.push(word);
            continue;
        }
        // Errors may go elsewhere: `2>/dev/null`, `2>&1`.
        let is_output = target.starts_with('>') && !word.starts_with('2');
        is_written |= is_output && !target.starts_with(">&");
        if target.trim_matches(['>', '<', '&']).is_empty() {
            words.next();
        }
    }
    (left, false, is_written)
}

fn is_edit(program: &str, words: &[&str]) -> bool {
    program == "sed" && words.iter().any(|word| word.starts_with("-i"))
}

fn is_before_command(word: &str) -> bool {
    matches!(
        word,
        "sudo" | "command" | "time" | "then" | "do" | "else" | "(" | "{" | "!"
    ) || word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
    })
}

/// What a searcher is given.
struct Searched {
    /// Several patterns are one question.
    pattern: Option<String>,
    paths: Vec<String>,
    output: Output,
}

fn searched(words: &[&str]) -> Searched {
    let mut patterns: Vec<&str> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    let mut output = Output::Lines;
    let mut words = words.iter();
    let mut is_all_names = false;
    while let Some(word) = words.next() {
        if is_all_names || !word.starts_with('-') || *word == "-" {
            others.push(word);
        } else if *word == "--" {
            is_all_names = true;
        } else if matches!(*word, "-e" | "--regexp") {
            patterns.extend(words.next());
        } else if let Some(pattern) = word.strip_prefix("--regexp=") {
            patterns.push(pattern);
        } else if TAKES_VALUE.contains(word) {
            words.next();
        } else {
            match names_or_changed(word) {
                Some(shown) => output = shown,
                // `-rne pattern`
                None if word.ends_with('e') && !word.starts_with("--") => {
                    patterns.extend(words.next());
                }
                None => {}
            }
        }
    }
    if patterns.is_empty() && !others.is_empty() {
        patterns.push(others.remove(0));
    }
    let pattern = (!patterns.is_empty()).then(|| patterns.join("\n"));
    Searched {
        pattern,
        paths: others.into_iter().map(str::to_owned).collect(),
        output,
    }
}

/// What an option of a searcher makes of its output.
fn names_or_changed(option: &str) -> Option<Output> {
    let names = [
        "--files-with-matches",
        "--files-without-match",
        "--count",
        "--count-matches",
    ];
    if names.contains(&option) {
        return Some(Output::Names);
    }
    if matches!(option, "--quiet" | "--silent" | "--no-filename" | "--json") {
        return Some(Output::Changed);
    }
    let letters = option.strip_prefix('-').filter(|it| !it.starts_with('-'))?;
    // A number belongs to a letter before it, as in `-A3`.
    letters.chars().find_map(|letter| match letter {
        'l' | 'L' | 'c' => Some(Output::Names),
        'q' | 'h' => Some(Output::Changed),
        _ => None,
    })
}

/// What a reader shows: `sed -n '12,40p'`, `head -n 20`, `head -20`, `tail -n +5`.
fn part_read(program: &str, words: &[&str]) -> Part {
    let lines = match program {
        "sed" if words.contains(&"-n") => words.iter().find_map(|word| {
            let range = word.strip_suffix('p')?;
            let (first, last) = range.split_once(',').unwrap_or((range, range));
            let last = if last == "$" {
                Some(u32::MAX)
            } else {
                last.parse().ok()
            };
            Some((first.parse().ok()?, last?))
        }),
        "sed" => return Part::Whole,
        "head" => counted(words).and_then(|n| Some((1, n.parse().ok()?))),
        "tail" => counted(words).and_then(|n| Some((n.strip_prefix('+')?.parse().ok()?, u32::MAX))),
        "awk" => None,
        _ => return Part::Whole,
    };
    match lines.filter(|(first, last)| *first > 0 && first <= last) {
        Some((first, last)) => Part::Lines(first, last),
        None if program == "head" && counted(words).is_none() && !has_bytes(words) => {
            Part::Lines(1, 10)
        }
        None => Part::Unknown,
    }
}

/// How many lines `head` and `tail` are told to show.
fn counted<'w>(words: &[&'w str]) -> Option<&'w str> {
    let mut words = words.iter();
    let n = words.find_map(|word| {
        let lines = word
            .strip_prefix("--lines=")
            .or_else(|| word.strip_prefix("-n"));
        let is_number = |word: &&str| word.starts_with(|sign: char| sign.is_ascii_digit());
        lines.or_else(|| word.strip_prefix('-').filter(is_number))
    })?;
    match n {
        "" => words.next().copied(),
        n => Some(n),
    }
}

fn has_bytes(words: &[&str]) -> bool {
    let bytes = |word: &&str| word.starts_with("-c") || word.starts_with("--bytes");
    words.iter().any(bytes)
}

/// One command of a line.
struct Command {
    /// Its words without quotes; what follows `>` or `<` is a word like any other.
    words: Vec<String>,
    /// Whether its output goes to the next command.
    is_piped: bool,
}

/// A line's commands.
fn commands(line: &str) -> Vec<Command> {
    let empty = || Command {
        words: Vec::new(),
        is_piped: false,
    };
    let mut commands = vec![empty()];
    let mut word: Option<String> = None;
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(signs.by_ref().take_while(|sign| *sign != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(sign) = signs.next() {
                    match sign {
                        '"' => break,
                        '\\' if signs.peek().is_some_and(|next| "\"\\$`".contains(*next)) => {
                            word.extend(signs.next());
                        }
                        sign => word.push(sign),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(signs.next()),
            // `2>&1`, `&>file`
            '&' if word.as_ref().is_some_and(|word| word.ends_with(['>', '<']))
                || signs.peek() == Some(&'>') =>
            {
                word.get_or_insert_default().push(sign);
            }
            ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')' => {
                let last = commands.last_mut().expect("there is one");
                last.words.extend(word.take());
                if matches!(sign, ' ' | '\t') {
                    continue;
                }
                let is_or = sign == '|' && signs.next_if_eq(&'|').is_some();
                if last.words.is_empty() {
                    // After a group, the pipe is its last command's.
                    let n = commands.len();
                    if sign == '|' && !is_or && n > 1 {
                        commands[n - 2].is_piped = true;
                    }
                } else {
                    last.is_piped = sign == '|' && !is_or;
                    commands.push(empty());
                }
            }
            sign => word.get_or_insert_default().push(sign),
        }
    }
    let last = commands.last_mut().expect("there is one");
    last.words.extend(word);
    commands.retain(|command| !command.words.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::home::Home;

    fn told(line: &str) -> Vec<String> {
        let home = Home::new(Path::new("/home/iris"));
        let folders = Folders::new(&home).with(Path::new("/home/iris/.codex"), "memories");
        let actions = actions(line, &folders, Some("/home/iris/garden"), None);
        let told = actions.into_iter().map(|action| match action {
            Action::Searches {
                pattern,
                paths,
                output,
                ..
            } => format!("{pattern} in {} {output:?}", paths.join(" ")),
            Action::Reads { path, part } => format!("{path} {part:?}"),
        });
        told.collect()
    }

    #[test]
    fn searches_and_readings_below_a_memory_folder_are_found() {
        for (line, actions) in [
            (
                r#"rg -n -i -C 2 "pond pump" ~/.codex/memories"#,
                &["pond pump in ~/.codex/memories Lines"][..],
            ),
            (
                "grep -rn 'koi' --include '*.md' /home/iris/.codex/memories/MEMORY.md | head -20",
                &["koi in /home/iris/.codex/memories/MEMORY.md Lines"],
            ),
            (
                "cd ~/.codex/memories && rg -e koi -e pond",
                &["koi\npond in . Lines"],
            ),
            (
                "rg koi . ~/.codex/memories",
                &["koi in ~/.codex/memories Lines"],
            ),
            (
                "LC_ALL=C /usr/bin/grep -- -x ~/.codex/memories/a.md",
                &["-x in ~/.codex/memories/a.md Lines"],
            ),
            (
                "sed -n '12,40p' ~/.codex/memories/MEMORY.md",
                &["~/.codex/memories/MEMORY.md Lines(12, 40)"],
            ),
            (
                "head -n 20 ~/.codex/memories/a.md; cat \"$HOME/.codex/memories/b c.md\"",
                &[
                    "~/.codex/memories/a.md Lines(1, 20)",
                    "$HOME/.codex/memories/b c.md Whole",
                ],
            ),
            (
                "head -5 ~/.codex/memories/a.md",
                &["~/.codex/memories/a.md Lines(1, 5)"],
            ),
            (
                "head ~/.codex/memories/a.md",
                &["~/.codex/memories/a.md Lines(1, 10)"],
            ),
            (
                "tail -n 5 ~/.codex/memories/a.md; tail -n +7 ~/.codex/memories/b.md",
                &[
                    "~/.codex/memories/a.md Unknown",
                    "~/.codex/memories/b.md Lines(7, 4294967295)",
                ],
            ),
            // The folder in which it runs is part of the note's name.
            (
                "cd ~/.codex/memories && cat a.md",
                &["/home/iris/.codex/memories/a.md Whole"],
            ),
            // Only what the pipeline's end shows was given.
            (
                "cat ~/.codex/memories/a.md | grep -n koi",
                &["koi in ~/.codex/memories/a.md Lines"],
            ),
            (
                "cat ~/.codex/memories/a.md | head -20 | tail -n +5",
                &["~/.codex/memories/a.md Lines(5, 20)"],
            ),
            (
                "cd ~/.codex/memories && cat a.md | grep koi",
                &["koi in /home/iris/.codex/memories/a.md Lines"],
            ),
            ("cat ~/.codex/memories/a.md | wc -l", &[]),
            ("cat ~/.codex/memories/a.md > /tmp/a.md", &[]),
            (
                "cat ~/.codex/memories/a.md 2>&1 | nl",
                &["~/.codex/memories/a.md Whole"],
            ),
            (
                "rg -l koi ~/.codex/memories",
                &["koi in ~/.codex/memories Names"],
            ),
            (
                "grep -rc koi ~/.codex/memories || true",
                &["koi in ~/.codex/memories Names"],
            ),
            (
                "rg koi ~/.codex/memories | wc -l",
                &["koi in ~/.codex/memories Changed"],
            ),
            (
                "for f in ~/.codex/memories/a.md ~/.codex/memories/b.md; do cat \"$f\"; done",
                &[
                    "~/.codex/memories/a.md Whole",
                    "~/.codex/memories/b.md Whole",
                ],
            ),
            (
                "M=~/.codex/memories; cat $M/a.md",
                &["~/.codex/memories/a.md Whole"],
            ),
            (
                "cat > ~/.codex/memories/a.md <<'EOF'\ncat ~/.codex/memories/b.md\nEOF",
                &[],
            ),
            (
                "cat ~/.codex/memories/a.md 2>/dev/null >> ~/.codex/memories/b.md",
                &[],
            ),
            (
                "cat ~/.codex/memories/a.md 2>/dev/null",
                &["~/.codex/memories/a.md Whole"],
            ),
            ("sed -i 's/koi/carp/' ~/.codex/memories/a.md", &[]),
            ("rg koi", &[]),
            ("cat src/main.rs", &[]),
            ("rm -rf ~/.codex/memories", &[]),
            ("rg", &[]),
            ("cat 'unfinished ~/.codex/memories/a.md", &[]),
            ("", &[]),
        ] {
            assert_eq!(told(line), actions, "{line}");
        }
    }
}
