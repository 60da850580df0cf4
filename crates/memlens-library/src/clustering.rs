//! Which observations of the whole memory say the same, found in one pass, and where they are.

pub mod clusters;
pub mod drift;
pub mod opened;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::civil::Date;
use memlens_contradict::Rules;
use memlens_corroborate::{
    Aggregation, Fingerprint, Measure, Observation, Standing, aggregate_while, canonical, held,
};
use memlens_params::{AgreementMeasure, NearDuplicates, Params};
use memlens_rank::cluster_level;
use memlens_store::{
    DocumentId, DocumentRow, Folder, NewObservation, Observations, Snapshot, Store,
};
use memlens_wire::{AggregationProgress, AggregationStep, DriftSide, Said};

use crate::EngineError;
use crate::jobs::JobRun;

use drift::oppositions;
use drift::parts::parts;
use drift::pass::{self, Pass, SentencePlace};
use drift::path_date;
use drift::project::Locations;
use drift::read::Read;
use drift::source::Sources;

/// After how many texts the pass checks whether to stop.
const CHECK_INTERVAL: usize = 256;

/// What one pass over all observations of a generation found.
pub struct Clustering {
    /// The generation of the library that it was made from.
    pub generation: u64,
    /// Which observations agree, by ids: positions in the order of folder, path and place in the document.
    pub aggregation: Arc<Aggregation>,
    /// How long the pass took.
    pub took: Duration,
    /// The paths of notes whose observations are left out because the notes differ from what was saved.
    pub altered: Vec<String>,
    /// Which observations contradict each other.
    contradictions: Pass,
    /// How the notes of those are written.
    sources: Sources,
    /// What the notes were compared by.
    compared_by: ComparedBy,
    observations: Vec<Kept>,
    /// Byte range of each observation.
    places: Vec<Range<u32>>,
    of_document: HashMap<DocumentId, Range<u32>>,
}

/// The rules of a pass.
#[derive(Clone)]
struct ComparedBy {
    /// What the user had changed of the pairs of opposite words, as it was stored.
    oppositions: Option<String>,
    rules: Arc<Rules>,
}

impl ComparedBy {
    /// Returns the rules as the user chose them; those of the pass before if nothing changed.
    fn new(store: &Store, before: Option<&Clustering>) -> Result<ComparedBy, EngineError> {
        let oppositions = oppositions::stored(store)?;
        let known = before.map(|before| &before.compared_by);
        if let Some(known) = known.filter(|known| known.oppositions == oppositions) {
            return Ok(known.clone());
        }
        let rules = Arc::new(Rules::new(&oppositions::list(oppositions.as_deref())?));
        Ok(ComparedBy { oppositions, rules })
    }
}

/// What is kept of an observation.
struct Kept {
    place: Arc<Document>,
    said: NewObservation,
    source: String,
    fingerprint: Fingerprint,
    read: Arc<Read>,
    /// The number of the note.
    document: u32,
}

struct Document {
    id: DocumentId,
    checksum: i64,
    folder: String,
    path: String,
    /// The date of the note or of its path.
    date: Option<String>,
}

/// Whether a ranking by these parameters depends on who agrees with whom.
pub fn uses_clusters(params: &Params) -> bool {
    params.corroboration_on
        && (params.corroboration_gain > 0.0 || params.near_duplicates == NearDuplicates::Collapse)
}

/// Finds the contradictions among the observations of the documents, which are given by their numbers.
fn contradictions(
    (store, rules): (&Store, &Rules),
    (folders, documents): (&[Folder], &[&DocumentRow]),
    observations: &[Kept],
    before: Option<&Sources>,
    run: &JobRun<'_, AggregationProgress>,
) -> Result<Option<(Pass, Sources)>, EngineError> {
    let said: Vec<pass::Observed<'_>> = observations
        .iter()
        .map(|kept| pass::Observed {
            text: &kept.said.text,
            read: &kept.read,
            document: kept.document,
            start: kept.said.bytes.start,
            lines: [kept.said.start_line, kept.said.end_line],
        })
        .collect();
    let mut sources = Sources::default();
    let source = |observation: u32| {
        let document = said[observation as usize].document;
        sources.get(store, documents[document as usize], before)
    };
    let mut locations = Locations::new(folders);
    let location = |observation: u32| {
        let document = said[observation as usize].document;
        locations.get(documents[document as usize])
    };
    let pass = Pass::new(rules, &said, source, location, |n_done, n_all| {
        goes_on(run, AggregationStep::Comparing, n_done, n_all)
    })?;
    Ok(pass.map(|pass| (pass, sources)))
}

