//! Literal search: the passage of any text file that holds all words of a fact, whether or not the file is indexed.
//!
//! [`search`] reads every text file below its roots: also those that no index holds, such as CSV and JSON, ignored and hidden files, and
//! notes of any size. `.git` and binary files are passed over. Links are not followed; one that leads out of all roots is
//! reported. What was not read for another reason is reported in [`Gaps`], so that "it is written nowhere" is said only where
//! [`Gaps::is_empty`].
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use memlens_written::{Limits, Root, search};
//!
//! # let dir = tempfile::tempdir()?;
//! std::fs::write(dir.path().join("pantry.csv"), "item,place\nflour,the green bin\n")?;
//! let roots = [Root::new(dir.path())];
//! let words = memlens_index::words("flour in the green bins").into_iter();
//! let words: Vec<String> = words.map(|word| word.term).filter(|word| word != "in" && word != "the").collect();
//! let found = search(&roots, &words, &Limits::default(), &AtomicBool::new(false), &mut |_| {});
//! assert_eq!(found.best.as_ref().map(|it| (it.path.as_str(), it.line, it.n_words)), Some(("pantry.csv", 2, 3)));
//! assert!(found.gaps.is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```

mod open;
mod passage;
mod spellings;
mod text;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use passage::{FILE_LINES, NOTE_LINES, Passage, best_passage};
pub use text::text;

/// A folder that is searched whole, or a single file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Path of the folder or file.
    pub path: PathBuf,
}

impl Root {
    /// A folder or file to search.
    pub fn new(path: &Path) -> Root {
        Root {
            path: path.to_owned(),
        }
    }
}

/// How much is read at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time limit of the whole search.
    pub time: Duration,
    /// Maximum number of files to read.
    pub files: usize,
    /// Maximum size of a file in bytes.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(30),
            files: 200_000,
            file_bytes: 256 * 1024 * 1024,
        }
    }
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Number of files that were read.
    pub n_files: usize,
    /// Number of bytes that were read.
    pub n_bytes: u64,
}

/// The passage that holds most of the words, nearest to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its root's place among the roots.
    pub root: usize,
    /// The file's path relative to the root, with `/`; empty for a root that is a file.
    pub path: String,
    /// Absolute path of the file.
    pub absolute: PathBuf,
    /// The 1-based line that holds most of the words.
    pub line: u32,
    /// That line, or the part of it around the words.
    pub text: String,
    /// Number of the words that the passage holds.
    pub n_words: usize,
    /// The words that it lacks, by their place in the question.
    pub missing: Vec<usize>,
    /// Number of the words within three lines.
    pub n_near: usize,
}

/// Places that the search did not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Links that lead out of all roots.
    pub links: Vec<PathBuf>,
    /// Files and folders that could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Files larger than [`Limits::file_bytes`], which were skipped.
    pub too_large: Vec<PathBuf>,
    /// Whether the time or the number of files ran out.
    pub is_cut_off: bool,
    /// Whether the caller cancelled the search.
    pub is_cancelled: bool,
}

impl Gaps {
    /// Whether the search covered all places.
    pub fn is_empty(&self) -> bool {
        *self == Gaps::default()
    }
}

/// The result of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Searched {
    /// The best passage; `None` if no line holds any of the words.
    pub best: Option<Hit>,
    /// Places that the search did not cover.
    pub gaps: Gaps,
    /// Number of text files read.
    pub n_files: usize,
}

/// Looks for the passage that holds most of `words`, stemmed as [`memlens_index::words`] gives them. Of equally good passages the
/// first root's comes first, then the first by path. Ends at the first passage that holds all of them within three lines.
///
/// `cancel` is read for every file and block; `progress` is called for every file.
pub fn search(
    roots: &[Root],
    words: &[String],
    limits: &Limits,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Searched {
    let started = Instant::now();
    let mut found = Searched::default();
    let mut n_bytes = 0;
    let mut walk = walk::Walk::new(roots);
    while let Some(file) = walk.next(&mut found.gaps) {
        if cancel.load(Ordering::Relaxed) {
            found.gaps.is_cancelled = true;
            break;
        }
        if found.n_files >= limits.files || started.elapsed() >= limits.time {
            found.gaps.is_cut_off = true;
            break;
        }
        progress(Progress {
            n_files: found.n_files,
            n_bytes,
        });
        let is_over = || cancel.load(Ordering::Relaxed) || started.elapsed() >= limits.time;
        let read = text::passage_of(&file, words, limits.file_bytes, &is_over);
        let passage = match read {
            Ok(text::Read::Binary) => continue,
            Ok(text::Read::TooLarge) => {
                found.gaps.too_large.push(file.absolute);
                continue;
            }
            Ok(text::Read::Text { passage, bytes }) => {
                n_bytes += bytes;
                passage
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let why = text::reason(&error);
                found.gaps.unreadable.push((file.absolute, why));
                continue;
            }
        };
        found.n_files += 1;
        let Some(passage) = passage else { continue };
        let worth = |n_words, n_near| (n_words, n_near);
        let is_better = found.best.as_ref().is_none_or(|best| {
            worth(passage.n_words, passage.n_near) > worth(best.n_words, best.n_near)
        });
        if is_better {
            let is_whole = passage.n_near == words.len();
            found.best = Some(Hit {
                root: file.root,
                path: file.path,
                absolute: file.absolute,
                line: passage.line,
                text: passage.text,
                n_words: passage.n_words,
                missing: passage.missing,
                n_near: passage.n_near,
            });
            if is_whole {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
