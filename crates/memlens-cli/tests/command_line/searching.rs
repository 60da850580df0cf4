//! `search`, `params`, `export`: the contract of their JSON, and their settings.
//!
//! Properties checked: every promised field is there, has its type and agrees with the others; settings and presets
//! take effect and are refused by key, value and range; a search can be limited to a part of the memory.

use memlens_params::{ParameterSet, Params, stages, table};
use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, list, paths, text};

fn notes() -> Notes {
    let long: String = (0..60)
        .map(|line| format!("Line {line}: the quiet relay of the hall hums at night.\n"))
        .collect();
    Notes::new(&[
        (
            "router.md",
            "---\nagent: iris\n---\n# Router\n\nThe router stands in the hall.\n",
        ),
        ("relay.md", &long),
        ("people/signe.md", "Signe drinks oolong in the kitchen.\n"),
        ("people/ada.md", "Ada drinks coffee on the balcony.\n"),
        (
            "log.jsonl",
            "{\"text\":\"The relay was replaced\",\"agent\":\"argus\"}\n",
        ),
    ])
}

/// Checks that `value` is an object with at least these keys, each of its type.
fn check_fields(value: &Value, fields: &[(&str, &str)]) {
    for (key, kind) in fields {
        let found = value
            .get(key)
            .unwrap_or_else(|| panic!("{key} is missing in {value:#}"));
        let is_so = |kind: &str| match kind {
            "text" => found.is_string(),
            "number" => found.is_number(),
            "count" => found.is_u64(),
            "list" => found.is_array(),
            "object" => found.is_object(),
            "flag" => found.is_boolean(),
            "none" => found.is_null(),
            _ => panic!("{kind} is no kind"),
        };
        assert!(kind.split('|').any(is_so), "{key} is {found}, not {kind}");
    }
}

