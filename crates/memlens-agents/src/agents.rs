//! The catalogue: every agent that Memlens knows, in the order of every list.
//!
//! mem0 keeps no folder of notes. Windsurf, Cursor, Cline, Logseq and org-mode were not checked: the user adds their
//! folders.

mod basic_memory;
mod claude_code;
mod codex;
mod gemini_cli;
mod hermes;
mod letta_code;
mod memsearch;
mod obsidian;
mod openclaw;
mod openviking;
mod qmd;

pub use openclaw::{openclaw_databases, openclaw_member};

use crate::agent::Agent;
pub(crate) use basic_memory::config as basic_memory_config;
pub(crate) use claude_code::{
    follow_projects as claude_code_follow_projects, root as claude_code_root,
    source as claude_code_source,
};
pub(crate) use codex::{root as codex_root, source as codex_source};
pub(crate) use gemini_cli::{
    context_names as gemini_cli_names, is_memory_of as is_gemini_cli_memory_of,
    root as gemini_cli_root, source as gemini_cli_source,
};
pub(crate) use hermes::root as hermes_root;
pub(crate) use openclaw::{LOGS_IN_WORKSPACE, config as openclaw_config, state as openclaw_state};
pub(crate) use openviking::config as openviking_config;
pub(crate) use qmd::config as qmd_config;

/// OpenClaw, whose workspaces contain logs.
pub(crate) fn openclaw_agent() -> &'static Agent {
    &openclaw::AGENT
}

/// qmd, whose config names collections.
pub(crate) fn qmd_agent() -> &'static Agent {
    &qmd::AGENT
}

/// All agents; the order of every list of them.
pub const AGENTS: [&Agent; 11] = [
    &openclaw::AGENT,
    &claude_code::AGENT,
    &codex::AGENT,
    &gemini_cli::AGENT,
    &hermes::AGENT,
    &letta_code::AGENT,
    &memsearch::AGENT,
    &basic_memory::AGENT,
    &qmd::AGENT,
    &openviking::AGENT,
    &obsidian::AGENT,
];

/// The agent with this id; `None` if it is unknown.
pub fn agent(id: &str) -> Option<&'static Agent> {
    AGENTS.into_iter().find(|agent| agent.id == id)
}

/// Whether an agent finds its notes by opening and grepping files: it has no index and ranks nothing.
pub fn searches_files(agent: &str) -> bool {
    matches!(agent, "claude-code" | "codex" | "gemini-cli")
}
