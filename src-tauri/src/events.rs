//! What the window is told without having asked.

use memlens_engine::view::{Activity, JobProgress, LibraryState, LostAnswers};
use serde::{Deserialize, Serialize};
use specta::Type;
use tauri_specta::Event;

/// The library changed.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct StateChanged(pub LibraryState);

/// Something happened to a note and can be searched now.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct ActivityHappened(pub Activity);

/// The progress of a long job changed.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct JobProgressed(pub JobProgress);

/// An edit took notes out of answers to past questions; none where what was told of that is forgotten.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct AnswersLost(pub Option<LostAnswers>);

/// The form of a scope on its way from the window.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(untagged)]
pub enum ScopeArgument {
    /// A part of a watched folder.
    Folder {
        /// The watched folder's id.
        folder: String,
        /// A folder in it; empty for all of it.
        path: String,
    },
    /// The folders of an agent.
    Agent {
        /// The agent's id.
        agent: String,
    },
}
