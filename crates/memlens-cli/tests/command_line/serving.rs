//! `memlens serve --mcp`: a client of the protocol gets the ranking of `memlens search`, and only served notes.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::memlens::{AtHome, Memlens, list, text};
use crate::stdio_client::{Client, QUESTION, notes, request};

#[test]
fn an_agent_gets_the_ranking_of_the_command_line() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let tools = client.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let names: Vec<&str> = list(&tools["result"]["tools"])
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "memory_search",
            "memory_get",
            "memory_why",
            "memory_drift",
            "memory_status"
        ]
    );
    let found = client.call("memory_search", json!({"q": QUESTION, "limit": 1}));
    let found = found.expect("it is found");
    let printed = memlens.json(&["search", QUESTION, "--json"]);
    let (row, expected) = (&found["results"][0], &printed["results"][0]);
    assert_eq!(list(&found["results"]).len(), 1);
    for (key, printed) in [
        ("path", "path"),
        ("startLine", "start_line"),
        ("endLine", "end_line"),
        ("score", "score"),
        ("snippet", "snippet"),
    ] {
        assert_eq!(row[key], expected[printed], "{key}");
    }
    assert_eq!(row["source"], "memory");
    let read = client.call(
        "memory_get",
        json!({"path": "home/router.md", "from": 2, "lines": 1}),
    );
    assert_eq!(read.expect("it is read")["text"], "It is grey.\n");
    let why = client.call(
        "memory_why",
        json!({"query": QUESTION, "path": "home/router.md"}),
    );
    assert_eq!(why.expect("it is explained")["chunks"][0]["isResult"], true);
    let status = client
        .call("memory_status", json!({}))
        .expect("it is reported");
    assert_eq!(status["folders"][0]["nFiles"], 2);
    client
        .call("memory_drift", json!({}))
        .expect("it is listed");
    client.close();
}

#[test]
fn a_preset_of_the_library_ranks_and_an_unknown_one_is_refused() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let first = |arguments: &[&str]| {
        let mut client = Client::start(&memlens, arguments);
        let found = client.call("memory_search", json!({"query": QUESTION}));
        client.close();
        found.expect("it is found")["results"][0]["score"].clone()
    };
    // Rensei's ranking is the cosine alone.
    let by_preset = first(&["--saved-preset=Rensei"]);
    assert_ne!(by_preset, first(&[]));
    let set = "bm25_on=false fusion_on=false repeats_on=false threshold_on=false vector_unit=chunk";
    let set = set.split(' ').flat_map(|set| ["--set", set]);
    let search: Vec<&str> = ["search", QUESTION, "--json"]
        .into_iter()
        .chain(set)
        .collect();
    assert_eq!(by_preset, memlens.json(&search)["results"][0]["score"]);
    let refused = memlens.run(&["serve", "--mcp", "--saved-preset", "mine"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(
        refused.err.contains("mine") && refused.err.contains("it has Rensei"),
        "{refused:?}"
    );
}

#[test]
fn nothing_outside_of_the_served_folders_is_read() {
    let notes = notes();
    let other = Notes::new(&[("secret.md", "The word is plum.\n")]);
    std::os::unix::fs::symlink(other.at("secret.md"), notes.at("home/link.md"))
        .expect("a link can be made");
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let secret = other.at("secret.md");
    for path in [
        "../secret.md",
        "home/../../secret.md",
        "home/link.md",
        text(&secret),
        "/etc/passwd",
        "home/router.md\0",
        "home",
        "",
    ] {
        let refused = client.call("memory_get", json!({"path": path}));
        let refused = refused.expect_err(path);
        assert!(refused.contains("cannot use the path"), "{path}: {refused}");
    }
    client.close();
}

#[test]
fn every_path_of_a_result_is_read_back() {
    let home = Notes::new(&[
        ("memory/2026.md", "The zeppelin is in the harbour.\n"),
        ("ws/memory/2026.md", "The zeppelin flies at noon.\n"),
        ("n/inner.md", "The zeppelin is in the harbour.\n"),
        ("n/n/inner.md", "The zeppelin flies at noon.\n"),
    ]);
    for (folders, expected) in [
        (
            &["memory", "ws"][..],
            ["memory/2026.md", "ws/memory/2026.md"],
        ),
        (&["n"], ["inner.md", "n/inner.md"]),
    ] {
        let memlens = Memlens::new();
        let paths: Vec<_> = folders.iter().map(|folder| home.at(folder)).collect();
        let paths = paths.iter().map(|path| text(path));
        let index: Vec<&str> = ["index", "--json"].into_iter().chain(paths).collect();
        memlens.json(&index);
        let mut client = Client::start(&memlens, &[]);
        let query = "where is the zeppelin";
        let found = client.call("memory_search", json!({"query": query}));
        let found = found.expect("it is found");
        let mut found: Vec<&str> = list(&found["results"])
            .iter()
            .filter_map(|row| row["path"].as_str())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected);
        for path in found {
            for (tool, arguments) in [
                ("memory_get", json!({"path": path})),
                ("memory_why", json!({"path": path, "query": query})),
            ] {
                let answer = client.call(tool, arguments).expect(path);
                assert_eq!(answer["path"], path, "{tool}: {answer}");
            }
            let part = client.call("memory_search", json!({"query": query, "in": path}));
            let part = part.expect(path);
            assert_eq!(list(&part["results"]).len(), 1, "{path}: {part}");
            assert_eq!(part["results"][0]["path"], path);
        }
        client.close();
    }
}

