//! A query set that was retrieved once and can be ranked any number of times.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memlens_emulate::Filling;
use memlens_eval::{Scores, Shown, score_shown};
use memlens_library::clustering::uses_clusters;
use memlens_library::emulation::searched::Asker;
use memlens_library::jobs::SetRun;
use memlens_library::notes::place::note_path;
use memlens_library::ranking::Ranking;
use memlens_library::search::{Search, native};
use memlens_library::{EngineError, Library, answers_outside};
use memlens_params::{HookMode, ParameterSet, Params, Phase, RerankMode, Value, Values};
use memlens_rank::{AnyPipeline, CandidateSet};
use memlens_retrieve::{DEPTH_MAX, Part};
use memlens_wire::{Origin, OriginCount};

use super::Wish;
use super::followed::{Lines, RelevantPlace, followed_gold};
use super::kept_set::{KeptQuery, KeptSet};
use crate::made_by;
use crate::tuning::Tuning;

/// Depth of each query's lists while no slider needs more: both depths are 50 by default.
const DEPTH_KEPT: usize = 200;

/// Maximum number of queries that are retained: each takes some 200 KB.
const QUERIES_MAX: usize = 2_000;

/// Notice if a model reranks.
const RERANKED: &str = "the reranker scored the rows that these settings send to it; settings that would send others are measured without those rows’ scores";

/// Maximum number of notices about single queries; the others are only counted.
const NOTICES_SHOWN: usize = 5;

/// A query set that was retrieved, in the form that tuning ranks.
pub(crate) struct Prepared {
    pub pipeline: &'static dyn AnyPipeline,
    /// Whether a model scored the rows that the preparing values sent; other rows have no score.
    pub is_reranked: bool,
    pub name: String,
    pub hash: String,
    /// Id of the model that embedded the notes, or ids joined by "and" if it changed meanwhile; `None` if it is not known.
    pub model: Option<String>,
    /// The judged queries and those of nonsense, in the set's order.
    pub queries: Vec<PreparedQuery>,
    /// How many queries are not judged yet.
    pub n_unjudged: u32,
    /// How many relevant places count, of each origin.
    pub origins: Vec<OriginCount>,
    pub notices: Vec<String>,
}

/// A query with its candidates.
pub(crate) struct PreparedQuery {
    /// Id of the query within its set.
    pub id: String,
    pub query: String,
    /// Category of the query; `None` without one.
    pub category: Option<String>,
    /// How many relevant places it has; 0 if nothing should be found.
    pub n_relevant: usize,
    /// Candidates with all facts, without the thumbs that were given for this very question.
    pub set: CandidateSet,
    /// For each candidate, the relevant places that it shows.
    shown: Vec<Vec<u16>>,
    /// For each candidate, whether its note has a relevant place.
    of_relevant_note: Vec<bool>,
    /// How long it took to ask, in milliseconds, if that is timed; else what is shared with other questions may be missing.
    /// Rankings come on top.
    pub asked_ms: f64,
}

/// Cache key of a prepared set.
#[derive(Clone, PartialEq)]
pub(crate) struct PreparedKey {
    hash: String,
    /// Not part of the version: the set's name, the folder of its paths, and the number of places of each origin.
    set: (String, PathBuf, Vec<OriginCount>),
    without: Vec<Origin>,
    is_timed: bool,
    pipeline: &'static str,
    /// Values that form the lists, or that models are called with.
    lists: Vec<String>,
    depth: usize,
    /// Changes whenever the notes of an emulated memory change; 0 for the library's own lists.
    memory: u64,
    /// Generations of the library and of the thumbs.
    generations: (u64, u64),
}

impl PreparedKey {
    /// Whether these values rank the same lists.
    pub fn is_of(&self, pipeline: &dyn AnyPipeline, values: &Values, generation: u64) -> bool {
        self.generations.0 == generation
            && self.pipeline == pipeline.id().0
            && self.lists == lists_of(values)
            && self.depth >= depth_kept(values)
    }
}

impl PreparedQuery {
    /// Metrics of a ranking for this query, computed from the ranked rows.
    pub fn scores(&self, kept: &[(u32, f64)]) -> Scores {
        let rows = kept.iter().map(|(slot, _)| {
            let slot = *slot as usize;
            Shown {
                ranges: &self.shown[slot],
                is_of_gold_file: self.of_relevant_note[slot],
            }
        });
        score_shown(self.n_relevant, rows)
    }

