//! Which observations of the whole memory say the same, found in one pass, and who they are.

pub mod clusters;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::civil::Date;
use memlens_corroborate::{
    Aggregation, Fingerprint, Measure, Observation, Standing, aggregate, canonical, held,
};
use memlens_params::{AgreementMeasure, NearDuplicates, Params};
use memlens_rank::cluster_level;
use memlens_retrieve::Scope;
use memlens_store::{DocumentId, NewObservation, Observations, Snapshot, Store};
use memlens_wire::{ClusterReport, Said, SaidCluster};

use crate::EngineError;

/// What one pass over all observations of a generation found.
pub struct Clustering {
    /// The generation of the library that it was made from.
    pub generation: u64,
    /// Who agrees with whom, by ids: places in the order of folder, path and place in the document.
    pub aggregation: Arc<Aggregation>,
    /// How long the pass took.
    pub took: Duration,
    /// The paths of the notes whose observations are left out, since they are not as they were saved.
    pub altered: Vec<String>,
    observations: Vec<Kept>,
    /// The bytes of each.
    places: Vec<Range<u32>>,
    of_document: HashMap<DocumentId, Range<u32>>,
}

/// What is kept of an observation.
struct Kept {
    place: Arc<Document>,
    said: NewObservation,
    source: String,
    fingerprint: Fingerprint,
    /// The number of the note.
    document: u32,
}

struct Document {
    folder: String,
    path: String,
}

/// Whether a ranking by these parameters depends on who agrees with whom.
pub fn uses_clusters(params: &Params) -> bool {
    params.corroboration_on
        && (params.corroboration_gain > 0.0 || params.near_duplicates == NearDuplicates::Collapse)
}

