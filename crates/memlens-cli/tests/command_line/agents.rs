//! `memlens agents` in a made-up home: agents are listed as JSON, watched by their id, and measured.

use memlens_tests::{Notes, write_openclaw_index};
use serde_json::{Value, json};

use crate::memlens::{AtHome, Memlens, list, paths};

fn home() -> Notes {
    Notes::new(&[
        (".codex/config.toml", "[features]\nmemories = true\n"),
        (
            ".codex/memories/memory_summary.md",
            "The router stands in the hall.\n",
        ),
        (
            ".claude/projects/-house/memory/MEMORY.md",
            &"The router is grey.\n".repeat(250),
        ),
        (
            ".openclaw/openclaw.json",
            "{meta: {lastTouchedVersion: '2026.9.6'}, broken",
        ),
        ("notes/router.md", "The router was sold.\n"),
    ])
}

#[test]
fn agents_are_listed_and_nothing_is_watched_unasked() {
    let home = home();
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let output = at_home.json(&["agents", "--json"]);
    let newest = |row: &Value| {
        row["newest"]
            .as_str()
            .is_some_and(|at| at.starts_with("2023-11-14T"))
    };
    assert!(newest(&output[1]) && newest(&output[2]), "{output:#}");
    let root = home.path().display();
    assert_eq!(
        output,
        json!([
            {
                "id": "openclaw", "name": "OpenClaw", "version": null, "folders": [], "notes": 0, "newest": null,
                "watched": false, "checked_version": "2026.9.6",
                "problems": ["cannot read ~/.openclaw/openclaw.json: line 1: it ends too early (identifier)"],
            },
            {
                "id": "claude-code", "name": "Claude Code", "version": null,
                "folders": [format!("{root}/.claude/projects/-house/memory")], "notes": 1, "newest": output[1]["newest"],
                "watched": false, "checked_version": "2.1.332",
            },
            {
                "id": "codex", "name": "Codex", "version": null, "folders": [format!("{root}/.codex/memories")],
                "notes": 1, "newest": output[2]["newest"], "watched": false,
                "checked_version": "0.169.0",
            },
        ])
    );
    // Listing agents does not make a library.
    assert_eq!(
        std::fs::read_dir(memlens.library())
            .expect("it is there")
            .count(),
        0
    );
}

