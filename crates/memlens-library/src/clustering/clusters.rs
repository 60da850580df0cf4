//! Statements that occur more than once, as a list.

use std::collections::{BTreeSet, HashSet};

use jiff::civil::Date;
use memlens_corroborate::Measure;
use memlens_params::Params;
use memlens_rank::cluster_level;
use memlens_retrieve::Scope;
use memlens_store::FolderId;
use memlens_wire::{AgreementStep, ClusterReport, ClustersAnswer, SaidCluster};

use super::Clustering;
use super::drift::tomorrow;
use crate::{EngineError, Library};

/// Maximum number of clusters shown; the command line prints all.
const CLUSTERS_SHOWN: usize = 500;

/// Clusters of the last pass, at the distance that the parameters name, without their members; with a folder only clusters
/// with a member in it.
///
/// # Errors
/// [`EngineError::Store`].
pub fn clusters(
    library: &Library,
    params: &Params,
    folder: Option<FolderId>,
) -> Result<ClustersAnswer, EngineError> {
    let scope = folder.map(|folder| Scope {
        folder,
        path: String::new(),
    });
    let limits = Limits {
        clusters: CLUSTERS_SHOWN,
        members: 0,
    };
    let report = |clustering: &Clustering| clustering.listed(params, scope.as_ref(), &limits);
    let n_observations = library.store().n_observations()?;
    Ok(ClustersAnswer {
        report: library.clustering().as_deref().map(report),
        n_observations,
        is_stale: library.needs_aggregation(),
    })
}

/// How much of all clusters is listed.
struct Limits {
    clusters: usize,
    /// Of each cluster.
    members: usize,
}

/// How much is said more than once.
pub(crate) struct Agreed {
    pub(crate) n_clusters: u32,
    /// Number of observations in a cluster.
    pub(crate) corroborated_count: u32,
}

/// The days of some observations.
struct Days {
    first: Option<String>,
    last: Option<String>,
    n_undated: u32,
}

/// A statement that is made more than once, with the observations that make it.
pub struct ListedCluster {
    /// The statement, as its best member puts it.
    pub text: String,
    /// Ids of all its observations, ascending.
    pub observations: Vec<u32>,
}

impl Clustering {
    /// The clusters that [`Clustering::report`] lists of the whole memory, in its order.
    pub fn listed_clusters(&self, params: &Params) -> Vec<ListedCluster> {
        let (measure, level) = cluster_level(params);
        let tomorrow = tomorrow();
        let clusters = self.ordered(measure, level, None).into_iter();
        let clusters = clusters.filter_map(|observations| {
            let speaker = self.representative(&observations, tomorrow)?;
            Some(ListedCluster {
                text: self.observations[speaker as usize].said.text.clone(),
                observations,
            })
        });
        clusters.collect()
    }

    /// The clusters at the distance of the parameters, with all members; with a scope only those with a member in it.
    pub fn report(&self, params: &Params, scope: Option<&Scope>) -> ClusterReport {
        let all = Limits {
            clusters: usize::MAX,
            members: usize::MAX,
        };
        self.listed(params, scope, &all)
    }

    /// Counts what [`Clustering::report`] lists of the whole memory.
    pub(crate) fn agreed(&self, params: &Params) -> Agreed {
        let (measure, level) = cluster_level(params);
        let members = self.aggregation.of(measure).members(level);
        Agreed {
            n_clusters: members.len() as u32,
            corroborated_count: members.iter().map(|members| members.len() as u32).sum(),
        }
    }

    /// The members of the clusters of a level, as they are listed: those of most sources and wordings first.
    fn ordered(&self, measure: Measure, level: u8, scope: Option<&Scope>) -> Vec<Vec<u32>> {
        let mut members = self.aggregation.of(measure).members(level);
        members.retain(|members| members.iter().any(|id| self.is_in(*id, scope)));
        let n_wordings = |members: &[u32]| {
            let texts = members
                .iter()
                .map(|id| &self.observations[*id as usize].fingerprint.words);
            texts.collect::<HashSet<_>>().len()
        };
        // The sort is stable: equal ones stay in the order of their first members.
        members.sort_by_cached_key(|members| {
            let n_sources = self.n_sources(members, measure, level);
            std::cmp::Reverse((n_sources, n_wordings(members), members.len()))
        });
        members
    }

