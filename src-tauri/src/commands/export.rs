//! A ranking on its way into another program, and what that program's config says today.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use memlens_engine::view::{
    AgentConfig, Export as ExportView, NearestSetting, Ranking as RankingArgument, TargetInfo,
    WrittenConfig,
};
use memlens_engine::{
    ConfigChange, EngineError, Export, Home, Ranking, Target, config_of, export, read_agent_config,
    target, target_infos, tuning,
};
use parking_lot::Mutex;
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};
use crate::editors::{self, Editor};

/// What the window last showed, so that it writes nothing else.
#[derive(Default)]
pub struct Exports {
    /// The export that was answered last, by the number of its answer.
    shown: Mutex<Option<(u32, Export)>>,
    n_answers: AtomicU32,
    /// The change that was written last, with its backup, until it is undone.
    written: Mutex<Option<(ConfigChange, PathBuf)>>,
    /// Configs that the user picked, by the program's id.
    picked: Mutex<HashMap<&'static str, PathBuf>>,
}

impl Exports {
    /// Part of the answer with this number; fails if a newer answer has replaced it.
    fn shown<T>(&self, id: u32, of: impl FnOnce(&Export) -> T) -> Result<T, EngineError> {
        let shown = self.shown.lock();
        let found = shown.as_ref().filter(|(shown, _)| *shown == id);
        found
            .map(|(_, export)| of(export))
            .ok_or_else(|| EngineError::System {
                attempt: "write these settings",
                why: "they changed in the meantime; look at them again".to_owned(),
            })
    }

    /// Config of a program: the picked one, or else the one in its usual place; `None` if there is neither.
    fn config(&self, target: &Target, home: Option<&Home>) -> Option<PathBuf> {
        let picked = self.picked.lock().get(target.program()).cloned();
        picked.or_else(|| config_of(target, home?))
    }
}

/// The programs that Memlens can export a ranking to.
#[tauri::command]
#[specta::specta]
pub async fn export_targets(shell: State<'_, Shell>) -> Answer<Vec<TargetInfo>> {
    let home = shell.home.clone();
    work(&shell, move |_| Ok(target_infos(home.as_ref()))).await
}

/// What becomes of a ranking in a target; `agent` names one of the program's agents.
#[tauri::command]
#[specta::specta]
pub async fn export_for(
    shell: State<'_, Shell>,
    ranking: RankingArgument,
    target: String,
    agent: Option<String>,
) -> Answer<ExportView> {
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
        let mut view = export::export_view(engine.library(), &made, &ranking, home.as_ref());
        view.problem = problem;
        view.id = exports.n_answers.fetch_add(1, Ordering::Relaxed) + 1;
        *exports.shown.lock() = Some((view.id, made));
        Ok(view)
    })
    .await
}

