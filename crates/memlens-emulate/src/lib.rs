//! Other programs' memory: how they search it, emulated.

mod fts;
mod memory;
pub mod openclaw;
pub mod qmd;

pub use memory::{AgentNote, Embed, Vectors};
