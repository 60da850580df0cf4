//! What agents asked: reading their logs, and asking again.

use memlens_engine::view::{
    PastQuestions, Ranking as RankingArgument, RecallImport, RecallLogs, ReplaySummary,
    SavedQueries, ThenNow,
};
use memlens_engine::{PastFilter, PastOnly, PastPage, Ranking, RecallChange, acts, past};
use serde::Deserialize;
use specta::Type;
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

/// Which past questions are shown.
#[derive(Debug, Deserialize, Type)]
pub struct PastFilterArgument {
    /// Words of the question; empty for all.
    text: String,
    /// Id of the agent; `None` for all.
    agent: Option<String>,
    only: PastOnly,
}

/// Which page of them is wanted.
#[derive(Debug, Deserialize, Type)]
pub struct PastPageArgument {
    /// 0-based index of a row on the page; `None` for the page of `open`, or else the first page.
    at: Option<u32>,
    /// Id of the past question whose index is returned.
    open: Option<String>,
}

/// What is to change about past questions; what is left out stays.
#[derive(Debug, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RecallChangeArgument {
    /// Days after which a past question is forgotten.
    #[serde(default)]
    #[specta(optional)]
    keep_days: Option<u32>,
    /// Whether a saved note is checked against past questions.
    #[serde(default)]
    #[specta(optional)]
    is_alarm_on: Option<bool>,
}

/// The files in which agents log their questions, and whether they may be read.
#[tauri::command]
#[specta::specta]
pub async fn recall_logs(shell: State<'_, Shell>) -> Answer<RecallLogs> {
    work(&shell, move |engine| {
        memlens_engine::recall_logs(engine.library())
    })
    .await
}

/// Reads the logs from where the last import ended. The first time, the user is asked; null if they do not agree.
#[tauri::command]
#[specta::specta]
pub async fn import_recall(
    app: AppHandle,
    shell: State<'_, Shell>,
) -> Answer<Option<RecallImport>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let logs = memlens_engine::recall_logs(engine.library())?;
        if !logs.is_allowed {
            if !dialogs.allows_recall(&app, &logs) {
                return Ok(None);
            }
            acts::change_recall(
                engine,
                RecallChange {
                    is_allowed: Some(true),
                    ..RecallChange::default()
                },
            )?;
        }
        Ok(Some(acts::import_recall(engine, None)?))
    })
    .await
}

/// Deletes every past question, and the permission to read the logs.
#[tauri::command]
#[specta::specta]
pub async fn forget_recall(shell: State<'_, Shell>) -> Answer<()> {
    work(&shell, move |engine| acts::forget_recall(engine).map(drop)).await
}

/// Changes how long past questions are kept, and whether they are checked when a note is saved.
#[tauri::command]
#[specta::specta]
pub async fn set_recall(
    shell: State<'_, Shell>,
    change: RecallChangeArgument,
) -> Answer<RecallLogs> {
    work(&shell, move |engine| {
        acts::change_recall(
            engine,
            RecallChange {
                is_allowed: None,
                keep_days: change.keep_days,
                is_alarm_on: change.is_alarm_on,
                records_calls: None,
            },
        )?;
        memlens_engine::recall_logs(engine.library())
    })
    .await
}

/// Records what agents ask of Memlens's server, or stops it. Before it is switched on the user is asked; null if they do not agree.
#[tauri::command]
#[specta::specta]
pub async fn record_calls(
    app: AppHandle,
    shell: State<'_, Shell>,
    is_on: bool,
) -> Answer<Option<RecallLogs>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        if is_on && !dialogs.allows_recording(&app) {
            return Ok(None);
        }
        let change = RecallChange {
            records_calls: Some(is_on),
            ..RecallChange::default()
        };
        acts::change_recall(engine, change)?;
        memlens_engine::recall_logs(engine.library()).map(Some)
    })
    .await
}

/// A page of the past questions, the newest first, with figures about all of them.
#[tauri::command]
#[specta::specta]
pub async fn past_questions(
    shell: State<'_, Shell>,
    filter: PastFilterArgument,
    page: PastPageArgument,
) -> Answer<PastQuestions> {
    work(&shell, move |engine| {
        let wanted = PastFilter {
            text: filter.text,
            agent: filter.agent,
            ..PastFilter::default()
        };
        let page = PastPage {
            at: page.at,
            open: page.open,
        };
        past::page(engine.library(), &wanted, filter.only, &page)
    })
    .await
}

/// Past questions that contain what is typed.
#[tauri::command]
#[specta::specta]
pub async fn complete_past(shell: State<'_, Shell>, text: String) -> Answer<Vec<String>> {
    work(&shell, move |engine| {
        past::complete(engine.library(), &text)
    })
    .await
}

/// A past question's answer then and now. Without `by` it is ranked by the pipeline of the agent that asked.
#[tauri::command]
#[specta::specta]
pub async fn then_now(
    shell: State<'_, Shell>,
    id: String,
    by: Option<RankingArgument>,
) -> Answer<ThenNow> {
    work(&shell, move |engine| {
        let by = by.as_ref().map(Ranking::given).transpose()?;
        past::then_now(engine.library(), &id, by.as_ref())
    })
    .await
}

/// Asks all past questions again; null if stopped.
#[tauri::command]
#[specta::specta]
pub async fn replay_past(
    shell: State<'_, Shell>,
    by: Option<RankingArgument>,
) -> Answer<Option<ReplaySummary>> {
    work(&shell, move |engine| {
        let by = by.as_ref().map(Ranking::given).transpose()?;
        past::replay(engine.library(), &PastFilter::default(), by.as_ref())
    })
    .await
}

/// A past question, then and now, as Markdown, with or without the notes' text.
#[tauri::command]
#[specta::specta]
pub async fn past_markdown(
    shell: State<'_, Shell>,
    id: String,
    by: Option<RankingArgument>,
    with_text: bool,
) -> Answer<String> {
    work(&shell, move |engine| {
        let by = by.as_ref().map(Ranking::given).transpose()?;
        past::markdown(engine.library(), &id, by.as_ref(), with_text)
    })
    .await
}

/// Asks where and writes past questions as a query set; null if the user cancels.
#[tauri::command]
#[specta::specta]
pub async fn save_past_queries(
    app: AppHandle,
    shell: State<'_, Shell>,
) -> Answer<Option<SavedQueries>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.place_for_queries(&app) else {
            return Ok(None);
        };
        let notices = past::write_queries(engine.library(), &PastFilter::default(), &path)?;
        Ok(Some(SavedQueries {
            path: path.display().to_string(),
            notices,
        }))
    })
    .await
}