/// Asks where and writes only the settings of this answer. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn export_fragment(
    app: AppHandle,
    shell: State<'_, Shell>,
    id: u32,
) -> Answer<Option<String>> {
    let (dialogs, exports, home) = (
        shell.dialogs.clone(),
        shell.exports.clone(),
        shell.home.clone(),
    );
    work(&shell, move |engine| {
        let (target, text, name) = exports.shown(id, |shown| {
            (shown.target, shown.text.clone(), shown.file_name())
        })?;
        let Some(path) = dialogs.place_for_settings(&app, name) else {
            return Ok(None);
        };
        // The program's own config holds more than these settings, and is changed by `export_write` alone.
        let config = exports.config(target, home.as_ref());
        let inputs: Vec<&Path> = config.as_deref().into_iter().collect();
        engine
            .library()
            .write_output(text.as_bytes(), &path, &inputs)?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

/// Writes the change of this answer into the program's config, if the user agrees; null if they do not.
#[tauri::command]
#[specta::specta]
pub async fn export_write(
    app: AppHandle,
    shell: State<'_, Shell>,
    id: u32,
) -> Answer<Option<WrittenConfig>> {
    let (dialogs, exports) = (shell.dialogs.clone(), shell.exports.clone());
    work(&shell, move |engine| {
        // The lock is not held while the dialog is open; the user agrees to what was shown.
        let Some(change) = exports.shown(id, |shown| shown.change.clone())? else {
            return Ok(None);
        };
        let library = engine.library();
        let watched = export::watched_around(library, &change.path);
        if !dialogs.allows_config(&app, &change.path, watched.as_deref()) {
            return Ok(None);
        }
        let backup = export::write_config(&change)?;
        let written = written_config(&change.path, &backup);
        *exports.written.lock() = Some((change, backup));
        Ok(Some(written))
    })
    .await
}

/// Puts back what the last [`export_write`] replaced, if the user agrees; null if they do not.
#[tauri::command]
#[specta::specta]
pub async fn export_undo(
    app: AppHandle,
    shell: State<'_, Shell>,
    backup: String,
) -> Answer<Option<WrittenConfig>> {
    let (dialogs, exports) = (shell.dialogs.clone(), shell.exports.clone());
    work(&shell, move |engine| {
        let written = exports.written.lock().clone();
        let written = written.filter(|(_, stored)| stored.display().to_string() == backup);
        let (change, backup) = written.ok_or_else(|| EngineError::System {
            attempt: "undo the change",
            why: "it is not the last change of a config since the window was opened".to_owned(),
        })?;
        let watched = export::watched_around(engine.library(), &change.path);
        if !dialogs.allows_config_back(&app, &change.path, &backup, watched.as_deref()) {
            return Ok(None);
        }
        let replaced = export::undo_config(&change, &backup)?;
        *exports.written.lock() = None;
        Ok(Some(written_config(&change.path, &replaced)))
    })
    .await
}

/// A config that was changed, as it is now.
fn written_config(path: &Path, backup: &Path) -> WrittenConfig {
    WrittenConfig {
        path: path.display().to_string(),
        backup: backup.display().to_string(),
        n_backups: export::n_backups(path) as u32,
        problems: export::config_problems(path, None),
    }
}

/// Asks for the config of a target's program, which is used from then on; null if the user cancels.
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

/// What the config of a target's program says about its search; null if there is no config.
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
        Ok(Some(read.to_view(shown)))
    })
    .await
}

/// Opens the config of a target's program in the user's editor: the one that [`export_write`] would change if `for_export`, else
/// the one that the agent's ranking is read from. The page names no path.
#[tauri::command]
#[specta::specta]
pub async fn open_config(
    shell: State<'_, Shell>,
    target: String,
    for_export: bool,
    editor: Editor,
) -> Answer<()> {
    let (home, exports) = (shell.home.clone(), shell.exports.clone());
    work(&shell, move |engine| {
        let target = self::target(&target)?;
        let config = if for_export {
            exports.config(target, home.as_ref())
        } else {
            let own = memlens_engine::own_ranking_of(engine.library(), target.program());
            own.and_then(|own| own.config.clone())
        };
        let path = config.ok_or_else(|| EngineError::System {
            attempt: "open the config",
            why: format!(
                "no config of {} was found on this machine",
                target.program()
            ),
        })?;
        editors::open(editor, &path, None).map_err(|source| EngineError::NoEditor { path, source })
    })
    .await
}

/// The setting of a target that comes nearest to a ranking, on a query set by its id; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn nearest_setting(
    shell: State<'_, Shell>,
    set: String,
    ranking: RankingArgument,
    target: String,
) -> Answer<Option<NearestSetting>> {
    work(&shell, move |engine| {
        let library = engine.library();
        let queries = tuning::load_set(library, &set)?.to_file(library)?;
        let queries = queries.with_answers()?;
        let (ranking, target) = (Ranking::given(&ranking)?, self::target(&target)?);
        let found = memlens_engine::nearest(library, &ranking, target, &queries, || ())?;
        Ok(found.map(|found| {
            let mut view = found.to_view();
            view.notices.splice(0..0, queries.left_out);
            view
        }))
    })
    .await
}
