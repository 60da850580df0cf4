//! A search's trace as Markdown, to paste into a report.
//!
//! Properties checked: its numbers are those of the report; text of notes and questions is never taken for Markdown;
//! the blank form leaves out the notes' text; the home folder is not named; another program's pipeline is shown with
//! its own stages.

use memlens_engine::{
    Home, Library, Part, Ranking, TraceForm, pipeline, report, rows_json, trace_text,
};
use memlens_params::{ParameterSet, Value};
use memlens_rank::number;
use memlens_tests::{Notes, fresh, open};

const HOSTILE: &str = "# Router\n\nThe router | <b>reboots</b>\n```\n## Results\n```\n";

fn ranking(named: &str, id: &str, value: f64) -> Ranking {
    let mut ranking = Ranking::of(pipeline(named).expect("it is known"));
    ranking
        .values
        .set(id, Value::Number(value))
        .expect("it is in range");
    ranking
}

fn markdown(
    library: &Library,
    question: &str,
    ranking: &Ranking,
    preset: Option<&str>,
    with_text: bool,
) -> String {
    let search = library
        .search_as(question, ranking, Part::All)
        .expect("it can be searched");
    trace_text(
        library,
        &search,
        ranking,
        preset,
        TraceForm::Markdown,
        with_text,
    )
    .expect("it can be explained")
}

