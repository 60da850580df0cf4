//! A ranking on its way into another program, and what that program's config says today.

use std::collections::HashMap;
use std::path::PathBuf;

use memlens_engine::view::{
    AgentConfig, Export as Told, NearestSetting, Ranking as RankingArgument, TargetInfo,
    WrittenConfig,
};
use memlens_engine::{
    EngineError, Export, Home, QueryFile, Ranking, Target, config_of, export, read_agent_config,
    target, targets_told,
};
use parking_lot::Mutex;
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

/// What the window last showed, so that it writes nothing else.
#[derive(Default)]
pub struct Exports {
    /// The export that is shown.
    shown: Mutex<Option<Export>>,
    /// The configs that the person picked, by the program's id.
    picked: Mutex<HashMap<&'static str, PathBuf>>,
}

impl Exports {
    /// The config of a program: the one that was picked, else the one in its usual place; none where there is none.
    fn config(&self, target: &Target, home: Option<&Home>) -> Option<PathBuf> {
        let picked = self.picked.lock().get(target.program()).cloned();
        picked.or_else(|| config_of(target, home?))
    }
}

#[tauri::command]
#[specta::specta]
pub async fn export_targets(shell: State<'_, Shell>) -> Answer<Vec<TargetInfo>> {
    let home = shell.home.clone();
    work(&shell, move |_| Ok(targets_told(home.as_ref()))).await
}

/// What becomes of a ranking in a target; `agent` names one of the program's agents.
#[tauri::command]
#[specta::specta]
pub async fn export_for(
    shell: State<'_, Shell>,
    ranking: RankingArgument,
    target: String,
    agent: Option<String>,
) -> Answer<Told> {
    let (home, exports) = (shell.home.clone(), shell.exports.clone());
    work(&shell, move |engine| {
        let target = self::target(&target)?;
        let ranking = Ranking::given(&ranking)?;
        let mut made = export(&ranking, target, agent.as_deref())?;
        let mut problem = None;
        if let Some(path) = exports.config(target, home.as_ref())
            && let Err(error) = made.into_config(&path, agent.as_deref())
        {
            problem = Some(error.to_string());
        }
        let mut told = engine.library().export_told(&made, &ranking, home.as_ref());
        told.problem = problem;
        *exports.shown.lock() = Some(made);
        Ok(told)
    })
    .await
}

/// Saves the settings that are shown alone, where the person says; none when they cancel.
#[tauri::command]
#[specta::specta]
pub async fn export_fragment(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<String>> {
    let (dialogs, exports) = (shell.dialogs.clone(), shell.exports.clone());
    work(&shell, move |engine| {
        let Some((text, name)) = exports
            .shown
            .lock()
            .as_ref()
            .map(|shown| (shown.text.clone(), shown.file_name()))
        else {
            return Ok(None);
        };
        let Some(path) = dialogs.place_for_settings(&app, name) else {
            return Ok(None);
        };
        engine.library().write_output(text.as_bytes(), &path, &[])?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

/// Writes the change that is shown into the program's config, if the person agrees; none when they do not.
#[tauri::command]
#[specta::specta]
pub async fn export_write(
    app: AppHandle,
    shell: State<'_, Shell>,
) -> Answer<Option<WrittenConfig>> {
    let (dialogs, exports) = (shell.dialogs.clone(), shell.exports.clone());
    work(&shell, move |engine| {
        // The lock is not held while the person thinks; what they agreed to is what they were shown.
        let Some(change) = exports
            .shown
            .lock()
            .as_ref()
            .and_then(|shown| shown.change.clone())
        else {
            return Ok(None);
        };
        let library = engine.library();
        let watched = library.watched_around(&change.path);
        if !dialogs.allows_config(&app, &change.path, watched.as_deref()) {
            return Ok(None);
        }
        let backup = library.write_config(&change)?;
        Ok(Some(WrittenConfig {
            path: change.path.display().to_string(),
            backup: backup.display().to_string(),
        }))
    })
    .await
}

/// Asks for the config of a target's program, which is used from then on; none when the person cancels.
#[tauri::command]
#[specta::specta]
pub async fn pick_config(
    app: AppHandle,
    shell: State<'_, Shell>,
    target: String,
) -> Answer<Option<String>> {
    let (dialogs, exports) = (shell.dialogs.clone(), shell.exports.clone());
    work(&shell, move |_| {
        let target = self::target(&target)?;
        let Some(path) = dialogs.config(&app) else {
            return Ok(None);
        };
        let shown = path.display().to_string();
        exports.picked.lock().insert(target.program(), path);
        Ok(Some(shown))
    })
    .await
}

/// What the config of a target's program says of its search; none where there is none.
#[tauri::command]
#[specta::specta]
pub async fn agent_config(
    shell: State<'_, Shell>,
    target: String,
    agent: Option<String>,
) -> Answer<Option<AgentConfig>> {
    let (home, exports) = (shell.home.clone(), shell.exports.clone());
    work(&shell, move |_| {
        let Some(path) = exports.config(self::target(&target)?, home.as_ref()) else {
            return Ok(None);
        };
        let read = read_agent_config(&path, agent.as_deref())?;
        let shown = home.map_or_else(|| path.display().to_string(), |home| home.shown(&path));
        Ok(Some(read.told(shown)))
    })
    .await
}

/// The setting of a target that comes nearest to a ranking, on the query set that was chosen last; none where it was stopped.
#[tauri::command]
#[specta::specta]
pub async fn nearest_setting(
    shell: State<'_, Shell>,
    ranking: RankingArgument,
    target: String,
) -> Answer<Option<NearestSetting>> {
    let chosen = shell.dialogs.chosen_queries();
    work(&shell, move |engine| {
        let path = chosen.ok_or_else(|| EngineError::System {
            attempt: "find the nearest setting",
            why: "no query set was chosen".to_owned(),
        })?;
        let file = QueryFile::read(&path)?.with_queries()?;
        let (ranking, target) = (Ranking::given(&ranking)?, self::target(&target)?);
        let found = engine.library().nearest(&ranking, target, &file, || ())?;
        Ok(found.map(|found| found.told()))
    })
    .await
}
