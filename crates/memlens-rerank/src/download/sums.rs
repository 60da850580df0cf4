//! Checksums of downloaded files.
//!
//! For few models this program knows them. For the others the checksums of the first download are kept in a file beside the models,
//! with its commit: a later download, such as one after the model was deleted, requests that commit and refuses other content.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Wanted;

/// Name of the file in the folder of models.
pub(crate) const FILE: &str = "sums.json";

/// What is known of a model's files before they come.
pub(super) struct Sums<'a> {
    path: PathBuf,
    wanted: &'a Wanted,
}

/// Repositories with what came of them.
#[derive(Default, Serialize, Deserialize)]
struct Remembered(BTreeMap<String, Version>);

/// What came of a repository.
#[derive(Default, Serialize, Deserialize)]
struct Version {
    /// The commit of the first file that came.
    commit: String,
    /// Files with their sha256.
    files: BTreeMap<String, String>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(models: &Path, wanted: &'a Wanted) -> Sums<'a> {
        Sums {
            path: models.join(FILE),
            wanted,
        }
    }

    /// The commit of the first download; `None` before it.
    pub(super) fn revision(&self) -> Result<Option<String>, String> {
        let Remembered(mut all) = self.read()?;
        Ok(all.remove(self.wanted.repository).map(|it| it.commit))
    }

    /// Refuses a checksum that is not the known one, or else not that of the first download.
    pub(super) fn check(&self, file: &str, found: &str) -> Result<(), String> {
        let known = self.wanted.sums.iter().find(|(name, _)| *name == file);
        if let Some((_, known)) = known {
            return match known.eq_ignore_ascii_case(found) {
                true => Ok(()),
                false => Err(format!(
                    "{file} has the sha256 {found}, and not {known}, which is known for it"
                )),
            };
        }
        let Remembered(all) = self.read()?;
        let version = all.get(self.wanted.repository);
        match version.and_then(|version| version.files.get(file)) {
            Some(first) if !first.eq_ignore_ascii_case(found) => Err(format!(
                "{file} has the sha256 {found}, and not {first}, which it had when it was downloaded first; if you trust the new \
                 file, delete {} and download the model again",
                self.path.display()
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Keeps the checksum of a file that came whole.
    pub(super) fn remember(&self, commit: &str, file: &str, sum: &str) -> Result<(), String> {
        let mut remembered = self.read()?;
        let version = remembered.0.entry(self.wanted.repository.to_owned());
        let version = version.or_insert_with(|| Version {
            commit: commit.to_owned(),
            files: BTreeMap::new(),
        });
        version.files.insert(file.to_owned(), sum.to_owned());
        let json = serde_json::to_vec_pretty(&remembered).expect("maps of text are JSON");
        self.write(&json)
            .map_err(|error| self.failed("save", error))
    }

    fn read(&self) -> Result<Remembered, String> {
        let bytes = match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Remembered::default());
            }
            read => read.map_err(|error| self.failed("read", error))?,
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            let place = self.path.display();
            format!("cannot read the checksums in {place}: {error}; delete the file to forget the checksums of former downloads")
        })
    }

    /// Replaces the file at once, so that a full disk leaves the former one.
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let part = self.path.with_extension("json.part");
        let mut options = File::options();
        options.create(true).truncate(true).write(true);
        let mut file = memlens_files::open_own(&part, &mut options)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        memlens_files::rename(&part, &self.path)
    }

    fn failed(&self, attempt: &str, error: io::Error) -> String {
        format!(
            "cannot {attempt} the checksums in {}: {error}",
            self.path.display()
        )
    }
}
