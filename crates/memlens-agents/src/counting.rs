//! Counting an agent's notes, by the rules of the walk and within a time.
//!
//! Properties checked: what the walk leaves out is not counted; a count that was stopped says so.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memlens_ingest::FoundFile;

use crate::searched::Searched;

/// Number of notes in some folders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Number of files in them that become notes when the folders are watched, as the library counts them.
    pub n_notes: u64,
    /// How many of them the agent's own search never finds; 0 if its rules are not known.
    pub n_unsearched: u64,
    /// Last modification of the newest file, milliseconds since 1970; `None` without files.
    pub newest_ms: Option<i64>,
    /// Whether time ran out before all were scanned: the count is then a lower bound, and a newer file may exist.
    pub is_partial: bool,
}

/// Counts the notes in each of these agents' folders, each with the rules of its search, all of them within `time`: each gets
/// an equal share of what is left, so that one great folder does not hide the others.
pub fn count<'a>(
    folders: impl IntoIterator<Item = (&'a [PathBuf], Option<&'a Searched>)>,
    time: Duration,
) -> Vec<Counted> {
    let folders: Vec<(&[PathBuf], Option<&Searched>)> = folders.into_iter().collect();
    let ends = Instant::now() + time;
    let mut n_left: u32 = folders.iter().map(|(those, _)| those.len() as u32).sum();
    let mut share = || {
        let left = ends.saturating_duration_since(Instant::now());
        let share = left / n_left.max(1);
        n_left = n_left.saturating_sub(1);
        Instant::now() + share
    };
    folders
        .into_iter()
        .map(|(those, searched)| {
            let mut counted = Counted::default();
            for folder in those {
                let one = count_one(folder, searched, share());
                counted.n_notes += one.n_notes;
                counted.n_unsearched += one.n_unsearched;
                counted.newest_ms = counted.newest_ms.max(one.newest_ms);
                counted.is_partial |= one.is_partial;
            }
            counted
        })
        .collect()
}

fn count_one(folder: &Path, searched: Option<&Searched>, ends: Instant) -> Counted {
    // Rules name folders with links in their paths resolved.
    let resolved = memlens_files::canonical(folder).unwrap_or_else(|_| folder.to_owned());
    let of = |files: &[FoundFile]| counted(files, &resolved, searched);
    let stop = AtomicBool::new(false);
    let mut last = Counted::default();
    let walked = memlens_ingest::walk_with_progress(folder, &stop, &mut |files: &[FoundFile]| {
        if Instant::now() >= ends && !stop.swap(true, Ordering::Relaxed) {
            last = of(files);
        }
    });
    match walked {
        Ok(walked) => of(&walked.files),
        // Stopped, or the folder disappeared since, and there is nothing to count.
        Err(_) => Counted {
            is_partial: stop.into_inner(),
            ..last
        },
    }
}

fn counted(files: &[FoundFile], folder: &Path, searched: Option<&Searched>) -> Counted {
    let is_unsearched = |file: &&FoundFile| {
        searched.is_some_and(|it| {
            it.judge(&memlens_files::path_in(folder, &file.path))
                .is_err()
        })
    };
    Counted {
        n_notes: files.len() as u64,
        n_unsearched: files.iter().filter(is_unsearched).count() as u64,
        newest_ms: files.iter().map(|file| file.modified_ms).max(),
        is_partial: false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn scratch(files: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        for file in files {
            let path = dir.path().join(".hidden").join(file);
            fs::create_dir_all(path.parent().expect("it lies in a folder"))
                .expect("it can be made");
            fs::write(path, "note").expect("it can be written");
        }
        let folders = vec![dir.path().join(".hidden")];
        (dir, folders)
    }

    #[test]
    fn notes_are_counted_as_the_walk_would_read_them() {
        let (_dir, folders) = scratch(&["a.md", "b/c.MD", "b/d.txt", "e.jsonl", ".git/f.md", "g"]);
        let counted = count([(&folders[..], None), (&[], None)], LONG);
        assert_eq!((counted[0].n_notes, counted[0].is_partial), (4, false));
        assert!(counted[0].newest_ms.is_some());
        assert_eq!(counted[1], Counted::default());
    }

    #[test]
    fn a_count_that_was_stopped_says_so() {
        let (_dir, folders) = scratch(&["a.md", "b.md"]);
        let counted = count([(&folders[..], None)], Duration::ZERO);
        assert!(counted[0].is_partial);
        assert!(counted[0].n_notes < 2, "it stopped at once");
    }

    #[test]
    fn a_folder_that_went_has_no_notes() {
        let folders = [PathBuf::from("/nowhere/at/all")];
        assert_eq!(count([(&folders[..], None)], LONG), [Counted::default()]);
    }
}
