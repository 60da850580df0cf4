//! Each agent's logs in a made-up home: what they tell, and what bad ones do.

mod claude_code;
mod codex;
mod gemini_cli;
mod hermes;
mod openclaw;
mod support;
