//! `memlens why`: the stage and the number that dropped a note, or the rule that excludes it.

use memlens_tests::Notes;
use serde_json::json;

use crate::memlens::{Memlens, list, text};

fn notes() -> Notes {
    let notes = Notes::new(&[
        (
            "home/router.md",
            "The router stands in the hall, behind the coats.\n",
        ),
        ("home/tea.md", "Oolong tea is drunk in the evening.\n"),
        ("work/plan.md", "The plan for spring: fewer meetings.\n"),
    ]);
    notes.write(".ignore", "drafts\n");
    notes.write("drafts/idea.md", "An idea.\n");
    notes
}

#[test]
fn a_lost_note_comes_back_by_what_is_printed() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let question = "where does the router stand";
    let strict = ["why", question, "work/plan.md", "--set", "min_score=0.9"];
    let printed = memlens.print(&strict);
    assert!(
        printed.contains("lost at Threshold: below min score"),
        "{printed}"
    );
    let change = printed
        .lines()
        .find_map(|line| line.trim().strip_prefix("--set "))
        .and_then(|line| line.split_whitespace().next())
        .expect("a change is offered");
    let found = memlens.print(&[
        "why",
        question,
        "work/plan.md",
        "--set",
        "min_score=0.9",
        "--set",
        change,
    ]);
    assert!(found.contains("found at rank"), "{found}");
}

#[test]
fn json_holds_the_place_the_reason_and_the_changes() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let answer = memlens.json(&[
        "why",
        "oolong",
        "tea.md:1",
        "--set",
        "min_score=0.95",
        "--json",
    ]);
    assert_eq!(
        (&answer["path"], &answer["line"]),
        (&json!("home/tea.md"), &json!(1))
    );
    assert_eq!(answer["why"]["kind"], "searched");
    let chunk = &list(&answer["why"]["chunks"])[0];
    assert_eq!(chunk["kept"], false);
    assert!(chunk["journey"]["dropped_by"].is_string());
    let fix = &list(&chunk["fixes"])[0];
    assert!(
        fix["parameter"].is_string() && !fix["to"].is_null(),
        "{fix}"
    );
}

#[test]
fn what_is_not_in_the_library_is_reported_by_its_rule() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let kind = |place: &str| {
        let answer = memlens.json(&["why", "router", place, "--json"]);
        answer["why"]["kind"].as_str().map(str::to_owned)
    };
    assert_eq!(kind("drafts/idea.md").as_deref(), Some("left_out"));
    let elsewhere = Notes::new(&[("else.md", "Elsewhere.\n")]);
    let unwatched = elsewhere.at("else.md");
    assert_eq!(kind(text(&unwatched)).as_deref(), Some("not_watched"));
    notes.write("home/new.md", "Just written.\n");
    assert_eq!(kind("home/new.md").as_deref(), Some("pending"));
}

#[test]
fn misuse_is_named() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    for typed in ["home/nobody.md", "/nowhere/else.md", "home/nobody.md:3"] {
        for form in [&[][..], &["--json"]] {
            memlens.refused(
                &[&["why", "router", typed], form].concat(),
                2,
                &format!(
                    "cannot tell why {typed} is not found: nothing is there by that name; `memlens overview --list` prints the notes by their names"
                ),
            );
        }
    }
    memlens.refused(
        &["why", "router", "home"],
        2,
        "cannot tell why home is not found: it is a folder; name a note in it",
    );
    memlens.refused(
        &["why", " ", "home/tea.md"],
        2,
        "cannot search: type a question",
    );
    memlens.refused(
        &["why", "router", "home/tea.md:0"],
        2,
        "cannot tell why home/tea.md:0 is not found: line numbers start at 1",
    );
}
