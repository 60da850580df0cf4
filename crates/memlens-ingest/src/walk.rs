//! Walking: which files of a watched folder are read.
//!
//! [`walk`] and [`judge`] weigh every entry by one function, so that a watcher that asks about single files ends with
//! the same library as a fresh walk.
//!
//! Properties checked: each rule by table; [`find`] agrees with [`walk`] on every path of a random tree; no link leads
//! out.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

use memlens_faults::{Place, strike};

use crate::document::Kind;
use crate::error::{IngestError, words};
use crate::rules::{Rules, Ruling};

/// Larger files are not read: 16 MiB.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// A file that is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Relative to the watched folder, separated by `/` on every system.
    pub path: String,
    /// Where to read it.
    pub absolute: PathBuf,
    /// In bytes, when it was found.
    pub size: u64,
    /// Milliseconds since 1970, negative before; 0 where the system keeps no time.
    pub modified_ms: i64,
    /// When its bytes, name or rights last changed, nanoseconds since 1970; 0 where the system keeps no such time.
    /// Nobody can set it, so it tells of changes that left size and modification time as they were.
    pub changed_ns: i64,
    /// How it is to be read.
    pub kind: Kind,
}

impl FoundFile {
    /// The watched folder.
    pub(crate) fn root(&self) -> &Path {
        let n_names = self.path.split('/').count();
        let mut around = self.absolute.ancestors();
        around
            .nth(n_names)
            .expect("a found file lies in its watched folder")
    }
}

/// Something that a person would expect to be read, and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    /// Relative to the watched folder, separated by `/`; with replacement characters where it is not UTF-8. Empty for
    /// the watched folder itself.
    pub path: String,
    /// In words for a person, lower case, without a full stop.
    pub reason: String,
    /// Whether it is a folder that could not be looked into, or not into all of it: what lies in it is not gone.
    pub is_closed: bool,
}

/// What a folder holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// Sorted by path, bytewise.
    pub files: Vec<FoundFile>,
    /// The folders that were looked into, relative to the watched one and separated by `/`, each after the one around
    /// it; first the watched folder itself, as an empty path.
    pub folders: Vec<String>,
    /// Sorted by path, then reason. Files of kinds that are never read, hidden ones and ignored ones are not listed.
    pub skipped: Vec<SkippedFile>,
}

/// What becomes of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is read.
    Read(FoundFile),
    /// A folder that is looked into.
    Folder,
    /// It is there and is not read, for this reason: of itself or of a folder around it.
    LeftOut {
        /// Relative to the watched folder: the path asked for, or the folder around it that is left out.
        path: String,
        /// In words for a person.
        reason: String,
    },
    /// Nothing is there.
    Gone,
}

/// Lists the files under `root` that are read.
///
/// Left out are: what `.ignore` and `.gitignore` files inside `root` name; hidden files and folders, unless such a file
/// asks for them (`!.notes/`) or it is `root` itself; links, wherever they lead; files of no [`Kind`]; files above
/// [`MAX_FILE_BYTES`]; names that are not UTF-8. What goes wrong below `root` is told in [`Walked::skipped`].
/// `cancel` is looked at for every entry.
///
/// Errors: when `root` is missing, is no folder or cannot be listed, and when cancelled.
pub fn walk(root: &Path, cancel: &AtomicBool) -> Result<Walked, IngestError> {
    walk_told(root, cancel, &mut |_| {})
}

