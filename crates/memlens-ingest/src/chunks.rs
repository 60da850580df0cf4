//! The chunk packer: whole lines, packed greedily, with an overlap of whole lines.
//!
//! The same packing as in OpenClaw 2026.7.35 (`chunkMarkdown`), so that its chunks and ours are the same texts, with
//! two differences. A fenced code block that fits into a chunk is not split. The newline that the original puts between
//! the pieces of a cut line is left out, so that a chunk is always a slice of its document.
//!
//! Properties checked: the chunks equal the original's to the byte; no text is lost; chunks ascend; a chunk is longer
//! than allowed only where the original's is (an overlap and one more line); fences stay whole; time and space stay
//! linear.

use std::collections::VecDeque;
use std::ops::Range;

use crate::document::IngestOptions;
use crate::lines::lines_from;

/// The original's minimum chunk size.
const CHUNK_UNITS_MIN: usize = 32;

/// Limit of the total length of a document's chunks: a multiple of the document's length plus a constant in bytes.
///
/// A long line before many short ones is repeated in a new chunk with every one of them, up to the overlap; a hostile
/// document would grow 300-fold. Notes that people write stay below 3, and small ones within the constant.
const TOTAL_PER_BYTE: usize = 4;
const TOTAL_FREE_BYTES: usize = 1024 * 1024;

/// The remaining total length of a document's chunks; once used up, chunks are packed without overlap.
pub(crate) struct Allowance {
    bytes_left: usize,
}

impl Allowance {
    /// Returns the allowance of a document of that length in bytes, regardless of how many texts it is cut into.
    pub(crate) fn of(document_bytes: usize) -> Self {
        Self {
            bytes_left: document_bytes
                .saturating_mul(TOTAL_PER_BYTE)
                .saturating_add(TOTAL_FREE_BYTES),
        }
    }
}

/// The chunks of a text.
#[derive(Debug)]
pub(crate) struct Packed {
    /// Byte ranges; starts never descend, ends ascend. Blank chunks are left out.
    pub(crate) chunks: Vec<Range<usize>>,
    /// Where chunks began to be packed without overlap because too much was repeated.
    pub(crate) overlap_given_up_at: Option<usize>,
}

/// Packs the lines of `text` into chunks.
///
/// Lengths are UTF-16 units, plus 1 for each line's end, as in the original. `fences` are whole lines, in order. An
/// overlap of more than half a chunk counts as half, to guarantee progress. `allowance` is that of the document that
/// `text` is, or is part of.
pub(crate) fn pack(
    text: &str,
    fences: &[Range<usize>],
    options: &IngestOptions,
    allowance: &mut Allowance,
) -> Packed {
    let units_max = (options.chunk_chars as usize).max(CHUNK_UNITS_MIN);
    let mut packer = Packer {
        text,
        units_max,
        overlap_units: (options.chunk_overlap_chars as usize).min(units_max / 2),
        current: VecDeque::new(),
        current_units: 0,
        allowance,
        packed: Packed {
            chunks: Vec::new(),
            overlap_given_up_at: None,
        },
    };
    let mut fences = fences.iter().peekable();
    for line in lines_from(text, 0) {
        while fences.next_if(|fence| fence.end < line.start).is_some() {}
        if let Some(fence) = fences.next_if(|fence| line.contains(&fence.start)) {
            packer.make_room_for(fence);
        }
        packer.push_line(line);
    }
    packer.flush();
    packer.packed
}

struct Packer<'a> {
    text: &'a str,
    units_max: usize,
    overlap_units: usize,
    /// Lines and pieces of lines, with their lengths.
    current: VecDeque<(Range<usize>, usize)>,
    current_units: usize,
    allowance: &'a mut Allowance,
    packed: Packed,
}