/// Finds which observations agree; those that surely contradict each other do not. Returns `None` if the run is stopped.
fn aggregate(
    observations: &[Kept],
    contradictions: &Pass,
    run: &JobRun<'_, AggregationProgress>,
) -> Option<Aggregation> {
    let mut sources: HashMap<&str, u32> = HashMap::new();
    let compared: Vec<Observation<'_>> = observations
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
    let n_asked = Cell::new(0_usize);
    aggregate_while(&compared, &contradictions.sure, || {
        n_asked.set(n_asked.get() + 1);
        !n_asked.get().is_multiple_of(CHECK_INTERVAL) || !run.is_stopped()
    })
}

/// The observations of a generation, in the order of their ids.
struct Reading<'s> {
    observations: Vec<Kept>,
    of_document: HashMap<DocumentId, Range<u32>>,
    /// The documents that have observations, by their numbers.
    rows: Vec<&'s DocumentRow>,
    /// The paths of notes that differ from what was saved.
    left_out: Vec<String>,
}

impl<'s> Reading<'s> {
    /// Reads the observations of a snapshot's documents. What the pass before knew of a text is taken from it, if it compared
    /// by the same rules. Returns `None` if the run is stopped.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    fn new(
        (store, rules): (&Store, &Arc<Rules>),
        snapshot: &'s Snapshot,
        before: Option<&Clustering>,
        run: &JobRun<'_, AggregationProgress>,
    ) -> Result<Option<Reading<'s>>, EngineError> {
        let known: HashMap<&str, &Kept> = before
            .filter(|before| Arc::ptr_eq(&before.compared_by.rules, rules))
            .into_iter()
            .flat_map(|before| &before.observations)
            .map(|kept| (kept.said.text.as_str(), kept))
            .collect();
        let documents = documents(snapshot);
        let mut observations: Vec<Kept> = Vec::new();
        let mut of_document: HashMap<DocumentId, Range<u32>> = HashMap::new();
        let mut rows: Vec<&DocumentRow> = Vec::new();
        let Observations { stored, left_out } = store.observations()?;
        let n_all = stored.len();
        for (at, stored) in stored.into_iter().enumerate() {
            if at % CHECK_INTERVAL == 0 && !goes_on(run, AggregationStep::Reading, at, n_all) {
                return Ok(None);
            }
            // One of a document that came since the snapshot.
            let Some((place, around, row)) = documents.get(&stored.document) else {
                continue;
            };
            let said = stored.observation;
            let id = observations.len() as u32;
            of_document.entry(stored.document).or_insert(id..id).end = id + 1;
            // Observations of one note are consecutive.
            let document = of_document.len() as u32 - 1;
            if rows.len() < of_document.len() {
                rows.push(row);
            }
            let known = known.get(said.text.as_str());
            observations.push(Kept {
                place: place.clone(),
                source: said.agent.clone().unwrap_or_else(|| around.clone()),
                fingerprint: known.map_or_else(
                    || Fingerprint::of(&said.text),
                    |known| known.fingerprint.clone(),
                ),
                read: known.map_or_else(
                    || Arc::new(Read::new(rules, &said.text)),
                    |known| known.read.clone(),
                ),
                said,
                document,
            });
        }
        Ok(Some(Reading {
            observations,
            of_document,
            rows,
            left_out,
        }))
    }
}

/// The documents of a snapshot, each with the name of the folder around it.
fn documents(snapshot: &Snapshot) -> HashMap<DocumentId, (Arc<Document>, String, &DocumentRow)> {
    let document = |document| {
        let document: &DocumentRow = document;
        let folder = snapshot
            .folders
            .iter()
            .find(|folder| folder.id == document.folder);
        let place = Arc::new(Document {
            id: document.id,
            checksum: document.checksum,
            folder: document.folder.0.to_string(),
            path: document.path.clone(),
            date: document.date.clone().or_else(|| path_date(&document.path)),
        });
        let name = folder.map_or("", |folder| &folder.name);
        let around = memlens_retrieve::folder_around(&document.path, name);
        (document.id, (place, around.to_owned(), document))
    };
    let rows = snapshot.documents.iter();
    rows.map(|row| document(&**row)).collect()
}

/// Reports progress; returns false if the run is asked to stop.
fn goes_on(
    run: &JobRun<'_, AggregationProgress>,
    step: AggregationStep,
    n_done: usize,
    n_all: usize,
) -> bool {
    run.report(AggregationProgress {
        step,
        n_done: n_done as u32,
        n_all: n_all as u32,
    });
    !run.is_stopped()
}

