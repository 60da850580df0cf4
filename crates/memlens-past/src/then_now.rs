//! A past question's answer then and now, and the reasons for differences.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memlens_agents::{PastKind, PastQuestion, Used};
use memlens_emulate::Filling;
use memlens_library::notes::note_names::NoteNames;
use memlens_library::search::Search;
use memlens_library::search::compare::{Span, pairs};
use memlens_library::{EngineError, Library, Ranking, fill_in};
use memlens_params::RerankMode;
use memlens_rank::{Columns, Trace};
use memlens_wire::{Fate, LostAnswer, NowResult, ThenNow, ThenResult};

use super::comparable::why_not;
use super::listed::row;
use super::matching::{Matched, Then, span, then};
use super::own::OwnPipelines;
use super::{Judged, LeftOut, Past, Places};
use crate::places::places;
use crate::served;
use crate::worked_out::worked_out;

/// Maximum number of other questions of the same edit.
const SAME_EDIT_NAMED: usize = 20;
/// Minimum difference of scores: logs round them.
const SCORE_SAME: f64 = 0.0005;

/// Asks a past question again, by a ranking or by its agent's own, and lays both answers side by side.
///
/// # Errors
/// [`EngineError::NoPast`], [`EngineError::IsOpening`]; as [`Library::search_as`].
pub fn then_now(library: &Library, id: &str, by: Option<&Ranking>) -> Result<ThenNow, EngineError> {
    let past = crate::find(library, id)?;
    if past.asked.kind == PastKind::Opening {
        return Err(EngineError::IsOpening { id: id.to_owned() });
    }
    let own = OwnPipelines::of(library);
    let ranking = by.cloned().unwrap_or_else(|| own.ranking(&past.asked));
    let search = asked_again(library, &past, &ranking)?;
    let (trace, columns) = search.traced(&ranking.values);
    let kept = served::answered(&past.asked, trace.kept(), &columns);
    let now: Vec<Span> = kept
        .iter()
        .map(|slot| span(&search, *slot, true))
        .collect::<Result<_, _>>()?;
    let places = places(library)?;
    let then = then(&past, &places);
    let matched = Matched::of(&then, &now);
    let why_not = why_not(&past, &then, &ranking, &own, &search, &trace);
    let is_compared = why_not.is_none();
    let served = past.asked.served.as_ref().filter(|_| is_compared);
    let asked_again = served.map(|served| {
        let is_same = matched.fates().iter().all(|fate| *fate == Fate::Kept);
        served::asked_again(served, search.generation(), is_same)
    });
    let sides = Sides {
        past: &past,
        search: &search,
        then: &then,
        matched: &matched,
        places: &places,
        names: NoteNames::of(&library.lists().snapshot.folders),
        is_compared,
    };
    let mut now = sides.now(&kept, &columns)?;
    let thens = sides.then(&trace, &mut now)?;
    Ok(ThenNow {
        row: memlens_wire::PastRow {
            fates: is_compared.then(|| matched.fates()),
            ..row(&past)
        },
        settings: past
            .asked
            .settings
            .iter()
            .map(|(name, value)| (name.clone(), as_text(value)))
            .collect(),
        ranking: ranking.to_view(),
        label: match by {
            None => own.label(&past.asked.agent, &ranking),
            Some(_) => ranking.pipeline.label().to_owned(),
        },
        emulated: search.emulated.clone(),
        search: search.id,
        observed: observed(&past, &then, &places),
        asked_again,
        same_edit: if is_compared {
            same_edit(library, &past, &then, &matched)
        } else {
            Vec::new()
        },
        then: thens,
        now,
        not_compared: why_not.map(|why| format!("cannot be compared: {why}")),
        notices: notices(&past, &search, &columns, by.is_none().then_some(&own)),
    })
}

/// Asks a past question again in the part that its agent searches, with the reranker of the ranking unless that would
/// use the network.
fn asked_again(
    library: &Library,
    past: &Past,
    ranking: &Ranking,
) -> Result<Arc<Search>, EngineError> {
    let part = served::part(library, &past.asked);
    let question = &past.asked.question;
    let asks_outside =
        Filling::of(&ranking.values).is_some_and(|filling| filling.mode == RerankMode::Http);
    let search = library.search_unfilled(question, ranking, part, past.asker(), true)?;
    if asks_outside {
        Ok(search)
    } else {
        fill_in(library, search, &ranking.values)
    }
}

