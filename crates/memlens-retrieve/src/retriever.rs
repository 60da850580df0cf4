//! Who answers a question: Memlens's own library, another agent's memory, a shared store.

use memlens_params::Values;
use memlens_rank::{ChunkId, RetrieverId};
use memlens_store::{FolderId, NoText};

use crate::{RetrieveError, Retrieved, Scope};

/// A memory that can be asked, as it stood at one generation.
///
/// What it says of one generation does not change, so that a search may ask it again with other parameters. What fails in
/// part is a fact of the set ([`memlens_rank::ListState::Missing`]) and no error.
pub trait Retriever: Send + Sync {
    /// Its name; a pipeline names whose sets it ranks.
    fn id(&self) -> RetrieverId;

    /// A number that is raised by every change of what it searches.
    fn generation(&self) -> u64;

    /// A question's embedding, to be given back with every [`Question`] of it.
    ///
    /// # Errors
    /// Why there is none, for a person, as the end of a sentence: the vector list is missing then, and the others answer.
    fn embed(&self, text: &str) -> Result<Vec<f32>, String>;

    /// The candidates of a question: the union of its lists at their greatest depth.
    ///
    /// # Errors
    /// [`RetrieveError`] where it cannot be asked at all.
    fn retrieve(&self, question: &Question<'_>) -> Result<Retrieved, RetrieveError>;

    /// The chunks of a note, in their order; none where it holds no such note.
    fn chunks_of(&self, folder: FolderId, path: &str) -> Option<Vec<NoteChunk>>;

    /// The texts of chunks, in the order asked. A text that is gone is none, never empty.
    ///
    /// # Errors
    /// [`RetrieveError`] where it cannot be asked at all.
    fn texts(&self, chunks: &[ChunkId]) -> Result<Vec<Result<String, NoText>>, RetrieveError>;

    /// Whether a question with these parameters is one to it: other ones may make another memory. By default any is.
    fn answers(&self, _params: &Values) -> bool {
        true
    }

    /// The paths of the notes that it leaves out since they are not as they were saved; by default none.
    fn left_out(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a person should know of each of its answers; by default nothing.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a person should be told of how a question was read, once it was embedded; by default nothing.
    fn remarks_on(&self, _question: &str) -> Vec<String> {
        Vec::new()
    }

    /// Lets go of memory that it takes again when it is asked; by default it holds none.
    fn rest(&self) {}
}

/// What a retriever is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The question in words, not empty.
    pub text: &'a str,
    /// What [`Retriever::embed`] said of it.
    pub vector: Result<&'a [f32], &'a str>,
    /// The parameters; only those of the phase "retrieve" are read.
    pub params: &'a Values,
    /// What is searched.
    pub within: &'a Within,
    /// Chunks that become candidates however deep they stand, as far as they lie within; they change no other's facts.
    pub also: &'a [ChunkId],
    /// Whether these get their true ranks where they stand deeper than any slider reaches, which may take longer than the
    /// search; else they have none there.
    pub true_ranks: bool,
}

/// What is searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Within {
    /// The part.
    pub part: Part,
    /// Chunks of it that are passed over.
    pub without: Vec<ChunkId>,
}

/// A part of a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    All,
    /// A folder, or a folder or note in it.
    Folder(Scope),
    /// Some watched folders, whole.
    Folders(Vec<FolderId>),
    /// Some chunks; those that it does not hold are none.
    Chunks(Vec<ChunkId>),
}

impl Within {
    /// A part without exceptions.
    pub fn of(part: Part) -> Within {
        Within {
            part,
            without: Vec::new(),
        }
    }

    /// Whether any chunk of a note is searched; `chunks` are all of its chunks.
    pub fn holds(&self, folder: FolderId, path: &str, chunks: &[NoteChunk]) -> bool {
        match &self.part {
            Part::All => true,
            Part::Folder(scope) => scope.folder == folder && scope.holds(path),
            Part::Folders(folders) => folders.contains(&folder),
            Part::Chunks(searched) => chunks.iter().any(|it| searched.contains(&it.chunk)),
        }
    }
}

/// A chunk of a note, by its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoteChunk {
    /// The chunk.
    pub chunk: ChunkId,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
}
