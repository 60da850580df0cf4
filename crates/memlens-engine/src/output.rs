//! Writing a file that a person named: the one guard that every writer of files goes through.

use std::path::{Path, PathBuf};

use memlens_files::{is_same, is_within, place_of};

use crate::{EngineError, Library};

impl Library {
    /// Writes a file that the person named, in one step; `inputs` are the files that they named to be read.
    ///
    /// # Errors
    /// As [`Library::refuse_output`], and [`EngineError::File`].
    pub fn write_output(
        &self,
        bytes: &[u8],
        path: &Path,
        inputs: &[&Path],
    ) -> Result<(), EngineError> {
        self.refuse_output(path, inputs)?;
        memlens_files::write(path, bytes).map_err(file_error(path))
    }

    /// Refuses a place for a file, whatever links lead there: in a watched folder, in the library's folder, or where one of
    /// the files stands that were named to be read.
    ///
    /// # Errors
    /// [`EngineError::WatchedPlace`], [`EngineError::OwnPlace`], [`EngineError::InputPlace`]; [`EngineError::File`] where its
    /// folder is not there.
    pub fn refuse_output(&self, path: &Path, inputs: &[&Path]) -> Result<(), EngineError> {
        let place = place_of(path).map_err(file_error(path))?;
        let lists = self.lists();
        let mut watched = lists.snapshot.folders.iter();
        if let Some(folder) = watched.find(|folder| is_within(&place, Path::new(&folder.path))) {
            return Err(EngineError::WatchedPlace {
                path: path.to_owned(),
                folder: folder.path.clone(),
            });
        }
        if is_within(&place, self.dir()) || is_file_in(&place, self.dir()) {
            return Err(EngineError::OwnPlace {
                path: path.to_owned(),
                dir: self.dir().to_owned(),
            });
        }
        // A terminal or a pipe may be both.
        let is_input = |input: &&&Path| place.is_file() && is_same(input, &place);
        if let Some(input) = inputs.iter().find(is_input) {
            return Err(EngineError::InputPlace {
                path: path.to_owned(),
                input: input.to_path_buf(),
            });
        }
        Ok(())
    }
}

/// Whether a place is another name of a file in a folder or below.
fn is_file_in(place: &Path, folder: &Path) -> bool {
    if !has_names(place) {
        return false;
    }
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) if found.is_file() && is_same(&entry.path(), place) => return true,
                Ok(_) | Err(_) => {}
            }
        }
    }
    false
}

/// Whether a file has more than one name.
fn has_names(place: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        place
            .metadata()
            .is_ok_and(|found| found.is_file() && found.nlink() > 1)
    }
    #[cfg(not(unix))]
    place.is_file()
}

fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> EngineError {
    let path = path.to_owned();
    move |source| EngineError::File {
        attempt: "write",
        path,
        source,
    }
}