impl Clustering {
    /// Looks at every observation. What is known of a text from the pass before is taken from it. Returns `None` if the
    /// run is stopped.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub(crate) fn of(
        store: &Store,
        snapshot: &Snapshot,
        before: Option<&Clustering>,
        run: &JobRun<'_, AggregationProgress>,
    ) -> Result<Option<Clustering>, EngineError> {
        let started = Instant::now();
        let compared_by = ComparedBy::new(store, before)?;
        let Some(read) = Reading::new((store, &compared_by.rules), snapshot, before, run)? else {
            return Ok(None);
        };
        let Reading {
            observations,
            of_document,
            rows,
            left_out,
        } = read;
        let found = contradictions(
            (store, &compared_by.rules),
            (&snapshot.folders, &rows),
            &observations,
            before.map(|before| &before.sources),
            run,
        )?;
        let Some((contradictions, sources)) = found else {
            return Ok(None);
        };
        let aggregation = aggregate(&observations, &contradictions, run);
        let Some(aggregation) = aggregation.map(Arc::new) else {
            return Ok(None);
        };
        if aggregation.n_passed_over() > 0 {
            tracing::info!(
                n_observations = observations.len(),
                n_passed_over = aggregation.n_passed_over(),
                "so many are near each other that not all pairs were looked at"
            );
        }
        Ok(Some(Clustering {
            generation: snapshot.generation,
            aggregation,
            took: started.elapsed(),
            altered: left_out,
            contradictions,
            sources,
            compared_by,
            places: observations
                .iter()
                .map(|kept| kept.said.bytes.clone())
                .collect(),
            observations,
            of_document,
        }))
    }

    /// Returns whether a pass over the library as it is now would find the same.
    pub(crate) fn is_current(&self, store: &Store, generation: u64) -> bool {
        self.generation == generation
            && oppositions::stored(store).is_ok_and(|now| now == self.compared_by.oppositions)
    }

    /// The observations that a chunk with these bytes of a document holds; empty if the document was added later.
    pub fn held_by(&self, bytes: &Range<u32>, document: DocumentId) -> Range<u32> {
        let Some(ids) = self.of_document.get(&document) else {
            return 0..0;
        };
        let places = &self.places[ids.start as usize..ids.end as usize];
        let held = held(bytes, places);
        ids.start + held.start as u32..ids.start + held.end as u32
    }

    /// Other observations that say the same as this one, nearest first.
    pub fn supporters(&self, observation: u32, params: &Params) -> Vec<Said> {
        let (measure, level) = cluster_level(params);
        let members = self.aggregation.of(measure).members_of(observation, level);
        let others = members.into_iter().filter(|other| *other != observation);
        self.nearest_first(observation, others, measure)
    }

    /// Returns the contradictions among the observations.
    pub(crate) fn contradictions(&self) -> &Pass {
        &self.contradictions
    }

    /// Returns the note of an observation and its checksum at the time of the pass.
    pub(crate) fn document_of(&self, id: u32) -> (DocumentId, i64) {
        let place = &self.observations[id as usize].place;
        (place.id, place.checksum)
    }

    /// Returns the date of an observation, as written: its own, that of its note, or that of the path.
    pub(crate) fn date_of(&self, id: u32) -> Option<&str> {
        let kept = &self.observations[id as usize];
        kept.said.date.as_deref().or(kept.place.date.as_deref())
    }

    /// Returns one side of a contradiction, as if no other observation said the same.
    pub(crate) fn drift_side(&self, id: u32, place: &SentencePlace) -> DriftSide {
        let kept = &self.observations[id as usize];
        let said = parts(&kept.said.text, &place.sentence, &place.words);
        let [line, end_line] = place.lines;
        DriftSide {
            folder: kept.place.folder.clone(),
            path: kept.place.path.clone(),
            line,
            end_line,
            before: said.before,
            text: said.text,
            parts: said.parts,
            after: said.after,
            date: self.date_of(id).map(str::to_owned),
            agent: kept.source.clone(),
            n_same: 0,
            has_more_same: false,
        }
    }

    /// Returns the day of an observation; `None` if it has none, or one of 1970 or after `tomorrow`.
    fn day_of(&self, id: u32, tomorrow: Date) -> Option<Date> {
        let day = self.date_of(id)?.parse().ok()?;
        drift::is_plausible(day, tomorrow).then_some(day)
    }

    /// Returns the member that represents all.
    fn representative(&self, members: &[u32], tomorrow: Date) -> Option<u32> {
        canonical(members, |id| {
            let day = self.day_of(id, tomorrow);
            let days = day.and_then(|day| day.since(Date::constant(1970, 1, 1)).ok());
            Standing {
                weight: self.observations[id as usize].said.weight,
                day: days.map(|days| days.get_days()),
            }
        })
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
