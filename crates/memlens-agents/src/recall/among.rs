//! Notes that a command names by a pattern: only those that its output shows were opened.
//!
//! A note counts as opened if the output names it in a header (`==> a.md <==`), or holds its text as it is on disk now. A note that
//! has changed since is not counted.
//!
//! Properties checked: nothing outside of the memory folder is read, no link is followed, and the work is bounded.

use std::fs;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use memlens_files::System;
use serde::{Deserialize, Serialize};

use super::Used;
use super::folders::{is_absolute, parts};

/// Maximum number of folders and files scanned for one command.
const ENTRIES_MAX: usize = 2_000;
const FILE_BYTES_MAX: u64 = 1 << 20;
const DEPTH_MAX: u32 = 8;

/// Minimum length of a text: a shorter one may occur in an output by chance.
const TEXT_MIN: usize = 16;

/// Notes below a folder, some of which a command read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Among {
    /// Absolute path, which contains no wildcards.
    pub folder: String,
    /// Wildcards over paths below the folder.
    pub pattern: String,
    /// First and last line that it shows of each; `None` for all.
    pub lines: Option<(u32, u32)>,
    /// Whether it shows some lines of each, and not which.
    pub is_part: bool,
    pub at_ms: Option<i64>,
}

/// The notes that the output of the command shows.
pub(super) fn opened(among: &Among, output: &str) -> Vec<Used> {
    opened_on(System::CURRENT, among, output)
}

fn opened_on(system: System, among: &Among, output: &str) -> Vec<Used> {
    let Ok(pattern) = GlobBuilder::new(&among.pattern)
        .literal_separator(true)
        .case_insensitive(system != System::Linux)
        .build()
    else {
        return Vec::new();
    };
    let pattern = pattern.compile_matcher();
    let used = |path: &str| Used {
        path: format!("{}/{path}", among.folder),
        lines: among.lines,
        at_ms: among.at_ms,
        is_part: among.is_part,
    };
    let folder = parts(system, &among.folder);
    let mut paths: Vec<String> = headers(output)
        .filter_map(|named| below(system, &folder, named, &pattern))
        .collect();
    // A shell of Windows ends lines in its own way, whatever the file does.
    let output = output.replace("\r\n", "\n");
    if !among.is_part {
        let mut n_entries = 0;
        visit(
            Path::new(&among.folder),
            "",
            DEPTH_MAX,
            &mut n_entries,
            &mut |path, text| {
                let is_new = !paths.iter().any(|known| known == path);
                if is_new && pattern.is_match(path) && shows(&output, text, among.lines) {
                    paths.push(path.to_owned());
                }
            },
        );
    }
    paths.iter().map(|path| used(path)).collect()
}

/// The names in the headers that `head` and `tail` print before each of several files.
fn headers(output: &str) -> impl Iterator<Item = &str> {
    let lines = output.lines();
    lines.filter_map(|line| line.strip_prefix("==> ")?.strip_suffix(" <=="))
}

/// The path below the folder that a name is of: an absolute one, or one relative to a folder above it or to itself.
fn below(system: System, folder: &[String], named: &str, pattern: &GlobMatcher) -> Option<String> {
    if named.split(['/', '\\']).any(|part| part == "..") {
        return None;
    }
    let must_be_whole = is_absolute(&system.plain_path(named));
    let named = parts(system, named);
    // The name may begin with the last parts of the folder: `memory/a.md`.
    let begins_with = |n: usize| {
        let end = &folder[folder.len() - n..];
        n <= named.len()
            && end
                .iter()
                .zip(&named)
                .all(|(one, other)| system.is_same_name(one, other))
    };
    let n_shared = match must_be_whole {
        true => Some(folder.len()).filter(|n| begins_with(*n))?,
        false => (1..=folder.len())
            .rev()
            .find(|n| begins_with(*n))
            .unwrap_or(0),
    };
    let inner = named[n_shared..].join("/");
    pattern.is_match(&inner).then_some(inner)
}

/// Whether an output holds the text of a note, or these lines of it.
fn shows(output: &str, text: &str, lines: Option<(u32, u32)>) -> bool {
    let part: String;
    let text = match lines {
        None => text,
        Some((first, last)) => {
            let n = last.saturating_sub(first) as usize;
            let lines = text.split_inclusive('\n').skip(first as usize - 1);
            part = lines.take(n.saturating_add(1)).collect();
            &part
        }
    };
    let text = text.replace("\r\n", "\n");
    let text = text.trim();
    text.len() >= TEXT_MIN && output.contains(text)
}

