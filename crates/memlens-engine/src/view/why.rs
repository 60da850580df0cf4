//! Why a note is not among the results, as the window is told.

use memlens_params::{StageId, Value};
use serde::Serialize;
use specta::Type;

use super::{Journey, NotSearchedBy};
use crate::staleness::OnDisk;

/// Where a note was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum WhyNot {
    /// It is in no watched folder.
    NotWatched,
    /// It is not there.
    Gone,
    /// It is left out of the library by a rule.
    LeftOut {
        /// The file, or the folder around it that the rule names.
        path: String,
        /// The rule.
        reason: String,
    },
    /// It could not be read.
    Unreadable {
        /// Why.
        reason: String,
    },
    /// It waits to be indexed.
    Pending {
        /// Whether its folder is paused, so that it waits until the person has it go on.
        is_paused: bool,
    },
    /// The library holds it, and the memory that was searched does not.
    NotHeld {
        /// The program whose memory it is.
        by: String,
        /// Why its own rules leave the note out; `None` if they are not known, or do not.
        unsearched: Option<NotSearchedBy>,
    },
    /// It is in the library and holds nothing to find, or nothing at the line asked for.
    Empty,
    /// It lies outside of the part that was searched.
    OutOfScope,
    /// It was searched.
    Searched {
        /// Its chunks, best first, at most 20 and the one asked for; those at the line asked for alone
        /// where one was.
        chunks: Vec<ChunkWhy>,
        /// How many there are.
        n_chunks: u32,
    },
}

/// How one chunk fared.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct ChunkWhy {
    /// Whether it is among the results.
    pub kept: bool,
    /// Its rank, or the stage and the number that lost it.
    pub sentence: String,
    /// Its row in the search that was asked about; none where that does not reach so deep.
    pub slot: Option<u32>,
    /// Its way through all stages.
    pub journey: Journey,
    /// At most three changes of one parameter each that bring it back, those that disturb the fewest other rows first, then
    /// the smallest; none where that was not worked out: it is for one chunk, the one asked for or else the best.
    pub fixes: Option<Vec<Fix>>,
    /// Where no single change does it: two that do together; the price of both is the second one's.
    pub pair: Option<(Fix, Fix)>,
    /// What would help where no change of parameters does; none where one does, or that was not worked out.
    pub advice: Option<String>,
}

/// The answer to "why not this one?".
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct WhyAnswer {
    /// The watched folder's id; empty when the note lies in none.
    pub folder: String,
    /// The note's path in it, or what was typed.
    pub path: String,
    /// The line asked for.
    pub line: Option<u32>,
    /// The answer in a sentence.
    pub sentence: String,
    /// What to do about it; `None` for a note that was searched: its chunk says that.
    pub advice: Option<String>,
    /// The answer.
    pub why: WhyNot,
    /// The note's state on the disk; `None` if the index does not hold it.
    pub on_disk: Option<OnDisk>,
    /// That the note's agent does not load that place when a session begins, whatever a search finds; none where it does,
    /// or has no such cap.
    pub load_cap: Option<String>,
}

/// A change of one parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct Fix {
    /// The parameter's id.
    pub parameter: String,
    /// Its name on screen.
    pub label: String,
    /// Its stage.
    pub stage: Option<StageId>,
    /// Its value now.
    pub from: Value,
    /// The nearest value that does it.
    pub to: Value,
    /// How many steps of its slider that is; 1 for a choice or a switch.
    pub n_steps: u32,
    /// Whether the lists must be asked again for it.
    pub queries_again: bool,
    /// What else it does; none where that was not worked out.
    pub price: Option<FixPrice>,
    /// How much is changed, for the order: the kind (numbers, then choices, then switches), then
    /// the share of the slider.
    #[serde(skip)]
    pub(crate) size: (u8, f64),
}

/// What a change does to the other rows of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct FixPrice {
    /// How many rows are kept now.
    pub n_kept: u32,
    /// How many of them it drops.
    pub n_dropped: u32,
    /// How many others it brings, without the row asked for.
    pub n_brought: u32,
    /// How many of those that stay stand in another order.
    pub n_moved: u32,
    /// The same in a sentence.
    pub sentence: String,
    /// What it does to the query set that was measured last; none where none was, or it asks the lists again.
    pub metric: Option<MetricPrice>,
}

/// What a change does to a query set.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct MetricPrice {
    /// The set's name.
    pub set: String,
    /// nDCG@10 now.
    pub before: f64,
    /// nDCG@10 with the change.
    pub after: f64,
}