#[test]
fn search_json_keeps_its_contract() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let report = memlens.json(&[
        "search",
        "quiet relay in the hall",
        "--set",
        "max_results=2",
        "--json",
    ]);
    check_fields(
        &report,
        &[
            ("schema_version", "count"),
            ("query", "text"),
            ("params", "object"),
            ("stages", "list"),
            ("results", "list"),
            ("dropped", "list"),
        ],
    );
    assert_eq!(
        (&report["schema_version"], &report["query"]),
        (&json!(1), &json!("quiet relay in the hall"))
    );

    // Every parameter is reported, with the changed value.
    let params = report["params"].as_object().expect("it is an object");
    assert_eq!(params.len(), table().len());
    let mut expected = Params::default();
    expected.assign("max_results", "2").expect("it is in range");
    for parameter in table() {
        let value = json!(expected.get(parameter.id).expect("it is in the table"));
        let found = &params[parameter.id];
        // An integer is written without a fraction.
        let is_equal = *found == value || (found.is_number() && found.as_f64() == value.as_f64());
        assert!(is_equal, "{}: {found} in place of {value}", parameter.id);
    }

    // The stages are in order, and every row that enters one leaves it or is dropped.
    let expected: Vec<&str> = stages().iter().map(|stage| stage.id.as_str()).collect();
    let found: Vec<&str> = list(&report["stages"])
        .iter()
        .map(|stage| stage["id"].as_str().expect("an id is text"))
        .collect();
    assert_eq!(found, expected);
    let n = |value: &Value| value.as_u64().expect("it is a count");
    let mut before = None;
    for stage in list(&report["stages"]) {
        check_fields(
            stage,
            &[
                ("id", "text"),
                ("in", "count"),
                ("out", "count"),
                ("dropped", "count"),
                ("ms", "number|none"),
                ("status", "text"),
                ("why", "text|none"),
            ],
        );
        let status = stage["status"].as_str().expect("it is text");
        assert!(
            ["applied", "skipped", "fallback"].contains(&status),
            "{stage}"
        );
        assert_eq!(stage["why"].is_null(), status == "applied", "{stage}");
        let is_list = stage["id"] == "vector" || stage["id"] == "bm25";
        if !is_list {
            assert_eq!(
                n(&stage["in"]),
                n(&stage["out"]) + n(&stage["dropped"]),
                "{stage}"
            );
            assert!(
                before.is_none_or(|before| before == n(&stage["in"])),
                "{stage}"
            );
            before = Some(n(&stage["out"]));
        }
    }
    let results = list(&report["results"]);
    let dropped = list(&report["dropped"]);
    assert_eq!(
        (results.len() as u64, Some(results.len() as u64)),
        (2, before)
    );
    assert!(!dropped.is_empty());

    let mut last_score = f64::INFINITY;
    for (at, row) in results.iter().chain(dropped).enumerate() {
        check_fields(
            row,
            &[
                ("rank", "count|none"),
                ("path", "text"),
                ("folder", "text"),
                ("start_line", "count"),
                ("end_line", "count"),
                ("score", "number|none"),
                ("snippet", "text"),
                ("source", "text"),
                ("tokens", "count"),
                ("journey", "list"),
            ],
        );
        let is_result = at < results.len();
        assert_eq!(row["rank"].as_u64(), is_result.then_some(at as u64 + 1));
        assert_eq!(row["folder"], text(notes.path()));
        let note = std::fs::read_to_string(notes.at(row["path"].as_str().expect("it is text")))
            .expect("it is there");
        let n_lines = note.lines().count() as u64 + 1;
        assert!(
            1 <= n(&row["start_line"])
                && n(&row["start_line"]) <= n(&row["end_line"])
                && n(&row["end_line"]) <= n_lines,
            "{row}"
        );
        assert!(
            n(&row["tokens"]) > 0
                && row["snippet"]
                    .as_str()
                    .is_some_and(|snippet| !snippet.is_empty()),
            "{row}"
        );
        if is_result {
            let score = row["score"].as_f64().expect("a result has a score");
            assert!(score <= last_score, "{row}");
            last_score = score;
        }

        let journey = list(&row["journey"]);
        let mut order = expected.iter();
        for step in journey {
            check_fields(
                step,
                &[
                    ("stage", "text"),
                    ("rank_before", "count|none"),
                    ("rank_after", "count|none"),
                    ("score_before", "number|none"),
                    ("score_after", "number|none"),
                    ("dropped", "flag"),
                    ("detail", "object"),
                ],
            );
            assert!(
                order.any(|id| step["stage"] == **id),
                "{step} is out of order"
            );
        }
        let n_drops = journey
            .iter()
            .filter(|step| step["dropped"] == true)
            .count();
        assert_eq!(
            (
                n_drops,
                journey.last().is_some_and(|step| step["dropped"] == true)
            ),
            (usize::from(!is_result), !is_result)
        );
        let score = journey.iter().rev().find_map(|step| {
            step["score_after"]
                .as_f64()
                .or(step["score_before"].as_f64())
        });
        assert_eq!(
            row["score"].as_f64(),
            score,
            "the last score of the journey: {row:#}"
        );
        let last_rank = journey.last().and_then(|step| step["rank_after"].as_u64());
        assert_eq!(last_rank, row["rank"].as_u64());
    }
    let sources: Vec<&Value> = results
        .iter()
        .chain(dropped)
        .map(|row| &row["source"])
        .collect();
    for source in ["iris", "argus", "people", "notes"] {
        assert!(
            sources.contains(&&json!(source)),
            "{source} is not among {sources:?}"
        );
    }
}

#[test]
fn the_same_search_answers_the_same() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let ask = || {
        let mut report = memlens.json(&["search", "who drinks oolong", "--json"]);
        for stage in report["stages"].as_array_mut().expect("it is a list") {
            stage["ms"].take();
        }
        report
    };
    let first = ask();
    assert_eq!(paths(&first["results"])[0], "people/signe.md");
    assert_eq!(ask(), first);
}

#[test]
fn text_is_for_people() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let plain = memlens.print(&["search", "who drinks oolong"]);
    assert!(
        plain.starts_with("  1  ")
            && plain.contains("people/signe.md:1")
            && plain.contains("Signe drinks oolong"),
        "{plain}"
    );
    let explained = memlens.print(&["search", "who drinks oolong", "--explain"]);
    for stage in stages() {
        assert!(
            explained.contains(stage.label),
            "{} is not in {explained}",
            stage.label
        );
    }
    assert!(
        !plain.contains('\u{1b}') && !explained.contains('\u{1b}'),
        "colours in a pipe"
    );
    // Each score is shown with its formula.
    assert!(
        explained.contains("Fusion        calibrated "),
        "{explained}"
    );
    assert!(explained.contains("0.60 · "), "{explained}");
    let nothing = memlens.print(&["search", "who drinks oolong", "--set", "min_score=1"]);
    assert!(nothing.starts_with("no results: of "), "{nothing}");
}

