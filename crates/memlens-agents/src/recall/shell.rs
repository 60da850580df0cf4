//! What a command line of a shell asks of a memory folder: a search for words in it, or the reading of notes.
//!
//! Only the plain commands that agents use are understood. Whatever else a line does is passed over.

use super::folders::Folders;

/// One thing that a command line does to notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    /// Searches for a pattern below these paths.
    Searches { pattern: String, paths: Vec<String> },
    /// Reads a note, or some of its lines.
    Reads {
        path: String,
        lines: Option<(u32, u32)>,
    },
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

/// What a command line does to notes in these folders, first to last. `from` is the folder in which it runs.
pub(super) fn deeds(
    line: &str,
    folders: &Folders,
    from: Option<&str>,
    session_folder: Option<&str>,
) -> Vec<Deed> {
    let mut deeds = Vec::new();
    if line.len() > LINE {
        return deeds;
    }
    let mut from = from.map(str::to_owned);
    for command in commands(line) {
        let mut words = command.iter().map(String::as_str).peekable();
        while words.peek().is_some_and(|word| is_before_command(word)) {
            words.next();
        }
        let Some(program) = words.next() else {
            continue;
        };
        let program = program.rsplit('/').next().unwrap_or(program);
        let (words, has_text) = without_redirections(words);
        let holds =
            |path: &str| folders.hold(&folders.whole(path, from.as_deref()), session_folder);
        if program == "cd" {
            if let Some(to) = words.first() {
                from = Some(folders.whole(to, from.as_deref()));
            }
        } else if SEARCHERS.contains(&program) {
            let (pattern, mut paths) = searched(&words);
            let is_here = paths.is_empty();
            if is_here {
                paths.push(".".to_owned());
            }
            paths.retain(|path| holds(path));
            if let Some(pattern) = pattern.filter(|_| !paths.is_empty()) {
                deeds.push(Deed::Searches { pattern, paths });
            }
        } else if READERS.contains(&program) && !is_edit(program, &words) {
            let lines = lines_read(program, &words);
            let paths = words
                .iter()
                .filter(|word| !word.starts_with('-') && holds(word));
            deeds.extend(paths.map(|path| Deed::Reads {
                path: (*path).to_owned(),
                lines,
            }));
        }
        if has_text {
            // What follows is a text and no command.
            break;
        }
    }
    deeds
}

/// A command's words without what it writes to and reads from, and whether its text follows.
fn without_redirections<'w>(words: impl Iterator<Item = &'w str>) -> (Vec<&'w str>, bool) {
    let mut left = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let target = word.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '&');
        if target.starts_with("<<") {
            return (left, true);
        }
        if !target.starts_with(['>', '<']) {
            left.push(word);
        } else if target.trim_matches(['>', '<', '&']).is_empty() {
            words.next();
        }
    }
    (left, false)
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

/// A searcher's pattern and paths. Several patterns are one question.
fn searched(words: &[&str]) -> (Option<String>, Vec<String>) {
    let mut patterns: Vec<&str> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
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
        }
    }
    if patterns.is_empty() && !others.is_empty() {
        patterns.push(others.remove(0));
    }
    let pattern = (!patterns.is_empty()).then(|| patterns.join("\n"));
    (pattern, others.into_iter().map(str::to_owned).collect())
}

/// The lines that a reader shows: `sed -n '12,40p'`, `head -n 20`, `head -20`.
fn lines_read(program: &str, words: &[&str]) -> Option<(u32, u32)> {
    match program {
        "sed" => words.iter().find_map(|word| {
            let (first, last) = word.strip_suffix('p')?.split_once(',')?;
            Some((first.parse().ok()?, last.parse().ok()?))
        }),
        "head" => {
            let mut words = words.iter();
            let n = words
                .find_map(|word| word.strip_prefix("-n").or_else(|| word.strip_prefix('-')))?;
            let n: u32 = match n {
                "" => words.next()?.parse().ok()?,
                n => n.parse().ok()?,
            };
            Some((1, n))
        }
        _ => None,
    }
    .filter(|(first, last)| *first > 0 && first <= last)
}

/// A line's commands, each as its words without quotes; what follows `>` or `<` is a word like any other.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
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
            ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')' => {
                let command = commands.last_mut().expect("there is one");
                command.extend(word.take());
                if !matches!(sign, ' ' | '\t') && !command.is_empty() {
                    commands.push(Vec::new());
                }
            }
            sign => word.get_or_insert_default().push(sign),
        }
    }
    commands.last_mut().expect("there is one").extend(word);
    commands.retain(|command| !command.is_empty());
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
        let deeds = deeds(line, &folders, Some("/home/iris/garden"), None);
        let told = deeds.into_iter().map(|deed| match deed {
            Deed::Searches { pattern, paths } => format!("{pattern} in {}", paths.join(" ")),
            Deed::Reads { path, lines } => format!("{path} {lines:?}"),
        });
        told.collect()
    }

    #[test]
    fn searches_and_readings_below_a_memory_folder_are_found() {
        for (line, deeds) in [
            (
                r#"rg -n -i -C 2 "pond pump" ~/.codex/memories"#,
                &["pond pump in ~/.codex/memories"][..],
            ),
            (
                "grep -rn 'koi' --include '*.md' /home/iris/.codex/memories/MEMORY.md | head -20",
                &["koi in /home/iris/.codex/memories/MEMORY.md"],
            ),
            (
                "cd ~/.codex/memories && rg -e koi -e pond",
                &["koi\npond in ."],
            ),
            ("rg koi . ~/.codex/memories", &["koi in ~/.codex/memories"]),
            (
                "LC_ALL=C /usr/bin/grep -- -x ~/.codex/memories/a.md",
                &["-x in ~/.codex/memories/a.md"],
            ),
            (
                "sed -n '12,40p' ~/.codex/memories/MEMORY.md",
                &["~/.codex/memories/MEMORY.md Some((12, 40))"],
            ),
            (
                "head -n 20 ~/.codex/memories/a.md; cat \"$HOME/.codex/memories/b c.md\"",
                &[
                    "~/.codex/memories/a.md Some((1, 20))",
                    "$HOME/.codex/memories/b c.md None",
                ],
            ),
            (
                "head -5 ~/.codex/memories/a.md",
                &["~/.codex/memories/a.md Some((1, 5))"],
            ),
            (
                "cat > ~/.codex/memories/a.md <<'EOF'\ncat ~/.codex/memories/b.md\nEOF",
                &[],
            ),
            (
                "cat ~/.codex/memories/a.md 2>/dev/null >> ~/.codex/memories/b.md",
                &["~/.codex/memories/a.md None"],
            ),
            ("sed -i 's/koi/carp/' ~/.codex/memories/a.md", &[]),
            ("rg koi", &[]),
            ("cat src/main.rs", &[]),
            ("rm -rf ~/.codex/memories", &[]),
            ("rg", &[]),
            ("cat 'unfinished ~/.codex/memories/a.md", &[]),
            ("", &[]),
        ] {
            assert_eq!(told(line), deeds, "{line}");
        }
    }
}
