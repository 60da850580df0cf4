//! The evaluation gate: the quality of the default ranking, query by query, with the real bundled model.
//!
//! `tests/golden/eval.csv`, `stages.csv` and `nonsense.csv` are reviewed like code: a changed line is a changed
//! ranking. `stages.csv` has the stages that are off by default, each alone. `nonsense.csv` has what the default
//! ranking returns for questions that the notes do not answer. `UPDATE_GOLDEN=1` writes them again, on a processor that
//! [sums exactly](sums_exactly).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memlens_embed::sums_exactly;
use memlens_engine::{CLOSE_TO_FACT, Indexer, Library, Purpose, Search, Step, bundled};
use memlens_eval::{Judgment, Nonsense, Place, Query, QuerySet, Scores, Summary, score};
use memlens_params::{ParameterSet, Params};
use memlens_rank::{NATIVE, order};

/// The lower limits of the default ranking, whatever `eval.csv` says.
const NDCG_10_MIN: f64 = 0.85;
const HIT_FILE_MIN: f64 = 0.96;

/// The tolerance on a processor that does not [sum exactly](sums_exactly): one in `DIFFERING_SHARE` lines may differ in
/// a column. The mean of the column may differ by `MEAN_ERROR_MAX`, or by this share of it if it is above 1.
const DIFFERING_SHARE: usize = 10;
const MEAN_ERROR_MAX: f64 = 0.02;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The outcome of one query with one set of parameters.
struct Judged {
    scores: Scores,
    /// The rank of the first result that holds an answer, 1-based; `None` if no result does.
    first_rank: Option<usize>,
}

fn judge(query: &Query, search: &Search, params: &Params) -> Judged {
    let trace = search.rank(params);
    let returned: Vec<Place> = trace
        .kept()
        .iter()
        .map(|slot| {
            let row = search.row(*slot).expect("it was ranked");
            Place::new(row.path, row.start_line, row.end_line)
        })
        .collect();
    let gold = query.gold().expect("every query has an answer");
    let is_answer = |place: &Place| gold.iter().any(|gold| gold.overlaps(place));
    Judged {
        scores: score(gold, &returned),
        first_rank: returned.iter().position(is_answer).map(|at| at + 1),
    }
}

fn csv(queries: &[Query], judged: &[Judged]) -> String {
    let mut csv = "id,category,ndcg@10,mrr@10,hit_file,first_relevant_rank\n".to_owned();
    for (query, judged) in queries.iter().zip(judged) {
        csv += &format!(
            "{},{},{:.4},{:.4},{:.4},{}\n",
            query.id,
            query.category.as_deref().unwrap_or_default(),
            judged.scores.ndcg_10,
            judged.scores.mrr_10,
            judged.scores.hit_file,
            judged
                .first_rank
                .map_or(String::new(), |rank| rank.to_string()),
        );
    }
    csv
}

/// Stages that are off by default, each alone at a value that a user may choose. Decay is left out, since the notes are
/// dated by their checkout.
const ALONE: [(&str, &[&str]); 5] = [
    ("corroboration", &["corroboration_on=true"]),
    (
        "corroboration_by_sources",
        &["corroboration_on=true", "corroboration_by=sources"],
    ),
    (
        "corroboration_by_words",
        &["corroboration_on=true", "agreement_measure=words"],
    ),
    ("diversity", &["mmr_lambda=0.7"]),
    ("late", LATE),
];

/// Late interaction, with enough time on any machine.
const LATE: &[&str] = &["rerank=late", "rerank_timeout_ms=60000"];

/// Returns the nDCG@10 of every query: with the defaults, then with each stage alone.
fn stages_csv(queries: &[Query], defaults: &[Judged], alone: &[Vec<Judged>]) -> String {
    let names = ALONE.map(|(name, _)| name).join(",");
    let mut csv = format!("id,defaults,{names}\n");
    for (at, query) in queries.iter().enumerate() {
        let ndcg = |judged: &[Judged]| format!("{:.4}", judged[at].scores.ndcg_10);
        let values: Vec<String> = std::iter::once(ndcg(defaults))
            .chain(alone.iter().map(|judged| ndcg(judged)))
            .collect();
        csv += &format!("{},{}\n", query.id, values.join(","));
    }
    csv
}