impl Packer<'_> {
    fn push_line(&mut self, line: Range<usize>) {
        // A line has at most as many units as bytes, so few lines need to be counted.
        if line.len() <= self.units_max {
            let units = utf16_units(&self.text[line.clone()]);
            return self.push(line, units);
        }
        let mut start = line.start;
        let mut units = 0;
        for (at, char) in self.text[line.clone()].char_indices() {
            if units + char.len_utf16() > self.units_max {
                self.push(start..line.start + at, units);
                (start, units) = (line.start + at, 0);
            }
            units += char.len_utf16();
        }
        self.push(start..line.end, units);
    }

    fn push(&mut self, segment: Range<usize>, units: usize) {
        let units = units + 1;
        if self.current_units + units > self.units_max && !self.current.is_empty() {
            self.flush();
            self.carry_overlap();
        }
        // Pushed even if the overlap leaves too little room, as in the original: every chunk must contain something
        // new.
        self.current.push_back((segment, units));
        self.current_units += units;
    }

    /// Ends the chunk before a fence that fits into a chunk but not into the rest of this one.
    fn make_room_for(&mut self, fence: &Range<usize>) {
        // No UTF-16 unit is longer than 3 bytes, so a longer fence need not be counted.
        if fence.len() > 3 * self.units_max {
            return;
        }
        let units = utf16_units(&self.text[fence.clone()]) + 1;
        if units > self.units_max
            || self.current_units + units <= self.units_max
            || self.current.is_empty()
        {
            return;
        }
        self.flush();
        self.carry_overlap();
        while self.current_units + units > self.units_max {
            let Some((_, dropped)) = self.current.pop_front() else {
                break;
            };
            self.current_units -= dropped;
        }
    }

    fn flush(&mut self) {
        let (Some((first, _)), Some((last, _))) = (self.current.front(), self.current.back())
        else {
            return;
        };
        let chunk = first.start..last.end;
        if self.text[chunk.clone()].trim().is_empty() {
            return;
        }
        self.allowance.bytes_left = self.allowance.bytes_left.saturating_sub(chunk.len());
        self.packed.chunks.push(chunk);
    }

    /// Keeps the last lines until they make up the overlap.
    fn carry_overlap(&mut self) {
        let mut carried = 0;
        let mut n_carried = 0;
        if self.allowance.bytes_left > 0 {
            for (_, units) in self
                .current
                .iter()
                .rev()
                .take_while(|_| self.overlap_units > 0)
            {
                carried += units;
                n_carried += 1;
                if carried >= self.overlap_units {
                    break;
                }
            }
        } else if self.packed.overlap_given_up_at.is_none() {
            self.packed.overlap_given_up_at = self.current.back().map(|(last, _)| last.end);
        }
        self.current.drain(..self.current.len() - n_carried);
        self.current_units = carried;
    }
}

