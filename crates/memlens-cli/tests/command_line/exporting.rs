//! `export` to other programs and to memlens.json: the outcome for each parameter, and a config changed in one step.
//!
//! Properties checked: comments, order, line endings and everything else in a config stay; its previous content is
//! kept; a config that cannot be changed is refused and left unchanged; memlens.json matches its schema and is read
//! back with its evidence.

use std::fs;

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{AtHome, Memlens, list, text};

const CONFIG: &str = "// mine\n{\n  meta: {lastTouchedVersion: '2026.9.6'},\n  // the search\n  memory: {search: {query: {maxResults: 4 /* few */, 'minScore': .35}}},\n  env: {KEY: 'sk-1'},\n}\n";

fn tuned<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let tuned = [
        "export",
        "--set",
        "max_results=8",
        "--set",
        "min_score=0.2",
        "--target",
    ];
    [&tuned, more].concat()
}

fn row<'a>(report: &'a Value, parameter: &str) -> &'a Value {
    let mut rows = list(&report["rows"]).iter();
    rows.find(|row| row["parameter"] == parameter)
        .unwrap_or(&Value::Null)
}

#[test]
fn each_parameter_says_what_becomes_of_it() {
    let memlens = Memlens::of(&[]);
    let home = Notes::new(&[]);
    let home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    // A preset holds every parameter; an export with `--set` would hold only that one.
    let presets = tempfile::tempdir().expect("a scratch folder can be made");
    let preset = |name: &str, sets: &[&str]| {
        let path = text(&presets.path().join(name)).to_owned();
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<&str> = ["export", "--out", &path].into_iter().chain(sets).collect();
        assert_eq!(home.run(&arguments).0, Some(0));
        path
    };
    let all = preset(
        "all.json",
        &["max_results=8", "min_score=0.2", "half_life_days=30"],
    );
    let check = |target: &str, parameter: &str, expected: [Value; 3]| {
        let report = home.json(&["export", "--preset", &all, "--target", target, "--json"]);
        let found = row(&report, parameter);
        assert_eq!(
            [&found["key"], &found["told"], &found["fit"]],
            [&expected[0], &expected[1], &expected[2]],
            "{target} {parameter}"
        );
        assert_eq!(found["why"].is_null(), found["fit"] == "exact", "{found}");
    };
    let exact = json!("exact");
    let (like, cannot) = (json!("approximate"), json!("not_expressible"));
    let none = Value::Null;
    check(
        "openclaw",
        "max_results",
        [json!("query.maxResults"), json!("8"), exact.clone()],
    );
    check(
        "openclaw",
        "min_score",
        [json!("query.minScore"), json!("0.2"), like.clone()],
    );
    check(
        "openclaw",
        "vector_weight",
        [none.clone(), none.clone(), cannot.clone()],
    );
    check(
        "openclaw",
        "half_life_days",
        [none.clone(), none.clone(), cannot.clone()],
    );
    check(
        "openclaw@2026.7.35",
        "half_life_days",
        [
            json!("query.hybrid.temporalDecay.halfLifeDays"),
            json!("30"),
            like.clone(),
        ],
    );
    check(
        "openclaw@2026.7",
        "vector_weight",
        [
            json!("query.hybrid.vectorWeight"),
            json!("0.6"),
            like.clone(),
        ],
    );
    check(
        "openclaw@2026.2",
        "half_life_days",
        [none.clone(), none.clone(), cannot.clone()],
    );
    check(
        "qmd",
        "max_results",
        [json!("limit"), json!("8"), like.clone()],
    );
    check(
        "octopus",
        "max_results",
        [none.clone(), none.clone(), cannot.clone()],
    );
    check(
        "openviking",
        "min_score",
        [none.clone(), none.clone(), cannot],
    );

    // A setting without effect in the other program is reported and not written.
    let viking = preset(
        "viking.json",
        &[
            "max_results=8",
            "min_score=0.2",
            "rerank=http",
            "rerank_max_chars=4000",
        ],
    );
    let report = home.json(&[
        "export",
        "--preset",
        &viking,
        "--target",
        "openviking",
        "--json",
    ]);
    assert_eq!(row(&report, "rerank_max_docs")["fit"], "proposed");
    let written: Value =
        serde_json::from_str(report["text"].as_str().expect("a text")).expect("it is JSON");
    assert_eq!(
        written,
        json!({"rerank": {"max_input_tokens": 1000, "timeout": 10}})
    );

    // A program's own parameters are exported unchanged.
    let own = [
        "export",
        "--as",
        "openclaw@2026.7",
        "--set",
        "openclaw.mmr_on=true",
        "--target",
        "openclaw@2026.7",
        "--json",
    ];
    let report = home.json(&own);
    assert!(
        list(&report["rows"])
            .iter()
            .all(|row| row["fit"] == "exact"),
        "{report}"
    );
    assert_eq!(
        list(&report["rows"])
            .iter()
            .map(|row| row["parameter"].as_str().expect("an id"))
            .collect::<Vec<_>>(),
        ["openclaw.mmr_on"],
        "what is set is exported alone"
    );
    let printed = home.run(&["export", "--preset", &all, "--target", "qmd"]).1;
    assert!(
        printed.contains("qmd query \"QUESTION\" -n 8 --min-score 0.2 --no-rerank\n"),
        "{printed}"
    );
    // Defaults are exported as well, which nobody tuned.
    let printed = home.run(&["export", "--target", "qmd"]).1;
    assert!(
        printed.contains("this library uses the embedding model ") && !printed.contains("tuned"),
        "{printed}"
    );
}

