//! Tuning by evidence: query sets, what a ranking is worth on them, and the values that are worth most.

use memlens_engine::acts;
use memlens_engine::tuning;
use memlens_engine::view::{
    CalibrationAnswer, IfTaken, MadeSet, NewSetFrom, QueryEdit, QuerySetInfo, QuerySetView,
    Ranking as RankingArgument, RunComparison, RunInfo, RunView, Sensitivity, SetFormat,
    SetMetrics, SetWish, TuneAnswer, TuneRequest,
};
use memlens_engine::{EngineError, Metric, Ranking, Voted};
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

/// The query sets, that of all judgments first.
#[tauri::command]
#[specta::specta]
pub async fn query_sets(shell: State<'_, Shell>) -> Answer<Vec<QuerySetInfo>> {
    work(&shell, |engine| tuning::query_sets(engine.library())).await
}

/// A query set with the state of each relevant place.
#[tauri::command]
#[specta::specta]
pub async fn query_set(shell: State<'_, Shell>, set: String) -> Answer<QuerySetView> {
    work(&shell, move |engine| {
        tuning::query_set(engine.library(), &set)
    })
    .await
}

/// Creates a query set.
#[tauri::command]
#[specta::specta]
pub async fn new_query_set(
    shell: State<'_, Shell>,
    name: String,
    from: NewSetFrom,
    if_taken: IfTaken,
) -> Answer<MadeSet> {
    work(&shell, move |engine| {
        acts::new_query_set(engine, &name, &from, if_taken)
    })
    .await
}

/// Renames a query set and returns its summary.
#[tauri::command]
#[specta::specta]
pub async fn rename_query_set(
    shell: State<'_, Shell>,
    set: String,
    name: String,
) -> Answer<QuerySetInfo> {
    work(&shell, move |engine| {
        acts::rename_query_set(engine, &set, &name)
    })
    .await
}

/// Deletes a query set by its id or name.
#[tauri::command]
#[specta::specta]
pub async fn delete_query_set(shell: State<'_, Shell>, set: String) -> Answer<()> {
    work(&shell, move |engine| acts::delete_query_set(engine, &set)).await
}

/// Adds a query to a set, or replaces the one with its id.
#[tauri::command]
#[specta::specta]
pub async fn save_query(
    shell: State<'_, Shell>,
    set: String,
    query: QueryEdit,
) -> Answer<QuerySetView> {
    work(&shell, move |engine| acts::save_query(engine, &set, &query)).await
}

/// Removes queries from a set.
#[tauri::command]
#[specta::specta]
pub async fn remove_queries(
    shell: State<'_, Shell>,
    set: String,
    ids: Vec<String>,
) -> Answer<QuerySetView> {
    work(&shell, move |engine| {
        acts::remove_queries(engine, &set, &ids)
    })
    .await
}

/// Keeps a file as a query set: one that is asked for, or again the one that was chosen last, now that it is known what becomes
/// of another set of its name. Null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn import_query_set(
    app: AppHandle,
    shell: State<'_, Shell>,
    again: Option<IfTaken>,
) -> Answer<Option<MadeSet>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(if_taken) = again else {
            let Some(path) = dialogs.queries(&app) else {
                return Ok(None);
            };
            dialogs.note_queries(path.clone());
            return acts::import_query_set(engine, &path, None, IfTaken::Refuse).map(Some);
        };
        let path = dialogs
            .chosen_queries()
            .ok_or_else(|| EngineError::System {
                attempt: "import the query set",
                why: "no file was chosen".to_owned(),
            })?;
        acts::import_query_set(engine, &path, None, if_taken).map(Some)
    })
    .await
}

/// Asks where and writes a query set. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn export_query_set(
    app: AppHandle,
    shell: State<'_, Shell>,
    set: String,
    format: SetFormat,
) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.place_for_settings(&app, format.file_name()) else {
            return Ok(None);
        };
        tuning::write_query_set(engine.library(), &set, format, &path)?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

