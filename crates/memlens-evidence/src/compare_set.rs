//! Two rankings over a query set.

use std::collections::BTreeMap;

use memlens_eval::{
    Doubt, Metric, Nonsense, Place, Query, Scores, Summary, paired_bootstrap, rank_biased_overlap,
    score,
};
use memlens_library::jobs::SetRun;
use memlens_library::ranking::Ranking;
use memlens_library::search::compare::OVERLAP_P;
use memlens_library::search::folded::folded_sentence;
use memlens_library::{EngineError, Library};
use memlens_wire::{Change, QueryChange, QueryScope, SetComparison, SetSide};

use crate::evaluate::Run;
use crate::judged::JudgedFile;
use crate::query_file::QueryFile;
use crate::{judged, made_by, run_query};

#[derive(Default)]
struct Answered {
    changes: Vec<QueryChange>,
    /// By A, then by B.
    nonsense: [Nonsense; 2],
    /// Notices about the two rankings.
    notices: Vec<String>,
    /// How many judged places are in folded copies, by A, then by B.
    n_folded: [usize; 2],
    /// Id of the model that embedded the notes of each search, by A, then by B.
    models: [Vec<Option<String>>; 2],
}

/// Asks every query of a file under both rankings, each with its name; at least one has an answer. `None` if it was
/// stopped.
///
/// # Errors
/// As [`crate::judged::judged`], [`crate::evaluate::run_query`] and [`Library::aggregate_for`].
pub fn compare_over(
    library: &Library,
    file: &QueryFile,
    a: (&str, &Ranking),
    b: (&str, &Ranking),
) -> Result<Option<SetComparison>, EngineError> {
    let run = library.jobs().compare.begin();
    let judged = judged(library, file)?;
    run.expect(judged.queries.len());
    let over = ask_both(library, &judged, a.1, b.1, &run);
    drop(run);
    let Some(Answered {
        changes: per_query,
        nonsense,
        notices,
        n_folded,
        models,
    }) = over?
    else {
        return Ok(None);
    };
    let folded = [a.0, b.0].into_iter().zip(n_folded);
    let folded = folded
        .filter_map(|(named, n)| Some(format!("{named}: {}", folded_sentence(n)?)))
        .collect();
    let notices = [judged.notices, folded, notices].concat();
    let mut all = Change::default();
    let mut by_category: BTreeMap<String, Change> = BTreeMap::new();
    for change in &per_query {
        add(&mut all, &change.a, &change.b);
        if let Some(category) = &change.category {
            let category = by_category.entry(category.clone()).or_default();
            add(category, &change.a, &change.b);
        }
    }
    let model = |side: usize| made_by::models(models[side].iter().map(Option::as_deref));
    let side = |(named, ranking): (&str, &Ranking), at: usize, scores: Vec<&Scores>| SetSide {
        named: named.to_owned(),
        pipeline: ranking.pipeline.id().0,
        model: model(at),
        all: Summary::of(scores).expect("there is at least one query"),
        nonsense: nonsense[at],
    };
    let n_queries = per_query.len();
    Ok(Some(SetComparison {
        queries: file.path.display().to_string(),
        n_queries: n_queries as u32,
        a: side(a, 0, per_query.iter().map(|it| &it.a).collect()),
        b: side(b, 1, per_query.iter().map(|it| &it.b).collect()),
        overlap: per_query.iter().map(|it| it.overlap).sum::<f64>() / n_queries as f64,
        by_category,
        all,
        verdict: verdict(&per_query),
        per_query,
        notices,
    }))
}

/// What cannot be concluded from the change of nDCG@10; `None` if it is certain.
fn verdict(queries: &[QueryChange]) -> Option<String> {
    let (a, b): (Vec<f64>, Vec<f64>) = queries
        .iter()
        .map(|it| (it.a.ndcg_10, it.b.ndcg_10))
        .unzip();
    let doubt = Doubt::of(Metric::Ndcg10, &a, &b, &paired_bootstrap(&a, &b)?);
    doubt.map(|doubt| doubt.to_string())
}

/// Both answers to each query, with notices; `None` if it was stopped.
fn ask_both(
    library: &Library,
    judged: &JudgedFile<'_>,
    a: &Ranking,
    b: &Ranking,
    run: &SetRun<'_>,
) -> Result<Option<Answered>, EngineError> {
    for params in [a, b].into_iter().filter_map(Ranking::params) {
        library.aggregate_for(&params)?;
    }
    let mut answered = Answered::default();
    let is_of_library = a.is_of_library() || b.is_of_library();
    for query in library.in_turn(&judged.queries, |it| is_of_library.then_some(&*it.query)) {
        let by_a = run_query(library, query, &judged.file.base, a, false)?;
        // A stopped query is not answered completely, and the other ranking would still build its memory.
        if run.is_stopped() {
            return Ok(None);
        }
        let by_b = run_query(library, query, &judged.file.base, b, false)?;
        if !run.goes_on() {
            return Ok(None);
        }
        let notices = by_a.notices.iter().chain(&by_b.notices);
        let notices = notices.map(|notice| format!("query {}: {notice}", query.id));
        answered.notices.extend(notices);
        answered.models[0].push(by_a.model.clone());
        answered.models[1].push(by_b.model.clone());
        answered.n_folded[0] += by_a.n_folded;
        answered.n_folded[1] += by_b.n_folded;
        match query.gold() {
            Some(gold) => {
                let change = change(library, judged.file, query, gold, &by_a, &by_b);
                answered.changes.push(change);
            }
            None => {
                for (nonsense, run) in answered.nonsense.iter_mut().zip([&by_a, &by_b]) {
                    nonsense.add(run.places.len());
                }
            }
        }
    }
    Ok(Some(answered))
}

/// Change of one query from A to B.
fn change(
    library: &Library,
    file: &QueryFile,
    query: &Query,
    gold: &[Place],
    by_a: &Run,
    by_b: &Run,
) -> QueryChange {
    // Overlapping lines of the same note are the same place; each place of B matches at most one of A.
    let mut taken = vec![false; by_a.places.len()];
    let of_b: Vec<usize> = (0..)
        .zip(&by_b.places)
        .map(|(at, place)| {
            let mut of_a = by_a.places.iter().enumerate();
            match of_a.find(|(at, it)| !taken[*at] && it.overlaps(place)) {
                Some((same, _)) => {
                    taken[same] = true;
                    same
                }
                None => by_a.places.len() + at,
            }
        })
        .collect();
    let of_a: Vec<usize> = (0..by_a.places.len()).collect();
    let scope = query.scope.as_ref().and_then(|scope| {
        let scope = library.scope(&file.base.join(scope).display().to_string());
        scope.ok().map(|scope| QueryScope {
            folder: scope.folder.0.to_string(),
            path: scope.path,
        })
    });
    QueryChange {
        id: query.id.clone(),
        query: query.query.clone(),
        category: query.category.clone(),
        scope,
        a: score(gold, &by_a.places),
        b: score(gold, &by_b.places),
        overlap: rank_biased_overlap(&of_a, &of_b, OVERLAP_P),
    }
}

/// Adds a query to a mean.
fn add(change: &mut Change, a: &Scores, b: &Scores) {
    let n = f64::from(change.n);
    change.a = (change.a * n + a.ndcg_10) / (n + 1.0);
    change.b = (change.b * n + b.ndcg_10) / (n + 1.0);
    change.n += 1;
    change.outcome.add(a.ndcg_10, b.ndcg_10);
}
