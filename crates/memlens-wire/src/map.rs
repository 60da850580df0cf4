//! The map of all chunks, as the window and the command line show it.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What the places on the map mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum MapLayout {
    /// The two directions in which the vectors vary most.
    Components,
    /// Near places for chunks that are near by their vectors.
    Neighbours,
}

/// Chunks in two dimensions. The columns have one entry for each chunk that a query chooses, in the same order.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct MapPicture {
    /// What the places mean.
    pub layout: MapLayout,
    /// Places from left to right, in `[-1, 1]`. Both axes have one scale, whatever chunks are chosen.
    pub x: Vec<f32>,
    /// Places from bottom to top, in `[-1, 1]`.
    pub y: Vec<f32>,
    /// Ids of the chunks in the index; as text they are those of search results.
    pub chunk: Vec<f64>,
    /// First line of each chunk in its note, 1-based.
    pub line: Vec<u32>,
    /// Index of each chunk's note in `notes`.
    pub note: Vec<u32>,
    /// Index in `clusters` of what a chunk says that other observations say too; of several, the one that comes first there.
    pub cluster: Vec<Option<u32>>,
    /// Notes of these chunks, by folder and path.
    pub notes: Vec<MapNote>,
    /// Statements that are made more than once and that a chunk of `cluster` makes, in the order of *Said more than once*.
    pub clusters: Vec<MapCluster>,
    /// Whether observations were compared at all. If not, `cluster` and `clusters` say nothing; `aggregate` compares them.
    pub is_compared: bool,
    /// Why it is not known which notes past questions found; `None` if it is known.
    pub found_unknown: Option<String>,
    /// Number of chunks without a query.
    pub total: u32,
    /// Number of notes whose text was not read yet, if the query has a tag or a language, which are not known of these. Ask
    /// again to read on.
    pub n_unread: u32,
    /// How many chunks of different texts the layout was computed of; `None` if of all. The others were placed by the result.
    pub sampled: Option<u32>,
    /// Share of the variance of all vectors along each of the two components, in `[0, 1]`; `None` for another layout.
    pub variance: Option<[f64; 2]>,
    /// The layout by neighbours.
    pub neighbours: NeighbourLayout,
    /// Notices for the user.
    pub notices: Vec<String>,
}

/// What is known of the layout by neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct NeighbourLayout {
    /// Whether it is stored, or whether it can be computed.
    pub state: NeighbourState,
    /// Number of different texts that were placed by their neighbours since it was computed.
    pub n_added: u32,
}

/// Whether there is a layout by neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NeighbourState {
    /// It is stored, and the picture shows it unless components were asked for.
    Stored,
    /// The same, and so much was added since that it should be computed again.
    Old,
    /// It was not computed yet, or not of this library's vectors.
    Missing,
    /// There are too few chunks of different texts.
    TooFew,
}

/// A note on the map.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct MapNote {
    /// Id of the watched folder.
    pub folder: String,
    /// Name of the watched folder.
    pub folder_name: String,
    /// Path of the note in it.
    pub path: String,
    /// Its first heading, otherwise the file's name.
    pub title: String,
    /// Id of the agent that the folder belongs to.
    pub agent: Option<String>,
    /// Name of that agent.
    pub agent_name: Option<String>,
    /// Its own date as `YYYY-MM-DD`; `None` without one, and if it is of 1970 or earlier, or of the future.
    pub date: Option<String>,
    /// Number of past questions that returned it; `None` if that is not known.
    pub n_found: Option<u32>,
    /// Number of past questions and openings in which it was opened; `None` if that is not known.
    pub n_opened: Option<u32>,
}

/// A statement that is made more than once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct MapCluster {
    /// The statement, as its best member puts it.
    pub text: String,
    /// Number of observations in the whole memory that make it.
    pub n: u32,
}

/// Progress of computing the layout by neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
pub struct LayoutProgress {
    /// The present step.
    pub step: LayoutStep,
    /// How much of the step is done.
    pub n_done: u32,
    /// How much the step is.
    pub n_all: u32,
}

/// Step of computing the layout by neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LayoutStep {
    /// Finding the nearest neighbours of chunks.
    Neighbours,
    /// Moving neighbours towards each other, in rounds.
    Rounds,
    /// Placing the other chunks.
    Placing,
}