    fn listed(&self, params: &Params, scope: Option<&Scope>, limits: &Limits) -> ClusterReport {
        let (measure, level) = cluster_level(params);
        let members = self.ordered(measure, level, scope);
        ClusterReport {
            n_clusters: members.len() as u32,
            corroborated_count: members.iter().map(|members| members.len() as u32).sum(),
            n_observations: self.observations.len() as u32,
            n_boilerplate: self.aggregation.n_boilerplate(),
            elapsed_ms: self.took.as_secs_f64() * 1000.0,
            by_bits: self.agreeing(Measure::Simhash, scope),
            by_words: self.agreeing(Measure::Words, scope),
            clusters: members
                .iter()
                .take(limits.clusters)
                .filter_map(|members| self.cluster(members, measure, level, limits.members))
                .collect(),
        }
    }

    fn cluster(
        &self,
        members: &[u32],
        measure: Measure,
        level: u8,
        n_listed: usize,
    ) -> Option<SaidCluster> {
        let tomorrow = tomorrow();
        let speaker = self.representative(members, tomorrow)?;
        let others = members.iter().copied().filter(|other| *other != speaker);
        let listed = match n_listed {
            0 => Vec::new(),
            n_listed => {
                let mut listed = self.nearest_first(speaker, others, measure);
                listed.truncate(n_listed);
                listed
            }
        };
        let days = self.days(members, tomorrow);
        let sources = members
            .iter()
            .map(|id| &self.observations[*id as usize].source);
        let sources: BTreeSet<&String> = sources.collect();
        Some(SaidCluster {
            canonical: self.said(speaker, speaker, measure),
            members: listed,
            n_members: members.len() as u32 - 1,
            n_sources: self.n_sources(members, measure, level),
            sources: sources.into_iter().cloned().collect(),
            first_date: days.first,
            last_date: days.last,
            n_undated: days.n_undated,
        })
    }

    fn is_in(&self, id: u32, scope: Option<&Scope>) -> bool {
        let place = &self.observations[id as usize].place;
        scope.is_none_or(|scope| {
            scope.folder.0.to_string() == place.folder && scope.holds(&place.path)
        })
    }

    fn n_sources(&self, members: &[u32], measure: Measure, level: u8) -> u32 {
        let clusters = self.aggregation.of(measure);
        let cluster = members.first().and_then(|id| clusters.at(*id, level));
        cluster.map_or(1, |cluster| cluster.n_sources)
    }

    /// Returns the first and the last plausible day of some observations.
    fn days(&self, members: &[u32], tomorrow: Date) -> Days {
        let day = |id: &u32| self.day_of(*id, tomorrow);
        let days: Vec<Date> = members.iter().filter_map(day).collect();
        Days {
            first: days.iter().min().map(Date::to_string),
            last: days.iter().max().map(Date::to_string),
            n_undated: (members.len() - days.len()) as u32,
        }
    }

    /// Returns how many observations, of a scope or of the whole memory, agree with another one at each limit.
    fn agreeing(&self, measure: Measure, scope: Option<&Scope>) -> Vec<AgreementStep> {
        let clusters = self.aggregation.of(measure);
        let mut n_joined = vec![0_u32; usize::from(measure.level_max()) + 1];
        for id in 0..clusters.n_observations() {
            if let Some(level) = clusters.least_level(id)
                && self.is_in(id, scope)
            {
                n_joined[usize::from(level)] += 1;
            }
        }
        let mut n = 0;
        let steps = (0..).zip(n_joined).map(|(level, n_joined)| {
            n += n_joined;
            AgreementStep {
                limit: limit_of(measure, level),
                n,
            }
        });
        steps.collect()
    }
}

/// Returns the value of the measure's parameter whose level this is.
pub(super) fn limit_of(measure: Measure, level: u8) -> f64 {
    match measure {
        Measure::Simhash => f64::from(level),
        Measure::Words => f64::from(100 - level) / 100.0,
    }
}

#[cfg(test)]
mod tests {
    use memlens_params::AgreementMeasure;

    use super::*;

    #[test]
    fn the_limit_of_each_level_is_the_parameter_that_selects_it() {
        for level in 0..=Measure::Simhash.level_max() {
            let params = Params {
                agreement_measure: AgreementMeasure::Simhash,
                simhash_distance: limit_of(Measure::Simhash, level) as u32,
                ..Params::default()
            };
            assert_eq!(cluster_level(&params), (Measure::Simhash, level));
        }
        for level in 0..=Measure::Words.level_max() {
            let params = Params {
                agreement_measure: AgreementMeasure::Words,
                word_overlap: limit_of(Measure::Words, level),
                ..Params::default()
            };
            assert_eq!(cluster_level(&params), (Measure::Words, level));
        }
    }
}
