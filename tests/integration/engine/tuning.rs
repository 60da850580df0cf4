//! Tuning by evidence.
//!
//! Properties checked: live figures are those of `eval`; every point of a curve is what measuring there gives; tuning is
//! the same for the same seed, refuses too few queries and can be stopped; stale runs are reported as stale.

use std::fmt::Write as _;
use std::sync::Arc;

use memlens_engine::view::{CalibrationAnswer, IfTaken, Origin, SetWish, TuneKind, TuneRequest};
use memlens_engine::{
    Engine, EngineError, Metric, QueryFile, Ranking, RunRecord, WhyNot, acts, judged, pipeline,
    tuning, why_typed,
};
use memlens_params::{ParameterSet, Params, Value};
use memlens_rank::number;
use memlens_tests::{Notes, fresh, hashing};

pub(crate) const ANIMALS: [&str; 30] = [
    "otter", "badger", "heron", "lynx", "marten", "osprey", "stoat", "vole", "weasel", "wren",
    "adder", "beaver", "curlew", "dunlin", "egret", "falcon", "gannet", "hobby", "ibis", "jackdaw",
    "kestrel", "lapwing", "merlin", "newt", "oriole", "plover", "quail", "raven", "siskin", "toad",
];

/// Returns a note of three sections for each animal: where it lives, what it eats, who saw it.
fn notes() -> Notes {
    let notes = Notes::new(&[]);
    for (at, animal) in ANIMALS.iter().enumerate() {
        let text = format!(
            "# The {animal}\n\nThe {animal} lives by pond {at}.\n\nIt eats what the {} leaves.\n\nAda saw a {animal} in year {}.\n",
            ANIMALS[(at + 1) % 30],
            1900 + at
        );
        notes.write(&format!("{animal}.md"), &text);
    }
    notes
}

/// Returns a judged question for each animal, with a category for every other one, two nonsense questions and one that
/// is not judged.
pub(crate) fn queries() -> String {
    let mut lines = String::new();
    for (at, animal) in ANIMALS.iter().enumerate() {
        let category = ["pond", "food"][at % 2];
        writeln!(
            lines,
            r#"{{"id":"q{at}","query":"which pond does the {animal} live by","category":"{category}","relevant":[{{"path":"{animal}.md","start_line":3,"end_line":3}}]}}"#
        )
        .unwrap();
    }
    lines
        + r#"{"id":"n1","query":"zzz qqq xxx","relevant":[]}
{"id":"n2","query":"who saw the toad","relevant":[]}
{"id":"u1","query":"what eats the wren"}
"#
}

pub(crate) struct Here {
    pub notes: Notes,
    pub dir: tempfile::TempDir,
    pub out: tempfile::TempDir,
    pub engine: Engine,
}

impl Here {
    pub fn new() -> Here {
        let notes = notes();
        let dir = fresh(&[notes.path()]);
        let engine =
            Engine::open(dir.path(), hashing(), Arc::new(|_| {})).expect("it can be opened");
        let out = tempfile::tempdir().expect("a scratch folder can be made");
        Here {
            notes,
            dir,
            out,
            engine,
        }
    }

    /// Imports lines whose paths are relative to the notes.
    pub fn import(&self, lines: &str) -> memlens_engine::view::MadeSet {
        self.notes.write(".queries.jsonl", lines);
        let file = self.notes.at(".queries.jsonl");
        acts::import_query_set(&self.engine, &file, None, IfTaken::KeepBoth)
            .expect("it can be imported")
    }
}

pub(crate) fn ours() -> Ranking {
    Ranking::of(pipeline("memlens").expect("it is known"))
}

pub(crate) fn with(id: &str, value: Value) -> Ranking {
    let mut ranking = ours();
    ranking.values.set(id, value).expect("it is in range");
    ranking
}

pub(crate) fn wish(set: &str, ranking: &Ranking) -> SetWish {
    SetWish {
        set: set.to_owned(),
        without: Vec::new(),
        ranking: ranking.to_view(),
    }
}

pub(crate) fn request(folds: u32) -> TuneRequest {
    TuneRequest {
        parameters: None,
        metric: Metric::Mrr10,
        folds,
        seed: 7,
        n_tries: 500,
        max_rerank_docs: None,
        max_ms: None,
    }
}

