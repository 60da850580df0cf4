//! Hidden files and folders that may be notes and are not read, in all watched folders.

use std::path::{Path, PathBuf};

use memlens_files::path_in;
use memlens_ingest::hidden_below;
use memlens_wire::{HiddenEntry, HiddenNotes};

use crate::Library;

/// Maximum number of entries listed.
const ENTRIES_MAX: usize = 200;

/// How many entries the sentence names.
const NAMED_MAX: usize = 3;

/// Looks through all watched folders, as they are on disk now. What is watched by itself is read, and is left out, and so is
/// a folder around it. A watched folder that is gone has nothing.
pub fn hidden_notes(library: &Library) -> HiddenNotes {
    let lists = library.lists();
    let folders = &lists.snapshot.folders;
    let is_around_watched = |path: &Path| {
        folders
            .iter()
            .any(|it| Path::new(&it.path).starts_with(path))
    };
    // One watched folder may be in another.
    let mut known: Vec<PathBuf> = Vec::new();
    let mut found = Vec::new();
    for folder in folders.iter() {
        let root = Path::new(&folder.path);
        for entry in hidden_below(root).unwrap_or_default() {
            let absolute = path_in(root, &entry.path);
            if is_around_watched(&absolute) || known.contains(&absolute) {
                continue;
            }
            known.push(absolute);
            found.push(HiddenEntry {
                folder_name: folder.name.clone(),
                path: entry.path,
                is_folder: entry.is_folder,
                reason: entry.reason.map(|it| it.to_string()).unwrap_or_default(),
            });
        }
    }
    let n_folders = found.iter().filter(|entry| entry.is_folder).count();
    let n_files = found.len() - n_folders;
    let sentence = sentence(n_folders, n_files, &found);
    found.truncate(ENTRIES_MAX);
    HiddenNotes {
        n_folders: n_folders as u32,
        n_files: n_files as u32,
        sentence,
        entries: found,
    }
}

fn sentence(n_folders: usize, n_files: usize, found: &[HiddenEntry]) -> String {
    let counted = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let of_folders = counted(
        n_folders,
        "hidden folder with notes",
        "hidden folders with notes",
    );
    let of_files = counted(n_files, "hidden note", "hidden notes");
    let counts: Vec<String> = of_folders.into_iter().chain(of_files).collect();
    if counts.is_empty() {
        return String::new();
    }
    let are = if found.len() == 1 { "is" } else { "are" };
    let named = found.iter().take(NAMED_MAX);
    let named: Vec<&str> = named.map(|entry| entry.path.as_str()).collect();
    let n_more = found.len() - named.len();
    let more = counted(n_more, "more", "more").map_or(String::new(), |more| format!(" and {more}"));
    format!(
        "{} {are} not read: {}{more}",
        counts.join(" and "),
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_counts_and_names_a_few() {
        let said = |paths: &[&str]| {
            let entry = |path: &&str| HiddenEntry {
                folder_name: String::new(),
                path: (*path).to_owned(),
                is_folder: !path.ends_with(".md"),
                reason: String::new(),
            };
            let found: Vec<HiddenEntry> = paths.iter().map(entry).collect();
            let n_folders = found.iter().filter(|entry| entry.is_folder).count();
            sentence(n_folders, found.len() - n_folders, &found)
        };
        for (paths, expected) in [
            (&[][..], ""),
            (&[".a"], "1 hidden folder with notes is not read: .a"),
            (&[".a.md"], "1 hidden note is not read: .a.md"),
            (
                &[".a", ".b", ".c", ".d", "e/.f.md"],
                "4 hidden folders with notes and 1 hidden note are not read: .a, .b, .c and 2 more",
            ),
        ] {
            assert_eq!(said(paths), expected);
        }
    }
}