#[test]
fn an_agent_is_watched_and_searched_by_its_id() {
    let home = home();
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let notes = home.at("notes").display().to_string();
    assert_eq!(at_home.run(&["index", &notes]).0, Some(0));
    let (status, out, err) = at_home.run(&["agents", "add", "codex"]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(
        err,
        format!(
            "memlens: watching {}/.codex/memories as Codex\n",
            home.path().display()
        )
    );
    assert!(out.starts_with("1 new,"), "{out}");
    assert_eq!(
        list(&at_home.json(&["agents", "--json"]))[2]["watched"],
        true
    );
    let (status, out, err) = at_home.run(&["agents", "add", "codex"]);
    assert_eq!(
        (status, out.as_str(), err.as_str()),
        (
            Some(0),
            "",
            "memlens: all folders of codex are watched already\n"
        )
    );

    let found = |more: &[&str]| {
        at_home.json(&[&["search", "router", "--json"], more].concat())["results"].clone()
    };
    assert_eq!(paths(&found(&["--agent", "codex"])), ["memory_summary.md"]);
    assert_eq!(list(&found(&[])).len(), 2);
    for (arguments, status, message) in [
        (
            &["search", "router", "--agent", "hermes"][..],
            2,
            "cannot search in hermes: no watched folder belongs to this agent",
        ),
        (
            &["agents", "add", "hermes"],
            2,
            "cannot watch hermes: Hermes was not found on this machine",
        ),
        (
            &["agents", "add", "openclaw"],
            2,
            "cannot watch openclaw: cannot read ~/.openclaw/openclaw.json: line 1: it ends too early (identifier)",
        ),
    ] {
        let output = at_home.run(arguments);
        assert_eq!(
            output,
            (Some(status), String::new(), format!("memlens: {message}\n")),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_folder_that_is_indexed_by_path_knows_its_agent() {
    let home = home();
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let memories = home.at(".codex/memories").display().to_string();
    assert_eq!(at_home.run(&["index", &memories]).0, Some(0));
    let found = at_home.json(&["search", "router", "--json", "--agent", "codex"]);
    assert_eq!(paths(&found["results"]), ["memory_summary.md"]);
}

#[test]
fn what_agents_load_is_measured_watched_or_not() {
    let home = home();
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let root = home.path().display();
    let claude = format!("{root}/.claude/projects/-house/memory/MEMORY.md");
    assert_eq!(
        at_home.json(&["agents", "loaded", "--json"]),
        json!([
            {
                "agent": "claude-code", "path": claude, "unit": "lines", "used": 250, "cap": 200, "cuts": true,
                "cut_at_line": 201, "again_at_line": null, "version": "2.1.332",
                "unloaded": [{"first": 201, "last": 250, "loaded": [], "why": "past_cap"}],
            },
            {
                "agent": "claude-code", "path": claude, "unit": "characters", "used": 4999, "cap": 25000, "cuts": true,
                "cut_at_line": null, "again_at_line": null, "version": "2.1.332",
                "unloaded": [{"first": 201, "last": 250, "loaded": [], "why": "past_cap"}],
            },
            {
                "agent": "codex", "path": format!("{root}/.codex/memories/memory_summary.md"), "unit": "bytes",
                "used": 30, "cap": 10000, "cuts": true, "cut_at_line": null, "again_at_line": null, "version": "0.169.0",
                "unloaded": [],
            },
        ])
    );
    let (_, out, _) = at_home.run(&["agents", "loaded"]);
    assert!(
        out.starts_with("claude-code  250 of 200 lines  cut at line 201: 50 of 250 lines are not loaded  (checked with 2.1.332)\n"),
        "{out}"
    );
    assert_eq!(at_home.run(&["agents", "add", "claude-code"]).0, Some(0));
    let why = at_home.json(&["why", "router", "MEMORY.md:240", "--json"]);
    assert!(
        why["load_cap"]
            .as_str()
            .is_some_and(|output| output.starts_with("Past the load cap: Claude Code loads")),
        "{why:#}"
    );
}

#[test]
fn a_blocked_entry_is_not_loaded_whole() {
    let home = Notes::new(&[
        (".hermes/memories/MEMORY.md", "The router is grey.\n"),
        (".hermes/memories/USER.md", "a\n§\nsee\n~/.ssh\n§\nb\n"),
    ]);
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let (_, out, _) = at_home.run(&["agents", "loaded"]);
    let lines: Vec<&str> = out.lines().filter(|it| it.starts_with("hermes")).collect();
    assert!(
        lines[0].contains("characters, loaded whole;") && !lines[0].contains("blocked"),
        "{out}"
    );
    assert!(
        lines[1].contains("loaded without its blocked entries")
            && lines[1].contains("lines 3 to 4 are blocked: ssh_access"),
        "{out}"
    );
}

#[test]
fn a_missing_summary_and_a_cut_middle_are_reported() {
    let home = Notes::new(&[
        (".codex/memories/raw_memories.md", "The relay is grey.\n"),
        (
            ".openclaw/workspace/USER.md",
            &"- The relay is grey.\n".repeat(300),
        ),
    ]);
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let finding = "~/.codex/memories/memory_summary.md is missing, so Codex loads nothing of its memories when a session begins";
    let rows = at_home.json(&["agents", "loaded", "--json"]);
    let rows = list(&rows);
    assert!(
        rows.contains(&json!({"agent": "codex", "finding": finding})),
        "{rows:#?}"
    );
    let user = &rows[0];
    assert_eq!(user["unit"], "characters");
    assert_eq!(
        (&user["cut_at_line"], &user["again_at_line"]),
        (&json!(140), &json!(255))
    );
    let (_, out, _) = at_home.run(&["agents", "loaded"]);
    assert!(
        out.contains(&format!("codex        finding: {finding}\n")),
        "{out}"
    );
    assert!(
        out.contains("the text from within line 140 to within line 254 of 300 is not loaded"),
        "{out}"
    );
    let (_, out, _) = at_home.run(&["agents"]);
    assert!(out.contains(&format!("    finding: {finding}\n")), "{out}");
    assert!(
        out.contains("half from each end (checked with 0.169.0)"),
        "{out}"
    );
    assert_eq!(at_home.run(&["agents", "add", "openclaw"]).0, Some(0));
    let why = |line: u32| {
        let place = format!("USER.md:{line}");
        at_home.json(&["why", "relay", &place, "--json"])["load_cap"].clone()
    };
    assert_eq!(why(139), json!(null));
    assert_eq!(why(255), json!(null));
    assert!(
        why(200)
            .as_str()
            .is_some_and(|said| said.contains("from within line 140 to within line 254")),
        "{}",
        why(200)
    );
    // Both ends of the middle are within a line.
    assert!(
        why(140)
            .as_str()
            .is_some_and(|said| said.starts_with("OpenClaw loads only character")
                && said.contains(" of this line of USER.md: the rest is past the load cap")),
        "{}",
        why(140)
    );
}

#[test]
fn an_emulated_agent_is_explained_by_the_model_of_its_own_index() {
    let home = Notes::new(&[(
        ".openclaw/workspace/memory/hall.md",
        "The router stands in the hall.\n",
    )]);
    let memlens = Memlens::new();
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    assert_eq!(at_home.run(&["agents", "add", "openclaw"]).0, Some(0));
    write_openclaw_index(
        &home.at(".openclaw/agents/main/agent/openclaw-agent.sqlite"),
        "text-embedding-3-small",
        1,
        &[(
            "memory/hall.md",
            (1, 1),
            "The router stands in the hall.",
            vec![1.0],
        )],
    );
    // The agent's database holds conversations too, so it is not read before the user agrees to reading logs.
    let unread = at_home.json(&["emulate", "router", "--json"]);
    assert_eq!(
        unread["emulated"]["label"],
        "other model: order is approximate"
    );
    assert_eq!(at_home.run(&["recall", "import", "--yes"]).0, Some(0));
    let label = "OpenClaw embeds with text-embedding-3-small: order is approximate";
    for more in [&[][..], &["--explain"]] {
        let (status, out, err) = at_home.run(&[&["emulate", "router"], more].concat());
        assert_eq!(status, Some(0), "{err}");
        assert!(
            out.starts_with(&format!("emulated · {label}\n")) && out.contains("hall.md"),
            "{out}"
        );
        assert!(
            err.contains("for which all-MiniLM-L6-v2-q8 stands in here"),
            "{err}"
        );
    }
    let output = at_home.json(&["emulate", "router", "--json"]);
    assert_eq!(output["emulated"]["label"], label);
    assert_eq!(
        at_home.json(&["search", "router", "--json"])["emulated"],
        json!(null)
    );
}
