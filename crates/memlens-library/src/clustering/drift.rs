//! Drift: contradictions among notes, and facts that newer notes replace.
//!
//! The pass over all observations ([`Clustering`]) finds contradictions among near sentences ([`pass`]); sure ones keep their
//! sides out of one cluster. [`drift_report`] reports what it found, with dates and places.

pub(crate) mod between;
mod candidates;
mod dismissed;
pub(super) mod oppositions;
pub(super) mod parts;
pub(super) mod pass;
pub(super) mod project;
pub(super) mod read;
mod second_opinion;
pub(super) mod source;
mod words;

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;
use memlens_contradict::{Apart, Side};
use memlens_ingest::date_of_path;
use memlens_params::Params;
use memlens_store::{DocumentId, FolderId, Snapshot};
use memlens_wire::{
    DriftAnswer, DriftCompared, DriftReason, DriftReport, DriftSide, DriftTotals, Drifted,
    NewerSide, NoteDrift,
};

use crate::clock;
use crate::clustering::Clustering;
use crate::{EngineError, Library};

pub use dismissed::{dismiss_contradiction, resolve_contradiction};
pub use oppositions::{add_opposition, oppositions, remove_opposition, switch_opposition};
pub use second_opinion::{
    ask_second_opinion, choose_second_opinion, is_new_second_opinion, n_opinion_changes,
    second_opinion,
};

use dismissed::{Marked, pair_id, resolved_id};
use pass::{Counts, Opposed};
use second_opinion::Opinions;
use words::{counted, kind_of, reason_of};

/// The window shows no more; the command line prints all.
const SHOWN_MAX: usize = 2_000;

/// Passes over all observations if anything changed since the last pass, and reports the contradictions, newest first, those that
/// are not sure by the second opinion as far as there is one.
/// With `since` only those of which a side is of that day or a later one.
///
/// # Errors
/// [`EngineError::Store`].
pub fn drift_report(
    library: &Library,
    params: &Params,
    since: Option<Date>,
) -> Result<DriftReport, EngineError> {
    library.aggregate()?;
    let marked = Marked::read(&library.store())?;
    let opinions = Opinions::read(library)?;
    let clustering = library.clustering();
    Ok(clustering.map_or_else(DriftReport::default, |clustering| {
        report_of(
            &clustering,
            &library.lists().snapshot,
            (&marked, &opinions),
            params,
            since,
        )
    }))
}

/// Returns what the last pass found, as much as the window shows.
///
/// # Errors
/// [`EngineError::Store`].
pub fn drift(library: &Library, params: &Params) -> Result<DriftAnswer, EngineError> {
    let (mut report, mut totals) = (None, DriftTotals::default());
    if let Some(clustering) = library.clustering() {
        let marked = Marked::read(&library.store())?;
        let opinions = Opinions::read(library)?;
        let mut found = report_of(
            &clustering,
            &library.lists().snapshot,
            (&marked, &opinions),
            params,
            None,
        );
        let n_sure = found.contradictions.iter().filter(|it| it.sure).count();
        totals = DriftTotals {
            n_sure: n_sure as u32,
            n_unsure: (found.contradictions.len() - n_sure) as u32,
            n_changed: found.changed.len() as u32,
            n_dismissed: found.dismissed.len() as u32,
            n_resolved: found.resolved.len() as u32,
        };
        // Sure ones come first.
        found.contradictions.truncate(SHOWN_MAX);
        found.changed.truncate(SHOWN_MAX);
        found.dismissed.truncate(SHOWN_MAX);
        found.resolved.truncate(SHOWN_MAX);
        report = Some(found);
    }
    let n_observations = library.store().n_observations()?;
    Ok(DriftAnswer {
        report,
        totals,
        n_observations,
        is_stale: library.needs_aggregation(),
    })
}

/// Returns the sure contradictions and the changes with a side in a note, newest first, as the last pass found them; `None` before
/// the first pass. They are those of [`drift`], also where that lists no more.
///
/// # Errors
/// [`EngineError::Store`].
pub fn note_drift(
    library: &Library,
    folder: FolderId,
    path: &str,
) -> Result<Option<NoteDrift>, EngineError> {
    let Some(clustering) = library.clustering() else {
        return Ok(None);
    };
    let lists = library.lists();
    let snapshot = &lists.snapshot;
    let mut drift = NoteDrift {
        contradictions: Vec::new(),
        changed: Vec::new(),
        is_stale: library.needs_aggregation(),
    };
    if let Some(at) = snapshot.find(folder, path) {
        let wanted = Wanted {
            since: None,
            note: Some(snapshot.documents[at].id),
        };
        let marked = Marked::read(&library.store())?;
        let found = Found::new(&clustering, snapshot, &marked, wanted);
        drift.contradictions = found.contradictions;
        drift.contradictions.retain(|drifted| drifted.sure);
        drift.changed = found.changed;
    }
    Ok(Some(drift))
}

