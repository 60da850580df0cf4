//! The folder of the library if the user names none, the same for the window and the command line.

use std::path::PathBuf;

use memlens_store::Store;

/// Name of the folder in the system's data folder.
const NAME: &str = "memlens";

/// Returns the folder: `memlens` in the data folder that stays on this machine. On Windows it was in the data folder that
/// follows the user to other machines before; a library that is there is still used. `None` if the system names no data
/// folder.
pub fn default_library() -> Option<PathBuf> {
    place(dirs::data_local_dir(), dirs::data_dir())
}

fn place(local: Option<PathBuf>, former: Option<PathBuf>) -> Option<PathBuf> {
    let [local, former] = [local, former].map(|folder| Some(folder?.join(NAME)));
    let has_library = |dir: &PathBuf| !Store::is_gone(dir);
    match (local, former) {
        (Some(local), Some(former)) if !has_library(&local) && has_library(&former) => Some(former),
        (Some(local), _) => Some(local),
        (None, former) => former,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_library_in_the_former_folder_is_still_used() {
        let scratch = tempfile::tempdir().expect("a folder can be made");
        let (local, roaming) = (scratch.path().join("Local"), scratch.path().join("Roaming"));
        let found = || place(Some(local.clone()), Some(roaming.clone())).expect("it has a place");
        let make = |folder: &Path| drop(Store::open(&folder.join(NAME)).expect("it can be made"));
        assert_eq!(found(), local.join(NAME));
        // A folder alone is no library.
        std::fs::create_dir_all(roaming.join(NAME)).expect("it can be made");
        assert_eq!(found(), local.join(NAME));
        make(&roaming);
        assert_eq!(found(), roaming.join(NAME));
        make(&local);
        assert_eq!(found(), local.join(NAME));
    }

    #[test]
    fn one_data_folder_is_enough() {
        let folder = Path::new("/data");
        let expected = Some(folder.join(NAME));
        assert_eq!(place(Some(folder.to_owned()), None), expected);
        assert_eq!(place(None, Some(folder.to_owned())), expected);
        assert_eq!(place(None, None), None);
    }
}
