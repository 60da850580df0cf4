//! The format that reader and writer of the vector list share: the head, its checks and the path of the rows.
//!
//! The head is a small text file that is only ever replaced as a whole. It names the file of rows beside it, the number
//! of committed rows and their checksum. Whatever follows them in that file was never committed.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use memlens_files::{is_odd, open_own};

use crate::IndexError;
use crate::private::NO_FILE;

/// First words of every head.
const MAGIC: &str = "memlens-vectors";
/// Must be increased with every change of the head or of the rows.
const FORMAT: u32 = 1;
/// Number of bytes of the embedding's id at the start of a row.
pub(crate) const ID_BYTES: usize = size_of::<i64>();

/// The content of the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The model that made the rows.
    pub(crate) model: String,
    /// Number of values in a row, at least 1.
    pub(crate) dim: usize,
    /// Number of rows that were committed.
    pub(crate) n_rows: u32,
    /// The generation of the library that the list was built from.
    pub(crate) generation: u64,
    /// CRC-32 of the committed rows.
    pub(crate) rows_crc32: u32,
    /// Number of the file that has the rows; a rebuilt list takes the next.
    pub(crate) serial: u64,
}

impl Head {
    /// Reads the head at `path`.
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::Torn`] or [`IndexError::WrongFormat`]; otherwise [`IndexError::Io`].
    pub(crate) fn read(path: &Path) -> Result<Self, IndexError> {
        let torn = |why: &str| IndexError::Torn {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let mut bytes = Vec::new();
        let read = open_own(path, fs::File::options().read(true))
            .and_then(|mut file| file.read_to_end(&mut bytes));
        match read {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(IndexError::Missing {
                    path: path.to_owned(),
                });
            }
            Err(error) if is_odd(&error) => return Err(torn(NO_FILE)),
            Err(error) => return Err(IndexError::io("read", path)(error)),
        }
        let text = str::from_utf8(&bytes).map_err(|_| torn("its head is not text"))?;
        let first = text.lines().next().unwrap_or_default();
        if first != format!("{MAGIC} {FORMAT}") {
            return match first
                .strip_prefix(MAGIC)
                .and_then(|format| format.strip_prefix(' '))
            {
                Some(format) if format.parse::<u32>().is_ok() && text.len() > first.len() => {
                    Err(IndexError::WrongFormat {
                        path: path.to_owned(),
                        found: first.to_owned(),
                    })
                }
                Some(_) | None => Err(torn("its head is not ours")),
            };
        }
        Self::parse(text).ok_or_else(|| torn("its head does not fit its checksum"))
    }

    /// Replaces the head at `path` in one step.
    pub(crate) fn write(&self, path: &Path) -> Result<(), IndexError> {
        let beside = unfinished(path);
        let write = || -> io::Result<()> {
            // A leftover file is removed, not overwritten.
            match fs::remove_file(&beside) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
            let mut options = fs::File::options();
            let mut file = open_own(&beside, options.write(true).create_new(true))?;
            file.write_all(self.print().as_bytes())?;
            file.sync_all()
        };
        write().map_err(IndexError::io("write", &beside))?;
        memlens_files::rename(&beside, path).map_err(IndexError::io("replace", path))?;
        sync_folder(path);
        Ok(())
    }

    /// Returns the path of the rows of the list at `path`.
    pub(crate) fn rows_path(&self, path: &Path) -> PathBuf {
        suffixed(path, &self.serial.to_string())
    }

    /// Returns whether the file of rows that this head names begins with everything that `before` names.
    pub(crate) fn continues(&self, before: &Self) -> bool {
        (self.serial, self.dim) == (before.serial, before.dim) && self.n_rows >= before.n_rows
    }

    /// Returns the number of bytes of one row: the id, then the numbers, all little-endian.
    pub(crate) fn row_bytes(&self) -> usize {
        ID_BYTES + self.dim * size_of::<f32>()
    }

    /// Returns the number of bytes of all committed rows.
    pub(crate) fn rows_bytes(&self) -> u64 {
        u64::from(self.n_rows) * self.row_bytes() as u64
    }

    fn print(&self) -> String {
        let Self {
            model,
            dim,
            n_rows,
            generation,
            rows_crc32,
            serial,
        } = self;
        let text = format!(
            "{MAGIC} {FORMAT}\nmodel {model}\ndim {dim}\nrows {n_rows}\ngeneration {generation}\n\
             rows_crc32 {rows_crc32:08x}\nserial {serial}\n"
        );
        let crc32 = crc32fast::hash(text.as_bytes());
        format!("{text}head_crc32 {crc32:08x}\n")
    }

    /// Parses exactly what [`Head::print`] writes.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().skip(1);
        let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let head = Self {
            model: value("model")?.to_owned(),
            dim: value("dim")?.parse().ok().filter(|&dim| dim > 0)?,
            n_rows: value("rows")?.parse().ok()?,
            generation: value("generation")?.parse().ok()?,
            rows_crc32: u32::from_str_radix(value("rows_crc32")?, 16).ok()?,
            serial: value("serial")?.parse().ok()?,
        };
        (head.print() == text).then_some(head)
    }
}

/// Returns `path` with `.suffix` after its file name.
pub(crate) fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the path at which the head is written before it replaces the one at `path`.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    suffixed(path, "new")
}

/// Returns the files of rows beside the head at `path`, with their serials.
pub(crate) fn rows_files(path: &Path) -> Result<Vec<(u64, PathBuf)>, IndexError> {
    files_beside(path, |suffix| suffix.parse().ok())
}

/// Returns the files beside the head at `path` with the serials that `serial` parses from their suffix, which follows
/// the head's name and a dot.
pub(crate) fn files_beside(
    path: &Path,
    serial: impl Fn(&str) -> Option<u32>,
) -> Result<Vec<(u64, PathBuf)>, IndexError> {
    let folder = folder(path);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(IndexError::io("list", folder))? {
        let beside = entry.map_err(IndexError::io("list", folder))?.path();
        let suffix = path.file_name().zip(beside.file_name());
        let suffix = suffix.and_then(|(own, name)| {
            name.to_str()?
                .strip_prefix(own.to_str()?)?
                .strip_prefix('.')
        });
        if let Some(serial) = suffix.and_then(&serial) {
            files.push((u64::from(serial), beside));
        }
    }
    Ok(files)
}

/// Returns the folder of `path`.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Makes a rename survive a power failure, if the system supports it. Otherwise the previous list may return.
fn sync_folder(path: &Path) {
    if let Err(error) = fs::File::open(folder(path)).and_then(|folder| folder.sync_all()) {
        tracing::debug!(%error, "cannot sync folder");
    }
}
