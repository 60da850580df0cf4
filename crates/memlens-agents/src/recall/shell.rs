//! What a command line of a shell asks of a memory folder: a search for words in it, or the reading of notes.
//!
//! Only the plain commands that agents use are understood. Whatever else a line does is passed over.

mod pipeline;
mod powershell;

use self::pipeline::filtered;
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
    /// Reads notes that a pattern names: which ones, only its output shows.
    ReadsAmong {
        /// Absolute path, which contains no wildcards.
        folder: String,
        /// Wildcards over paths below the folder.
        pattern: String,
        part: Part,
    },
    /// Names files of a folder, which another command may read.
    Lists {
        /// Absolute path, which contains no wildcards.
        folder: String,
        /// Wildcards over paths below the folder.
        pattern: String,
    },
}

/// What a command shows of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
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
/// Long options of searchers whose value is the next word.
const TAKES_VALUE: &[&str] = &[
    "--glob",
    "--iglob",
    "--type",
    "--type-not",
    "--max-count",
    "--context",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--after-context",
    "--before-context",
    "--sort",
    "--max-depth",
    "--file",
];
/// Letters of options whose value is the rest of the word, or the next one: of `grep` and its like, and of `rg`.
const GREP_VALUES: &str = "ABCmdDf";
const RG_VALUES: &str = "ABCmdfgtTjEMr";
/// Maximum number of words that braces are expanded to.
const ALTERNATIVES_MAX: usize = 64;
/// A longer line is no command that searches.
const LINE: usize = 64 << 10;

/// How a command line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// For `sh`, `bash`, `zsh` and their like.
    Posix,
    /// For PowerShell, or for `cmd`, whose plain commands read the same.
    PowerShell,
}

impl Syntax {
    /// The syntax of a shell by its name or path; `None` if it is no known shell.
    pub fn of_shell(shell: &str) -> Option<Syntax> {
        let name = shell
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or(shell)
            .to_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        match name {
            "powershell" | "pwsh" | "cmd" => Some(Syntax::PowerShell),
            name if name.ends_with("sh") => Some(Syntax::Posix),
            _ => None,
        }
    }
}

/// What a command line does to notes in these folders, first to last. `from` is the folder in which it runs.
pub(super) fn actions(
    line: &str,
    syntax: Syntax,
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
    let commands = match syntax {
        Syntax::Posix => commands(line),
        Syntax::PowerShell => powershell::commands(line),
    };
    for command in commands {
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
            filtered(std::mem::take(&mut piped), program, words, folders)
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

/// Working folder of a command.
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
                is_inverted,
            } = searched(program, words);
            if paths.is_empty() && !is_fed {
                paths.push(".".to_owned());
            }
            paths.retain(|path| self.holds(path));
            if is_inverted {
                let paths = paths.iter().flat_map(|path| braces(path));
                actions.extend(paths.filter_map(|path| self.unmatched(path, output)));
            } else if let Some(pattern) = pattern.filter(|_| !paths.is_empty()) {
                actions.push(Action::Searches {
                    pattern,
                    paths,
                    output,
                    from: self.from.map(str::to_owned),
                });
            }
        } else if READERS.contains(&program) && !is_edit(program, words) {
            let part = part_read(program, words);
            for path in operands(program, words).flat_map(braces) {
                if !self.holds(&path) {
                    continue;
                }
                actions.push(self.reading(path, part));
            }
        } else if matches!(program, "find" | "fd" | "fdfind" | "ls") {
            actions.extend(self.listed(program, words));
        }
        actions
    }

    /// What a searcher shows of a path by what does not match: some lines of a note, or names. `None` if that is not known.
    fn unmatched(&self, path: String, output: Output) -> Option<Action> {
        let all = || (self.folders.settled(&path, self.from), "**".to_owned());
        match output {
            Output::Names => {
                let (folder, pattern) = self.pattern(&path).unwrap_or_else(all);
                Some(Action::Lists { folder, pattern })
            }
            Output::Lines if is_file_name(&path) => Some(self.reading(path, Part::Unknown)),
            Output::Lines => {
                let (folder, pattern) = self.pattern(&path).unwrap_or_else(all);
                let part = Part::Unknown;
                Some(Action::ReadsAmong {
                    folder,
                    pattern,
                    part,
                })
            }
            Output::Changed => None,
        }
    }

    /// The reading of a path, which may hold wildcards.
    fn reading(&self, path: String, part: Part) -> Action {
        match self.pattern(&path) {
            Some((folder, pattern)) => Action::ReadsAmong {
                folder,
                pattern,
                part,
            },
            None => Action::Reads {
                path: match path.starts_with(['~', '$']) {
                    true => path,
                    false => self.folders.whole(&path, self.from),
                },
                part,
            },
        }
    }

    /// What a command that lists files does: it names them, or has each read by another command.
    fn listed(&self, program: &str, words: &[&str]) -> Vec<Action> {
        let n_paths = match program {
            "find" => words
                .iter()
                .position(|word| word.starts_with(['-', '(', '!'])),
            _ => None,
        };
        let paths = &words[..n_paths.unwrap_or(words.len())];
        let mut paths: Vec<String> = paths
            .iter()
            .filter(|word| !word.starts_with('-'))
            .flat_map(|word| braces(word))
            .collect();
        if program.starts_with("fd") && !paths.is_empty() {
            // The first is what names have to match.
            paths.remove(0);
        }
        if paths.is_empty() {
            paths.push(".".to_owned());
        }
        paths.retain(|path| self.holds(path));
        let name = words
            .windows(2)
            .find(|two| matches!(two[0], "-name" | "-iname"))
            .map(|two| two[1]);
        let places = paths.iter().map(|path| {
            let whole = self.folders.settled(path, self.from);
            match (self.pattern(path), name) {
                (Some(place), _) => place,
                (None, Some(name)) => (whole, format!("**/{name}")),
                (None, None) => (whole, "**".to_owned()),
            }
        });
        let runs: &[&str] = match program {
            "find" => &["-exec", "-execdir", "-ok"],
            "ls" => &[],
            _ => &["-x", "-X", "--exec", "--exec-batch"],
        };
        let run = words.iter().position(|word| runs.contains(word));
        let Some(run) = run else {
            return places
                .map(|(folder, pattern)| Action::Lists { folder, pattern })
                .collect();
        };
        let inner = &words[run + 1..];
        let end = inner.iter().position(|word| matches!(*word, ";" | "+"));
        read_each(places.collect(), &inner[..end.unwrap_or(inner.len())])
    }

    /// The folder and the wildcards of a path that holds wildcards, or variables that are not known.
    fn pattern(&self, path: &str) -> Option<(String, String)> {
        let whole = self.folders.settled(path, self.from);
        let is_wild = |part: &&str| part.contains(['*', '?', '[', '$', '`']);
        let parts: Vec<&str> = whole.split('/').collect();
        let at = parts.iter().position(is_wild)?;
        let last = parts.len() - 1;
        let patterns = parts.iter().enumerate().skip(at);
        let patterns = patterns.map(|(n, part)| match part.contains(['$', '`']) {
            true if n == last => "**",
            true => "*",
            false => part,
        });
        Some((
            parts[..at].join("/"),
            patterns.collect::<Vec<_>>().join("/"),
        ))
    }

    fn holds(&self, path: &str) -> bool {
        let whole = self.folders.whole(path, self.from);
        self.folders.hold(&whole, self.session_folder)
    }
}

