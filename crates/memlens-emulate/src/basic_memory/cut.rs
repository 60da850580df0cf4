//! The chunks that basic-memory embeds: sections below headings, packed as long as they fit.

use std::sync::LazyLock;

use regex::Regex;

static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^#{1,6}\s").expect("a valid pattern"));

/// Maximum number of characters in a chunk.
const CHUNK_CHARS: usize = 900;
/// Number of characters that the pieces of one long line share.
const OVERLAP_CHARS: usize = 120;
/// Separator between the sections of a chunk, and between title, permalink and text.
const BETWEEN: &str = "\n\n";

/// Returns the chunks of a note.
pub fn chunks(title: &str, permalink: &str, text: &str) -> Vec<String> {
    let whole = [title, permalink, text].join(BETWEEN);
    let mut found = Vec::new();
    let mut open = String::new();
    let close = |open: &mut String, found: &mut Vec<String>| {
        if !open.is_empty() {
            found.push(std::mem::take(open));
        }
    };
    for section in sections(&whole) {
        if n_chars(&section) > CHUNK_CHARS {
            close(&mut open, &mut found);
            found.extend(packed_lines(&section));
        } else if !open.is_empty()
            && n_chars(&open) + n_chars(BETWEEN) + n_chars(&section) <= CHUNK_CHARS
        {
            open.push_str(BETWEEN);
            open.push_str(&section);
        } else {
            close(&mut open, &mut found);
            open = section;
        }
    }
    close(&mut open, &mut found);
    found
}

fn n_chars(text: &str) -> usize {
    text.chars().count()
}

/// Splits a text at its headings, and trims the sections.
fn sections(text: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    for line in text.split('\n') {
        let open = found.last_mut().expect("at least one");
        if HEADING.is_match(line) && !open.trim().is_empty() {
            found.push(line.to_owned());
        } else {
            open.push('\n');
            open.push_str(line);
        }
    }
    trimmed(found)
}

/// Packs the lines of a long section into chunks.
fn packed_lines(section: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for line in section.split('\n').flat_map(pieces) {
        open = Some(match open {
            Some(before) if n_chars(&before) + 1 + n_chars(&line) <= CHUNK_CHARS => {
                format!("{before}\n{line}")
            }
            before => {
                found.extend(before);
                line
            }
        });
    }
    found.extend(open);
    trimmed(found)
}

/// Returns a line, or the overlapping pieces of one that is too long.
fn pieces(line: &str) -> Vec<String> {
    let signs: Vec<char> = line.chars().collect();
    if signs.len() <= CHUNK_CHARS {
        return vec![line.to_owned()];
    }
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + CHUNK_CHARS).min(signs.len());
        found.push(signs[start..end].iter().collect());
        if end == signs.len() {
            return found;
        }
        start = end - OVERLAP_CHARS;
    }
}

fn trimmed(texts: Vec<String>) -> Vec<String> {
    let texts = texts.into_iter().map(|text| text.trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_CHARS, OVERLAP_CHARS, chunks};

    #[test]
    fn a_line_that_is_too_long_is_cut_with_an_overlap() {
        let line: String = ('a'..='z').cycle().take(2000).collect();
        let found = chunks("t", "p", &line);
        assert_eq!(found[0], "t\n\np");
        let lengths: Vec<usize> = found[1..].iter().map(String::len).collect();
        assert_eq!(lengths, [CHUNK_CHARS, CHUNK_CHARS, 440]);
        assert!(found[1].ends_with(&found[2][..OVERLAP_CHARS]));
    }

    #[test]
    fn a_heading_begins_a_section_and_short_ones_share_a_chunk() {
        let long = "x".repeat(890);
        let text = format!("# One\n\nshort\n\n## Two\n{long}\n## Three\nend\n");
        let found = chunks("t", "p", &text);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], "t\n\np\n\n# One\n\nshort");
        assert_eq!(found[2], "## Three\nend");
    }
}
