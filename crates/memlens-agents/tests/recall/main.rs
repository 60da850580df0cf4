//! Each agent's logs in a generated home folder: the questions in them, and the effect of bad logs.

mod bad_input;
mod claude_code;
mod codex;
mod gemini_cli;
#[path = "../../benches/recall/sessions.rs"]
mod generator;
mod hermes;
mod openclaw;
mod openings;
mod properties;
mod support;
mod windows;
