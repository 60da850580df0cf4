//! Why an agent forgot a fact.

use memlens_engine::past;
use memlens_engine::view::{Autopsy, AutopsyChoices, AutopsyQuestion};
use tauri::State;

use super::{Answer, Shell, work};

/// Where a fact was lost on its way to an agent, with the proof of every step.
#[tauri::command]
#[specta::specta]
pub async fn autopsy(shell: State<'_, Shell>, question: AutopsyQuestion) -> Answer<Autopsy> {
    work(&shell, move |engine| {
        memlens_engine::autopsy(engine.library(), &question, None)
    })
    .await
}

/// The agents and sessions that an autopsy can be about; with an agent, only its sessions.
#[tauri::command]
#[specta::specta]
pub async fn autopsy_choices(
    shell: State<'_, Shell>,
    agent: Option<String>,
) -> Answer<AutopsyChoices> {
    work(&shell, move |engine| {
        past::autopsy_choices(engine.library(), agent.as_deref())
    })
    .await
}

/// The verdict and its proof as Markdown, with or without the notes' text.
#[tauri::command]
#[specta::specta]
pub async fn autopsy_markdown(
    shell: State<'_, Shell>,
    question: AutopsyQuestion,
    with_text: bool,
) -> Answer<String> {
    work(&shell, move |engine| {
        memlens_engine::autopsy_markdown(engine.library(), &question, with_text)
    })
    .await
}