impl Clustering {
    /// Looks at every observation. Fingerprints of texts that the pass before has seen are taken from it.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub fn of(
        store: &Store,
        snapshot: &Snapshot,
        before: Option<&Clustering>,
    ) -> Result<Clustering, EngineError> {
        let started = Instant::now();
        let known: HashMap<&str, &Fingerprint> = before
            .into_iter()
            .flat_map(|before| &before.observations)
            .map(|kept| (kept.said.text.as_str(), &kept.fingerprint))
            .collect();
        let documents: HashMap<DocumentId, (Arc<Document>, String)> = snapshot
            .documents
            .iter()
            .map(|document| {
                let folder = snapshot
                    .folders
                    .iter()
                    .find(|folder| folder.id == document.folder);
                let place = Arc::new(Document {
                    folder: document.folder.0.to_string(),
                    path: document.path.clone(),
                });
                let name = folder.map_or("", |folder| &folder.name);
                let around = memlens_retrieve::folder_around(&document.path, name);
                (document.id, (place, around.to_owned()))
            })
            .collect();

        let mut observations: Vec<Kept> = Vec::new();
        let mut of_document: HashMap<DocumentId, Range<u32>> = HashMap::new();
        let Observations { stored, left_out } = store.observations()?;
        for stored in stored {
            // One of a document that came since the snapshot.
            let Some((place, around)) = documents.get(&stored.document) else {
                continue;
            };
            let said = stored.observation;
            let id = observations.len() as u32;
            of_document.entry(stored.document).or_insert(id..id).end = id + 1;
            // Those of one note follow each other.
            let document = of_document.len() as u32 - 1;
            observations.push(Kept {
                place: place.clone(),
                source: said.agent.clone().unwrap_or_else(|| around.clone()),
                fingerprint: known
                    .get(said.text.as_str())
                    .map_or_else(|| Fingerprint::of(&said.text), |known| (*known).clone()),
                said,
                document,
            });
        }
        let mut sources: HashMap<&str, u32> = HashMap::new();
        let looked_at: Vec<Observation<'_>> = observations
            .iter()
            .map(|kept| {
                let next = sources.len() as u32;
                Observation {
                    fingerprint: &kept.fingerprint,
                    source: *sources.entry(&kept.source).or_insert(next),
                    document: kept.document,
                }
            })
            .collect();
        let aggregation = Arc::new(aggregate(&looked_at, &[]));
        if aggregation.n_passed_over() > 0 {
            tracing::info!(
                n_observations = observations.len(),
                n_passed_over = aggregation.n_passed_over(),
                "so many are near each other that not all pairs were looked at"
            );
        }
        Ok(Clustering {
            generation: snapshot.generation,
            aggregation,
            took: started.elapsed(),
            altered: left_out,
            places: observations
                .iter()
                .map(|kept| kept.said.bytes.clone())
                .collect(),
            observations,
            of_document,
        })
    }

    /// The observations that a chunk with these bytes of a document holds; empty for one of a document that came since.
    pub fn held_by(&self, bytes: &Range<u32>, document: DocumentId) -> Range<u32> {
        let Some(ids) = self.of_document.get(&document) else {
            return 0..0;
        };
        let places = &self.places[ids.start as usize..ids.end as usize];
        let held = held(bytes, places);
        ids.start + held.start as u32..ids.start + held.end as u32
    }

    /// Who else says what this observation says, nearest first.
    pub fn supporters(&self, observation: u32, params: &Params) -> Vec<Said> {
        let (measure, level) = cluster_level(params);
        let members = self.aggregation.of(measure).members_of(observation, level);
        let others = members.into_iter().filter(|other| *other != observation);
        self.nearest_first(observation, others, measure)
    }

    /// The clusters at the distance that the parameters name; in a scope those of which a member stands in it.
    pub fn report(&self, params: &Params, scope: Option<&Scope>) -> ClusterReport {
        let (measure, level) = cluster_level(params);
        let clusters = self.aggregation.of(measure);
        let mut members = clusters.members(level);
        let is_in = |id: &u32| {
            let place = &self.observations[*id as usize].place;
            scope.is_none_or(|scope| {
                scope.folder.0.to_string() == place.folder && scope.holds(&place.path)
            })
        };
        members.retain(|members| members.iter().any(is_in));
        let n_sources = |members: &[u32]| {
            let cluster = members.first().and_then(|id| clusters.at(*id, level));
            cluster.map_or(1, |cluster| cluster.n_sources)
        };
        let n_wordings = |members: &[u32]| {
            let texts = members
                .iter()
                .map(|id| &self.observations[*id as usize].fingerprint.words);
            texts.collect::<HashSet<_>>().len()
        };
        // Stable: equals stay in the order of their first members.
        members.sort_by_cached_key(|members| {
            std::cmp::Reverse((n_sources(members), n_wordings(members), members.len()))
        });
        ClusterReport {
            n_clusters: members.len() as u32,
            corroborated_count: members.iter().map(|members| members.len() as u32).sum(),
            n_observations: self.observations.len() as u32,
            n_boilerplate: self.aggregation.n_boilerplate(),
            elapsed_ms: self.took.as_secs_f64() * 1000.0,
            clusters: members
                .iter()
                .filter_map(|members| {
                    let speaker = canonical(members, |id| self.standing(id))?;
                    let others = members.iter().copied().filter(|other| *other != speaker);
                    Some(SaidCluster {
                        canonical: self.said(speaker, speaker, measure),
                        members: self.nearest_first(speaker, others, measure),
                        n_members: members.len() as u32 - 1,
                        n_sources: n_sources(members),
                    })
                })
                .collect(),
        }
    }

    fn standing(&self, id: u32) -> Standing {
        let said = &self.observations[id as usize].said;
        let date: Option<Date> = said.date.as_deref().and_then(|date| date.parse().ok());
        let days = date.and_then(|date| date.since(Date::constant(1970, 1, 1)).ok());
        Standing {
            weight: said.weight,
            day: days.map(|days| days.get_days()),
        }
    }

    fn nearest_first(
        &self,
        from: u32,
        others: impl Iterator<Item = u32>,
        measure: Measure,
    ) -> Vec<Said> {
        let mut said: Vec<Said> = others
            .map(|other| self.said(other, from, measure))
            .collect();
        said.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        said
    }

    fn said(&self, id: u32, from: u32, measure: Measure) -> Said {
        let kept = &self.observations[id as usize];
        let beside = &self.observations[from as usize];
        Said {
            folder: kept.place.folder.clone(),
            path: kept.place.path.clone(),
            line: kept.said.start_line,
            end_line: kept.said.end_line,
            text: kept.said.text.clone(),
            source: kept.source.clone(),
            distance: measure.distance(&kept.fingerprint, &beside.fingerprint),
            measure: match measure {
                Measure::Simhash => AgreementMeasure::Simhash,
                Measure::Words => AgreementMeasure::Words,
            },
        }
    }
}
