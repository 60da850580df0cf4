//! The commands of the window, each a few lines over the engine.
//!
//! All are async, so that none runs on the window's own thread; what computes or reads goes to a
//! blocking thread.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlens_engine::view::{
    Activity, DataSize, DocumentView, ErrorInfo, FileProblem, FolderTree, JobKind, Journey,
    KnownStamps, LibraryState, PipelineInfo, Preset, Ranking as RankingArgument, SearchAnswer,
    Snippet, SuggestedQuestion, UnreadFolder,
};
use memlens_engine::{
    ClustersAnswer, Engine, EngineError, FeedbackEntry, FeedbackImport, FolderId, Home, Library,
    Part, Place, Ranking, RowThumb, Scope, TraceForm, WhyAnswer, acts, preset,
};
use memlens_params::{HookMode, ParameterSet, Params};
use memlens_rank::Columns;
use tauri::{AppHandle, State, Url, WebviewWindow};

use crate::dialogs::Dialogs;
use crate::editors::{self, Editor};
use crate::events::ScopeArgument;
use crate::file_manager;
use crate::opening::Opening;

pub mod agents;
pub mod autopsy;
pub mod compare;
pub mod drift;
pub mod export;
pub mod overview;
pub mod past;
pub mod providers;
pub mod rerank;
pub mod tuning;

/// What every command works on.
pub struct Shell {
    /// The engine, or why it cannot be opened.
    pub opening: Arc<Opening>,
    /// The open and save dialogs of the system.
    pub dialogs: Arc<Dialogs>,
    /// What is on its way into other programs.
    pub exports: Arc<export::Exports>,
    /// The question that the window begins with.
    pub query: Option<String>,
    /// Home folder where agents are looked for; `None` if the system names none.
    pub home: Option<Home>,
}

/// The note of a preset whose hook the user did not allow.
const HOOK_LEFT_OFF: &str = "This file turns on your own command (hook); it was left off.";

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
        engine.note_person();
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

/// Searches. `scope` is a part of a watched folder or the folders of an agent; null is everything.
#[tauri::command]
#[specta::specta]
pub async fn search(
    shell: State<'_, Shell>,
    query: String,
    ranking: RankingArgument,
    scope: Option<ScopeArgument>,
) -> Answer<SearchAnswer> {
    work(&shell, move |engine| {
        let ranking = Ranking::given(&ranking)?;
        let library = engine.library();
        let part = part(library, scope)?;
        engine.keep_aggregated(&ranking.values);
        let search = library.search_as(&query, &ranking, part)?;
        library.answer(&search, &ranking.values)
    })
    .await
}

/// Ranks the candidates of a search again.
#[tauri::command]
#[specta::specta]
pub async fn rank(
    shell: State<'_, Shell>,
    search: u32,
    ranking: RankingArgument,
) -> Answer<Columns> {
    work(&shell, move |engine| {
        let ranking = Ranking::given(&ranking)?;
        engine.keep_aggregated(&ranking.values);
        let params = &ranking.values;
        Ok(engine
            .library()
            .kept(search)?
            .for_params(params)?
            .columns(params))
    })
    .await
}

/// What each stage did to a row.
#[tauri::command]
#[specta::specta]
pub async fn journey(
    shell: State<'_, Shell>,
    search: u32,
    ranking: RankingArgument,
    slot: u32,
) -> Answer<Journey> {
    work(&shell, move |engine| {
        let library = engine.library();
        let params = Ranking::given(&ranking)?.values;
        // The window reads the rows of the answer that it shows; what it asks in the background it only ranks.
        library
            .shown(search)?
            .for_params(&params)?
            .journey(&params, slot)
    })
    .await
}

/// A search stage by stage, in one form, with or without the notes' text. `preset` is the user's name for the ranking.
#[tauri::command]
#[specta::specta]
pub async fn trace_text(
    shell: State<'_, Shell>,
    search: u32,
    ranking: RankingArgument,
    preset: Option<String>,
    form: TraceForm,
    with_text: bool,
) -> Answer<String> {
    work(&shell, move |engine| {
        let library = engine.library();
        let ranking = Ranking::given(&ranking)?;
        let search = library.shown(search)?;
        let search = search.for_params(&ranking.values)?;
        memlens_engine::trace_text(
            library,
            search,
            &ranking,
            preset.as_deref(),
            form,
            with_text,
        )
    })
    .await
}

