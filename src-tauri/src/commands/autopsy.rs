//! Why an agent forgot a fact.

use memlens_engine::view::{Autopsy, AutopsyChoices, AutopsyProgress, AutopsyQuestion};
use tauri::State;

use super::{Answer, Shell, work};

/// One verdict, and the proof of every step.
#[tauri::command]
#[specta::specta]
pub async fn autopsy(shell: State<'_, Shell>, question: AutopsyQuestion) -> Answer<Autopsy> {
    work(&shell, move |engine| {
        engine.library().autopsy(&question, None)
    })
    .await
}

/// The agents and sessions that it can be asked about; the sessions of one agent where it is named.
#[tauri::command]
#[specta::specta]
pub async fn autopsy_choices(
    shell: State<'_, Shell>,
    agent: Option<String>,
) -> Answer<AutopsyChoices> {
    work(&shell, move |engine| {
        engine.library().autopsy_choices(agent.as_deref())
    })
    .await
}

/// The verdict and its proof as Markdown; without what stands in notes where that is left out.
#[tauri::command]
#[specta::specta]
pub async fn autopsy_markdown(
    shell: State<'_, Shell>,
    question: AutopsyQuestion,
    with_text: bool,
) -> Answer<String> {
    work(&shell, move |engine| {
        engine.library().autopsy_markdown(&question, with_text)
    })
    .await
}

/// How far an autopsy that reads files is; `None` while none does.
#[tauri::command]
#[specta::specta]
pub async fn autopsy_progress(shell: State<'_, Shell>) -> Answer<Option<AutopsyProgress>> {
    Ok(shell.engine()?.library().autopsy_progress())
}

/// Cancels the reading of files: the autopsy ends with what it has read, and says so.
#[tauri::command]
#[specta::specta]
pub async fn stop_autopsy(shell: State<'_, Shell>) -> Answer<()> {
    shell.engine()?.library().stop_autopsy();
    Ok(())
}