#[test]
fn what_is_left_out_is_explained_and_never_read() {
    use std::os::unix::fs::symlink;
    let notes = notes();
    let other = Notes::new(&[("secret.md", "The word is plum.\n")]);
    notes.write("home/.hidden.md", "The router is hidden.\n");
    notes.write("home/.h/b.md", "The router is hidden.\n");
    notes.write("home/drafts/a.md", "The router is a draft.\n");
    notes.write("home/.ignore", "drafts/\n");
    for (target, name) in [
        (other.at("secret.md"), "home/link.md"),
        (other.path().to_owned(), "home/folder"),
        (other.path().to_owned(), "home/.h/folder"),
    ] {
        symlink(target, notes.at(name)).expect("a link can be made");
    }
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let name = notes.path().file_name().and_then(|name| name.to_str());
    let with_name = format!("{}/home/.hidden.md", name.expect("it is text"));
    let absolute = notes.at("home/.hidden.md");
    for (path, why) in [
        ("home/.hidden.md", "hidden; the line !.hidden.md"),
        (&with_name, "hidden; the line !.hidden.md"),
        (text(&absolute), "hidden; the line !.hidden.md"),
        ("home/.h", "hidden; the line !.h "),
        ("home/.h/b.md", "home/.h around it: hidden"),
        ("home/drafts/a.md", "ignored by drafts/ in home/.ignore"),
        ("home/link.md", "a link; links are not followed"),
        ("home/folder", "a link; links are not followed"),
        // Whether the target has it is not said.
        ("home/folder/secret.md", "home/folder around it: a link"),
        ("home/folder/none.md", "home/folder around it: a link"),
        ("home/.h/folder/secret.md", "home/.h around it: hidden"),
        ("home/.h/folder/none.md", "home/.h around it: hidden"),
    ] {
        let asked = json!({"query": QUESTION, "path": path});
        let said = client.call("memory_why", asked).expect(path);
        let answer = said["answer"].as_str().unwrap_or_default();
        assert!(answer.contains(why), "{path}: {said}");
        assert_eq!(said["chunks"], json!([]), "{path}: {said}");
        let said = said.to_string();
        assert!(!said.contains(text(other.path())), "{path}: {said}");
        assert!(!said.contains("plum"), "{path}: {said}");
        let read = client.call("memory_get", json!({"path": path}));
        let refused = read.expect_err(path);
        assert!(
            refused.contains("no served folder has notes there"),
            "{path}: {refused}"
        );
    }
    let secret = other.at("secret.md");
    for path in [
        "home/none.md",
        "home/.h/none.md",
        "home/drafts/none.md",
        "home/.hidden.md/none.md",
        "home",
        text(&secret),
    ] {
        let asked = json!({"query": QUESTION, "path": path});
        let refused = client.call("memory_why", asked).expect_err(path);
        assert!(
            refused.contains("no served folder has notes there"),
            "{path}: {refused}"
        );
    }
    client.close();
}