    /// Number of relevant places that no returned row shows, but a copy folded under one.
    pub fn n_folded(&self, prepared: &Prepared, values: &Values) -> usize {
        let is_grouped = |slot: usize| self.set.candidates[slot].copies.is_some();
        // Most questions have no relevant copy, and need no trace.
        if !(0..self.shown.len()).any(|slot| !self.shown[slot].is_empty() && is_grouped(slot)) {
            return 0;
        }
        let trace = prepared.pipeline.rank(&self.set, values);
        let columns = trace.columns(&self.set, |_| None);
        let shown_by = |slots: &mut dyn Iterator<Item = u32>| -> HashSet<u16> {
            slots
                .flat_map(|slot| &self.shown[slot as usize])
                .copied()
                .collect()
        };
        let shown = shown_by(&mut trace.kept().iter().copied());
        let mut folded = columns
            .copies
            .iter()
            .flat_map(|row| row.copies.iter().copied());
        shown_by(&mut folded).difference(&shown).count()
    }

    /// Whether a candidate shows a relevant place.
    pub fn is_relevant(&self, slot: u32) -> bool {
        !self.shown[slot as usize].is_empty()
    }
}

impl Prepared {
    /// Queries that the metrics are computed from.
    pub fn judged(&self) -> impl Iterator<Item = &PreparedQuery> {
        self.queries.iter().filter(|it| it.n_relevant > 0)
    }

    /// Queries that should return nothing.
    pub fn nonsense(&self) -> impl Iterator<Item = &PreparedQuery> {
        self.queries.iter().filter(|it| it.n_relevant == 0)
    }

    /// Returned rows of a query, best first, with their last score.
    pub fn rank(&self, query: &PreparedQuery, values: &Values) -> Vec<(u32, f64)> {
        self.pipeline.order(&query.set, values)
    }
}

/// A query set as it is asked now; the previously prepared one if nothing relevant changed. `None` if it was
/// stopped.
///
/// # Errors
/// As [`crate::tuning::query_set`], and where the first query cannot be asked.
pub(crate) fn prepare_set(
    library: &Library,
    wish: &Wish,
    going: &SetRun<'_>,
) -> Result<Option<Arc<Prepared>>, EngineError> {
    let key = prepared_key(library, wish)?;
    let tuning = library.feature::<Tuning>();
    let mut held = tuning.prepared.lock();
    if let Some((_, latest)) = held.iter().find(|(of, _)| *of == key) {
        return Ok(Some(latest.clone()));
    }
    let Some(prepared) = prepare(library, wish, key.depth, going)? else {
        return Ok(None);
    };
    let (prepared, is_whole) = prepared;
    let prepared = Arc::new(prepared);
    if !is_whole {
        // A failure may be temporary.
        return Ok(Some(prepared));
    }
    // The current ranking and the pinned one may be of two pipelines.
    held.retain(|(of, _)| of.hash == key.hash && of.generations == key.generations);
    if held.len() >= 2 {
        held.remove(0);
    }
    held.push((key, prepared.clone()));
    Ok(Some(prepared))
}

fn prepared_key(library: &Library, wish: &Wish) -> Result<PreparedKey, EngineError> {
    let (loaded, ranking) = (&wish.loaded, &wish.ranking);
    let values = &ranking.values;
    Ok(PreparedKey {
        hash: loaded.info.hash.clone(),
        set: (
            loaded.info.name.clone(),
            loaded.set.base.clone(),
            loaded.info.counts.origins.clone(),
        ),
        without: wish.without.clone(),
        is_timed: wish.is_timed,
        pipeline: ranking.pipeline.id().0,
        lists: lists_of(values),
        depth: depth_kept(values),
        memory: library.memory_stamp(ranking),
        generations: (
            library.lists().snapshot.generation,
            library.store().feedback_generation()?,
        ),
    })
}

