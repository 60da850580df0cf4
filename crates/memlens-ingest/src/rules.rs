//! Ignore rules: what `.gitignore` and `.ignore` files of a watched folder leave out.
//!
//! Each folder's files add to those of the folders around it, the innermost first; `.ignore` goes before `.gitignore`.
//! They count whether or not there is a git repository; rules from above the watched folder and a person's global ones
//! do not: nothing inside the folder would tell why a note is missing (and some keep their home in git, ignoring all).

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};
use ignore::{Error, Match};

use crate::error::words;

/// How many bytes the rule files that hold in one folder may have together, its own and those of the folders around it:
/// more than people write. Ready to be asked, rules take up to 700 times as much memory.
const RULES_BYTES_MAX: u64 = 64 * 1024;

/// So many faults of a rule file are told; of the rest only the number.
const FAULTS_TOLD: usize = 3;

/// In the order in which they are asked.
const RULE_FILES: [&str; 2] = [".ignore", ".gitignore"];

/// The rules that hold inside one folder; cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Rules(Option<Arc<Level>>);

/// What the rules say about one path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// No rule matches.
    None,
    /// Left out, by the pattern of a rule file (relative to the watched folder).
    Ignored { pattern: String, file: String },
    /// Wanted by name, as by `!pattern`: even if it is hidden.
    Wanted,
}

/// The rules of one folder that has some.
struct Level {
    matchers: [Gitignore; RULE_FILES.len()],
    /// Of these rule files and those around them.
    n_bytes: u64,
    outer: Rules,
}

impl Rules {
    /// The rules inside `folder`, a folder that these rules apply to, and what is wrong with its rule files:
    /// pairs of file name and reason. What can be understood of a faulty file counts.
    pub(crate) fn inside(&self, folder: &Path) -> (Self, Vec<(&'static str, String)>) {
        let mut faults = Vec::new();
        let mut n_bytes = self.0.as_deref().map_or(0, |level| level.n_bytes);
        let matchers = RULE_FILES.map(|name| {
            let (matcher, fault) = read(&folder.join(name), &mut n_bytes);
            faults.extend(fault.map(|fault| (name, fault)));
            matcher
        });
        if matchers.iter().all(Gitignore::is_empty) {
            return (self.clone(), faults);
        }
        (
            Self(Some(Arc::new(Level {
                matchers,
                n_bytes,
                outer: self.clone(),
            }))),
            faults,
        )
    }

    /// Asks the rules about a path inside the folder that they are for.
    pub(crate) fn ruling(&self, root: &Path, path: &Path, is_folder: bool) -> Ruling {
        for idx in 0..RULE_FILES.len() {
            let mut level = self.0.as_deref();
            while let Some(Level {
                matchers,
                n_bytes: _,
                outer,
            }) = level
            {
                match matchers[idx].matched(path, is_folder) {
                    Match::None => level = outer.0.as_deref(),
                    Match::Ignore(glob) => {
                        return Ruling::Ignored {
                            pattern: glob.original().to_owned(),
                            file: file_of(root, glob),
                        };
                    }
                    Match::Whitelist(_) => return Ruling::Wanted,
                }
            }
        }
        Ruling::None
    }
}

fn file_of(root: &Path, glob: &Glob) -> String {
    let file = glob.from().unwrap_or(root);
    file.strip_prefix(root)
        .unwrap_or(file)
        .display()
        .to_string()
}

/// Reads a rule file; only a regular one, since a pipe would never end and a link leads elsewhere. `n_bytes` are of those
/// that hold around it, and then with it.
fn read(file: &Path, n_bytes: &mut u64) -> (Gitignore, Option<String>) {
    let metadata = match fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        // Mostly there is none; in an unreadable folder there is nothing to apply it to.
        Err(_) => return (Gitignore::empty(), None),
    };
    if metadata.file_type().is_symlink() {
        return (
            Gitignore::empty(),
            Some("a link; its rules are not applied".to_owned()),
        );
    }
    if !metadata.is_file() {
        return (Gitignore::empty(), None);
    }
    if *n_bytes + metadata.len() > RULES_BYTES_MAX {
        let around = match metadata.len() {
            own if own > RULES_BYTES_MAX => "",
            _ => ", with the ignore files around it",
        };
        return (
            Gitignore::empty(),
            Some(format!(
                "larger than {} KiB{around}; none of its rules are applied, so files that it names are read",
                RULES_BYTES_MAX >> 10
            )),
        );
    }
    *n_bytes += metadata.len();
    let mut builder = GitignoreBuilder::new(file.parent().unwrap_or(Path::new("")));
    let fault = builder.add(file);
    match builder.build() {
        Ok(matcher) => (
            matcher,
            fault.map(|fault| {
                let told = faults(&fault);
                format!("some of its rules are not applied: {told}")
            }),
        ),
        Err(error) => (
            Gitignore::empty(),
            Some(format!("its rules are not applied: {}", faults(&error))),
        ),
    }
}

/// What is wrong with a rule file, which is told beside its path.
fn faults(error: &Error) -> String {
    if let Error::WithPath { err, .. } = error {
        return faults(err);
    }
    if let Error::Partial(errors) = error {
        let mut told: Vec<String> = errors.iter().take(FAULTS_TOLD).map(faults).collect();
        if errors.len() > FAULTS_TOLD {
            told.push(format!("and {} more", errors.len() - FAULTS_TOLD));
        }
        return told.join("; ");
    }
    if let Error::WithLineNumber { line, err } = error {
        return format!("line {line}: {}", faults(err));
    }
    match error.io_error() {
        Some(error) => words(error),
        None => error.to_string(),
    }
}
