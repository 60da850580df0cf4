//! Notes that an agent's own search never finds, as the window shows them.

use serde::Serialize;
use specta::Type;

/// A note that an agent's own search never finds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Type)]
pub struct NotSearchedBy {
    /// The name of the agent's program.
    pub agent: String,
    /// The cause's id: `outside_memory`, `kind`, `switched_off` and others.
    pub cause: &'static str,
    /// The cause as a sentence.
    pub reason: String,
    /// What to do, as a sentence.
    pub advice: String,
}