/// Which contradictions are reported.
#[derive(Clone, Copy)]
struct Wanted {
    /// Of which a side is of this day or a later one.
    since: Option<Date>,
    /// Of which a side is in this note.
    note: Option<DocumentId>,
}

/// What the last pass found in notes that are still as they were then, newest first.
struct Found {
    contradictions: Vec<Drifted>,
    changed: Vec<Drifted>,
    dismissed: Vec<Drifted>,
    resolved: Vec<Drifted>,
}

impl Found {
    /// `snapshot` is the library now.
    fn new(
        clustering: &Clustering,
        snapshot: &Snapshot,
        marked: &Marked,
        Wanted { since, note }: Wanted,
    ) -> Found {
        let current: Option<HashMap<DocumentId, i64>> =
            (clustering.generation != snapshot.generation).then(|| {
                let documents = snapshot.documents.iter();
                documents
                    .map(|document| (document.id, document.checksum))
                    .collect()
            });
        let is_current = |observation: u32| {
            let (document, checksum) = clustering.document_of(observation);
            current
                .as_ref()
                .is_none_or(|current| current.get(&document) == Some(&checksum))
        };
        let tomorrow = tomorrow();
        let (mut changed, mut contradictions) = (Vec::new(), Vec::new());
        let (mut dismissed, mut resolved) = (Vec::new(), Vec::new());
        for opposed in &clustering.contradictions().opposed {
            let sides = [opposed.a, opposed.b];
            let is_in = |note| sides.iter().any(|id| clustering.document_of(*id).0 == note);
            if !note.is_none_or(is_in) || !sides.iter().all(|id| is_current(*id)) {
                continue;
            }
            let dates = sides.map(|id| clustering.day_of(id, tomorrow));
            let is_recent = |since: Date| dates.iter().flatten().any(|date| *date >= since);
            if !since.is_none_or(is_recent) {
                continue;
            }
            let newer = newer_of(clustering, opposed, tomorrow);
            let drifted = drifted(clustering, opposed, (dates, newer), &is_current);
            let is_dismissed = marked.dismissed.has(&drifted.id);
            let resolved_id = drifted.resolved_id.as_deref();
            let is_resolved = resolved_id.is_some_and(|id| marked.resolved.has(id));
            let entry = (dates.iter().flatten().max().copied(), drifted);
            if is_dismissed {
                dismissed.push(entry);
            } else if is_resolved {
                resolved.push(entry);
            } else if is_change(opposed, newer) {
                changed.push(entry);
            } else {
                contradictions.push(entry);
            }
        }
        Found {
            contradictions: newest_first(contradictions),
            changed: newest_first(changed),
            dismissed: newest_first(dismissed),
            resolved: newest_first(resolved),
        }
    }
}

/// The entries, sure ones first, then by their day.
fn newest_first(mut entries: Vec<(Option<Date>, Drifted)>) -> Vec<Drifted> {
    // Stable: equals stay in the order of the pass, those without a date come last.
    entries.sort_by_key(|(date, drifted)| (!drifted.sure, std::cmp::Reverse(*date)));
    entries.into_iter().map(|(_, drifted)| drifted).collect()
}

/// Reports what the last pass found in notes that are still as they were then. `snapshot` is the library now.
fn report_of(
    clustering: &Clustering,
    snapshot: &Snapshot,
    (marked, opinions): (&Marked, &Opinions),
    params: &Params,
    since: Option<Date>,
) -> DriftReport {
    let wanted = Wanted { since, note: None };
    let mut found = Found::new(clustering, snapshot, marked, wanted);
    opinions.order(&mut found.contradictions);
    let counts = &clustering.contradictions().counts;
    let agreed = clustering.agreed(params);
    DriftReport {
        second_opinions: opinions.summary(&found.contradictions),
        contradictions: found.contradictions,
        changed: found.changed,
        dismissed: found.dismissed,
        resolved: found.resolved,
        clusters: agreed.n_clusters,
        corroborated_count: agreed.corroborated_count,
        compared: compared(counts, clustering.observations.len() as u32),
        elapsed_ms: clustering.took.as_secs_f64() * 1000.0,
    }
}

/// Returns what the pass scanned.
fn compared(counts: &Counts, n_observations: u32) -> DriftCompared {
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let reasons = |counts: &BTreeMap<Apart, u64>| -> Vec<DriftReason> {
        let reasons = counts.iter();
        reasons.map(|(why, n)| reason_of(*why, *n)).collect()
    };
    let others = [
        (
            "one of many that differ in numbers and dates alone",
            counts.n_templates,
        ),
        ("one of too many about the same thing", counts.n_crowded),
        (
            "beyond the first 200 sentences of a paragraph",
            counts.n_skipped,
        ),
    ];
    let mut left_out = reasons(&counts.left_out);
    left_out.extend(
        others
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(why, n)| counted(why, n)),
    );
    let mut apart = reasons(&counts.apart);
    for reasons in [&mut left_out, &mut apart] {
        // Stable: equals stay in the order of reasons.
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.n));
    }
    DriftCompared {
        n_observations,
        n_sentences: small(counts.n_sentences),
        left_out,
        n_pairs: small(counts.n_pairs),
        apart,
        n_pairs_skipped: small(counts.n_pairs_skipped),
    }
}

