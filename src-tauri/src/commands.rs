//! The commands of the window, each a few lines over the engine.
//!
//! All are async, so that none runs on the window's own thread; what computes or reads goes to a
//! blocking thread.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use memlens_engine::view::{DataSize, ErrorInfo, JobKind, LibraryState, PipelineInfo};
use memlens_engine::{ClustersAnswer, Engine, EngineError, FolderId, Home, Library, Part, Scope};
use memlens_params::{ParameterSet, Params};
use tauri::{AppHandle, State, Url, WebviewWindow};

use crate::dialogs::Dialogs;
use crate::editors;
use crate::events::ScopeArgument;
use crate::opening::Opening;

pub mod agents;
pub mod autopsy;
pub mod clusters;
pub mod compare;
pub mod drift;
pub mod export;
pub mod feedback;
pub mod folders;
pub mod map;
pub mod models;
pub mod note;
pub mod overview;
pub mod past;
pub mod presets;
pub mod providers;
pub mod rerank;
pub mod search;
pub mod serving;
pub mod tuning;

/// What every command works on.
pub struct Shell {
    /// The engine, or why it cannot be opened.
    pub opening: Arc<Opening>,
    /// The open and save dialogs of the system.
    pub dialogs: Arc<Dialogs>,
    /// What is on its way into other programs.
    pub exports: Arc<export::Exports>,
    /// The entry of an agent's config that is shown.
    pub serving: Arc<serving::ShownChange>,
    /// The question that the window begins with.
    pub query: Option<String>,
    /// Home folder where agents are looked for; `None` if the system names none.
    pub home: Option<Home>,
}

type Answer<T> = Result<T, ErrorInfo>;

/// Does work of the engine away from the window's threads, once the library is open.
async fn work<T: Send + 'static>(
    shell: &Shell,
    work: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
) -> Answer<T> {
    work_on(shell, Opening::wait, work).await
}

/// As [`work`], on what `open` returns.
async fn work_on<T: Send + 'static>(
    shell: &Shell,
    open: fn(&Opening) -> Answer<Arc<Engine>>,
    work: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
) -> Answer<T> {
    let opening = shell.opening.clone();
    let joined = tauri::async_runtime::spawn_blocking(move || {
        let engine = open(&opening)?;
        engine.note_request();
        work(&engine).map_err(|error| ErrorInfo::from(&error.at(engine.library().dir())))
    })
    .await;
    match joined {
        Ok(result) => result,
        Err(error) => Err(ErrorInfo {
            code: "error".to_owned(),
            message: format!("cannot finish: {error}"),
        }),
    }
}

fn folder_id(text: &str) -> Result<FolderId, EngineError> {
    text.parse()
        .map(FolderId)
        .map_err(|_| EngineError::NotWatched {
            path: text.to_owned(),
        })
}

fn part(library: &Library, scope: Option<ScopeArgument>) -> Result<Part, EngineError> {
    Ok(match scope {
        None => Part::All,
        Some(ScopeArgument::Folder { folder, path }) => Part::Folder(Scope {
            folder: folder_id(&folder)?,
            path,
        }),
        Some(ScopeArgument::Agent { agent }) => memlens_engine::part_of_agent(library, &agent)?,
    })
}

/// The state of the library.
#[tauri::command]
#[specta::specta]
pub async fn state(shell: State<'_, Shell>) -> Answer<LibraryState> {
    work(&shell, |engine| Ok(engine.state())).await
}

/// Opens the library again if opening failed.
#[tauri::command]
#[specta::specta]
pub async fn open_again(shell: State<'_, Shell>) -> Answer<LibraryState> {
    work_on(&shell, Opening::again, |engine| Ok(engine.state())).await
}

/// Every pipeline that can be chosen, Memlens's own first.
#[tauri::command]
#[specta::specta]
pub async fn pipelines(shell: State<'_, Shell>) -> Answer<Vec<PipelineInfo>> {
    work(&shell, |engine| {
        Ok(memlens_engine::pipelines_of(engine.library()))
    })
    .await
}

/// Stops a long job. An import and a download keep what they have. A search whose embedding is stopped is answered by words alone. An
/// autopsy ends with what it has read, and says so. The calls of other jobs return null.
#[tauri::command]
#[specta::specta]
pub async fn stop(shell: State<'_, Shell>, job: JobKind) -> Answer<()> {
    work(&shell, move |engine| {
        engine.library().stop(job);
        Ok(())
    })
    .await
}