/// Asks where and writes the same to a file. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn save_trace(
    app: AppHandle,
    shell: State<'_, Shell>,
    search: u32,
    ranking: RankingArgument,
    preset: Option<String>,
    form: TraceForm,
    with_text: bool,
) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let library = engine.library();
        let ranking = Ranking::given(&ranking)?;
        let search = library.shown(search)?;
        let search = search.for_params(&ranking.values)?;
        let text = memlens_engine::trace_text(
            library,
            search,
            &ranking,
            preset.as_deref(),
            form,
            with_text,
        )?;
        let Some(path) = dialogs.place_for_trace(&app, form) else {
            return Ok(None);
        };
        library.write_output(text.as_bytes(), &path, &[])?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

/// Rows of a search, in the order given: as JSON with their journeys, or their whole texts.
#[tauri::command]
#[specta::specta]
pub async fn rows_copied(
    shell: State<'_, Shell>,
    search: u32,
    ranking: RankingArgument,
    slots: Vec<u32>,
    as_json: bool,
) -> Answer<String> {
    work(&shell, move |engine| {
        let ranking = Ranking::given(&ranking)?;
        let library = engine.library();
        let search = library.shown(search)?;
        let search = search.for_params(&ranking.values)?;
        match as_json {
            true => memlens_engine::rows_json(library, search, &ranking.values, &slots),
            false => search.rows_text(&slots),
        }
    })
    .await
}

/// The best passages of rows, by slot. Those of the first rows come with the answer of `search`.
#[tauri::command]
#[specta::specta]
pub async fn snippets(
    shell: State<'_, Shell>,
    search: u32,
    slots: Vec<u32>,
) -> Answer<Vec<Snippet>> {
    work(&shell, move |engine| {
        let library = engine.library();
        let search = library.shown(search)?;
        library.snippets(&search, &slots)
    })
    .await
}

/// Why a note, or the chunks at one of its lines, is not among the results, and which changes would bring it back. The changes are
/// those for the chunk with this id, or else for the best one. Without a folder, `path` is a place as typed: `PATH` or `PATH:LINE`.
#[tauri::command]
#[specta::specta]
pub async fn why_not(
    shell: State<'_, Shell>,
    search: u32,
    ranking: RankingArgument,
    folder: Option<String>,
    path: String,
    line: Option<u32>,
    chunk: Option<String>,
) -> Answer<WhyAnswer> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        let library = engine.library();
        let params = Ranking::given(&ranking)?.values;
        let search = library.kept(search)?;
        let answer = match folder {
            Some(folder) => {
                let folder = folder_id(&folder)?;
                let place = Place { folder, path, line };
                memlens_engine::why(library, &search, &params, &place, chunk.as_deref())?
            }
            None => memlens_engine::why_typed(library, &search, &params, &path, None)?,
        };
        Ok(match home {
            Some(home) => memlens_engine::with_load_cap(library, answer, &home),
            None => answer,
        })
    })
    .await
}

/// The thumbs that the rows of a search have for its question.
#[tauri::command]
#[specta::specta]
pub async fn thumbs(shell: State<'_, Shell>, search: u32) -> Answer<Vec<RowThumb>> {
    work(&shell, move |engine| {
        let library = engine.library();
        library.row_thumbs(&*library.kept(search)?)
    })
    .await
}

/// Gives a row a thumb: turns the other one, takes back the same one. Returns the thumbs of the search's rows.
#[tauri::command]
#[specta::specta]
pub async fn vote(
    shell: State<'_, Shell>,
    search: u32,
    slot: u32,
    up: bool,
) -> Answer<Vec<RowThumb>> {
    work(&shell, move |engine| acts::vote(engine, search, slot, up)).await
}

/// Marks a note or folder as one that does not decay, or removes the mark. An empty path is the watched folder itself.
#[tauri::command]
#[specta::specta]
pub async fn set_evergreen(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    is_evergreen: bool,
) -> Answer<()> {
    work(&shell, move |engine| {
        acts::set_evergreen(engine, folder_id(&folder)?, &path, is_evergreen)
    })
    .await
}

/// Questions to begin with: those that agents asked, first those that found nothing; else some made from the notes.
#[tauri::command]
#[specta::specta]
pub async fn suggested_questions(shell: State<'_, Shell>) -> Answer<Vec<SuggestedQuestion>> {
    work(&shell, |engine| {
        memlens_engine::past::suggested(engine.library())
    })
    .await
}

/// Makes the memory that a pipeline searches, so that a question need not wait for it; false if it is not complete.
#[tauri::command]
#[specta::specta]
pub async fn prepare_memory(shell: State<'_, Shell>, ranking: RankingArgument) -> Answer<bool> {
    work(&shell, move |engine| {
        memlens_engine::prepare_memory(engine.library(), &Ranking::given(&ranking)?)
    })
    .await
}

/// Copies the sample notes beside the library, unless they are there, and watches them.
#[tauri::command]
#[specta::specta]
pub async fn open_sample_notes(shell: State<'_, Shell>) -> Answer<LibraryState> {
    work(&shell, memlens_engine::open_sample_notes).await
}

