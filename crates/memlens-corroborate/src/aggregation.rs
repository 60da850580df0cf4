//! One pass over all observations: finds near pairs by both measures and joins them to clusters.
//!
//! Properties checked: the data set's rewordings are joined and its contradicting numbers are kept apart; identical
//! texts cost no more than one; the order of levels is kept; the canonical member is unique.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use crate::boilerplate::repeated;
use crate::claims::Claims;
use crate::clusters::{Clusters, Edge, Edges, Joining, Parts};
use crate::fingerprint::Fingerprint;
use crate::near::{self, near_pairs};
use crate::overlap::{OVERLAP_MIN, overlap_level, overlapping_pairs};

/// The measure by which two observations say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// The number of SimHash bits that differ; a level is that number, 0 to 7. Works well from about forty words on.
    Simhash,
    /// The share of common words, Jaccard's index. A level is 100 minus that share in percent, 0 to 50. Works well for
    /// short texts.
    Words,
}

impl Measure {
    /// All measures, in a fixed order.
    pub const ALL: [Measure; 2] = [Measure::Simhash, Measure::Words];

    /// Returns the greatest level; the least is 0.
    pub fn level_max(self) -> u8 {
        match self {
            Measure::Simhash => near::DISTANCE_MAX as u8,
            Measure::Words => overlap_level(OVERLAP_MIN as usize, 100),
        }
    }

    /// Returns the distance of two texts: the number of differing bits, 0 to 64, or 1 minus their overlap, 0 to 1.
    pub fn distance(self, a: &Fingerprint, b: &Fingerprint) -> f64 {
        match self {
            Measure::Simhash => f64::from(a.distance(b)),
            Measure::Words => 1.0 - a.overlap(b),
        }
    }
}

/// An observation to aggregate; its id is its index among all.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'a> {
    /// The fingerprint of its text.
    pub fingerprint: &'a Fingerprint,
    /// The number of its source: an agent, otherwise a folder.
    pub source: u32,
    /// The note that holds it; observations of one note are consecutive.
    pub document: u32,
}

/// The result of one pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Aggregation {
    simhash: Clusters,
    words: Clusters,
    n_passed_over: u64,
    n_boilerplate: u32,
}

impl Aggregation {
    /// Returns how many pairs were skipped because nearer pairs already connected both. It is 0 unless very many are
    /// near each other. If contradictions separate what those pairs connected, a cluster may be smaller than without
    /// skipping, never larger.
    pub fn n_passed_over(&self) -> u64 {
        self.n_passed_over
    }

    /// Returns how many observations agree with none because they are boilerplate: they occur word for word in
    /// [`NOTES_MIN`](crate::NOTES_MIN) or more notes of unlike topics, name a licence or head a release.
    pub fn n_boilerplate(&self) -> u32 {
        self.n_boilerplate
    }

    /// Returns the clusters by one measure.
    pub fn of(&self, measure: Measure) -> &Clusters {
        match measure {
            Measure::Simhash => &self.simhash,
            Measure::Words => &self.words,
        }
    }
}