fn prepare(
    library: &Library,
    wish: &Wish,
    depth: usize,
    going: &SetRun<'_>,
) -> Result<Option<(Prepared, bool)>, EngineError> {
    let Wish {
        loaded,
        without,
        ranking,
        ..
    } = wish;
    if let Some(params) = ranking.params() {
        library.aggregate_for(&params)?;
    }
    let set = &loaded.set;
    let lists = library.lists();
    let missing = set
        .finder(&lists.snapshot)
        .check(&loaded.info.name, set.judged_paths(without))?;
    let gold = followed_gold(set, without, &lists.snapshot);
    let gone = gold.notice();
    let asked: Vec<usize> = (0..set.queries.len())
        .filter(|at| gold.of_query[*at].is_some())
        .collect();
    let mut prepared = Prepared {
        pipeline: ranking.pipeline,
        is_reranked: reranks(&ranking.values),
        name: loaded.info.name.clone(),
        hash: loaded.info.hash.clone(),
        model: None,
        queries: Vec::new(),
        n_unjudged: (set.queries.len() - asked.len()) as u32,
        origins: gold.origins,
        notices: loaded.notices.clone(),
    };
    prepared.notices.extend(missing);
    prepared.notices.extend(gone);
    prepared
        .notices
        .extend(prepared.is_reranked.then(|| RERANKED.to_owned()));
    let answers = gold.of_query.iter().flatten().flatten();
    let answers = answers.map(|place| place.path.as_path());
    let outside = answers_outside(library, ranking, answers)?;
    prepared.notices.splice(0..0, outside);
    let asked = spread(asked, &mut prepared.notices);
    going.expect(asked.len());
    let asked: Vec<_> = asked
        .into_iter()
        .map(|at| {
            let relevant = gold.of_query[at].as_deref().unwrap_or_default();
            (&set.queries[at], relevant)
        })
        .collect();
    let Some(answers) = ask_all(library, wish, &asked, depth, going) else {
        return Ok(None);
    };
    let Answers {
        queries,
        models,
        mut notices,
        failed,
    } = answers;
    let is_whole = failed.is_none();
    if let Some(error) = failed.filter(|_| queries.is_empty()) {
        return Err(error);
    }
    prepared.queries = queries;
    prepared.model = made_by::models(models.iter().map(Option::as_deref));
    let n_more = notices.len().saturating_sub(NOTICES_SHOWN);
    notices.truncate(NOTICES_SHOWN);
    prepared.notices.extend(notices);
    prepared
        .notices
        .extend((n_more > 0).then(|| format!("and {n_more} more like this")));
    Ok(Some((prepared, is_whole)))
}

/// What the queries of a set were answered with.
#[derive(Default)]
struct Answers {
    queries: Vec<PreparedQuery>,
    /// Id of the model that embedded the notes of each search.
    models: Vec<Option<String>>,
    /// Notices about single queries, those left out included.
    notices: Vec<String>,
    /// The first error, if any query was left out.
    failed: Option<EngineError>,
}

/// Asks each query, given with its relevant places. `None` if it was stopped.
fn ask_all(
    library: &Library,
    wish: &Wish,
    asked: &[(&KeptQuery, &[RelevantPlace])],
    depth: usize,
    going: &SetRun<'_>,
) -> Option<Answers> {
    let ranking = &wish.ranking;
    let looks_ahead = ranking.is_of_library() && !wish.is_timed;
    let in_turn = library.in_turn(asked, |(query, _)| looks_ahead.then_some(&*query.query));
    let mut answers = Answers::default();
    for (query, relevant) in in_turn {
        let scope = query.scope.as_deref();
        match ask_of(library, &query.query, scope, &wish.loaded.set, ranking) {
            Ok(search) => {
                let columns = search.columns(&ranking.values);
                let fallbacks = columns.fallbacks();
                let notices = fallbacks.map(|notice| format!("query {}: {notice}", query.id));
                answers.notices.extend(notices);
                answers.models.push(search.model.clone());
                answers.queries.push(PreparedQuery {
                    category: query.category.clone(),
                    ..PreparedQuery::of(query.id.clone(), &search, relevant, depth)
                });
            }
            Err(error) => {
                let notice = format!("query {}: left out: {error}", query.id);
                answers.notices.push(notice);
                answers.failed.get_or_insert(error);
            }
        }
        if !going.goes_on() {
            return None;
        }
    }
    Some(answers)
}

