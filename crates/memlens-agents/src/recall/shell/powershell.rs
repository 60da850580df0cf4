//! Command lines of PowerShell and cmd, translated into commands of a POSIX shell that show the same of a file.
//!
//! Only what agents use to read, search and list files is translated. Any other command keeps its name, so that nothing is
//! known of what it shows.

mod tokens;

use self::tokens::{Stage, Token, stages};
use super::Command;

/// Lines within lines (`powershell -Command "..."`) that are followed.
const NESTED_MAX: u32 = 2;
/// Word for a value that only the shell knows; the `$` marks it as unknown.
const UNKNOWN: &str = "$?";

/// Returns the commands of a line.
pub(super) fn commands(line: &str) -> Vec<Command> {
    let mut translation = Translation::default();
    translation.line(line, NESTED_MAX);
    translation.commands
}

/// A cmdlet with its parameters in lower case. Names may be shortened.
struct Cmdlet {
    kind: Kind,
    /// Names by which it is called: its own, and its aliases.
    names: &'static [&'static str],
    /// Parameters with a value.
    values: &'static [&'static str],
    switches: &'static [&'static str],
    /// Parameters that values without a name are given to, in order.
    positions: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Search,
    List,
    Move,
    Select,
    Each,
    Where,
    /// Prints its input as it is.
    Pass,
    JoinPath,
    ResolvePath,
}

static CMDLETS: &[Cmdlet] = &[
    Cmdlet {
        kind: Kind::Read,
        names: &["get-content", "gc", "cat", "type", "more"],
        values: &[
            "path",
            "literalpath",
            "pspath",
            "totalcount",
            "head",
            "first",
            "tail",
            "last",
            "encoding",
            "delimiter",
            "readcount",
            "filter",
            "include",
            "exclude",
        ],
        switches: &["raw", "force", "wait", "asbytestream"],
        positions: &["path"],
    },
    Cmdlet {
        kind: Kind::Search,
        names: &["select-string", "sls"],
        values: &[
            "pattern",
            "path",
            "literalpath",
            "pspath",
            "include",
            "exclude",
            "encoding",
            "context",
            "culture",
            "inputobject",
        ],
        switches: &[
            "simplematch",
            "casesensitive",
            "quiet",
            "list",
            "notmatch",
            "allmatches",
            "raw",
            "noemphasis",
        ],
        positions: &["pattern", "path"],
    },
    Cmdlet {
        kind: Kind::List,
        names: &["get-childitem", "gci", "ls", "dir"],
        values: &[
            "path",
            "literalpath",
            "pspath",
            "filter",
            "include",
            "exclude",
            "depth",
            "attributes",
        ],
        switches: &[
            "recurse",
            "s",
            "force",
            "name",
            "file",
            "directory",
            "hidden",
            "readonly",
        ],
        positions: &["path", "filter"],
    },
    Cmdlet {
        kind: Kind::Move,
        names: &[
            "set-location",
            "sl",
            "cd",
            "chdir",
            "push-location",
            "pushd",
        ],
        values: &["path", "literalpath", "pspath", "stackname"],
        switches: &["passthru"],
        positions: &["path"],
    },
    Cmdlet {
        kind: Kind::Select,
        names: &["select-object", "select"],
        values: &[
            "first",
            "last",
            "skip",
            "skiplast",
            "index",
            "property",
            "expandproperty",
            "excludeproperty",
        ],
        switches: &["unique", "wait"],
        positions: &["property"],
    },
    Cmdlet {
        kind: Kind::Each,
        names: &["foreach-object", "foreach", "%"],
        values: &["process", "begin", "end", "membername"],
        switches: &[],
        positions: &["process"],
    },
    Cmdlet {
        kind: Kind::Where,
        names: &["where-object", "where", "?"],
        values: &[
            "filterscript",
            "property",
            "value",
            "match",
            "like",
            "eq",
            "ne",
            "notmatch",
        ],
        switches: &[],
        positions: &["filterscript"],
    },
    Cmdlet {
        kind: Kind::Pass,
        names: &[
            "out-string",
            "out-host",
            "out-default",
            "sort-object",
            "sort",
            "get-unique",
            "write-output",
        ],
        values: &["width", "property", "inputobject"],
        switches: &["stream", "unique", "descending"],
        positions: &["property"],
    },
    Cmdlet {
        kind: Kind::JoinPath,
        names: &["join-path"],
        values: &["path", "childpath", "additionalchildpath"],
        switches: &["resolve"],
        positions: &["path", "childpath", "additionalchildpath"],
    },
    Cmdlet {
        kind: Kind::ResolvePath,
        names: &["resolve-path", "rvpa"],
        values: &["path", "literalpath"],
        switches: &["relative"],
        positions: &["path"],
    },
];

