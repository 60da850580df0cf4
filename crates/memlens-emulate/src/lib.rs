//! Other programs' memory: how they search it, emulated.

mod fts;
mod memory;
pub mod openclaw;
mod program;
pub mod qmd;

pub use memory::{AgentNote, Embed, Vectors};
pub use program::{MadeOf, Program};