/// The questions that were saved, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn saved_questions(shell: State<'_, Shell>) -> Answer<Vec<String>> {
    work(&shell, |engine| {
        memlens_engine::saved_questions(engine.library())
    })
    .await
}

/// Saves a question, or removes it from the saved ones. Returns the saved questions.
#[tauri::command]
#[specta::specta]
pub async fn save_question(
    shell: State<'_, Shell>,
    question: String,
    saved: bool,
) -> Answer<Vec<String>> {
    work(&shell, move |engine| {
        acts::save_question(engine, &question, saved)
    })
    .await
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

/// Every thumb, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn feedback(shell: State<'_, Shell>) -> Answer<Vec<FeedbackEntry>> {
    work(&shell, |engine| engine.library().feedback()).await
}

/// Takes a thumb back. Returns those that are left.
#[tauri::command]
#[specta::specta]
pub async fn feedback_undo(shell: State<'_, Shell>, id: String) -> Answer<Vec<FeedbackEntry>> {
    work(&shell, move |engine| {
        acts::undo_feedback(engine, &id)?;
        engine.library().feedback()
    })
    .await
}

/// Asks where and writes all thumbs. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn feedback_save(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.place_for_feedback(&app) else {
            return Ok(None);
        };
        engine.library().write_feedback(&path)?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

/// Asks for a file and adds its thumbs; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn feedback_open(
    app: AppHandle,
    shell: State<'_, Shell>,
) -> Answer<Option<FeedbackImport>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let chosen = dialogs.feedback(&app);
        chosen
            .map(|path| acts::import_feedback(engine, &path))
            .transpose()
    })
    .await
}

/// What the watched folders hold; of a folder whose stamp is known, what it holds is left out.
#[tauri::command]
#[specta::specta]
pub async fn tree(shell: State<'_, Shell>, known: KnownStamps) -> Answer<Vec<FolderTree>> {
    work(&shell, move |engine| {
        let trees = engine.trees()?.into_iter();
        Ok(trees.map(|tree| tree.without(&known)).collect())
    })
    .await
}

/// What is not read in folders of a watched folder; "" is the watched folder itself.
#[tauri::command]
#[specta::specta]
pub async fn unread(
    shell: State<'_, Shell>,
    folder: String,
    paths: Vec<String>,
) -> Answer<Vec<UnreadFolder>> {
    work(&shell, move |engine| {
        memlens_engine::unread(engine.library(), folder_id(&folder)?, &paths)
    })
    .await
}

/// A note's text, chunks and problems, read from its file.
#[tauri::command]
#[specta::specta]
pub async fn document(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<DocumentView> {
    work(&shell, move |engine| {
        engine.library().document(folder_id(&folder)?, &path)
    })
    .await
}

/// The problems of files, each with its place.
#[tauri::command]
#[specta::specta]
pub async fn problems(shell: State<'_, Shell>) -> Answer<Vec<FileProblem>> {
    work(&shell, |engine| engine.library().problems()).await
}

/// What happened to notes lately, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn activity(shell: State<'_, Shell>) -> Answer<Vec<Activity>> {
    work(&shell, |engine| Ok(engine.activity())).await
}