/// Returns the number of results of each nonsense question, and the best score.
fn nonsense_csv(queries: &[Query], scores: &[Vec<f64>]) -> String {
    let mut csv = "id,category,returned,best_score\n".to_owned();
    for (query, scores) in queries.iter().zip(scores) {
        let best = scores.first().map(|best| format!("{best:.2}"));
        csv += &format!(
            "{},{},{},{}\n",
            query.id,
            query.category.as_deref().unwrap_or_default(),
            scores.len(),
            best.unwrap_or_default(),
        );
    }
    csv
}

/// Checks a table against the committed one, and names the lines that differ.
fn check_golden(name: &str, found: &str) {
    let path = here("golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, found).expect("it can be written");
        return;
    }
    let expected = fs::read_to_string(&path).expect("it is committed");
    let lines = |text: &str| -> BTreeMap<String, String> {
        let by_id = |line: &str| {
            (
                line.split(',').next().unwrap_or_default().to_owned(),
                line.to_owned(),
            )
        };
        text.lines().map(by_id).collect()
    };
    let (was, is) = (lines(&expected), lines(found));
    let differing: Vec<String> = was
        .keys()
        .chain(is.keys())
        .filter(|id| was.get(*id) != is.get(*id))
        .map(|id| format!("-{:?}\n+{:?}", was.get(id), is.get(id)))
        .collect();
    let is_alike = !sums_exactly() && is_about(&expected, found);
    assert!(
        expected == found || is_alike,
        "the ranking changed; look at each line, then UPDATE_GOLDEN=1 writes {}:\n{}",
        path.display(),
        differing.join("\n")
    );
}

/// Returns whether two tables of the same lines differ in few values of each column, and little in the mean.
fn is_about(expected: &str, found: &str) -> bool {
    let columns = |table: &str| -> Vec<Vec<String>> {
        let n_columns = table
            .lines()
            .next()
            .map_or(0, |head| head.split(',').count());
        let column = |at: usize| {
            let values = table.lines().map(|line| line.split(',').nth(at));
            values.map(|it| it.unwrap_or_default().to_owned()).collect()
        };
        (0..n_columns).map(column).collect()
    };
    let (expected, found) = (columns(expected), columns(found));
    let is_column_alike = |(expected, found): (&Vec<String>, &Vec<String>)| {
        let numbers = |values: &[String]| -> Option<Vec<f64>> {
            // The head is not a value, and a field is empty if there is no result.
            let values = values[1..]
                .iter()
                .map(|it| if it.is_empty() { "0" } else { it });
            values.map(|it| it.parse().ok()).collect()
        };
        let (Some(was), Some(is)) = (numbers(expected), numbers(found)) else {
            return expected == found;
        };
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
        let n_differing = was.iter().zip(&is).filter(|(was, is)| was != is).count();
        expected[0] == found[0]
            && was.len() == is.len()
            && n_differing * DIFFERING_SHARE <= was.len()
            && (mean(&was) - mean(&is)).abs() <= MEAN_ERROR_MAX * mean(&was).max(1.0)
    };
    expected.len() == found.len() && expected.iter().zip(&found).all(is_column_alike)
}

#[test]
fn tables_are_alike_where_few_values_differ_by_little() {
    let table = |values: &[&str]| {
        let lines = values.iter().enumerate();
        let lines = lines.map(|(at, value)| format!("q{at},near,{value}\n"));
        format!("id,category,ndcg\n{}", lines.collect::<String>())
    };
    let was = table(&["0.5"; 20]);
    let mut values = ["0.5"; 20];
    assert!(is_about(&was, &table(&values)));
    values[4] = "";
    assert!(!is_about(&was, &table(&values)), "the mean fell by 0.025");
    (values[3], values[4]) = ("0.6", "0.4");
    assert!(is_about(&was, &table(&values)));
    values[5] = "0.51";
    assert!(!is_about(&was, &table(&values)), "three of twenty differ");
    assert!(!is_about(&was, &was.replace("q7", "q8")));
    assert!(!is_about(&was, &table(&["0.5"; 19])));
}

