//! Parameters on their way between Memlens and agents: presets, agents' configs and export targets, and the agents of this machine.

pub mod agent_config;
pub mod agents;
pub mod always;
pub mod evidence;
pub mod export;
pub mod load_said;
pub mod made;
pub mod own_ranking;
pub mod preset;
mod preset_models;
pub mod tool_server;

pub use agent_config::{AgentConfig, read_agent_config};
pub use agents::{
    Finding, FolderToAdd, LoadedView, add_agent_folders, agents, folders_of_library,
    folders_to_add, known_agent, loaded, note_agents, part_of_agent, watched_folders,
    with_load_cap,
};
pub use always::{always_loaded, always_text, always_view};
pub use evidence::{Evidence, Measured};
pub use export::{ConfigChange, Export, config_of, export, export_only, target, target_infos};
pub use load_said::{cut_said, removed_lines_said, unloaded_lines_said};
pub use made::{export_made, made};
pub use own_ranking::{OwnRanking, own_ranking, own_ranking_of, pipelines_of};
pub use preset::{
    in_file as values_in_file, preset_schema, read_evidence, read_params, read_ranking,
    saved_ranking, saved_ranking_at,
};
