//! The user's choices for reranking: a provider, a model, a command of their own.

use memlens_engine::acts;
use memlens_engine::providers;
use memlens_engine::{
    Engine, EngineError, HttpChoice, ModelChoice, RerankChange, RerankSettings, RerankTest,
};
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

/// What reranks besides the bundled model, the hook, and what could be chosen.
#[tauri::command]
#[specta::specta]
pub async fn rerank_settings(shell: State<'_, Shell>) -> Answer<RerankSettings> {
    work(&shell, |engine| {
        providers::rerank_settings(engine.library())
    })
    .await
}

/// Sets the provider. Without a key the stored key stays; an empty key deletes it. If note text or a key would go to a host that
/// the user did not agree to before, they are asked first. Nothing changes if they do not agree.
#[tauri::command]
#[specta::specta]
pub async fn set_rerank_http(
    app: AppHandle,
    shell: State<'_, Shell>,
    http: HttpChoice,
    key: Option<String>,
) -> Answer<RerankSettings> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        if let Some(host) = providers::new_host(engine.library(), &http)?
            && !dialogs.allows_provider(&app, &host, http.key_env.as_deref())
        {
            return providers::rerank_settings(engine.library());
        }
        change(engine, RerankChange::Http(http, key))
    })
    .await
}

/// Switches the provider off. Its settings stay.
#[tauri::command]
#[specta::specta]
pub async fn rerank_http_off(shell: State<'_, Shell>) -> Answer<RerankSettings> {
    work(&shell, |engine| change(engine, RerankChange::HttpOff)).await
}

/// Sends made-up texts to the provider that is set, and no text of a note.
#[tauri::command]
#[specta::specta]
pub async fn test_rerank_http(shell: State<'_, Shell>, n_texts: u32) -> Answer<RerankTest> {
    work(&shell, move |engine| {
        providers::test_rerank_http(engine.library(), Some(n_texts))
    })
    .await
}

/// Chooses a cross-encoder, or none. It is loaded and scores a trial first. If it is in a folder that the user did not agree to
/// before, they are asked first, and no file in it is read if they do not agree.
#[tauri::command]
#[specta::specta]
pub async fn set_rerank_model(
    app: AppHandle,
    shell: State<'_, Shell>,
    model: Option<ModelChoice>,
) -> Answer<RerankSettings> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        if let Some(folder) = providers::new_model_folder(engine.library(), model.as_ref())?
            && !dialogs.allows_model(&app, &folder)
        {
            return providers::rerank_settings(engine.library());
        }
        change(engine, RerankChange::Model(model))
    })
    .await
}

/// Starts the download of a listed model, or continues it. Its progress is that of the job `download`.
#[tauri::command]
#[specta::specta]
pub async fn download_rerank_model(shell: State<'_, Shell>, name: String) -> Answer<()> {
    work(&shell, move |engine| engine.start_download(&name)).await
}

/// Sets the user's own command, as program and arguments; null removes it. The user is asked first.
#[tauri::command]
#[specta::specta]
pub async fn set_hook(
    app: AppHandle,
    shell: State<'_, Shell>,
    command: Option<Vec<String>>,
) -> Answer<RerankSettings> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        if let Some(command) = &command
            && !dialogs.allows_hook(&app, command)
        {
            return providers::rerank_settings(engine.library());
        }
        change(engine, RerankChange::Hook(command))
    })
    .await
}

/// Makes a change and returns the settings after it.
fn change(engine: &Engine, change: RerankChange) -> Result<RerankSettings, EngineError> {
    acts::change_rerank(engine, change)?;
    providers::rerank_settings(engine.library())
}
