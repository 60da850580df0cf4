//! What a person chooses for reranking: a provider, a model, a command of their own.

use memlens_engine::{HttpChoice, ModelChoice, RerankChange, RerankSettings, RerankTest};
use tauri::{AppHandle, State};

use super::{Answer, Shell, work};

#[tauri::command]
#[specta::specta]
pub async fn rerank_settings(shell: State<'_, Shell>) -> Answer<RerankSettings> {
    work(&shell, |engine| engine.library().rerank_settings()).await
}

/// Sets the provider. No key leaves the one that is kept; an empty one forgets it. Where note text or a key would go to
/// a host that was not agreed to before, the person is asked first, and nothing changes if they do not agree.
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
        if let Some(host) = engine.library().new_host(&http)?
            && !dialogs.allows_provider(&app, &host, http.key_env.as_deref())
        {
            return engine.library().rerank_settings();
        }
        engine.change_rerank(RerankChange::Http(http, key))
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn rerank_http_off(shell: State<'_, Shell>) -> Answer<RerankSettings> {
    work(&shell, |engine| engine.change_rerank(RerankChange::HttpOff)).await
}

/// Asks the provider to score made-up texts; no note's text is sent.
#[tauri::command]
#[specta::specta]
pub async fn test_rerank_http(shell: State<'_, Shell>, n_texts: u32) -> Answer<RerankTest> {
    work(&shell, move |engine| {
        engine.library().test_rerank_http(Some(n_texts))
    })
    .await
}

/// Chooses a cross-encoder, or none; it is loaded and scores a trial first. Where it lies in a folder that was not agreed
/// to before, the person is asked, and no file of it is looked at if they do not agree.
#[tauri::command]
#[specta::specta]
pub async fn set_rerank_model(
    app: AppHandle,
    shell: State<'_, Shell>,
    model: Option<ModelChoice>,
) -> Answer<RerankSettings> {
    let dialogs = shell.dialogs.clone();
    work(&shell, move |engine| {
        if let Some(folder) = engine.library().new_model_folder(model.as_ref())?
            && !dialogs.allows_model(&app, &folder)
        {
            return engine.library().rerank_settings();
        }
        engine.change_rerank(RerankChange::Model(model))
    })
    .await
}

/// Starts to download one of the models with a name; events tell how far it is.
#[tauri::command]
#[specta::specta]
pub async fn download_rerank_model(shell: State<'_, Shell>, name: String) -> Answer<()> {
    work(&shell, move |engine| engine.download_model(&name)).await
}

#[tauri::command]
#[specta::specta]
pub async fn cancel_download(shell: State<'_, Shell>) -> Answer<()> {
    work(&shell, |engine| {
        engine.cancel_download();
        Ok(())
    })
    .await
}

/// Sets the person's own command, or takes it away. The person is asked first.
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
            return engine.library().rerank_settings();
        }
        engine.change_rerank(RerankChange::Hook(command))
    })
    .await
}
