//! What the agent sees of a command's output behind the `|` of a pipeline.

use super::super::folders::Folders;
use super::super::happening::Output;
use super::{Action, Part, SEARCHERS, Searched, part_read, read_each, searched};

/// Programs in a pipeline that leave lines as they are, or change what is around them.
const PASSES: &[&str] = &[
    "cat", "bat", "less", "more", "nl", "tee", "sort", "uniq", "tac", "fold", "fmt", "tr",
    "column", "expand", "iconv",
];

/// What the agent sees of earlier actions of a pipeline after this command.
pub(super) fn filtered(
    actions: Vec<Action>,
    program: &str,
    words: &[&str],
    folders: &Folders,
) -> Vec<Action> {
    let mut filter = Filter {
        program,
        words,
        narrowed: match program {
            "head" | "tail" | "sed" | "awk" => Some(part_read(program, words)),
            _ => None,
        },
        left: Vec::new(),
        named: Vec::new(),
        of_search: None,
        is_inverted: SEARCHERS.contains(&program) && searched(program, words).is_inverted,
    };
    for action in actions {
        filter.take(action, folders);
    }
    filter.finish()
}

/// A command that reads the output of others.
struct Filter<'w> {
    program: &'w str,
    words: &'w [&'w str],
    /// The part of its input that it prints, if it selects lines by their place.
    narrowed: Option<Part>,
    /// What the agent sees after the command.
    left: Vec<Action>,
    /// Folders and patterns with which `xargs` runs its command.
    named: Vec<(String, String)>,
    /// The notes whose lines it searches, with an empty path for an unknown note; `None` if it searches none.
    of_search: Option<Vec<String>>,
    /// Whether it searches for the lines that do not match.
    is_inverted: bool,
}

impl Filter<'_> {
    fn is_searcher(&self) -> bool {
        SEARCHERS.contains(&self.program)
    }

    fn passes_all(&self) -> bool {
        PASSES.contains(&self.program)
    }

    fn take(&mut self, action: Action, folders: &Folders) {
        match action {
            Action::Lists { folder, pattern } => {
                if self.program == "xargs" {
                    self.named.push((folder, pattern));
                } else if self.is_searcher() || self.passes_all() || self.narrowed.is_some() {
                    self.left.push(Action::Lists { folder, pattern });
                }
            }
            // Some lines are left, and they are no answer to its pattern.
            Action::ReadsAmong {
                folder, pattern, ..
            } if self.is_inverted => self.left.push(Action::ReadsAmong {
                folder,
                pattern,
                part: Part::Unknown,
            }),
            Action::Reads { path, .. } if self.is_inverted => self.left.push(Action::Reads {
                path,
                part: Part::Unknown,
            }),
            // With several notes it is unknown whose lines are left.
            Action::ReadsAmong { .. } if self.is_searcher() => {
                self.of_search.get_or_insert_default().push(String::new());
            }
            Action::ReadsAmong { .. } => {
                if self.passes_all() || self.narrowed.is_some() {
                    self.left.push(action);
                }
            }
            Action::Searches {
                paths,
                output: Output::Names,
                from,
                ..
            } if self.program == "xargs" => {
                let place = |path: &String| folders.settled(path, from.as_deref());
                let places = paths.iter().map(|path| (place(path), "**".to_owned()));
                self.named.extend(places);
            }
            Action::Reads { path, .. } if self.is_searcher() => {
                self.of_search.get_or_insert_default().push(path);
            }
            Action::Reads { path, part } => {
                let part = match self.narrowed {
                    Some(narrower) => both(part, narrower),
                    None if self.passes_all() => part,
                    // Counted, or handed to a program of which nothing is known.
                    None => return,
                };
                self.left.push(Action::Reads { path, part });
            }
            Action::Searches {
                pattern,
                paths,
                output,
                from,
            } => {
                let output = match self.keeps_lines() {
                    true => output,
                    false => Output::Changed,
                };
                self.left.push(Action::Searches {
                    pattern,
                    paths,
                    output,
                    from,
                });
            }
        }
    }

    /// Whether the lines that it prints of a search's output are as the search printed them.
    fn keeps_lines(&self) -> bool {
        self.is_searcher()
            || self.passes_all()
            || matches!(self.program, "head" | "tail")
            || (self.program == "sed" && self.words.contains(&"-n"))
    }

    fn finish(mut self) -> Vec<Action> {
        if !self.named.is_empty() {
            self.left
                .extend(read_each(self.named, command_of_xargs(self.words)));
        }
        if let Some(paths) = self.of_search {
            let Searched {
                pattern, output, ..
            } = searched(self.program, self.words);
            // With several notes it is not known to which one the lines belong.
            let output = match paths.len() {
                1 => output,
                _ => Output::Changed,
            };
            self.left.extend(pattern.map(|pattern| Action::Searches {
                pattern,
                paths,
                output,
                from: None,
            }));
        }
        self.left
    }
}

/// The command that `xargs` runs, without its own options.
fn command_of_xargs<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        let takes_next = matches!(*word, "-I" | "-n" | "-P" | "-L" | "-s" | "-d" | "-a" | "-E");
        at += if takes_next { 2 } else { 1 };
    }
    words.get(at..).unwrap_or_default()
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