/// Returns the last day of which a note can be: one that is dated later is dated wrongly.
pub(super) fn tomorrow() -> Date {
    let today = clock::now().to_zoned(jiff::tz::TimeZone::system()).date();
    today.tomorrow().unwrap_or(today)
}

/// Returns whether a note can be of this day: 1970-01-01 stands for an unknown date, and no note is of the future.
pub(super) fn is_plausible(date: Date, tomorrow: Date) -> bool {
    date.year() > 1970 && date <= tomorrow
}

/// Returns whether one side is newer and replaces the other: by its words ("now", "not 35 days"), or because it is the same
/// sentence but for what opposes. Under headings of two things, and in two projects, none replaces the other.
fn is_change(opposed: &Opposed, newer: Option<Side>) -> bool {
    let is_change = |newer| opposed.sure || opposed.update == Some(newer);
    opposed.scopes.is_none() && newer.is_some_and(is_change)
}

/// Returns the side that is newer by date; `None` if that is not known, or if a note says the older statement again later.
fn newer_of(clustering: &Clustering, opposed: &Opposed, tomorrow: Date) -> Option<Side> {
    let sides = [opposed.a, opposed.b];
    let newer = newer_by_date(sides.map(|id| clustering.day_of(id, tomorrow)))?;
    let older = match newer {
        Side::A => 1,
        Side::B => 0,
    };
    let last = |at: usize| {
        let all = std::iter::once(sides[at]).chain(opposed.same[at].others.iter().copied());
        all.filter_map(|id| clustering.day_of(id, tomorrow)).max()
    };
    // Of many notes that repeat it, the pass keeps some.
    let is_known = !opposed.same[older].has_more;
    (is_known && newer_by_date([last(0), last(1)]) == Some(newer)).then_some(newer)
}

fn newer_by_date(dates: [Option<Date>; 2]) -> Option<Side> {
    let (a, b) = (dates[0]?, dates[1]?);
    match a.cmp(&b) {
        std::cmp::Ordering::Less => Some(Side::B),
        std::cmp::Ordering::Greater => Some(Side::A),
        std::cmp::Ordering::Equal => None,
    }
}

fn drifted(
    clustering: &Clustering,
    opposed: &Opposed,
    (dates, newer): ([Option<Date>; 2], Option<Side>),
    is_current: &impl Fn(u32) -> bool,
) -> Drifted {
    let sides = [opposed.a, opposed.b];
    let side = |at: usize| {
        let side = clustering.drift_side(sides[at], &opposed.places[at]);
        let same = &opposed.same[at];
        let n_same = same.others.iter().filter(|id| is_current(**id)).count();
        DriftSide {
            date: side.date.filter(|_| dates[at].is_some()),
            n_same: n_same as u32,
            has_more_same: same.has_more,
            ..side
        }
    };
    let (a, b) = (side(0), side(1));
    let marked = |side: &DriftSide| -> Vec<String> {
        let words = side.parts.iter().filter(|part| part.is_marked);
        words.map(|part| part.text.clone()).collect()
    };
    let words = marked(&a).into_iter().chain(marked(&b)).collect();
    Drifted {
        id: pair_id(&a.text, &b.text),
        resolved_id: newer.map(|side| match side {
            Side::A => resolved_id(&b.text, &a.text),
            Side::B => resolved_id(&a.text, &b.text),
        }),
        a,
        b,
        kind: kind_of(opposed.kind),
        words,
        score: opposed.score,
        sure: opposed.sure,
        second_opinion: None,
        scopes: opposed.scopes.clone(),
        newer: newer.map(|side| match side {
            Side::A => NewerSide::A,
            Side::B => NewerSide::B,
        }),
    }
}

/// Returns the date that a note's path names, as written in the library.
pub(super) fn path_date(path: &str) -> Option<String> {
    date_of_path(path).map(|date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implausible_dates_decide_nothing() {
        let date = |text: &str| text.parse::<Date>().unwrap();
        let tomorrow = date("2026-05-02");
        assert!(!is_plausible(date("1970-01-01"), tomorrow));
        assert!(!is_plausible(date("2026-05-03"), tomorrow));
        assert!(is_plausible(date("2026-05-02"), tomorrow));
        let (old, new) = (Some(date("2025-01-01")), Some(date("2026-01-01")));
        assert_eq!(newer_by_date([old, new]), Some(Side::B));
        assert_eq!(newer_by_date([new, old]), Some(Side::A));
        assert_eq!(newer_by_date([old, old]), None);
        assert_eq!(newer_by_date([old, None]), None);
    }
}
