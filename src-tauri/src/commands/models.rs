//! Embedding models.

use memlens_engine::view::{EmbeddingModels, ModelPlan};
use memlens_engine::{Engine, EngineError, acts};
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

/// The embedding models to choose from, and the vectors that are stored of each.
#[tauri::command]
#[specta::specta]
pub async fn embedding_models(shell: State<'_, Shell>) -> Answer<EmbeddingModels> {
    work(&shell, list).await
}

/// How many texts a model would have to embed, and how long that takes by a measurement on this machine.
#[tauri::command]
#[specta::specta]
pub async fn plan_embedding_model(shell: State<'_, Shell>, name: String) -> Answer<ModelPlan> {
    work(&shell, move |engine| {
        memlens_engine::plan_model(engine.library(), &name)
    })
    .await
}

/// Chooses a model. The notes are embedded by it in the background and searched by the one in use until all are; choosing the one in
/// use ends that.
#[tauri::command]
#[specta::specta]
pub async fn choose_embedding_model(
    shell: State<'_, Shell>,
    name: String,
) -> Answer<EmbeddingModels> {
    work(&shell, move |engine| {
        acts::choose_embedding_model(engine, &name)?;
        list(engine)
    })
    .await
}

/// Asks the user for a folder with a model, so that it can be chosen; null if they cancel.
#[tauri::command]
#[specta::specta]
pub async fn add_embedding_folder(
    app: AppHandle,
    shell: State<'_, Shell>,
) -> Answer<Option<EmbeddingModels>> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        let Some(path) = dialogs.folder(&app) else {
            return Ok(None);
        };
        acts::add_model_folder(engine, &path)?;
        list(engine).map(Some)
    })
    .await
}

/// Starts the download of a listed model, or continues it. Its progress is that of the job `download`.
#[tauri::command]
#[specta::specta]
pub async fn download_embedding_model(shell: State<'_, Shell>, name: String) -> Answer<()> {
    work(&shell, move |engine| engine.start_embedding_download(&name)).await
}

/// Deletes the stored vectors of a model that is not in use, forgets its folder if it is the user's own, and deletes its files if they
/// were downloaded.
#[tauri::command]
#[specta::specta]
pub async fn forget_vectors(shell: State<'_, Shell>, model: String) -> Answer<EmbeddingModels> {
    work(&shell, move |engine| {
        acts::forget_vectors(engine, &model)?;
        list(engine)
    })
    .await
}

fn list(engine: &Engine) -> Result<EmbeddingModels, EngineError> {
    memlens_engine::embedding_models(&engine.library().store())
}
