//! Pairs of opposite words, as the window and the command line show them.

use serde::Serialize;
use specta::Type;

/// A pair of opposite words, by which notes are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct OppositionPair {
    /// Names the pair among those of its kind, own or standard.
    pub id: String,
    /// Words of one meaning.
    pub words: Vec<String>,
    /// Words of the opposite meaning.
    pub opposite: Vec<String>,
    /// Whether the user added it.
    pub is_own: bool,
    /// Whether notes are compared by it; an own pair always is.
    pub is_on: bool,
}
