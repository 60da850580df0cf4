//! Finds past questions that lose a note when notes change.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use memlens_emulate::Program;
use memlens_library::notes::note_names::NoteNames;
use memlens_library::{EngineError, Library, Ranking};
use memlens_store::{FolderId, Snapshot};
use memlens_wire::{LostAnswer, LostAnswers, LostNote};

use super::own::OwnPipelines;
use super::replay::answered;
use super::{Era, Past};
use crate::vectors::{keep_vector, take_up_vectors};
use crate::worked_out::worked_out;

/// Number of the newest questions that are checked.
const QUESTIONS_CHECKED: u32 = 200;
/// Maximum number of questions listed per note.
const QUESTIONS_NAMED: usize = 20;

/// A note by its folder and path.
type Note = (FolderId, String);
/// A question by its asker and its text: two with the same are one question.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Asked {
    agent: String,
    /// The agent of OpenClaw that asked: each searches its own workspace.
    member: Option<String>,
    question: String,
}

impl Asked {
    fn of(past: &Past) -> Asked {
        Asked {
            agent: past.asked.agent.clone(),
            member: past.member.clone(),
            question: past.asked.question.clone(),
        }
    }
}

/// Results of past questions at one generation.
pub struct Checked {
    generation: u64,
    era: Era,
    found: HashMap<Asked, Found>,
    /// The folders that were watched.
    folders: HashSet<FolderId>,
    /// Content hash of each note: a note with only a new mtime is unchanged.
    hashes: HashMap<Note, [u8; 32]>,
    names: NoteNames,
}

#[derive(Clone)]
struct Found {
    id: i64,
    ranking: Ranking,
    /// The best rank of each note, 1-based.
    notes: BTreeMap<Note, u32>,
}

impl Found {
    /// Whether it was ranked by the same pipeline with the same values, so that what differs comes from the notes.
    fn is_comparable(&self, other: &Found) -> bool {
        self.is_ranked_by(&other.ranking)
    }

    fn is_ranked_by(&self, ranking: &Ranking) -> bool {
        self.ranking.pipeline.id() == ranking.pipeline.id() && self.ranking.values == ranking.values
    }
}

/// Answers that an edit lost.
#[derive(Debug, Clone)]
pub struct Lost {
    /// As the window shows them.
    pub answers: LostAnswers,
    /// The watched folder of each note of `answers`.
    pub folders: Vec<FolderId>,
}

impl Checked {
    /// Era in which the check began.
    pub fn era(&self) -> Era {
        self.era
    }

    /// Losses of past questions since an earlier check, if notes were edited in between; `None` if there are none.
    pub fn lost_since(&self, before: &Checked) -> Option<Lost> {
        let edited = self.edited_since(before);
        if edited.is_empty() {
            // Memory ages, the agent has another version, or a folder came or went: no note was edited.
            return None;
        }
        let is_watched = |note: &Note| self.folders.contains(&note.0);
        let mut asked: Vec<(&Asked, &Found)> = self.found.iter().collect();
        asked.sort_by_key(|(_, found)| Reverse(found.id));
        let mut lost: BTreeMap<&Note, Vec<LostAnswer>> = BTreeMap::new();
        let mut ranked_by = BTreeSet::new();
        for (asked, now) in asked {
            let was = before.found.get(asked);
            let Some(was) = was.filter(|was| was.is_comparable(now)) else {
                continue;
            };
            for (note, rank) in &was.notes {
                if is_watched(note) && !now.notes.contains_key(note) {
                    ranked_by.insert(ranked_words(&now.ranking));
                    lost.entry(note).or_default().push(LostAnswer {
                        id: now.id.to_string(),
                        question: asked.question.clone(),
                        was: *rank,
                        is: None,
                    });
                }
            }
        }
        if lost.is_empty() {
            return None;
        }
        let mut notes: Vec<(FolderId, LostNote)> = lost
            .into_iter()
            .map(|((folder, path), mut questions)| {
                let n_answers = questions.len() as u32;
                questions.truncate(QUESTIONS_NAMED);
                let note = LostNote {
                    folder: folder.0.to_string(),
                    name: self.names.name(*folder, path),
                    path: path.clone(),
                    n_answers,
                    questions,
                };
                (*folder, note)
            })
            .collect();
        // Notes with most lost answers first.
        notes.sort_by(|(_, a), (_, b)| (b.n_answers, &a.name).cmp(&(a.n_answers, &b.name)));
        let (folders, notes): (Vec<FolderId>, Vec<LostNote>) = notes.into_iter().unzip();
        let answers = LostAnswers {
            at_ms: memlens_library::clock::now().as_millisecond() as f64,
            sentence: sentence(&edited, &notes, &ranked_by),
            edited,
            notes,
        };
        Some(Lost { answers, folders })
    }