/// The notices of the search of now; `own` holds the pipelines of the agents if the question was asked by its agent's.
fn notices(
    past: &Past,
    search: &Search,
    columns: &Columns,
    own: Option<&OwnPipelines>,
) -> Vec<String> {
    // The first notice of an emulated search says how true it is, which is shown beside its label.
    let n_said = usize::from(search.emulated.is_some());
    let mut notices: Vec<String> = search.notices.iter().skip(n_said).cloned().collect();
    notices.extend(columns.fallbacks());
    let Some(own) = own else {
        return notices;
    };
    notices.extend(own.problems(&past.asked.agent));
    if past.asked.served.is_none() && own.pipeline(&past.asked.agent).is_none() {
        notices.insert(
            0,
            format!(
                "{} is not emulated, so Memlens's own ranking was used.",
                row(past).agent_name
            ),
        );
    }
    notices
}

/// The answers of then and now, with how their results are matched.
struct Sides<'a> {
    past: &'a Past,
    search: &'a Search,
    then: &'a [Then<'a>],
    matched: &'a Matched,
    places: &'a Places,
    names: NoteNames,
    /// Whether the answers can be compared, so that fates are reported.
    is_compared: bool,
}

impl Sides<'_> {
    /// The results of now, best first.
    fn now(&self, kept: &[u32], columns: &Columns) -> Result<Vec<NowResult>, EngineError> {
        let texts = self.search.snippets(kept)?;
        let mut side = Vec::with_capacity(kept.len());
        for (is, (slot, text)) in kept.iter().zip(texts).enumerate() {
            let was = self.matched.then[is];
            let score = columns.score[*slot as usize];
            let row = self.search.row_facts(*slot)?;
            let saved = self.places.saved_ms(row.note.folder, &row.note.path);
            let times = self.past.asked.at_ms.zip(saved);
            let moved = was.and_then(|was| self.matched.rose(was));
            let before = was.and_then(|was| self.then[was].result.score);
            let fate = || was.map_or(Fate::New, |was| self.matched.fate(was));
            side.push(NowResult {
                rank: Some(is as u32 + 1),
                folder: row.note.folder.0.to_string(),
                path: row.note.path.clone(),
                name: self.names.of_note(&row.note),
                start_line: Some(row.start_line),
                end_line: Some(row.end_line),
                text: text.text,
                score,
                fate: self.is_compared.then(fate),
                moved: moved.filter(|_| self.is_compared).unwrap_or_default(),
                why: if self.is_compared {
                    why_there(was.is_some(), before.zip(score), times)
                } else {
                    times
                        .and_then(|(asked, saved)| edited(asked, saved))
                        .unwrap_or_default()
                },
                chunk: Some(self.search.chunk_id(*slot).0.to_string()),
            });
        }
        Ok(side)
    }

    /// The results of then, best first. Adds those that are gone to `now`.
    fn then(
        &self,
        trace: &Trace,
        now: &mut Vec<NowResult>,
    ) -> Result<Vec<ThenResult>, EngineError> {
        let gone = Gone::of(self.search, trace)?;
        let mut thens = Vec::with_capacity(self.then.len());
        for (was, then) in self.then.iter().enumerate() {
            let is = self.matched.now[was].unwrap_or(now.len());
            if self.matched.now[was].is_none() {
                now.push(gone.to_view(then, &self.past.asked, self.is_compared, &self.names));
            }
            let is_served = self.past.asked.served.is_some();
            let place = then.place.as_ref().ok().filter(|_| is_served);
            thens.push(ThenResult {
                rank: was as u32 + 1,
                path: place.map_or_else(
                    || then.result.path.clone(),
                    |place| self.names.name(place.folder, &place.path),
                ),
                start_line: then.result.lines.map(|lines| lines.0),
                end_line: then.result.lines.map(|lines| lines.1),
                score: then.result.score,
                text: then.result.text.clone(),
                used: used(self.past, then, self.places),
                fate: self.is_compared.then(|| self.matched.fate(was)),
                now: is as u32,
            });
        }
        Ok(thens)
    }
}