/// What flows through a pipe into a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fed {
    Nothing,
    /// Files, which a command opens.
    Files,
    Lines,
}

#[derive(Default)]
struct Translation {
    commands: Vec<Command>,
    /// Commands whose output a variable holds, with its name.
    held: Vec<(String, Vec<Command>)>,
}

impl Translation {
    fn line(&mut self, line: &str, depth: u32) {
        let mut fed = Fed::Nothing;
        for stage in stages(line) {
            let next = self.stage(&stage, fed, depth);
            fed = if stage.is_piped { next } else { Fed::Nothing };
        }
    }

    /// Translates a command; returns what it passes to the next one of a pipeline.
    fn stage(&mut self, stage: &Stage, fed: Fed, depth: u32) -> Fed {
        if self.is_assignment(stage, depth) {
            return Fed::Nothing;
        }
        match stage.tokens.split_first() {
            // `(Get-Content a.md)[0..20]`
            Some((Token::Group(inner), rest)) => {
                let text: String = rest.iter().filter_map(Token::word).collect();
                let mut fed = Fed::Nothing;
                for one in inner {
                    fed = self.stage(one, fed, depth);
                }
                self.indexed(&text, stage.is_piped);
                fed
            }
            Some((Token::Word(name), rest)) => {
                if let Some((held, index)) = self.held(name) {
                    self.commands.extend(held);
                    self.indexed(&index, stage.is_piped);
                    return Fed::Lines;
                }
                let (rest, redirections) = without_redirections(rest);
                let (mut words, next) = self.command(name, &rest, fed, depth);
                if !words.is_empty() {
                    words.extend(redirections);
                }
                self.push(words, stage.is_piped);
                next
            }
            Some((Token::Block(_) | Token::Comma | Token::Redirection(_), _)) | None => {
                Fed::Nothing
            }
        }
    }

    fn push(&mut self, words: Vec<String>, is_piped: bool) {
        if !words.is_empty() {
            self.commands.push(Command { words, is_piped });
        }
    }

    /// The output of the last command, of which an index such as `[0..20]` selects lines.
    fn indexed(&mut self, index: &str, is_piped: bool) {
        let Some(last) = self.commands.last_mut() else {
            return;
        };
        if index.is_empty() {
            last.is_piped = is_piped;
            return;
        }
        last.is_piped = true;
        self.push(lines_of_index(index), is_piped);
    }

    /// Takes up `$name = value`: a path, or a command whose output is not shown.
    fn is_assignment(&mut self, stage: &Stage, depth: u32) -> bool {
        let [Token::Word(name), Token::Word(sign), value @ ..] = &stage.tokens[..] else {
            return false;
        };
        let Some(name) = name.strip_prefix('$').filter(|_| sign == "=") else {
            return false;
        };
        if let [one] = value
            && let Some(text) = value_of(one)
        {
            self.commands.push(command([format!("{name}={text}")]));
            return true;
        }
        // `$a = $b = …`: what it holds is not known, and a long chain would nest as deeply.
        if matches!(value, [Token::Word(_), Token::Word(sign), ..] if sign == "=") {
            return true;
        }
        let mut inner = Translation::default();
        let tokens = value.to_vec();
        let is_piped = stage.is_piped;
        inner.stage(&Stage { tokens, is_piped }, Fed::Nothing, depth);
        // Of a pipeline only the beginning is known.
        if !is_piped {
            self.held.push((name.to_owned(), inner.commands));
        }
        true
    }

    /// The commands whose output a word such as `$lines` or `$lines[0..20]` prints, and the index.
    fn held(&self, word: &str) -> Option<(Vec<Command>, String)> {
        let named = word.strip_prefix('$')?;
        let (name, index) = named.split_at(named.find(['[', '.']).unwrap_or(named.len()));
        let mut held = self.held.iter().rev();
        let (_, commands) = held.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        let copied = |one: &Command| Command {
            words: one.words.clone(),
            is_piped: one.is_piped,
        };
        Some((commands.iter().map(copied).collect(), index.to_owned()))
    }

