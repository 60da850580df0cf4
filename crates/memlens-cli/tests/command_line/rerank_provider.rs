//! A provider over HTTP: set, shown, tested, used by a search, switched off. Nothing is sent before it is used, and no
//! key is shown.

use std::io::Write;
use std::process::{Command, Stdio};

use memlens_tests::{Notes, Provider};
use serde_json::{Value, json};

use crate::memlens::{Memlens, Run, list, paths};

const KEY: &str = "key-that-nobody-sees";
const VARIABLE: &str = "MEMLENS_TEST_RERANK_KEY";

fn notes() -> Notes {
    Notes::new(&[
        ("hall.md", "The router stands in the hall."),
        (
            "attic.md",
            "Where is the old router? It was in the attic once.",
        ),
        ("soup.md", "Soup is made of leeks."),
    ])
}

/// Runs the program with a key in the environment.
fn run_with_key(memlens: &Memlens, arguments: &[&str]) -> Run {
    let output = with_key(memlens, arguments)
        .output()
        .expect("it can be started");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Run {
        status: output.status.code().expect("it ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn with_key(memlens: &Memlens, arguments: &[&str]) -> Command {
    let mut command = memlens.command(arguments);
    command.env(VARIABLE, KEY).env("RUST_LOG", "trace");
    command
}

fn shown(memlens: &Memlens) -> Value {
    memlens.json(&["rerank-provider", "show", "--json"])["provider"].clone()
}

#[test]
fn a_provider_is_switched_off_also_where_kept_keys_cannot_be_read() {
    let memlens = Memlens::of(&[&Notes::new(&[("a.md", "The hall.")])]);
    let set = [
        "rerank-provider",
        "set",
        "--kind",
        "tei",
        "--url",
        "http://127.0.0.1:9",
    ];
    assert_eq!(memlens.run(&set).status, 0);
    let mut store = memlens_store::Store::open(memlens.library()).expect("nobody writes");
    store
        .put_setting("rerank_keys", Some("{broken"))
        .expect("it can be written");
    drop(store);
    let run = memlens.run(&["rerank-provider", "off"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(shown(&memlens)["is_on"], false);
    // A command that needs the keys reports the broken setting and leaves it unchanged.
    let run = memlens.run(&["rerank-provider", "off", "--forget-key"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.err.contains("cannot use the setting rerank_keys"),
        "{run:?}"
    );
    let store = memlens_store::Store::open_read_only(memlens.library()).expect("it is there");
    let kept = store.setting("rerank_keys").expect("it can be read");
    assert_eq!(kept.as_deref(), Some("{broken"));
}

#[test]
fn a_provider_is_set_tried_used_and_switched_off() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let provider = Provider::start();
    let url = provider.url();
    assert_eq!(shown(&memlens), Value::Null);
    let search = [
        "search",
        "where is the router",
        "--json",
        "--set",
        "rerank=http",
        "--set",
        "min_score=0",
    ];
    let set = [
        "rerank-provider",
        "set",
        "--kind",
        "vllm",
        "--url",
        &url,
        "--model",
        "m",
        "--key-env",
        VARIABLE,
        "--timeout-ms",
        "60000",
    ];
    let run = memlens.run(&set);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
    assert!(
        run.err
            .contains(&format!("{} is on for this library", provider.host())),
        "{run:?}"
    );
    assert!(
        run.err.contains(&format!("{VARIABLE} is not set;")),
        "{run:?}"
    );
    let expected = json!({
        "kind": "vllm", "url": url, "model": "m", "shape": null, "key_env": VARIABLE, "timeout_ms": 60000,
        "is_on": true, "host": provider.host(), "is_remote": false,
    });
    let mut found = shown(&memlens);
    found.as_object_mut().expect("it is set").remove("key");
    assert_eq!(found, expected);
    assert_eq!(provider.requests(), [], "setting and showing asks nobody");

    // A test does not send any note.
    let run = run_with_key(&memlens, &["rerank-provider", "test", "--json"]);
    assert_eq!(run.status, 0, "{run:?}");
    let test: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(test["host"], provider.host());
    assert_eq!(test["scale"], "unit");
    assert_eq!(list(&test["scores"]).len(), 2);
    let asked = provider.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/v1/rerank");
    assert_eq!(
        asked[0].authorization.as_deref(),
        Some(format!("Bearer {KEY}").as_str())
    );
    assert!(!run.err.contains(KEY), "{}", run.err);
    for word in ["router", "hall", "leeks"] {
        assert!(!asked[0].body.to_string().contains(word), "{word}");
    }

    // A search sends notes and ranks by the scores that come back. A second search uses the cached scores.
    let run = run_with_key(&memlens, &search);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(!run.err.contains(KEY), "{}", run.err);
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(paths(&report["results"])[0], "attic.md");
    let rerank = stage(&report, "rerank");
    assert_eq!(rerank["status"], "applied", "{rerank}");
    let asked = provider.requests();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].body["query"], "where is the router");
    assert_eq!(asked[0].body["model"], "m");
    assert!(
        asked[0].texts().contains(&"The router stands in the hall."),
        "{asked:?}"
    );
    let again = run_with_key(&memlens, &search);
    assert_eq!(
        paths(&serde_json::from_str::<Value>(&again.out).expect("it is JSON")["results"]),
        paths(&report["results"])
    );
    assert_eq!(provider.requests(), []);

    // The provider is not asked unless the search chooses it, nor after it is switched off.
    memlens.json(&["search", "where is it", "--json"]);
    let off = memlens.run(&["rerank-provider", "off", "--forget-key"]);
    assert_eq!(
        (off.status, off.err.as_str()),
        (0, "memlens: the provider is off; nothing is sent\n")
    );
    let mut found = shown(&memlens);
    assert_eq!(found["key"], "not_asked");
    found.as_object_mut().expect("it is set").remove("key");
    let mut expected = expected;
    expected["is_on"] = json!(false);
    assert_eq!(found, expected);
    let search = [
        "search",
        "another question",
        "--json",
        "--set",
        "rerank=http",
        "--set",
        "min_score=0",
    ];
    let report = memlens.json(&search);
    let rerank = stage(&report, "rerank");
    assert_eq!(rerank["status"], "fallback", "{rerank}");
    let why = rerank["why"].as_str().expect("it says why");
    assert!(why.contains("switched off for this library"), "{why}");
    assert_eq!(provider.requests(), []);
    // The user can still test it.
    assert_eq!(
        run_with_key(&memlens, &["rerank-provider", "test"]).status,
        0
    );
    assert_eq!(provider.requests().len(), 1);
}

fn stage<'a>(report: &'a Value, id: &str) -> &'a Value {
    let mut stages = list(&report["stages"]).iter();
    stages
        .find(|stage| stage["id"] == id)
        .expect("every stage is reported")
}