#[test]
fn a_folder_that_was_replaced_by_a_link_is_not_followed() {
    use std::os::unix::fs::symlink;
    for (moved, folder) in [("n", "n"), ("a", "a/n")] {
        let note = format!("{folder}/plan.md");
        let evil = format!("evil{}/plan.md", &folder[moved.len()..]);
        let home = Notes::new(&[
            (&note, "The plum tree is old.\n"),
            (&evil, "The plum is mine.\n"),
        ]);
        let memlens = Memlens::new();
        memlens.json(&["index", text(&home.at(folder)), "--json"]);
        let mut client = Client::start(&memlens, &[]);
        let get = json!({"path": "plan.md"});
        let read = client.call("memory_get", get.clone()).expect("it is read");
        assert_eq!(read["text"], "The plum tree is old.\n");
        std::fs::rename(home.at(moved), home.at("gone")).expect("it can be moved");
        symlink(home.at("evil"), home.at(moved)).expect("a link can be made");
        home.write(
            &format!("evil{}/more.md", &folder[moved.len()..]),
            "The plum is mine.\n",
        );
        for (path, why) in [
            ("plan.md", "is a link now, and links are not followed"),
            ("more.md", "no served folder has notes there"),
            (".hidden.md", "no served folder has notes there"),
        ] {
            for (tool, arguments) in [
                ("memory_get", json!({"path": path})),
                ("memory_why", json!({"path": path, "query": "plum"})),
            ] {
                let refused = client.call(tool, arguments).expect_err(path);
                assert!(refused.contains(why), "{folder} {tool} {path}: {refused}");
            }
        }
        std::fs::remove_file(home.at(moved)).expect("it can be removed");
        std::fs::rename(home.at("gone"), home.at(moved)).expect("it can be moved back");
        client.call("memory_get", get).expect("it is read");
        client.close();
    }
}

#[test]
fn a_folder_that_is_watched_through_a_link_is_read() {
    let home = Notes::new(&[("notes/plan.md", "The plum tree is old.\n")]);
    std::os::unix::fs::symlink(home.at("notes"), home.at("link")).expect("a link can be made");
    let memlens = Memlens::new();
    memlens.json(&["index", text(&home.at("link")), "--json"]);
    let mut client = Client::start(&memlens, &[]);
    let read = client.call("memory_get", json!({"path": "plan.md"}));
    assert_eq!(read.expect("it is read")["text"], "The plum tree is old.\n");
    client.close();
}

#[test]
fn a_note_is_read_page_by_page_also_past_a_line_that_is_too_long() {
    const LINE_MAX: usize = 64 * 1024;
    let long = "a".repeat(LINE_MAX + 1);
    let note = format!("# Long\n{long}\nend\n");
    let notes = Notes::new(&[("long.md", &note)]);
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let mut pages = Vec::new();
    let mut from = json!(1);
    while from.is_number() {
        let asked = json!({"path": "long.md", "from": from});
        let page = client.call("memory_get", asked).expect("it is read");
        from = page["nextFrom"].clone();
        pages.push(page);
    }
    let facts = |page: &Value| {
        let is_cut = page["truncated"] == true;
        let notices = page["notices"].as_array().map_or(0, Vec::len);
        (
            page["from"].as_u64(),
            page["lines"].as_u64(),
            is_cut,
            notices,
        )
    };
    assert_eq!(
        pages.iter().map(facts).collect::<Vec<_>>(),
        [
            (Some(1), Some(1), true, 0),
            (Some(2), Some(1), true, 1),
            (Some(3), Some(1), false, 0),
        ]
    );
    assert_eq!(pages[1]["text"].as_str().map(str::len), Some(LINE_MAX));
    assert_eq!(
        pages[1]["notices"][0],
        "line 2 has 65538 bytes: only its first 65536 can be read here, and nextFrom is the line after it"
    );
    let none = client.call("memory_get", json!({"path": "long.md", "lines": 0}));
    let none = none.expect_err("it would have no next line");
    assert!(none.contains("at least 1"), "{none}");
    client.close();
}

