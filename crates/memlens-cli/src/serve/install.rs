//! `memlens serve install` and `uninstall`: Memlens in an agent's config.

use std::path::{Path, PathBuf};

use memlens_document::{Document, dim, strong};
use memlens_engine::tool_server::{
    self, ToolServerChange, Wanted, connected, disconnected, is_unserved, lasting,
};
use memlens_engine::{
    EngineError, Home, Launch, ToolServerConfig, read_ranking, saved_ranking_at, watched_folders,
};

use crate::arguments::InstallArgs;
use crate::error::CliError;
use crate::output::{notify, print};
use crate::settings::library_dir;

/// What an entry for all watched folders lacks if there are none.
const NO_FOLDER: &str =
    "No folder is watched yet, so the server does not start until you run `memlens index FOLDER`.";

/// Shows the entry and where it belongs; with `--write`, adds it.
pub fn install(library: Option<PathBuf>, arguments: &InstallArgs) -> Result<(), CliError> {
    let home = Home::of_process().ok_or(CliError::NoHome)?;
    let config = config_of(&arguments.agent);
    let launch = launch(library.clone(), arguments)?;
    let dir = library_dir(library)?;
    if let Some(name) = &arguments.saved_preset {
        saved_ranking_at(&dir, name)?;
    }
    let folders = watched_folders(&dir)?;
    let unserved = is_unserved(&folders, config, arguments.all_folders);
    let change = connected(&home, config, &launch);
    if arguments.write {
        let change = change?;
        if unserved {
            return Err(CliError::NothingServed {
                agent: config.agent().name,
                id: config.id(),
            });
        }
        if change.is_same() {
            notify(format_args!(
                "{} has this entry already; nothing was written",
                change.path.display()
            ));
            return Ok(());
        }
        let backup = change.write()?;
        let what = match &change.replaces {
            None => "added",
            Some(_) => "replaced",
        };
        notify(written(what, config, &change, backup.as_deref()));
        if let Some(starts) = &change.replaces {
            notify(format_args!("the entry that was there started: {starts}"));
        }
        notify(effect(config));
        if folders.is_empty() {
            notify(NO_FOLDER);
        }
        return Ok(());
    }
    let path = config.place(&home);
    let mut page = Document::new();
    let agent = config.agent();
    let checked = format!("checked with version {}", agent.source.version);
    page.line(strong(agent.name) + "  " + dim(checked));
    page.gap();
    page.verbatim(config.snippet(&launch).trim_end());
    page.gap();
    page.line(format!("The entry belongs in {}.", path.display()));
    match change {
        Err(EngineError::AgentConfig { why, .. }) => {
            page.line(format!("Memlens cannot add it: {why}."));
        }
        Err(error) => return Err(error.into()),
        Ok(change) if change.is_same() => {
            page.line("The file has it already.");
        }
        Ok(_) if unserved => {}
        Ok(ToolServerChange {
            replaces: Some(starts),
            ..
        }) => {
            page.line(format!(
                "The file has another entry, which starts: {starts}"
            ));
            page.line("With --write Memlens replaces it, and saves a backup next to the file.");
        }
        Ok(_) => {
            page.line("With --write Memlens adds it there, and saves a backup next to the file.");
        }
    }
    if unserved {
        page.line(format!(
            "No watched folder belongs to {}: run `memlens agents add {}` first, or serve all watched folders with --all-folders.",
            agent.name, config.id()
        ));
    } else if folders.is_empty() {
        page.line(NO_FOLDER);
    }
    print(&page)
}

/// Removes the entry.
pub fn uninstall(agent: &str) -> Result<(), CliError> {
    let home = Home::of_process().ok_or(CliError::NoHome)?;
    let config = config_of(agent);
    let change = disconnected(&home, config)?;
    let backup = change.write()?;
    notify(written("removed", config, &change, backup.as_deref()));
    if !change.other_keys.is_empty() {
        notify(format_args!(
            "the entry also had {}; the backup has them",
            change.other_keys.join(", ")
        ));
    }
    notify(effect(config));
    Ok(())
}

fn config_of(agent: &str) -> &'static ToolServerConfig {
    ToolServerConfig::of(agent).expect("other ids are refused as arguments")
}

/// The command that the agent is to run.
fn launch(library: Option<PathBuf>, arguments: &InstallArgs) -> Result<Launch, CliError> {
    let failed = |attempt: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| CliError::File {
            attempt,
            path,
            source,
        }
    };
    let program = std::env::current_exe().map_err(failed("find", Path::new("memlens")))?;
    let preset = arguments.preset.as_deref();
    if let Some(preset) = preset {
        read_ranking(preset)?;
    }
    let wanted = Wanted {
        library: library.map(|given| library_dir(Some(given))).transpose()?,
        all_folders: arguments.all_folders,
        preset: preset
            .map(|preset| std::path::absolute(preset).map_err(failed("find", preset)))
            .transpose()?,
        saved_preset: arguments.saved_preset.clone(),
    };
    let config = config_of(&arguments.agent);
    Ok(tool_server::launch(&lasting(program), config, &wanted)?)
}

fn written(
    what: &str,
    config: &ToolServerConfig,
    change: &ToolServerChange,
    backup: Option<&Path>,
) -> String {
    let backup = backup.map_or_else(
        || "the file is new".to_owned(),
        |backup| format!("backup: {}", backup.display()),
    );
    format!(
        "{what} {} in {}; {backup}",
        config.key(),
        change.path.display()
    )
}

fn effect(config: &ToolServerConfig) -> String {
    let agent = config.agent();
    format!(
        "{} takes it up in {} (checked with version {})",
        agent.name, config.reload, agent.source.version
    )
}