#[test]
fn what_cannot_be_used_is_refused_and_changes_nothing() {
    let memlens = Memlens::of(&[&notes()]);
    let kinds = "choose one of cohere, voyage, jina, tei, llamacpp, vllm, infinity, custom";
    let timeout = "it must be from 100 to 60000 ms";
    let variable = "use capitals, digits and _, or the name of a variable that is set; the key itself does not go here";
    for (arguments, message) in [
        (
            &["--kind", "openai"][..],
            format!("cannot use the provider openai: {kinds}"),
        ),
        (
            &["--kind", ""],
            format!("cannot use the provider : {kinds}"),
        ),
        (
            &["--kind", "custom"],
            "cannot use the provider: give its address".to_owned(),
        ),
        (
            &["--kind", "tei", "--url", "tei.example"],
            "cannot use the address: it is not a web address".to_owned(),
        ),
        (
            &["--kind", "tei", "--url", "http://tei.example"],
            "cannot use the address: without https:// only this machine itself can be used"
                .to_owned(),
        ),
        (
            &["--kind", "tei", "--url", "https://ada:secret@tei.example"],
            "cannot use the address: it must not contain a name or a password; a key goes into its own field"
                .to_owned(),
        ),
        (
            &["--kind", "jina", "--key-env", "jina_9f8e"],
            format!("cannot use the variable's name: {variable}"),
        ),
        (
            &["--kind", "jina", "--timeout-ms", "0"],
            format!("cannot use the timeout 0: {timeout}"),
        ),
        (
            &["--kind", "jina", "--timeout-ms", "60001"],
            format!("cannot use the timeout 60001: {timeout}"),
        ),
        (
            &["--kind", "jina", "--model", "a\nb"],
            "cannot use the model: it must be one line of at most 200 characters".to_owned(),
        ),
        (
            &[
                "--kind",
                "custom",
                "--url",
                "https://a.example",
                "--shape",
                "custom",
            ],
            "cannot use the shape: name one of the other kinds".to_owned(),
        ),
        (
            &["--kind", "jina", "--key-stdin"],
            "cannot store the key: standard input is empty".to_owned(),
        ),
    ] {
        memlens.refused(
            &[&["rerank-provider", "set"], arguments].concat(),
            2,
            &message,
        );
    }
    assert_eq!(shown(&memlens), Value::Null);
    for misuse in [
        &["rerank-provider"][..],
        &["rerank-provider", "set"],
        &[
            "rerank-provider",
            "set",
            "--kind",
            "jina",
            "--timeout-ms",
            "soon",
        ],
        &[
            "rerank-provider",
            "set",
            "--kind",
            "jina",
            "--timeout-ms",
            "-1",
        ],
        &[
            "rerank-provider",
            "set",
            "--kind",
            "jina",
            "--key-env",
            "A",
            "--key-stdin",
        ],
        &["rerank-provider", "on"],
    ] {
        let run = memlens.run(misuse);
        assert_eq!(
            (run.status, run.out.as_str()),
            (2, ""),
            "{misuse:?}: {run:?}"
        );
    }
    memlens.refused(
        &["rerank-provider", "test"],
        1,
        "cannot rerank with http: no provider is set: choose one in the settings, or with `memlens rerank-provider set`",
    );
    let run = memlens.run(&["rerank-provider", "off", "--forget-key"]);
    assert_eq!(
        (run.status, run.err.as_str()),
        (0, "memlens: no provider is set; nothing is sent\n")
    );
    assert_eq!(
        memlens.print(&["rerank-provider", "show"]),
        "no provider is set\n"
    );
}