/// The files that a reader is given: without options, their values, and the script of `sed` or `awk`.
fn operands<'w>(program: &str, words: &'w [&'w str]) -> impl Iterator<Item = &'w str> {
    let takes_value: &[&str] = match program {
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "sed" => &["-e", "-f", "--expression", "--file"],
        "awk" => &["-f", "-v", "-F"],
        "nl" => &["-b", "-s", "-w", "-v", "-i", "-n"],
        "bat" => &["-l", "-r", "--language", "--line-range", "--style"],
        _ => &[],
    };
    let has_script = matches!(program, "sed" | "awk")
        && !words.iter().any(|word| {
            word.starts_with("-e") || word.starts_with("-f") || word.starts_with("--expression")
        });
    let mut is_value = false;
    let operands = words.iter().copied().filter(move |word| {
        if std::mem::take(&mut is_value) {
            return false;
        }
        is_value = takes_value.contains(word);
        !word.starts_with('-')
    });
    operands.skip(usize::from(has_script))
}

/// What a command does that is run with each file of some places.
fn read_each(places: Vec<(String, String)>, command: &[&str]) -> Vec<Action> {
    let Some((program, words)) = command.split_first() else {
        return Vec::new();
    };
    let program = program.rsplit('/').next().unwrap_or(program);
    if SEARCHERS.contains(&program) {
        let Searched {
            pattern,
            output,
            is_inverted,
            ..
        } = searched(program, words);
        if is_inverted {
            return match output {
                Output::Lines => read_among(places, Part::Unknown),
                Output::Names | Output::Changed => Vec::new(),
            };
        }
        let paths: Vec<String> = places.into_iter().map(|(folder, _)| folder).collect();
        return pattern
            .filter(|_| !paths.is_empty())
            .map(|pattern| Action::Searches {
                pattern,
                paths,
                output,
                from: None,
            })
            .into_iter()
            .collect();
    }
    if !READERS.contains(&program) || is_edit(program, words) {
        return Vec::new();
    }
    read_among(places, part_read(program, words))
}

fn read_among(places: Vec<(String, String)>, part: Part) -> Vec<Action> {
    let places = places.into_iter();
    places
        .map(|(folder, pattern)| Action::ReadsAmong {
            folder,
            pattern,
            part,
        })
        .collect()
}

/// A word with each of the alternatives that it names in braces: `{a,b}.md`.
fn braces(word: &str) -> Vec<String> {
    let found = word.find('{').and_then(|start| {
        let end = start + word[start..].find('}')?;
        let is_list = word[start..end].contains(',') && !word[..start].ends_with('$');
        is_list.then_some((start, end))
    });
    let Some((start, end)) = found else {
        return vec![word.to_owned()];
    };
    word[start + 1..end]
        .split(',')
        .take(ALTERNATIVES_MAX)
        .flat_map(|one| {
            let rest = braces(&word[end + 1..]);
            let joined = move |rest| format!("{}{one}{rest}", &word[..start]);
            rest.into_iter().map(joined).collect::<Vec<_>>()
        })
        .take(ALTERNATIVES_MAX)
        .collect()
}

/// A word with the values of a variable that it begins with.
fn expanded(word: &str, variables: &[(String, Vec<String>)]) -> Vec<String> {
    for (name, values) in variables.iter().rev() {
        for named in [format!("${name}"), format!("${{{name}}}")] {
            let rest = word.strip_prefix(&named);
            if let Some(rest) = rest.filter(|it| it.is_empty() || it.starts_with(['/', '\\'])) {
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
    /// Whether it shows what does not match, so that its answer is none to the pattern.
    is_inverted: bool,
}

fn searched(program: &str, words: &[&str]) -> Searched {
    let mut patterns: Vec<&str> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    let mut output = Output::Lines;
    let mut is_inverted = false;
    let is_rg = program == "rg";
    let values = if is_rg { RG_VALUES } else { GREP_VALUES };
    let mut words = words.iter();
    let mut is_all_names = false;
    while let Some(word) = words.next() {
        if is_all_names || !word.starts_with('-') || *word == "-" {
            others.push(word);
        } else if *word == "--" {
            is_all_names = true;
        } else if let Some(long) = word.strip_prefix("--") {
            if long == "regexp" {
                patterns.extend(words.next());
            } else if let Some(pattern) = long.strip_prefix("regexp=") {
                patterns.push(pattern);
            } else if TAKES_VALUE.contains(word) {
                words.next();
            } else if is_inverting(long) {
                is_inverted = true;
                if long.starts_with('f') {
                    output = Output::Names;
                }
            } else if let Some(shown) = shown_by(word) {
                output = shown;
            }
        } else {
            for (at, letter) in word.char_indices().skip(1) {
                let rest = &word[at + letter.len_utf8()..];
                match letter {
                    'l' | 'c' => output = Output::Names,
                    // `rg -L` follows links.
                    'L' if !is_rg => {
                        is_inverted = true;
                        output = Output::Names;
                    }
                    'v' => is_inverted = true,
                    'q' | 'h' => output = Output::Changed,
                    // `-rne pattern`, `-epattern`
                    'e' => patterns.extend(match rest {
                        "" => words.next().copied(),
                        rest => Some(rest),
                    }),
                    letter if values.contains(letter) && rest.is_empty() => {
                        words.next();
                    }
                    _ => {}
                }
                if letter == 'e' || values.contains(letter) {
                    break;
                }
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
        is_inverted,
    }
}

/// Whether a long option without its dashes, perhaps shortened, shows what does not match.
fn is_inverting(option: &str) -> bool {
    let is_short_for =
        |whole: &str, least: &str| option.starts_with(least) && whole.starts_with(option);
    is_short_for("invert-match", "inv") || is_short_for("files-without-matches", "files-witho")
}

/// Whether a path ends in the name of a file with an ending, not of a folder.
fn is_file_name(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rfind('.')
        .is_some_and(|dot| dot > 0 && dot + 1 < name.len())
}

/// What a long option of a searcher makes of its output.
fn shown_by(option: &str) -> Option<Output> {
    match option {
        "--files-with-matches" | "--count" | "--count-matches" => Some(Output::Names),
        "--quiet" | "--silent" | "--no-filename" | "--json" => Some(Output::Changed),
        _ => None,
    }
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
        "sed" => return part_of_script(words),
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

/// What `sed` shows without `-n`: `sed 20q`; all of it if it only replaces.
fn part_of_script(words: &[&str]) -> Part {
    let script = words.iter().find(|word| !word.starts_with('-'));
    let Some(script) = script else {
        return Part::Unknown;
    };
    match script.strip_suffix('q').map(str::parse) {
        Some(Ok(last)) if last > 0 => Part::Lines(1, last),
        _ if script.starts_with(['s', 'y', '=']) => Part::Whole,
        _ => Part::Unknown,
    }
}

/// Number of lines that `head` and `tail` are asked for.
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
mod tests;
