//! Contents of the library in numbers: the same for window and command line.

use std::path::Path;

use memlens_embed::EmbedderSource;
use memlens_index::Heads;
use memlens_retrieve::FolderCounts;
use memlens_store::{Contents, Folder, Store};
use memlens_wire::FileProblem;

use crate::library::writer;
use crate::notes::{file_problem, folder_names};
use crate::{EngineError, Library};

/// Contents and state of a library.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryStatus {
    /// Counter that every change of the library raises.
    pub generation: u64,
    /// Id of the embedding model.
    pub model: String,
    /// Number of documents in all folders.
    pub n_files: u32,
    /// Number of chunks in all folders.
    pub n_chunks: u32,
    /// Number of windows in all folders.
    pub n_windows: u32,
    /// Every watched folder with what it holds, by path.
    pub folders: Vec<(Folder, FolderCounts)>,
    /// Problems of files in all folders.
    pub problems: Vec<FileProblem>,
    /// Process that is writing to the library, for the user; `None` if no process is.
    pub writer: Option<String>,
    /// Notices to the user about lists that had to be repaired.
    pub notices: Vec<String>,
}

impl LibraryStatus {
    /// Counts the contents of the library in `dir`. Its lists are not opened if their headers say that they are in step
    /// with the database; otherwise the library is opened, which waits for a writer or repairs them.
    ///
    /// # Errors
    /// [`memlens_store::StoreError::Missing`] if there is none, and as [`Library::open`].
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

/// Model of the vectors; `None` if a list is not in step with the store.
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
