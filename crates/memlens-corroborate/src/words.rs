//! Words and their SimHash, exactly as the vectors in `tests/fixtures/simhash_vectors.json` specify.
//!
//! Source: Charikar, Similarity estimation techniques from rounding algorithms, STOC 2002.

/// Punctuation beyond ASCII that is removed from words.
const PUNCTUATION: &[char] = &[
    '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}', '\u{2013}', '\u{2014}', '\u{2026}',
];

/// Returns the words of a text: lower case, split at white space, without punctuation, never empty.
pub fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split_whitespace()
        .map(|token| {
            token
                .chars()
                .filter(|char| !char.is_ascii_punctuation() && !PUNCTUATION.contains(char))
                .collect::<String>()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns the 64-bit FNV-1a hash of the word's UTF-8.
pub fn fnv1a(word: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    word.bytes().fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}

/// Returns the SimHash of words given by their hashes, counting every occurrence; 0 if there are none.
///
/// Each hash votes for or against every bit; a bit is set if more vote for it than against it.
pub fn simhash(hashes: impl IntoIterator<Item = u64>) -> u64 {
    let mut votes = [0_i64; u64::BITS as usize];
    for hash in hashes {
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += ((hash >> bit & 1) as i64) * 2 - 1;
        }
    }
    (0..)
        .zip(votes)
        .fold(0, |sum, (bit, vote)| sum | u64::from(vote > 0) << bit)
}