#[test]
fn the_default_ranking_is_as_good_as_it_was() {
    let notes = here("fixtures/agent-memory-57");
    let queries = fs::read(notes.join("queries.jsonl")).expect("it is committed");
    let set = QuerySet::parse(&queries);
    assert_eq!((set.queries.len(), set.bad_lines.len()), (57, 0));

    let source = bundled(Vec::new());
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let go_on = AtomicBool::new(false);
    let embedder = source(Purpose::Indexing).expect("`cargo xtask setup` was run");
    let (mut indexer, _) = Indexer::open(dir.path(), embedder).expect("it can be opened");
    let folder = indexer.add_folder(&notes).expect("it can be added");
    indexer.scan(&folder, &go_on).expect("it can be walked");
    assert_eq!(
        indexer.run(&go_on, &mut ()).expect("it can be indexed"),
        Step::Idle
    );
    drop(indexer);

    let library = Library::open(dir.path(), source).expect("it can be opened");
    library.aggregate().expect("observations can be compared");
    let params_with = |settings: &[&str]| {
        let mut params = Params::default();
        params
            .assign_all(settings.iter().copied())
            .expect("they are in the table");
        params
    };
    // The scores of late interaction are cached; only its own parameters use them.
    let searches: Vec<Arc<Search>> = set
        .queries
        .iter()
        .map(|query| {
            let search = library
                .search(&query.query, &Params::default(), None)
                .expect("it can be searched");
            library
                .ask(search.id, &params_with(LATE))
                .expect("it was just searched")
        })
        .collect();
    let judged_with = |settings: &[&str]| -> Vec<Judged> {
        let params = params_with(settings);
        set.queries
            .iter()
            .zip(&searches)
            .map(|(query, search)| judge(query, search, &params))
            .collect()
    };
    let mean = |judged: &[Judged]| {
        Summary::of(judged.iter().map(|judged| &judged.scores))
            .expect("there are queries")
            .mean
    };
    let with_both = judged_with(&[]);
    let [both, vector, bm25] = [
        mean(&with_both),
        mean(&judged_with(&["bm25_on=false"])),
        mean(&judged_with(&["vector_on=false"])),
    ];
    for (name, mean) in [
        ("both lists", both),
        ("vector alone", vector),
        ("bm25 alone", bm25),
    ] {
        println!(
            "{name}: nDCG@10 {:.4}, hit_file {:.4}",
            mean.ndcg_10, mean.hit_file
        );
    }
    assert!(
        both.ndcg_10 >= NDCG_10_MIN,
        "nDCG@10 is {:.4}",
        both.ndcg_10
    );
    assert!(
        both.hit_file >= HIT_FILE_MIN,
        "hit_file is {:.4}",
        both.hit_file
    );
    assert!(
        both.ndcg_10 > vector.ndcg_10.max(bm25.ndcg_10),
        "{:.4} does not exceed the lists alone: {:.4} and {:.4}",
        both.ndcg_10,
        vector.ndcg_10,
        bm25.ndcg_10
    );
    let alone: Vec<Vec<Judged>> = ALONE
        .iter()
        .map(|(_, settings)| judged_with(settings))
        .collect();
    for ((name, _), judged) in ALONE.iter().zip(&alone) {
        println!("{name} alone: nDCG@10 {:.4}", mean(judged).ndcg_10);
    }
    let nonsense = fs::read(here("fixtures/agent-memory-57.nonsense.jsonl"));
    let nonsense = QuerySet::parse(&nonsense.expect("it is committed"));
    assert_eq!((nonsense.queries.len(), nonsense.bad_lines.len()), (40, 0));
    let mut nothing = Nonsense::default();
    let returned: Vec<Vec<f64>> = nonsense
        .queries
        .iter()
        .map(|query| {
            assert_eq!(query.judgment(), Judgment::Nonsense, "{}", query.id);
            let search = library
                .search(&query.query, &Params::default(), None)
                .expect("it can be searched");
            let kept = order(search.set(), &Params::default(), &NATIVE);
            nothing.add(kept.len());
            kept.into_iter().map(|(_, score)| score).collect()
        })
        .collect();
    println!("nonsense: {nothing:?}");
    check_golden("nonsense.csv", &nonsense_csv(&nonsense.queries, &returned));
    check_golden("eval.csv", &csv(&set.queries, &with_both));
    check_golden("stages.csv", &stages_csv(&set.queries, &with_both, &alone));
}

