//! What reader and writer of the vector list agree on: the head, its checks and where the rows lie.
//!
//! The head is a small text file that is only ever replaced whole. It names the file of rows beside it, how many of
//! them count and their checksum; whatever follows them in that file was never committed.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use memlens_files::{is_odd, open_own};

use crate::IndexError;
use crate::private::NO_FILE;

/// First words of every head.
const MAGIC: &str = "memlens-vectors";
/// Rises with every change of the head or of the rows.
const FORMAT: u32 = 1;
/// Bytes of the embedding's id at the start of a row.
pub(crate) const ID_BYTES: usize = size_of::<i64>();

/// Everything that the head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The model that made the rows.
    pub(crate) model: String,
    /// Numbers in a row, at least 1.
    pub(crate) dim: usize,
    /// Rows that were committed.
    pub(crate) n_rows: u32,
    /// The generation of the library that the list was built from.
    pub(crate) generation: u64,
    /// CRC-32 of the committed rows.
    pub(crate) rows_crc32: u32,
    /// Which of the files beside the head has the rows; a list that is built anew takes the next.
    pub(crate) serial: u64,
}

impl Head {
    /// Reads the head at `path`.
    ///
    /// # Errors
    /// [`IndexError::Missing`], [`IndexError::Torn`] or [`IndexError::WrongFormat`]; [`IndexError::Io`] else.
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
            // What was left there, or put there, is removed and not written over.
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
        fs::rename(&beside, path).map_err(IndexError::io("replace", path))?;
        sync_folder(path);
        Ok(())
    }

    /// Where the rows of the list at `path` lie.
    pub(crate) fn rows_path(&self, path: &Path) -> PathBuf {
        suffixed(path, &self.serial.to_string())
    }

    /// Whether the file of rows that this head names begins with all that `before` names.
    pub(crate) fn continues(&self, before: &Self) -> bool {
        (self.serial, self.dim) == (before.serial, before.dim) && self.n_rows >= before.n_rows
    }

    /// The bytes of one row: the id, then the numbers, all little-endian.
    pub(crate) fn row_bytes(&self) -> usize {
        ID_BYTES + self.dim * size_of::<f32>()
    }

    /// The bytes of all committed rows.
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

    /// Reads what [`Head::print`] writes, and nothing else.
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

/// `path` with `.suffix` after its file name.
pub(crate) fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}

/// Where the head at `path` is written before it takes its place.
pub(crate) fn unfinished(path: &Path) -> PathBuf {
    suffixed(path, "new")
}

/// The files of rows beside the head at `path`, with their serials.
pub(crate) fn rows_files(path: &Path) -> Result<Vec<(u64, PathBuf)>, IndexError> {
    files_beside(path, |suffix| suffix.parse().ok())
}

/// The files beside the head at `path` whose suffix, what follows its name and a dot, `serial` reads a serial from.
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

/// The folder that `path` lies in.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Makes a rename outlast a power failure, where the system knows how to. Without it the list of before may return.
fn sync_folder(path: &Path) {
    if let Err(error) = fs::File::open(folder(path)).and_then(|folder| folder.sync_all()) {
        tracing::debug!(%error, "cannot sync folder");
    }
}