#[test]
fn a_trace_is_printed_to_paste() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let whole = memlens.print(&["search", "who drinks oolong", "--markdown"]);
    assert!(
        whole.starts_with("# Search: who drinks oolong\n"),
        "{whole}"
    );
    assert!(whole.contains("| 1 | `people/signe.md:1"), "{whole}");
    assert!(whole.contains("Signe drinks oolong"), "{whole}");
    let blank = ["search", "who drinks oolong", "--markdown", "--no-text"];
    let blank = memlens.print(&blank);
    assert!(blank.contains("| 1 | `people/signe.md:1"), "{blank}");
    assert!(!blank.contains("Signe drinks oolong"), "{blank}");
    let of_openclaw = [
        "emulate",
        "who drinks oolong",
        "--agent",
        "openclaw",
        "--markdown",
    ];
    let of_openclaw = memlens.print(&of_openclaw);
    assert!(
        of_openclaw.contains("- Ranked by: OpenClaw 2026.9 (`openclaw@2026.9`)"),
        "{of_openclaw}"
    );
}

#[test]
fn parameters_stand_in_columns() {
    let printed = Memlens::new().print(&["params"]);
    let parameters = table();
    assert_eq!(printed.lines().count(), parameters.len());
    let mut columns: Vec<usize> = printed
        .lines()
        .zip(parameters)
        .map(|(line, parameter)| {
            assert!(line.starts_with(&format!("{}  ", parameter.id)), "{line}");
            line.find(&format!("  {}", parameter.sentence))
                .unwrap_or_else(|| panic!("{line:?}"))
        })
        .collect();
    columns.dedup();
    assert_eq!(columns.len(), 1, "{printed}");
}

#[test]
fn a_part_of_the_memory_is_asked_alone() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let people = ["people/ada.md", "people/signe.md"];
    for scope in ["people", "notes/people", text(&notes.at("people"))] {
        let report = memlens.json(&[
            "search",
            "relay drinks",
            "--in",
            scope,
            "--set",
            "min_score=0",
            "--json",
        ]);
        let mut found = [paths(&report["results"]), paths(&report["dropped"])].concat();
        found.sort_unstable();
        assert_eq!(found, people, "{scope}");
        assert_eq!(list(&report["stages"])[0]["in"], 2);
    }
    for scope in ["none", "../notes", "/", "people/../people", ""] {
        let run = memlens.run(&["search", "relay", "--in", scope]);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{scope}: {run:?}");
        assert!(
            run.err
                .starts_with(&format!("memlens: cannot search in {scope}: ")),
            "{run:?}"
        );
    }
}

