//! Evidence for a ranking: query sets, their metrics, tuning, runs, and what a change of parameters costs.

pub mod changes;
pub mod compare_set;
pub mod evaluate;
pub mod judged;
mod made_by;
pub mod nearest;
pub mod query_file;
pub mod scores;
pub mod tuning;

pub use compare_set::compare_over;
pub use evaluate::{Run, run_query};
pub use judged::{JudgedFile, judged};
pub use made_by::models;
pub use nearest::{Nearest, nearest};
pub use query_file::QueryFile;
pub use scores::scores;
pub use tuning::{LoadedSet, RunDrop, RunRecord};
