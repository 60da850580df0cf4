//! Counting tests by what the three test runners print.

use std::ops::AddAssign;

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that ran and held.
    pub passed: u32,
    /// Tests that ran and did not hold.
    pub failed: u32,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        let Self { passed, failed } = other;
        self.passed += passed;
        self.failed += failed;
    }
}

/// A program that runs tests and prints a summary in its own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// `test result: ok. 3 passed; 0 failed; …`, once per test program.
    Cargo,
    /// `Tests  1 failed | 3 passed | 1 skipped (5)`, once.
    Vitest,
    /// `ℹ pass 3` and `ℹ fail 0`, once.
    Node,
}

impl Runner {
    /// What `line` adds to the count; nothing when it is no line of the summary.
    ///
    /// Colours do not matter.
    pub fn count(self, line: &str) -> Tally {
        let line = anstream::adapter::strip_str(line).to_string();
        let line = line.trim();
        match self {
            Self::Cargo => line
                .strip_prefix("test result: ")
                .map(|summary| Tally {
                    passed: number_before(summary, "passed"),
                    failed: number_before(summary, "failed"),
                })
                .unwrap_or_default(),
            Self::Vitest => line
                .strip_prefix("Tests ")
                .map(|summary| Tally {
                    passed: number_before(summary, "passed"),
                    failed: number_before(summary, "failed"),
                })
                .unwrap_or_default(),
            Self::Node => {
                let number = |name: &str| {
                    line.strip_prefix("ℹ ")?
                        .strip_prefix(name)?
                        .strip_prefix(' ')?
                        .parse()
                        .ok()
                };
                Tally {
                    passed: number("pass").unwrap_or(0),
                    failed: number("fail").unwrap_or(0),
                }
            }
        }
    }
}

/// The number before `word`; 0 if there is none.
fn number_before(summary: &str, word: &str) -> u32 {
    let words: Vec<&str> = summary
        .split(|symbol: char| !symbol.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    words
        .windows(2)
        .find(|pair| pair[1] == word)
        .and_then(|pair| pair[0].parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    //! Each runner's summary is counted, in colour or not, and no other line is.

    use super::*;

    fn check(runner: Runner, lines: &str, passed: u32, failed: u32) {
        let mut tally = Tally::default();
        for line in lines.lines() {
            tally += runner.count(line);
        }
        assert_eq!(tally, Tally { passed, failed }, "{lines}");
    }

    #[test]
    fn cargo_prints_a_line_per_program() {
        check(
            Runner::Cargo,
            "running 3 tests\n\
             test a::says_5_passed ... ok\n\
             test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
             \n\
             test result: FAILED. 12 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s\n\
             \x20  Doc-tests memlens_rank\n\
             test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.30s\n",
            16,
            2,
        );
        check(
            Runner::Cargo,
            "test result: \u{1b}[32mok\u{1b}[m. 3 passed; 0 failed; 0 ignored",
            3,
            0,
        );
    }

    #[test]
    fn vitest_prints_tests_after_files() {
        check(
            Runner::Vitest,
            " Test Files  1 failed | 4 passed (5)\n      Tests  1 failed | 30 passed | 2 skipped (33)\n   Start at  12:00:00\n",
            30,
            1,
        );
        check(
            Runner::Vitest,
            "\u{1b}[2m Test Files \u{1b}[22m \u{1b}[1m\u{1b}[32m2 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (2)\u{1b}[39m\n\
             \u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m7 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (7)\u{1b}[39m\n",
            7,
            0,
        );
        check(Runner::Vitest, "      Tests  3 failed (3)\n", 0, 3);
        check(Runner::Vitest, "      Tests  no tests\n", 0, 0);
    }

    #[test]
    fn node_prints_a_line_per_number() {
        check(
            Runner::Node,
            "✔ opens a folder (812.1ms)\nℹ tests 4\nℹ suites 1\nℹ pass 3\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 3211.5\n",
            3,
            1,
        );
        check(Runner::Node, "ℹ passport 3\npass 3\n", 0, 0);
    }
}
