//! Autopsies of what a ranking lost or gave, and their reports.

use memlens_engine::view::{AutopsyStep, StepOutcome, Verdict};
use memlens_engine::{Part, Ranking, autopsy_text};
use memlens_params::ParameterSet;
use serde_json::json;

use crate::autopsy::{FACT, LINE, Scene, check, check_proof, step};

/// Returns a memory with `n_notes` notes that say more about the router than the note with the fact.
fn crowded(n_notes: u32) -> Scene {
    let notes = (0..n_notes).map(|n| {
        let text = format!("The router and the restarting of router {n}.\n");
        (format!("memory/{n}.md"), text)
    });
    let notes: Vec<(String, String)> = notes.collect();
    let mut notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let long = format!(
        "{}{LINE}",
        "- Of other things nothing is to be said here.\n".repeat(12)
    );
    notes.push(("memory/home-server.md", &long));
    Scene::openclaw(&notes)
}

#[test]
fn the_search_that_came_closest_is_still_kept() {
    // Every question tried ranks other notes first, so all of them are asked.
    let line = "The router, restarting, four minutes: wait after.\n";
    let notes: Vec<(String, String)> = (0..9)
        .map(|n| (format!("memory/{n}.md"), line.repeat(2)))
        .collect();
    let mut notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let long = format!(
        "{}{LINE}",
        "- Of other things nothing is to be said here.\n".repeat(12)
    );
    notes.push(("memory/zone.md", &long));
    let scene = Scene::openclaw(&notes);
    scene.log(&[scene.asked("restarting router", Some(json!([])))]);
    // One more search is kept because the user looks at it.
    let ranking = Ranking::native(&Default::default());
    let looked_at = scene.library.search_as("soup", &ranking, Part::All);
    let looked_at = looked_at.expect("it can be searched").id;
    scene.library.shown(looked_at).expect("it is kept");
    let autopsy = scene.of_session("memory/zone.md:13");
    assert!(scene.library.kept(looked_at).is_ok());
    let id = autopsy.search.expect("it was asked again");
    let search = scene.library.kept(id).expect("it is kept");
    assert_eq!(search.query, "restarting router");
}

#[test]
fn two_changes_are_reported_where_none_alone_does_it() {
    let scene = crowded(12);
    scene.log(&[scene.asked("restarting router", Some(json!([])))]);
    let autopsy = scene.of_session(FACT);
    check(&autopsy, Verdict::RankedOut, Some(AutopsyStep::Ranked));
    assert_eq!(autopsy.fix, None);
    let reported = autopsy.advice.iter().any(|it| {
        it.contains("minScore from 0.35 to")
            && it.contains("maxResults from 6 to")
            && it.contains("neither does it alone")
    });
    assert!(reported, "{:?}", autopsy.advice);
}

#[test]
fn what_a_ranking_lost_comes_back_with_the_smallest_change() {
    let scene = crowded(3);
    scene.log(&[
        scene.asked(
            "restarting router",
            Some(json!([{"path": "memory/1.md", "lines": [1, 1], "score": 0.8}])),
        ),
        scene.asked("zebra stripes", None),
    ]);
    let autopsy = scene.of_session(FACT);
    assert_eq!(step(&autopsy, AutopsyStep::Asked).questions.len(), 1);
    check(&autopsy, Verdict::RankedOut, Some(AutopsyStep::Ranked));
    assert_eq!(autopsy.closest.as_deref(), Some("restarting router"));
    let search = scene
        .library
        .kept(autopsy.search.expect("it was asked again"))
        .expect("it is kept");
    assert_eq!(search.query, "restarting router");
    let asked = step(&autopsy, AutopsyStep::Asked);
    assert_eq!(
        asked.questions[0].question, "restarting router",
        "{asked:#?}"
    );
    check_proof(
        &autopsy,
        AutopsyStep::Given,
        StepOutcome::Unknown,
        "it is in no logged answer (1), and of 1 other search no answer is logged",
    );
    let fix = autopsy
        .fix
        .as_ref()
        .unwrap_or_else(|| panic!("a change brings it back: {autopsy:#?}"));
    let ranking = Ranking::given(&autopsy.ranking).expect("it is known");
    let values = ranking
        .values
        .with([(fix.parameter.as_str(), fix.to.clone())])
        .expect("it is in range");
    let changed = Ranking { values, ..ranking };
    let again = scene
        .library
        .search_as("restarting router", &changed, Part::All)
        .expect("it can be searched");
    let trace = again.rank(&changed.values);
    let rank = trace.kept().iter().position(|slot| {
        again
            .row(*slot)
            .is_ok_and(|row| row.path == "memory/home-server.md")
    });
    let rank = rank.map(|at| at as u32 + 1);
    assert!(rank.is_some(), "{fix:?}");
    assert_eq!(autopsy.fix_rank, rank, "{autopsy:#?}");
}

