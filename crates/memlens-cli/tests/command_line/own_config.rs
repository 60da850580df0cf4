//! The agent's own config: what `import` reports of it, and that it is used wherever a question is asked as the agent.
//!
//! Properties checked: switches that void the other settings come first; includes are followed; a named version and
//! `--defaults` give the published defaults; the config is followed when it changes, breaks, vanishes and comes back.

use std::fs;
use std::path::Path;

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{AtHome, Memlens, list, text};

fn config(case: &str, name: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/configs");
    text(&fixtures.join(case).join(name)).to_owned()
}

#[test]
fn import_says_what_each_key_does() {
    let memlens = Memlens::new();
    let import = |case: &str, name: &str| memlens.print(&["import", &config(case, name)]);

    let printed = import("config-extra-paths", "openclaw.json");
    for line in [
        "extraPaths  [{\"path\":\"vault\",\"pattern\":\"**/*.md\"}]  acts there: it adds folders and files to what is searched",
        "sources  [\"sessions\"]  acts there: it chooses what is searched: notes (memory), session transcripts (sessions)",
        "store.fts.tokenizer  \"trigram\"  acts there, not here: it chooses how texts are split into words",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    assert!(!printed.contains("ignored"), "{printed}");

    let printed = import("config-search-off", "openclaw.json");
    let off = "Memory search is switched off there (agents.defaults.memorySearch.enabled is false), so nothing is found whatever the rest says.";
    assert_eq!(printed.lines().nth(1), Some(off), "{printed}");

    let path = config("config-include", "openclaw.json");
    let report = memlens.json(&["import", &path, "--json"]);
    assert_eq!(report["params"]["openclaw.min_score"], 0.44, "{report}");
    assert_eq!(report["voids"], serde_json::json!([]));

    let printed = import("config-root-key", "clawdbot.json");
    assert!(printed.starts_with("OpenClaw before 2026.2  "), "{printed}");
    assert!(
        printed.contains(
            "Later versions refuse the whole file until `openclaw doctor --fix` moves it."
        ),
        "{printed}"
    );
    assert!(
        printed.contains("memorySearch.query.minScore  0.5  refused: "),
        "{printed}"
    );
}

#[test]
fn an_include_that_cannot_be_read_is_named() {
    let memlens = Memlens::new();
    let dir = Notes::new(&[
        ("missing/openclaw.json", "{$include: './none.json5'}"),
        ("cycle/openclaw.json", "{$include: 'a.json5'}"),
        ("cycle/a.json5", "{memory: {$include: 'a.json5'}}"),
        (
            "out/openclaw.json",
            "{$include: '../missing/openclaw.json'}",
        ),
        ("broken/openclaw.json", "{$include: 'b.json5'}"),
        ("broken/b.json5", "{memory"),
    ]);
    for (case, why) in [
        (
            "missing",
            "$include \"./none.json5\": there is no such file",
        ),
        (
            "cycle",
            "$include is circular: openclaw.json → a.json5 → a.json5",
        ),
        ("out", "it is outside the config's folder and is not read"),
        ("broken", "$include \"b.json5\": line 1: it ends too early"),
    ] {
        let run = memlens.run(&["import", text(&dir.at(&format!("{case}/openclaw.json")))]);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{run:?}");
        assert!(run.err.contains(why), "{case}: {run:?}");
    }
}

#[test]
fn the_own_config_ranks_wherever_the_agent_is_meant() {
    let home = Notes::new(&[
        (
            ".openclaw/openclaw.json",
            "{$include: './memory.json5', meta: {lastTouchedVersion: '2026.9.2'}}",
        ),
        (
            ".openclaw/memory.json5",
            "{memory: {search: {query: {maxResults: 1}}}}",
        ),
        (".openclaw/workspace/MEMORY.md", "The router is grey.\n"),
        (
            ".openclaw/workspace/memory/router.md",
            "The router stands in the hall.\n",
        ),
    ]);
    let memlens = Memlens::new();
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let added = at.run(&["agents", "add", "openclaw"]);
    assert_eq!(added.0, Some(0), "{added:?}");
    let by = "memlens: OpenClaw 2026.9 (yours), by ~/.openclaw/openclaw.json\n";
    let most = |arguments: &[&str]| {
        let (status, out, err) = at.run(arguments);
        assert_eq!(status, Some(0), "{arguments:?}: {err}");
        let report: Value = serde_json::from_str(&out).expect("it prints JSON");
        (report["params"]["openclaw.max_results"].as_f64(), err)
    };
    let emulate = ["emulate", "router", "--json"];
    let (n, err) = most(&emulate);
    assert_eq!(n, Some(1.0));
    assert!(err.starts_with(by), "{err}");
    let search = ["search", "router", "--as", "openclaw", "--json"];
    assert_eq!(most(&search).0, Some(1.0));
    // `--set` overrides the config; a version or `--defaults` ignores the config.
    assert_eq!(
        most(&[&search[..], &["--set", "openclaw.max_results=2"]].concat()).0,
        Some(2.0)
    );
    for published in [
        &["emulate", "router", "--json", "--defaults"][..],
        &["emulate", "router", "--json", "--agent", "openclaw@2026.9"],
        &[
            "search",
            "router",
            "--as",
            "openclaw",
            "--defaults",
            "--json",
        ],
    ] {
        let (n, err) = most(published);
        assert_eq!(n, Some(6.0), "{published:?}");
        assert!(!err.contains("yours"), "{err}");
    }
    let compared = at.run(&["compare", "openclaw", "openclaw@2026.9", "router", "--json"]);
    let compared: Value = serde_json::from_str(&compared.1).expect("it prints JSON");
    let kept = |side: &str| {
        let rows = list(&compared[side]["rows"]).iter();
        rows.filter(|row| !row["rank"].is_null()).count()
    };
    assert_eq!((kept("a"), kept("b")), (1, 2), "{compared}");

    // The config is followed when an export changes it, and when it is broken, removed and restored.
    let export = [
        "export",
        "--as",
        "openclaw@2026.9",
        "--set",
        "openclaw.max_results=2",
        "--target",
        "openclaw",
        "--write",
    ];
    let written = at.run(&export);
    assert_eq!(written.0, Some(0), "{written:?}");
    let file = home.at(".openclaw/openclaw.json");
    assert_eq!(
        fs::read_to_string(&file).expect("it is there"),
        "{\n  $include: './memory.json5',\n  meta: {lastTouchedVersion: '2026.9.2'},\n  \"memory\": {\n    \"search\": {\n      \"query\": {\n        \"maxResults\": 2\n      }\n    }\n  }\n}",
        "only what was set is written"
    );
    assert_eq!(most(&emulate).0, Some(2.0));
    let include = home.at(".openclaw/memory.json5");
    fs::remove_file(&include).expect("it is there");
    let (n, err) = most(&emulate);
    assert_eq!(n, Some(6.0));
    assert!(
        err.contains(
            "~/.openclaw/openclaw.json: $include \"./memory.json5\": there is no such file"
        ) && err.contains("the published defaults are used"),
        "{err}"
    );
    fs::write(&include, "{memory: {search: {sync: {watch: true}}}}").expect("it can be written");
    let (n, err) = most(&emulate);
    assert_eq!(n, Some(6.0), "2026.9 refuses the file");
    assert!(
        err.contains("refuses the whole file because of memory.search.sync.watch"),
        "{err}"
    );
    fs::write(&include, "{memory: {search: {enabled: false}}}").expect("it can be written");
    let (n, err) = most(&emulate);
    assert_eq!(n, Some(2.0));
    assert!(err.contains("Memory search is switched off there"), "{err}");
    fs::remove_file(&file).expect("it is there");
    let (n, err) = most(&emulate);
    assert_eq!((n, err.contains("yours")), (Some(6.0), false), "{err}");
}

#[test]
fn a_project_is_found_by_its_printed_name_and_by_a_path_that_begins_with_a_hyphen() {
    let note = "# Blog\n\nThe newsletter goes out on Fridays.\n";
    let home = Notes::new(&[
        (".claude/projects/-home-sam-blog/memory/MEMORY.md", note),
        (
            ".claude/projects/-home-sam-shop/memory/MEMORY.md",
            "# Shop\n\nThe shop opens at nine.\n",
        ),
    ]);
    let memlens = Memlens::new();
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let added = at.run(&["agents", "add", "claude-code"]);
    assert!(
        added.2.contains("as Claude Code home-sam-blog"),
        "{added:?}"
    );
    for place in [
        "home-sam-blog/MEMORY.md:3",
        "Claude Code home-sam-blog/MEMORY.md:3",
        "-home-sam-blog/memory/MEMORY.md:3",
    ] {
        let answer = at.json(&["why", "newsletter", place, "--json"]);
        assert_eq!(answer["line"], 3, "{place}: {answer}");
        assert_eq!(answer["why"]["kind"], "searched", "{place}: {answer}");
    }
    for scope in ["home-sam-blog", "-home-sam-blog/memory"] {
        let report = at.json(&["search", "newsletter", "--in", scope, "--json"]);
        assert_eq!(list(&report["results"]).len(), 1, "{scope}: {report}");
    }
    let refused = at.run(&["why", "newsletter", "--jsn"]);
    assert_eq!(refused.0, Some(2), "{refused:?}");
    assert!(refused.2.contains("it looks like an option"), "{refused:?}");
}