    /// The names of notes that were added, changed or removed, in folders that were watched both times.
    fn edited_since(&self, before: &Checked) -> Vec<String> {
        let all: BTreeSet<&Note> = before.hashes.keys().chain(self.hashes.keys()).collect();
        let is_edited = |note: &&Note| {
            self.folders.contains(&note.0)
                && before.folders.contains(&note.0)
                && before.hashes.get(*note) != self.hashes.get(*note)
        };
        let edited = all.into_iter().filter(is_edited);
        edited
            .map(|(folder, path)| self.names.name(*folder, path))
            .collect()
    }
}

/// Ranks the newest past questions, each by its agent's own pipeline; if no note changed since `before`, only those
/// that it does not contain. `None` if `goes_on`, which is called before each question, returns false, if nothing
/// is new, or if notes change meanwhile: that change is reported too, and checked then.
///
/// A question that cannot be asked is skipped.
///
/// # Errors
/// As [`Library::search_as`], if no question can be asked.
pub fn check_past(
    library: &Library,
    before: Option<&Checked>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Checked>, EngineError> {
    let lists = library.lists();
    let generation = lists.snapshot.generation;
    let era = worked_out(library).era();
    let own = OwnPipelines::of(library);
    let asked = crate::newest(library, QUESTIONS_CHECKED)?;
    let of_now = before.filter(|it| it.generation == generation && it.era == era);
    // After a change of an agent's config its questions are asked again.
    let is_current = |past: &Past, found: &Found| found.is_ranked_by(&own.ranking(&past.asked));
    let (mut found, to_ask) = planned(asked, of_now, is_current);
    if of_now.is_some() && to_ask.is_empty() {
        return Ok(None);
    }
    take_up_vectors(library, to_ask.iter().map(|(_, past)| past));
    let mut failed = None;
    let mut in_turn = library.in_turn(&to_ask, |(_, past)| own.of_library(&past.asked));
    for _ in 0..to_ask.len() {
        // Checked before the next questions are prepared, which takes CPU time too.
        if !goes_on() || worked_out(library).era() != era {
            return Ok(None);
        }
        let Some((key, past)) = in_turn.next() else {
            break;
        };
        let ranking = own.ranking(&past.asked);
        match notes_found(library, past, &ranking, era) {
            Ok(notes) => {
                let id = past.id;
                found.insert(key.clone(), Found { id, ranking, notes });
            }
            Err(error) => {
                tracing::debug!(%error, "a past question cannot be asked again");
                failed = Some(error);
            }
        }
    }
    match failed {
        Some(error) if found.is_empty() => return Err(error),
        _ if library.lists().snapshot.generation != generation => return Ok(None),
        _ => {}
    }
    let snapshot = &lists.snapshot;
    Ok(Some(Checked {
        generation,
        era,
        found,
        folders: snapshot.folders.iter().map(|folder| folder.id).collect(),
        hashes: hashes(snapshot),
        names: NoteNames::of(&snapshot.folders),
    }))
}

fn notes_found(
    library: &Library,
    past: &Past,
    ranking: &Ranking,
    era: Era,
) -> Result<BTreeMap<Note, u32>, EngineError> {
    let search = crate::search_past(library, past, ranking)?;
    keep_vector(library, &search, era);
    let mut notes = BTreeMap::new();
    for (rank, span) in (1..).zip(answered(&search, &past.asked, ranking)?) {
        notes
            .entry((FolderId(span.folder), span.path))
            .or_insert(rank);
    }
    Ok(notes)
}

/// Results already known for these questions, and the questions that must be asked.
fn planned(
    asked: Vec<Past>,
    of_now: Option<&Checked>,
    is_current: impl Fn(&Past, &Found) -> bool,
) -> (HashMap<Asked, Found>, Vec<(Asked, Past)>) {
    let mut found = HashMap::with_capacity(asked.len());
    let mut to_ask = Vec::new();
    for past in asked {
        let key = Asked::of(&past);
        let known = of_now.and_then(|it| it.found.get(&key));
        match known.filter(|known| is_current(&past, known)) {
            Some(known) => drop(found.insert(key, known.clone())),
            None => to_ask.push((key, past)),
        }
    }
    (found, to_ask)
}

fn hashes(snapshot: &Snapshot) -> HashMap<Note, [u8; 32]> {
    let documents = snapshot.documents.iter();
    documents
        .map(|it| ((it.folder, it.path.clone()), it.hash))
        .collect()
}

/// Name of the ranking: "OpenClaw 2026.9, emulated".
fn ranked_words(ranking: &Ranking) -> String {
    let label = ranking.pipeline.label();
    match Program::ranked_by(ranking.pipeline) {
        Some(_) => format!("{label}, emulated"),
        None => label.to_owned(),
    }
}

/// "After this edit 3 past questions do not find home-server.md any more", with the ranking and the other lost notes.
fn sentence(edited: &[String], notes: &[LostNote], ranked_by: &BTreeSet<String>) -> String {
    let edit = match edited {
        [] | [_] => "this edit",
        _ => "these edits",
    };
    let Some((first, others)) = notes.split_first() else {
        return String::new();
    };
    let questions = match first.n_answers {
        1 => "1 past question does".to_owned(),
        n => format!("{n} past questions do"),
    };
    let by: Vec<&str> = ranked_by.iter().map(String::as_str).collect();
    let by = by.join("; ");
    let more = match others.len() {
        0 => String::new(),
        1 => " 1 other note is also missing from answers.".to_owned(),
        n => format!(" {n} other notes are also missing from answers."),
    };
    format!(
        "After {edit} {questions} not find {} any more (ranked by {by}).{more}",
        first.name
    )
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use memlens_agents::PastQuestion;
    use memlens_params::Params;
    use memlens_store::FolderId;

    use super::{Asked, Checked, Found, planned, ranked_words, sentence};
    use crate::{Era, Past};
    use memlens_library::notes::note_names::NoteNames;
    use memlens_library::{Ranking, pipeline};
    use memlens_wire::LostNote;

    const GARDEN: FolderId = FolderId(1);
    const HOUSE: FolderId = FolderId(2);

    fn found(id: i64, ranking: Ranking, notes: &[(FolderId, &str)]) -> Found {
        let notes = notes
            .iter()
            .map(|(folder, path)| (*folder, (*path).to_owned()));
        Found {
            id,
            ranking,
            notes: notes.zip(1..).collect(),
        }
    }

    fn native() -> Ranking {
        Ranking::native(&Params::default())
    }

    /// One question, "koi", and two notes; `koi.md` has different content in each version.
    fn checked(found: Found, version: u8, folders: &[FolderId]) -> Checked {
        let notes = [(GARDEN, "koi.md", version), (HOUSE, "router.md", 1)];
        let watched = notes
            .into_iter()
            .filter(|(folder, ..)| folders.contains(folder));
        Checked {
            generation: u64::from(version),
            era: Era::default(),
            found: HashMap::from([(Asked::of(&asked(found.id, "koi")), found)]),
            folders: folders.iter().copied().collect(),
            hashes: watched
                .map(|(folder, path, version)| ((folder, path.to_owned()), [version; 32]))
                .collect(),
            names: NoteNames::of(&[]),
        }
    }

    fn asked(id: i64, question: &str) -> Past {
        let asked = PastQuestion {
            agent: "codex".to_owned(),
            session: "s".to_owned(),
            call: id.to_string(),
            question: question.to_owned(),
            ..PastQuestion::default()
        };
        Past {
            id,
            asked,
            member: None,
            log: std::path::PathBuf::new(),
        }
    }

    #[test]
    fn only_what_an_edit_took_away_is_reported() {
        let both = [GARDEN, HOUSE];
        let koi = [(GARDEN, "koi.md"), (HOUSE, "router.md")];
        let before = checked(found(7, native(), &koi), 1, &both);
        let check = |now: &Checked, expected: &[(&str, &str)]| {
            let lost = now.lost_since(&before);
            let notes_lost = lost.iter().flat_map(|lost| &lost.answers.notes);
            let notes_lost: Vec<(&str, &str)> = notes_lost
                .map(|note| (note.path.as_str(), note.questions[0].id.as_str()))
                .collect();
            assert_eq!(notes_lost, expected);
        };
        check(&checked(found(7, native(), &koi), 2, &both), &[]);
        check(
            &checked(found(7, native(), &koi[1..]), 2, &both),
            &[("koi.md", "7")],
        );
        // Asked again meanwhile: the same question under its newest id.
        check(
            &checked(found(9, native(), &koi[1..]), 2, &both),
            &[("koi.md", "9")],
        );
        // No note was edited: memory ages.
        check(&checked(found(7, native(), &koi[1..]), 1, &both), &[]);
        // A folder that is not watched any more removed its notes, which is not an edit.
        check(&checked(found(7, native(), &koi[..1]), 2, &[GARDEN]), &[]);
        check(&checked(found(7, native(), &koi[..1]), 1, &[GARDEN]), &[]);
        // Another version of the agent, or other values, find other notes independently of edits.
        let agent = Ranking::of(pipeline("openclaw").expect("it is known"));
        check(&checked(found(7, agent, &koi[1..]), 2, &both), &[]);
        let params = Params {
            vector_on: false,
            ..Params::default()
        };
        check(
            &checked(found(7, Ranking::native(&params), &koi[1..]), 2, &both),
            &[],
        );
    }

    #[test]
    fn where_no_note_changed_only_new_questions_are_asked() {
        let known = checked(found(7, native(), &[(GARDEN, "koi.md")]), 1, &[GARDEN]);
        let plan = |of_now: Option<&Checked>| {
            let (found, to_ask) =
                planned(vec![asked(8, "koi"), asked(5, "router")], of_now, |_, _| {
                    true
                });
            let to_ask: Vec<i64> = to_ask.into_iter().map(|(_, past)| past.id).collect();
            (found.len(), to_ask)
        };
        assert_eq!(plan(None), (0, vec![8, 5]));
        assert_eq!(plan(Some(&known)), (1, vec![5]));
    }

    #[test]
    fn questions_of_two_agents_of_one_program_are_two_questions() {
        let of_member = |id, member: &str| Past {
            member: Some(member.to_owned()),
            ..asked(id, "koi")
        };
        let both = vec![of_member(8, "main"), of_member(9, "lab")];
        let (found, to_ask) = planned(both, None, |_, _| true);
        let to_ask: Vec<(Option<String>, i64)> = to_ask
            .into_iter()
            .map(|(asked, past)| (asked.member, past.id))
            .collect();
        assert!(found.is_empty());
        assert_eq!(
            to_ask,
            [(Some("main".to_owned()), 8), (Some("lab".to_owned()), 9)]
        );
        let known = Checked {
            found: HashMap::from([(Asked::of(&of_member(8, "main")), found_by_main())]),
            ..checked(found_by_main(), 1, &[GARDEN])
        };
        let again = vec![of_member(8, "main"), of_member(9, "lab")];
        let (found, to_ask) = planned(again, Some(&known), |_, _| true);
        assert_eq!((found.len(), to_ask.len()), (1, 1), "lab never asked");
    }

    fn found_by_main() -> Found {
        found(8, native(), &[(GARDEN, "koi.md")])
    }

    #[test]
    fn the_sentence_counts_what_was_lost() {
        let note = |path: &str, n_answers| LostNote {
            folder: "1".to_owned(),
            path: path.to_owned(),
            name: path.to_owned(),
            n_answers,
            questions: Vec::new(),
        };
        let one = ["a/home-server.md".to_owned()];
        let two = ["a.md".to_owned(), "b.md".to_owned()];
        let emulated = Ranking::of(pipeline("openclaw@2026.9").expect("it is known"));
        let by = |rankings: &[&Ranking]| rankings.iter().map(|it| ranked_words(it)).collect();
        let check = |edited: &[String], notes: &[LostNote], by: &BTreeSet<String>, said: &str| {
            assert_eq!(sentence(edited, notes, by), said);
        };
        check(
            &one,
            &[note("a/home-server.md", 3)],
            &by(&[&native()]),
            "After this edit 3 past questions do not find a/home-server.md any more (ranked by Memlens).",
        );
        check(
            &two,
            &[note("a.md", 1), note("b.md", 1)],
            &by(&[&native(), &emulated]),
            "After these edits 1 past question does not find a.md any more (ranked by Memlens; OpenClaw 2026.9, emulated). 1 other note is also missing from answers.",
        );
    }
}