#[test]
fn what_was_given_was_used_or_not() {
    let scene = Scene::router();
    let held = json!([
        {"path": "memory/soup.md", "lines": [1, 3], "score": 0.7},
        {"path": "memory/home-server.md", "lines": [1, 3], "score": 0.6},
    ]);
    let given = scene.asked("router", Some(held.clone()));
    scene.log(std::slice::from_ref(&given));
    let unused = scene.of_session(FACT);
    check(&unused, Verdict::Given, None);
    check_proof(
        &unused,
        AutopsyStep::Given,
        StepOutcome::Passed,
        "rank 2 of the answer to “router”",
    );
    // A chunk with lines that do not overlap is another chunk.
    let mut beside = given.clone();
    beside.returned = Some(
        json!([{"path": "memory/home-server.md", "lines": [9, 12], "score": 0.6}]).to_string(),
    );
    scene.log(&[beside]);
    check_proof(
        &scene.of_session(FACT),
        AutopsyStep::Given,
        StepOutcome::Failed,
        "held lines 9–12 of this note, at rank 1: another chunk",
    );
    let mut used = given;
    used.cited =
        json!([{"path": "memory/home-server.md", "lines": [3, 3], "at_ms": null}]).to_string();
    scene.log(&[used]);
    let used = scene.of_session(FACT);
    check(&used, Verdict::Given, None);
    check_proof(
        &used,
        AutopsyStep::Used,
        StepOutcome::Passed,
        "it was cited after “router”",
    );
}

#[test]
fn what_was_given_was_lost_by_no_cap() {
    let lines: String = (1..=250)
        .map(|n| format!("- fact {n} is about the attic\n"))
        .collect();
    let scene = Scene::claude(&[("MEMORY.md", &format!("{lines}{LINE}"))]);
    let held = json!([{"path": "MEMORY.md", "lines": [251, 251], "score": null}]);
    scene.log(&[scene.asked("router", Some(held))]);
    let given = scene.of_session(FACT);
    check(&given, Verdict::Given, None);
    check_proof(
        &given,
        AutopsyStep::LoadCap,
        StepOutcome::Unknown,
        "The agent received it anyway, so this step is not the cause.",
    );
}

#[test]
fn a_report_without_text_holds_none() {
    let scene = Scene::router();
    scene.log(&[scene.asked("internet gone", Some(json!([])))]);
    let autopsy = scene.of_session(FACT);
    let whole = autopsy_text(&autopsy, true);
    assert!(
        whole.contains(LINE.trim().trim_start_matches("- ")) && whole.contains("| Asked |"),
        "{whole}"
    );
    let blank = autopsy_text(&autopsy, false);
    for word in ["restarting", "minutes", "four"] {
        assert!(!blank.contains(word), "{word} is in {blank}");
    }
    assert!(blank.contains("home-server.md:3"), "{blank}");
}

#[test]
fn a_report_without_text_keeps_the_words_of_memlens() {
    let scene = Scene::router();
    for fact in ["is", "the", "note"] {
        let autopsy = scene.of_session(fact);
        let (whole, blank) = (autopsy_text(&autopsy, true), autopsy_text(&autopsy, false));
        let rows = |report: &str| -> Vec<String> {
            let rows = report.lines().filter(|line| line.starts_with("| "));
            rows.map(str::to_owned).collect()
        };
        // Only what is in quotation marks is left out.
        let outside = |row: &String| -> Vec<String> {
            let parts = row.split(['“', '”']).step_by(2);
            parts.map(str::to_owned).collect()
        };
        let (whole, blank) = (rows(&whole), rows(&blank));
        assert_eq!(whole.len(), 8, "{whole:#?}");
        for (whole, blank) in whole.iter().zip(&blank) {
            assert_eq!(outside(whole), outside(blank), "{fact}");
        }
    }
}
