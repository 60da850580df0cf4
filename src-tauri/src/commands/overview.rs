//! The memory as a whole.

use memlens_engine::acts;
use memlens_engine::view::{NotePage, NoteQuery, NoteTags, Overview, Timeline};
use memlens_params::{ParameterSet, Params};
use tauri::State;

use super::{Answer, Shell, work};

/// The cards of the memory. Asking counts as a visit; if `is_seen`, everything that is new counts as seen first. While
/// `n_unread` is above 0, ask again.
#[tauri::command]
#[specta::specta]
pub async fn overview(shell: State<'_, Shell>, params: Params, is_seen: bool) -> Answer<Overview> {
    work(&shell, move |engine| {
        let params = params.check()?;
        if is_seen {
            acts::mark_seen(engine)?;
        } else {
            // A window that may only read shows the overview all the same, and its visit does not count.
            let _ = acts::visit(engine);
        }
        memlens_engine::overview(engine.library(), &params)
    })
    .await
}

/// A page of the notes of a query, from a position in its list on.
#[tauri::command]
#[specta::specta]
pub async fn note_page(shell: State<'_, Shell>, query: NoteQuery, first: u32) -> Answer<NotePage> {
    work(&shell, move |engine| {
        memlens_engine::note_page(engine.library(), &query, first)
    })
    .await
}

/// The notes of a query by their own dates, whatever its span of days.
#[tauri::command]
#[specta::specta]
pub async fn timeline(shell: State<'_, Shell>, query: NoteQuery) -> Answer<Timeline> {
    work(&shell, move |engine| {
        memlens_engine::timeline(engine.library(), &query)
    })
    .await
}

/// The tags that hold some words, with the number of notes that a query lists with each in place of its own tag.
#[tauri::command]
#[specta::specta]
pub async fn note_tags(
    shell: State<'_, Shell>,
    query: NoteQuery,
    find: String,
) -> Answer<NoteTags> {
    work(&shell, move |engine| {
        memlens_engine::note_tags(engine.library(), &query, &find)
    })
    .await
}
