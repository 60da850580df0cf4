//! Planted homes of each agent, with the verdict that is right by what the agents really load, search and log.

use memlens_engine::view::Verdict;
use serde_json::json;

use crate::autopsy::{AT_MS, Scene};

/// An agent with the folder of its memory, a note that it only finds by searching or opening, and one that it loads.
struct Planted {
    agent: &'static str,
    memory: &'static str,
    searched: &'static str,
    loaded: Option<&'static str>,
}

const AGENTS: [Planted; 5] = [
    Planted {
        agent: "openclaw",
        memory: ".openclaw/workspace",
        searched: "memory/house.md",
        loaded: Some("MEMORY.md"),
    },
    Planted {
        agent: "claude-code",
        memory: ".claude/projects/-house/memory",
        searched: "house.md",
        loaded: Some("MEMORY.md"),
    },
    Planted {
        agent: "codex",
        memory: ".codex/memories",
        searched: "rollout_summaries/2026-05-10-house.md",
        loaded: Some("memory_summary.md"),
    },
    Planted {
        agent: "gemini-cli",
        memory: ".gemini/tmp/house/memory",
        searched: "house.md",
        loaded: None,
    },
    Planted {
        agent: "hermes",
        memory: ".hermes/memories",
        searched: "house.md",
        loaded: Some("MEMORY.md"),
    },
];

const FACT: &str = "the boiler valve closes clockwise";
const LINE: &str = "- The boiler valve closes clockwise.\n";

/// What is planted: notes by their path in the memory, and what the agent asked and was given.
struct Case<'a> {
    notes: Vec<(&'a str, String)>,
    asked: Option<(&'a str, serde_json::Value)>,
    is_cited: bool,
}

fn verdict(planted: &Planted, case: &Case<'_>) -> Verdict {
    let mut notes: Vec<(&str, &str)> = case
        .notes
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let others = [
        (planted.searched, "- Of the house nothing is said here.\n"),
        // Codex loads nothing at all without its summary.
        ("memory_summary.md", "A summary of many things.\n"),
        ("other/soup.md", "- The soup simmers for two hours.\n"),
    ];
    for (path, text) in others {
        if notes.iter().all(|(other, _)| *other != path)
            && (planted.agent == "codex" || path != "memory_summary.md")
        {
            notes.push((path, text));
        }
    }
    let scene = Scene::of(planted.agent, planted.memory, &notes);
    let questions: Vec<_> = case
        .asked
        .iter()
        .map(|(question, returned)| {
            let mut past = scene.asked(question, Some(returned.clone()));
            if case.is_cited {
                let used = json!([{"path": planted.searched, "lines": [1, 1], "at_ms": AT_MS}]);
                past.cited = used.to_string();
            }
            past
        })
        .collect();
    scene.log(&questions);
    scene.of_session(FACT).verdict
}

fn check(expected: Verdict, case: impl Fn(&Planted) -> Option<Case<'static>>) {
    for planted in &AGENTS {
        let Some(case) = case(planted) else { continue };
        assert_eq!(verdict(planted, &case), expected, "{}", planted.agent);
    }
}

fn notes(notes: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    notes
        .iter()
        .map(|(path, text)| (*path, (*text).to_owned()))
        .collect()
}

/// An answer that holds the fact's note.
fn answer(path: &str) -> serde_json::Value {
    json!([{"path": path, "lines": [1, 1], "score": 0.7}])
}

#[test]
fn what_is_in_no_file_was_never_written() {
    check(Verdict::NeverWritten, |_| {
        Some(Case {
            notes: Vec::new(),
            asked: Some(("boiler valve", json!([]))),
            is_cited: false,
        })
    });
}

#[test]
fn what_a_later_dated_note_holds_was_written_later() {
    check(Verdict::WrittenLater, |planted| {
        let path = match planted.agent {
            "openclaw" => "memory/2026-11-24.md",
            "codex" => "rollout_summaries/2026-11-24-boiler.md",
            _ => "2026-11-24.md",
        };
        Some(Case {
            notes: notes(&[(path, LINE)]),
            asked: Some(("boiler valve", json!([]))),
            is_cited: false,
        })
    });
}

#[test]
fn what_is_in_a_kind_of_file_that_is_not_read_is_not_indexed() {
    check(Verdict::NotIndexed, |_| {
        Some(Case {
            notes: notes(&[("boiler.csv", "what,how\nboiler valve,closes clockwise\n")]),
            asked: Some(("boiler valve", json!([]))),
            is_cited: false,
        })
    });
}

#[test]
fn an_agent_that_asked_nothing_or_other_things_never_asked() {
    for asked in [None, Some(("how long does the soup simmer", json!([])))] {
        check(Verdict::NeverAsked, |planted| {
            Some(Case {
                notes: notes(&[(planted.searched, LINE)]),
                asked: asked.clone(),
                is_cited: false,
            })
        });
    }
}

#[test]
fn a_line_that_is_always_loaded_was_given_and_not_used() {
    for asked in [None, Some(("how long does the soup simmer", json!([])))] {
        check(Verdict::GivenUnused, |planted| {
            Some(Case {
                notes: notes(&[(planted.loaded?, LINE)]),
                asked: asked.clone(),
                is_cited: false,
            })
        });
    }
}

#[test]
fn what_was_returned_was_given_and_used_or_not() {
    let returned = |planted: &Planted, is_cited| {
        Some(Case {
            notes: notes(&[(planted.searched, LINE)]),
            asked: Some(("boiler valve", answer(planted.searched))),
            is_cited,
        })
    };
    check(Verdict::GivenUnused, |planted| returned(planted, false));
    // Used: no verdict of loss.
    check(Verdict::Unknown, |planted| returned(planted, true));
}

#[test]
fn what_was_asked_for_and_not_returned_was_ranked_out() {
    check(Verdict::RankedOut, |planted| {
        // Of the others no ranking is known that could have lost it.
        (planted.agent == "openclaw").then(|| Case {
            notes: notes(&[(planted.searched, LINE)]),
            asked: Some(("boiler valve", json!([]))),
            is_cited: false,
        })
    });
}
