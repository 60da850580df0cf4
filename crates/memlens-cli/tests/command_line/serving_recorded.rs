//! `memlens serve --mcp` records calls only with the consent of the library that is there, and reports what it cannot do.

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{Memlens, list, text};
use crate::stdio_client::{Client, QUESTION, notes, request};

#[test]
fn a_client_that_names_itself_in_each_request_is_recorded_by_that_name() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    memlens.print(&["recall", "calls", "on"]);
    let said = |name: &str| {
        json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}})
    };
    let ask = |client: &mut Client, meta: Option<Value>| {
        let mut call = request(1, "memory_search", json!({"query": QUESTION}));
        if let Some(meta) = meta {
            call["params"]["_meta"] = meta;
        }
        let answer = client.ask(&call);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    };
    let mut client = Client::silent(memlens.command(&["serve", "--mcp"]));
    let discover = client.ask(
        &json!({"jsonrpc": "2.0", "id": "probe", "method": "server/discover", "params": {"_meta": said("claude-code")}}),
    );
    assert_eq!(discover["id"], "probe", "{discover}");
    for name in ["claude-code", "memlens-test", "other", " \n"] {
        ask(&mut client, Some(said(name)));
    }
    client.close();
    // What a request says is newer than the introduction.
    let mut client = Client::start(&memlens, &[]);
    for meta in [None, Some(said("other")), Some(said("memlens-test"))] {
        ask(&mut client, meta);
    }
    client.close();
    let recorded = std::fs::read_to_string(memlens.library().join("served-calls"));
    let recorded = recorded.expect("calls are recorded");
    let said: Vec<(Value, Value)> = recorded
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .map(|call: Value| (call["served"]["client"].clone(), call["agent"].clone()))
        .collect();
    let expected = ["claude-code", "other", "an unnamed client", "test", "other"];
    let expected = expected.map(|name| (json!(name), json!(name)));
    assert_eq!(said, expected);
}

#[test]
fn calls_are_recorded_after_consent_and_listed_as_past_questions() {
    use std::os::unix::fs::PermissionsExt;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &["--set", "bm25_on=false"]);
    let file = memlens.library().join("served-calls");
    let query = json!({"query": QUESTION, "limit": 1});
    let ask = |client: &mut Client| {
        client
            .call("memory_search", query.clone())
            .expect("it is found")
    };
    ask(&mut client);
    assert!(!file.exists());
    let said = memlens.print(&["recall", "calls", "on"]);
    assert!(said.contains("are recorded"), "{said}");
    ask(&mut client);
    let read = json!({"path": "home/tea.md"});
    client.call("memory_get", read).expect("it is read");
    // What is no question to the memory is not recorded.
    client
        .call("memory_status", json!({}))
        .expect("it is reported");
    let mode = std::fs::metadata(&file)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let recorded = std::fs::read_to_string(&file).expect("it can be read");
    let lines: Vec<Value> = recorded
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    assert_eq!(lines.len(), 2, "{recorded}");
    let (search, opening) = (&lines[0], &lines[1]);
    assert_eq!(
        (&search["question"], &search["served"]["client"]),
        (&json!(QUESTION), &json!("test"))
    );
    assert_eq!(search["served"]["ranking"]["values"]["bm25_on"], false);
    assert_eq!(
        search["returned"][0]["path"],
        text(&notes.at("home/router.md"))
    );
    assert_eq!(opening["opened"][0]["path"], text(&notes.at("home/tea.md")));
    assert!(
        !recorded.contains("in the hall") && !recorded.contains("Oolong"),
        "{recorded}"
    );

    let mut watch = memlens
        .command(&["watch"])
        .spawn()
        .expect("it can be started");
    let listed = || list(&memlens.json(&["recall", "list", "--json"])).clone();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while listed().len() < 2 {
        assert!(std::time::Instant::now() < until, "they are not taken in");
    }
    assert!(!file.exists());
    watch.kill().expect("it runs");
    watch.wait().expect("it ends");
    let printed = memlens.print(&["recall", "list"]);
    assert!(printed.contains("served by Memlens to "), "{printed}");
    memlens.print(&["recall", "forget", "--yes"]);
    assert_eq!(listed(), Vec::<Value>::new());
    ask(&mut client);
    assert!(!file.exists());
    client.close();
}

/// Questions that were recorded and not taken in.
fn recorded(memlens: &Memlens) -> String {
    std::fs::read_to_string(memlens.library().join("served-calls")).unwrap_or_default()
}

/// Overwrites bytes of a library's database, as a fault of the disk does.
fn overwrite(memlens: &Memlens, at: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    let path = memlens.library().join("library.sqlite");
    let file = std::fs::File::options().write(true).open(path);
    let file = file.expect("it can be opened");
    file.write_all_at(bytes, at).expect("it can be written");
}

