//! The few lines of a text that hold most of the words.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use crate::spellings::spellings;

/// Lines of a passage of a note, about as many as a chunk has: words further apart say nothing together.
pub const NOTE_LINES: u32 = 40;
/// Lines of a passage of any other file, such as a table.
pub const FILE_LINES: u32 = 12;
/// Lines within which words are near to each other.
const NEAR_LINES: u32 = 3;
/// Characters of a line that are reported.
const TEXT_CHARS: usize = 400;

/// A passage of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The 1-based line of the text that holds most of the words.
    pub line: u32,
    /// That line, trimmed, or the part of it around the words.
    pub text: String,
    /// Number of the words that the passage holds.
    pub n_words: usize,
    /// Number of the words within three lines.
    pub n_near: usize,
    /// The words that it lacks, by their place in the question.
    pub missing: Vec<usize>,
}

/// A line that holds some of the words.
struct Line {
    number: u32,
    /// The words, by their place in the question.
    words: Vec<usize>,
    text: String,
}

/// Finds the best passage of a text that comes in blocks of whole lines.
pub(crate) struct Finder<'w> {
    terms: HashSet<&'w str>,
    places: HashMap<&'w str, usize>,
    /// Numbers of several words, such as `4` and `000`, by their digits.
    numbers: HashMap<String, Vec<usize>>,
    has_digits: bool,
    n_words: usize,
    /// Lines of a passage at most.
    n_lines: u32,
    /// Lines with words among the last ones.
    lines: VecDeque<Line>,
    best: Option<Passage>,
}

impl<'w> Finder<'w> {
    pub fn new(words: &'w [String], n_lines: u32) -> Finder<'w> {
        Finder {
            terms: words.iter().map(String::as_str).collect(),
            places: words.iter().map(String::as_str).zip(0..).collect(),
            numbers: numbers(words),
            has_digits: words.iter().any(|word| is_number(word)),
            n_words: words.len(),
            n_lines,
            lines: VecDeque::new(),
            best: None,
        }
    }

    /// Whether no better passage can be found.
    pub fn is_done(&self) -> bool {
        self.best
            .as_ref()
            .is_some_and(|best| best.n_near == self.n_words)
    }

    /// Takes the next lines; `first_line` is the number of the first.
    pub fn block(&mut self, text: &str, first_line: u32) {
        let places = self.places_in(text);
        let mut line_start = 0;
        let mut number = first_line;
        let mut places = places.into_iter().peekable();
        while let Some((place, _)) = places.peek() {
            // The line that holds the next place.
            let skipped = &text[line_start..place.start];
            if let Some(last_end) = skipped.rfind('\n') {
                number += skipped.matches('\n').count() as u32;
                line_start += last_end + 1;
            }
            let line_end = text[line_start..]
                .find('\n')
                .map_or(text.len(), |at| line_start + at);
            let (first, mut end) = (place.start, place.end);
            let mut words = Vec::new();
            while let Some((place, held)) = places.next_if(|(place, _)| place.start < line_end) {
                end = end.max(place.end);
                words.extend(held);
            }
            words.sort_unstable();
            words.dedup();
            let text = shown(
                &text[line_start..line_end],
                first - line_start,
                end - line_start,
            );
            self.line(Line {
                number,
                words,
                text,
            });
            if self.is_done() {
                return;
            }
        }
    }

    /// Where a text holds some of the words, in reading order, and which; also in another spelling.
    fn places_in(&self, text: &str) -> Vec<(Range<usize>, Vec<usize>)> {
        let of_words = |text: &str| -> Vec<usize> {
            let words = memlens_index::words(text).into_iter();
            words
                .filter_map(|word| self.places.get(word.term.as_str()).copied())
                .collect()
        };
        let as_written = memlens_index::places(text, &self.terms).into_iter();
        let mut places: Vec<(Range<usize>, Vec<usize>)> = as_written
            .map(|place| (place.clone(), of_words(&text[place])))
            .collect();
        for spelling in spellings(text, self.has_digits) {
            let mut held = of_words(&spelling.text);
            held.extend(self.numbers.get(&spelling.text).into_iter().flatten());
            if !held.is_empty() {
                places.push((spelling.place, held));
            }
        }
        if !self.numbers.is_empty() {
            let plain = self.numbers.keys().map(String::as_str).collect();
            for place in memlens_index::places(text, &plain) {
                let held = self.numbers.get(&text[place.clone()]).cloned();
                places.extend(held.map(|held| (place, held)));
            }
        }
        places.sort_by_key(|(place, _)| (place.start, place.end));
        places
    }

    fn line(&mut self, line: Line) {
        let number = line.number;
        self.lines.push_back(line);
        while self
            .lines
            .front()
            .is_some_and(|first| number - first.number >= self.n_lines)
        {
            self.lines.pop_front();
        }
        let held = self.held(0);
        let n_words = held.iter().filter(|is_held| **is_held).count();
        let near_from = self
            .lines
            .iter()
            .position(|line| line.number + NEAR_LINES > number)
            .unwrap_or(0);
        let n_near = self.held(near_from).into_iter().filter(|it| *it).count();
        let is_better = self
            .best
            .as_ref()
            .is_none_or(|best| (n_words, n_near) > (best.n_words, best.n_near));
        if !is_better {
            return;
        }
        // The first of the lines that hold most.
        let near = self.lines.iter().skip(near_from);
        let Some(most) = near.rev().max_by_key(|line| line.words.len()) else {
            return;
        };
        self.best = Some(Passage {
            line: most.number,
            text: most.text.clone(),
            n_words,
            n_near,
            missing: (0..self.n_words).filter(|at| !held[*at]).collect(),
        });
    }

    /// Which words the lines from one on hold.
    fn held(&self, from: usize) -> Vec<bool> {
        let mut held = vec![false; self.n_words];
        for at in self.lines.iter().skip(from).flat_map(|line| &line.words) {
            held[*at] = true;
        }
        held
    }

    pub fn best(self) -> Option<Passage> {
        self.best
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The numbers that words in a row may be the thousands of: `4` and `000`.
fn numbers(words: &[String]) -> HashMap<String, Vec<usize>> {
    let mut numbers = HashMap::new();
    let is_group = |word: &String| word.len() == 3 && is_number(word);
    for (first, word) in words.iter().enumerate() {
        let n_groups = words[first + 1..].iter().take_while(|word| is_group(word));
        let n_groups = n_groups.count();
        if is_number(word) && word.len() <= 3 && !word.starts_with('0') && n_groups > 0 {
            let all = first..=first + n_groups;
            numbers.insert(words[all.clone()].concat(), all.collect());
        }
    }
    numbers
}

/// The best passage of a whole text, of at most `n_lines` lines; `None` if no line holds any of the words.
pub fn best_passage(
    text: &str,
    words: &[String],
    first_line: u32,
    n_lines: u32,
) -> Option<Passage> {
    let mut finder = Finder::new(words, n_lines);
    finder.block(text, first_line);
    finder.best()
}

/// A line as it is reported: whole if it is short, else from the first of the words on.
fn shown(line: &str, first: usize, end: usize) -> String {
    if line.len() <= TEXT_CHARS || end <= TEXT_CHARS {
        return line.trim().chars().take(TEXT_CHARS).collect();
    }
    let before = line[..first].char_indices().rev().take(40);
    let from = before.last().map_or(first, |(at, _)| at);
    line[from..].trim().chars().take(TEXT_CHARS).collect()
}
