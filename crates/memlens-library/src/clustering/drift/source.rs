//! How a note with contradictions is written: on which line each sentence is, and what is quoted or struck through.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memlens_contradict::Above;
use memlens_ingest::{Kind, Written, written};
use memlens_store::{DocumentId, DocumentRow, Store, StoreError};

/// A note's observations as they are written.
#[derive(Debug, Default)]
pub(crate) struct Source {
    written: BTreeMap<u32, Written>,
    /// Where lines begin in the note, and their numbers.
    lines: Vec<(u32, u32)>,
    /// The path of the note; empty for JSON, whose headings name records.
    path: String,
    /// The title in the front matter.
    title: Option<String>,
    /// The headings of the note, ascending.
    headings: Vec<Heading>,
    /// Whether a part of the note cannot be read, so that what is quoted in it is unknown.
    is_unreadable: bool,
}

/// A heading of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Where it begins in the note.
    start: u32,
    /// 1 to 6.
    level: usize,
    title: String,
}

impl Source {
    /// Reads the stored text of a note. JSON has no more lines than its observations have.
    fn load(store: &Store, document: &DocumentRow) -> Result<Source, StoreError> {
        let kind = Kind::of(Path::new(&document.path));
        let Some(kind @ (Kind::Markdown | Kind::Plain)) = kind else {
            return Ok(Source::default());
        };
        let texts = store.chunk_texts(document.chunks.iter().map(|chunk| chunk.id))?;
        let mut whole: Vec<u8> = Vec::new();
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for (chunk, text) in document.chunks.iter().zip(texts) {
            let Ok(text) = text else {
                return Ok(Source {
                    is_unreadable: true,
                    ..Source::default()
                });
            };
            let start = chunk.bytes.start as usize;
            // Only blank lines are between chunks.
            whole.resize(whole.len().max(start), b'\n');
            let n_known = whole.len() - start;
            whole.extend(text.as_bytes().get(n_known..).unwrap_or_default());
            lines.push((chunk.bytes.start, chunk.start_line));
            let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            for (n, (at, _)) in (1..).zip(ends) {
                lines.push((chunk.bytes.start + at as u32 + 1, chunk.start_line + n));
            }
        }
        lines.sort_unstable();
        lines.dedup_by_key(|(byte, _)| *byte);
        let whole = String::from_utf8_lossy(&whole);
        let (title, headings) = if matches!(kind, Kind::Markdown) {
            (title(&whole), headings(&whole))
        } else {
            (None, Vec::new())
        };
        Ok(Source {
            written: written(kind, &whole),
            lines,
            path: document.path.clone(),
            title,
            headings,
            is_unreadable: false,
        })
    }

    fn line_of(&self, byte: u32) -> Option<u32> {
        let n_before = self.lines.partition_point(|(start, _)| *start <= byte);
        self.lines[..n_before].last().map(|(_, line)| *line)
    }

    /// Returns the first and last line of a sentence of the observation that begins at a byte of the note; `None` if
    /// unknown.
    pub(crate) fn lines(&self, observation: u32, sentence: &Range<usize>) -> Option<[u32; 2]> {
        let written = self.written.get(&observation)?;
        let line = |byte: usize| self.line_of(written.place(byte)?);
        Some([line(sentence.start)?, line(sentence.end.checked_sub(1)?)?])
    }

    /// Returns whether a sentence is quoted, or a part of it struck through; also if that is unknown.
    pub(crate) fn is_withdrawn(&self, observation: u32, sentence: &Range<usize>) -> bool {
        self.is_unreadable
            || self
                .written
                .get(&observation)
                .is_some_and(|written| written.is_quoted || written.is_strikethrough(sentence))
    }

    /// Returns the number of headings above a byte of the note. Observations with different numbers are under different
    /// headings.
    pub(crate) fn n_headings_above(&self, byte: u32) -> usize {
        let mut headings = self.headings.iter();
        headings
            .position(|heading| heading.start > byte)
            .unwrap_or(self.headings.len())
    }

    /// Returns what is above a byte of the note: its title, and the headings of the sections that hold the byte.
    pub(crate) fn above(&self, byte: u32) -> Above {
        let mut path: Vec<&Heading> = Vec::new();
        for heading in &self.headings[..self.n_headings_above(byte)] {
            path.retain(|outer| outer.level < heading.level);
            path.push(heading);
        }
        let headings = path.into_iter().map(|heading| &heading.title);
        Above {
            path: self.path.clone(),
            headings: self.title.iter().chain(headings).cloned().collect(),
        }
    }

