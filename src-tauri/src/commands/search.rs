//! Searching, ranking again, and what is shown of a search.

use memlens_engine::view::{
    Journey, Ranking as RankingArgument, SearchAnswer, Snippet, SuggestedQuestion,
};
use memlens_engine::{Place, Ranking, TraceForm, WhyAnswer, acts};
use memlens_rank::Columns;
use tauri::{AppHandle, State};

use super::{Answer, Shell, folder_id, part, work};
use crate::events::ScopeArgument;

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