    fn command(&mut self, name: &str, rest: &[Token], fed: Fed, depth: u32) -> (Vec<String>, Fed) {
        let program = program_of(name);
        if matches!(&*program, "powershell" | "pwsh" | "cmd") && depth > 0 {
            if let Some(line) = inner_line(rest) {
                self.line(&line, depth - 1);
            }
            return (Vec::new(), Fed::Lines);
        }
        if program == "findstr" {
            return (findstr(rest), Fed::Lines);
        }
        let mut cmdlets = CMDLETS.iter();
        let Some(cmdlet) = cmdlets.find(|one| one.names.contains(&&*program)) else {
            // A program of its own, such as rg.
            let words = [program]
                .into_iter()
                .chain(rest.iter().filter_map(value_of));
            return (words.collect(), Fed::Lines);
        };
        let given = Given::parse(cmdlet, rest);
        match cmdlet.kind {
            Kind::Read => (read(&given, fed), Fed::Lines),
            Kind::Search => (search(&given, fed), Fed::Lines),
            Kind::List => (list(&given), Fed::Files),
            Kind::Move => (words("cd", given.paths()), Fed::Nothing),
            Kind::Select | Kind::Where | Kind::Pass if fed == Fed::Files => (words("cat", []), fed),
            Kind::Select => (select(&given), Fed::Lines),
            Kind::Pass => (words("cat", []), Fed::Lines),
            // Some of its lines, or lines made of them.
            Kind::Where => (words("awk", []), Fed::Lines),
            Kind::Each => (each(&given, fed), Fed::Lines),
            Kind::JoinPath | Kind::ResolvePath => (Vec::new(), Fed::Nothing),
        }
    }
}

/// What a cmdlet is given.
#[derive(Default)]
struct Given {
    values: Vec<(&'static str, Vec<String>)>,
    switches: Vec<&'static str>,
    block: Option<Vec<Stage>>,
}

impl Given {
    fn parse(cmdlet: &Cmdlet, tokens: &[Token]) -> Given {
        let mut given = Given::default();
        let mut positions = cmdlet.positions.iter().copied();
        let mut named: Option<&'static str> = None;
        // A comma joins the next value to the last one.
        let mut is_joined = false;
        for token in tokens {
            match token {
                Token::Redirection(_) => {}
                Token::Comma => is_joined = true,
                Token::Block(inner) => given.block = Some(inner.clone()),
                Token::Group(_) | Token::Word(_) => {
                    let Some(text) = value_of(token) else {
                        continue;
                    };
                    if let Token::Word(word) = token
                        && !is_joined
                        && let Some(option) = word
                            .strip_prefix('-')
                            .filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()))
                    {
                        let (option, value) = option.split_once(':').unwrap_or((option, ""));
                        named = given.option(cmdlet, &option.to_lowercase());
                        if let Some(name) = named.filter(|_| !value.is_empty()) {
                            given.values.push((name, vec![value.to_owned()]));
                            named = None;
                        }
                        continue;
                    }
                    if std::mem::take(&mut is_joined)
                        && let Some((_, values)) = given.values.last_mut()
                    {
                        values.push(text);
                        continue;
                    }
                    if is_cmd_option(&text) && named.is_none() {
                        continue;
                    }
                    if let Some(name) = named.take().or_else(|| positions.next()) {
                        given.values.push((name, vec![text]));
                    }
                }
            }
        }
        given
    }

    /// Takes up an option; returns the parameter if a value follows it.
    fn option(&mut self, cmdlet: &Cmdlet, option: &str) -> Option<&'static str> {
        let begins = |name: &&&str| name.starts_with(option);
        let is_it = |name: &&&str| **name == option;
        let (values, switches) = (cmdlet.values, cmdlet.switches);
        if let Some(name) = switches.iter().find(is_it) {
            self.switches.push(name);
            return None;
        }
        let value = values
            .iter()
            .find(is_it)
            .or_else(|| values.iter().find(begins));
        if value.is_none() {
            self.switches.extend(switches.iter().find(begins));
        }
        value.copied()
    }

    fn all<'g>(&'g self, names: &'static [&'static str]) -> impl Iterator<Item = String> + use<'g> {
        let values = self.values.iter().filter(|(name, _)| names.contains(name));
        values.flat_map(|(_, values)| values.iter().cloned())
    }

    /// The paths, without the file that comes through the pipe.
    fn paths(&self) -> Vec<String> {
        let is_fed = |path: &String| {
            let path = path.to_lowercase();
            path.starts_with("$_") || path.starts_with("$psitem")
        };
        self.all(&["path", "literalpath", "pspath"])
            .filter(|path| !is_fed(path))
            .collect()
    }

    fn number(&self, names: &'static [&'static str]) -> Option<u32> {
        self.all(names).next()?.parse().ok()
    }

    fn has(&self, name: &str) -> bool {
        self.switches.contains(&name) || self.values.iter().any(|(known, _)| *known == name)
    }
}

