//! Decides what happens to one entry of a folder: it is read, listed or left out, and why.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::reason::Reason;
use crate::document::Kind;
use crate::error::words;
use crate::rules::{Rules, Ruling};

/// Greatest size of a file that is read: 16 MiB.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// A file to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Relative to the watched folder, separated by `/` on every system.
    pub path: String,
    /// The absolute path to read.
    pub absolute: PathBuf,
    /// Size in bytes when it was found.
    pub size: u64,
    /// Modification time in milliseconds since 1970, negative before; 0 if the system has no such time.
    pub modified_ms: i64,
    /// When its bytes, name or permissions last changed, in nanoseconds since 1970; 0 if the system has no such time.
    /// Programs cannot set it, so it reveals changes that keep size and modification time.
    pub changed_ns: i64,
    /// How the file is read.
    pub kind: Kind,
}

impl FoundFile {
    /// Returns a file below `root` that another program's rules name. `metadata` must be its own, not that of a link's
    /// target. `None` if it is not a regular file, is larger than [`MAX_FILE_BYTES`], or its path below `root` is not
    /// UTF-8.
    pub fn at(root: &Path, absolute: &Path, metadata: &Metadata) -> Option<FoundFile> {
        if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
            return None;
        }
        let inner = absolute.strip_prefix(root).ok()?;
        let names: Option<Vec<&str>> = inner.iter().map(|name| name.to_str()).collect();
        Some(FoundFile {
            path: names?.join("/"),
            absolute: absolute.to_owned(),
            size: metadata.len(),
            modified_ms: modified_ms(metadata),
            changed_ns: changed_ns(metadata),
            // The other program reads JSON as plain text.
            kind: Kind::of(absolute)
                .filter(|kind| *kind != Kind::Json)
                .unwrap_or(Kind::Plain),
        })
    }

    #[cfg(unix)]
    pub(crate) fn root(&self) -> &Path {
        let n_names = self.path.split('/').count();
        let mut around = self.absolute.ancestors();
        around
            .nth(n_names)
            .expect("a found file lies in its watched folder")
    }
}

/// What happens to one entry of a folder that is listed.
pub(super) enum Weighed {
    Read(FoundFile),
    Folder,
    /// Left out, and reported to the user.
    Reported(Reason),
    /// Left out without a report.
    Unreported(Reason),
    /// It exists, but the system denies access, with this error.
    Unseen(String),
    Gone,
}

impl Weighed {
    pub(super) fn of_error(error: io::Error) -> Self {
        if matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ) {
            return Self::Gone;
        }
        Self::Unseen(words(&error))
    }
}

/// Decides about the entry `path` (at `absolute`) by the rules of its folder. `metadata`, which must not follow links,
/// is called only if needed.
pub(super) fn weigh(
    root: &Path,
    path: &str,
    absolute: &Path,
    rules: &Rules,
    file_type: FileType,
    metadata: impl FnOnce() -> io::Result<Metadata>,
) -> Weighed {
    let hidden = absolute
        .file_name()
        .filter(|name| name.as_encoded_bytes().starts_with(b"."));
    match rules.ruling(root, absolute, file_type.is_dir()) {
        Ruling::Ignored { pattern, file } => {
            return Weighed::Unreported(Reason::Ignored { pattern, file });
        }
        Ruling::Wanted => {}
        Ruling::None => {
            if let Some(name) = hidden {
                return Weighed::Unreported(Reason::Hidden {
                    name: name.display().to_string(),
                });
            }
        }
    }
    let kind = Kind::of(absolute);
    if file_type.is_symlink() {
        // Reported only if following the link would have led to notes.
        let leads_to_notes = fs::metadata(absolute)
            .is_ok_and(|target| target.is_dir() || (target.is_file() && kind.is_some()));
        return if leads_to_notes {
            Weighed::Reported(Reason::Link)
        } else {
            Weighed::Unreported(Reason::Link)
        };
    }
    let is_utf_8 = absolute
        .file_name()
        .is_some_and(|name| name.to_str().is_some());
    if file_type.is_dir() {
        return if is_utf_8 {
            Weighed::Folder
        } else {
            Weighed::Reported(Reason::Name)
        };
    }
    let Some(kind) = kind else {
        return Weighed::Unreported(Reason::Kind);
    };
    if !file_type.is_file() {
        return Weighed::Reported(Reason::NotRegular);
    }
    if !is_utf_8 {
        return Weighed::Reported(Reason::Name);
    }
    let metadata = match metadata() {
        Ok(metadata) => metadata,
        Err(error) => return Weighed::of_error(error),
    };
    if metadata.len() > MAX_FILE_BYTES {
        // Most JSON holds no memories, so its size is not reported.
        return match kind {
            Kind::Json => Weighed::Unreported(Reason::TooLarge),
            Kind::Markdown | Kind::Plain | Kind::Jsonl => Weighed::Reported(Reason::TooLarge),
        };
    }
    Weighed::Read(FoundFile {
        path: path.to_owned(),
        absolute: absolute.to_owned(),
        size: metadata.len(),
        modified_ms: modified_ms(&metadata),
        changed_ns: changed_ns(&metadata),
        kind,
    })
}

fn modified_ms(metadata: &Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else {
        return 0;
    };
    let ms =
        |duration: std::time::Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    modified
        .duration_since(UNIX_EPOCH)
        .map_or_else(|before| -ms(before.duration()), ms)
}

#[cfg(unix)]
pub(super) fn changed_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata
        .ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
pub(super) fn changed_ns(_: &Metadata) -> i64 {
    0
}