#[test]
fn live_figures_are_those_of_eval() {
    let here = Here::new();
    let library = here.engine.library();
    let imported = here.import(&(queries() + "no query\n"));
    assert_eq!(imported.left_out.len(), 1, "{imported:?}");
    let counts = &imported.info.counts;
    assert_eq!(
        (
            counts.n_queries,
            counts.n_judged,
            counts.n_nonsense,
            counts.n_unjudged,
            counts.n_gold
        ),
        (33, 30, 2, 1, 30)
    );
    let (now, pinned) = (with("fusion", Value::Choice("rrf".to_owned())), ours());
    let figures = tuning::measure_set(
        library,
        &wish(&imported.info.id, &now),
        &pinned,
        Metric::Mrr10,
    )
    .expect("it can be measured")
    .expect("nobody stopped it");
    let file = QueryFile::read(&here.notes.at(".queries.jsonl")).expect("it can be read");
    let file = file.with_answers().expect("it has some");
    let judged = judged(library, &file).expect("the notes are there");
    for (ranking, of_row) in [(&now, 0), (&pinned, 1)] {
        let scores =
            memlens_engine::scores(library, &judged, ranking, || ()).expect("it can be asked");
        for row in &figures.rows {
            let all: Vec<f64> = scores.iter().filter_map(|it| row.metric.of(it)).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let live = [row.now, row.pinned][of_row].expect("it is defined");
            assert!(
                (live - mean).abs() < 1e-9,
                "{:?}: {live} {mean}",
                row.metric
            );
        }
    }
    let row = figures
        .rows
        .iter()
        .find(|it| it.metric == Metric::Mrr10)
        .unwrap();
    assert_eq!(row.wins + row.ties + row.losses, 30);
    assert_eq!(figures.per_query.len() as u32, row.wins + row.losses);
    assert_eq!(figures.n_unjudged, 1);
    // The words of one of them are in no note; the other finds the toad.
    assert_eq!(figures.nothing.map(|it| it.n), Some(2));
    assert_eq!(
        figures
            .by_category
            .iter()
            .map(|it| it.n)
            .collect::<Vec<_>>(),
        [15, 15]
    );
    // Without its one origin no judgment is left.
    let none = SetWish {
        without: vec![Origin::Imported],
        ..wish(&imported.info.id, &now)
    };
    let figures = tuning::measure_set(library, &none, &pinned, Metric::Mrr10)
        .unwrap()
        .unwrap();
    assert_eq!((figures.n_judged, figures.n_unjudged), (0, 31));
    assert!(figures.verdict.is_some());
}

#[test]
fn every_place_of_a_curve_is_what_measuring_there_gives() {
    let here = Here::new();
    let library = here.engine.library();
    let set = here.import(&queries()).info.id;
    let ranking = with("min_score", Value::Number(0.3));
    let found = tuning::sensitivity(library, &wish(&set, &ranking), Some(&ours()), Metric::Mrr10)
        .expect("it can be")
        .expect("nobody stopped it");
    let measured = |ranking: &Ranking| {
        let figures = tuning::measure_set(library, &wish(&set, ranking), &ours(), Metric::Mrr10)
            .unwrap()
            .unwrap();
        let row = figures
            .rows
            .into_iter()
            .find(|row| row.metric == Metric::Mrr10)
            .unwrap();
        (row.now.unwrap(), row.pinned.unwrap())
    };
    let (now, pinned) = measured(&ranking);
    assert!((found.present - now).abs() < 1e-12);
    assert_eq!(found.pinned, Some(pinned));
    let named: Vec<&str> = found
        .curves
        .iter()
        .map(|curve| curve.parameter.as_str())
        .collect();
    assert!(
        named.contains(&"vector_weight") && named.contains(&"min_score"),
        "{named:?}"
    );
    // Parameters that are not read, or of a stage that is off, have no curve.
    assert!(
        !named.contains(&"fusion_k") && !named.contains(&"corroboration_gain"),
        "{named:?}"
    );
    for curve in &found.curves {
        assert!(curve.values.is_sorted_by(|a, b| a < b), "{curve:?}");
        let at = curve
            .values
            .iter()
            .position(|it| *it == curve.present)
            .expect("it is a place");
        assert!((curve.means[at] - found.present).abs() < 1e-12, "{curve:?}");
        let most = curve.means.iter().copied().fold(f64::MIN, f64::max);
        assert_eq!(curve.means[curve.best as usize], most, "{curve:?}");
        assert!(curve.gain >= 0.0);
        for value in [curve.values[0], curve.values[curve.best as usize]] {
            let mut there = ranking.clone();
            there
                .values
                .set(&curve.parameter, Value::Number(value))
                .expect("it is in range");
            let at = curve.values.iter().position(|it| *it == value).unwrap();
            assert!(
                (measured(&there).0 - curve.means[at]).abs() < 1e-12,
                "{} {value}",
                curve.parameter
            );
        }
    }
}