#[test]
fn a_config_is_changed_and_everything_else_of_it_stays() {
    let home = Notes::new(&[
        (".openclaw/openclaw.json", CONFIG),
        (".openclaw/workspace/MEMORY.md", "The router is grey.\n"),
    ]);
    // The config may be in a watched folder, because the user names it.
    let memlens = Memlens::of(&[&home]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let config = home.path().join(".openclaw/openclaw.json");
    let read = |path: &std::path::Path| fs::read_to_string(path).expect("it can be read");

    let looked = at.run(&tuned(&["openclaw"]));
    assert_eq!(looked.0, Some(0), "{looked:?}");
    assert!(
        looked
            .1
            .contains("-  memory: {search: {query: {maxResults: 4 /* … */, 'minScore': .35}}},\n"),
        "{}",
        looked.1
    );
    assert!(!looked.1.contains("sk-1"), "{}", looked.1);
    assert!(
        looked.1.contains("--write changes it all the same"),
        "{}",
        looked.1
    );
    assert_eq!(read(&config), CONFIG);

    let report = at.run(&tuned(&["openclaw", "--write", "--json"]));
    let report: Value = serde_json::from_str(&report.1).expect("it prints JSON");
    let backup = std::path::PathBuf::from(report["backup"].as_str().expect("a path"));
    assert_eq!(read(&backup), CONFIG);
    let changed = CONFIG
        .replace("maxResults: 4", "maxResults: 8")
        .replace(".35", "0.2");
    assert_eq!(read(&config), changed);

    let again = at.run(&tuned(&["openclaw", "--write"]));
    assert_eq!(again.0, Some(2), "{again:?}");
    assert!(
        again.2.contains("it already has these settings"),
        "{again:?}"
    );
    let files = fs::read_dir(home.path().join(".openclaw")).expect("it is there");
    assert_eq!(files.count(), 3, "the config, the workspace and one copy");
}

#[test]
fn a_config_is_taken_for_the_version_that_wrote_it() {
    let older = r#"{"meta": {"lastTouchedVersion": "2026.7.35"}, "agents": {"defaults": {"memorySearch": {"query": {"hybrid": {"vectorWeight": 0.9}}}}}}"#;
    let home = Notes::new(&[(".openclaw/openclaw.json", older)]);
    let memlens = Memlens::of(&[]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let report = at.json(&tuned(&["openclaw", "--json"]));
    assert_eq!(report["target"], "openclaw@2026.7");
    let refused = at.run(&tuned(&["openclaw@2026.9", "--write"]));
    assert!(
        refused.2.contains("written by 2026.7.35")
            && refused
                .2
                .contains("export for OpenClaw 2026.3 to 2026.7 (openclaw@2026.7)"),
        "{refused:?}"
    );
    assert_eq!(
        fs::read_to_string(home.path().join(".openclaw/openclaw.json")).expect("it can be read"),
        older
    );
    let written = at.run(&tuned(&["openclaw", "--write"]));
    assert_eq!(written.0, Some(0), "{written:?}");
    let config: Value = serde_json::from_str(
        &fs::read_to_string(home.path().join(".openclaw/openclaw.json")).expect("it is there"),
    )
    .expect("JSON");
    assert_eq!(
        config["agents"]["defaults"]["memorySearch"]["query"],
        // Only the changed settings are written.
        json!({"hybrid": {"vectorWeight": 0.9}, "maxResults": 8, "minScore": 0.2})
    );
}

#[test]
fn one_of_two_agents_is_reported() {
    let two = r#"{memory: {search: {query: {minScore: 0.3}}}, agents: {entries: {iris: {memory: {search: {query: {minScore: 0.1}}}}, otto: {}}}}"#;
    let home = Notes::new(&[(".openclaw/openclaw.json", two)]);
    let memlens = Memlens::of(&[]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let report = at.json(&tuned(&["openclaw", "--json"]));
    assert!(
        report["change"]["notes"]
            .to_string()
            .contains("iris has settings of its own"),
        "{report}"
    );
    let written = at.run(&tuned(&["openclaw", "--agent", "iris", "--write"]));
    assert_eq!(written.0, Some(0), "{written:?}");
    let read = at.json(&[
        "import",
        text(&home.path().join(".openclaw/openclaw.json")),
        "--agent",
        "iris",
        "--json",
    ]);
    assert_eq!(read["params"]["openclaw.min_score"], 0.2);
    let all = at.json(&[
        "import",
        text(&home.path().join(".openclaw/openclaw.json")),
        "--json",
    ]);
    assert_eq!(all["params"]["openclaw.min_score"], 0.3);
    let refused = at.run(&tuned(&["openclaw", "--agent", "mara", "--write"]));
    assert!(refused.2.contains("it names no agent mara"), "{refused:?}");
    let refused = at.run(&tuned(&["qmd", "--agent", "iris"]));
    assert!(
        refused.2.contains("no search settings for single agents"),
        "{refused:?}"
    );
}

#[test]
fn what_cannot_be_changed_is_refused_and_left() {
    let memlens = Memlens::of(&[]);
    // An unknown version is reported, and the version named on the command line is used.
    for (config, message) in [
        (
            "{memory: {}}",
            "it does not say which version wrote it; it is taken for OpenClaw 2026.3 to 2026.7",
        ),
        (
            "{meta: {lastTouchedVersion: 'banana'}}",
            "no version is known by banana; it is taken for OpenClaw 2026.3 to 2026.7",
        ),
    ] {
        let home = Notes::new(&[(".openclaw/openclaw.json", config)]);
        let at = AtHome {
            memlens: &memlens,
            home: &home,
        };
        let report = at.json(&tuned(&["openclaw@2026.7", "--json"]));
        assert_eq!(report["change"]["notes"][0], message);
        assert!(report["change"]["refused"].is_null(), "{report}");
    }
    let huge = format!("{{memory: {{}}}} // {}", "x".repeat(16 << 20));
    let cases = [
        ("", "it is empty"),
        ("{memory: {search: }}", "line 1, column"),
        ("[1]", "it holds no settings by name"),
        (
            "{memory: {search: {query: 1}}}",
            "memory.search.query is not an object",
        ),
        (
            "{memory: {search: {query: {minScore: 1, minScore: 2}}}}",
            "appears twice",
        ),
        (&huge, "it is larger than 16 MiB"),
        (
            "{meta: {lastTouchedVersion: '2026.2.12'}}",
            "written by 2026.2.12",
        ),
    ];
    for (config, message) in cases {
        let home = Notes::new(&[(".openclaw/openclaw.json", config)]);
        let at = AtHome {
            memlens: &memlens,
            home: &home,
        };
        let (status, out, err) = at.run(&tuned(&["openclaw@2026.9", "--write"]));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{message}: {err}");
        assert!(
            err.contains(message) && err.contains("openclaw.json"),
            "{message}: {err}"
        );
        let left = fs::read_to_string(home.path().join(".openclaw/openclaw.json"));
        assert_eq!(left.expect("it is there"), config);
        assert_eq!(
            fs::read_dir(home.path().join(".openclaw"))
                .expect("it is there")
                .count(),
            1,
            "{message}"
        );
    }
    let home = Notes::new(&[]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    for (arguments, message) in [
        (tuned(&["openclaw", "--write"]), "none was found"),
        (
            tuned(&["qmd", "--write"]),
            "its settings are arguments of each call",
        ),
        (tuned(&["nobody"]), "name one of memlens, openclaw@2026.9"),
        (
            tuned(&["memlens", "--write"]),
            "name a program with --target",
        ),
        (
            tuned(&["openclaw", "--config", "/nowhere/openclaw.json"]),
            "there is no such file",
        ),
    ] {
        let (status, _, err) = at.run(&arguments);
        assert_eq!(status, Some(2), "{message}: {err}");
        assert!(err.contains(message), "{message}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn a_config_that_is_a_link_or_read_only_is_left() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let memlens = Memlens::of(&[]);
    let home = Notes::new(&[("real.json", CONFIG), (".openclaw/x", "")]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let config = home.path().join(".openclaw/openclaw.json");
    symlink(home.path().join("real.json"), &config).expect("links can be made");
    let refused = at.run(&tuned(&["openclaw", "--write"]));
    assert!(refused.2.contains("links are not followed"), "{refused:?}");
    fs::remove_file(&config).expect("it is ours");
    fs::write(&config, CONFIG).expect("it can be written");
    fs::set_permissions(&config, fs::Permissions::from_mode(0o444)).expect("it is ours");
    let refused = at.run(&tuned(&["openclaw", "--write"]));
    assert!(refused.2.contains("it is read-only"), "{refused:?}");
    assert_eq!(fs::read_to_string(&config).expect("it is there"), CONFIG);
}

#[test]
fn memlens_json_holds_to_its_schema_and_keeps_its_evidence() {
    let notes = Notes::new(&[
        ("a.md", "The router stands in the hall.\n"),
        ("b.md", "The red bicycle has a flat tyre.\n"),
        (
            "q.jsonl",
            "{\"id\":\"1\",\"query\":\"where is the router\",\"relevant\":[{\"path\":\"a.md\",\"start_line\":1,\"end_line\":1}]}\n\
            {\"id\":\"2\",\"query\":\"flat tyre\",\"relevant\":[{\"path\":\"b.md\",\"start_line\":1,\"end_line\":1}]}\n",
        ),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let out = Notes::new(&[]);
    let (first, second) = (
        out.path().join("first.json"),
        out.path().join("second.json"),
    );
    let queries = notes.path().join("q.jsonl");
    let run = memlens.run(&[
        "export",
        "--set",
        "max_results=3",
        "--queries",
        text(&queries),
        "--out",
        text(&first),
    ]);
    assert!(
        run.status == 0
            && run
                .err
                .contains("measured on 2 queries of q.jsonl: nDCG@10 1.000, 1.000 by default"),
        "{run:?}"
    );
    let run = memlens.run(&["export", "--preset", text(&first), "--out", text(&second)]);
    assert_eq!(run.status, 0, "{run:?}");
    let schema: Value =
        serde_json::from_str(&memlens.print(&["export", "--schema"])).expect("it is JSON");
    let schema = jsonschema::validator_for(&schema).expect("it is a schema");
    let read = |path| -> Value {
        serde_json::from_str(&fs::read_to_string(path).expect("it is there")).expect("it is JSON")
    };
    let (first, second) = (read(&first), read(&second));
    for file in [&first, &second] {
        assert!(schema.is_valid(file), "{file}");
    }
    assert_eq!(first["evidence"]["n"], 2);
    assert_eq!(first["evidence"], second["evidence"]);
    assert_eq!(first["parameters"], second["parameters"]);
    // Other values have no evidence.
    let other = memlens.print(&[
        "export",
        "--preset",
        text(&out.path().join("second.json")),
        "--set",
        "max_results=4",
    ]);
    assert!(!other.contains("evidence"), "{other}");
    let emulated: Value = serde_json::from_str(&memlens.print(&[
        "export",
        "--as",
        "openclaw",
        "--set",
        "openclaw.min_score=0.2",
    ]))
    .expect("it is JSON");
    assert!(schema.is_valid(&emulated), "{emulated}");
    for (place, value) in [
        ("schemaVersion", json!(2)),
        ("parameters", json!({"min_score": 2})),
        ("pipeline", json!("none")),
    ] {
        let mut broken = first.clone();
        broken[place] = value;
        assert!(!schema.is_valid(&broken), "{place}");
    }
    let printed = memlens.print(&["import", text(&out.path().join("first.json"))]);
    assert!(
        printed.contains("max_results  3") && printed.contains("measured on 2 queries"),
        "{printed}"
    );
}

#[test]
fn the_nearest_setting_is_found_on_judged_queries() {
    let notes = Notes::new(&[
        ("a.md", "The router stands in the hall.\n"),
        ("b.md", "The red bicycle has a flat tyre.\n"),
        ("c.md", "The garden hose leaks near the tap.\n"),
        (
            "q.jsonl",
            "{\"id\":\"1\",\"query\":\"why does the water drip outside\",\"relevant\":[{\"path\":\"c.md\",\"start_line\":1,\"end_line\":1}]}\n",
        ),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let queries = notes.path().join("q.jsonl");
    // With the mapped settings the cut drops every result.
    let arguments = [
        "export",
        "--target",
        "openclaw@2026.2",
        "--set",
        "min_score=0.99",
        "--set",
        "threshold_on=true",
        "--queries",
        text(&queries),
        "--json",
    ];
    let home = Notes::new(&[]);
    let report = AtHome {
        memlens: &memlens,
        home: &home,
    }
    .json(&arguments);
    let nearest = &report["nearest"];
    assert_eq!(nearest["ndcg@10_mapped"], 0.0, "{nearest}");
    assert_eq!(nearest["ndcg@10"], 1.0, "{nearest}");
    assert!(
        nearest["params"]["openclaw.min_score"]
            .as_f64()
            .is_some_and(|it| it < 0.6),
        "{nearest}"
    );
}

#[test]
fn nothing_of_a_config_is_lost_or_changed_unseen() {
    let memlens = Memlens::of(&[]);
    // A file with the settings alone never replaces the config that they belong to.
    let home = Notes::new(&[(".openclaw/openclaw.json", CONFIG)]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let config = home.path().join(".openclaw/openclaw.json");
    let (status, _, err) = at.run(&tuned(&["openclaw", "--out", text(&config)]));
    assert_eq!(status, Some(1), "{err}");
    assert_eq!(fs::read_to_string(&config).expect("it is there"), CONFIG);

    // Only the written value is printed, and nothing else of the config.
    let octopus = r#"{"Octopus":{"Reranker":{"Provider":"ONNX","Model":"my.onnx","TopN":10}}}"#;
    fs::write(home.path().join("appsettings.json"), octopus).expect("it can be written");
    let place = home.path().join("appsettings.json");
    let arguments = [
        "export",
        "--target",
        "octopus",
        "--set",
        "rerank=http",
        "--config",
        text(&place),
    ];
    let (status, out, err) = at.run(&arguments);
    assert_eq!(status, Some(0), "{err}");
    assert!(
        out.contains("\"Provider\":\"Cohere\"") && !out.contains("my.onnx"),
        "{out}"
    );
    assert!(!out.contains("already has"), "{out}");
    let none = [
        "export",
        "--target",
        "octopus",
        "--write",
        "--config",
        text(&place),
    ];
    let refused = at.run(&none);
    assert!(
        refused.2.contains("no setting for any of these"),
        "{refused:?}"
    );

    // An agent without its own settings has the common settings, not the defaults.
    let all = "{memory: {search: {query: {minScore: 0.1, maxResults: 20}}}, agents: {entries: {iris: {}}}}";
    fs::write(&config, all).expect("it can be written");
    let defaults = [
        "export",
        "--target",
        "openclaw",
        "--agent",
        "iris",
        "--set",
        "min_score=0.35",
        "--set",
        "max_results=6",
        "--write",
    ];
    let written = at.run(&defaults);
    assert_eq!(written.0, Some(0), "{written:?}");
    let read = at.json(&["import", text(&config), "--agent", "iris", "--json"]);
    assert_eq!(read["params"]["openclaw.min_score"], 0.35);
    assert_eq!(read["params"]["openclaw.max_results"], 6.0);

    // A feature that is off in Memlens is switched off in the other program.
    let on = r#"{"meta": {"lastTouchedVersion": "2026.7.35"}, "agents": {"defaults": {"memorySearch": {"query": {"hybrid": {"enabled": false, "mmr": {"enabled": true}, "temporalDecay": {"enabled": true}}}}}}}"#;
    fs::write(&config, on).expect("it can be written");
    let written = at.run(&["export", "--target", "openclaw", "--write"]);
    assert_eq!(written.0, Some(0), "{written:?}");
    let read: Value = serde_json::from_str(&fs::read_to_string(&config).expect("it is there"))
        .expect("it is JSON");
    let hybrid = &read["agents"]["defaults"]["memorySearch"]["query"]["hybrid"];
    assert_eq!(hybrid["mmr"]["enabled"], false, "{hybrid}");
    assert_eq!(hybrid["temporalDecay"]["enabled"], false, "{hybrid}");
    assert_eq!(hybrid["enabled"], true, "{hybrid}");
}

#[test]
fn no_secret_of_a_config_is_reported() {
    let memlens = Memlens::new();
    let home = Notes::new(&[
        (
            "openclaw.json",
            "{memory: {search: {remote: {apiKey: 'sk-1', headers: ['sk-2']}}}, agents: {defaults: {memorySearch: {remote: {apiKey: 'sk-3'}}}}}",
        ),
        (
            "ov.conf",
            r#"{"rerank": {"api_key": "sk-4", "extra_headers": {"Authorization": "sk-5"}}}"#,
        ),
    ]);
    for name in ["openclaw.json", "ov.conf"] {
        let path = home.path().join(name);
        for more in [&[][..], &["--json"]] {
            let printed = memlens.print(&[&["import", text(&path)], more].concat());
            assert!(!printed.contains("sk-"), "{printed}");
        }
    }
}
