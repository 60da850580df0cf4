//! Weighted scores, as feedback and decay compute and write them.

use crate::words::times;

/// `score * weight`. A score below 0, which a poor cosine may give, moves in the same direction: up if the weight is
/// above 1, down if below.
pub fn weighted(score: f64, weight: f64) -> f64 {
    if score >= 0.0 {
        score * weight
    } else {
        score * (2.0 - weight)
    }
}

/// Formats what [`weighted`] computes for the two numbers.
pub fn product(score: f64, weight: f64) -> String {
    if score >= 0.0 {
        format!("{} · {}", times(score), times(weight))
    } else {
        format!("{} · (2 \u{2212} {})", times(score), times(weight))
    }
}
