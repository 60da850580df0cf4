//! The window of Memlens: a thin shell. Every command is a few lines over the engine; it decides
//! nothing and computes no score.

mod allocator;
mod arguments;
mod commands;
mod dialogs;
mod editors;
mod events;
mod file_manager;
mod frame;
mod notice;
mod opening;
// WebView2 reports no end of its process.
#[cfg(not(windows))]
mod reload;
mod window;

pub use allocator::keep_little_memory;
pub use arguments::Arguments;
pub use window::{run, write_bindings};
