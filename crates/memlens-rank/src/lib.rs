//! Ranking: `rank(&CandidateSet, &Params, &Pipeline) -> Trace`, pure and total.
//!
//! Retrieval freezes every fact that ranking may use in a [`CandidateSet`]. A [`Stage`] reads the facts and returns its
//! reasons, one per row. [`Reason::effect`] is the only place where a reason becomes a score, a place or a drop. The
//! driver in [`rank`] sorts and records. So what a [`Trace`] explains is what happened, and the same input gives the
//! same trace. A stage also declares its [`Look`]: its hue, its columns in the table, and what its switch sets.
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
//! assert_eq!(trace.kept(), [0]); // 0.05 is below min_score 0.10
//! ```

mod answers;
mod candidate;
mod columns;
mod directions;
mod journey;
mod look;
mod pipeline;
mod reason;
mod stages;
mod trace;
mod words;

pub use answers::{HookAnswer, RerankScale, RerankScores};
pub use candidate::{
    Age, Candidate, CandidateSet, ChunkId, Cosines, DateSource, HeldAs, List, ListId, ListState,
    ListValue, Names, OwnFacts, QuestionPart, QuestionParts, Thumbs,
};
pub use columns::{CellColumn, CellValue, Columns, FoldedCopies, Part, StageSummary};
pub use directions::Directions;
pub use journey::{Bar, FormulaLine, JourneyCore, JourneyStep};
pub use look::{
    Cell, Column, First, Full, Hue, Look, RowScore, Score, Sort, StageLook, Start, StartValue,
};
pub use pipeline::{
    AnyPipeline, Context, Outcome, Pipeline, PipelineId, Reasons, RetrieverId, Row, Stage, Ties,
    dropped_at, order, rank, rank_observed,
};
pub use reason::{Detail, Effect, Placer, Reason, Record, Term, Terms};
pub use stages::{
    Budget, Corroboration, Decay, Diversity, Feedback, Fusion, HookMove, LateMix, Limit, Listed,
    ListedPart, NATIVE, Repeats, Rerank, RerankState, Threshold, chars_read, cluster_level,
};
pub use trace::{Entry, StageTrace, Status, Trace};
pub use words::{alike, number, share};