#[test]
fn without_a_library_there_is_nothing_to_set() {
    let memlens = Memlens::new();
    let none = format!(
        "there is no library in {}: index a folder first",
        memlens.library().display()
    );
    for arguments in [
        &["rerank-provider", "set", "--kind", "jina"][..],
        &["rerank-provider", "show"],
        &["rerank-provider", "test"],
        &["rerank-provider", "off"],
        &["rerank-hook", "set", "sort"],
        &["rerank-hook", "show", "--json"],
        &["rerank-hook", "off"],
    ] {
        memlens.refused(arguments, 1, &none);
    }
}

#[test]
fn what_a_provider_does_wrong_is_reported_and_the_order_stands() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let provider = Provider::answering(|_| (500, "the router is KEY".to_owned()));
    let set = [
        "rerank-provider",
        "set",
        "--kind",
        "tei",
        "--url",
        &provider.url(),
    ];
    assert_eq!(memlens.run(&set).status, 0);
    let run = memlens.run(&["rerank-provider", "test", "--json"]);
    assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
    assert!(
        run.err
            .contains(&format!("{} answered 500", provider.host())),
        "{run:?}"
    );
    let before = memlens.json(&["search", "where is the router", "--json"]);
    let after = memlens.json(&[
        "search",
        "where is the router",
        "--json",
        "--set",
        "rerank=http",
    ]);
    assert_eq!(paths(&before["results"]), paths(&after["results"]));
    assert_eq!(stage(&after, "rerank")["status"], "fallback");
}

