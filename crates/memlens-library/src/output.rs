//! Writes a file that the user named: the one guard of every file output.

use std::path::Path;

use memlens_agents::{Home, TARGETS, Takes, agent_file};
use memlens_files::{is_linked_into, is_same, is_within, place_of};

use crate::{EngineError, Library};

impl Library {
    /// Writes a file that the user named, atomically; `inputs` are the files that the user named for reading.
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

    /// Refuses an output path, with links resolved, that is in a watched folder, in the library's folder, one of the input files,
    /// or an agent's config, state, log or instructions.
    ///
    /// # Errors
    /// [`EngineError::WatchedPlace`], [`EngineError::OwnPlace`], [`EngineError::InputPlace`], [`EngineError::AgentPlace`];
    /// [`EngineError::File`] if its folder does not exist.
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
        if is_within(&place, self.dir()) || is_linked_into(&place, self.dir()) {
            return Err(EngineError::OwnPlace {
                path: path.to_owned(),
                dir: self.dir().to_owned(),
            });
        }
        refuse_agent_file(path, &place)?;
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

/// Refuses a place for a file that needs no library, as [`Library::refuse_output`] does.
///
/// # Errors
/// [`EngineError::AgentPlace`]; [`EngineError::File`] if its folder does not exist.
pub fn refuse_agent_place(path: &Path) -> Result<(), EngineError> {
    refuse_agent_file(path, &place_of(path).map_err(file_error(path))?)
}

/// Refuses a resolved place that is an agent's.
pub fn refuse_agent_file(path: &Path, place: &Path) -> Result<(), EngineError> {
    let Some(found) = Home::of_process().and_then(|home| agent_file(&home, place)) else {
        return Ok(());
    };
    let has_config = TARGETS.iter().any(|target| {
        target.program() == found.agent.id && matches!(target.takes, Takes::Config { .. })
    });
    let instead = if has_config {
        format!(
            "; to change its search settings, use `memlens export --target {} --write`",
            found.agent.id
        )
    } else {
        String::new()
    };
    Err(EngineError::AgentPlace {
        path: path.to_owned(),
        file: found.file,
        agent: found.agent.name,
        instead,
    })
}

/// Converts a failed writing of a file to an error that names the file.
pub fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> EngineError {
    let path = path.to_owned();
    move |source| EngineError::File {
        attempt: "write",
        path,
        source,
    }
}
