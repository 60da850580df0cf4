//! The headings in the chunks of a Markdown document, for a list that knows only the chunks.

use std::ops::Range;

use crate::front_matter::head;
use crate::outline::{Outline, TITLE_CHARS_MAX};

/// Returns the titles of the headings in each chunk of a Markdown document, without one that the chunk starts with: that
/// is the last of [`crate::Chunk::heading_path`]. Each chunk is its first byte and its text, in the order of the
/// document; they must be all of it, so that a `#` inside a fence that was cut is no heading.
pub fn headings_behind(chunks: &[(u32, &str)]) -> Vec<Vec<String>> {
    // What no chunk holds is blank.
    let mut text = String::new();
    for (start, chunk) in chunks {
        let start = *start as usize;
        while text.len() < start {
            text.push('\n');
        }
        let known = text.len() - start;
        text.push_str(chunk.get(known..).unwrap_or_default());
    }
    let outline = Outline::of(&text, head(&text).outline_start);
    let titles_in = |range: Range<usize>| {
        let behind = |end: usize| {
            let headings = &outline.headings;
            headings.partition_point(|heading| heading.bytes.start < end)
        };
        let first = behind(range.start + 1);
        let headings = outline.headings[first..behind(range.end).max(first)].iter();
        let titles = headings.map(|heading| {
            // What is behind the chunk is not in it.
            let end = heading.title.end.min(range.end).max(heading.title.start);
            let title = text[heading.title.start..end].chars();
            title.take(TITLE_CHARS_MAX).collect()
        });
        titles.collect()
    };
    chunks
        .iter()
        .map(|(start, chunk)| {
            let first = *start as usize + chunk.len() - chunk.trim_start().len();
            titles_in(first..*start as usize + chunk.len())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IngestOptions, Kind, parse};

    /// Cuts a note and returns the headings behind the start of each chunk.
    fn behind(text: &str, options: &IngestOptions) -> Vec<Vec<String>> {
        let parsed = parse(Kind::Markdown, text.as_bytes(), options).expect("it is text");
        let chunks = parsed.chunks.iter();
        let chunks: Vec<(u32, &str)> = chunks.map(|it| (it.bytes.start, &*it.text)).collect();
        headings_behind(&chunks)
    }

    #[test]
    fn headings_inside_a_chunk_are_found_and_its_first_is_not() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(behind(text, &IngestOptions::default()), [expected]);
        };
        let text = "---\ntags: [a]\n---\n# One\n\ntext\n\n## Two ##\n\nmore\n\nThree\n=====\nend\n";
        check(text, &["One", "Two", "Three"]);
        let (_, body) = text.split_at("---\ntags: [a]\n---\n".len());
        check(body, &["Two", "Three"]);
        let paragraph = "word ".repeat(100);
        let text = format!("text\n\n{paragraph}\n---\nend\n");
        let found = behind(&text, &IngestOptions::default()).concat();
        let lengths: Vec<usize> = found.iter().map(String::len).collect();
        assert_eq!(lengths, [200]);
        check("before\n\n# One\n", &["One"]);
        check("text\n\n```\n# no heading\n```\n", &[]);
    }

    #[test]
    fn a_comment_is_no_heading_wherever_its_fence_is_cut() {
        let step = |at: u32| format!("# step {at}\nrun {at} and wait for it to end\n");
        let script: String = (0..60).map(step).collect();
        let text = format!("# Script\n\n```sh\n{script}```\n\n## After\n\nend\n");
        for chunk_overlap_chars in [0, 100] {
            let options = IngestOptions {
                chunk_chars: 400,
                chunk_overlap_chars,
                ..IngestOptions::default()
            };
            let found = behind(&text, &options);
            assert!(found.len() > 3, "the fence is cut");
            let found = found.concat();
            assert!(found.iter().all(|title| title == "After"), "{found:?}");
        }
    }
}