/// Adds a folder to the watched ones.
#[tauri::command]
#[specta::specta]
pub async fn add_folder(shell: State<'_, Shell>, path: String) -> Answer<LibraryState> {
    let home = shell.home.clone();
    work(&shell, move |engine| {
        engine.add_folder(Path::new(&path))?;
        if let Some(home) = home {
            engine.note_agents(&home)?;
        }
        Ok(engine.state())
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

/// Removes a folder from the watched ones.
#[tauri::command]
#[specta::specta]
pub async fn remove_folder(shell: State<'_, Shell>, folder: String) -> Answer<LibraryState> {
    work(&shell, move |engine| {
        engine.remove_folder(folder_id(&folder)?)
    })
    .await
}

/// Tells the library the new path of a watched folder.
#[tauri::command]
#[specta::specta]
pub async fn move_folder(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
) -> Answer<LibraryState> {
    work(&shell, move |engine| {
        engine.move_folder(folder_id(&folder)?, Path::new(&path))
    })
    .await
}

/// Pauses the indexing of a folder, or continues it.
#[tauri::command]
#[specta::specta]
pub async fn pause_folder(
    shell: State<'_, Shell>,
    folder: String,
    paused: bool,
) -> Answer<LibraryState> {
    work(&shell, move |engine| {
        engine.pause_folder(folder_id(&folder)?, paused)
    })
    .await
}

/// Pauses all indexing, or continues it.
#[tauri::command]
#[specta::specta]
pub async fn pause_indexing(shell: State<'_, Shell>, paused: bool) -> Answer<LibraryState> {
    work(&shell, move |engine| Ok(engine.pause_indexing(paused))).await
}

/// Opens a note of a watched folder with the user's program, at a line counted from 1 if the program takes one.
#[tauri::command]
#[specta::specta]
pub async fn open_in_editor(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    line: Option<u32>,
    editor: Editor,
) -> Answer<()> {
    work(&shell, move |engine| {
        let note = engine.library().absolute(folder_id(&folder)?, &path)?;
        editors::open(editor, &note, line)
            .map_err(|source| EngineError::NoEditor { path: note, source })
    })
    .await
}

/// Shows a file or folder of a watched folder in the system's file manager; an empty path is the watched folder itself.
#[tauri::command]
#[specta::specta]
pub async fn show_in_folder(shell: State<'_, Shell>, folder: String, path: String) -> Answer<()> {
    work(&shell, move |engine| {
        let found = memlens_engine::location(engine.library(), folder_id(&folder)?, &path)?;
        file_manager::show(&found).map_err(|source| EngineError::File {
            attempt: "show in the file manager",
            path: found,
            source,
        })
    })
    .await
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

/// The text of `memlens.json` for these parameters.
#[tauri::command]
#[specta::specta]
pub async fn export_text(shell: State<'_, Shell>, params: Params) -> Answer<String> {
    work(&shell, move |engine| {
        preset::preset_text(engine.library(), &params.check()?, None)
    })
    .await
}

/// Asks where and writes `memlens.json`. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn export_save(
    app: AppHandle,
    shell: State<'_, Shell>,
    params: Params,
) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.place_for_preset(&app) else {
            return Ok(None);
        };
        preset::write_preset(engine.library(), &params.check()?, &path, &[])?;
        Ok(Some(dialogs.note_saved(path)))
    })
    .await
}

/// Opens the system's folder dialog; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn pick_folder(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |_| {
        let chosen = dialogs.folder(&app);
        Ok(chosen.map(|path| path.display().to_string()))
    })
    .await
}

/// Asks for a preset file and reads it; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn preset_open(app: AppHandle, shell: State<'_, Shell>) -> Answer<Option<Preset>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let chosen = dialogs.preset(&app);
        chosen
            .map(|path| {
                let preset = preset::read_preset(engine.library(), &path)?;
                without_hook_unless_allowed(engine, &dialogs, &app, preset)
            })
            .transpose()
    })
    .await
}

/// A preset from a file, with the user's command switched off unless the user agrees to what the file would start.
fn without_hook_unless_allowed(
    engine: &Engine,
    dialogs: &Dialogs,
    app: &AppHandle,
    mut preset: Preset,
) -> Result<Preset, EngineError> {
    if let Some(command) =
        memlens_engine::providers::hook_started_by(engine.library(), &preset.params)?
        && !dialogs.allows_hook_of_preset(app, &preset.name, &command)
    {
        preset.params.hook = HookMode::Off;
        preset.notes.push(HOOK_LEFT_OFF.to_owned());
    }
    Ok(preset)
}

/// Reads a file back that `export_save` wrote in this session. No other can be named.
#[tauri::command]
#[specta::specta]
pub async fn preset_read(app: AppHandle, shell: State<'_, Shell>, path: String) -> Answer<Preset> {
    let Some(saved) = shell.dialogs.saved(&path) else {
        return Err(ErrorInfo {
            code: "error".to_owned(),
            message: format!("cannot read preset {path}: it was not saved by this window"),
        });
    };
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let preset = preset::read_preset(engine.library(), &saved)?;
        without_hook_unless_allowed(engine, &dialogs, &app, preset)
    })
    .await
}

/// All saved presets, by name.
#[tauri::command]
#[specta::specta]
pub async fn presets(shell: State<'_, Shell>) -> Answer<Vec<Preset>> {
    work(&shell, |engine| preset::presets(engine.library())).await
}

/// Saves a preset. Returns all of them.
#[tauri::command]
#[specta::specta]
pub async fn preset_save(
    shell: State<'_, Shell>,
    name: String,
    params: Params,
) -> Answer<Vec<Preset>> {
    work(&shell, move |engine| {
        acts::save_preset(engine, &name, &params.check()?)?;
        preset::presets(engine.library())
    })
    .await
}

/// Deletes a preset. Returns those that are left.
#[tauri::command]
#[specta::specta]
pub async fn preset_delete(shell: State<'_, Shell>, name: String) -> Answer<Vec<Preset>> {
    work(&shell, move |engine| {
        acts::delete_preset(engine, &name)?;
        preset::presets(engine.library())
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
