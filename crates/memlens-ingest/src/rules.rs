//! Ignore rules: what `.gitignore` and `.ignore` files of a watched folder leave out.
//!
//! Each folder's files add to those of the folders around it, the innermost first; `.ignore` takes precedence over
//! `.gitignore`. They count with or without a git repository. Rules from above the watched folder and the user's global
//! ones do not count: nothing inside the folder would show why a note is missing, and some users keep their home in
//! git, ignoring everything.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};
use ignore::{Error, Match};

use crate::error::words;

/// Maximum total size in bytes of the rule files that apply in one folder, its own and those of the folders around it;
/// more than people write. Compiled rules take up to 700 times as much memory.
const RULES_BYTES_MAX: u64 = 64 * 1024;

/// Maximum number of reported faults per rule file; of the others only the number is reported.
const N_FAULTS_SHOWN: usize = 3;

/// Names of rule files, in order of precedence.
const RULE_FILES: [&str; 2] = [".ignore", ".gitignore"];

/// The rules that apply inside one folder; cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Rules(Option<Arc<Level>>);

/// The decision of the rules about one path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    None,
    /// Left out, by the pattern of a rule file (relative to the watched folder).
    Ignored {
        pattern: String,
        file: String,
    },
    /// Included by a pattern such as `!pattern`, even if it is hidden.
    Wanted,
}

/// The rules of one folder that has rule files.
struct Level {
    matchers: [Gitignore; RULE_FILES.len()],
    /// Size of these rule files and those around them.
    n_bytes: u64,
    outer: Rules,
}

impl Rules {
    /// Returns the rules inside `folder`, to which these rules apply, and the faults of its rule files as pairs of file
    /// name and reason. The valid lines of a faulty file count.
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

    /// Returns the decision about a path inside the folder of these rules.
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
    match file.strip_prefix(root) {
        Ok(inner) => {
            let names: Vec<_> = inner.iter().map(OsStr::to_string_lossy).collect();
            names.join("/")
        }
        Err(_) => file.display().to_string(),
    }
}

/// Parses a rule file if it is a regular file: a pipe would never end, and a link leads elsewhere. `n_bytes` is the
/// size of the files that apply around it; the file's own is added.
fn read(file: &Path, n_bytes: &mut u64) -> (Gitignore, Option<String>) {
    let metadata = match fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        // Usually the file is missing. In an unreadable folder there is nothing to apply it to.
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
                let shown_faults = faults(&fault);
                format!("some of its rules are not applied: {shown_faults}")
            }),
        ),
        Err(error) => (
            Gitignore::empty(),
            Some(format!("its rules are not applied: {}", faults(&error))),
        ),
    }
}

/// Returns the faults of a rule file, which are shown beside its path.
fn faults(error: &Error) -> String {
    if let Error::WithPath { err, .. } = error {
        return faults(err);
    }
    if let Error::Partial(errors) = error {
        let mut shown_faults: Vec<String> =
            errors.iter().take(N_FAULTS_SHOWN).map(faults).collect();
        if errors.len() > N_FAULTS_SHOWN {
            shown_faults.push(format!("and {} more", errors.len() - N_FAULTS_SHOWN));
        }
        return shown_faults.join("; ");
    }
    if let Error::WithLineNumber { line, err } = error {
        return format!("line {line}: {}", faults(err));
    }
    match error.io_error() {
        Some(error) => words(error),
        None => error.to_string(),
    }
}
