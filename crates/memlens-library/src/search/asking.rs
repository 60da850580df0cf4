//! Queries a retriever whose files another program may shorten meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use memlens_files::n_faults;
use memlens_index::IndexError;
use memlens_retrieve::{Question, RetrieveError, Retrieved, Retriever};

/// Whether a list has to be built again.
pub(crate) fn is_torn(error: &RetrieveError) -> bool {
    matches!(error, RetrieveError::Index(error) if error.needs_rebuild())
}

/// Result of querying the lists.
pub(crate) struct Found {
    /// The retriever that found them.
    pub retriever: Arc<dyn Retriever>,
    pub retrieved: Retrieved,
    /// Notices to show to the user.
    pub notices: Vec<String>,
}

/// Result of embedding a question and querying the lists.
pub(crate) struct Answered {
    pub found: Found,
    /// The question's vector, or why there is none.
    pub vector: Result<Vec<f32>, String>,
    pub embed: Duration,
}

/// Queries a retriever's lists. Data that was read while another program shortened a file is discarded.
///
/// # Errors
/// [`IndexError::Torn`](memlens_index::IndexError::Torn) in that case too.
pub(crate) fn ask(
    retriever: Arc<dyn Retriever>,
    question: &Question<'_>,
    dir: &Path,
) -> Result<Found, RetrieveError> {
    let n_before = n_faults();
    // A missing part of a mapped file reads as zeros, which can make the reader panic.
    let asked = catch_unwind(AssertUnwindSafe(|| retriever.retrieve(question)));
    if n_faults() != n_before {
        let why = "a file became shorter while it was read".to_owned();
        let path = dir.to_owned();
        return Err(IndexError::Torn { path, why }.into());
    }
    let retrieved = asked.unwrap_or_else(|panic| resume_unwind(panic))?;
    Ok(Found {
        retriever,
        retrieved,
        notices: Vec::new(),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};

    use memlens_files::{OwnBytes, map_own};
    use memlens_params::{ParameterSet, Params, Values};
    use memlens_rank::{ChunkId, RetrieverId};
    use memlens_retrieve::{NoteChunk, Within};
    use memlens_store::{FolderId, NoText};

    use super::*;

    const N_BYTES: u64 = 200_000;

    /// Test retriever that reads a mapped file and fails if it reads zeros.
    struct Reading(OwnBytes);

    impl Retriever for Reading {
        fn id(&self) -> RetrieverId {
            RetrieverId("reading")
        }

        fn generation(&self) -> u64 {
            0
        }

        fn embed(&self, _: &str) -> Result<Vec<f32>, String> {
            Err("no model".to_owned())
        }

        fn retrieve(&self, _: &Question<'_>) -> Result<Retrieved, RetrieveError> {
            assert!(self.0.iter().all(|byte| *byte == 7), "zeros were read");
            Err(RetrieveError::Building {
                dir: "read to the end".into(),
                writer: String::new(),
            })
        }

        fn chunks_of(&self, _: FolderId, _: &str) -> Option<Vec<NoteChunk>> {
            None
        }

        fn texts(&self, _: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn what_was_read_of_a_shortened_file_is_an_error_and_no_panic() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let path = dir.path().join("list");
        fs::write(&path, vec![7; N_BYTES as usize]).expect("it can be written");
        let file = File::open(&path).expect("it is there");
        let mapped = map_own(file, N_BYTES, 0).expect("it can be mapped");
        let reading: Arc<dyn Retriever> = Arc::new(Reading(mapped));
        let values: Values = Params::default().values();
        let within = Within::default();
        let question = Question {
            text: "router",
            vector: Err("no model"),
            params: &values,
            within: &within,
            also: &[],
            true_ranks: false,
        };
        let error = |reading: &Arc<dyn Retriever>| {
            let asked = ask(reading.clone(), &question, dir.path());
            asked.err().expect("it finds nothing")
        };
        assert!(matches!(error(&reading), RetrieveError::Building { .. }));
        let cut = File::options().write(true).open(&path).expect("it is ours");
        cut.set_len(4096).expect("it can be shortened");
        let torn = error(&reading);
        assert!(is_torn(&torn), "{torn}");
        assert!(
            torn.to_string()
                .contains("became shorter while it was read"),
            "{torn}"
        );
    }
}
