//! Emulates how other programs search their memory.

pub mod basic_memory;
mod filling;
mod fts;
pub mod hindsight;
mod memory;
mod notes;
pub mod octopus;
pub mod openclaw;
pub mod openviking;
mod program;
pub mod qmd;
mod staging;

pub use filling::Filling;
pub use memory::{AgentNote, Embed, Vectors};
pub use program::{MadeOf, Program};
