//! OpenClaw: three editions of its memory search, as its published packages rank.
//!
//! Sources: the packages 2026.2.12, 2026.7.35 and 2026.9.6, asked on given vectors; what they returned is in
//! `tests/golden/openclaw`, and `tests/golden/openclaw.rs` here holds this to it.

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

/// An edition of its search: versions that rank alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edition {
    /// 2026.2: keyword scores of 1.0 whatever the match.
    V2026_2,
    /// 2026.3 to 2026.7.
    V2026_7,
    /// 2026.8 and later.
    V2026_8,
}

impl Edition {
    /// Every edition, oldest first.
    pub const ALL: [Edition; 3] = [Edition::V2026_2, Edition::V2026_7, Edition::V2026_8];

    /// The edition that a version belongs to: `2026.9.6`, `2026.7`; none for what is no version of its kind.
    pub fn of(version: &str) -> Option<Edition> {
        let mut numbers = version.trim_start_matches('v').split('.');
        let year: u32 = numbers.next()?.parse().ok()?;
        let month: u32 = match numbers.next() {
            Some(month) => month.parse().ok()?,
            None => 12,
        };
        Some(match (year, month) {
            (..2026, _) | (2026, ..3) => Edition::V2026_2,
            (2026, 3..8) => Edition::V2026_7,
            _ => Edition::V2026_8,
        })
    }

    /// Its pipeline.
    pub fn pipeline(self) -> &'static dyn AnyPipeline {
        match self {
            Edition::V2026_2 => &V2026_2,
            Edition::V2026_7 => &V2026_7,
            Edition::V2026_8 => &V2026_8,
        }
    }
}
