//! View types of "why not?": why a note is not among the results.

use memlens_params::{StageId, Value};
use serde::Serialize;
use specta::Type;

use super::{Journey, NotSearchedBy, OnDisk};

/// Reason why a note is not among the results.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WhyNot {
    /// The note is in no watched folder.
    NotWatched,
    /// The file does not exist.
    Gone,
    /// A rule leaves the note out of the library.
    LeftOut {
        /// Path of the file, or of the parent folder that the rule names.
        path: String,
        /// The rule, in words for the user.
        reason: String,
    },
    /// The file could not be read.
    Unreadable {
        /// The reading error, for the user.
        reason: String,
    },
    /// The note is waiting to be indexed.
    Pending {
        /// Whether its folder is paused, so that indexing waits until the user resumes it.
        is_paused: bool,
    },
    /// The library contains the note, and the memory that was searched does not.
    NotHeld {
        /// Name of the program whose memory was searched.
        by: String,
        /// Why that program's own rules leave the note out; `None` if they are unknown, or do not.
        unsearched: Option<NotSearchedBy>,
    },
    /// The note is in the library and has no text to find, or none at the requested line.
    Empty,
    /// The note is outside the part that was searched.
    OutOfScope,
    /// The note was among the searched notes.
    Searched {
        /// Chunks of the note, or only those at the requested line: the best 20, best first, and the requested one.
        chunks: Vec<ChunkWhy>,
        /// Number of such chunks, without that limit.
        n_chunks: u32,
    },
}

/// Result for one chunk of the note.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ChunkWhy {
    /// Whether the chunk is among the results.
    pub kept: bool,
    /// Its rank, or the stage and the number that dropped it.
    pub sentence: String,
    /// Slot of the chunk in the search; `None` if the search does not reach that deep.
    pub slot: Option<u32>,
    /// Path of the chunk through all stages.
    pub journey: Journey,
    /// At most three single-parameter changes that make it a result: least effect on other rows first, then smallest
    /// change. `None` if not computed: only one chunk gets them, the requested one or else the best.
    pub fixes: Option<Vec<Fix>>,
    /// If no single change suffices: two that do together; the second one's price covers both.
    pub pair: Option<(Fix, Fix)>,
    /// Advice if no change of parameters suffices; `None` if one does, or if not computed.
    pub advice: Option<String>,
}

/// The answer to "why is this note not a result?".
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct WhyAnswer {
    /// Id of the watched folder; empty if no watched folder contains the note.
    pub folder: String,
    /// Path of the note in its folder, or the typed path.
    pub path: String,
    /// Line that was asked for, 1-based; `None` for the whole note.
    pub line: Option<u32>,
    /// The answer as one sentence.
    pub sentence: String,
    /// What to do about it; `None` for a note that was searched, whose chunks have their own advice.
    pub advice: Option<String>,
    /// Reason, with the details of each case.
    pub why: WhyNot,
    /// State of the note on disk; `None` if the index does not contain it.
    pub on_disk: Option<OnDisk>,
    /// Statement that the note's agent does not load that place at session start, whatever a search finds; `None` if it
    /// does, or has no such limit.
    pub load_cap: Option<String>,
}

/// A change of one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Fix {
    /// Id of the parameter to change.
    pub parameter: String,
    /// Name of the parameter on screen.
    pub label: String,
    /// Stage that the parameter belongs to; `None` if it belongs to none.
    pub stage: Option<StageId>,
    /// Current value of the parameter.
    pub from: Value,
    /// Nearest value that makes the chunk a result.
    pub to: Value,
    /// Number of slider steps between the values; 1 for a choice or a switch.
    pub n_steps: u32,
    /// Whether the change requires a new retrieval.
    pub queries_again: bool,
    /// Effect on other rows; `None` if not computed.
    pub price: Option<FixPrice>,
    /// Sort key for the size of the change: kind (numbers, then choices, then switches), then share of the slider.
    #[serde(skip)]
    pub size: (u8, f64),
}

/// Effect of a change on the other results of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FixPrice {
    /// Number of rows returned now.
    pub n_kept: u32,
    /// Number of these that the change drops.
    pub n_dropped: u32,
    /// Number of other rows that the change adds, without the requested one.
    pub n_brought: u32,
    /// Number of remaining rows whose order changes.
    pub n_moved: u32,
    /// The same counts as one sentence.
    pub sentence: String,
    /// Effect on the query set that was measured last; `None` if none was measured, or the change requires a new
    /// retrieval.
    pub metric: Option<MetricPrice>,
}

/// Effect of a change on a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct MetricPrice {
    /// Name of the query set.
    pub set: String,
    /// Mean nDCG@10 without the change.
    pub before: f64,
    /// Mean nDCG@10 with the change.
    pub after: f64,
}
