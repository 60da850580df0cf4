//! Iterates over the complete lines of a file, in bounded memory.
//!
//! Properties checked: every way of cutting the file into reads gives the same lines; text after the last line end is
//! not a line yet.

use std::io::{self, Read};

/// Maximum length of a line; longer lines are skipped.
pub(super) const LINE_MAX: usize = 32 << 20;
const READ: usize = 1 << 18;

pub(super) struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// Start of the part of the buffer that was not returned yet.
    start: usize,
    /// Position up to which the buffer contains no line end.
    searched: usize,
    /// Whether the current line is too long, and its beginning was dropped.
    is_too_long: bool,
    /// Offset after the last line that was returned.
    at: u64,
    /// Bytes of the current line that were dropped.
    n_gone: u64,
}

pub(super) enum Line<'l> {
    /// Its bytes without the line end, and the byte at which it begins.
    Whole(&'l [u8], u64),
    /// The line is longer than `LINE_MAX`.
    TooLong,
}

impl<R: Read> Lines<R> {
    /// The lines of what is read, whose first byte is the log's byte `at`.
    pub fn new(from: R, at: u64) -> Lines<R> {
        Lines {
            from,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            is_too_long: false,
            at,
            n_gone: 0,
        }
    }

    /// The byte after the last line.
    pub fn at(&self) -> u64 {
        self.at
    }

    pub fn source(&mut self) -> &mut R {
        &mut self.from
    }

    /// The next line; `None` if no further line is complete.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                let line = self.start..self.searched + found;
                let began = self.at;
                self.at += self.n_gone + line.len() as u64 + 1;
                self.start = line.end + 1;
                self.searched = self.start;
                self.n_gone = 0;
                if std::mem::take(&mut self.is_too_long) || line.len() > LINE_MAX {
                    return Ok(Some(Line::TooLong));
                }
                return Ok(Some(Line::Whole(&self.buffer[line], began)));
            }
            if self.buffer.len() - self.start > LINE_MAX {
                self.is_too_long = true;
                self.n_gone += (self.buffer.len() - self.start) as u64;
                self.start = self.buffer.len();
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            let filled = self.buffer.len();
            self.searched = filled;
            self.buffer.resize(filled + READ, 0);
            let n = loop {
                match self.from.read(&mut self.buffer[filled..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    n => break n,
                }
            };
            self.buffer.truncate(filled + *n.as_ref().unwrap_or(&0));
            if n? == 0 {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reader that returns this many bytes at a time.
    struct Slow<'b>(&'b [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(into.len());
            let (now, later) = self.0.split_at(n);
            into[..n].copy_from_slice(now);
            self.0 = later;
            Ok(n)
        }
    }

    /// A line with its byte offset; `None` for a line that is too long.
    type LineRead = Option<(Vec<u8>, u64)>;

    fn all(mut lines: Lines<impl Read>) -> (Vec<LineRead>, u64) {
        let mut lines_read = Vec::new();
        while let Some(line) = lines.next().expect("it can be read") {
            lines_read.push(match line {
                Line::Whole(bytes, at) => Some((bytes.to_vec(), at)),
                Line::TooLong => None,
            });
        }
        (lines_read, lines.at())
    }

    #[test]
    fn lines_are_the_same_however_they_are_read() {
        let bytes = b"one\n\ntwo \xff\0\r\nthree is torn";
        for n in 1..=bytes.len() {
            let (lines_read, at) = all(Lines::new(Slow(bytes, n), 100));
            let lines: Vec<_> = lines_read.into_iter().map(Option::unwrap).collect();
            assert_eq!(
                lines,
                [
                    (b"one".to_vec(), 100),
                    (b"".to_vec(), 104),
                    (b"two \xff\0\r".to_vec(), 105)
                ]
            );
            assert_eq!(at, 113);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_one_read() {
        let mut bytes = b"first\n".to_vec();
        bytes.resize(bytes.len() + 2 * LINE_MAX, b'x');
        bytes.extend(b"\nlast\n");
        let (lines_read, at) = all(Lines::new(&bytes[..], 0));
        assert_eq!(lines_read[0], Some((b"first".to_vec(), 0)));
        assert_eq!(lines_read[1], None);
        assert_eq!(
            lines_read[2],
            Some((b"last".to_vec(), 6 + 2 * LINE_MAX as u64 + 1))
        );
        assert_eq!((lines_read.len(), at), (3, bytes.len() as u64));
    }
}
