//! Ranking: `rank(&CandidateSet, &Params, &Pipeline) -> Trace`, pure and total.
//!
//! Retrieval freezes every fact that ranking may use in a [`CandidateSet`]. A [`Stage`] reads the facts and returns its
//! reasons, one per row. [`Reason::effect`] is the only place where a reason becomes a score, a place or a drop. The driver in [`rank`] sorts and records. So what a [`Trace`] explains is what happened, and the same input
//! gives the same trace.
//!
//! This crate does not know files, clocks, threads, the search engine or the window.
//!
//! A pipeline in another crate brings its own parameters ([`memlens_params::parameters!`]), stages and reasons
//! ([`Reason`]). Its retriever brings lists of any names, and [`OwnFacts`] if lists are not enough.
//!
//! ```
//! use memlens_params::Params;
//! use memlens_rank::{CandidateSet, NATIVE, rank};
//!
//! let set = CandidateSet::of_cosines(&[0.62, 0.05]);
//! let trace = rank(&set, &Params::default(), &NATIVE);
//!
//! assert_eq!(trace.kept(), [0]); // 0.05 lies below min_score 0.10
//! ```

mod answers;
mod candidate;
mod columns;
mod directions;
mod journey;
mod pipeline;
mod reason;
mod stages;
mod trace;
mod words;

pub use answers::{HookAnswer, RerankScale, RerankScores};
pub use candidate::{
    Age, Candidate, CandidateSet, ChunkId, Cosines, DateSource, List, ListId, ListState, ListValue,
    OwnFacts, Thumbs,
};
pub use columns::{Columns, FoldedCopies, ListColumn, OwnColumn, Part, StageSummary};
pub use directions::Directions;
pub use journey::{Bar, FormulaLine, JourneyCore, JourneyStep};
pub use pipeline::{
    AnyPipeline, Context, NATIVE, Outcome, Pipeline, PipelineId, Reasons, RetrieverId, Row, Stage,
    Ties, dropped_at, order, rank, rank_observed,
};
pub use reason::{Detail, Effect, Placer, Reason, Record, Term, Terms};
pub use stages::budget::Budget;
pub use stages::corroboration::{Corroboration, cluster_level};
pub use stages::decay::Decay;
pub use stages::diversity::Diversity;
pub use stages::feedback::Feedback;
pub use stages::fusion::Fusion;
pub use stages::hook::HookMove;
pub use stages::limit::Limit;
pub use stages::lists::Listed;
pub use stages::repeats::Repeats;
pub use stages::rerank::{LateMix, Rerank, RerankState, chars_read};
pub use stages::threshold::Threshold;
pub use trace::{Entry, StageTrace, Status, Trace};
pub use words::{number, share};