#[test]
fn bad_input_is_answered_and_the_next_call_works() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    client.send("{nonsense");
    let answer = client.read();
    assert_eq!(answer["error"]["code"], -32700);
    assert_eq!(answer.get("id"), Some(&Value::Null), "{answer}");
    client.send("[1]");
    assert_eq!(client.read()["error"]["code"], -32600);
    let unknown = client.ask(&request(2, "memory_eat", json!({})));
    assert_eq!(
        (&unknown["id"], &unknown["error"]["code"]),
        (&json!(2), &json!(-32602))
    );
    let wrong = client.call("memory_search", json!({"query": 5}));
    let wrong = wrong.expect_err("a number is no query");
    assert!(wrong.contains("cannot use the arguments"), "{wrong}");
    let long = client.call("memory_search", json!({"query": "a".repeat(10_000_000)}));
    let long = long.expect_err("it is too long");
    assert!(long.contains("10000000 bytes"), "{long}");
    client
        .call("memory_search", json!({"query": QUESTION}))
        .expect("it is found");
    client.close();
}

#[test]
fn a_thousand_calls_at_once_are_all_answered() {
    const N_CALLS: u32 = 1_000;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    for id in 1..=N_CALLS {
        client.send(&request(id, "memory_search", json!({"query": QUESTION})).to_string());
    }
    let mut ids: Vec<u64> = (0..N_CALLS)
        .map(|_| client.read()["id"].as_u64().expect("an answer has an id"))
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=u64::from(N_CALLS)).collect::<Vec<_>>());
    client.close();
}

#[test]
fn a_call_with_the_id_of_one_that_waits_is_an_error() {
    const N_CALLS: usize = 50;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let call = request(5, "memory_search", json!({"query": QUESTION})).to_string();
    (0..N_CALLS).for_each(|_| client.send(&call));
    let answers: Vec<Value> = (0..N_CALLS).map(|_| client.read()).collect();
    let (refused, answered): (Vec<&Value>, Vec<&Value>) =
        answers.iter().partition(|answer| answer["id"].is_null());
    assert!(answered.iter().all(|answer| answer["id"] == 5));
    assert!(!answered.is_empty() && !refused.is_empty(), "{answers:?}");
    for answer in refused {
        let why = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("the id 5 is that of a call"), "{answer}");
    }
    client.close();
}

#[test]
fn a_client_that_stops_reading_gets_every_answer_once_it_reads_again() {
    // The server keeps 1,024 calls, and the pipes hold some hundred calls and answers.
    const N_CALLS: usize = 4_000;
    const N_LOOKS: usize = 200_000;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let mut to = client.to.take().expect("it is open");
    let n_sent = Arc::new(AtomicUsize::new(0));
    let counted = n_sent.clone();
    let sending = thread::spawn(move || {
        for id in 1..=N_CALLS {
            let call = request(id as u32, "memory_get", json!({"path": "home/router.md"}));
            writeln!(to, "{call}").expect("the server reads");
            counted.fetch_add(1, Ordering::Relaxed);
        }
        to
    });
    // The server has stopped reading once nothing more was taken for many looks.
    let (mut n_before, mut n_looks) = (0, 0);
    while n_looks < N_LOOKS && !sending.is_finished() {
        let n_now = n_sent.load(Ordering::Relaxed);
        n_looks = if n_now == n_before { n_looks + 1 } else { 0 };
        n_before = n_now;
        thread::yield_now();
    }
    assert!(!sending.is_finished(), "the server reads without end");
    let mut ids: Vec<u64> = (0..N_CALLS)
        .map(|_| client.read()["id"].as_u64().expect("an answer has an id"))
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=N_CALLS as u64).collect::<Vec<_>>());
    client.to = Some(sending.join().expect("everything was sent"));
    client.close();
}

