//! One statement with all that says the same, and how near each is by both measures.

use jiff::civil::Date;
use memlens_corroborate::{Measure, difference};
use memlens_params::Params;
use memlens_rank::cluster_level;
use memlens_wire::{AgreementStep, ClusterMember, OpenedCluster};

use super::Clustering;
use super::clusters::limit_of;
use super::drift::parts::parts;
use super::drift::tomorrow;
use crate::Library;

/// Maximum number of members shown; the command line prints all.
const MEMBERS_SHOWN: usize = 200;

/// The place of a statement in the last pass.
#[derive(Debug, Clone, Copy)]
pub struct SaidPlace<'p> {
    /// Id of the watched folder.
    pub folder: &'p str,
    /// Path of the note in it.
    pub path: &'p str,
    /// First line, 1-based.
    pub line: u32,
    /// The whole text.
    pub text: &'p str,
}

/// The cluster of a statement at the distance that the parameters name; the statement alone if nothing else says the same. If it
/// is no longer at its place, that of the first one with its text; `None` if there is none, or before the first pass.
pub fn opened_cluster(
    library: &Library,
    params: &Params,
    place: SaidPlace<'_>,
) -> Option<OpenedCluster> {
    let clustering = library.clustering()?;
    let id = clustering.observation_at(place)?;
    Some(clustering.opened(id, params))
}

impl Clustering {
    fn observation_at(&self, place: SaidPlace<'_>) -> Option<u32> {
        let same = || {
            (0..)
                .zip(&self.observations)
                .filter(|(_, kept)| kept.said.text == place.text)
        };
        let is_there = |kept: &super::Kept| {
            kept.place.folder == place.folder
                && kept.place.path == place.path
                && kept.said.start_line == place.line
        };
        let at_place = same().find(|(_, kept)| is_there(kept));
        at_place.or_else(|| same().next()).map(|(id, _)| id)
    }

    fn opened(&self, id: u32, params: &Params) -> OpenedCluster {
        let (measure, level) = cluster_level(params);
        let mut all = self.aggregation.of(measure).members_of(id, level);
        if all.is_empty() {
            all.push(id);
        }
        let tomorrow = tomorrow();
        let speaker = self.representative(&all, tomorrow).unwrap_or(id);
        let mut others: Vec<u32> = all
            .iter()
            .copied()
            .filter(|other| *other != speaker)
            .collect();
        let distance = |other: &u32| {
            let of = |id: u32| &self.observations[id as usize].fingerprint;
            measure.distance(of(*other), of(speaker))
        };
        // Stable: equal ones stay in the order of their places.
        others.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let cluster = self.aggregation.of(measure).at(id, level);
        OpenedCluster {
            canonical: self.member(speaker, speaker, measure, tomorrow),
            n_members: others.len() as u32,
            n_sources: cluster.map_or(1, |cluster| cluster.n_sources),
            members: others
                .iter()
                .take(MEMBERS_SHOWN)
                .map(|other| self.member(*other, speaker, measure, tomorrow))
                .collect(),
            by_bits: self.sizes(id, Measure::Simhash),
            by_words: self.sizes(id, Measure::Words),
        }
    }

    fn member(&self, id: u32, beside: u32, measure: Measure, tomorrow: Date) -> ClusterMember {
        let (kept, other) = (
            &self.observations[id as usize],
            &self.observations[beside as usize],
        );
        let text = &kept.said.text;
        let differing = difference(text, &other.said.text);
        ClusterMember {
            date: self.day_of(id, tomorrow).map(|day| day.to_string()),
            bits: kept.fingerprint.distance(&other.fingerprint),
            overlap: kept.fingerprint.overlap(&other.fingerprint),
            parts: parts(text, &(0..text.len()), &differing.own).parts,
            missing: differing.missing,
            said: self.said(id, beside, measure),
        }
    }

    /// Returns how many observations the cluster of one has at each limit; 1 if it is alone.
    fn sizes(&self, id: u32, measure: Measure) -> Vec<AgreementStep> {
        let clusters = self.aggregation.of(measure);
        let levels = 0..=measure.level_max();
        let steps = levels.map(|level| AgreementStep {
            limit: limit_of(measure, level),
            n: clusters
                .at(id, level)
                .map_or(1, |cluster| cluster.n_members),
        });
        steps.collect()
    }
}