/// How much larger than designed the page may be drawn, and how much smaller.
const ZOOM: RangeInclusive<f64> = 0.5..=3.0;

/// Draws the page larger or smaller. 1 is as designed; a factor out of bounds is clamped.
#[tauri::command]
#[specta::specta]
pub async fn zoom(window: WebviewWindow, factor: f64) -> Answer<()> {
    let factor = factor.clamp(*ZOOM.start(), *ZOOM.end());
    window.set_zoom(factor).map_err(|error| ErrorInfo {
        code: "window".to_owned(),
        message: format!("cannot zoom: {error}"),
    })
}

/// The query given on the command line at start, if any.
#[tauri::command]
#[specta::specta]
pub async fn start_query(shell: State<'_, Shell>) -> Answer<Option<String>> {
    Ok(shell.query.clone())
}

/// What the last pass over all observations found, at the distance that the parameters name.
#[tauri::command]
#[specta::specta]
pub async fn clusters(
    shell: State<'_, Shell>,
    params: Params,
    folder: Option<String>,
) -> Answer<ClustersAnswer> {
    work(&shell, move |engine| {
        let folder = folder.as_deref().map(folder_id).transpose()?;
        memlens_engine::clusters(engine.library(), &params.check()?, folder)
    })
    .await
}

/// Passes over all observations now, if anything changed.
#[tauri::command]
#[specta::specta]
pub async fn aggregate(
    shell: State<'_, Shell>,
    params: Params,
    folder: Option<String>,
) -> Answer<ClustersAnswer> {
    work(&shell, move |engine| {
        let folder = folder.as_deref().map(folder_id).transpose()?;
        engine.aggregate_now(&params.check()?, folder)
    })
    .await
}

/// Deletes everything in the library: folders, notes, vectors, lists and presets. The notes' files are not touched.
#[tauri::command]
#[specta::specta]
pub async fn erase_all(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<LibraryState>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        if !dialogs.allows_erasing(&app, engine.library().dir()) {
            return Ok(None);
        }
        engine.erase_all().map(Some)
    })
    .await
}

/// How much space the library takes on disk.
#[tauri::command]
#[specta::specta]
pub async fn data_size(shell: State<'_, Shell>) -> Answer<DataSize> {
    work(&shell, |engine| Ok(engine.library().data_size())).await
}

/// Opens a web or mail address (`http`, `https` or `mailto`) with the system's program, if the user allows it. Returns whether they did.
#[tauri::command]
#[specta::specta]
pub async fn open_link(app: AppHandle, shell: State<'_, Shell>, address: String) -> Answer<bool> {
    let url = outside(&address).ok_or_else(|| ErrorInfo {
        code: "invalid".to_owned(),
        message: format!("cannot open {address}: only http, https and mailto links can be opened"),
    })?;
    let dialogs = shell.dialogs.clone();
    work(&shell, move |_| {
        if !dialogs.allows(&app, url.as_str()) {
            return Ok(false);
        }
        editors::open_by_system(url.as_str()).map_err(|source| EngineError::File {
            attempt: "open",
            path: PathBuf::from(url.as_str()),
            source,
        })?;
        Ok(true)
    })
    .await
}

/// Opens the library's folder with the system's program for folders.
#[tauri::command]
#[specta::specta]
pub async fn show_library(shell: State<'_, Shell>) -> Answer<()> {
    work(&shell, |engine| {
        let dir = PathBuf::from(engine.state().data_dir);
        editors::open_by_system(&dir).map_err(|source| EngineError::File {
            attempt: "open",
            path: dir,
            source,
        })
    })
    .await
}

/// An address that may be opened outside the window; `None` for every other address.
fn outside(address: &str) -> Option<Url> {
    let url: Url = address.parse().ok()?;
    matches!(url.scheme(), "http" | "https" | "mailto").then_some(url)
}

#[cfg(test)]
mod tests {
    use super::outside;

    #[test]
    fn only_the_web_and_mail_lie_outside() {
        for address in [
            "https://example.org/a?b#c",
            "HTTP://example.org",
            "mailto:robin@example.org",
        ] {
            assert!(outside(address).is_some(), "{address}");
        }
        for address in [
            "javascript:alert(1)",
            " javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "tauri://localhost/index.html",
            "ipc://localhost/erase_all",
            "ssh://example.org",
            "/etc/passwd",
            "--help",
            "http:",
            "",
        ] {
            assert!(outside(address).is_none(), "{address}");
        }
    }
}