/// Joins the observations that say the same, by both measures and at every level.
///
/// Pairs are joined from the nearest to the farthest, ties by the order of `observations`. A pair whose clusters hold
/// contradicting [claims](Claims::agree), or both sides of one of `contradictions`, stays apart. Observations that say
/// [too little](Fingerprint::is_telling) or are [boilerplate](Aggregation::n_boilerplate) stay alone.
pub fn aggregate(observations: &[Observation<'_>], contradictions: &[(u32, u32)]) -> Aggregation {
    aggregate_while(observations, contradictions, || true).unwrap_or_default()
}

/// Like [`aggregate`]; `goes_on` is asked before each search for the partners of a text, and `None` is returned if it
/// returns false.
pub fn aggregate_while(
    observations: &[Observation<'_>],
    contradictions: &[(u32, u32)],
    goes_on: impl Fn() -> bool,
) -> Option<Aggregation> {
    let claims: Vec<Claims> = observations
        .iter()
        .map(|observation| observation.fingerprint.claims)
        .collect();
    let sources: Vec<u32> = observations
        .iter()
        .map(|observation| observation.source)
        .collect();
    let parts = Parts {
        claims: &claims,
        sources: &sources,
        contradictions,
    };

    let is_repeated = repeated(observations);
    let said: Vec<Option<&Fingerprint>> = observations
        .iter()
        .zip(&is_repeated)
        .map(|(it, is_repeated)| {
            (it.fingerprint.is_telling() && !is_repeated).then_some(it.fingerprint)
        })
        .collect();
    let is_boilerplate =
        |(it, is_repeated): &(&Observation<'_>, &bool)| it.fingerprint.is_formula || **is_repeated;
    let boilerplate = observations.iter().zip(&is_repeated).filter(is_boilerplate);
    let (words, n_passed_over) = by_words(&said, &parts, &goes_on)?;
    Some(Aggregation {
        simhash: by_simhash(&said, &parts, &goes_on)?,
        words,
        n_passed_over,
        n_boilerplate: boilerplate.count() as u32,
    })
}

/// `said` holds the fingerprint of each observation; `None` for one that stays alone.
fn by_simhash(
    said: &[Option<&Fingerprint>],
    parts: &Parts<'_>,
    goes_on: &impl Fn() -> bool,
) -> Option<Clusters> {
    let (alike, firsts) = Alike::of(said, |fingerprint| fingerprint.simhash);
    let items: Vec<(u64, Claims)> = firsts
        .iter()
        .map(|first| (first.simhash, first.claims))
        .collect();
    let mut joining = Joining::of(parts);
    let mut edges = alike.edges(&joining);
    for round in near::ROUNDS {
        let crowds = joining.crowds(&alike.firsts);
        near_pairs(&items, &crowds, round, goes_on, |a, b, distance| {
            edges.push(alike.edge(a, b, distance as u8), &joining);
        })?;
        std::mem::take(&mut edges).join(&mut joining);
    }
    Some(joining.finish())
}

/// Like [`by_simhash`]. Also returns how many pairs were skipped.
fn by_words(
    said: &[Option<&Fingerprint>],
    parts: &Parts<'_>,
    goes_on: &impl Fn() -> bool,
) -> Option<(Clusters, u64)> {
    let (alike, firsts) = Alike::of(said, |fingerprint| &fingerprint.words);
    let items: Vec<(&[u64], Claims)> = firsts
        .iter()
        .map(|first| (&first.words[..], first.claims))
        .collect();
    let mut joining = Joining::of(parts);
    let mut edges = alike.edges(&joining);
    let n_passed_over = overlapping_pairs(&items, Edges::MANY, goes_on, |a, b, level| {
        edges.push(alike.edge(a, b, level), &joining)
    })?;
    edges.join(&mut joining);
    Some((joining.finish(), n_passed_over))
}

/// Treats observations of distance 0 and equal claims as one, so that copies need no comparisons.
#[derive(Default)]
struct Alike {
    /// The first observation of each group, ascending.
    firsts: Vec<u32>,
    /// Each other observation, with the one before it in its group.
    others: Vec<(u32, u32)>,
}

impl Alike {
    /// Returns the groups of `said`, and the fingerprints of the first observations.
    fn of<'a, Key: Eq + Hash>(
        said: &[Option<&'a Fingerprint>],
        key: impl Fn(&'a Fingerprint) -> Key,
    ) -> (Alike, Vec<&'a Fingerprint>) {
        let mut last_of: HashMap<(Key, Claims), u32> = HashMap::new();
        let (mut alike, mut firsts) = (Alike::default(), Vec::new());
        for (at, fingerprint) in (0..).zip(said) {
            let Some(fingerprint) = fingerprint else {
                continue;
            };
            match last_of.insert((key(fingerprint), fingerprint.claims), at) {
                None => {
                    alike.firsts.push(at);
                    firsts.push(*fingerprint);
                }
                Some(before) => alike.others.push((before, at)),
            }
        }
        (alike, firsts)
    }

    fn edges(&self, joining: &Joining<'_>) -> Edges {
        let mut edges = Edges::default();
        for (a, b) in &self.others {
            edges.push(
                Edge {
                    level: 0,
                    a: *a,
                    b: *b,
                },
                joining,
            );
        }
        edges
    }

    fn edge(&self, a: u32, b: u32, level: u8) -> Edge {
        Edge {
            level,
            a: self.firsts[a as usize],
            b: self.firsts[b as usize],
        }
    }
}

/// The values that decide which member represents a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standing {
    /// Its weight. `None`, negative or NaN counts as 1.
    pub weight: Option<f64>,
    /// Its date, in days from any fixed day. `None` counts as later than all.
    pub day: Option<i32>,
}

/// Returns the member that represents all: highest weight, then oldest, then lowest id; `None` if empty.
pub fn canonical(members: &[u32], standing: impl Fn(u32) -> Standing) -> Option<u32> {
    members.iter().copied().min_by(|a, b| {
        let rank = |member: u32| {
            let Standing { weight, day } = standing(member);
            let weight = weight
                .filter(|weight| weight.is_finite() && *weight >= 0.0)
                .unwrap_or(1.0);
            (weight, day.unwrap_or(i32::MAX), member)
        };
        let ((weight_a, day_a, id_a), (weight_b, day_b, id_b)) = (rank(*a), rank(*b));
        // Adding 0 turns −0 into 0.
        (weight_b + 0.0)
            .total_cmp(&(weight_a + 0.0))
            .then((day_a, id_a).cmp(&(day_b, id_b)))
    })
}

/// Returns whether a chunk holds an observation of its document: at least half of the shorter one's bytes are in the
/// other.
pub fn is_held(chunk: &Range<u32>, observation: &Range<u32>) -> bool {
    let n_common = chunk
        .end
        .min(observation.end)
        .saturating_sub(chunk.start.max(observation.start));
    let n_shorter = chunk.len().min(observation.len()) as u64;
    n_common > 0 && u64::from(n_common) * 2 >= n_shorter
}

/// Returns which observations of a document a chunk [holds](is_held), as indices into `observations`, which must ascend
/// and not overlap.
pub fn held(chunk: &Range<u32>, observations: &[Range<u32>]) -> Range<usize> {
    let mut first = observations.partition_point(|observation| observation.end <= chunk.start);
    let mut end = observations.partition_point(|observation| observation.start < chunk.end);
    // An observation between two others that the chunk touches is inside the chunk.
    while first < end && !is_held(chunk, &observations[first]) {
        first += 1;
    }
    while first < end && !is_held(chunk, &observations[end - 1]) {
        end -= 1;
    }
    first..first.max(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn held_are_all_that_a_chunk_holds(lengths in prop::collection::vec((1..30u32, 0..9u32), 0..20), start in 0..200u32, length in 0..90u32) {
            let mut at = 0;
            let observations: Vec<Range<u32>> = lengths.iter().map(|(length, gap)| {
                at += gap + length;
                at - length..at
            }).collect();
            let chunk = start..start + length;
            let expected: Vec<usize> = (0..observations.len()).filter(|at| is_held(&chunk, &observations[*at])).collect();
            prop_assert_eq!(held(&chunk, &observations).collect::<Vec<_>>(), expected);
        }
    }

    fn clusters(texts: &[&str], measure: Measure, level: u8) -> Vec<Vec<u32>> {
        let prints: Vec<Fingerprint> = texts.iter().map(|text| Fingerprint::of(text)).collect();
        let observations: Vec<Observation<'_>> = (0..)
            .zip(&prints)
            .map(|(source, fingerprint)| Observation {
                fingerprint,
                source,
                document: source,
            })
            .collect();
        aggregate(&observations, &[]).of(measure).members(level)
    }

    #[test]
    fn a_pass_that_is_stopped_finds_nothing() {
        let prints: Vec<Fingerprint> = (0..9)
            .map(|at| Fingerprint::of(&format!("the boat number{at} is lifted out in October")))
            .collect();
        let observations: Vec<Observation<'_>> = (0..)
            .zip(&prints)
            .map(|(source, fingerprint)| Observation {
                fingerprint,
                source,
                document: source,
            })
            .collect();
        let n_asked = std::cell::Cell::new(0);
        let stopped_after = |n: usize| {
            n_asked.set(0);
            aggregate_while(&observations, &[], || {
                n_asked.set(n_asked.get() + 1);
                n_asked.get() <= n
            })
        };
        let whole = stopped_after(usize::MAX);
        let n_all = n_asked.get();
        assert_eq!(whole, Some(aggregate(&observations, &[])));
        // For each text once by words, and once in each round by SimHash.
        assert_eq!(n_all, 9 * (1 + near::ROUNDS.len()));
        for n in 0..n_all {
            assert_eq!((stopped_after(n), n_asked.get()), (None, n + 1));
        }
    }

    #[test]
    fn says_too_little() {
        for text in ["", "done", "yes yes", "--- ... !!!", " \u{2014} \u{2026} "] {
            assert!(
                clusters(&[text, text, text], Measure::Simhash, 7).is_empty(),
                "{text:?}"
            );
            assert!(
                clusters(&[text, text, text], Measure::Words, 50).is_empty(),
                "{text:?}"
            );
        }
        assert_eq!(
            clusters(&["it is done", "it is done"], Measure::Simhash, 0),
            [[0, 1]]
        );
    }

    #[test]
    fn copies_of_huge_and_of_many_texts_are_one_cluster() {
        let long: String = (0..100_000)
            .map(|at| format!("word{} ", at % 977))
            .collect();
        assert_eq!(
            clusters(&[&long, &long.to_uppercase()], Measure::Simhash, 0),
            [[0, 1]]
        );
        assert_eq!(
            clusters(&[&long, &long.to_uppercase()], Measure::Words, 0),
            [[0, 1]]
        );
        let many = vec!["The boat is lifted out in October."; 5000];
        for measure in Measure::ALL {
            let found = clusters(&many, measure, 0);
            assert_eq!((found.len(), found[0].len()), (1, 5000));
        }
    }

    #[test]
    fn speaks_for_all() {
        let check = |standings: &[(Option<f64>, Option<i32>)], expected: Option<u32>| {
            let members: Vec<u32> = (0..standings.len() as u32).rev().collect();
            let found = canonical(&members, |member| {
                let (weight, day) = standings[member as usize];
                Standing { weight, day }
            });
            assert_eq!(found, expected, "{standings:?}");
        };
        check(&[], None);
        check(&[(None, None), (None, None)], Some(0));
        check(
            &[(None, Some(7)), (Some(1.0), Some(5)), (Some(0.5), Some(1))],
            Some(1),
        );
        check(&[(Some(1.0), None), (Some(2.0), Some(90_000))], Some(1));
        check(
            &[
                (Some(f64::NAN), Some(2)),
                (Some(-3.0), Some(1)),
                (Some(f64::INFINITY), Some(3)),
            ],
            Some(1),
        );
        check(&[(Some(-0.0), Some(2)), (Some(0.0), Some(3))], Some(0));
    }

    #[test]
    fn a_chunk_holds_what_mostly_stands_in_it() {
        for (chunk, observation, expected) in [
            (0..100, 0..100, true),
            (0..100, 90..110, true),
            (0..100, 91..111, false),
            (10..20, 0..1000, true),
            (0..10, 10..20, false),
            (5..5, 0..10, false),
        ] {
            assert_eq!(
                is_held(&chunk, &observation),
                expected,
                "{chunk:?} {observation:?}"
            );
        }
    }
}
