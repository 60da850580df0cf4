//! The words of a line of PowerShell, in pipelines, groups and blocks.

use std::iter::Peekable;
use std::str::Chars;

/// Brackets within brackets that are followed; deeper ones are signs like any other.
const DEPTH_MAX: u32 = 16;

/// One command of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stage {
    pub tokens: Vec<Token>,
    /// Whether its output goes to the next command.
    pub is_piped: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word without its quotes.
    Word(String),
    /// Joins two values to a list.
    Comma,
    /// `>`, `2>&1`, `*>` with the file, if that is in the same word.
    Redirection(String),
    /// `( ... )`
    Group(Vec<Stage>),
    /// `{ ... }`
    Block(Vec<Stage>),
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            Token::Comma | Token::Redirection(_) | Token::Group(_) | Token::Block(_) => None,
        }
    }
}

/// Splits a line into its commands. Text that ends within quotes or brackets is read as if they were closed.
pub(super) fn stages(line: &str) -> Vec<Stage> {
    let mut reader = Reader {
        signs: line.chars().peekable(),
        depth: 0,
    };
    reader.stages(None)
}

struct Reader<'l> {
    signs: Peekable<Chars<'l>>,
    depth: u32,
}

/// The commands so far.
struct Parsed {
    stages: Vec<Stage>,
    tokens: Vec<Token>,
    word: Option<String>,
    /// Whether the word began with the sign of a redirection outside of quotes.
    is_redirection: bool,
}

impl Parsed {
    fn end_word(&mut self) {
        let is_redirection = std::mem::take(&mut self.is_redirection);
        let token = self.word.take().map(|word| match is_redirection {
            true => Token::Redirection(word),
            false => Token::Word(word),
        });
        self.tokens.extend(token);
    }

    /// Takes up a `>`: after a number or `*` it is about other output than the usual.
    fn redirect(&mut self) {
        let is_stream = |word: &str| word == "*" || word.bytes().all(|sign| sign.is_ascii_digit());
        if !self.is_redirection && !self.word.as_deref().is_some_and(is_stream) {
            self.end_word();
        }
        self.is_redirection = true;
        self.push('>');
    }

    fn end_stage(&mut self, is_piped: bool) {
        self.end_word();
        let tokens = std::mem::take(&mut self.tokens);
        if !tokens.is_empty() {
            self.stages.push(Stage { tokens, is_piped });
        }
    }

    fn push(&mut self, sign: char) {
        self.word.get_or_insert_default().push(sign);
    }
}

impl Reader<'_> {
    fn stages(&mut self, end: Option<char>) -> Vec<Stage> {
        let mut parsed = Parsed {
            stages: Vec::new(),
            tokens: Vec::new(),
            word: None,
            is_redirection: false,
        };
        while let Some(sign) = self.signs.next() {
            if Some(sign) == end {
                break;
            }
            self.take(sign, &mut parsed);
        }
        parsed.end_stage(false);
        parsed.stages
    }

    fn take(&mut self, sign: char, parsed: &mut Parsed) {
        match sign {
            '\'' | '"' => {
                let text = self.quoted(sign);
                parsed.word.get_or_insert_default().push_str(&text);
            }
            '`' => match self.signs.next() {
                Some('\n') | None => parsed.end_word(),
                Some(next) => parsed.push(next),
            },
            '#' if parsed.word.is_none() => {
                while self.signs.next_if(|sign| *sign != '\n').is_some() {}
            }
            ' ' | '\t' | '\r' => parsed.end_word(),
            ',' => {
                parsed.end_word();
                parsed.tokens.push(Token::Comma);
            }
            // `2>&1`
            '&' if parsed.is_redirection => parsed.push(sign),
            '>' => parsed.redirect(),
            '|' if self.signs.next_if_eq(&'|').is_none() => parsed.end_stage(true),
            ';' | '\n' | '&' | '|' => parsed.end_stage(false),
            '(' | '{' if self.depth < DEPTH_MAX => self.bracket(sign, parsed),
            sign => parsed.push(sign),
        }
    }

    fn bracket(&mut self, sign: char, parsed: &mut Parsed) {
        // `${env:HOME}` is one word.
        if sign == '{' && parsed.word.as_ref().is_some_and(|word| word.ends_with('$')) {
            parsed.push(sign);
            for next in self.signs.by_ref() {
                parsed.push(next);
                if next == '}' {
                    break;
                }
            }
            return;
        }
        self.depth += 1;
        let inner = self.stages(Some(if sign == '(' { ')' } else { '}' }));
        self.depth -= 1;
        match parsed.word.as_deref() {
            // `$( ... )` and `@( ... )` are groups; `.Trim()` is part of a word.
            Some("$" | "@") => parsed.word = None,
            Some(_) if sign == '(' => return,
            Some(_) | None => parsed.end_word(),
        }
        parsed.tokens.push(match sign {
            '(' => Token::Group(inner),
            _ => Token::Block(inner),
        });
    }

    /// The text up to the closing quote; a doubled quote is one of its signs.
    fn quoted(&mut self, quote: char) -> String {
        let mut text = String::new();
        while let Some(sign) = self.signs.next() {
            if sign == quote {
                if self.signs.next_if_eq(&quote).is_none() {
                    break;
                }
            } else if sign == '`' && quote == '"' {
                text.extend(self.signs.next());
                continue;
            }
            text.push(sign);
        }
        text
    }
}
