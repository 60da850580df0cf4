//! What the library holds, in figures: the same for window and command line.

use std::path::Path;

use memlens_embed::EmbedderSource;
use memlens_index::Heads;
use memlens_retrieve::FolderCounts;
use memlens_store::{Contents, Folder, Store};

use crate::library::writer;
use crate::notes::{file_problem, folder_names};
use crate::view::FileProblem;
use crate::{EngineError, Library};

/// What the library holds.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryStatus {
    /// Raised by every change.
    pub generation: u64,
    /// The embedding model's id.
    pub model: String,
    /// Documents.
    pub n_files: u32,
    /// Chunks.
    pub n_chunks: u32,
    /// Windows.
    pub n_windows: u32,
    /// Every watched folder with what it holds, by path.
    pub folders: Vec<(Folder, FolderCounts)>,
    /// Everything that went wrong with a file.
    pub problems: Vec<FileProblem>,
    /// Who writes to the library now, for a person; none when nobody does.
    pub writer: Option<String>,
    /// What a person should be told of lists that had to be mended.
    pub notices: Vec<String>,
}

impl LibraryStatus {
    /// Counts what the library in `dir` holds. Its lists stay closed where their heads say that they are in step; else
    /// the library is opened, which waits for a writer or mends them.
    ///
    /// # Errors
    /// [`memlens_store::StoreError::Missing`] where there is none, and as [`Library::open`].
    pub fn read(dir: &Path, source: &EmbedderSource) -> Result<LibraryStatus, EngineError> {
        LibraryStatus::try_read(dir, source).map_err(|error| error.at(dir))
    }

    fn try_read(dir: &Path, source: &EmbedderSource) -> Result<LibraryStatus, EngineError> {
        let mut store = Store::open_read_only(dir)?;
        let mut notices = Vec::new();
        let model = match model_in_step(&store)? {
            Some(model) => model,
            None => {
                let library = Library::open(dir, source.clone())?;
                notices = library.notices().to_vec();
                store = Store::open_read_only(dir)?;
                library.lists().vectors.model().to_owned()
            }
        };
        let Contents {
            generation,
            folders,
            n_windows,
        } = store.contents()?;
        let names = folder_names(folders.iter().map(|(folder, ..)| folder));
        let problems = store.problems()?.into_iter();
        Ok(LibraryStatus {
            generation,
            model,
            n_files: folders.iter().map(|(_, n_files, _)| n_files).sum(),
            n_chunks: folders.iter().map(|(.., n_chunks)| n_chunks).sum(),
            n_windows,
            problems: problems
                .map(|problem| file_problem(problem, &names))
                .collect(),
            folders: folders
                .into_iter()
                .map(|(folder, n_files, n_chunks)| (folder, FolderCounts { n_files, n_chunks }))
                .collect(),
            writer: writer(dir),
            notices,
        })
    }
}

/// The model of the vectors; none where a list is not in step with the store.
fn model_in_step(store: &Store) -> Result<Option<String>, EngineError> {
    let heads = match Heads::read(store.dir()) {
        Err(error) if error.needs_rebuild() => return Ok(None),
        read => read?,
    };
    let made_by = store.embedding_model()?;
    let (model, dim) = made_by.unwrap_or((heads.model().to_owned(), heads.dim()));
    let is_in_step = heads.fit(&model, dim, store.generation()?);
    Ok(is_in_step.then_some(model))
}
