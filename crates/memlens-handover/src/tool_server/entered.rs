//! What agents' configs hold under Memlens's name.

use memlens_agents::{Home, Launch, TOOL_SERVER_CONFIGS, ToolServerConfig, ToolServerEntry};
use memlens_library::EngineError;
use memlens_store::Folder;
use memlens_wire::{ToolServer, ToolServerState};

use super::launch::choice;
use super::{included, refused};

/// A command that an agent's config enters, with what the config sets for it.
pub(super) struct Entered {
    pub launch: Launch,
    pub environment: Vec<(String, String)>,
    pub folder: Option<String>,
}

/// Every agent whose config can name Memlens, with what it holds.
pub fn tool_servers(home: &Home, watched: &[Folder]) -> Vec<ToolServer> {
    let server = |config: &ToolServerConfig| {
        let agent = config.agent();
        let folders = watched.iter();
        let folders = folders.filter(|folder| folder.agent.as_deref() == Some(config.id()));
        ToolServer {
            agent: config.id(),
            name: agent.name,
            checked_version: agent.source.version,
            path: home.shown(&config.place(home)),
            key: config.key(),
            reload: config.reload,
            state: state(home, config),
            folders: folders.map(|folder| folder.name.clone()).collect(),
        }
    };
    TOOL_SERVER_CONFIGS.iter().map(server).collect()
}

fn state(home: &Home, config: &ToolServerConfig) -> ToolServerState {
    let text = match config.read(home) {
        Err(why) => return ToolServerState::Unreadable { why },
        Ok(None) if config.folder(home).is_dir() => return ToolServerState::NotConnected,
        Ok(None) => return ToolServerState::NotFound,
        Ok(Some(text)) => text,
    };
    match config.entry(&text, &config.place(home)) {
        Err(why) => ToolServerState::Unreadable { why },
        Ok(ToolServerEntry::Absent) => ToolServerState::NotConnected,
        Ok(ToolServerEntry::Foreign { command }) => ToolServerState::Other { command },
        Ok(ToolServerEntry::Included) => ToolServerState::Included,
        Ok(ToolServerEntry::Own {
            launch, other_keys, ..
        }) => ToolServerState::Connected {
            starts: launch.line(),
            is_there: is_there(&launch.command),
            choice: choice(&launch),
            other_keys,
        },
    }
}

/// Whether a program is there. A bare name is looked for by the system when it is started.
fn is_there(command: &str) -> bool {
    let path = std::path::Path::new(command);
    !path.is_absolute() || path.is_file()
}

/// The command that an agent's config enters.
///
/// # Errors
/// [`EngineError::AgentConfig`] if the config cannot be read, or has no entry that starts Memlens.
pub(super) fn entered(home: &Home, config: &ToolServerConfig) -> Result<Entered, EngineError> {
    let path = config.place(home);
    let refused = refused(&path);
    let absent = || {
        refused(format!(
            "it has no {}; connect the agent first",
            config.key()
        ))
    };
    let text = config.read(home).map_err(&refused)?.ok_or_else(absent)?;
    match config.entry(&text, &path).map_err(&refused)? {
        ToolServerEntry::Absent => Err(absent()),
        ToolServerEntry::Foreign { .. } => Err(refused(super::foreign(config))),
        ToolServerEntry::Included => Err(refused(included(config))),
        ToolServerEntry::Own {
            launch,
            environment,
            folder,
            ..
        } => Ok(Entered {
            launch,
            environment,
            folder,
        }),
    }
}

#[cfg(test)]
mod tests {
    use memlens_wire::ToolServerChoice;

    use super::*;

    #[test]
    fn each_state_of_a_config_is_named() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let home = Home::new(folder.path());
        let state = |text: &str| {
            let config = ToolServerConfig::of("codex").expect("it is known");
            std::fs::write(config.place(&home), text).expect("it can be written");
            state(&home, config)
        };
        let servers = tool_servers(&home, &[]);
        let names = servers.iter().map(|server| &server.state);
        // The folder of Claude Code's config is the home folder, and that of its settings is absent too.
        assert!(
            names
                .clone()
                .all(|state| *state == ToolServerState::NotFound)
        );
        assert_eq!(names.count(), 4);
        std::fs::create_dir(folder.path().join(".codex")).expect("it can be made");
        assert_eq!(state("a = 1\n"), ToolServerState::NotConnected);
        let other = Some("/opt/other".to_owned());
        assert_eq!(
            state("[mcp_servers.memlens]\ncommand = '/opt/other'\nargs = ['--key', 'secret']\n"),
            ToolServerState::Other { command: other }
        );
        assert!(
            matches!(state("a = "), ToolServerState::Unreadable { why } if why.contains("line 1"))
        );
        let own = state(
            "[mcp_servers.memlens]\ncommand = '/no/memlens'\nargs = ['serve', '--mcp', '--saved-preset=mine']\nx = 1\n",
        );
        assert_eq!(
            own,
            ToolServerState::Connected {
                starts: "/no/memlens serve --mcp --saved-preset=mine".to_owned(),
                is_there: false,
                choice: ToolServerChoice {
                    all_folders: true,
                    preset: Some("mine".to_owned()),
                },
                other_keys: vec!["x".to_owned()],
            }
        );
    }
}
