//! The agents that Memlens knows: where each keeps its memory, and how much of it the agent loads.
//!
//! [`AGENTS`] is the catalogue, one file per agent: its places, its load caps and how its version is found, each with the
//! version of the agent that it was checked with. [`look`] scans those places below a [`Home`] and nothing else, and
//! returns what is [`Found`] of each agent; [`count`] counts the notes there within a time limit; [`loaded`] measures each
//! file that has a cap and finds where it is cut.
//!
//! [`read_config`] reads the search settings in a program's config, each key with its effect. [`TARGETS`] are the programs
//! that a tuned ranking can be handed over to; [`edited`] changes settings in a config's text and leaves everything else.
//!
//! [`Searched`] knows which notes a program's own search finds, and why it does not find the others.
//!
//! [`agent_file`] says whether a file that Memlens should write is an agent's config, state or log.
//!
//! [`logs`] and [`read_log`] read what agents asked their memory from the agents' own logs.
//!
//! This crate writes nothing where an agent keeps anything, opens a database only as a copy of its own, follows no link at
//! the end of a place, and knows no library or window.
//!
//! ```
//! use memlens_agents::{Home, look};
//!
//! # let dir = tempfile::tempdir()?;
//! std::fs::create_dir_all(dir.path().join(".hermes/memories"))?;
//! let found = look(&Home::new(dir.path()));
//! assert_eq!(found[0].agent.id, "hermes");
//! assert_eq!(found[0].folders, [dir.path().join(".hermes/memories")]);
//! # Ok::<(), std::io::Error>(())
//! ```

mod agent;
mod agents;
mod always;
mod claude_settings;
mod codex_settings;
mod config;
pub mod copied_database;
mod counting;
mod edit;
mod edit_toml;
mod home;
mod include;
mod line_load;
mod loaded;
mod looking;
mod measure;
mod openclaw_search;
mod outputs;
mod recall;
mod searched;
mod session;
mod settings;
mod targets;
mod tool_server;

pub use agent::{Agent, Cap, Keeps, Limit, Removed, Source, Unit};
pub use agents::{AGENTS, agent, openclaw_databases, openclaw_member, searches_files};
pub use always::{
    AlwaysKind, AlwaysLoaded, Content, SessionLoad, always_loaded, projects, session_load,
};
pub use counting::{Counted, count};
pub use edit::{Put, diff, edited, fragment};
pub use home::Home;
pub use line_load::{Extent, Line, LineLoads, Lost, UnloadedLines};
pub use loaded::{Cut, FileLoad, Loaded, MemoryLoad, Missing, Unreadable, loaded};
pub use looking::{Found, IfMissing, LoadFile, Loads, SwitchedOff, look, whose};
pub use measure::{Count, Kept, LeftOut, Measured, Part, measure};
pub use openclaw_search::{
    Effect, ExtraPath, MemorySearch, Schema, SearchOff, SearchSettings, Setting, SettingGroup, Void,
};
pub use outputs::{AgentFile, agent_file};
pub use recall::{
    Batch, FoundLogs, Keeper, LOG_READER_VERSION, Log, LogError, LogRead, PastKind, PastQuestion,
    Pattern, Returned, ServedCall, Used, find_logs, line_hash, logs, question_to_store,
    read as read_log, session_of_file, setting_to_store,
};
pub use searched::{Index, Listed, NotSearched, Searched, SearchedFile, Share, Unsearched};
pub use session::{LoadedIn, SessionPlace, in_folders, loaded_in};
pub use settings::{Config, read_config, read_config_and_files};
pub use targets::{Fit, Mapped, TARGETS, Takes, Target};
pub use tool_server::{Launch, TOOL_SERVER_CONFIGS, ToolServerConfig, ToolServerEntry};
