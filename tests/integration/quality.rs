//! The evaluation gate: the quality of the default ranking, query by query, with the real bundled model.
//!
//! `tests/golden/eval.csv`, `stages.csv` and `nonsense.csv` are reviewed like code: a changed line is a changed
//! ranking. `stages.csv` has the stages that are off by default, each alone. `nonsense.csv` has what the default
//! ranking returns for questions that the notes do not answer. `UPDATE_GOLDEN=1` writes them again.
//!
//! ONNX Runtime computes slightly different vectors on different processors, also on two that both
//! [sum exactly](memlens_embed::sums_exactly), so few lines may differ. What words alone find is the same everywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memlens_engine::{CLOSE_TO_FACT, Indexer, Library, Purpose, Search, Step, bundled};
use memlens_eval::{Judgment, Nonsense, Place, Query, QuerySet, Scores, Summary, score};
use memlens_params::{ParameterSet, Params};
use memlens_rank::{NATIVE, order};
use tempfile::TempDir;

/// The lower limits of the default ranking, whatever `eval.csv` says.
const NDCG_10_MIN: f64 = 0.85;
const HIT_FILE_MIN: f64 = 0.96;

/// The nDCG@10 by words alone, which depends on no vector.
const NDCG_10_OF_WORDS: &str = "0.5848";

/// The tolerance for vectors of another processor: one in `DIFFERING_SHARE` lines may differ in a column. The mean of the
/// column may differ by `MEAN_ERROR_MAX`, or by this share of it if it is above 1.
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
    assert!(
        is_about(&expected, found),
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

/// Indexes the notes of `fixtures/agent-memory-57` with the bundled model. Returns the library, its folder and the queries.
fn indexed() -> (Library, TempDir, QuerySet) {
    let notes = here("fixtures/agent-memory-57");
    let queries = fs::read(notes.join("queries.jsonl")).expect("it is committed");
    let set = QuerySet::parse(&queries);
    assert_eq!((set.queries.len(), set.bad_lines.len()), (57, 0));
    let (library, dir) = indexed_by_model(&notes);
    (library, dir, set)
}

/// Indexes a folder with the bundled model. Returns the library and its folder.
fn indexed_by_model(notes: &Path) -> (Library, TempDir) {
    let source = bundled(Vec::new());
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let go_on = AtomicBool::new(false);
    let embedder = source(Purpose::Indexing).expect("`cargo xtask setup` was run");
    let (mut indexer, _) = Indexer::open(dir.path(), embedder).expect("it can be opened");
    let folder = indexer.add_folder(notes).expect("it can be added");
    indexer.scan(&folder, &go_on).expect("it can be walked");
    assert_eq!(
        indexer.run(&go_on, &mut ()).expect("it can be indexed"),
        Step::Idle
    );
    drop(indexer);
    let library = Library::open(dir.path(), source).expect("it can be opened");
    (library, dir)
}

#[test]
fn the_default_ranking_is_as_good_as_it_was() {
    let (library, _dir, set) = indexed();
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
    assert_eq!(
        format!("{:.4}", bm25.ndcg_10),
        NDCG_10_OF_WORDS,
        "the ranking by words changed"
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

/// The least share of the nDCG@10 of the bare questions that the same questions reach behind small talk.
const BEHIND_SMALL_TALK_MIN: f64 = 0.8;

/// Sentences of small talk that no note is about.
const SMALL_TALK: [&str; 24] = [
    "Hi, I am back from the long weekend and slowly catching up.",
    "The coffee machine on the second floor broke again.",
    "Lunch was late because the train was stuck outside the station for an hour.",
    "My sister asked whether somebody else could water the garden next week.",
    "I still have to send the tax paperwork before Friday.",
    "The printer toner is nearly empty, by the way.",
    "Somebody wrote that the parking permit runs out at the end of the month.",
    "The book club moved to Thursday and I have not read a single page.",
    "It rained all morning and the bus was full.",
    "we finally fixed the squeaking door in the hallway.",
    "Remind me to buy bread on the way home!",
    "The neighbours are renovating, so it is a bit loud here.",
    "I slept badly but the second cup of tea helps.",
    "My bike has a flat tyre again, e.g. the third time since spring.",
    "the laundry timer beeped right in the middle of the call.",
    "Did you see how early it gets dark now?",
    "The cat was at the vet on Monday and she is fine.",
    "I tried the soup recipe with more pepper, which was a mistake.",
    "Window cleaning is on the list for Saturday.",
    "The train tickets for the holidays were cheaper than last year.",
    "our meeting room key does not turn any more.",
    "Guitar strings went up in price, it seems.",
    "Anyway, nothing urgent, only small things that I keep putting off.",
    "The plumber comes between nine and noon.",
];

/// Returns eight sentences of small talk, then the question, by a generator with a fixed seed for each question.
fn behind_small_talk(seed: u64, question: &str) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut left = SMALL_TALK.to_vec();
    let mut prompt = String::new();
    for _ in 0..8 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let at = (state >> 33) as usize % left.len();
        prompt += left.swap_remove(at);
        prompt.push(' ');
    }
    prompt + question
}

#[test]
fn the_question_at_the_end_of_a_long_prompt_is_answered() {
    let folder = here("fixtures/cases/long-question");
    let (library, _dir) = indexed_by_model(&folder.join("notes"));
    let prompt = fs::read_to_string(folder.join("question.txt")).expect("it is committed");
    let last = "Which box is the build box and which port does it use?";
    assert!(prompt.ends_with(last));
    let params = Params::default();
    for question in [prompt.as_str(), last] {
        let search = library.search(question, &params, None);
        let search = search.expect("it can be searched");
        let trace = search.rank(&params);
        let first = trace.kept().first().and_then(|slot| search.row(*slot).ok());
        assert_eq!(first.expect("a result").path, "hosts.md", "{question}");
        let notices = search.notices.join(" ");
        let named = "Only one of the 9 sentences is searched, because only it is a question, or search words without a full stop: “Which box is the build box and which por…”.";
        assert_eq!(notices.contains(named), question == prompt, "{notices}");
    }
}

#[test]
fn a_question_is_answered_behind_eight_sentences_of_small_talk() {
    let (library, _dir, set) = indexed();
    let params = Params::default();
    let ndcg = |question: &str, query: &Query| {
        let search = library.search(question, &params, None);
        let search = search.expect("it can be searched");
        judge(query, &search, &params).scores.ndcg_10
    };
    let n = set.queries.len() as f64;
    let queries = set.queries.iter();
    let bare: f64 = queries.clone().map(|it| ndcg(&it.query, it)).sum();
    let behind = (0..).zip(queries).map(|(seed, it)| {
        let prompt = behind_small_talk(seed, &it.query);
        let reached = ndcg(&prompt, it);
        println!("{} {reached:.3} {}", it.id, it.query);
        reached
    });
    let behind: f64 = behind.sum();
    println!(
        "bare {:.4}, behind small talk {:.4}, {:.3} of it",
        bare / n,
        behind / n,
        behind / bare
    );
    assert!(behind >= BEHIND_SMALL_TALK_MIN * bare, "{behind} of {bare}");
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
