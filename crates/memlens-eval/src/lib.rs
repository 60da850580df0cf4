//! Judged queries, and metrics of rankings over them.
//!
//! A [`QuerySet`] is read from JSON lines, CSV, a bench of qmd or a judgment list of a search engine. [`score`] scores
//! one ranking, [`Summary`] holds means over queries, [`Nonsense`] counts queries that should return nothing, and
//! [`Doubt`] says when a difference allows no conclusion. A relevant range counts once, at the first result whose lines
//! overlap it, so the figures depend little on how chunks are cut.
//!
//! This crate searches no library and reads no file.
//!
//! ```
//! use memlens_eval::{Place, QuerySet, Summary, score};
//!
//! let set = QuerySet::parse(
//!     br#"{"id":"q1","query":"red relay","relevant":[{"path":"a.md","start_line":3,"end_line":5}]}"#,
//! );
//! let returned = [Place::new("b.md", 1, 9), Place::new("a.md", 5, 8)];
//! let gold = set.queries[0].gold().expect("it has an answer");
//! let scores = score(gold, &returned);
//! assert_eq!(scores.mrr_10, 0.5);
//! assert_eq!(Summary::of([&scores]).map(|all| all.mean.hit_file), Some(1.0));
//! ```

mod bootstrap;
mod calibration;
mod doubt;
mod files;
mod folds;
mod formats;
mod hash;
mod metric;
mod metrics;
mod needed;
mod nonsense;
mod overlap;
mod queries;
mod summary;

pub use bootstrap::{Difference, paired_bootstrap, signed};
pub use calibration::{AtLine, Calibration, Histogram};
pub use doubt::{Doubt, QUERIES_MIN, WinLoss};
pub use files::{FilesPassing, files_passing};
pub use folds::folds;
pub use formats::{FORMATS_READ, Format, to_csv, to_jsonl, to_qmd};
pub use hash::query_set_hash;
pub use metric::{Metric, UnknownMetric};
pub use metrics::{Scores, Shown, score, score_shown, shown_by};
pub use needed::{Missing, about, queries_missing, queries_needed};
pub use nonsense::Nonsense;
pub use overlap::rank_biased_overlap;
pub use queries::{BadLine, Judgment, Place, Query, QuerySet};
pub use summary::{NO_CATEGORY, Summary, by_category};
