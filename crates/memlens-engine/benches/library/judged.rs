//! What asks a library many questions: evaluation, tuning, replay of past questions, and why notes are missing.

use std::fs;
use std::path::Path;
use std::time::Instant;

use memlens_engine::acts;
use memlens_engine::past;
use memlens_engine::tuning;
use memlens_engine::view::TuneRequest;
use memlens_engine::{Library, Metric, PastFilter, Place, QueryFile, Ranking, WhyNot};
use memlens_params::Params;
use memlens_store::{NewPast, ReadLog, Store};
use serde_json::json;

use crate::notes::Notes;
use crate::series::{MILLISECONDS, SECONDS, Series};

/// How many questions are judged and asked.
const N_QUESTIONS: usize = 100;
/// Words of a question, at most.
const QUESTION_WORDS: usize = 12;
/// How often all of them are asked; the first time is not counted.
const ROUNDS: usize = 3;

/// The words of a line, and its place.
struct Judged {
    question: String,
    note: String,
    line: u32,
}

/// Measures what asks 100 questions, each the words of a line that is its answer.
pub fn measure(folder: &Path, library: &Library) {
    let folder = folder.canonicalize().expect("it is there");
    let judged = judged(&folder);
    let scratch = tempfile::tempdir_in(folder.parent().expect("it lies in a folder"));
    let scratch = scratch.expect("a scratch folder can be made");
    let file = scratch.path().join("judged.jsonl");
    let lines: Vec<String> = (0..)
        .zip(&judged)
        .map(|(id, it)| {
            let place = json!({ "path": it.note, "start_line": it.line, "end_line": it.line });
            json!({ "id": format!("q{id}"), "query": it.question, "relevant": [place] }).to_string()
        })
        .collect();
    fs::write(&file, lines.join("\n")).expect("it can be written");
    let set = QueryFile::read(&file).expect("it was just written");
    assert_eq!(set.queries.len(), judged.len(), "every line is a query");
    evaluate(library, &set);
    tune(library, &set);
    replay(library, &judged);
    why_not(library, &judged);
}

/// Lines of notes that lie evenly among all.
fn judged(folder: &Path) -> Vec<Judged> {
    let notes = Notes::files(folder);
    let every = (notes.len() / N_QUESTIONS).max(1);
    let chosen = notes.iter().step_by(every).take(N_QUESTIONS);
    let judged = chosen.map(|note| {
        let text = fs::read_to_string(note).expect("a note can be read");
        let (line, words) = (1..)
            .zip(text.lines())
            .max_by_key(|(_, line)| line.len())
            .expect("a note has lines");
        let words: Vec<&str> = words.split_whitespace().take(QUESTION_WORDS).collect();
        Judged {
            question: words.join(" "),
            note: note.to_string_lossy().into_owned(),
            line,
        }
    });
    judged.collect()
}

/// Asks every query as `memlens eval` does.
fn evaluate(library: &Library, set: &QueryFile) {
    let ranking = Ranking::native(&Params::default());
    let note = format!("{} questions by the default", set.queries.len());
    let mut whole = Series::of("evaluation", SECONDS, &note);
    for round in 0..=ROUNDS {
        let started = Instant::now();
        for query in library.in_turn(&set.queries, |it| Some(&*it.query)) {
            let run = memlens_engine::run_query(library, query, &set.base, &ranking, true);
            let run = run.expect("it can be asked");
            assert!(!run.places.is_empty(), "{:?} finds notes", query.query);
        }
        if round > 0 {
            whole.add_time(started.elapsed());
        }
    }
    whole.print();
}

/// Tunes as `memlens tune` does, with fresh retrieval of every question.
fn tune(library: &Library, set: &QueryFile) {
    let request = TuneRequest {
        parameters: None,
        metric: Metric::Ndcg10,
        folds: 5,
        seed: 0,
        n_tries: 2000,
        max_rerank_docs: None,
        max_ms: None,
    };
    let note = format!("{} questions, 5 parts, 2,000 tries each", set.queries.len());
    let mut whole = Series::of("tuning", SECONDS, &note);
    let ranking = Ranking::native(&Params::default());
    whole.time(|| {
        let tuned = tuning::tune_set(library, &tuning::set_of(set), &ranking, &request);
        assert!(tuned.expect("it can be tuned").is_some(), "nobody stops it");
    });
    whole.print();
}

/// Keeps the questions as past ones of an agent, asks them again, and forgets them.
fn replay(library: &Library, judged: &[Judged]) {
    let log = ReadLog {
        path: "/log".to_owned(),
        agent: "openclaw".to_owned(),
        cursor: None,
        n_bytes: 0,
        stamp: String::new(),
        problem: None,
    };
    let past: Vec<NewPast> = (0..)
        .zip(judged)
        .map(|(number, it)| NewPast {
            agent: log.agent.clone(),
            session: "s".to_owned(),
            call: format!("q{number}"),
            at_ms: Some(number),
            is_opening: false,
            has_failed: false,
            is_pattern: false,
            served: None,
            question: it.question.clone(),
            settings: "{}".to_owned(),
            returned: Some(json!([{ "path": it.note, "lines": [it.line, it.line] }]).to_string()),
            opened: "[]".to_owned(),
            cited: "[]".to_owned(),
        })
        .collect();
    let mut store = Store::open(library.dir()).expect("nobody else writes");
    store.keep_past(&log, &past, &[]).expect("they can be kept");
    let note = format!("{} past questions by the default", past.len());
    let mut whole = Series::of("replay", SECONDS, &note);
    let ranking = Ranking::native(&Params::default());
    for round in 0..=ROUNDS {
        let started = Instant::now();
        let replayed = past::replay(library, &PastFilter::default(), Some(&ranking));
        let took = started.elapsed();
        replayed
            .expect("they can be asked")
            .expect("nobody stops it");
        if round > 0 {
            whole.add_time(took);
        }
    }
    whole.print();
    drop(store);
    let n_forgotten = acts::forget_recall(&library.to_write()).expect("they can be forgotten");
    assert_eq!(n_forgotten as usize, past.len());
}

/// Asks of each question why the note of the next one is not among its results.
fn why_not(library: &Library, judged: &[Judged]) {
    let params = Params::default();
    let mut why = Series::of("why a note is missing", MILLISECONDS, "in an open library");
    for (asked, missing) in judged.iter().zip(judged.iter().cycle().skip(1)) {
        let search = library.search(&asked.question, &params, None);
        let search = search.expect("it can be asked");
        let place = Place::parse(&library.lists().snapshot, &missing.note, None);
        let place = place.expect("it can be read").expect("it is a place");
        let started = Instant::now();
        let answer = memlens_engine::why(library, &search, &params, &place, None);
        why.add_time(started.elapsed());
        let answer = answer.expect("it can be explained");
        assert!(matches!(answer.why, WhyNot::Searched { .. }), "it is there");
    }
    why.print();
}
