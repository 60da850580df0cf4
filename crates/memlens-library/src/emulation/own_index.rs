//! The index that an agent made of its notes itself, if it can replace our chunks and vectors.
//!
//! It is read from a copy, and again after its file changed. If its vectors are of another model than ours, only the model's
//! name is used.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memlens_agents::copied_database::{Stamp, stamp};
use memlens_agents::openclaw_databases;
use memlens_emulate::openclaw::{Edition, OwnIndex, is_same_model};
use memlens_emulate::{AgentNote, Program, Vectors};
use memlens_retrieve::Lists;
use memlens_store::{Folder, copies};
use memlens_wire::Emulated;

use crate::Library;
use crate::emulation::agent_notes::AgentNotes;

/// An agent's own databases with their stamps.
pub(crate) type OwnFiles = Vec<(PathBuf, Stamp)>;

const NOT_ALLOWED: &str = "its databases hold conversations too, and you have not agreed that logs are read (see Past questions, \
    or run `memlens recall import`)";

/// Whether an agent's own index can be used.
pub(crate) enum Own {
    /// There is none, or it is not of these notes.
    None,
    /// It exists and cannot be used, for this reason.
    Unusable(String),
    /// Its vectors are of another model, with this name.
    OtherModel(String),
    /// The index can be used.
    Usable(OwnMemory),
}

/// An index that can be used.
pub(crate) struct OwnMemory {
    /// Chunks and vectors of the index.
    pub index: Arc<OwnIndex>,
    /// Their vectors, in the order of the notes.
    pub vectors: Vectors,
    /// When its newest chunk was written.
    written_ms: i64,
    /// Number of notes that changed since or are new.
    n_changed: usize,
}

impl Library {
    /// Databases that may contain a program's own index of its notes; empty until the user has allowed reading logs,
    /// because they contain conversations too.
    pub fn own_files(&self, program: Program, folders: &[Folder]) -> OwnFiles {
        if !self.recall_choice().is_allowed {
            return Vec::new();
        }
        let stamped = |path: PathBuf| {
            let stamp = stamp(&path).ok()?;
            Some((path, stamp))
        };
        self.own_databases(program, folders)
            .into_iter()
            .filter_map(stamped)
            .collect()
    }

    /// Why a program's own index is not read though there may be one; `None` if it is read, or there is none.
    pub fn why_unread(&self, program: Program, folders: &[Folder]) -> Option<String> {
        let is_unread =
            !self.recall_choice().is_allowed && !self.own_databases(program, folders).is_empty();
        is_unread.then(|| NOT_ALLOWED.to_owned())
    }

    fn own_databases(&self, program: Program, folders: &[Folder]) -> Vec<PathBuf> {
        let is_own = |folder: &Folder| folder.agent.as_deref() == Some(program.agent());
        let has_index = program == Program::OpenClaw(Edition::V2026_8);
        let Some(home) = self
            .home
            .as_ref()
            .filter(|_| has_index && folders.iter().any(is_own))
        else {
            return Vec::new();
        };
        openclaw_databases(home)
    }

    /// Whether the agent's own index of these notes can be used. With `member`, the index of that agent alone.
    pub(crate) fn own_index(
        &self,
        program: Program,
        files: &OwnFiles,
        member: Option<&str>,
        notes: &AgentNotes,
        lists: &Lists,
    ) -> Own {
        let AgentNotes {
            notes,
            is_one_index,
            ..
        } = notes;
        let mut unreadable = self.why_unread(program, &lists.snapshot.folders);
        let mut best: Option<(usize, SystemTime, Arc<OwnIndex>)> = None;
        let is_of_member = |path: &Path| {
            let of_path = memlens_agents::openclaw_member(path);
            member.is_none() || of_path.is_none() || of_path.as_deref() == member
        };
        for (path, stamp) in files.iter().filter(|(path, _)| is_of_member(path)) {
            match self.read_own(path, stamp) {
                Err(why) => unreadable = Some(why),
                Ok(index) => {
                    let n_held = index.n_held(notes);
                    let is_better = best.as_ref().is_none_or(|(most, ..)| n_held > *most);
                    if n_held > 0 && is_better {
                        let moved = stamp.iter().flatten().map(|(_, at)| *at).max();
                        best = Some((n_held, moved.unwrap_or(SystemTime::UNIX_EPOCH), index));
                    }
                }
            }
        }
        match (best, unreadable) {
            (Some(_), _) if !is_one_index => Own::Unusable(
                "several of its workspaces are watched, and each has an index of its own"
                    .to_owned(),
            ),
            (Some((_, moved, index)), _) => usable(index, moved, notes, lists),
            (None, Some(why)) => Own::Unusable(why),
            (None, None) => Own::None,
        }
    }