/// Marks the chunk at a place (`folder/note.md:12`) relevant to a question, or not. Returns whether it has that mark now.
#[tauri::command]
#[specta::specta]
pub async fn judge_place(
    shell: State<'_, Shell>,
    query: String,
    place: String,
    up: bool,
) -> Answer<bool> {
    work(&shell, move |engine| {
        let voted = acts::judge_place(engine, &query, &place, up, None)?;
        Ok(voted != Voted::TakenBack)
    })
    .await
}

/// The metrics of two rankings over a query set, which is prepared the first time; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn measure_set(
    shell: State<'_, Shell>,
    wish: SetWish,
    pinned: RankingArgument,
    metric: Metric,
) -> Answer<Option<SetMetrics>> {
    work(&shell, move |engine| {
        let pinned = Ranking::given(&pinned)?;
        tuning::measure_set(engine.library(), &wish, &pinned, metric)
    })
    .await
}

/// How a metric depends on each live parameter; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn sensitivity(
    shell: State<'_, Shell>,
    wish: SetWish,
    pinned: Option<RankingArgument>,
    metric: Metric,
) -> Answer<Option<Sensitivity>> {
    work(&shell, move |engine| {
        let pinned = pinned.as_ref().map(Ranking::given).transpose()?;
        tuning::sensitivity(engine.library(), &wish, pinned.as_ref(), metric)
    })
    .await
}

/// Where the scores of relevant, other and nonsense rows lie, and where min score would cut; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn calibrate(
    shell: State<'_, Shell>,
    wish: SetWish,
) -> Answer<Option<CalibrationAnswer>> {
    work(&shell, move |engine| {
        tuning::calibrate(engine.library(), &wish)
    })
    .await
}

/// The best settings found, measured on queries that were not used to choose them; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn auto_tune(
    shell: State<'_, Shell>,
    wish: SetWish,
    request: TuneRequest,
) -> Answer<Option<TuneAnswer>> {
    work(&shell, move |engine| {
        tuning::auto_tune(engine.library(), &wish, &request)
    })
    .await
}

/// The saved runs, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn runs(shell: State<'_, Shell>) -> Answer<Vec<RunInfo>> {
    work(&shell, |engine| tuning::runs(engine.library())).await
}

/// Measures a ranking on a query set and saves the result; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn save_run(
    shell: State<'_, Shell>,
    wish: SetWish,
    name: String,
) -> Answer<Option<RunInfo>> {
    work(&shell, move |engine| acts::save_run(engine, &wish, &name)).await
}

/// A saved run with its ranking, metrics and queries.
#[tauri::command]
#[specta::specta]
pub async fn run(shell: State<'_, Shell>, id: String) -> Answer<RunView> {
    work(&shell, move |engine| tuning::run(engine.library(), &id)).await
}

/// What changed from one run to another.
#[tauri::command]
#[specta::specta]
pub async fn compare_runs(shell: State<'_, Shell>, a: String, b: String) -> Answer<RunComparison> {
    work(&shell, move |engine| {
        tuning::compare_runs(engine.library(), &a, &b)
    })
    .await
}

/// Renames a run and returns its summary.
#[tauri::command]
#[specta::specta]
pub async fn rename_run(shell: State<'_, Shell>, id: String, name: String) -> Answer<RunInfo> {
    work(&shell, move |engine| acts::rename_run(engine, &id, &name)).await
}

/// Deletes a run; a missing one is no error.
#[tauri::command]
#[specta::specta]
pub async fn delete_run(shell: State<'_, Shell>, id: String) -> Answer<()> {
    work(&shell, move |engine| acts::delete_run(engine, &id)).await
}

/// Asks where and writes a run's file. Returns the path; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn export_run(
    app: AppHandle,
    shell: State<'_, Shell>,
    id: String,
) -> Answer<Option<String>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.place_for_settings(&app, "run.json") else {
            return Ok(None);
        };
        let text = tuning::run_text(engine.library(), &id)?;
        engine.library().write_output(text.as_bytes(), &path, &[])?;
        Ok(Some(path.display().to_string()))
    })
    .await
}
