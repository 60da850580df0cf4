//! A file's text without what the agent removes before it counts, and where each byte of it came from.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;

use super::{Kept, Part};
use crate::agent::Removed;

static FRONT_MATTER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)\A---\s*\n.*?---\s*\n?").expect("it is valid"));

static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->").expect("it is valid"));

/// The text that is counted.
pub(super) struct Body {
    text: String,
    /// Consecutive pieces of `text`: where each begins there and in the file. All have the same length in both.
    pieces: Vec<(usize, Range<usize>)>,
    /// Front matter and comments of the file.
    removed: Vec<Range<usize>>,
    source_len: usize,
}

impl Body {
    /// The text of a file without what is removed.
    pub fn of(source: &str, removed: &[Removed]) -> Body {
        let is_removed = |it| removed.contains(&it);
        let mut start = 0;
        if is_removed(Removed::FrontMatter)
            && let Some(found) = FRONT_MATTER.find(source)
        {
            start = found.end();
        }
        let mut body = Body {
            text: String::new(),
            pieces: Vec::new(),
            removed: Vec::new(),
            source_len: source.len(),
        };
        if start > 0 {
            body.removed.push(0..start);
        }
        if is_removed(Removed::BlockComments) && source[start..].contains("<!--") {
            let mut at = start;
            for comment in html_comments(&source[start..]) {
                body.push_lines(source, at..start + comment.start);
                at = start + comment.end;
                body.removed.push(start + comment.start..at);
            }
            body.push_lines(source, at..source.len());
        } else {
            body.push(source, start..source.len());
        }
        if is_removed(Removed::BlankEnd) {
            let end = body.text.trim_end_matches(is_space).len();
            body.keep(0..end);
        }
        if is_removed(Removed::BlankStart) {
            let blank = body.text.len() - body.text.trim_start_matches(is_space).len();
            body.keep(blank..body.text.len());
        }
        body
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes of the front matter and of the comments in the file, sorted.
    pub fn removed(&self) -> &[Range<usize>] {
        &self.removed
    }

    /// The place in the file of a place in the text.
    pub fn source_of(&self, at: usize) -> usize {
        let piece = self.pieces.iter().rev().find(|(start, _)| *start <= at);
        piece.map_or(0, |(start, source)| {
            (source.start + at - start).min(source.end)
        })
    }

    /// Where the text ends in the file.
    pub fn source_end(&self) -> usize {
        self.pieces
            .last()
            .map_or(self.source_len, |(_, source)| source.end)
    }

    /// The ranges of the file that a range of the text came from.
    pub fn kept(&self, range: Range<usize>, part: Part) -> Vec<Kept> {
        let mut kept: Vec<Kept> = Vec::new();
        for (start, source) in &self.pieces {
            let from = range.start.max(*start);
            let to = range.end.min(start + source.len());
            if from >= to {
                continue;
            }
            let range = source.start + from - start..source.start + to - start;
            match kept.last_mut() {
                Some(last) if last.range.end == range.start => last.range.end = range.end,
                _ => kept.push(Kept { range, part }),
            }
        }
        kept
    }

    fn push(&mut self, source: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.pieces.push((self.text.len(), range.clone()));
            self.text.push_str(&source[range]);
        }
    }

    /// Pushes with every kind of line break as one line feed, as a parser of Markdown hands it out.
    fn push_lines(&mut self, source: &str, range: Range<usize>) {
        let mut at = range.start;
        let returns: Vec<usize> = memchr::memchr_iter(b'\r', &source.as_bytes()[range.clone()])
            .map(|found| range.start + found)
            .collect();
        for found in returns {
            self.push(source, at..found);
            at = found + 1;
            if !source[at..].starts_with('\n') {
                self.pieces.push((self.text.len(), found..at));
                self.text.push('\n');
            }
        }
        self.push(source, at..range.end);
    }

    fn keep(&mut self, range: Range<usize>) {
        let kept = self.kept(range.clone(), Part::Head);
        self.text = self.text[range].to_owned();
        let mut at = 0;
        self.pieces = kept
            .into_iter()
            .map(|Kept { range, .. }| {
                let start = at;
                at += range.len();
                (start, range)
            })
            .collect();
    }
}

/// Comments that are blocks of their own, with the line breaks after those that leave nothing of their block.
pub(crate) fn html_comments(text: &str) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut depth = 0_u32;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::HtmlBlock) if depth == 0 => {
                depth += 1;
                let block = &text[range.clone()];
                if !block.trim_start().starts_with("<!--") || !block.contains("-->") {
                    continue;
                }
                if COMMENT.replace_all(block, "").trim().is_empty() {
                    let breaks = &text[range.end..];
                    let n = breaks.len() - breaks.trim_start_matches(['\n', '\r']).len();
                    comments.push(range.start..range.end + n);
                } else {
                    let found = COMMENT.find_iter(block).map(|it| it.range());
                    comments.extend(found.map(|it| range.start + it.start..range.start + it.end));
                }
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    comments
}

/// Whether JavaScript's `trim` removes the character.
pub(super) fn is_space(next: char) -> bool {
    next == '\u{feff}' || (next.is_whitespace() && next != '\u{85}')
}
