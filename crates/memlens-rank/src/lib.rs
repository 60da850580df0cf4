//! Ranking: `rank(&CandidateSet, &Params, &Pipeline) -> Trace`, pure and total.
//!
//! Retrieval freezes every fact that ranking may use in a [`CandidateSet`]. A [`Stage`] looks at
//! the facts and returns its reasons, one [`Detail`] per row; [`Detail::effect`] is the only place
//! where a reason becomes a score, a place or a drop; the driver in [`rank`] sorts and records.
//! So what a [`Trace`] explains is what happened, and the same input gives the same trace.
//!
//! This crate knows no files, clock, threads, search engine or window.
//!
//! ```
//! use memlens_params::Params;
//! use memlens_rank::{Candidate, CandidateSet, NATIVE, rank};
//!
//! let chunk = |id, cosine| Candidate::of_cosine(id, cosine, id as u32 + 1);
//! let set = CandidateSet::of_vectors(vec![chunk(0, 0.62), chunk(1, 0.05)]);
//! let trace = rank(&set, &Params::default(), &NATIVE);
//!
//! assert_eq!(trace.kept(), [0]); // 0.05 lies below min_score 0.10
//! ```

mod answers;
mod candidate;
mod columns;
mod detail;
mod directions;
mod explain;
mod journey;
mod pipeline;
mod stages;
mod trace;

pub use answers::{HookAnswer, RerankScale, RerankScores};
pub use candidate::{
    Age, Candidate, CandidateSet, ChunkId, DateSource, ListState, TextValue, Thumbs, VectorValue,
};
pub use columns::{Columns, Part, StageSummary};
pub use detail::{Detail, Effect, HookMove, LateMix, List, RerankState};
pub use directions::Directions;
pub use explain::{number, share};
pub use journey::{Bar, FormulaLine, JourneyCore, JourneyStep};
pub use pipeline::{
    Context, NATIVE, Outcome, Pipeline, PipelineId, Row, Stage, rank, rank_observed,
};
pub use stages::corroboration::agreement_level;
pub use stages::rerank::chars_read;
pub use trace::{Entry, StageTrace, Status, Trace};