/// Other questions of the last replay whose answer has the first changed note of this one lower than then, or no more.
fn same_edit(
    library: &Library,
    past: &Past,
    then: &[Then<'_>],
    matched: &Matched,
) -> Vec<LostAnswer> {
    let Some(replay) = worked_out(library).replayed() else {
        return Vec::new();
    };
    let is_lost = |was: usize| matches!(matched.fate(was), Fate::Gone | Fate::Fell);
    let edited = (0..then.len()).filter(|was| is_lost(*was)).find_map(|was| {
        let place = then[was].place.as_ref().ok()?;
        changed(&past.asked, Some(place.saved_ms))?;
        Some((place.folder, place.path.clone()))
    });
    let Some(edited) = edited else {
        return Vec::new();
    };
    let mut lost: Vec<(i64, LostAnswer)> = Vec::new();
    for (id, other) in replay.questions.iter().filter(|(id, _)| **id != past.id) {
        for result in &other.then {
            let is_lower = result.is.is_none_or(|is| is > result.was);
            if result.note.as_ref() == Some(&edited) && is_lower {
                let answer = LostAnswer {
                    id: id.to_string(),
                    question: other.question.clone(),
                    was: result.was,
                    is: result.is,
                };
                lost.push((other.at_ms.unwrap_or(i64::MIN), answer));
                break;
            }
        }
    }
    lost.sort_by(|(at, a), (other_at, b)| (other_at, &a.question).cmp(&(at, &b.question)));
    lost.into_iter()
        .map(|(_, answer)| answer)
        .take(SAME_EDIT_NAMED)
        .collect()
}

/// The rows that are not results, with the reasons.
struct Gone<'t> {
    trace: &'t Trace,
    slots: Vec<u32>,
    spans: Vec<Span>,
}

impl Gone<'_> {
    fn of<'t>(search: &Search, trace: &'t Trace) -> Result<Gone<'t>, EngineError> {
        let slots: Vec<u32> = trace.dropped().into_iter().map(|(slot, _)| slot).collect();
        let spans = slots
            .iter()
            .map(|slot| span(search, *slot, false))
            .collect::<Result<_, _>>()?;
        Ok(Gone {
            trace,
            slots,
            spans,
        })
    }

    /// Score and reason of the dropped row that a result of then is now.
    fn dropped(&self, then: &Then<'_>) -> Option<(Option<f64>, String)> {
        let (_, at) = *pairs(&[then.span()], &self.spans).first()?;
        let journey = self.trace.journey(self.slots[at]);
        Some((journey.score, journey.dropped?.1))
    }

    fn to_view(
        &self,
        then: &Then<'_>,
        asked: &PastQuestion,
        is_compared: bool,
        names: &NoteNames,
    ) -> NowResult {
        let dropped = self.dropped(then);
        let edit = then
            .place
            .as_ref()
            .map(|place| changed(asked, Some(place.saved_ms)));
        let reason = dropped.as_ref().map(|(_, reason)| reason.as_str());
        let why = match edit {
            Err(no_place) => no_place.why().to_owned(),
            Ok(edit) => [
                Some(reason.unwrap_or("not among the candidates now")),
                edit.as_deref(),
            ]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; "),
        };
        let place = then.place.as_ref().ok();
        NowResult {
            rank: None,
            folder: place.map_or_else(String::new, |place| place.folder.0.to_string()),
            path: place.map_or_else(|| then.result.path.clone(), |place| place.path.clone()),
            name: place.map_or_else(
                || then.result.path.clone(),
                |place| names.name(place.folder, &place.path),
            ),
            start_line: then.result.lines.map(|lines| lines.0),
            end_line: then.result.lines.map(|lines| lines.1),
            text: None,
            score: dropped.and_then(|(score, _)| score),
            fate: is_compared.then_some(Fate::Gone),
            moved: 0,
            why,
            chunk: None,
        }
    }
}

/// Statement that the bytes of a note were saved after a question was asked; `None` if they were not, or if unknown.
fn changed(asked: &PastQuestion, saved_ms: Option<i64>) -> Option<String> {
    edited(asked.at_ms?, saved_ms?)
}