#[test]
fn a_server_of_a_replaced_library_answers_and_records_nothing() {
    let notes = notes();
    let other = Notes::new(&[("plum.md", "The plum tree stands in the garden.\n")]);
    let memlens = Memlens::of(&[&notes]);
    let is_refused = |client: &mut Client, why: &str| {
        for (tool, arguments) in [
            ("memory_search", json!({"query": QUESTION})),
            ("memory_get", json!({"path": "home/tea.md"})),
            (
                "memory_why",
                json!({"query": QUESTION, "path": "home/tea.md"}),
            ),
            ("memory_drift", json!({})),
            ("memory_status", json!({})),
        ] {
            let refused = client.call(tool, arguments).expect_err(tool);
            assert!(refused.contains(why), "{tool}: {refused}");
        }
        assert_eq!(recorded(&memlens), "");
    };
    let recording = || {
        memlens.print(&["recall", "calls", "on"]);
        let mut client = Client::start(&memlens, &[]);
        client
            .call("memory_search", json!({"query": QUESTION}))
            .expect("it is found");
        assert!(recorded(&memlens).contains(QUESTION));
        client
    };

    // The library repairs itself by a new database; its user withdraws the consent there.
    let mut client = recording();
    overwrite(&memlens, 0, &[0; 8192]);
    let repaired = memlens.run(&["index", text(notes.path())]);
    assert!(repaired.err.contains("was set aside"), "{repaired:?}");
    memlens.print(&["recall", "calls", "off"]);
    is_refused(&mut client, "was replaced");
    client.close();

    // Another library is made in its place.
    let mut client = recording();
    std::fs::remove_dir_all(memlens.library()).expect("it can be removed");
    memlens.json(&["index", text(other.path()), "--json"]);
    is_refused(&mut client, "was replaced");
    client.close();

    // Another library is moved to its place.
    let mut client = recording();
    let new = Memlens::of(&[&notes]);
    let away = new.library().join("away");
    std::fs::rename(memlens.library(), &away).expect("it can be moved");
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([new.library(), memlens.library()])
        .status();
    assert!(copied.expect("it can be copied").success());
    is_refused(&mut client, "was replaced");
    std::fs::remove_file(memlens.library().join("library.sqlite")).expect("it can be removed");
    is_refused(&mut client, "does not exist any more");
    client.close();
}

#[test]
fn a_library_that_cannot_be_read_any_more_is_reported_by_every_tool() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let mut tools_say = |why: Option<&str>| {
        for (tool, arguments) in [
            ("memory_search", json!({"query": QUESTION})),
            ("memory_get", json!({"path": "home/tea.md"})),
            (
                "memory_why",
                json!({"query": QUESTION, "path": "home/tea.md"}),
            ),
            ("memory_status", json!({})),
        ] {
            match (client.call(tool, arguments), why) {
                (Ok(_), None) => {}
                (Err(said), Some(why)) => assert!(said.contains(why), "{tool}: {said}"),
                (answer, _) => panic!("{tool}: {answer:?}"),
            }
        }
    };
    tools_say(None);
    // The version is at byte 60 of the file.
    let path = memlens.library().join("library.sqlite");
    let head = std::fs::read(&path).expect("it can be read")[..100].to_vec();
    overwrite(&memlens, 60, &9999_u32.to_be_bytes());
    tools_say(Some("newer version"));
    overwrite(&memlens, 0, &head);
    tools_say(None);
    overwrite(&memlens, 0, &[b'x'; 100]);
    tools_say(Some("is damaged"));
    overwrite(&memlens, 0, &head);
    tools_say(None);
    client.close();
}

#[test]
fn consent_is_withdrawn_also_if_recorded_calls_cannot_be_removed() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    for name in ["served-calls", "served-calls.taken"] {
        let odd = memlens.library().join(name);
        let says_why = format!("memlens: cannot remove {}: ", odd.display());
        for withdrawing in [
            &["recall", "calls", "off"][..],
            &["recall", "forget", "--yes"],
        ] {
            memlens.print(&["recall", "calls", "on"]);
            std::fs::create_dir(&odd).expect("it can be made");
            let run = memlens.run(withdrawing);
            assert_eq!(run.status, 1, "{run:?}");
            assert!(run.err.starts_with(&says_why), "{run:?}");
            std::fs::remove_dir(&odd).expect("it can be removed");
            client
                .call("memory_search", json!({"query": QUESTION}))
                .expect("it is found");
            assert_eq!(recorded(&memlens), "");
        }
    }
    client.close();

    memlens.print(&["serve", "token"]);
    let [odd, models] = ["served-calls", "models"].map(|name| memlens.library().join(name));
    std::fs::create_dir(&odd).expect("it can be made");
    std::fs::create_dir(&models).expect("it can be made");
    let run = memlens.run(&["erase", "--yes"]);
    let says_why = format!("memlens: cannot remove {}: ", odd.display());
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.err.starts_with(&says_why), "{run:?}");
    assert!(!models.exists() && !memlens.library().join("serve-token").exists());
    assert_eq!(memlens.json(&["status", "--json"])["n_files"], 0);
}

#[test]
fn a_call_that_cannot_be_recorded_is_reported_by_the_status() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let file = memlens.library().join("served-calls");
    let mut notices = || {
        client
            .call("memory_search", json!({"query": QUESTION}))
            .expect("it is found");
        let status = client.call("memory_status", json!({}));
        status.expect("it is reported")["notices"].clone()
    };
    std::fs::create_dir(&file).expect("it can be made");
    assert_eq!(notices(), json!([]));
    memlens.print(&["recall", "calls", "on"]);
    let said = notices();
    let expected = format!("calls are not recorded: cannot write {}: ", file.display());
    let notice = said[0].as_str().unwrap_or_default();
    assert!(notice.starts_with(&expected), "{said}");
    std::fs::remove_dir(&file).expect("it can be removed");
    std::os::unix::fs::symlink("elsewhere", &file).expect("a link can be made");
    assert!(notices().to_string().contains("it is a link"));
    std::fs::remove_file(&file).expect("it can be removed");
    assert_eq!(notices(), json!([]));
    client.close();
}
