//! Matches words of a text with the words of the question that they answer.

use std::ops::Range;

use crate::token_table::TokenTable;

/// A word of a text, with the nearest word of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Byte range of the word in the text.
    pub bytes: Range<usize>,
    /// The cosine of the two words in `[0, 1]`; negative cosines count as 0.
    pub weight: f32,
    /// Byte range of the question's word in the question.
    pub asked: Range<usize>,
    /// Whether it is the text's nearest word to that word of the question, so that it counts in the score.
    pub counts: bool,
}

/// Returns every word of a text, in order, with the nearest word of the question; ties keep the first.
///
/// A word is a run of letters and digits, and as near as the nearest of its tokens. Words without a token that was read
/// are left out.
pub(crate) fn answers(
    (query, asked): (&str, &TokenTable),
    (text, table): (&str, &TokenTable),
) -> Vec<Answer> {
    let (query_words, text_words) = (words(query), words(text));
    let query_tokens = words_of(&query_words, asked);
    let text_tokens = words_of(&text_words, table);
    // Row-major [query words, text words].
    let mut nearness = vec![f32::NEG_INFINITY; query_words.len() * text_words.len()];
    let cosines = asked.cosines(table);
    let rows = cosines.chunks(table.n_tokens().max(1));
    for (query_word, row) in query_tokens.iter().zip(rows) {
        for (text_word, &cosine) in text_tokens.iter().zip(row) {
            if let (Some(query_word), Some(text_word)) = (query_word, text_word) {
                let nearest = &mut nearness[query_word * text_words.len() + text_word];
                *nearest = nearest.max(cosine);
            }
        }
    }
    let best: Vec<f32> = nearness
        .chunks(text_words.len().max(1))
        .map(|row| row.iter().copied().fold(f32::NEG_INFINITY, f32::max))
        .collect();
    let answer = |(text_word, bytes): (usize, &Range<usize>)| {
        let column =
            || (0..query_words.len()).map(|at| nearness[at * text_words.len() + text_word]);
        let nearest = column().fold(f32::NEG_INFINITY, f32::max);
        let query_word = column().position(|it| it == nearest)?;
        nearest.is_finite().then(|| Answer {
            bytes: bytes.clone(),
            weight: nearest.clamp(0.0, 1.0),
            asked: query_words[query_word].clone(),
            counts: nearest >= best[query_word],
        })
    };
    text_words.iter().enumerate().filter_map(answer).collect()
}

/// Returns the byte range of every run of letters and digits, ascending.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_between = |c: char| !c.is_alphanumeric();
    let mut end = 0;
    let mut words = Vec::new();
    for piece in text.split_inclusive(is_between) {
        let start = end;
        end += piece.len();
        let word = piece.trim_end_matches(is_between);
        if !word.is_empty() {
            words.push(start..start + word.len());
        }
    }
    words
}

/// Returns the index of each token's word; `None` if the token is not part of a word.
fn words_of(words: &[Range<usize>], table: &TokenTable) -> Vec<Option<usize>> {
    let word_of = |token: &Range<u32>| {
        let at = words.partition_point(|word| word.end <= token.start as usize);
        let word = words.get(at)?;
        (word.start < token.end as usize).then_some(at)
    };
    table.ranges().iter().map(word_of).collect()
}

/// Checks that each word is matched with its nearest one, with the cosine of its nearest token, and that the ones that
/// count are marked.
#[cfg(test)]
mod tests {
    use memlens_embed::TokenVectors;

    use super::*;

    /// Returns a table of tokens in the plane, each at an angle in degrees.
    fn table(tokens: &[(Range<usize>, f32)]) -> TokenTable {
        let vectors = TokenVectors {
            vectors: tokens
                .iter()
                .flat_map(|(_, degrees)| [degrees.to_radians().cos(), degrees.to_radians().sin()])
                .collect(),
            ranges: tokens.iter().map(|(range, _)| range.clone()).collect(),
        };
        let mut table = TokenTable::new(2);
        table.extend(0, &vectors, |_| true);
        table
    }

    fn check(
        query: (&str, &[(Range<usize>, f32)]),
        text: (&str, &[(Range<usize>, f32)]),
        expected: &[(&str, f32, &str, bool)],
    ) {
        let found = answers((query.0, &table(query.1)), (text.0, &table(text.1)));
        let found: Vec<(&str, f32, &str, bool)> = found
            .into_iter()
            .map(|answer| {
                let weight = (answer.weight * 10.0).round() / 10.0;
                (
                    &text.0[answer.bytes],
                    weight,
                    &query.0[answer.asked],
                    answer.counts,
                )
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_word_is_beside_its_nearest() {
        check(
            ("quiet hours?", &[(0..5, 0.0), (6..11, 90.0)]),
            // The second word has two tokens, the third none, the last is opposed to both.
            (
                "Night: silent, so, 7 no",
                &[
                    (0..5, 60.0),
                    (7..10, 90.0),
                    (10..13, 0.0),
                    (19..20, 80.0),
                    (21..23, 225.0),
                ],
            ),
            &[
                ("Night", 0.9, "hours", false),
                ("silent", 1.0, "quiet", true),
                ("7", 1.0, "hours", false),
                ("no", 0.0, "quiet", false),
            ],
        );
    }

    #[test]
    fn without_tokens_there_are_no_answers() {
        check(("quiet", &[(0..5, 0.0)]), ("", &[]), &[]);
        check(("quiet", &[(0..5, 0.0)]), ("night", &[]), &[]);
        check(("?", &[]), ("night", &[(0..5, 0.0)]), &[]);
        // A sign is not part of a word.
        check(
            ("quiet", &[(0..5, 0.0)]),
            ("a -", &[(0..1, 0.0), (2..3, 0.0)]),
            &[("a", 1.0, "quiet", true)],
        );
    }
}
