//! A statement that occurs more than once, opened.

use memlens_engine::SaidPlace;
use memlens_engine::view::OpenedCluster;
use memlens_params::{ParameterSet, Params};
use tauri::State;

use super::{Answer, Shell, work};

/// All that says the same as a statement, at the distance that the parameters name; null if no note holds its text now.
#[tauri::command]
#[specta::specta]
pub async fn opened_cluster(
    shell: State<'_, Shell>,
    params: Params,
    folder: String,
    path: String,
    line: u32,
    text: String,
) -> Answer<Option<OpenedCluster>> {
    work(&shell, move |engine| {
        let place = SaidPlace {
            folder: &folder,
            path: &path,
            line,
            text: &text,
        };
        let params = params.check()?;
        Ok(memlens_engine::opened_cluster(
            engine.library(),
            &params,
            place,
        ))
    })
    .await
}
