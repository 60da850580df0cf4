//! Memlens as a server of tools in an agent's config: the entry is added and removed, everything else of the file stays.
//!
//! Properties checked: an entry that starts something else is neither changed nor removed; one with other arguments is replaced,
//! and reported; what is written is written once.

mod entered;
mod launch;
mod trial;

use std::path::{Path, PathBuf};

use memlens_agents::{Home, Launch, TOOL_SERVER_CONFIGS, ToolServerConfig, ToolServerEntry};
use memlens_files::{create_private, replace_keeping};
use memlens_library::{EngineError, Library};

use crate::export::{free_backup, watched_around};

pub use entered::tool_servers;
pub use launch::{
    Wanted, command_line_program, is_unserved, lasting, launch, own_library, unserved,
};
pub use trial::try_tool_server;

/// A config before and after.
#[derive(Clone)]
pub struct ToolServerChange {
    /// Absolute path of the agent's config file.
    pub path: PathBuf,
    /// The command line of the entry that was there; `None` if there was none.
    pub replaces: Option<String>,
    /// The command line of the entry after the change; `None` if it is removed.
    pub starts: Option<String>,
    /// The change as a unified diff without texts and comments of others.
    pub diff: String,
    /// Keys of the entry that Memlens does not write.
    pub other_keys: Vec<String>,
    /// Text of the file; `None` if there is none.
    before: Option<String>,
    after: String,
}

/// Ids of the agents whose config can name Memlens.
pub fn tool_server_agents() -> Vec<&'static str> {
    TOOL_SERVER_CONFIGS
        .iter()
        .map(ToolServerConfig::id)
        .collect()
}

/// The config of an agent with the entry that starts Memlens.
///
/// # Errors
/// [`EngineError::AgentConfig`] if the agent was not used yet, the config cannot be read or changed, or it names another
/// server `memlens`.
pub fn connected(
    home: &Home,
    config: &ToolServerConfig,
    launch: &Launch,
) -> Result<ToolServerChange, EngineError> {
    let path = config.place(home);
    let refused = refused(&path);
    let before = config.read(home).map_err(&refused)?;
    if before.is_none() && !config.folder(home).is_dir() {
        let name = config.agent().name;
        return Err(refused(format!("{name} was not found on this machine")));
    }
    let text = before.as_deref().unwrap_or(config.empty());
    let (replaces, other_keys) = match config.entry(text, &path).map_err(&refused)? {
        ToolServerEntry::Absent => (None, Vec::new()),
        ToolServerEntry::Own {
            launch, other_keys, ..
        } => (Some(launch.line()), other_keys),
        ToolServerEntry::Foreign { .. } => {
            let why = format!("{}; rename or remove it first", foreign(config));
            return Err(refused(why));
        }
        ToolServerEntry::Included => return Err(refused(included(config))),
    };
    let after = config.with_entry(text, launch).map_err(&refused)?;
    Ok(ToolServerChange {
        path,
        diff: config.diff(before.as_deref().unwrap_or_default(), &after, launch),
        starts: Some(launch.line()),
        replaces,
        other_keys,
        before,
        after,
    })
}

/// The config of an agent without the entry.
///
/// # Errors
/// [`EngineError::AgentConfig`] if there is no entry, the config cannot be read or changed, or its server `memlens` is
/// another.
pub fn disconnected(
    home: &Home,
    config: &ToolServerConfig,
) -> Result<ToolServerChange, EngineError> {
    let path = config.place(home);
    let refused = refused(&path);
    let absent = || {
        let key = config.key();
        refused(format!("it has no {key}; nothing was written"))
    };
    let text = config.read(home).map_err(&refused)?.ok_or_else(absent)?;
    let (launch, other_keys) = match config.entry(&text, &path).map_err(&refused)? {
        ToolServerEntry::Absent => return Err(absent()),
        ToolServerEntry::Own {
            launch, other_keys, ..
        } => (launch, other_keys),
        ToolServerEntry::Foreign { .. } => {
            let why = format!(
                "{}; remove it yourself if you do not need it",
                foreign(config)
            );
            return Err(refused(why));
        }
        ToolServerEntry::Included => return Err(refused(included(config))),
    };
    let after = config.without_entry(&text).map_err(&refused)?;
    Ok(ToolServerChange {
        path,
        diff: config.diff(&text, &after, &launch),
        starts: None,
        replaces: Some(launch.line()),
        other_keys,
        before: Some(text),
        after,
    })
}

fn refused(path: &Path) -> impl Fn(String) -> EngineError + use<> {
    let path = path.to_owned();
    move |why| EngineError::AgentConfig {
        path: path.clone(),
        why,
    }
}

fn foreign(config: &ToolServerConfig) -> String {
    let key = config.key();
    format!("{key} does not start `memlens serve --mcp`, so Memlens leaves it alone")
}

fn included(config: &ToolServerConfig) -> String {
    let key = config.key();
    format!("{key} is in a file that it includes; change it there")
}

impl ToolServerChange {
    /// Whether the config is already so.
    pub fn is_same(&self) -> bool {
        self.before.as_deref() == Some(&self.after)
    }

    /// The change as the window shows it, by the number of the answer.
    pub fn to_view(
        &self,
        id: u32,
        config: &ToolServerConfig,
        home: &Home,
        library: &Library,
    ) -> memlens_wire::ToolServerChange {
        memlens_wire::ToolServerChange {
            id,
            agent: config.id(),
            path: home.shown(&self.path),
            diff: self.diff.clone(),
            starts: self.starts.clone(),
            replaces: self.replaces.clone(),
            other_keys: self.other_keys.clone(),
            is_new: self.before.is_none(),
            watched: watched_around(library, &self.path),
        }
    }

    /// Writes the config atomically. Returns the path of the backup; `None` if there was no config before.
    ///
    /// # Errors
    /// [`EngineError::AgentConfig`] if it has changed since it was read, or cannot be written.
    pub fn write(&self) -> Result<Option<PathBuf>, EngineError> {
        let refused = refused(&self.path);
        let Some(before) = &self.before else {
            let made = create_private(&self.path, self.after.as_bytes());
            return made
                .map(|()| None)
                .map_err(|error| refused(error.to_string()));
        };
        let backup = free_backup(&self.path);
        replace_keeping(
            &self.path,
            before.as_bytes(),
            self.after.as_bytes(),
            &backup,
        )
        .map_err(|error| refused(error.to_string()))?;
        Ok(Some(backup))
    }
}