#[test]
fn everything_that_was_set_is_erased() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let provider = Provider::start();
    let set = [
        "rerank-provider",
        "set",
        "--kind",
        "tei",
        "--url",
        &provider.url(),
    ];
    assert_eq!(memlens.run(&set).status, 0);
    memlens.run(&["rerank-hook", "set", "sort"]);
    memlens.json(&[
        "search",
        "where is the router",
        "--json",
        "--set",
        "rerank=http",
    ]);
    assert!(memlens.library().join("rerank.sqlite").exists());
    memlens.print(&["erase", "--yes"]);
    assert!(!memlens.library().join("rerank.sqlite").exists());
    assert_eq!(shown(&memlens), Value::Null);
    assert_eq!(
        memlens.json(&["rerank-hook", "show", "--json"])["command"],
        Value::Null
    );
}

#[test]
fn a_key_on_standard_input_never_comes_out_again() {
    let memlens = Memlens::of(&[&notes()]);
    // A host that no machine running these tests has a key for.
    let set = [
        "rerank-provider",
        "set",
        "--kind",
        "custom",
        "--url",
        "https://memlens.invalid",
        "--key-stdin",
    ];
    let mut child = memlens
        .command(&set)
        .env("RUST_LOG", "trace")
        // Without a session bus no keyring can be asked.
        .env_remove("DBUS_SESSION_BUS_ADDRESS")
        .env("XDG_RUNTIME_DIR", memlens.library())
        .stdin(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut input = child.stdin.take().expect("it is a pipe");
    input
        .write_all(format!("{KEY}\n").as_bytes())
        .expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    for bytes in [&output.stdout, &output.stderr] {
        assert!(!String::from_utf8_lossy(bytes).contains(KEY), "{output:?}");
    }
    for entry in std::fs::read_dir(memlens.library()).expect("it can be listed") {
        let bytes = std::fs::read(entry.expect("it can be listed").path()).unwrap_or_default();
        assert!(!bytes.windows(KEY.len()).any(|at| at == KEY.as_bytes()));
    }
    memlens.print(&["erase", "--yes"]);
}

/// Every command that ranks reports a reranker that cannot answer.
#[test]
fn no_fallback_is_silent() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let queries = notes.path().join("queries.jsonl");
    let query = r#"{"id":"q1","query":"router","relevant":[{"path":"hall.md","start_line":1,"end_line":1}]}"#;
    std::fs::write(&queries, query).expect("a file can be written");
    let queries = queries.display().to_string();
    let commands: [&[&str]; 3] = [
        &["search", "router"],
        &["why", "router", "hall.md"],
        &["eval", &queries],
    ];
    for command in commands {
        let run = memlens.run(&[command, &["--set", "rerank=http"]].concat());
        let reported = "Rerank fell back: cannot rerank with http: no provider is set";
        assert!(run.err.contains(reported), "{command:?}: {run:?}");
        let run = memlens.run(command);
        assert!(!run.err.contains("fell back"), "{command:?}: {run:?}");
    }
}

#[test]
fn a_variable_that_is_not_set_is_named_before_anybody_is_asked() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let provider = Provider::start();
    let url = provider.url();
    let set = ["--kind", "cohere", "--url", &url, "--key-env", VARIABLE];
    let run = memlens.run(&[&["rerank-provider", "set"][..], &set].concat());
    assert_eq!(run.status, 0, "{run:?}");
    let why = format!(
        "cannot rerank over HTTP: the variable {VARIABLE} is not set, and no keyring holds a key"
    );
    memlens.refused(&["rerank-provider", "test"], 1, &why);
    let report = memlens.json(&["search", "where is it", "--json", "--set", "rerank=http"]);
    let rerank = stage(&report, "rerank");
    assert_eq!(
        (&rerank["status"], &rerank["why"]),
        (&json!("fallback"), &json!(why))
    );
    assert_eq!(provider.requests(), []);
}
