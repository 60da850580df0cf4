//! Why a note is missing from a result, and why an agent forgot a fact.

pub mod autopsy;
pub mod cause;
pub mod why;

pub use autopsy::{CLOSE_TO_FACT, autopsy, autopsy_markdown, autopsy_text};
pub use cause::Cause;
pub use why::{why, why_typed};
