//! A scratch folder of notes, and images of folders to compare.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

/// A folder of notes that is deleted when the value is dropped. Its path has no link in it.
pub struct Notes {
    _dir: TempDir,
    path: PathBuf,
}

/// The modification time of the first note written, in Unix seconds. Each later write is dated one second later, so
/// that equal times hide no change.
const FIRST_TIME: u64 = 1_700_000_000;
static N_WRITTEN: AtomicU64 = AtomicU64::new(0);

impl Notes {
    /// Makes a folder with these notes: path and text.
    ///
    /// # Panics
    /// If a file cannot be written. The other functions panic too if they fail.
    pub fn new(notes: &[(&str, &str)]) -> Notes {
        let dir = tempfile::Builder::new()
            .prefix("notes")
            .tempdir()
            .expect("a scratch folder can be made");
        // A subfolder, which can be renamed and moved away.
        let path = dir
            .path()
            .canonicalize()
            .expect("it is there")
            .join("notes");
        fs::create_dir(&path).expect("a folder can be made");
        let made = Notes { _dir: dir, path };
        for (path, text) in notes {
            made.write(path, text);
        }
        made
    }

    /// Returns the absolute path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a note, whether or not the note exists.
    pub fn at(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Writes a note, replacing any file there; makes folders as needed.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("it lies in a folder"))
            .expect("folders can be made");
        fs::write(&path, bytes).expect("a note can be written");
        let n_written = N_WRITTEN.fetch_add(1, Ordering::Relaxed);
        let time = UNIX_EPOCH + Duration::from_secs(FIRST_TIME + n_written);
        let file = File::options()
            .write(true)
            .open(&path)
            .expect("it is there");
        file.set_modified(time).expect("it can be dated");
    }

    /// Renames a note or folder; makes folders as needed.
    pub fn rename(&self, from: &str, to: &str) {
        let to = self.at(to);
        fs::create_dir_all(to.parent().expect("it lies in a folder")).expect("folders can be made");
        fs::rename(self.at(from), to).expect("it can be renamed");
    }

    /// Removes the file of a note.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).expect("it can be removed");
    }
}

/// Everything in a folder and below: path, kind and bytes, modification time. Access times are left out.
pub type Image = BTreeMap<PathBuf, (String, Vec<u8>, SystemTime)>;

/// Returns the image of a folder, itself included. Links are not followed.
///
/// # Panics
/// If something cannot be read.
pub fn image(dir: &Path) -> Image {
    let mut image = Image::new();
    let mut paths = vec![dir.to_owned()];
    while let Some(path) = paths.pop() {
        let metadata = fs::symlink_metadata(&path).expect("it can be looked at");
        let bytes = if metadata.is_file() {
            fs::read(&path).expect("it can be read")
        } else {
            Vec::new()
        };
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).expect("it can be listed");
            paths.extend(entries.map(|entry| entry.expect("it can be listed").path()));
        }
        let kind = format!("{:?} {:?}", metadata.file_type(), metadata.permissions());
        let time = metadata.modified().expect("it has a time");
        image.insert(path, (kind, bytes, time));
    }
    image
}
