//! Corroboration: which observations say the same, at every distance that a slider can ask for.
//!
//! An observation is a list item, a paragraph or a line of JSONL. Its text becomes a [`Fingerprint`]: a SimHash, its
//! distinct words, and what it [claims](Claims) by negations and numbers. [`aggregate`] finds the near-duplicates among
//! all fingerprints by two measures, without comparing every pair, and joins them from the nearest to the farthest. So
//! one pass gives the clusters of every distance ([`Clusters::at`]). A contradicting pair is never joined. Licences,
//! headings of releases and lines that occur in many unlike notes agree with nothing.
//!
//! This crate is pure: it knows no files, clock, threads, database or ranking.
//!
//! ```
//! use memlens_corroborate::{Fingerprint, Measure, Observation, aggregate};
//!
//! let said = [
//!     "The push relay listens on port 8093.",
//!     "the push relay listens on port 8093",
//!     "The push relay listens on port 8443.",
//! ]
//! .map(Fingerprint::of);
//! let observations: Vec<Observation> =
//!     (0..).zip(&said).map(|(at, fingerprint)| Observation { fingerprint, source: at, document: at }).collect();
//!
//! let found = aggregate(&observations, &[]);
//! let cluster = found.of(Measure::Simhash).at(0, 3).unwrap();
//! assert_eq!((cluster.n_members, cluster.n_sources), (2, 2));
//! assert_eq!(found.of(Measure::Words).at(2, 50), None); // another port
//! ```

mod aggregation;
mod boilerplate;
mod claims;
mod clusters;
mod copies;
mod crowds;
mod difference;
mod fingerprint;
mod groups;
mod near;
mod overlap;
mod words;

pub use aggregation::{
    Aggregation, Measure, Observation, Standing, aggregate, aggregate_while, canonical, held,
    is_held,
};
pub use boilerplate::NOTES_MIN;
pub use claims::Claims;
pub use clusters::{Cluster, Clusters};
pub use copies::{COPY_DISTANCE_MAX, CopyPrint, copy_groups};
pub use difference::{Difference, difference};
pub use fingerprint::{Fingerprint, WORDS_MIN};
pub use near::DISTANCE_MAX;
pub use overlap::{OVERLAP_MIN, near_sets, overlap_level};
pub use words::{fnv1a, simhash, words};