#[test]
fn settings_act_and_are_refused_by_key_value_and_range() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let search = |settings: &[&str]| {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        memlens.json(
            &["search", "relay", "--json"]
                .into_iter()
                .chain(settings)
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(paths(&search(&["max_results=1"])["results"]).len(), 1);
    assert_eq!(
        list(&search(&["vector_on=false"])["stages"])[0]["status"],
        "skipped"
    );
    // The last setting of a parameter wins.
    assert_eq!(
        search(&["fusion=rrf", "fusion=relative"])["params"]["fusion"],
        "relative"
    );
    // This value is valid only together with the next one.
    assert_eq!(search(&["vector_weight=0"])["params"]["vector_weight"], 0.0);

    let cases: &[(&[&str], &str)] = &[
        (
            &["min_scor=0.2"],
            "unknown parameter min_scor: did you mean min_score?",
        ),
        (
            &["min_score=7"],
            "cannot set min_score to 7: the range is 0 to 1",
        ),
        (
            &["min_score=-1"],
            "cannot set min_score to -1: the range is 0 to 1",
        ),
        (
            &["min_score=NaN"],
            "cannot set min_score to NaN: the range is 0 to 1",
        ),
        (
            &["max_results=1.5"],
            "cannot set max_results to 1.5: the range is whole numbers from 1 to 100",
        ),
        (
            &["fusion=magic"],
            "cannot set fusion to magic: it takes one of calibrated, rrf, relative, weighted",
        ),
        (
            &["vector_on=maybe"],
            "cannot set vector_on to maybe: it takes true or false",
        ),
        (
            &["min_score"],
            "cannot read \"min_score\" as a setting: it must be id=value",
        ),
        (
            &["vector_weight=0", "text_weight=0"],
            "cannot use vector_weight 0 together with text_weight 0: one of them must be above 0",
        ),
    ];
    for (settings, message) in cases {
        let settings: Vec<&str> = settings
            .iter()
            .flat_map(|setting| ["--set", setting])
            .collect();
        for command in [
            &["search", "relay", "--json"][..],
            &["eval", "queries.jsonl"],
            &["export", "--out", "memlens.json"],
        ] {
            memlens.refused(&[command, &settings].concat(), 2, message);
        }
    }
}

#[test]
fn a_config_leaves_and_comes_back() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let out = tempfile::tempdir().expect("a scratch folder can be made");
    let file = out.path().join("memlens.json");
    let run = memlens.run(&[
        "export",
        "--out",
        text(&file),
        "--set",
        "min_score=0.0317",
        "--set",
        "fusion=rrf",
    ]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
    let exported: Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("it was written"))
            .expect("it is JSON");
    assert_eq!(
        exported["parameters"],
        json!({"feedback_on": false, "fusion": "rrf", "min_score": 0.0317})
    );

    let search = |arguments: &[&str]| {
        memlens.json(
            &[
                &["search", "relay", "--json", "--preset", text(&file)],
                arguments,
            ]
            .concat(),
        )
    };
    assert_eq!(
        (
            &search(&[])["params"]["fusion"],
            &search(&[])["params"]["min_score"]
        ),
        (&json!("rrf"), &json!(0.0317))
    );
    // A setting overrides the preset.
    assert_eq!(
        search(&["--set", "fusion=weighted"])["params"]["fusion"],
        "weighted"
    );

    let refused = |parameters: &str, message: &str| {
        std::fs::write(
            &file,
            format!("{{\"schemaVersion\":1,\"parameters\":{parameters}}}"),
        )
        .expect("it can be written");
        let arguments = ["search", "relay", "--json", "--preset", text(&file)];
        memlens.refused(
            &arguments,
            2,
            &format!("cannot read preset {}: {message}", file.display()),
        );
    };
    refused(
        "{\"min_scor\":1}",
        "unknown parameter min_scor: did you mean min_score?",
    );
    refused(
        "{\"fusion_k\":0}",
        "cannot set fusion_k to 0: the range is whole numbers from 1 to 200",
    );
    refused(
        "{\"vector_weight\":0,\"text_weight\":0}",
        "cannot use vector_weight 0 together with text_weight 0: one of them must be above 0",
    );
    let run = memlens.run(&[
        "search",
        "relay",
        "--preset",
        text(&out.path().join("none.json")),
    ]);
    assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");

    // Nothing is written into a watched folder.
    let before = memlens_tests::image(notes.path());
    for place in [
        "memlens.json",
        "people/memlens.json",
        "people/../memlens.json",
    ] {
        let run = memlens.run(&["export", "--out", text(&notes.at(place))]);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
        assert!(
            run.err
                .contains("a watched folder, where Memlens never writes"),
            "{run:?}"
        );
    }
    assert!(
        memlens_tests::image(notes.path()) == before,
        "the notes' folder changed"
    );
}

#[test]
fn the_table_is_printed() {
    let memlens = Memlens::new();
    let parameters = memlens.json(&["params", "--json"]);
    assert_eq!(
        parameters,
        serde_json::to_value(table()).expect("it is plain data")
    );
    assert_eq!(
        memlens.print(&["params", "--markdown"]),
        memlens_params::print::markdown()
    );
    assert_eq!(memlens.print(&["params"]).lines().count(), table().len());
}

#[test]
fn misuse_is_distinguished_from_failure() {
    let memlens = Memlens::new();
    // No command, an unknown command, conflicting arguments, missing arguments.
    for arguments in [
        &[][..],
        &["serch", "relay"],
        &["search"],
        &["search", "relay", "--json", "--explain"],
        &["search", "relay", "--sets", "a=b"],
        &["params", "--json", "--markdown"],
        &["eval", "q.jsonl", "--in-scope", "--pooled"],
        &["export", "--out", "x.json", "--write"],
    ] {
        let run = memlens.run(arguments);
        assert_eq!(
            (run.status, run.out.as_str()),
            (2, ""),
            "{arguments:?}: {run:?}"
        );
        assert!(!run.err.is_empty());
    }
    // A library that does not exist.
    let message = format!(
        "there is no library in {}: index a folder first",
        memlens.library().display()
    );
    for arguments in [
        &["search", "relay"][..],
        &["search", "relay", "--json"],
        &["status", "--json"],
        &["export", "--out", "x.json"],
    ] {
        memlens.refused(arguments, 1, &message);
    }
    assert_eq!(
        std::fs::read_dir(memlens.library())
            .expect("it can be listed")
            .count(),
        0
    );
    for arguments in [&["--help"][..], &["--version"], &["search", "--help"]] {
        assert!(!memlens.print(arguments).is_empty());
    }
}

