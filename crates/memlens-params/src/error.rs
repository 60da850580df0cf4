//! What can be wrong with a parameter that a person or a file gives.

use std::borrow::Cow;

use thiserror::Error;

/// The most characters of what somebody gave that a message repeats.
const BRIEF_CHARS_MAX: usize = 80;

/// The beginning of what somebody gave, enough to recognise it by: a file may give megabytes.
pub fn brief(given: &str) -> Cow<'_, str> {
    match given.char_indices().nth(BRIEF_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}\u{2026}", &given[..end])),
        None => Cow::Borrowed(given),
    }
}

/// Which parameter was refused, the value, and what would be accepted.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ParamError {
    /// No line of the table has this id; `nearest` is the closest id, if one is close.
    #[error("unknown parameter {}{}", brief(id), nearest.as_ref().map(|n| format!(": did you mean {n}?")).unwrap_or_default())]
    Unknown {
        /// The id as given.
        id: String,
        /// The id of the table that differs least, when it differs by at most a third.
        nearest: Option<String>,
    },
    /// The value is a number as the parameter needs it, but outside what it accepts.
    #[error("cannot set {id} to {}: the range is {range}", brief(value))]
    OutOfRange {
        /// The parameter.
        id: &'static str,
        /// The value as given.
        value: String,
        /// What is accepted, for a person.
        range: String,
    },
    /// The value is not a number, one of the choices, or a toggle, as the parameter needs it.
    #[error("cannot set {id} to {}: it takes {expected}", brief(value))]
    WrongKind {
        /// The parameter.
        id: &'static str,
        /// The value as given.
        value: String,
        /// What is accepted, for a person.
        expected: String,
    },
    /// Both lists would weigh nothing, so no score could be formed.
    #[error("cannot use vector_weight 0 together with text_weight 0: one of them must be above 0")]
    NoWeight,
    /// The chunks could not advance: their overlap is as long as the chunk.
    #[error(
        "cannot use chunk_overlap_chars {overlap} with chunk_chars {chunk}: the overlap must be at most half of the chunk"
    )]
    Overlap {
        /// `chunk_overlap_chars`.
        overlap: u32,
        /// `chunk_chars`.
        chunk: u32,
    },
    /// A `--set` argument without `=`.
    #[error("cannot read {:?} as a setting: it must be id=value", brief(given))]
    NotASetting {
        /// The argument as given.
        given: String,
    },
}
