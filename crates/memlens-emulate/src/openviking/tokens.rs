//! Tokens as OpenViking estimates them, and texts cut to so many.

/// What a sign counts, in quarters of a token: most, those of scripts without blanks, those beyond the first plane.
const PLAIN: u32 = 1;
const DENSE: u32 = 6;
const ASTRAL: u32 = 8;
/// How many quarters make a token.
const WHOLE: u32 = 4;
/// The scripts without blanks: Hangul, Kana, Han and what belongs to them.
const DENSE_SIGNS: [(char, char); 5] = [
    ('\u{1100}', '\u{11ff}'),
    ('\u{2e80}', '\u{9fff}'),
    ('\u{ac00}', '\u{d7af}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{ff00}', '\u{ffef}'),
];
/// What stands for the middle of a text that is cut, and how many tokens that is.
const CUT_MARK: &str = "\n\u{2026}\n";
const CUT_MARK_TOKENS: u32 = 1;

fn quarters(sign: char) -> u32 {
    if sign > '\u{ffff}' {
        ASTRAL
    } else if DENSE_SIGNS
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&sign))
    {
        DENSE
    } else {
        PLAIN
    }
}

/// How many tokens a text has.
pub fn estimate(text: &str) -> u32 {
    text.chars().map(quarters).sum::<u32>().div_ceil(WHOLE)
}

/// How many of the first signs have at most so many tokens.
fn n_first(signs: impl Iterator<Item = char>, max: u32) -> usize {
    let mut sum = 0;
    signs
        .take_while(|sign| {
            sum += quarters(*sign);
            sum <= max * WHOLE
        })
        .count()
}

/// The beginning of a text with at most so many tokens.
pub fn beginning(text: &str, max: u32) -> String {
    text.chars().take(n_first(text.chars(), max)).collect()
}

/// A text of at most so many tokens: three quarters of them from its beginning, the others from its end.
pub fn cut(text: &str, max: u32) -> String {
    if estimate(text) <= max {
        return text.to_owned();
    }
    let left = max.saturating_sub(CUT_MARK_TOKENS);
    let head = left * 3 / 4;
    let n_tail = n_first(text.chars().rev(), left - head);
    let n_signs = text.chars().count();
    let tail: String = text.chars().skip(n_signs - n_tail).collect();
    format!("{}{CUT_MARK}{tail}", beginning(text, head))
}

#[cfg(test)]
mod tests {
    use super::{cut, estimate};

    #[test]
    fn tokens_are_estimated_by_script() {
        for (text, tokens) in [
            ("", 0),
            ("abcde", 2),
            ("\u{6771}\u{4eac}", 3),
            ("\u{1f980}", 2),
        ] {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }

    #[test]
    fn a_cut_keeps_beginning_and_end() {
        let text: String = ('a'..='z').collect();
        assert_eq!(cut(&text, 7), text);
        assert_eq!(cut(&text, 5), "abcdefghijkl\n\u{2026}\nwxyz");
    }
}
