//! Errors of parameters that the user or a file gives.

use std::borrow::Cow;

use thiserror::Error;

/// Maximum number of characters of an invalid input that a message repeats.
const BRIEF_CHARS_MAX: usize = 80;

/// Truncates an invalid input, which may be megabytes of a file, to a length that is enough to recognise it.
pub fn brief(given: &str) -> Cow<'_, str> {
    match given.char_indices().nth(BRIEF_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}\u{2026}", &given[..end])),
        None => Cow::Borrowed(given),
    }
}

/// The parameter that was rejected, the value, and what would be accepted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ParamError {
    /// No line of the table has this id; `nearest` is the closest id, if one is close.
    #[error("unknown parameter {}{}", brief(id), nearest.as_ref().map(|n| format!(": did you mean {n}?")).unwrap_or_default())]
    Unknown {
        /// The id that no table has.
        id: String,
        /// The id of the table that differs least, if it differs by at most a third.
        nearest: Option<String>,
    },
    /// The value is a number, but outside the parameter's range.
    #[error("cannot set {id} to {}: the range is {range}", brief(value))]
    OutOfRange {
        /// The id of the parameter.
        id: &'static str,
        /// The value as given.
        value: String,
        /// The accepted values, as text for the user.
        range: String,
    },
    /// The value is not of the parameter's kind: a number, one of the choices, or a toggle.
    #[error("cannot set {id} to {}: it takes {expected}", brief(value))]
    WrongKind {
        /// The id of the parameter.
        id: &'static str,
        /// The value as given.
        value: String,
        /// The accepted values, as text for the user.
        expected: String,
    },
    /// Both lists would have weight 0, so no score could be computed.
    #[error("cannot use vector_weight 0 together with text_weight 0: one of them must be above 0")]
    NoWeight,
    /// The overlap is too long for chunks to advance.
    #[error(
        "cannot use chunk_overlap_chars {overlap} with chunk_chars {chunk}: the overlap must be at most half of the chunk"
    )]
    Overlap {
        /// The value of `chunk_overlap_chars`.
        overlap: u32,
        /// The value of `chunk_chars`.
        chunk: u32,
    },
    /// A `--set` argument without `=`.
    #[error("cannot read {:?} as a setting: it must be id=value", brief(given))]
    NotASetting {
        /// The argument, which should be `id=value`.
        given: String,
    },
}