fn read(given: &Given, fed: Fed) -> Vec<String> {
    let first = given.number(&["totalcount", "head", "first"]);
    let is_part = ["tail", "last", "delimiter", "asbytestream"]
        .into_iter()
        .any(|name| given.has(name));
    let reader = match first {
        _ if is_part => words("tail", ["-n".to_owned(), "1".to_owned()]),
        Some(first) => words("head", ["-n".to_owned(), first.to_string()]),
        None => words("cat", []),
    };
    of_files(reader, given.paths(), fed)
}

fn search(given: &Given, fed: Fed) -> Vec<String> {
    let mut searcher = words("grep", []);
    for (switch, option) in [("quiet", "-q"), ("raw", "-h"), ("notmatch", "-v")] {
        if given.has(switch) {
            searcher.push(option.to_owned());
        }
    }
    let mut patterns = given.all(&["pattern"]).peekable();
    if patterns.peek().is_none() {
        return Vec::new();
    }
    searcher.extend(patterns.flat_map(|pattern| ["-e".to_owned(), pattern]));
    match fed {
        Fed::Lines if given.paths().is_empty() => searcher,
        Fed::Lines | Fed::Files | Fed::Nothing => of_files(searcher, given.paths(), fed),
    }
}

/// A reader or searcher with the files that it opens; empty if it opens none.
fn of_files(mut program: Vec<String>, paths: Vec<String>, fed: Fed) -> Vec<String> {
    if !paths.is_empty() {
        program.extend(paths);
        program
    } else if fed == Fed::Files {
        words("xargs", program)
    } else {
        Vec::new()
    }
}

fn list(given: &Given) -> Vec<String> {
    let mut finder = words("find", given.paths());
    if let Some(name) = given.all(&["filter", "include"]).next() {
        finder.extend(["-name".to_owned(), name]);
    }
    finder
}

/// The lines that `Select-Object` leaves.
fn select(given: &Given) -> Vec<String> {
    let skipped = given.number(&["skip"]);
    let has_others = given
        .values
        .iter()
        .any(|(name, _)| !matches!(*name, "first" | "skip" | "last"));
    match (given.number(&["first"]), skipped, given.number(&["last"])) {
        // Columns of objects, which are no lines of a note.
        _ if has_others => words("select-object", []),
        (Some(first), None, None) => words("head", ["-n".to_owned(), first.to_string()]),
        (Some(first), Some(skipped), None) => lines_from(skipped, skipped.saturating_add(first)),
        (None, Some(skipped), None) => words(
            "tail",
            ["-n".to_owned(), format!("+{}", skipped.saturating_add(1))],
        ),
        (None | Some(_), _, Some(_)) => words("tail", ["-n".to_owned(), "1".to_owned()]),
        (None, None, None) => words("cat", []),
    }
}

/// A filter for the lines after the first `skipped`, up to line `last`.
fn lines_from(skipped: u32, last: u32) -> Vec<String> {
    words(
        "sed",
        [
            "-n".to_owned(),
            format!("{},{last}p", skipped.saturating_add(1)),
        ],
    )
}

/// A filter for the lines that an index such as `[11..39]` selects; some lines if it is another one.
fn lines_of_index(index: &str) -> Vec<String> {
    let inner = index
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'));
    let range = inner.and_then(|inner| {
        let (first, last) = inner.split_once("..").unwrap_or((inner, inner));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first <= last).then_some((first, last.saturating_add(1)))
    });
    match range {
        Some((skipped, last)) => lines_from(skipped, last),
        None => words("awk", []),
    }
}

/// What `ForEach-Object` does: with files it runs the first command of its block that reads or searches.
fn each(given: &Given, fed: Fed) -> Vec<String> {
    if fed != Fed::Files {
        return words("awk", []);
    }
    let mut inner = Translation::default();
    for stage in given.block.iter().flatten() {
        inner.stage(stage, Fed::Files, 0);
    }
    let mut commands = inner.commands.into_iter();
    match commands.find(|one| one.words.first().is_some_and(|name| name == "xargs")) {
        // What the next command of the block leaves of it is not known.
        Some(one) if one.is_piped && one.words[1..].iter().all(|word| word != "grep") => {
            words("xargs", words("tail", ["-n".to_owned(), "1".to_owned()]))
        }
        Some(one) => one.words,
        None => words("foreach-object", []),
    }
}

