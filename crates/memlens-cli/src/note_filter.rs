//! The filters of a list of notes, as they are typed.

use std::path::{Path, PathBuf};

use memlens_engine::view::{CardId, NoteQuery, Overview};
use memlens_engine::{Folder, Library, WORDS_MAX, different_words, part_of_agent};

use crate::error::CliError;
use crate::settings::day;

/// The filters that need no text of a note to be checked.
pub struct NoteFilter<'a> {
    pub agent: Option<&'a str>,
    pub folder: Option<&'a str>,
    pub tag: Option<&'a str>,
    pub since: Option<&'a str>,
    pub until: Option<&'a str>,
    pub has_problem: bool,
    pub text: Option<&'a str>,
}

impl NoteFilter<'_> {
    /// Reads the filters.
    pub fn query(&self, library: &Library, card: Option<CardId>) -> Result<NoteQuery, CliError> {
        let (from, to) = (
            self.since.map(day).transpose()?,
            self.until.map(day).transpose()?,
        );
        if let (Some(since), Some(until)) = (from, to)
            && since > until
        {
            return Err(CliError::NoSpan {
                since: since.to_string(),
                until: until.to_string(),
            });
        }
        if let Some(agent) = self.agent {
            part_of_agent(library, agent)?;
        }
        let is_empty = |tag: &str| tag.trim().trim_start_matches('#').is_empty();
        if self.tag.is_some_and(is_empty) {
            return Err(CliError::NoTag);
        }
        let text = self.text.unwrap_or_default();
        let n = different_words(text).len();
        if n > WORDS_MAX {
            return Err(CliError::TooManyWords { n });
        }
        let folder = self.folder.map(|typed| folder_of(library, typed));
        Ok(NoteQuery {
            card,
            agent: self.agent.map(str::to_owned),
            folder: folder.transpose()?,
            tag: self.tag.map(str::to_owned),
            from: from.map(|day| day.to_string()),
            to: to.map(|day| day.to_string()),
            has_problem: self.has_problem,
            text: text.to_owned(),
            ..NoteQuery::default()
        })
    }
}

/// The name of a language that notes are in.
pub fn language_of(overview: &Overview, typed: &str) -> Result<String, CliError> {
    let languages = || overview.languages.iter().map(|it| &it.language);
    let is_named = |language: &&String| language.eq_ignore_ascii_case(typed.trim());
    languages().find(is_named).cloned().ok_or_else(|| {
        let known: Vec<&str> = languages().map(String::as_str).collect();
        CliError::NoLanguage {
            given: typed.to_owned(),
            known: match known.is_empty() {
                true => "no note's language is known".to_owned(),
                false => format!("the notes are in {}", known.join(", ")),
            },
        }
    })
}

/// The id of the watched folder with this name or path.
fn folder_of(library: &Library, typed: &str) -> Result<String, CliError> {
    let lists = library.lists();
    let folders = &lists.snapshot.folders;
    let absolute = std::path::absolute(typed).unwrap_or_else(|_| PathBuf::from(typed));
    let is_at = |folder: &&Folder| Path::new(&folder.path) == absolute;
    let is_named = |folder: &&Folder| folder.name == typed;
    let refused = |why: String| CliError::NoFolder {
        given: typed.to_owned(),
        why,
    };
    if let Some(folder) = folders.iter().find(is_at) {
        return Ok(folder.id.0.to_string());
    }
    let named: Vec<&Folder> = folders.iter().filter(is_named).collect();
    match named.as_slice() {
        [folder] => Ok(folder.id.0.to_string()),
        [] => {
            let names: Vec<&str> = folders.iter().map(|folder| folder.name.as_str()).collect();
            Err(refused(match names.is_empty() {
                true => "no folder is watched; add one with `memlens index`".to_owned(),
                false => format!("the watched folders are {}", names.join(", ")),
            }))
        }
        several => {
            let paths: Vec<&str> = several.iter().map(|folder| folder.path.as_str()).collect();
            Err(refused(format!(
                "several have this name; give one of the paths {}",
                paths.join(", ")
            )))
        }
    }
}
