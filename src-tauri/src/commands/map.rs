//! The map of all chunks.

use memlens_engine::view::{MapLayout, MapPicture, NoteQuery};
use memlens_params::{ParameterSet, Params};
use tauri::State;

use super::{Answer, Shell, work};

/// The chunks of the notes that a query chooses, in two dimensions: by neighbours if such a layout is stored, otherwise, and if
/// wanted, by principal components. Places do not depend on the query.
#[tauri::command]
#[specta::specta]
pub async fn map(
    shell: State<'_, Shell>,
    params: Params,
    query: NoteQuery,
    layout: Option<MapLayout>,
) -> Answer<MapPicture> {
    work(&shell, move |engine| {
        memlens_engine::map(engine.library(), &params.check()?, &query, layout)
    })
    .await
}

/// Computes the layout by neighbours from the beginning, stores it, and returns whether there is a new one: not if it was stopped,
/// or if there are too few chunks. It is the job `layout`, and takes seconds to minutes.
#[tauri::command]
#[specta::specta]
pub async fn lay_out(shell: State<'_, Shell>) -> Answer<bool> {
    work(&shell, move |engine| {
        memlens_engine::lay_out(engine.library())
    })
    .await
}
