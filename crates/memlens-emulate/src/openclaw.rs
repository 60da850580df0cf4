//! OpenClaw: three editions of its memory search, which rank like its published packages.
//!
//! Sources: the packages 2026.2.12, 2026.7.35 and 2026.9.6, run with given vectors. Their results are in
//! `tests/golden/openclaw`, and `tests/golden/openclaw.rs` compares this code with them.

mod age;
mod cut;
mod facts;
mod memory;
mod own_index;
mod params;
mod pipelines;
mod reasons;
mod stages;
mod word_sets;
mod words;

pub use cut::Chunking;
pub use memory::Memory;
pub use own_index::{OwnChunk, OwnIndex, is_same_model};
pub use params::{Feb2026, Jul2026, Since2026Aug};
pub use pipelines::{V2026_2, V2026_7, V2026_8};

use memlens_rank::AnyPipeline;

/// An edition of its search: versions that rank in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edition {
    /// 2026.2, in which every keyword match scores 1.0.
    V2026_2,
    /// The versions 2026.3 to 2026.7.
    V2026_7,
    /// The versions 2026.8 and later.
    V2026_8,
}

impl Edition {
    /// All editions, the oldest first.
    pub const ALL: [Edition; 3] = [Edition::V2026_2, Edition::V2026_7, Edition::V2026_8];

    /// Returns the edition of a version such as `2026.9.6` or `2026.7`; `None` if it is not a valid version.
    pub fn of(version: &str) -> Option<Edition> {
        Some(match year_and_month(version)? {
            (..2026, _) | (2026, ..3) => Edition::V2026_2,
            (2026, 3..8) => Edition::V2026_7,
            _ => Edition::V2026_8,
        })
    }

    /// Whether a version is older than all whose search is known. [`Edition::of`] takes the oldest edition for it.
    pub fn is_before_known(version: &str) -> bool {
        year_and_month(version).is_some_and(|it| it < (2026, 2))
    }

    /// Returns the pipeline of the edition.
    pub fn pipeline(self) -> &'static dyn AnyPipeline {
        match self {
            Edition::V2026_2 => &V2026_2,
            Edition::V2026_7 => &V2026_7,
            Edition::V2026_8 => &V2026_8,
        }
    }
}

/// The first two numbers of a version; of a year alone, its last month. `None` if it is not a valid version.
fn year_and_month(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.trim_start_matches('v').split('.');
    let year = numbers.next()?.parse().ok()?;
    let month = match numbers.next() {
        Some(month) => month.parse().ok()?,
        None => 12,
    };
    Some((year, month))
}