/// Visits the text files below a folder with their paths in it.
fn visit(
    folder: &Path,
    inner: &str,
    depth: u32,
    n_entries: &mut usize,
    visitor: &mut dyn FnMut(&str, &str),
) {
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let entries = is_folder.then(|| fs::read_dir(folder).ok()).flatten();
    for entry in entries.into_iter().flatten().flatten() {
        *n_entries += 1;
        if *n_entries > ENTRIES_MAX {
            return;
        }
        let name = entry.file_name();
        let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
            continue;
        };
        let path = if inner.is_empty() {
            name.to_owned()
        } else {
            format!("{inner}/{name}")
        };
        if kind.is_dir() && depth > 0 {
            visit(&entry.path(), &path, depth - 1, n_entries, visitor);
        } else if kind.is_file()
            && entry.metadata().is_ok_and(|it| it.len() <= FILE_BYTES_MAX)
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            visitor(&path, &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths_opened(
        pattern: &str,
        lines: Option<(u32, u32)>,
        is_part: bool,
        output: &str,
    ) -> Vec<String> {
        paths_opened_on(System::Linux, pattern, lines, is_part, output)
    }

    fn paths_opened_on(
        system: System,
        pattern: &str,
        lines: Option<(u32, u32)>,
        is_part: bool,
        output: &str,
    ) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let folder = dir.path().join("memory");
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        };
        write("a.md", "The pond pump is a Nautilus.\nIt hums.\n");
        write("b.md", "The koi are fed at eight.\n");
        write("deep/c.md", "The heron comes in March.\n");
        write("short.md", "Koi.\n");
        write("list.txt", "The carp lives in the barrel.\n");
        fs::write(
            dir.path().join("outside.md"),
            "Nobody may know this line.\n",
        )
        .unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.path().join("outside.md"), folder.join("link.md")).unwrap();
        let among = Among {
            folder: folder.to_string_lossy().into_owned(),
            pattern: pattern.to_owned(),
            lines,
            is_part,
            at_ms: None,
        };
        let mut paths: Vec<String> = opened_on(system, &among, output)
            .into_iter()
            .map(|used| used.path.replace(&among.folder, ""))
            .collect();
        paths.sort();
        paths
    }

    #[test]
    fn only_notes_that_the_output_shows_are_opened() {
        let all = "The pond pump is a Nautilus.\nIt hums.\nThe koi are fed at eight.\nThe heron comes in March.\nKoi.\nThe carp lives in the barrel.\nNobody may know this line.\n";
        for (pattern, output, expected) in [
            ("*.md", all, &["/a.md", "/b.md"][..]),
            ("**", all, &["/a.md", "/b.md", "/deep/c.md", "/list.txt"]),
            ("**/*.md", all, &["/a.md", "/b.md", "/deep/c.md"]),
            ("b*", all, &["/b.md"]),
            // A note of which a part is cut off is not known to be read.
            ("*.md", "The pond pump is a Nautilus.\n", &[]),
            ("*.md", "", &[]),
            ("[", all, &[]),
        ] {
            assert_eq!(
                paths_opened(pattern, None, false, output),
                expected,
                "{pattern}"
            );
        }
    }

    #[test]
    fn headers_name_notes() {
        let output = "==> memory/a.md <==\nThe pond pump is a Nautilus.\n\n==> memory/gone.md <==\nx\n\n==> ../b.md <==\n==> other/d.txt <==\n";
        assert_eq!(
            paths_opened("*.md", Some((1, 1)), false, output),
            ["/a.md", "/gone.md"]
        );
        assert_eq!(
            paths_opened("*.md", None, true, output),
            ["/a.md", "/gone.md"]
        );
        // Without headers by the lines that were asked for.
        let first = "The pond pump is a Nautilus.\n";
        assert_eq!(paths_opened("*.md", Some((1, 1)), false, first), ["/a.md"]);
        assert_eq!(paths_opened("*.md", None, true, first), [""; 0]);
    }

    #[test]
    fn a_header_names_a_note_as_its_system_spells_paths() {
        let folder = |system, path: &str| parts(system, path);
        let all = GlobBuilder::new("**/*.md")
            .build()
            .unwrap()
            .compile_matcher();
        for (system, memory, named, expected) in [
            (System::Linux, "/m/memory", "/m/memory/a.md", Some("a.md")),
            (System::Linux, "/m/memory", "/m/memory2/a.md", None),
            (System::Linux, "/m/memory", "/other/a.md", None),
            (System::Linux, "/m/memory", "/a.md", None),
            (
                System::Linux,
                "/m/memory",
                "Memory/a.md",
                Some("Memory/a.md"),
            ),
            (System::MacOs, "/m/memory", "Memory/a.md", Some("a.md")),
            (
                System::Windows,
                r"C:\m\memory",
                "/c/M/memory/x/a.md",
                Some("x/a.md"),
            ),
            (
                System::Windows,
                r"C:\m\memory",
                r"c:\m\Memory\a.md",
                Some("a.md"),
            ),
            (
                System::Windows,
                r"C:\m\memory",
                r".\memory\a.md",
                Some("a.md"),
            ),
            (System::Windows, r"C:\m\memory", r"D:\m\memory\a.md", None),
            (System::Windows, r"C:\m\memory", r"..\memory\a.md", None),
        ] {
            let found = below(system, &folder(system, memory), named, &all);
            assert_eq!(found.as_deref(), expected, "{system:?} {named}");
        }
    }

    #[test]
    fn other_ends_of_lines_are_the_same_text() {
        let crlf = "The pond pump is a Nautilus.\r\nIt hums.\r\n";
        assert_eq!(paths_opened("*.md", None, false, crlf), ["/a.md"]);
        assert_eq!(paths_opened("A.MD", None, false, crlf), [""; 0]);
        let on_windows = paths_opened_on(System::Windows, "A.MD", None, false, crlf);
        assert_eq!(on_windows, ["/a.md"]);
    }
}
