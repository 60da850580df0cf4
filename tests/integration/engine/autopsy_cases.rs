//! Made-up homes of each agent, with the verdict that is right by what the agents really load, search and log.

use memlens_engine::view::Verdict;
use serde_json::json;

use crate::autopsy::{AT_MS, Scene};

/// An agent with its memory folder, a note that it only finds by searching or opening, and a note that it loads.
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
        loaded: Some("MEMORY.md"),
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

/// The planted notes, by their path in the memory, and the agent's question and answer.
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
        // Codex loads nothing without its summary.
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
    scene
        .home
        .write(".codex/config.toml", "[features]\nmemories = true\n");
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

/// Returns whether the agent finds notes by searching files.
fn greps(planted: &Planted) -> bool {
    matches!(planted.agent, "claude-code" | "codex" | "gemini-cli")
}

/// Returns lines about other things, with the fact in place of one.
fn long(n_lines: usize, at: usize) -> String {
    let mut lines: Vec<String> = (0..n_lines)
        .map(|n| {
            format!("- Thing {n} is about the attic, the meadow and what else there is up there.\n")
        })
        .collect();
    lines[at] = LINE.to_owned();
    lines.concat()
}

/// Returns an answer that holds the fact's note.
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
    let csv = |asked| Case {
        notes: notes(&[("boiler.csv", "what,how\nboiler valve,closes clockwise\n")]),
        asked,
        is_cited: false,
    };
    check(Verdict::NotIndexed, |planted| {
        (!greps(planted)).then(|| csv(Some(("boiler valve", json!([])))))
    });
    // An agent that searches files has no index, and finds the fact in any file.
    check(Verdict::NeverAsked, |planted| {
        greps(planted).then(|| csv(None))
    });
    check(Verdict::AskedBadly, |planted| {
        greps(planted).then(|| csv(Some(("valve of the boiler", json!([])))))
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
fn a_line_that_is_always_loaded_was_given() {
    for asked in [None, Some(("how long does the soup simmer", json!([])))] {
        check(Verdict::Given, |planted| {
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
    check(Verdict::Given, |planted| returned(planted, false));
    check(Verdict::Given, |planted| returned(planted, true));
}

#[test]
fn only_a_ranking_ranks_out() {
    let asked_in_vain = |planted: &Planted| Case {
        notes: notes(&[(planted.searched, LINE)]),
        asked: Some(("boiler valve", json!([]))),
        is_cited: false,
    };
    let is_ranked = |planted: &Planted| planted.agent == "openclaw";
    check(Verdict::RankedOut, |planted| {
        is_ranked(planted).then(|| asked_in_vain(planted))
    });
    // A search for this text finds the line, so nothing explains the answer.
    check(Verdict::Unknown, |planted| {
        (!is_ranked(planted)).then(|| asked_in_vain(planted))
    });
}

#[test]
fn words_that_no_line_of_the_note_holds_were_asked_badly() {
    check(Verdict::AskedBadly, |planted| {
        greps(planted).then(|| Case {
            notes: notes(&[(planted.searched, LINE)]),
            asked: Some(("the valve of our boiler", json!([]))),
            is_cited: false,
        })
    });
}

#[test]
fn a_line_past_the_cap_is_not_loaded() {
    check(Verdict::PastLoadCap, |planted| {
        let loaded = planted.loaded?;
        // Gemini CLI and Hermes load files of any size whole.
        let text = match planted.agent {
            "openclaw" => long(420, 255),
            "claude-code" => long(230, 220),
            "codex" => long(260, 130),
            _ => return None,
        };
        Some(Case {
            notes: notes(&[(loaded, &text)]),
            asked: None,
            is_cited: false,
        })
    });
    check(Verdict::Given, |planted| {
        let is_whole = matches!(planted.agent, "gemini-cli" | "hermes");
        is_whole.then(|| Case {
            notes: notes(&[(planted.loaded.expect("it loads one"), &long(420, 255))]),
            asked: None,
            is_cited: false,
        })
    });
}

#[test]
fn what_was_returned_under_a_former_name_was_given() {
    let renamed = |line: &str, path: &str| {
        let [openclaw, ..] = &AGENTS;
        let hashes = [memlens_agents::line_hash(line)];
        let scene = Scene::openclaw(&[(openclaw.searched, LINE), ("memory/soup.md", "- Soup.\n")]);
        let returned =
            json!([{"path": path, "lines": [7, 9], "score": 0.7, "line_hashes": hashes}]);
        scene.log(&[scene.asked("boiler valve", Some(returned))]);
        scene.of_session(FACT)
    };
    let former = renamed(LINE, "memory/heating.md");
    assert_eq!(former.verdict, Verdict::Given, "{former:#?}");
    let said = "under its former name memory/heating.md, at rank 1";
    assert!(former.summary.contains(said), "{}", former.summary);
    // The same line in a note that still exists.
    let copy = renamed(LINE, "memory/soup.md");
    assert_eq!(copy.verdict, Verdict::Given, "{copy:#?}");
    let said = "as the same line of memory/soup.md, at rank 1";
    assert!(copy.summary.contains(said), "{}", copy.summary);
    // Another line of a deleted note proves nothing.
    let other = renamed("- The boiler is green.", "memory/heating.md");
    assert_ne!(other.verdict, Verdict::Given, "{other:#?}");
}

#[test]
fn a_setting_keeps_a_note_from_being_loaded() {
    let off = |agent: &'static str, memory: &str, (config, text): (&str, &str)| {
        let scene = Scene::of(agent, memory, &[("MEMORY.md", LINE)]);
        scene.home.write(config, text);
        scene.log(&[]);
        scene.of_session(FACT)
    };
    let claude = ".claude/projects/-house/memory";
    for (agent, memory, config, said) in [
        (
            "claude-code",
            claude,
            (".claude/settings.json", r#"{"autoMemoryEnabled": false}"#),
            "autoMemoryEnabled is false in ~/.claude/settings.json",
        ),
        (
            "claude-code",
            claude,
            (
                ".claude/settings.json",
                r#"{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}"#,
            ),
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY is set in ~/.claude/settings.json",
        ),
        (
            "openclaw",
            ".openclaw/workspace",
            (
                ".openclaw/openclaw.json",
                "{agents: {defaults: {contextInjection: 'never'}}}",
            ),
            "contextInjection is never in ~/.openclaw/openclaw.json",
        ),
    ] {
        let autopsy = off(agent, memory, config);
        assert_eq!(autopsy.verdict, Verdict::PastLoadCap, "{autopsy:#?}");
        assert!(autopsy.summary.contains(said), "{}", autopsy.summary);
        assert!(
            autopsy.headline.contains("because of a setting"),
            "{}",
            autopsy.headline
        );
    }
    let on = off("claude-code", claude, (".claude/settings.json", "{}"));
    assert_eq!(on.verdict, Verdict::Given, "{on:#?}");
}

#[test]
fn instructions_that_a_setting_leaves_out_are_not_loaded() {
    let scene = Scene::claude(&[("MEMORY.md", "- The cat likes rain.\n")]);
    scene.log(&[]);
    scene.home.write(".claude/CLAUDE.md", LINE);
    let loaded = scene.of_session(FACT);
    assert_eq!(loaded.verdict, Verdict::Given, "{loaded:#?}");
    for (settings, why) in [
        (
            r#"{"claudeMdExcludes": ["**/CLAUDE.md"]}"#,
            "claudeMdExcludes in ~/.claude/settings.json names it",
        ),
        (
            r#"{"env": {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"}}"#,
            "CLAUDE_CODE_DISABLE_CLAUDE_MDS is set in ~/.claude/settings.json",
        ),
    ] {
        scene.home.write(".claude/settings.json", settings);
        let off = scene.of_session(FACT);
        assert_eq!(off.verdict, Verdict::PastLoadCap, "{off:#?}");
        assert!(off.summary.contains(why), "{}", off.summary);
    }
}
