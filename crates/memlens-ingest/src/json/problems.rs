//! Collects problems with lines of a document.

use std::ops::RangeInclusive;

use crate::document::Problem;

/// Maximum number of problems that are listed; of the others only the number is reported.
const PROBLEMS_NAMED: usize = 20;

/// Prefix of the message of a run of lines.
const LINES: &str = "lines ";
const TO: &str = " to ";

/// Returns the lines that a problem concerns. `line` is the first; the message of a run of lines names the last.
pub fn lines_of_problem(line: u32, message: &str) -> RangeInclusive<u32> {
    let last = || {
        let named = message.strip_prefix(LINES)?.split_once(": ")?.0;
        let (first, last) = named.split_once(TO)?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        (first == line && last >= first).then_some(last)
    };
    line..=last().unwrap_or(line)
}

/// Collects problems. A run of lines with the same problem is reported once.
#[derive(Default)]
pub(super) struct Problems {
    /// First line, last line and message.
    runs: Vec<(u32, u32, String)>,
    n_more: usize,
}

impl Problems {
    pub(super) fn push(&mut self, line: u32, message: String) {
        let has_room = self.runs.len() < PROBLEMS_NAMED;
        match self.runs.last_mut() {
            Some((_, last, said)) if *last + 1 == line && *said == message => *last = line,
            Some(_) | None if has_room => self.runs.push((line, line, message)),
            Some(_) | None => self.n_more += 1,
        }
    }

    pub(super) fn finish(self) -> Vec<Problem> {
        let named = self.runs.into_iter().map(|(first, last, message)| Problem {
            line: Some(first),
            message: if first == last {
                message
            } else {
                format!("{LINES}{first}{TO}{last}: {message}")
            },
        });
        let more = (self.n_more > 0).then(|| Problem {
            line: None,
            message: format!("and {} more", self.n_more),
        });
        named.chain(more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_run_are_those_that_its_message_names() {
        let mut problems = Problems::default();
        for line in [1, 2, 3, 5] {
            problems.push(line, "skipped: all".to_owned());
        }
        let lines: Vec<_> = problems
            .finish()
            .iter()
            .map(|problem| lines_of_problem(problem.line.unwrap_or(0), &problem.message))
            .collect();
        assert_eq!(lines, [1..=3, 5..=5]);
        for message in [
            "",
            "lines",
            "lines 2 to x: a",
            "lines 9 to 12: a",
            "lines 2 to 1: a",
        ] {
            assert_eq!(lines_of_problem(2, message), 2..=2, "{message}");
        }
    }
}
