//! Each agent's logs in a made-up home: what they tell, and what bad ones do.

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
