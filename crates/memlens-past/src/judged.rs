//! Which lines of a note an agent's use after a question marks as relevant.

use std::collections::BTreeSet;

use memlens_agents::{PastQuestion, Used};

use super::Past;
use super::places::{NotePlace, Places};

/// The lines of a note that an agent used after a question.
pub struct Judged {
    /// Place of the note in the library.
    pub place: NotePlace,
    /// First and last lines, 1-based; for a whole note those that were returned of it, empty if unknown.
    pub lines: Vec<(u32, u32)>,
    /// When it was used, milliseconds since 1970.
    pub at_ms: i64,
}

/// Why a use of a note does not mark lines as relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotJudged {
    /// The log has no time of use, so it is unknown whether the note was changed since.
    NoTime,
    /// The note in the library is unknown.
    NoNote,
    /// The note was changed since, so its lines may be different now.
    Changed,
}

impl Judged {
    /// Lines that a use marks as relevant; `member` is the agent of the program that asked, if known.
    ///
    /// # Errors
    /// [`NotJudged`] if it says nothing of the lines of a note as it is now.
    pub fn of(
        asked: &PastQuestion,
        member: Option<&str>,
        used: &Used,
        places: &Places,
    ) -> Result<Judged, NotJudged> {
        let at_ms = used.at_ms.or(asked.at_ms).ok_or(NotJudged::NoTime)?;
        let place = places
            .find(&asked.agent, member, &used.path)
            .map_err(|_| NotJudged::NoNote)?;
        if place.saved_ms > at_ms {
            return Err(NotJudged::Changed);
        }
        let lines = match used.lines {
            Some(lines) => vec![lines],
            None => {
                let returned = asked.returned.iter().flatten();
                let of_note = returned.filter(|it| it.path == used.path);
                of_note.filter_map(|it| it.lines).collect()
            }
        };
        Ok(Judged {
            place,
            lines,
            at_ms,
        })
    }
}

/// Notes that were opened or cited and do not count as relevant: each once, by agent and name.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    changed: BTreeSet<(String, String)>,
    no_note: BTreeSet<(String, String)>,
    no_lines: BTreeSet<(String, String)>,
}

impl LeftOut {
    /// The uses of a question that do not count.
    pub fn of(past: &Past, places: &Places) -> LeftOut {
        let asked = &past.asked;
        let mut left_out = LeftOut::default();
        for used in asked.opened.iter().chain(&asked.cited) {
            match Judged::of(asked, past.member.as_deref(), used, places) {
                Err(why) => left_out.add(asked, used, why),
                Ok(judged) if judged.lines.is_empty() => left_out.add_without_lines(asked, used),
                Ok(_) => {}
            }
        }
        left_out
    }

    /// Counts a use of a note that does not count as relevant.
    pub fn add(&mut self, asked: &PastQuestion, used: &Used, why: NotJudged) {
        let of_reason = match why {
            NotJudged::Changed => &mut self.changed,
            NotJudged::NoNote => &mut self.no_note,
            NotJudged::NoTime => &mut self.no_lines,
        };
        of_reason.insert((asked.agent.clone(), used.path.clone()));
    }

    /// Counts a use of a whole note for which the relevant lines are unknown.
    pub fn add_without_lines(&mut self, asked: &PastQuestion, used: &Used) {
        self.add(asked, used, NotJudged::NoTime);
    }

    /// Number of those left out for each reason, one sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |notes: &BTreeSet<_>, one: &str, many: &str| match notes.len() {
            0 => None,
            1 => Some(format!("1 opened or cited note {one}")),
            n => Some(format!("{n} opened or cited notes {many}")),
        };
        let all = [
            sentence(
                &self.changed,
                "was changed since and is not counted",
                "were changed since and are not counted",
            ),
            sentence(
                &self.no_note,
                "is not counted: it is gone, not watched, or one of several with its name",
                "are not counted: they are gone, not watched, or of several with the same name",
            ),
            sentence(
                &self.no_lines,
                "is not counted: the log does not say which of its lines were used, or when",
                "are not counted: the log does not say which of their lines were used, or when",
            ),
        ];
        all.into_iter().flatten().collect()
    }
}
