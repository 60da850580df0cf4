//! Numbers and phrases as sentences and formulas write them.

/// Formats a number with `decimals` places and a true minus sign.
///
/// A value other than 1 never reads as 1.000: more places are added, up to nine, until it differs. A value that rounds
/// to 0 has no sign.
pub fn number(value: f64, decimals: usize) -> String {
    let mut text = format!("{value:.decimals$}");
    if value != 1.0 && text.trim_end_matches('0') == "1." {
        text = (decimals + 1..=9)
            .map(|places| format!("{value:.places$}"))
            .find(|longer| longer.trim_end_matches('0') != "1.")
            .unwrap_or(text);
    }
    if text.trim_matches(['-', '0', '.']).is_empty() {
        text = text.replace('-', "");
    }
    text.replace('-', "\u{2212}")
}

/// Formats a share in `[0, 1]` as a whole percentage.
pub fn share(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// Number of bits of a SimHash, the fingerprint of a text's words.
const FINGERPRINT_BITS: u32 = 64;

/// Formats the share of equal bits of two fingerprints that differ in this number of bits. It is rounded down, so that "at least"
/// holds and each number of bits is another share.
pub fn alike(n_bits: u32) -> String {
    let n_equal = FINGERPRINT_BITS.saturating_sub(n_bits);
    format!("{} %", 100 * n_equal / FINGERPRINT_BITS)
}

/// Formats a factor of a formula, with four places.
pub(crate) fn times(value: f64) -> String {
    number(value, 4)
}

/// Formats a parameter, at least 0, with two places, or with as many as it needs up to nine.
pub(crate) fn setting(value: f64) -> String {
    // 1 - 0.9 is slightly less than 0.1.
    const ROUNDING: f64 = 1e-9;
    (2..9)
        .map(|places| number(value, places))
        .find(|text| {
            text.parse()
                .is_ok_and(|read: f64| (read - value).abs() < ROUNDING)
        })
        .unwrap_or_else(|| number(value, 9))
}

/// Formats ranks as "rank 3" or "ranks 1, 2 and 5".
pub(crate) fn ranks_text(ranks: &[u32]) -> String {
    match ranks {
        [] => String::new(),
        [rank] => format!("rank {rank}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(u32::to_string).collect();
            format!("ranks {} and {last}", first.join(", "))
        }
    }
}

/// Returns the formula with the score that it gives, or nothing if the effect gives no score.
pub(crate) fn scored(expression: String, effect: crate::Effect) -> Vec<(String, f64)> {
    effect
        .score()
        .map_or_else(Vec::new, |score| vec![(expression, score)])
}