#[test]
fn a_trace_holds_the_numbers_of_each_stage_and_what_was_dropped() {
    let notes = Notes::new(&[
        ("router.md", HOSTILE),
        ("attic.md", "A router in the attic.\n"),
        ("bees.md", "Bees are treated in December.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let ranking = ranking("memlens", "max_results", 1.0);
    let text = markdown(
        &library,
        "router | attic <x>",
        &ranking,
        Some("Care*ful"),
        true,
    );
    let has = |line: &str| assert!(text.lines().any(|it| it == line), "{line} in\n{text}");
    has("# Search: router \\| attic \\<x\\>");
    has("- Ranked by: Memlens (`memlens`), preset “Care\\*ful”");
    has("- Changed from its defaults: `max_results` `1`");
    has(concat!("- Memlens ", env!("CARGO_PKG_VERSION")));
    let search = library
        .search_as("router | attic <x>", &ranking, Part::All)
        .expect("it can be searched");
    let report = report(&library, &search, &ranking.values).expect("a report");
    let [row] = report.results.as_slice() else {
        panic!("one is kept: {:?}", report.results)
    };
    assert_eq!(row.path, "attic.md");
    let line = text
        .lines()
        .find(|line| line.starts_with("| 1 | `attic.md:1` |"))
        .expect("its line");
    for step in &row.journey {
        if let Some(score) = step.score_after {
            let shown = number(score, 3);
            assert!(line.contains(&shown), "{}: {shown} in {line}", step.stage);
        }
    }
    // As many cells as the head has.
    let head = text
        .lines()
        .find(|line| line.starts_with("| rank |"))
        .expect("the head");
    assert_eq!(line.matches('|').count(), head.matches('|').count());
    let dropped = report
        .dropped
        .iter()
        .find(|row| row.path == "router.md")
        .expect("it is dropped");
    let step = dropped.journey.iter().find(|step| step.dropped);
    let why = step.expect("its stage").sentence.replace('>', "\\>");
    assert!(
        text.lines()
            .any(|line| line.starts_with("| `router.md:1–6` |") && line.contains(why.as_str())),
        "{why} in\n{text}"
    );
    // The text of a kept row is in a code fence.
    assert!(
        text.ends_with("## Texts\n\n1. `attic.md:1`:\n\n```text\nA router in the attic.\n```\n")
    );
}

#[test]
fn what_a_note_says_cannot_end_its_fence_and_blank_leaves_it_out() {
    let notes = Notes::new(&[("router.md", HOSTILE)]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let ranking = ranking("memlens", "min_score", 0.0);
    let whole = markdown(&library, "router", &ranking, None, true);
    assert!(whole.contains("````text\n# Router\n"), "{whole}");
    assert!(whole.ends_with("\n```\n````\n"), "{whole}");
    let blank = markdown(&library, "router", &ranking, None, false);
    for text in ["reboots", "Texts", "```"] {
        assert!(!blank.contains(text), "{text} in\n{blank}");
    }
    assert!(whole.starts_with(&blank), "{whole}\n{blank}");
}

#[test]
fn nothing_kept_is_said_and_no_path_of_the_home_folder() {
    let home = tempfile::tempdir().expect("a folder");
    let said = format!("The key lies in {}/keys.\n", home.path().display());
    let notes = Notes::new(&[("router.md", &said)]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path()).in_home(Home::new(home.path()));
    let all = markdown(
        &library,
        "key",
        &ranking("memlens", "min_score", 0.0),
        None,
        true,
    );
    assert!(all.contains("The key lies in ~/keys."), "{all}");
    let none = markdown(
        &library,
        "key",
        &ranking("memlens", "min_score", 1.0),
        None,
        true,
    );
    assert!(
        none.contains("\n## Results\n\nNothing was kept.\n"),
        "{none}"
    );
    assert!(none.contains("| `router.md:1` |"), "{none}");
    assert!(!none.contains("Texts"), "{none}");
}

#[test]
fn another_program_is_explained_by_its_own_stages() {
    let notes = Notes::new(&[
        ("MEMORY.md", "# Rules\n\n- The router stands in the hall.\n"),
        ("memory/attic.md", "A router in the attic.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let ranking = ranking("openclaw@2026.9", "openclaw.min_score", 0.0);
    let text = markdown(&library, "router", &ranking, None, false);
    for part in [
        "- Ranked by: OpenClaw 2026.9 (`openclaw@2026.9`)\n",
        "- Changed from its defaults: `openclaw.min_score` `0`\n",
        "- Emulated: ",
        "`memory/attic.md:1–2`",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn a_trace_as_csv_holds_the_report_and_calculates_nothing() {
    let notes = Notes::new(&[
        ("=router.md", HOSTILE),
        ("attic.md", "A router in the attic.\n"),
        ("bees.md", "Bees, \"treated\" in December by the router.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let ranking = ranking("memlens", "max_results", 1.0);
    let search = library
        .search_as("router", &ranking, Part::All)
        .expect("it can be searched");
    let written = |with_text| {
        let text = trace_text(&library, &search, &ranking, None, TraceForm::Csv, with_text);
        let text = text.expect("it can be explained");
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let head = rows.headers().expect("it has a head").clone();
        let rows: Vec<csv::StringRecord> =
            rows.records().map(|row| row.expect("it is CSV")).collect();
        (head, rows)
    };
    let (head, rows) = written(true);
    let report = report(&library, &search, &ranking.values).expect("it can be explained");
    let expected: Vec<_> = report.results.iter().chain(&report.dropped).collect();
    assert_eq!(rows.len(), expected.len());
    let at = |name: &str| head.iter().position(|one| one == name).expect(name);
    for (row, expected) in rows.iter().zip(expected) {
        let rank = expected
            .rank
            .map_or_else(String::new, |rank| rank.to_string());
        assert_eq!(&row[at("rank")], rank);
        let score: Option<f64> = row[at("score")].parse().ok();
        assert_eq!(score, expected.score);
        let bm25 = expected.journey.iter().find(|step| step.stage == "bm25");
        let bm25 = bm25.and_then(|step| step.score_after);
        assert_eq!(row[at("bm25 score")].parse().ok(), bm25);
        assert_eq!(row[at("path")].trim_start_matches('\''), expected.path);
        assert_eq!(row[at("dropped_by")].is_empty(), expected.rank.is_some());
        for cell in ["path", "source", "why", "passage"] {
            assert!(!row[at(cell)].starts_with(['=', '+', '-', '@']), "{cell}");
        }
    }
    assert!(rows.iter().any(|row| &row[at("path")] == "'=router.md"));
    let (head, rows) = written(false);
    assert!(head.iter().all(|name| name != "passage"));
    assert!(rows.iter().flatten().all(|cell| !cell.contains("treated")));
}

#[test]
fn rows_are_copied_as_json_with_their_journeys_and_as_texts() {
    let notes = Notes::new(&[
        ("router.md", "The router reboots.\n"),
        ("attic.md", "A router in the attic.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let ranking = ranking("memlens", "max_results", 1.0);
    let search = library
        .search_as("router", &ranking, Part::All)
        .expect("it can be searched");
    let json = rows_json(&library, &search, &ranking.values, &[1, 0]).expect("both are there");
    let rows: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let row = |at: usize| search.row(at as u32).expect("it is there");
    assert_eq!(rows[0]["path"], row(1).path);
    assert_eq!(rows[1]["path"], row(0).path);
    assert!(
        rows[0]["journey"]
            .as_array()
            .is_some_and(|steps| steps.len() > 3)
    );
    let both = search.rows_text(&[1, 0]).expect("both are there");
    assert_eq!(both.matches("router").count(), 2);
    assert!(rows_json(&library, &search, &ranking.values, &[9]).is_err());
    assert!(search.rows_text(&[9]).is_err());
}
