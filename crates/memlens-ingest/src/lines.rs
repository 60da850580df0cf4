//! The line starts of a text.

use std::ops::Range;

/// The starts of a text's lines, for finding the line of a byte.
pub(crate) struct Lines {
    /// Byte offsets, ascending; the first is 0.
    starts: Vec<u32>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(at, byte)| byte == b'\n' && at + 1 < text.len())
                .map(|(at, _)| offset(at + 1)),
        );
        Self { starts }
    }

    /// Returns the 1-based line that holds `byte`. A line holds its own line end, and the last one also the end of the
    /// text.
    ///
    /// As in editors, what follows the last line end is no line: an empty text has one line, `a` and `a\n` have one,
    /// `a\n\n` has two.
    pub(crate) fn line_of(&self, byte: u32) -> u32 {
        offset(self.starts.partition_point(|&start| start <= byte))
    }
}

/// Returns the byte range of every line of `text` from `start` on, without line ends.
///
/// `start` must be the start of a line. A final `\n` is followed by an empty line.
pub(crate) fn lines_from(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut next = Some(start);
    std::iter::from_fn(move || {
        let start = next?;
        let end = text[start..].find('\n').map(|length| start + length);
        next = end.map(|end| end + 1);
        Some(start..end.unwrap_or(text.len()))
    })
}

/// Converts a position in a document to the stored type.
pub(crate) fn offset(position: usize) -> u32 {
    u32::try_from(position).expect("16 MiB of bytes never decode to 4 GiB of text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_bytes() {
        for (text, lines) in [
            ("", vec![1]),
            ("a", vec![1, 1]),
            ("a\n", vec![1, 1, 1]),
            ("a\n\n", vec![1, 1, 2, 2]),
            ("\n\nb", vec![1, 2, 3, 3]),
            ("\n", vec![1, 1]),
        ] {
            let index = Lines::of(text);
            let found: Vec<u32> = (0..=text.len())
                .map(|byte| index.line_of(offset(byte)))
                .collect();
            assert_eq!(found, lines, "{text:?}");
        }
    }

    #[test]
    fn ranges_of_lines() {
        for (text, start, expected) in [
            ("", 0, vec![""]),
            ("a\n", 0, vec!["a", ""]),
            ("a\n\nb", 0, vec!["a", "", "b"]),
            ("a\nb\nc", 2, vec!["b", "c"]),
        ] {
            let found: Vec<&str> = lines_from(text, start).map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
