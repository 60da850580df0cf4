//! The trait for everything that can be searched: Memlens's own library, another agent's memory, a shared store.

use memlens_params::Values;
use memlens_rank::{ChunkId, RetrieverId};
use memlens_store::{FolderId, NoText};

use crate::{RetrieveError, Retrieved, Scope};

/// A memory that can be searched, in the state of one generation.
///
/// Results of one generation do not change, so that a search may be repeated with other parameters. If only part of a
/// search fails, that is a fact of the set ([`memlens_rank::ListState::Missing`]) and no error.
pub trait Retriever: Send + Sync {
    /// Returns the identifier of the retriever. A pipeline names the retriever whose sets it ranks.
    fn id(&self) -> RetrieverId;

    /// Returns a number that every change of the searched data raises.
    fn generation(&self) -> u64;

    /// Returns the id of the model that embedded the notes; `None`, the default, if there are no notes or it is not known.
    fn model(&self) -> Option<&str> {
        None
    }

    /// Returns a question's embedding, to be passed with every [`Question`] of it.
    ///
    /// # Errors
    /// A message for the user, worded as the end of a sentence. The vector list is then missing; the other lists still
    /// answer.
    fn embed(&self, text: &str) -> Result<Vec<f32>, String>;

    /// Returns the candidates of a question: the union of the lists at their greatest depth.
    ///
    /// # Errors
    /// [`RetrieveError`] if the memory cannot be searched at all.
    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError>;

    /// Returns the chunks of a note in their order, or `None` if there is no such note.
    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>>;

    /// Returns the texts of chunks, in the given order. A text that no longer exists is [`NoText`], never empty.
    ///
    /// # Errors
    /// [`RetrieveError`] if the memory cannot be read at all.
    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError>;

    /// Returns whether this retriever can answer a question with these parameters. Some parameters need another memory.
    /// The default is `true`.
    fn answers(&self, _params: &Values) -> bool {
        true
    }

    /// Returns the paths of the notes that are left out because they changed after they were saved. The default is
    /// none.
    fn left_out(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns remarks to show to the user with every answer. The default is none.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns remarks to show to the user about how an embedded question was read. The default is none.
    fn remarks_on(&self, _question: &str) -> Vec<String> {
        Vec::new()
    }

    /// Releases memory that the next question would allocate again. By default does nothing.
    fn rest(&self) {}
}

/// A question to a [`Retriever`], with the vector and the parameters to use.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The question's text, not empty.
    pub text: &'a str,
    /// The result of [`Retriever::embed`] for the question.
    pub vector: Result<&'a [f32], &'a str>,
    /// The parameters; only those of the phase "retrieve" are read.
    pub params: &'a Values,
    /// The part of the memory to search.
    pub within: &'a Within,
    /// Chunks that become candidates at any depth, if they are within the searched part. They do not change the facts
    /// of others.
    pub also: &'a [ChunkId],
    /// Whether the chunks of `also` get their true ranks beyond the greatest depth. This may take longer than the
    /// search itself. If `false`, they have no rank there.
    pub true_ranks: bool,
}

/// The part of a memory to search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Within {
    /// The part that includes the chunks to search.
    pub part: Part,
    /// Chunks of that part to leave out.
    pub without: Vec<ChunkId>,
}

/// A part of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// The whole memory, without restriction.
    #[default]
    All,
    /// A watched folder, or a folder or note in it.
    Folder(Scope),
    /// Some watched folders as a whole.
    Folders(Vec<FolderId>),
    /// Some chunks; unknown ids are ignored.
    Chunks(Vec<ChunkId>),
}

impl Within {
    /// Returns a part without exceptions.
    pub fn of(part: Part) -> Within {
        Within {
            part,
            without: Vec::new(),
        }
    }

    /// Returns whether any chunk of a note is searched. `chunks` must hold all of the note's chunks.
    pub fn holds(&self, folder: FolderId, path: &str, chunks: &[NoteChunk]) -> bool {
        match &self.part {
            Part::All => true,
            Part::Folder(scope) => scope.folder == folder && scope.holds(path),
            Part::Folders(folders) => folders.contains(&folder),
            Part::Chunks(searched) => chunks.iter().any(|it| searched.contains(&it.chunk)),
        }
    }
}

/// A chunk of a note, with its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteChunk {
    /// The identifier of the chunk.
    pub chunk: ChunkId,
    /// First line of the chunk, 1-based.
    pub start_line: u32,
    /// Last line of the chunk, 1-based.
    pub end_line: u32,
}