    #[cfg(test)]
    pub(crate) fn with_headings(path: &str, headings: &[(u32, &str)]) -> Source {
        let headings = headings.iter().map(|(start, title)| Heading {
            start: *start,
            level: 1,
            title: (*title).to_owned(),
        });
        Source {
            path: path.to_owned(),
            headings: headings.collect(),
            ..Source::default()
        }
    }
}

/// Returns how many bytes the front matter of a Markdown text takes.
fn front_matter(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return 0;
    };
    let mut end = first.len();
    for line in lines {
        end += line.len();
        if line.trim_end() == "---" {
            return end;
        }
    }
    0
}

/// Returns the title in the front matter.
fn title(text: &str) -> Option<String> {
    let mut lines = text[..front_matter(text)].lines();
    let title = lines.find_map(|line| line.strip_prefix("title:"))?;
    let title = title.trim().trim_matches(['"', '\'']);
    (!title.is_empty()).then(|| title.to_owned())
}

/// Returns the headings of a Markdown text, outside of its front matter and fenced code.
fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    // Where the line before begins, if it holds text.
    let mut before: Option<usize> = None;
    let mut start = front_matter(text);
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| content.starts_with(mark));
        let is_text = fence.is_none() && mark.is_none() && !content.is_empty();
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(close)) if open == close => fence = None,
            (Some(_), _) | (None, None) => {}
        }
        if is_text {
            let level = content.bytes().take_while(|byte| *byte == b'#').count();
            let rest = &content[level..];
            let is_marked =
                (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
            let is_underline = ['=', '-']
                .into_iter()
                .any(|sign| content.chars().all(|char| char == sign));
            if is_marked {
                found.push(Heading {
                    start: start as u32,
                    level,
                    title: rest.trim().trim_end_matches('#').trim_end().to_owned(),
                });
            } else if is_underline && let Some(before) = before {
                found.push(Heading {
                    start: before as u32,
                    level: if content.starts_with('=') { 1 } else { 2 },
                    title: text[before..start].trim().to_owned(),
                });
            }
        }
        before = is_text.then_some(start);
        start += line.len();
    }
    found
}

/// The notes with contradictions, as they are written; read once until they change.
#[derive(Default)]
pub(crate) struct Sources(HashMap<DocumentId, (i64, Arc<Source>)>);

impl Sources {
    /// Returns how a note is written, from `before` if it is the same.
    ///
    /// # Errors
    /// [`StoreError::Sql`].
    pub(crate) fn get(
        &mut self,
        store: &Store,
        document: &DocumentRow,
        before: Option<&Sources>,
    ) -> Result<Arc<Source>, StoreError> {
        let id = document.id;
        if let Some((_, known)) = self.0.get(&id) {
            return Ok(known.clone());
        }
        let known = before
            .and_then(|before| before.0.get(&id))
            .filter(|(checksum, _)| *checksum == document.checksum);
        let source = match known {
            Some((_, source)) => source.clone(),
            None => Arc::new(Source::load(store, document)?),
        };
        self.0.insert(id, (document.checksum, source.clone()));
        Ok(source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_found_outside_of_code() {
        let text = "# One\n\nText.\n\n```\n# code\n```\n\nTwo\n===\n\n#tag\n\n### Three\n";
        let found = headings(text);
        let titles: Vec<(usize, &str)> = found
            .iter()
            .map(|heading| (heading.level, heading.title.as_str()))
            .collect();
        assert_eq!(titles, [(1, "One"), (1, "Two"), (3, "Three")]);
        let source = Source {
            headings: found,
            ..Source::default()
        };
        let above = |part: &str| source.n_headings_above(text.find(part).map_or(0, |at| at as u32));
        assert_eq!((above("Text."), above("#tag")), (1, 2));
    }

    #[test]
    fn a_note_has_its_title_and_the_headings_of_the_section_above_a_byte() {
        let text =
            "---\ntitle: \"Relays\"\ndate: 2026-01-01\n---\n# One #\n## Two\n## Three\nText.\n";
        let source = Source {
            title: title(text),
            headings: headings(text),
            ..Source::default()
        };
        let above = source.above(text.find("Text.").unwrap() as u32);
        assert_eq!(above.headings, ["Relays", "One", "Three"]);
    }

    #[test]
    fn what_cannot_be_read_counts_as_withdrawn() {
        let unreadable = Source {
            is_unreadable: true,
            ..Source::default()
        };
        assert!(unreadable.is_withdrawn(0, &(0..5)));
        assert!(!Source::default().is_withdrawn(0, &(0..5)));
    }
}