fn edited(asked: i64, saved: i64) -> Option<String> {
    (saved > asked).then(|| format!("note changed {}", moment(saved)))
}

fn moment(at_ms: i64) -> String {
    Timestamp::from_millisecond(at_ms)
        .map(|at| {
            at.to_zoned(TimeZone::system())
                .strftime("%-d %B %Y, %H:%M")
                .to_string()
        })
        .unwrap_or_default()
}

/// Why a result of now has its rank; `times` are those of the question and of the note's last change. An edit that left
/// the score unchanged is not given as a reason.
fn why_there(was_there: bool, scores: Option<(f64, f64)>, times: Option<(i64, i64)>) -> String {
    let edit = times.and_then(|(asked, saved)| edited(asked, saved));
    let parts: Vec<String> = match scores {
        Some((before, now)) if (before - now).abs() < SCORE_SAME => vec!["same score".to_owned()],
        Some((before, now)) => {
            let score = format!("score {before:.3} then, {now:.3} now");
            std::iter::once(score).chain(edit).collect()
        }
        None => edit.into_iter().collect(),
    };
    match (parts.is_empty() && !was_there, times) {
        (false, _) => parts.join("; "),
        (true, Some(_)) => "not returned then; its note was not changed since".to_owned(),
        (true, None) => "not returned then".to_owned(),
    }
}

/// What the agent did with a result: opened or cited.
fn used(past: &Past, then: &Then<'_>, places: &Places) -> String {
    let asked = &past.asked;
    let is_it = |used: &&Used| is_used(past, used, then, places);
    let opened = asked.opened.iter().find(is_it).map(|used| {
        let after = used
            .at_ms
            .zip(asked.at_ms)
            .map(|(used, asked)| used - asked);
        match after {
            Some(after @ 0..120_000) => format!("opened {} s later", after / 1000),
            Some(after @ 120_000..) => format!("opened {} min later", after / 60_000),
            Some(_) | None => "opened".to_owned(),
        }
    });
    let cited = asked.cited.iter().find(is_it).map(|_| "cited".to_owned());
    let parts: Vec<String> = opened.into_iter().chain(cited).collect();
    parts.join(", ")
}

fn is_used(past: &Past, used: &Used, then: &Then<'_>, places: &Places) -> bool {
    let is_same_note = used.path == then.result.path
        || then.place.is_ok() && places.find_of(past, &used.path) == then.place;
    let overlap = match (used.lines, then.result.lines) {
        (Some((start, end)), Some((first, last))) => start <= last && end >= first,
        (None, _) | (_, None) => true,
    };
    is_same_note && overlap
}

/// Results that were opened or cited, with their ranks, and whether they count as relevant.
fn observed(past: &Past, then: &[Then<'_>], places: &Places) -> Option<String> {
    let asked = &past.asked;
    let (verb, used) = match (asked.opened.first(), asked.cited.first()) {
        (Some(used), _) => ("opened", used),
        (None, Some(used)) => ("cited", used),
        (None, None) => return None,
    };
    let lines = match used.lines {
        None => String::new(),
        Some((start, u32::MAX)) => format!(":{start}–end"),
        Some((start, end)) => format!(":{start}–{end}"),
    };
    let mut ranks = (1..).zip(then);
    let rank = ranks.find(|(_, then)| is_used(past, used, then, places));
    let at_rank = match rank {
        Some((rank, _)) => format!("It was at rank {rank} of the logged results."),
        None => "It was not among the logged results.".to_owned(),
    };
    let is_judgment = Judged::of(asked, past.member.as_deref(), used, places)
        .is_ok_and(|it| !it.lines.is_empty());
    let so = if is_judgment {
        ", so this note counts as relevant"
    } else {
        ""
    };
    let first = format!(
        "After the search it {verb} {}{lines}{so}. {at_rank}",
        used.path
    );
    let left_out = LeftOut::of(past, places).sentences();
    let left_out = left_out.into_iter().map(|sentence| sentence + ".");
    let sentences: Vec<String> = std::iter::once(first).chain(left_out).collect();
    Some(sentences.join(" "))
}

fn as_text(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