#[test]
fn calls_are_answered_while_the_index_is_rebuilt() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    let mut ask = || {
        let found = client.call("memory_search", json!({"query": QUESTION}));
        found.expect("it is found")
    };
    let before = ask();
    for part in ["text", "vectors"] {
        let folder = memlens.library().join(part);
        std::fs::remove_dir_all(&folder).unwrap_or_else(|error| panic!("{error}: {folder:?}"));
    }
    let rebuild = ["index", text(notes.path()), "--json"];
    let mut rebuilding = memlens
        .command(&rebuild)
        .spawn()
        .expect("it can be started");
    while rebuilding.try_wait().expect("it runs").is_none() {
        assert_eq!(ask()["results"], before["results"]);
    }
    for part in ["text", "vectors"] {
        assert!(memlens.library().join(part).is_dir(), "{part} is rebuilt");
    }
    assert_eq!(ask()["results"], before["results"]);
    assert_eq!(ask()["notices"], json!([]));
    client.close();
}

#[test]
fn an_agent_of_openclaw_sees_its_own_workspace_alone() {
    let config = r#"{"agents": {"entries": {
        "main": {"default": true, "workspace": "~/.openclaw/workspace"},
        "work": {"workspace": "~/.openclaw/workspace-work"},
        "idle": {"workspace": "~/idle"}}}}"#;
    let home = Notes::new(&[
        (".openclaw/openclaw.json", config),
        (".openclaw/workspace/MEMORY.md", "The plum tree is old.\n"),
        (
            ".openclaw/workspace-work/MEMORY.md",
            "The plum tree is young.\n",
        ),
    ]);
    let memlens = Memlens::new();
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let (status, _, err) = at.run(&["agents", "add", "openclaw"]);
    assert_eq!(status, Some(0), "{err}");
    let start = |member: &str| {
        Client::of(at.command(&["serve", "--mcp", "--agent", "openclaw", "--member", member]))
    };
    let path = |place: &str| home.at(place).to_string_lossy().into_owned();
    for (member, own, other, says) in [
        (
            "main",
            ".openclaw/workspace",
            ".openclaw/workspace-work",
            "old",
        ),
        (
            "work",
            ".openclaw/workspace-work",
            ".openclaw/workspace",
            "young",
        ),
    ] {
        let mut client = start(member);
        let found = client.call("memory_search", json!({"query": "plum tree"}));
        let found = found.expect("it is found");
        let rows = list(&found["results"]);
        assert_eq!(rows.len(), 1, "{member}: {found}");
        assert_eq!(rows[0]["path"], "MEMORY.md", "{member}: {found}");
        assert!(
            rows[0]["snippet"]
                .as_str()
                .is_some_and(|text| text.contains(says)),
            "{member}: {found}"
        );
        let status = client
            .call("memory_status", json!({}))
            .expect("it is reported");
        assert_eq!(list(&status["folders"]).len(), 1, "{status}");
        assert_eq!(status["folders"][0]["path"], path(own), "{status}");
        assert_eq!(status["member"], member);
        for named in [
            path(&format!("{other}/MEMORY.md")),
            "workspace-work/MEMORY.md".into(),
            path(other),
        ] {
            if named.starts_with("workspace-work") && member == "work" {
                continue;
            }
            for (tool, arguments) in [
                ("memory_get", json!({"path": named})),
                ("memory_why", json!({"path": named, "query": "plum"})),
                ("memory_search", json!({"in": named, "query": "plum"})),
            ] {
                let refused = client.call(tool, arguments).expect_err(&named);
                assert!(
                    refused.contains("cannot use the path"),
                    "{named}: {refused}"
                );
            }
        }
        client.close();
    }
    for (member, why) in [
        (
            "idle",
            "no watched folder is for the agent \"idle\" of OpenClaw alone",
        ),
        ("nobody", "the config of OpenClaw names no agent \"nobody\""),
    ] {
        let mut client = start(member);
        let refused = client.call("memory_search", json!({"query": "plum tree"}));
        let refused = refused.expect_err(member);
        assert!(refused.contains(why), "{refused}");
        client.close();
    }
}