/// Does the same, and tells with every entry how many files have been found so far.
///
/// Errors: as [`walk`].
pub fn walk_told(
    root: &Path,
    cancel: &AtomicBool,
    told: &mut dyn FnMut(usize),
) -> Result<Walked, IngestError> {
    check_root(root)?;
    strike(Place::Root, root, "").map_err(|source| IngestError::FolderUnreadable {
        path: root.to_owned(),
        source,
    })?;
    let mut walked = Walked::default();
    // Folders yet to be listed, with the rules that hold around them. No recursion: a tree may be deep.
    let mut folders = vec![(String::new(), Rules::default())];
    while let Some((folder, outer)) = folders.pop() {
        let absolute = join(root, &folder);
        let (rules, faults) = outer.inside(&absolute);
        walked
            .skipped
            .extend(faults.into_iter().map(|(name, reason)| SkippedFile {
                path: child(&folder, name),
                reason,
                is_closed: false,
            }));
        let mut skip = |path: String, reason: String, is_closed: bool| {
            walked.skipped.push(SkippedFile {
                path,
                reason,
                is_closed,
            });
        };
        let entries = match fs::read_dir(&absolute) {
            Ok(entries) => entries,
            Err(source) if folder.is_empty() => {
                return Err(IngestError::FolderUnreadable {
                    path: root.to_owned(),
                    source,
                });
            }
            // It went, or a file took its place, since it was listed.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                skip(
                    folder,
                    "cannot open this folder: its path is longer than this system allows"
                        .to_owned(),
                    true,
                );
                continue;
            }
            Err(error) => {
                skip(
                    folder,
                    format!("cannot open this folder: {}", words(&error)),
                    true,
                );
                continue;
            }
        };
        walked.folders.push(folder.clone());
        let mut unseen = None;
        for entry in entries {
            if cancel.load(Ordering::Relaxed) {
                return Err(IngestError::Cancelled {
                    path: root.to_owned(),
                });
            }
            told(walked.files.len());
            let entry =
                match entry.and_then(|entry| strike(Place::Walk, root, &folder).map(|()| entry)) {
                    Ok(entry) => entry,
                    Err(error) => {
                        unseen = Some(format!("cannot list all of this folder: {}", words(&error)));
                        break;
                    }
                };
            let name = entry.file_name();
            let path = child(&folder, &name.to_string_lossy());
            let weighed = entry
                .file_type()
                .map_or_else(Weighed::of_error, |file_type| {
                    weigh(root, &path, &entry.path(), &rules, file_type, || {
                        strike(Place::Entry, root, &path).and_then(|()| entry.metadata())
                    })
                });
            match weighed {
                Weighed::Read(file) => walked.files.push(file),
                Weighed::Folder => folders.push((path, rules.clone())),
                Weighed::Told(reason) => skip(path, reason, false),
                // Told once, for the folder: it is so for all that it holds.
                Weighed::Unseen(why) => {
                    unseen = Some(format!("cannot look at all of this folder: {why}"));
                }
                Weighed::Untold(_) | Weighed::Gone => {}
            }
        }
        if let Some(reason) = unseen {
            skip(folder, reason, true);
        }
    }
    walked.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walked
        .skipped
        .sort_unstable_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
    Ok(walked)
}

/// The file at `relative` (separated by `/`) if [`walk`] would list it.
///
/// None when the rules leave it out, when it is a folder, when it is gone, and when the path leads out of `root`.
/// Errors: when `root` is missing or is no folder.
pub fn find(root: &Path, relative: &str) -> Result<Option<FoundFile>, IngestError> {
    Ok(match judge(root, relative)? {
        Verdict::Read(file) => Some(file),
        Verdict::Folder | Verdict::LeftOut { .. } | Verdict::Gone => None,
    })
}

/// Says what becomes of the path `relative` (separated by `/`), by the rules of [`walk`], and why.
///
/// Errors: when `root` is missing or is no folder.
pub fn judge(root: &Path, relative: &str) -> Result<Verdict, IngestError> {
    check_root(root)?;
    let left_out = |path: &str, reason: String| Verdict::LeftOut {
        path: path.to_owned(),
        reason,
    };
    let is_inside =
        |name: &str| !matches!(name, "" | "." | "..") && Path::new(name).components().count() == 1;
    let mut rules = Rules::default();
    let mut folder = String::new();
    let mut names = relative.split('/').peekable();
    while let Some(name) = names.next() {
        if !is_inside(name) || !Path::new(name).is_relative() {
            return Ok(left_out(
                relative,
                "not a path inside the watched folder".to_owned(),
            ));
        }
        rules = rules.inside(&join(root, &folder)).0;
        let path = child(&folder, name);
        let absolute = join(root, &path);
        let weighed = fs::symlink_metadata(&absolute).map_or_else(Weighed::of_error, |metadata| {
            weigh(root, &path, &absolute, &rules, metadata.file_type(), || {
                strike(Place::Entry, root, &path).map(|()| metadata)
            })
        });
        match weighed {
            Weighed::Folder if names.peek().is_some() => folder = path,
            Weighed::Folder => return Ok(Verdict::Folder),
            Weighed::Read(_) if names.peek().is_some() => return Ok(Verdict::Gone),
            Weighed::Read(file) => return Ok(Verdict::Read(file)),
            Weighed::Told(reason) | Weighed::Untold(reason) => return Ok(left_out(&path, reason)),
            Weighed::Unseen(why) => {
                return Ok(left_out(&path, format!("cannot be looked at: {why}")));
            }
            Weighed::Gone => return Ok(Verdict::Gone),
        }
    }
    Ok(Verdict::Gone)
}

