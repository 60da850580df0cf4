//! What is known beside one note.

use memlens_engine::view::{FollowedLink, LinksOfNote};
use tauri::State;

use super::{Answer, Shell, folder_id, work};

/// The links of a note to others and of others to it, all of them or the first 200 of each. While `n_unread` is above 0, ask again.
#[tauri::command]
#[specta::specta]
pub async fn note_links(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    is_all: bool,
) -> Answer<LinksOfNote> {
    work(&shell, move |engine| {
        memlens_engine::links_of(engine.library(), folder_id(&folder)?, &path, is_all)
    })
    .await
}

/// Where a link of a note leads: an address, or `[[a name]]`.
#[tauri::command]
#[specta::specta]
pub async fn followed_link(
    shell: State<'_, Shell>,
    folder: String,
    path: String,
    address: String,
) -> Answer<FollowedLink> {
    work(&shell, move |engine| {
        memlens_engine::followed_link(engine.library(), folder_id(&folder)?, &path, &address)
    })
    .await
}