    /// An index as read after the last change of its file.
    pub fn read_own(&self, path: &PathBuf, stamp: &Stamp) -> Result<Arc<OwnIndex>, String> {
        let mut kept = self.emulations.own.lock();
        if let Some((at, read)) = kept.get(path)
            && at == stamp
        {
            return read.clone();
        }
        let read = OwnIndex::read(path, &copies(self.dir())).map(Arc::new);
        kept.insert(path.clone(), (*stamp, read.clone()));
        read
    }
}

fn usable(index: Arc<OwnIndex>, moved: SystemTime, notes: &[AgentNote], lists: &Lists) -> Own {
    let ours = lists.vectors.model();
    let is_empty = |chunk: &memlens_emulate::openclaw::OwnChunk| chunk.vector.is_empty();
    if index.chunks.values().flatten().all(is_empty) {
        return Own::Unusable(
            "its chunks have no vectors, so it searches by words alone".to_owned(),
        );
    }
    let mut models = index.models.iter();
    let (Some(model), None) = (models.next(), models.next()) else {
        return Own::Unusable("several models embedded its chunks".to_owned());
    };
    if !is_same_model(ours, model) {
        return Own::OtherModel(memlens_params::brief(model).into_owned());
    }
    let vectors = match index.vectors(notes, lists.vectors.dim().max(1)) {
        Ok(vectors) => vectors,
        Err(why) => return Own::Unusable(why),
    };
    let moved_ms = Timestamp::try_from(moved).map_or(0, Timestamp::as_millisecond);
    let written = |path: &str| {
        let chunks = index.chunks.get(path)?;
        chunks
            .iter()
            .map(|it| it.written_ms.unwrap_or(moved_ms))
            .max()
    };
    let is_changed =
        |note: &&AgentNote| written(&note.path).is_none_or(|written| note.modified_ms > written);
    let n_changed = notes.iter().filter(is_changed).count();
    let written_ms = notes.iter().filter_map(|note| written(&note.path)).max();
    Own::Usable(OwnMemory {
        vectors,
        written_ms: written_ms.unwrap_or(moved_ms),
        n_changed,
        index,
    })
}

impl Own {
    /// How closely the memory matches the agent's; `ours` is the library's model.
    pub(crate) fn to_view(&self, ours: &str) -> Emulated {
        // The checksum means nothing to the user.
        let ours = ours.split('@').next().unwrap_or(ours);
        let other = |why: String, why_inexact: String| Emulated {
            label: "other model: order is approximate".to_owned(),
            why,
            member: None,
            why_inexact: Some(why_inexact),
        };
        let stands_in =
            "Its own embedding model may be another, so scores and order are approximate.";
        match self {
            Own::None => other(
                stands_in.to_owned(),
                "its own index and embedding model are not known here".to_owned(),
            ),
            Own::Unusable(why) => other(
                format!("OpenClaw's own index cannot be used: {why}. {stands_in}"),
                format!("OpenClaw's own index cannot be used: {why}"),
            ),
            Own::OtherModel(model) => Emulated {
                label: format!("OpenClaw embeds with {model}: order is approximate"),
                why: format!(
                    "OpenClaw embeds with {model}, for which {ours} stands in here, so scores and order are approximate."
                ),
                member: None,
                why_inexact: Some(format!(
                    "OpenClaw embeds with {model}, and Memlens with {ours}"
                )),
            },
            Own::Usable(own) => {
                let date = date(own.written_ms);
                let n_chunks = own.vectors.len();
                let since = match own.n_changed {
                    0 => String::new(),
                    1 => "; 1 note changed since".to_owned(),
                    n => format!("; {n} notes changed since"),
                };
                Emulated {
                    label: format!(
                        "OpenClaw's own index of {date}, {}{since}",
                        counted(n_chunks)
                    ),
                    why: format!(
                        "Its texts and vectors are those of OpenClaw's own index of {date}, {}{since}; the question is embedded by {ours}.",
                        counted(n_chunks)
                    ),
                    member: None,
                    why_inexact: match own.n_changed {
                        0 => None,
                        1 => Some(format!(
                            "1 note changed since OpenClaw's own index of {date}"
                        )),
                        n => Some(format!(
                            "{n} notes changed since OpenClaw's own index of {date}"
                        )),
                    },
                }
            }
        }
    }
}

fn counted(n_chunks: usize) -> String {
    match n_chunks {
        1 => "1 chunk".to_owned(),
        n => format!("{} chunks", grouped(n)),
    }
}

/// Writes a number as the window does: "3,750".
pub(super) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The day of a time in the user's time zone.
pub fn date(ms: i64) -> String {
    let moment = Timestamp::from_millisecond(ms).unwrap_or(Timestamp::UNIX_EPOCH);
    moment.to_zoned(TimeZone::system()).date().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_as_in_the_window() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1_977, "1,977"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(n), text);
        }
    }
}