/// The cosine from which an autopsy takes a question to be about a fact. Hardly any unrelated pairs of a question and a
/// line are as close, while many pairs of a question and its answer are.
#[test]
fn questions_are_hardly_ever_close_to_lines_that_do_not_answer_them() {
    let notes = here("fixtures/agent-memory-57");
    let queries = fs::read(notes.join("queries.jsonl")).expect("it is committed");
    let set = QuerySet::parse(&queries);
    let source = bundled(Vec::new());
    let mut embedder = source(Purpose::Query).expect("`cargo xtask setup` was run");
    let mut embed = |texts: &[&str]| {
        let go_on = AtomicBool::new(false);
        embedder.embed(texts, &go_on).expect("it can be embedded")
    };
    let mut lines = Vec::new();
    for folder in ["people", "protocols", "reference"] {
        for entry in fs::read_dir(notes.join(folder)).expect("it is committed") {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let text = fs::read_to_string(&path).expect("it is a text");
            let of_note = (1_u32..).zip(text.lines()).filter(|(_, it)| it.len() > 40);
            let place = |(at, line): (u32, &str)| (format!("{folder}/{name}"), at, line.to_owned());
            lines.extend(of_note.map(place));
        }
    }
    let texts: Vec<&str> = lines.iter().map(|(_, _, line)| line.as_str()).collect();
    let of_lines = embed(&texts);
    let asked: Vec<&str> = set.queries.iter().map(|it| it.query.as_str()).collect();
    let of_questions = embed(&asked);
    let (mut others, mut answers) = (Vec::new(), Vec::new());
    for (query, of_question) in set.queries.iter().zip(&of_questions) {
        let gold = query.gold().expect("every query has an answer");
        for ((path, at, _), of_line) in lines.iter().zip(&of_lines) {
            let products = of_question.iter().zip(of_line).map(|(a, b)| a * b);
            let cosine = products.sum::<f32>();
            if gold.iter().all(|it| it.path != *path) {
                others.push(cosine);
            } else if gold
                .iter()
                .any(|it| it.overlaps(&Place::new(path, *at, *at)))
            {
                answers.push(cosine);
            }
        }
    }
    let share = |cosines: &[f32]| {
        let close = cosines.iter().filter(|it| f64::from(**it) >= CLOSE_TO_FACT);
        close.count() as f64 / cosines.len() as f64
    };
    others.sort_unstable_by(f32::total_cmp);
    answers.sort_unstable_by(f32::total_cmp);
    let at = |cosines: &[f32], share: f64| cosines[(cosines.len() as f64 * share) as usize];
    let figures = format!(
        "{} others: median {:.3}, 99 % below {:.3}, 99.5 % below {:.3}; {} answers: median {:.3}; as close: {:.4} and {:.4}",
        others.len(),
        at(&others, 0.5),
        at(&others, 0.99),
        at(&others, 0.995),
        answers.len(),
        at(&answers, 0.5),
        share(&others),
        share(&answers),
    );
    println!("{figures}");
    assert!(share(&others) <= 0.01, "{figures}");
    assert!(share(&answers) >= 10.0 * share(&others), "{figures}");
}