fn utf16_units(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.chars().map(char::len_utf16).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::Outline;
    use proptest::prelude::*;

    const SMALL: IngestOptions = IngestOptions {
        chunk_chars: 40,
        chunk_overlap_chars: 10,
        window_chars: 400,
    };

    fn check(text: &str, expected: &[&str]) {
        let fences = Outline::of(text, 0).fences;
        let packed = pack(text, &fences, &SMALL, &mut Allowance::of(text.len()));
        let found: Vec<&str> = packed
            .chunks
            .iter()
            .map(|range| &text[range.clone()])
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn whole_lines_with_overlap() {
        check("", &[]);
        check(" \n\n\t\n", &[]);
        check("one", &["one"]);
        check("one\n", &["one\n"]);
        // 12 + 12 + 12 = 36 units; the next 12 do not fit. One line of 12 makes up the overlap of 10.
        check(
            "aaaaaaaaaaa\nbbbbbbbbbbb\nccccccccccc\nddddddddddd\n",
            &[
                "aaaaaaaaaaa\nbbbbbbbbbbb\nccccccccccc",
                "ccccccccccc\nddddddddddd\n",
            ],
        );
        // Lines of 6 units: two are repeated, because one is too little.
        check(
            "1aaaa\n2aaaa\n3aaaa\n4aaaa\n5aaaa\n6aaaa\n7aaaa",
            &[
                "1aaaa\n2aaaa\n3aaaa\n4aaaa\n5aaaa\n6aaaa",
                "5aaaa\n6aaaa\n7aaaa",
            ],
        );
    }

    #[test]
    fn overlap_and_next_line_may_exceed_the_length_as_in_the_original() {
        let (long, next) = ("x".repeat(38), "y".repeat(38));
        check(
            &format!("{long}\n{next}"),
            &[&long, &format!("{long}\n{next}")],
        );
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let piece = |char: &str| char.repeat(40);
        // As in the original, a repeated piece and the next one make a chunk.
        check(
            &"x".repeat(100),
            &[&piece("x"), &"x".repeat(80), &"x".repeat(60)],
        );
        // Two units each: 20 to a piece.
        check(&"🌊".repeat(30), &[&"🌊".repeat(20), &"🌊".repeat(30)]);
        // One unit each, three bytes.
        check(&"水".repeat(50), &[&piece("水"), &"水".repeat(50)]);
        // The limit would fall inside a surrogate pair, so the cut is before it.
        check(
            &format!("{}🌊", "x".repeat(39)),
            &[&"x".repeat(39), &format!("{}🌊", "x".repeat(39))],
        );
    }

    #[test]
    fn fences_that_fit_stay_whole() {
        // Without the fence rule the first chunk would end after "code 1".
        check(
            "some text before\n\n```\ncode 1\ncode 2\ncode 3\n```\nafter",
            &[
                "some text before\n",
                "\n```\ncode 1\ncode 2\ncode 3\n```\nafter",
            ],
        );
        // The fence replaces the overlap if both do not fit.
        check(
            "before before before before\n```\n12345678901234567890123456789\n```",
            &[
                "before before before before",
                "```\n12345678901234567890123456789\n```",
            ],
        );
        // Too long for any chunk: split like text.
        check(
            "before\n```\ncode code code\ncode code code\ncode code code\n```",
            &[
                "before\n```\ncode code code",
                "code code code\ncode code code",
                "code code code\ncode code code\n```",
            ],
        );
        // It fits, so nothing changes.
        check("a\n```\nb\n```\nc", &["a\n```\nb\n```\nc"]);
    }

    #[test]
    fn repeating_is_given_up_in_the_end() {
        let block = format!("{}\n{}", "x".repeat(1590), "\ny".repeat(160));
        let text = format!("{block}\n").repeat(1000);
        let pack = |text: &str| {
            pack(
                text,
                &[],
                &IngestOptions::default(),
                &mut Allowance::of(text.len()),
            )
        };
        let packed = pack(&text);
        let total: usize = packed.chunks.iter().map(Range::len).sum();
        assert!(total < 5 * text.len() + TOTAL_FREE_BYTES + 4096, "{total}");
        assert!(packed.overlap_given_up_at.is_some());

        let one = pack(&block);
        assert!(
            one.chunks.len() > 100,
            "the original's behaviour in a small note"
        );
        assert_eq!(one.overlap_given_up_at, None);
    }

    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-c .]{0,30}",
            "[水🌊é]{0,30}",
            "x{30,120}",
            Just("```".to_owned()),
            Just("# Title".to_owned()),
            Just(String::new()),
        ];
        proptest::collection::vec(piece, 0..30).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn packing_loses_nothing(text in any_text(), overlap in 0_u32..60) {
            let fences = Outline::of(&text, 0).fences;
            let options = IngestOptions { chunk_overlap_chars: overlap, ..SMALL };
            let chunks = pack(&text, &fences, &options, &mut Allowance::of(text.len())).chunks;
            let mut covered = 0;
            for (previous, chunk) in std::iter::once(&(0..0)).chain(&chunks).zip(&chunks) {
                prop_assert!(text.is_char_boundary(chunk.start) && text.is_char_boundary(chunk.end));
                prop_assert!(chunk.start >= previous.start && chunk.end > previous.end);
                if chunk.start > covered {
                    prop_assert!(text[covered..chunk.start].trim().is_empty());
                }
                covered = chunk.end;
                let slice = &text[chunk.clone()];
                prop_assert!(!slice.trim().is_empty());
                if utf16_units(slice) > 40 {
                    // Only what was repeated from the chunk before (or from blank lines) and one more line or piece.
                    let added = text[previous.end.max(chunk.start)..chunk.end].trim_start();
                    prop_assert!(!added.contains('\n') && utf16_units(added) <= 40, "{:?}", slice);
                }
            }
            prop_assert!(text[covered..].trim().is_empty());
            for fence in fences.iter().filter(|fence| utf16_units(&text[(*fence).clone()]) < 40) {
                prop_assert!(chunks.iter().any(|chunk| chunk.start <= fence.start && fence.end <= chunk.end));
            }
        }
    }
}