#[test]
fn a_lost_library_is_reported() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    std::fs::remove_dir_all(memlens.library()).expect("it can be removed");
    let gone = client.call("memory_search", json!({"query": QUESTION}));
    let gone = gone.expect_err("there is no library");
    assert!(gone.contains("does not exist any more"), "{gone}");
    std::fs::create_dir(memlens.library()).expect("it can be made again");
    client.close();
}

#[test]
fn the_server_ends_with_a_client_that_dies_among_unread_answers() {
    const N_CALLS: u32 = 500;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    for id in 1..=N_CALLS {
        client.send(&request(id, "memory_search", json!({"query": QUESTION})).to_string());
    }
    let Client {
        mut child,
        to,
        from,
    } = client;
    drop((to, from));
    child.wait().expect("it ends");
}

#[test]
fn a_signal_ends_the_server_cleanly() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    for signal in ["-TERM", "-INT"] {
        let mut client = Client::start(&memlens, &[]);
        client
            .call("memory_search", json!({"query": QUESTION}))
            .expect("it is found");
        let sent = std::process::Command::new("kill")
            .args([signal, &client.child.id().to_string()])
            .status();
        assert!(sent.expect("it can be sent").success());
        let status = client.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{signal}: {status}");
    }
}

#[test]
fn a_server_follows_a_writer() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut client = Client::start(&memlens, &[]);
    notes.write("home/plum.md", "The plum tree stands in the garden.\n");
    memlens.json(&["index", text(notes.path()), "--json"]);
    let query = json!({"query": "where is the plum tree"});
    let found = client.call("memory_search", query);
    let found = found.expect("it is found");
    assert_eq!(found["results"][0]["path"], "home/plum.md", "{found}");
    client.close();
}

#[test]
fn a_server_that_ends_during_calls_says_nothing_and_ends_cleanly() {
    const ROUNDS: usize = 10;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    for round in 0..ROUNDS {
        let mut command = memlens.command(&["serve", "--mcp"]);
        let log = tempfile::tempfile().expect("a file can be made");
        command.stderr(log.try_clone().expect("it can be shared"));
        let mut client = Client::of_logged(command);
        for id in 1..=20 {
            let query = format!("{QUESTION} {round} {id}");
            client.send(&request(id, "memory_search", json!({"query": query})).to_string());
        }
        client.read();
        let is_stopped = round % 2 == 0;
        let Client {
            mut child,
            to,
            from,
        } = client;
        let held = if is_stopped {
            crate::http_server::send_signal(&child, "-TERM");
            Some((to, from))
        } else {
            // The client dies.
            drop((to, from));
            None
        };
        let status = child.wait().expect("it ends");
        if is_stopped {
            assert_eq!(status.code(), Some(0), "{status}");
        }
        drop(held);
        let mut said = String::new();
        let mut log = log;
        std::io::Seek::rewind(&mut log).expect("it can be read again");
        std::io::Read::read_to_string(&mut log, &mut said).expect("it is text");
        assert!(
            !said.contains("onnxruntime") && !said.contains("rmcp"),
            "{said}"
        );
    }
}