#[test]
fn tuning_is_measured_on_what_it_was_not_chosen_by() {
    let here = Here::new();
    let library = here.engine.library();
    let set = here.import(&queries()).info.id;
    // A clearly bad ranking: the threshold stays, and the weights can be improved.
    let bad = with("vector_weight", Value::Number(1.0));
    let mut bad = bad;
    bad.values
        .set("text_weight", Value::Number(0.0))
        .expect("it is in range");
    let tune = |request: &TuneRequest| tuning::auto_tune(library, &wish(&set, &bad), request);
    let answer = tune(&request(5))
        .expect("it can be")
        .expect("nobody stopped it");
    let again = tune(&request(5))
        .expect("it can be")
        .expect("nobody stopped it");
    assert_eq!(answer.rows, again.rows, "the same seed");
    assert_eq!((answer.n_queries, answer.folds, answer.seed), (30, 5, 7));
    let kinds: Vec<TuneKind> = answer.rows.iter().map(|row| row.kind).collect();
    assert_eq!(
        kinds,
        [
            TuneKind::Try,
            TuneKind::Present,
            TuneKind::Default,
            TuneKind::List,
            TuneKind::List
        ]
    );
    let best = &answer.rows[0];
    assert!(best.chosen_on > answer.rows[1].chosen_on, "{answer:?}");
    assert!(answer.can_choose && best.to_present > 0.0, "{answer:?}");
    assert!(
        best.changed.iter().all(|it| it.parameter != "min_score"),
        "{best:?}"
    );
    // Measured on all queries, with what was found on all queries.
    let found = Ranking::given(&best.ranking).expect("it is one");
    let figures = tuning::measure_set(library, &wish(&set, &found), &bad, Metric::Mrr10)
        .unwrap()
        .unwrap();
    let row = figures
        .rows
        .iter()
        .find(|row| row.metric == Metric::Mrr10)
        .unwrap();
    assert!((row.now.unwrap() - best.chosen_on).abs() < 1e-12);
    assert!((row.pinned.unwrap() - answer.rows[1].held_out).abs() < 1e-12);
    // With one half held out, the figures are of that half alone.
    let half = tune(&request(1))
        .expect("it can be")
        .expect("nobody stopped it");
    assert!(
        half.rows
            .iter()
            .filter(|row| row.kind == TuneKind::Try)
            .count()
            > 1
    );
    // A good ranking is left unchanged.
    let kept = tuning::auto_tune(library, &wish(&set, &found), &request(5))
        .unwrap()
        .unwrap();
    assert!(!kept.can_choose, "{kept:?}");
    assert_eq!(
        answer.best_try, None,
        "what is surely better is no doubtful try"
    );
    for wrong in [
        TuneRequest {
            folds: 0,
            ..request(5)
        },
        TuneRequest {
            folds: 31,
            ..request(5)
        },
        TuneRequest {
            parameters: Some(vec!["no_such".to_owned()]),
            ..request(5)
        },
        TuneRequest {
            parameters: Some(vec!["fusion_k".to_owned()]),
            ..request(5)
        },
        TuneRequest {
            parameters: Some(Vec::new()),
            ..request(5)
        },
        TuneRequest {
            max_ms: Some(-1.0),
            ..request(5)
        },
    ] {
        assert!(tune(&wrong).is_err(), "{wrong:?}");
    }
    let few: String = queries()
        .lines()
        .take(19)
        .map(|line| format!("{line}\n"))
        .collect();
    let few = here.import(&few).info.id;
    let refused =
        tuning::auto_tune(library, &wish(&few, &bad), &request(2)).expect_err("they are too few");
    let too_few = "cannot tune: 19 judged queries choose by chance; judge at least 20";
    assert_eq!(refused.to_string(), too_few);
    // A repeated question is no other question.
    let repeated = |lines: &str| lines.to_owned() + &lines.replace(r#""id":"q"#, r#""id":"again"#);
    let lines: String = queries().lines().take(19).collect::<Vec<_>>().join("\n") + "\n";
    let few = here.import(&repeated(&lines)).info.id;
    let refused =
        tuning::auto_tune(library, &wish(&few, &bad), &request(2)).expect_err("they are too few");
    assert_eq!(refused.to_string(), too_few);
    let lines: String = queries().lines().take(30).collect::<Vec<_>>().join("\n") + "\n";
    let answers = [lines.clone(), repeated(&lines)].map(|lines| {
        let set = here.import(&lines).info.id;
        let answer = tuning::auto_tune(library, &wish(&set, &bad), &request(2));
        answer.expect("it can be tuned").expect("nobody stops it")
    });
    assert_eq!(answers.each_ref().map(|it| it.n_queries), [30, 30]);
    assert_eq!(answers[0].sentence, answers[1].sentence);
    let said = "30 queries repeat the question of another one";
    assert!(!answers[0].notices.iter().any(|it| it.contains(said)));
    assert!(answers[1].notices.iter().any(|it| it.contains(said)));
}

#[test]
fn a_run_is_kept_and_says_when_it_is_stale() {
    let here = Here::new();
    let (engine, library) = (&here.engine, here.engine.library());
    let set = here.import(&queries()).info;
    let good = acts::save_run(engine, &wish(&set.id, &ours()), " good ")
        .unwrap()
        .expect("nobody stopped it");
    let none = with("min_score", Value::Number(1.0));
    let bad = acts::save_run(engine, &wish(&set.id, &none), "")
        .unwrap()
        .expect("nobody stopped it");
    assert_eq!(
        (good.name.as_str(), bad.name.as_str()),
        ("good", set.name.as_str())
    );
    assert_eq!((good.stale.clone(), good.n_judged), (None, 30));
    let compared = tuning::compare_runs(library, &good.id, &bad.id).expect("both are there");
    assert_eq!(compared.notices, Vec::<String>::new());
    assert!(
        compared.rows[0].now < compared.rows[0].pinned,
        "{compared:?}"
    );
    assert_eq!(compared.verdict, None);
    let view = tuning::run(library, &bad.id).expect("it is there");
    assert_eq!(view.changed.len(), 1, "{view:?}");
    assert_eq!(view.per_query.len(), 30);
    // The gate reads its file.
    let file = here.out.path().join("run.json");
    std::fs::write(
        &file,
        tuning::run_text(library, &good.id).expect("it is there"),
    )
    .expect("it can be");
    let record = RunRecord::read(&file).expect("it is a run");
    let drop = record
        .drop_to(&record, Metric::Ndcg10)
        .expect("they share all");
    assert_eq!(drop.fell_by, 0.0);
    std::fs::write(&file, "{\"all\": 1}").expect("it can be");
    assert!(matches!(
        RunRecord::read(&file),
        Err(EngineError::Run { .. })
    ));
    acts::remove_queries(engine, &set.id, &["q0".to_owned()]).expect("it can be");
    let stale = tuning::run(library, &good.id)
        .expect("it is there")
        .info
        .stale;
    assert_eq!(stale.as_deref(), Some("The query set has changed since."));
    acts::rename_query_set(engine, &set.id, "other").expect("it can be");
    let stale = tuning::run(library, &good.id)
        .expect("it is there")
        .info
        .stale;
    assert_eq!(
        stale.as_deref(),
        Some("The query set is gone or has another name.")
    );
    assert_eq!(
        acts::rename_run(engine, &good.id, "best")
            .expect("it can be")
            .name,
        "best"
    );
    assert!(acts::rename_run(engine, &good.id, " ").is_err());
    acts::delete_run(engine, &good.id).expect("it can be deleted");
    assert!(matches!(
        tuning::run(library, &good.id),
        Err(EngineError::Run { .. })
    ));
    assert_eq!(tuning::runs(library).expect("they can be read").len(), 1);
    // A run that cannot be read is named, so that it can be deleted.
    let database = here.dir.path().join("library.sqlite");
    let database = rusqlite::Connection::open(database).expect("it is SQLite");
    database
        .execute("UPDATE runs SET content = '{'", [])
        .expect("it can be changed");
    let left = tuning::runs(library).expect("they can be read");
    assert_eq!((left[0].label.as_str(), left[0].ndcg_10), ("damaged", None));
    assert!(tuning::run(library, &bad.id).is_err());
    acts::delete_run(engine, &bad.id).expect("it can be deleted");
    assert!(tuning::runs(library).expect("they can be read").is_empty());
}

#[test]
fn a_line_keeps_what_ranking_with_it_keeps() {
    let here = Here::new();
    let library = here.engine.library();
    let set = here.import(&queries()).info.id;
    let calibrated = |ranking: &Ranking| {
        let answer = tuning::calibrate(library, &wish(&set, ranking)).expect("it can be");
        match answer.expect("nobody stopped it") {
            CalibrationAnswer::Line(line) => *line,
            CalibrationAnswer::None { why } => panic!("{why}"),
        }
    };
    let found = calibrated(&ours());
    assert_eq!(
        (found.parameter.as_str(), found.n_queries),
        ("min_score", 30)
    );
    let counted = |bins: &[u32]| bins.iter().sum::<u32>();
    assert_eq!(counted(&found.relevant), found.n_relevant);
    assert_eq!(counted(&found.not_relevant), found.n_not_relevant);
    assert_eq!(counted(&found.nonsense), found.n_nonsense);
    // Wherever the threshold is, all scores are inspected.
    let other = calibrated(&with("min_score", Value::Number(0.9)));
    assert_eq!(
        (other.n_relevant, other.n_not_relevant),
        (found.n_relevant, found.n_not_relevant)
    );
    // A suggestion that lowers a metric says so, with its name.
    let suggested = found.suggested.expect("there is one");
    let there = with("min_score", Value::Number(suggested.line));
    let figures = tuning::measure_set(library, &wish(&set, &there), &ours(), Metric::Ndcg10)
        .unwrap()
        .unwrap();
    for row in &figures.rows {
        let thousandths = |mean: Option<f64>| (mean.unwrap_or(0.0) * 1e3).round();
        let lowered = thousandths(row.pinned) > thousandths(row.now);
        let named = format!("{} {}", row.label, number(row.pinned.unwrap_or(0.0), 3));
        assert_eq!(found.sentence.contains(&named), lowered, "{row:?}");
    }
    // On a few queries no threshold is suggested, as auto-tune chooses nothing on them.
    let few = queries()
        .lines()
        .take(4)
        .fold(String::new(), |all, line| all + line + "\n");
    let few = here.import(&few).info.id;
    let answer = tuning::calibrate(library, &wish(&few, &ours())).expect("it can be");
    let Some(CalibrationAnswer::Line(found_few)) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!((found_few.n_queries, found_few.suggested), (4, None));
    assert_eq!(
        found_few.sentence,
        "No line is suggested: that needs 20 judged queries; this set has 4."
    );
    let line = &found.lines[found.lines.len() / 2];
    let there = with("min_score", Value::Number(line.line));
    let figures = tuning::measure_set(library, &wish(&set, &there), &ours(), Metric::Precision)
        .unwrap()
        .unwrap();
    let nothing = figures.nothing.expect("there is nonsense");
    let n_kept = f64::from(line.nonsense_kept);
    assert!(
        (nothing.now - (1.0 - n_kept / 2.0)).abs() < 1e-12,
        "{line:?} {nothing:?}"
    );
    assert!(
        !found.sentence.contains("of a lower score too"),
        "{}",
        found.sentence
    );
    // OpenClaw brings back what words found: then the rows above the line are not all that it keeps.
    let mut openclaw = Ranking::of(pipeline("openclaw").expect("it is known"));
    let strict = [("openclaw.min_score", Value::Number(1.0))];
    openclaw.values = openclaw.values.with(strict).expect("it is in range");
    let above = calibrated(&openclaw);
    assert_eq!(above.present.relevant_kept, 0);
    let said = "With minScore 1 this ranking keeps ";
    assert!(above.sentence.contains(said), "{}", above.sentence);
    // A ranking without a threshold reports that.
    let hindsight = Ranking::of(pipeline("hindsight").expect("it is known"));
    let answer = tuning::calibrate(library, &wish(&set, &hindsight)).expect("it can be");
    assert!(
        matches!(answer, Some(CalibrationAnswer::None { .. })),
        "{answer:?}"
    );
}

#[test]
fn a_change_that_brings_a_note_back_has_its_price() {
    let here = Here::new();
    let library = here.engine.library();
    let set = here.import(&queries()).info.id;
    let mut params = Params {
        max_results: 3,
        ..Params::default()
    };
    let ranking = Ranking::native(&params);
    tuning::measure_set(library, &wish(&set, &ranking), &ranking, Metric::Ndcg10)
        .unwrap()
        .unwrap();
    let search = library
        .search("which pond does the otter live by", &params, None)
        .expect("it can be");
    let trace = search.rank(&params);
    let fourth = trace
        .dropped()
        .first()
        .map(|(slot, _)| *slot)
        .expect("some are dropped");
    let path = search.row(fourth).expect("it is there").path;
    let answer = why_typed(library, &search, &params, &format!("{path}:1"), None)
        .expect("it can be explained");
    let WhyNot::Searched { chunks, .. } = &answer.why else {
        panic!("{answer:?}")
    };
    let fixes = chunks[0].fixes.as_ref().expect("they were worked out");
    let limit = fixes
        .iter()
        .find(|fix| fix.parameter == "max_results")
        .expect("one more is enough");
    let price = limit.price.as_ref().expect("it was worked out");
    assert_eq!(
        (
            price.n_kept,
            price.n_dropped,
            price.n_moved,
            price.sentence.as_str()
        ),
        (3, 0, 0, "changes nothing else")
    );
    let metric = price.metric.as_ref().expect("a set was measured");
    params.max_results = match limit.to {
        Value::Number(n) => n as u32,
        Value::Toggle(_) | Value::Choice(_) | Value::Unset => panic!("{limit:?}"),
    };
    let after = Ranking::native(&params);
    let figures = tuning::measure_set(library, &wish(&set, &after), &ranking, Metric::Ndcg10)
        .unwrap()
        .unwrap();
    let row = figures
        .rows
        .iter()
        .find(|row| row.metric == Metric::Ndcg10)
        .unwrap();
    assert_eq!(
        (Some(metric.before), Some(metric.after)),
        (row.pinned, row.now)
    );
    let disturbed: Vec<u32> = fixes
        .iter()
        .map(|fix| {
            fix.price
                .as_ref()
                .map_or(0, |it| it.n_dropped + it.n_brought + it.n_moved)
        })
        .collect();
    assert!(disturbed.is_sorted(), "{fixes:?}");
}

#[test]
fn what_is_switched_on_later_is_worked_out_for_the_set() {
    let here = Here::new();
    let library = here.engine.library();
    for animal in ["otter", "wren"] {
        let text = "# Copy\n\nThe keeper feeds them every morning at the north gate.\n";
        here.notes.write(&format!("more/{animal}.md"), text);
    }
    let set = here.import(&queries()).info.id;
    let measured = |ranking: &Ranking| {
        let figures = tuning::measure_set(library, &wish(&set, ranking), &ours(), Metric::Mrr10);
        figures.unwrap().unwrap();
        library.clustering().is_some()
    };
    assert!(!measured(&ours()), "nobody asked who agrees");
    assert!(measured(&with("corroboration_on", Value::Toggle(true))));
}

#[test]
fn a_verdict_names_its_metric() {
    let here = Here::new();
    let library = here.engine.library();
    let set = here.import(&queries()).info.id;
    let fewer = with("budget_tokens", Value::Number(32_000.0));
    let figures = tuning::measure_set(library, &wish(&set, &fewer), &ours(), Metric::Recall5)
        .unwrap()
        .unwrap();
    assert_eq!(
        figures.verdict.as_deref(),
        Some("Recall@5 does not differ for any query.")
    );
}

#[test]
fn a_set_of_other_notes_has_no_figures_in_the_window_either() {
    let here = Here::new();
    let library = here.engine.library();
    let elsewhere = queries().replace(".md", ".txt");
    let imported = here.import(&elsewhere);
    let said = "none of the 30 judged notes is in this library (adder.txt, badger.txt, beaver.txt, and 27 more)";
    assert!(imported.notices.concat().contains(said), "{imported:?}");
    let set = wish(&imported.info.id, &ours());
    let refused = [
        tuning::measure_set(library, &set, &ours(), Metric::Mrr10).err(),
        tuning::sensitivity(library, &set, None, Metric::Mrr10).err(),
        tuning::calibrate(library, &set).err(),
        tuning::auto_tune(library, &set, &request(5)).err(),
        acts::save_run(&here.engine, &set, "").err(),
    ];
    for error in refused {
        let error = error.expect("there is nothing to measure").to_string();
        assert!(error.contains(said), "{error}");
    }
    // If some notes are there, the missing ones are named.
    let imported = here.import(&queries().replace("toad.md", "toad.txt"));
    let figures = tuning::measure_set(
        library,
        &wish(&imported.info.id, &ours()),
        &ours(),
        Metric::Mrr10,
    )
    .unwrap()
    .unwrap();
    let said = "1 of the 30 judged notes is not in this library and counts as not found: toad.txt";
    assert!(figures.notices.iter().any(|it| it == said), "{figures:?}");
}