/// `findstr /s /n /c:"two words" file`: without `/c:`, each word is a pattern.
fn findstr(tokens: &[Token]) -> Vec<String> {
    let mut searcher = words("grep", []);
    let mut patterns: Vec<String> = Vec::new();
    let mut paths = Vec::new();
    for text in tokens.iter().filter_map(value_of) {
        let lower = text.to_lowercase();
        if let Some(at) = lower.find("/c:").filter(|at| *at == 0) {
            patterns.push(text[at + 3..].to_owned());
        } else if lower == "/m" {
            searcher.push("-l".to_owned());
        } else if lower == "/v" {
            searcher.push("-v".to_owned());
        } else if is_cmd_option(&text) {
        } else if patterns.is_empty() {
            patterns.extend(text.split_whitespace().map(str::to_owned));
        } else {
            paths.push(text);
        }
    }
    searcher.extend(
        patterns
            .into_iter()
            .flat_map(|pattern| ["-e".to_owned(), pattern]),
    );
    searcher.extend(paths);
    searcher
}

/// Whether a word is an option of a command of cmd: `/b`, `/a:d`.
fn is_cmd_option(word: &str) -> bool {
    let Some(option) = word.strip_prefix('/') else {
        return false;
    };
    let (letter, value) = option.split_once(':').unwrap_or((option, ""));
    letter.len() <= 1
        && !value.contains(['/', '\\'])
        && letter.bytes().all(|it| it.is_ascii_alphabetic())
}

/// The line that another shell is given: after `-Command` or `/c`, or as its first value.
fn inner_line(tokens: &[Token]) -> Option<String> {
    let is_before = |token: &Token| {
        let word = token.word().unwrap_or_default().to_lowercase();
        matches!(&*word, "-command" | "-c" | "/c")
    };
    let at = tokens.iter().position(is_before)?;
    let words = tokens[at + 1..].iter().filter_map(value_of);
    Some(words.collect::<Vec<String>>().join(" ")).filter(|line| !line.is_empty())
}

/// The name of a program without its folder and ending, in lower case.
fn program_of(name: &str) -> String {
    let name = name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(name)
        .to_lowercase();
    let bare = [".exe", ".cmd", ".bat"]
        .into_iter()
        .find_map(|end| name.strip_suffix(end));
    bare.unwrap_or(&name).to_owned()
}

/// The value of an argument; `None` for a comma or a block.
fn value_of(token: &Token) -> Option<String> {
    match token {
        Token::Word(word) => Some(word.clone()),
        Token::Group(stages) => {
            Some(path_in_brackets(stages).unwrap_or_else(|| UNKNOWN.to_owned()))
        }
        Token::Comma | Token::Redirection(_) | Token::Block(_) => None,
    }
}

/// Splits the redirections off, with their files, as a POSIX shell writes them.
fn without_redirections(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let (mut rest, mut redirections) = (Vec::new(), Vec::new());
    let mut tokens = tokens.iter();
    while let Some(token) = tokens.next() {
        let Token::Redirection(word) = token else {
            rest.push(token.clone());
            continue;
        };
        redirections.push(match word.strip_prefix('*') {
            Some(all) => format!("&{all}"),
            None => word.clone(),
        });
        if word.ends_with('>') {
            redirections.extend(tokens.next().and_then(value_of));
        }
    }
    (rest, redirections)
}

/// The path of `(Join-Path $HOME '.codex')`, `(Resolve-Path a.md)` or `("a.md")`.
fn path_in_brackets(stages: &[Stage]) -> Option<String> {
    let [stage] = stages else {
        return None;
    };
    let (first, rest) = stage.tokens.split_first()?;
    let name = value_of(first)?;
    if rest.is_empty() && !name.contains('-') {
        return Some(name);
    }
    let program = program_of(&name);
    let mut cmdlets = CMDLETS.iter();
    let cmdlet = cmdlets.find(|one| one.names.contains(&&*program))?;
    let given = Given::parse(cmdlet, rest);
    match cmdlet.kind {
        Kind::JoinPath => {
            let parts: Vec<String> = given
                .all(&["path", "childpath", "additionalchildpath"])
                .collect();
            Some(parts.join("/"))
        }
        Kind::ResolvePath => given.paths().pop(),
        Kind::Read
        | Kind::Search
        | Kind::List
        | Kind::Move
        | Kind::Select
        | Kind::Each
        | Kind::Where
        | Kind::Pass => None,
    }
}

fn words(program: &str, rest: impl IntoIterator<Item = String>) -> Vec<String> {
    [program.to_owned()].into_iter().chain(rest).collect()
}

fn command(words: impl IntoIterator<Item = String>) -> Command {
    Command {
        words: words.into_iter().collect(),
        is_piped: false,
    }
}
