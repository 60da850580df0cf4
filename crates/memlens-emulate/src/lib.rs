//! Other programs' memory: how they search it, emulated.

mod copied_database;
mod fts;
mod memory;
pub mod openclaw;
mod program;
pub mod qmd;

pub use copied_database::{Stamp, stamp};
pub use memory::{AgentNote, Embed, Vectors};
pub use program::{MadeOf, Program};
