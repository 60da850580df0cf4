//! The window of Memlens: a thin shell. Every command is a few lines over the engine; it decides
//! nothing and computes no score.

mod arguments;
mod commands;
mod dialogs;
mod events;
mod window;

pub use arguments::Arguments;
pub use window::{run, write_bindings};