/// Asks one query by itself: the search is not retained among the user's searches, except if a model outside of
/// ranking is called, and its own thumbs do not count.
fn ask_of(
    library: &Library,
    query: &str,
    scope: Option<&str>,
    set: &KeptSet,
    ranking: &Ranking,
) -> Result<Search, EngineError> {
    let part = match scope {
        None => Part::All,
        Some(scope) => Part::Folder(library.scope(&set.absolute(scope).display().to_string())?),
    };
    let search = match ranking.params() {
        Some(params) if asks_outside(&params) => {
            let search = library.search_as(query, ranking, part)?;
            library.ask(search.id, &params)?
        }
        _ if Filling::of(&ranking.values).is_some() => library.search_as(query, ranking, part)?,
        _ => library.search_unfilled(query, ranking, part, Asker::default(), false)?,
    };
    Ok(search.without_own_thumbs())
}

impl PreparedQuery {
    fn of(id: String, search: &Search, relevant: &[RelevantPlace], depth: usize) -> PreparedQuery {
        let mut by_path: HashMap<&Path, Vec<(u16, Lines)>> = HashMap::new();
        for (at, place) in (0..).zip(relevant) {
            by_path
                .entry(&place.path)
                .or_default()
                .push((at, place.lines));
        }
        let (set, slots) = match native(&search.params) {
            Some(_) => search.set().within_depth(depth as u32),
            None => (
                search.set().clone(),
                (0..search.set().candidates.len() as u32).collect(),
            ),
        };
        let rows = &search.retrieved.rows;
        let places = slots.iter().map(|slot| {
            let row = &rows[*slot as usize];
            let path = note_path(&row.note.folder_path, &row.note.path);
            let Some(of_note) = by_path.get(path.as_path()) else {
                return (Vec::new(), false);
            };
            let shown = of_note
                .iter()
                .filter(|(_, (start, end))| row.start_line <= *end && row.end_line >= *start);
            (shown.map(|(at, _)| *at).collect(), true)
        });
        let (shown, of_relevant_note) = places.unzip();
        PreparedQuery {
            id,
            query: search.query.clone(),
            category: None,
            n_relevant: relevant.len(),
            set,
            shown,
            of_relevant_note,
            asked_ms: search.timing.total().as_secs_f64() * 1e3,
        }
    }
}

/// Values that form the lists, or that a model is called with.
fn lists_of(values: &Values) -> Vec<String> {
    let parameters = values.table().parameters.iter();
    let lists = parameters.filter(|it| it.phase != Phase::Rank);
    let lists = lists.map(|it| format!("{} {:?}", it.id, values.get(it.id)));
    // Live switches that decide what else is computed or requested.
    let asked = native(values).map(|params| {
        let reranks = params.rerank_on && params.rerank_share > 0.0;
        format!("clusters {}, reranks {reranks}", uses_clusters(&params))
    });
    lists.chain(asked).collect()
}

/// How deep the lists are kept for these values: all of it only if they go deep themselves.
pub(crate) fn depth_kept(values: &Values) -> usize {
    let goes_deep = |id| match values.get(id) {
        Some(Value::Number(depth)) => depth as usize > DEPTH_KEPT,
        _ => false,
    };
    let is_deep = goes_deep("vector_depth") || goes_deep("bm25_depth");
    if is_deep { DEPTH_MAX } else { DEPTH_KEPT }
}

fn asks_outside(params: &Params) -> bool {
    params.rerank != RerankMode::Off || params.hook != HookMode::Off
}

/// Whether a model scores rows under these values.
fn reranks(values: &Values) -> bool {
    let of_ours = native(values).is_some_and(|params| {
        params.rerank != RerankMode::Off && params.rerank_on && params.rerank_share > 0.0
    });
    of_ours || Filling::of(values).is_some()
}

/// As many queries as are retained, evenly spread over all.
fn spread(all: Vec<usize>, notices: &mut Vec<String>) -> Vec<usize> {
    let n = all.len();
    if n <= QUERIES_MAX {
        return all;
    }
    notices.push(format!(
        "{QUERIES_MAX} of the {n} queries are measured, evenly spread; memlens eval measures all"
    ));
    let taken: HashSet<usize> = (0..QUERIES_MAX).map(|at| at * n / QUERIES_MAX).collect();
    let kept = all
        .into_iter()
        .enumerate()
        .filter(|(at, _)| taken.contains(at));
    kept.map(|(_, query)| query).collect()
}
