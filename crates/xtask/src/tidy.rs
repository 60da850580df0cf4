//! The rules of the project that neither compiler nor lint holds.

mod dependencies;
mod layout;
mod markdown;
mod sources;

use std::fmt;

use crate::error::{Error, Result};
use crate::project::Project;

/// A place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    /// Path relative to the root.
    path: String,
    /// 1-based; `None` when the whole file or folder is meant.
    line: Option<usize>,
    /// What is wrong, and what would be right.
    rule: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, rule } = self;
        match line {
            Some(line) => write!(out, "{path}:{line}: {rule}"),
            None => write!(out, "{path}: {rule}"),
        }
    }
}

/// Prints every finding, by path and line, and fails if there is one.
pub fn tidy(project: &Project) -> Result<()> {
    let files = project.files()?;
    let mut findings = layout::check(project, &files)?;
    findings.extend(dependencies::check(project)?);
    findings.extend(sources::check(project, &files)?);
    findings.extend(markdown::check(project, &files)?);
    findings.sort();
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(Error::Untidy(findings.len()))
}