/// A full disk is reported without a panic.
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let memlens = Memlens::new();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("it is always there");
    let output = memlens
        .command(&["params", "--json"])
        .stdout(full)
        .output()
        .expect("it can be started");
    let message = "memlens: cannot write the result: No space left on device (os error 28)\n";
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(1), message)
    );
}

/// `memlens … | head` ends without a message.
#[cfg(unix)]
#[test]
fn a_reader_that_has_enough_is_no_error() {
    let memlens = Memlens::new();
    let mut child = memlens
        .command(&["params", "--markdown"])
        .spawn()
        .expect("it can be started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn rows_say_that_their_note_is_gone_or_changed() {
    let notes = Notes::new(&[
        (
            "ghost.md",
            "# Ghost\n\nThe ghost token is violet-kettle-777.\n",
        ),
        ("edited.md", "# Edited\n\nThe meeting is in room 3.\n"),
        ("keep.md", "# Keep\n\nThe stable note about bees.\n"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    std::fs::remove_file(notes.at("ghost.md")).expect("it is there");
    notes.write("edited.md", "# Edited\n\nThe meeting is in the attic.\n");
    // The same bytes with another modification time.
    notes.write("keep.md", "# Keep\n\nThe stable note about bees.\n");

    // On a busy machine there may be no time to compare the notes with the disk.
    let compared = |arguments: &[&str]| {
        let mut prints = std::iter::repeat_with(|| memlens.print(arguments)).take(100);
        let is_compared =
            |out: &String| !out.contains("not_checked") && !out.contains("not checked");
        prints.find(is_compared).expect("there is time once")
    };
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&compared(arguments)).expect("it prints JSON")
    };
    for (query, note, state, words) in [
        ("violet-kettle-777", "ghost.md", "gone", "its file is gone"),
        (
            "meeting",
            "edited.md",
            "changed",
            "changed since it was indexed",
        ),
        ("bees", "keep.md", "as_indexed", ""),
    ] {
        let report = json(&["search", query, "--json"]);
        let found = list(&report["results"])
            .iter()
            .find(|row| row["path"] == note)
            .unwrap_or_else(|| panic!("{note} is not found"));
        assert_eq!(found["on_disk"], state, "{note}");
        let why = json(&["why", query, note, "--json"]);
        assert_eq!(why["on_disk"], state, "{note}");
        for arguments in [
            &["search", query][..],
            &["search", query, "--explain"],
            &["search", query, "--markdown"],
            &["search", query, "--csv"],
            &["why", query, note],
        ] {
            let printed = compared(arguments);
            let is_said = printed
                .lines()
                .any(|line| !words.is_empty() && line.contains(words));
            assert_eq!(is_said, !words.is_empty(), "{arguments:?}: {printed}");
            let is_row = |line: &&str| line.contains(note);
            if words.is_empty() {
                let others = ["is gone", "changed since"];
                let row = printed.lines().find(is_row).unwrap_or_default();
                assert!(others.iter().all(|other| !row.contains(other)), "{row}");
            }
        }
    }
}

#[test]
fn a_short_half_life_does_not_empty_the_answer() {
    let notes = Notes::new(&[
        ("2019-03-01.md", "The router stands in the hall."),
        ("2020-03-01.md", "The router stood in the attic."),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let question = "where does the router stand";
    let all = memlens.json(&["search", "--json", question]);
    let decayed = memlens.json(&["search", "--json", "--set", "half_life_days=30", question]);
    let sorted = |report: &serde_json::Value| {
        let mut paths = paths(&report["results"]);
        paths.sort_unstable();
        paths.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(sorted(&all).len(), 2);
    assert_eq!(sorted(&decayed), sorted(&all));
    assert!(
        decayed["results"][0]["score"]
            .as_f64()
            .is_some_and(|score| score < 0.001)
    );
}