/// What becomes of one entry, its folder being looked into.
enum Weighed {
    Read(FoundFile),
    Folder,
    /// Left out, and a person should hear of it.
    Told(String),
    /// Left out as usual.
    Untold(String),
    /// It is there, and the system refuses to tell more of it, for this reason.
    Unseen(String),
    Gone,
}

impl Weighed {
    fn of_error(error: io::Error) -> Self {
        if matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ) {
            return Self::Gone;
        }
        Self::Unseen(words(&error))
    }
}

/// Weighs the entry `path` (at `absolute`) by the rules of its folder; `metadata`, which may not follow links, is asked
/// for only when it matters.
fn weigh(
    root: &Path,
    path: &str,
    absolute: &Path,
    rules: &Rules,
    file_type: FileType,
    metadata: impl FnOnce() -> io::Result<Metadata>,
) -> Weighed {
    let is_hidden = absolute
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    match rules.ruling(root, absolute, file_type.is_dir()) {
        Ruling::Ignored { pattern, file } => {
            return Weighed::Untold(format!("ignored by {pattern} in {file}"));
        }
        Ruling::None if is_hidden => return Weighed::Untold("hidden".to_owned()),
        Ruling::None | Ruling::Wanted => {}
    }
    let kind = Kind::of(absolute);
    if file_type.is_symlink() {
        // Only where following it would have led to something; a link to nothing is of no interest.
        let leads_to_notes = fs::metadata(absolute)
            .is_ok_and(|target| target.is_dir() || (target.is_file() && kind.is_some()));
        let reason = "a link; links are not followed".to_owned();
        return if leads_to_notes {
            Weighed::Told(reason)
        } else {
            Weighed::Untold(reason)
        };
    }
    let is_utf_8 = absolute
        .file_name()
        .is_some_and(|name| name.to_str().is_some());
    if file_type.is_dir() {
        return if is_utf_8 {
            Weighed::Folder
        } else {
            Weighed::Told("its name is not UTF-8".to_owned())
        };
    }
    let Some(kind) = kind else {
        return Weighed::Untold("not a kind of file that is read".to_owned());
    };
    if !file_type.is_file() {
        return Weighed::Told("not a regular file".to_owned());
    }
    if !is_utf_8 {
        return Weighed::Told("its name is not UTF-8".to_owned());
    }
    let metadata = match metadata() {
        Ok(metadata) => metadata,
        Err(error) => return Weighed::of_error(error),
    };
    if metadata.len() > MAX_FILE_BYTES {
        return Weighed::Told(IngestError::TooLarge.to_string());
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

fn check_root(root: &Path) -> Result<(), IngestError> {
    let path = || root.to_owned();
    match fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(IngestError::NotAFolder { path: path() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(IngestError::FolderMissing { path: path() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(IngestError::FolderMissing { path: path() })
        }
        Err(source) => Err(IngestError::FolderUnreadable {
            path: path(),
            source,
        }),
    }
}

fn child(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

fn join(root: &Path, relative: &str) -> PathBuf {
    if relative.is_empty() {
        root.to_owned()
    } else {
        root.join(relative)
    }
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
fn changed_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata
        .ctime()
        .saturating_mul(1_000_000_000)
        .saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_ns(_: &Metadata) -> i64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::fs::File;
    use tempfile::TempDir;

    /// Makes a folder: (path, content); a path that ends in `/` is a folder.
    fn tree(entries: &[(&str, &str)]) -> TempDir {
        let root = tempfile::Builder::new()
            .prefix("notes")
            .tempdir()
            .expect("a scratch folder");
        for (path, content) in entries {
            let absolute = root.path().join(path);
            if path.ends_with('/') {
                fs::create_dir_all(&absolute).expect("a folder");
            } else {
                fs::create_dir_all(absolute.parent().expect("a parent")).expect("a folder");
                fs::write(&absolute, content).expect("a file");
            }
        }
        root
    }

    fn walk_all(root: &Path) -> Walked {
        walk(root, &AtomicBool::new(false)).expect("a folder")
    }

    fn paths(walked: &Walked) -> Vec<&str> {
        walked.files.iter().map(|file| file.path.as_str()).collect()
    }

    fn skipped(walked: &Walked) -> Vec<(&str, &str)> {
        walked
            .skipped
            .iter()
            .map(|skipped| (skipped.path.as_str(), skipped.reason.as_str()))
            .collect()
    }

    fn check(entries: &[(&str, &str)], expected: &[&str]) {
        let root = tree(entries);
        let walked = walk_all(root.path());
        assert_eq!(paths(&walked), expected);
        assert_eq!(skipped(&walked), [], "{entries:?}");
        for (path, _) in entries {
            let found = find(root.path(), path.trim_end_matches('/')).expect("a folder");
            assert_eq!(
                found.as_ref(),
                walked.files.iter().find(|file| &file.path == path),
                "{path}"
            );
        }
    }

    #[test]
    fn kinds_and_order() {
        check(&[], &[]);
        check(&[("empty/", "")], &[]);
        check(
            &[
                ("b.md", ""),
                ("a/z.txt", ""),
                ("a.md", ""),
                ("a/b/c.jsonl", ""),
                ("x.png", ""),
                ("README", ""),
                ("B.MD", ""),
            ],
            &["B.MD", "a.md", "a/b/c.jsonl", "a/z.txt", "b.md"],
        );
        // Twins but for their case, where the system tells them apart.
        if !tree(&[("a.md", "")]).path().join("A.md").exists() {
            check(&[("a.md", ""), ("A.md", "")], &["A.md", "a.md"]);
        }
        check(
            &[
                ("Grüße 🌊\nעברית.md", ""),
                ("a\\b.md", ""),
                ("-x.md", ""),
                (" .md", ""),
            ],
            &[" .md", "-x.md", "Grüße 🌊\nעברית.md", "a\\b.md"],
        );
    }

    #[test]
    fn facts() {
        let root = tree(&[("a.md", "four")]);
        let modified = UNIX_EPOCH + std::time::Duration::from_millis(1_234_567);
        let file = File::options()
            .write(true)
            .open(root.path().join("a.md"))
            .expect("a file");
        file.set_modified(modified).expect("a time");
        let expected = FoundFile {
            path: "a.md".to_owned(),
            absolute: root.path().join("a.md"),
            size: 4,
            modified_ms: 1_234_567,
            changed_ns: changed_ns(&file.metadata().expect("it is there")),
            kind: Kind::Markdown,
        };
        assert_eq!(walk_all(root.path()).files, [expected]);
        file.set_modified(UNIX_EPOCH - std::time::Duration::from_millis(5))
            .expect("a time");
        assert_eq!(walk_all(root.path()).files[0].modified_ms, -5);
    }

    #[test]
    fn hidden_ones_are_left_out_unless_named() {
        check(
            &[
                (".a.md", ""),
                (".git/b.md", ""),
                ("x/.obsidian/c.md", ""),
                ("d.md", ""),
            ],
            &["d.md"],
        );
        check(
            &[
                (".gitignore", "!.notes/\n"),
                (".notes/a.md", ""),
                (".notes/.b.md", ""),
                (".other/c.md", ""),
            ],
            &[".notes/a.md"],
        );
        let root = tree(&[(".notes/a.md", "")]);
        assert_eq!(paths(&walk_all(&root.path().join(".notes"))), ["a.md"]);
    }

    #[test]
    fn ignore_files() {
        check(
            &[
                (".gitignore", "drafts/\n*.txt\n"),
                ("drafts/a.md", ""),
                ("b.txt", ""),
                ("x/c.txt", ""),
                ("x/drafts.md", ""),
            ],
            &["x/drafts.md"],
        );
        check(
            &[
                (".ignore", "a.md\n"),
                ("a.md", ""),
                ("x/a.md", ""),
                ("b.md", ""),
            ],
            &["b.md"],
        );
        check(
            &[
                ("x/.gitignore", "/a.md\n"),
                ("a.md", ""),
                ("x/a.md", ""),
                ("x/y/a.md", ""),
            ],
            &["a.md", "x/y/a.md"],
        );
        // The inner file goes first; `.ignore` goes before `.gitignore`.
        check(
            &[
                (".gitignore", "*.md\n"),
                ("x/.gitignore", "!a.md\n"),
                ("a.md", ""),
                ("x/a.md", ""),
                ("x/b.md", ""),
            ],
            &["x/a.md"],
        );
        check(
            &[
                (".ignore", "!a.md\n"),
                ("x/.gitignore", "*.md\n"),
                ("x/a.md", ""),
                ("x/b.md", ""),
            ],
            &["x/a.md"],
        );
        // What stands in an ignored folder cannot be asked back.
        check(&[(".gitignore", "x/\n!x/a.md\n"), ("x/a.md", "")], &[]);
    }

    #[test]
    fn rules_from_above_do_not_count() {
        let root = tree(&[
            (".gitignore", "*\n"),
            (".ignore", "*\n"),
            ("notes/a.md", ""),
        ]);
        assert_eq!(paths(&walk_all(&root.path().join("notes"))), ["a.md"]);
    }

    #[test]
    fn faulty_rules_are_told() {
        let root = tree(&[(".gitignore", "*.txt\na{b\n"), ("a.txt", ""), ("a.md", "")]);
        let walked = walk_all(root.path());
        assert_eq!(paths(&walked), ["a.md"]);
        assert_eq!(
            skipped(&walked),
            [(
                ".gitignore",
                "some of its rules are not applied: line 2: error parsing glob 'a{b': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
            )]
        );
        fs::write(root.path().join(".gitignore"), "a{b\n".repeat(1000)).expect("a file");
        let walked = walk_all(root.path());
        assert!(
            walked.skipped[0].reason.ends_with("; and 997 more"),
            "{:?}",
            walked.skipped
        );
        fs::write(
            root.path().join(".gitignore"),
            "a{b\n".repeat(16 * 1024 + 1),
        )
        .expect("a file");
        assert_eq!(
            skipped(&walk_all(root.path())),
            [(
                ".gitignore",
                "larger than 64 KiB; none of its rules are applied, so files that it names are read"
            )]
        );
    }

    #[test]
    fn all_ignore_files_of_a_path_have_one_limit() {
        let half = format!("*.txt\n{}\n", "#".repeat(40 * 1024));
        let root = tree(&[
            (".gitignore", &half),
            ("a.txt", ""),
            ("in/.gitignore", &half.replace("txt", "md")),
            ("in/a.md", ""),
            ("in/a.txt", ""),
            ("in/deep/.ignore", "*.org\n"),
            ("in/deep/a.org", ""),
            ("in/deep/a.md", ""),
        ]);
        let walked = walk_all(root.path());
        assert_eq!(paths(&walked), ["in/a.md", "in/deep/a.md"]);
        assert_eq!(
            skipped(&walked),
            [(
                "in/.gitignore",
                "larger than 64 KiB, with the ignore files around it; none of its rules are applied, so files that it names are read"
            )]
        );
    }

    #[test]
    fn large_files_are_left_out() {
        let root = tree(&[("a.md", ""), ("b.md", ""), ("c.png", "")]);
        for (name, size) in [
            ("a.md", MAX_FILE_BYTES),
            ("b.md", MAX_FILE_BYTES + 1),
            ("c.png", MAX_FILE_BYTES + 1),
        ] {
            File::create(root.path().join(name))
                .and_then(|file| file.set_len(size))
                .expect("a sparse file");
        }
        let walked = walk_all(root.path());
        assert_eq!(
            (paths(&walked), skipped(&walked)),
            (
                vec!["a.md"],
                vec![("b.md", "cannot read the document: it is larger than 16 MiB")]
            )
        );
        assert_eq!(
            read(&walked.files[0]).expect("a file").len() as u64,
            MAX_FILE_BYTES
        );
        File::options()
            .append(true)
            .open(root.path().join("a.md"))
            .and_then(|mut file| io::Write::write_all(&mut file, b"x"))
            .expect("it grows");
        assert!(matches!(read(&walked.files[0]), Err(IngestError::TooLarge)));
    }

    #[test]
    fn roots() {
        let root = tree(&[("a.md", "")]);
        let answers = |path: &str| {
            let path = root.path().join(path);
            let never = AtomicBool::new(false);
            [walk(&path, &never).map(drop), find(&path, "a.md").map(drop)].map(|answer| {
                answer
                    .expect_err("no folder")
                    .to_string()
                    .replace(&*path.to_string_lossy(), "F")
            })
        };
        assert_eq!(
            answers("missing"),
            ["cannot open folder F: it does not exist"; 2]
        );
        assert_eq!(
            answers("a.md"),
            ["cannot open folder F: it is not a folder"; 2]
        );
        assert_eq!(
            answers("a.md/x"),
            ["cannot open folder F: it does not exist"; 2]
        );
        let cancelled = walk(root.path(), &AtomicBool::new(true));
        assert!(
            matches!(cancelled, Err(IngestError::Cancelled { .. })),
            "{cancelled:?}"
        );
    }

    #[test]
    fn verdicts_say_why() {
        let root = tree(&[
            (".gitignore", "drafts/\n"),
            ("x/.ignore", "*.txt\n"),
            ("a.md", ""),
            ("drafts/a.md", ""),
            ("x/a.txt", ""),
            ("x/.h/a.md", ""),
            ("a.png", ""),
        ]);
        for (path, expected) in [
            (
                "drafts/a.md",
                Some(("drafts", "ignored by drafts/ in .gitignore")),
            ),
            (
                "x/a.txt",
                Some(("x/a.txt", "ignored by *.txt in x/.ignore")),
            ),
            ("x/.h/a.md", Some(("x/.h", "hidden"))),
            ("a.png", Some(("a.png", "not a kind of file that is read"))),
            ("missing.md", None),
            ("a.md/b.md", None),
            (
                "../a.md",
                Some(("../a.md", "not a path inside the watched folder")),
            ),
            (
                "x/../a.md",
                Some(("x/../a.md", "not a path inside the watched folder")),
            ),
            (
                "/a.md",
                Some(("/a.md", "not a path inside the watched folder")),
            ),
            (
                "./a.md",
                Some(("./a.md", "not a path inside the watched folder")),
            ),
            ("", Some(("", "not a path inside the watched folder"))),
            ("a.md/", None),
        ] {
            let expected = expected.map_or(Verdict::Gone, |(path, reason)| Verdict::LeftOut {
                path: path.to_owned(),
                reason: reason.to_owned(),
            });
            assert_eq!(
                judge(root.path(), path).expect("a folder"),
                expected,
                "{path}"
            );
        }
        assert_eq!(judge(root.path(), "x").expect("a folder"), Verdict::Folder);
        assert!(matches!(judge(root.path(), "a.md"), Ok(Verdict::Read(_))));
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::os::unix::net::UnixListener;
        use std::os::unix::process::CommandExt;
        use std::process::Command;

        #[test]
        fn links_are_not_followed() {
            let elsewhere = tree(&[("secret.md", ""), ("rules", "*.md\n")]);
            let root = tree(&[("a.md", ""), ("x/", "")]);
            let link = |target: &Path, name: &str| {
                symlink(target, root.path().join(name)).expect("a link")
            };
            link(elsewhere.path(), "folder");
            link(root.path(), "x/loop");
            link(&elsewhere.path().join("secret.md"), "secret.md");
            link(&root.path().join("a.md"), "b.md");
            link(Path::new("nowhere.md"), "dangling.md");
            link(&elsewhere.path().join("secret.md"), "secret.png");
            link(&elsewhere.path().join("rules"), ".gitignore");
            let walked = walk_all(root.path());
            assert_eq!(paths(&walked), ["a.md"]);
            let reason = "a link; links are not followed";
            assert_eq!(
                skipped(&walked),
                [
                    (".gitignore", "a link; its rules are not applied"),
                    ("b.md", reason),
                    ("folder", reason),
                    ("secret.md", reason),
                    ("x/loop", reason)
                ]
            );
            for path in [
                "folder/secret.md",
                "secret.md",
                "x/loop/a.md",
                "dangling.md",
            ] {
                assert_eq!(find(root.path(), path).expect("a folder"), None, "{path}");
            }
            // The watched folder itself may be a link.
            assert_eq!(paths(&walk_all(&root.path().join("x/loop"))), ["a.md"]);
        }

        #[test]
        fn special_files_are_never_opened() {
            let root = tree(&[("a.md", "x"), ("b.md", "x")]);
            let pipe = |name: &str| {
                let made = Command::new("mkfifo")
                    .arg(root.path().join(name))
                    .status()
                    .expect("mkfifo");
                assert!(made.success());
            };
            let walked = walk_all(root.path());
            for name in ["a.md", "b.md"] {
                fs::remove_file(root.path().join(name)).expect("removed");
            }
            pipe("a.md");
            pipe(".gitignore");
            pipe("other");
            let _socket = UnixListener::bind(root.path().join("b.md")).expect("a socket");
            // Opening the pipe would wait for a writer for ever.
            for file in &walked.files {
                assert!(matches!(read(file), Err(IngestError::NotAFile { .. })));
                assert_eq!(find(root.path(), &file.path).expect("a folder"), None);
            }
            let reason = "not a regular file";
            assert_eq!(
                skipped(&walk_all(root.path())),
                [("a.md", reason), ("b.md", reason)]
            );
        }

        #[test]
        fn names_that_are_not_utf_8() {
            let root = tree(&[("a.md", "")]);
            let at = |name: &[u8]| root.path().join(OsStr::from_bytes(name));
            fs::write(at(b"b\xFF.md"), "").expect("a file");
            fs::write(at(b"b\xFF.png"), "").expect("a file");
            fs::create_dir(at(b"c\xFF")).expect("a folder");
            fs::write(at(b"c\xFF/a.md"), "").expect("a file");
            let walked = walk_all(root.path());
            assert_eq!(paths(&walked), ["a.md"]);
            let reason = "its name is not UTF-8";
            assert_eq!(
                skipped(&walked),
                [("b\u{FFFD}.md", reason), ("c\u{FFFD}", reason)]
            );
        }

        #[test]
        fn deep_folders_end_where_the_system_ends() {
            // Their path is longer than any system takes, however many more there are.
            const N_LEVELS: usize = 2100;
            let root = tree(&[("a.md", ""), ("d/b.md", "")]);
            let inner = Path::new("d");
            nest(root.path(), inner, N_LEVELS);
            let walked = walk_all(root.path());
            let [SkippedFile { path, reason, .. }] = walked.skipped.as_slice() else {
                panic!("{:?}", walked.skipped)
            };
            assert_eq!(
                reason,
                "cannot open this folder: its path is longer than this system allows"
            );
            assert!(path.starts_with("d/d/d/") && path.len() > 1000, "{path}");
            assert_eq!(paths(&walked), ["a.md"], "the other is out of reach");
            assert!(find(root.path(), "a.md").is_ok_and(|found| found.is_some()));
            let deepest = format!("{}b.md", "d/".repeat(N_LEVELS));
            assert!(find(root.path(), &deepest).is_ok_and(|found| found.is_none()));
            unnest(root.path(), inner, N_LEVELS);
            assert_eq!(paths(&walk_all(root.path())), ["a.md", "d/b.md"]);
        }

        /// How many folders are nested at once; their path is never too long.
        const AT_ONCE: usize = 100;

        /// Puts the folder `inner` of `root` into itself, `n_levels` deep, by paths that are short enough for the system.
        fn nest(root: &Path, inner: &Path, n_levels: usize) {
            let chain: PathBuf = std::iter::repeat_n(inner, AT_ONCE).collect();
            for _ in 0..n_levels / AT_ONCE {
                fs::rename(root.join(inner), root.join("rest")).expect("renamed");
                fs::create_dir_all(root.join(&chain)).expect("folders");
                fs::rename(root.join("rest"), root.join(&chain).join(inner)).expect("renamed");
            }
        }

        /// Undoes [`nest`]: a tree so deep cannot be removed as a whole.
        fn unnest(root: &Path, inner: &Path, n_levels: usize) {
            let chain: PathBuf = std::iter::repeat_n(inner, AT_ONCE).collect();
            for _ in 0..n_levels / AT_ONCE {
                fs::rename(root.join(&chain).join(inner), root.join("rest")).expect("renamed");
                fs::remove_dir_all(root.join(inner)).expect("removed");
                fs::rename(root.join("rest"), root.join(inner)).expect("renamed");
            }
        }

        #[test]
        fn closed_folders_and_files_are_told() {
            let root = tree(&[("a.md", ""), ("b.md", ""), ("closed/c.md", "")]);
            let close = |name: &str, mode: u32| {
                let mode = fs::Permissions::from_mode(mode);
                fs::set_permissions(root.path().join(name), mode).expect("permissions");
            };
            close("b.md", 0o000);
            close("closed", 0o000);
            if fs::read_dir(root.path().join("closed")).is_ok() {
                return run_as_another_user("walk::tests::unix::closed_folders_and_files_are_told");
            }
            let walked = walk_all(root.path());
            let inside = find(root.path(), "closed/c.md");
            let file = read(&walked.files[1]);
            close("closed", 0o700);
            assert_eq!(paths(&walked), ["a.md", "b.md"]);
            assert_eq!(
                skipped(&walked),
                [("closed", "cannot open this folder: Permission denied")]
            );
            assert!(matches!(inside, Ok(None)), "{inside:?}");
            let message = file.expect_err("closed").to_string();
            assert_eq!(message, "cannot read this file: Permission denied");
            close("", 0o000);
            let closed = walk(root.path(), &AtomicBool::new(false));
            close("", 0o700);
            assert!(
                matches!(closed, Err(IngestError::FolderUnreadable { .. })),
                "{closed:?}"
            );
        }

        /// Runs a test of this binary as `nobody`: nothing is closed to the superuser.
        fn run_as_another_user(test: &str) {
            const NOBODY: u32 = 65534;
            let scratch = tree(&[("tmp/", "")]);
            let binary = scratch.path().join("tests");
            fs::copy(std::env::current_exe().expect("this binary"), &binary)
                .expect("a copy that others reach");
            for (path, mode) in [
                (scratch.path(), 0o755),
                (&scratch.path().join("tmp"), 0o777),
                (&binary, 0o755),
            ] {
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
            }
            let output = Command::new(&binary)
                .args(["--exact", test])
                .env("TMPDIR", scratch.path().join("tmp"))
                .current_dir(scratch.path())
                .uid(NOBODY)
                .gid(NOBODY)
                .output()
                .expect("the test runs as another user");
            let words = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && words.contains("1 passed"),
                "{words}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn single_answers_agree_with_the_walk(
            files in proptest::collection::btree_set("(\\.?[ab]/){0,3}(\\.?[abc]\\.(md|txt|png)|a)", 0..12),
            rules in proptest::collection::vec(("([ab]/){0,2}", "\\.(git)?ignore", "(!?/?(\\*|[ab]|\\.a|\\*\\*/b)(\\.md|\\.txt|/)?\n){0,3}"), 0..4),
        ) {
            let root = tempfile::tempdir().expect("a scratch folder");
            let mut made = BTreeSet::new();
            for file in files {
                let path = root.path().join(&file);
                // A name may be taken by a folder, or the other way round.
                if fs::create_dir_all(path.parent().expect("a parent")).is_ok() && fs::write(&path, "x").is_ok() {
                    made.insert(file);
                }
            }
            for (folder, name, content) in rules {
                let folder = root.path().join(folder);
                if fs::create_dir_all(&folder).is_ok() {
                    fs::write(folder.join(name), content).expect("a file");
                }
            }
            let walked = walk_all(root.path());
            for path in &made {
                let found = find(root.path(), path).expect("a folder");
                prop_assert_eq!(found.as_ref(), walked.files.iter().find(|file| &file.path == path));
            }
            prop_assert!(walked.files.iter().all(|file| made.contains(&file.path)));
            prop_assert!(walked.files.is_sorted_by(|a, b| a.path < b.path));

            // The library that the matchers come from walks to the same files.
            let mut builder = ignore::WalkBuilder::new(root.path());
            builder.require_git(false).parents(false).git_global(false).git_exclude(false);
            let theirs: BTreeSet<String> = builder
                .build()
                .map(|entry| entry.expect("readable"))
                .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()) && Kind::of(entry.path()).is_some())
                .map(|entry| entry.path().strip_prefix(root.path()).expect("inside").display().to_string())
                .collect();
            prop_assert_eq!(theirs, walked.files.iter().map(|file| file.path.clone()).collect::<BTreeSet<_>>());
        }
    }
}
