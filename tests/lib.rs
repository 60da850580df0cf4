//! What the tests of several crates share: scratch notes, recording embedders, and comparisons of libraries.
//!
//! Nothing here sleeps or reads the clock; the times of notes come from a counter.

mod embedders;
mod libraries;
mod notes;
mod openclaw_index;
mod providers;
pub mod tiny;
#[cfg(unix)]
mod users;

pub use embedders::{Asked, Other, Recording, failing, faulty, hashing, recording};
pub use libraries::{
    Content, answers, check_equals_fresh, content, fresh, index, index_with, open,
};
pub use memlens_embed::sums_exactly;
pub use notes::{Image, Notes, image};
pub use openclaw_index::{IndexedChunk, write_openclaw_index};
pub use providers::{Provider, ProviderRequest};
#[cfg(unix)]
pub use users::{is_another_user, run_as_another_user};

/// Returns the configuration of a property test: `n_cases` cases and no file of failures. A fixed failure gets a test
/// of its own.
pub fn cases(n_cases: u32) -> proptest::test_runner::Config {
    proptest::test_runner::Config {
        cases: n_cases,
        failure_persistence: None,
        ..proptest::test_runner::Config::default()
    }
}
