//! The sample notes: a copy beside the library that the user may edit.
//!
//! Properties checked: the notes are copied whole and once, edits stay, and an interrupted copy is made again.

use std::fs;
use std::io;
use std::path::Path;

use memlens_library::EngineError;
use memlens_wire::LibraryState;

use crate::Engine;

/// Name of their folder, which is also its name on screen.
const FOLDER: &str = "memlens-sample-notes";

/// Path and text of a note of the fixture.
macro_rules! notes {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../../tests/fixtures/agent-memory-57/", $path)))),*]
    };
}

const NOTES: [(&str, &str); 11] = notes![
    "people/health-and-food.md",
    "people/signe-profile.md",
    "protocols/audience-calibration.md",
    "protocols/evidence-ladder.md",
    "protocols/group-rooms.md",
    "protocols/stuck-task-playbook.md",
    "reference/home-server.md",
    "reference/interface-conventions.md",
    "reference/money-and-office.md",
    "reference/notification-routes.md",
    "reference/travel-playbook.md",
];

/// Copies the sample notes beside the library, unless they are there, and watches them.
///
/// # Errors
/// [`EngineError::System`] if they cannot be written; as [`Engine::add_folder`].
pub fn open_sample_notes(engine: &Engine) -> Result<LibraryState, EngineError> {
    let folder = engine.library().dir().with_file_name(FOLDER);
    copy_once(&folder).map_err(|error| EngineError::System {
        attempt: "write the sample notes",
        why: format!("{}: {error}", folder.display()),
    })?;
    engine.add_folder(&folder)
}

/// Writes the notes under a temporary name first, so that an interrupted copy is not taken for a whole one.
fn copy_once(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let partial = folder.with_file_name(format!("{FOLDER}.partial"));
    if partial.symlink_metadata().is_ok() {
        fs::remove_dir_all(&partial)?;
    }
    for (path, text) in NOTES {
        let place = partial.join(path);
        if let Some(above) = place.parent() {
            fs::create_dir_all(above)?;
        }
        memlens_files::write(&place, text.as_bytes())?;
    }
    memlens_files::rename(&partial, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_copied_once_and_edits_stay() {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let folder = dir.path().join(FOLDER);
        // What an interrupted copy left.
        let partial = dir.path().join(format!("{FOLDER}.partial"));
        fs::create_dir_all(&partial).expect("it can be made");
        fs::write(partial.join("left.md"), "over").expect("it can be written");

        copy_once(&folder).expect("they can be written");
        assert!(!folder.join("left.md").exists() && !partial.exists());
        for (path, text) in NOTES {
            let read = fs::read_to_string(folder.join(path)).expect("it is there");
            assert!(read == text && !text.is_empty(), "{path}");
        }
        let edited = folder.join(NOTES[0].0);
        fs::write(&edited, "mine").expect("it can be written");
        copy_once(&folder).expect("they are there");
        assert_eq!(fs::read_to_string(&edited).expect("it is there"), "mine");
    }
}
