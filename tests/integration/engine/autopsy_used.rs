//! What a log does not hold is no evidence.
//!
//! Properties checked: that an agent did not use a line is never a verdict, since its answers are not read; a line that is loaded
//! counts as loaded, and as no more, while no log is read; an answer that is not logged may have held the line.

use memlens_engine::view::{AutopsyStep, StepOutcome, Verdict};
use serde_json::json;

use crate::autopsy::{FACT, LINE, Scene, check, check_proof};

#[test]
fn a_loaded_line_without_a_log_is_loaded_and_nothing_more_is_known() {
    let scene = Scene::openclaw(&[("MEMORY.md", LINE)]);
    let unread = scene.autopsy(FACT, None, None);
    check(&unread, Verdict::Given, None);
    assert_eq!(
        unread.headline,
        "OpenClaw loads it when a session begins; whether it used it is not known."
    );
    assert_eq!(
        unread.summary.to_string(),
        "Not known: no log of OpenClaw is read."
    );
    let advice: Vec<String> = unread.advice.iter().map(ToString::to_string).collect();
    assert_eq!(
        advice,
        ["Read the agent's logs: the view Past questions, or `memlens recall import`."]
    );
    scene.log(&[]);
    let read = scene.autopsy(FACT, None, None);
    check(&read, Verdict::Given, None);
    check_proof(
        &read,
        AutopsyStep::Used,
        StepOutcome::Unknown,
        "Not known: no log shows that OpenClaw opened or cited it. What it answers in its own words is not read.",
    );
}

#[test]
fn a_returned_line_is_given_and_only_an_opening_or_a_citation_shows_more() {
    let note = "memory/home-server.md";
    let after = |opened: serde_json::Value, cited: serde_json::Value| {
        let scene = Scene::router();
        let held = json!([{"path": note, "lines": [1, 3], "score": 0.6}]);
        let mut question = scene.asked("router", Some(held));
        (question.opened, question.cited) = (opened.to_string(), cited.to_string());
        scene.log(&[question]);
        scene.of_session(FACT)
    };
    let whole = json!([{"path": note, "lines": null, "at_ms": null}]);
    let neither = after(json!([]), json!([]));
    check(&neither, Verdict::Given, None);
    assert_eq!(
        neither.headline,
        "OpenClaw was given it; whether it used it is not known."
    );
    check_proof(
        &neither,
        AutopsyStep::Used,
        StepOutcome::Unknown,
        "neither opened nor cited it afterwards. What it answers in its own words is not read",
    );
    let opened = after(whole.clone(), json!([]));
    assert_eq!(
        opened.headline,
        "OpenClaw was given it, and opened its note."
    );
    let cited = after(json!([]), whole);
    assert_eq!(cited.headline, "OpenClaw was given it, and cited its note.");
}

#[test]
fn an_answer_that_is_not_logged_may_have_held_it() {
    let scene = Scene::router();
    let other = json!([{"path": "memory/soup.md", "lines": [1, 3], "score": 0.6}]);
    let mut failed = scene.asked("the router failed", None);
    failed.has_failed = true;
    scene.log(&[scene.asked("router", Some(other.clone())), failed]);
    let all = scene.of_session(FACT);
    let said = "No. It is not in the answer.";
    check_proof(&all, AutopsyStep::Given, StepOutcome::Failed, said);
    scene.log(&[
        scene.asked("router", Some(other)),
        scene.asked("restart the router", None),
    ]);
    let some = scene.of_session(FACT);
    let said = "it is in no logged answer (1), and of 1 other search no answer is logged";
    check_proof(&some, AutopsyStep::Given, StepOutcome::Unknown, said);
}
