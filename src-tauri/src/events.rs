//! Events that the window receives without a request.

use memlens_engine::view::{Activity, JobProgress, LibraryState, LostAnswers};
use serde::{Deserialize, Serialize};
use specta::Type;
use tauri_specta::Event;

/// The library or its state changed.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct StateChanged(pub LibraryState);

/// Something happened to a note and can be searched now.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct ActivityHappened(pub Activity);

/// The progress of a long job changed.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct JobProgressed(pub JobProgress);

/// An edit took notes out of answers to past questions; `None` once that notice is obsolete.
#[derive(Debug, Clone, Serialize, Type, Event)]
pub struct AnswersLost(pub Option<LostAnswers>);

/// The form of a scope on its way from the window.
#[derive(Debug, Clone, Deserialize, Type)]
#[serde(untagged)]
pub enum ScopeArgument {
    /// A part of a watched folder.
    Folder {
        /// Id of the watched folder.
        folder: String,
        /// A folder in it; empty for all of it.
        path: String,
    },
    /// The folders of an agent.
    Agent {
        /// Id of the agent whose folders are meant.
        agent: String,
    },
}
