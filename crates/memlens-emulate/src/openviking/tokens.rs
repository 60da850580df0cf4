//! OpenViking's estimate of tokens, and texts cut to a number of tokens.

/// The weight of a character in quarters of a token: most characters, those of scripts without spaces, those beyond the
/// basic plane.
const PLAIN: u32 = 1;
const DENSE: u32 = 6;
const ASTRAL: u32 = 8;
/// Number of quarters in a token.
const WHOLE: u32 = 4;
/// The scripts without spaces: Hangul, Kana, Han and related characters.
const DENSE_SIGNS: [(char, char); 5] = [
    ('\u{1100}', '\u{11ff}'),
    ('\u{2e80}', '\u{9fff}'),
    ('\u{ac00}', '\u{d7af}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{ff00}', '\u{ffef}'),
];
/// The replacement of the middle of a text that is cut, and its number of tokens.
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

/// Returns the number of tokens in a text.
pub fn estimate(text: &str) -> u32 {
    text.chars().map(quarters).sum::<u32>().div_ceil(WHOLE)
}

/// Returns how many of the first characters have at most `max` tokens.
fn n_first(signs: impl Iterator<Item = char>, max: u32) -> usize {
    let mut sum = 0;
    signs
        .take_while(|sign| {
            sum += quarters(*sign);
            sum <= max * WHOLE
        })
        .count()
}

/// Returns the beginning of a text with at most `max` tokens.
pub fn beginning(text: &str, max: u32) -> String {
    text.chars().take(n_first(text.chars(), max)).collect()
}

/// Cuts a text to at most `max` tokens: three quarters from its beginning, the rest from its end.
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
