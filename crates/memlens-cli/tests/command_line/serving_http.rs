//! `memlens serve --http`: clients with the token get what a client on standard input gets, and nobody else gets anything.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread;

use memlens_tests::Notes;
use serde_json::{Value, json};

use crate::http_server::{ACCEPT, JSON, Server, answer, introduction, request};
use crate::memlens::{AtHome, Memlens, list, text};
use crate::stdio_client::notes;

const QUESTION: &str = "where does the router stand";

#[test]
fn a_client_with_the_token_gets_the_ranking_of_the_command_line() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let begun = server.post(&introduction("test"));
    assert_eq!(begun.status, 200, "{begun:?}");
    assert_eq!(begun.json()["result"]["serverInfo"]["name"], "memlens");
    assert!(
        begun.head.contains("content-type: application/json"),
        "{begun:?}"
    );
    let noted = server.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!((noted.status, noted.body.as_str()), (202, ""), "{noted:?}");
    let tools = server.post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(list(&tools.json()["result"]["tools"]).len(), 5);
    let found = server.finds(QUESTION);
    let printed = memlens.json(&["search", QUESTION, "--json"]);
    assert_eq!(list(&found).len(), list(&printed["results"]).len());
    for (key, printed_key) in [("path", "path"), ("score", "score"), ("snippet", "snippet")] {
        assert_eq!(found[0][key], printed["results"][0][printed_key], "{key}");
    }
    assert!(server.end("-TERM").success());
}

#[test]
fn nobody_else_is_answered() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let bearer = format!("Bearer {}", server.token);
    let wrong = format!("Bearer {}", "0".repeat(64));
    let own = ("Host", server.address.as_str());
    let token = ("Authorization", bearer.as_str());
    let body = request("memory_search", json!({"query": QUESTION}));
    let refused = |line: &str, headers: &[(&str, &str)], status: u16, why: &str| {
        let answer = server.send(line, headers, &body);
        assert_eq!(answer.status, status, "{line} {headers:?}: {answer:?}");
        assert!(answer.body.contains(why), "{line} {headers:?}: {answer:?}");
        assert!(!answer.body.contains("hall"), "{answer:?}");
        answer
    };
    let answer = refused(
        "POST /mcp",
        &[own, JSON, ACCEPT],
        401,
        "memlens serve token",
    );
    assert!(
        answer.head.contains("www-authenticate: bearer"),
        "{answer:?}"
    );
    let sent = [own, ("Authorization", wrong.as_str()), JSON, ACCEPT];
    refused("POST /mcp", &sent, 401, "memlens serve token");
    for origin in ["http://example.com", "null", "http://localhost:3000"] {
        let sent = [own, token, JSON, ACCEPT, ("Origin", origin)];
        refused("POST /mcp", &sent, 403, "page in a browser");
    }
    for host in ["example.com", "memlens.example.com:80"] {
        let sent = [("Host", host), token, JSON, ACCEPT];
        refused("POST /mcp", &sent, 403, "names another host");
    }
    refused(
        "POST /mcp",
        &[token, JSON, ACCEPT],
        403,
        "names another host",
    );
    for line in ["POST /", "POST /mcp/../etc/passwd", "GET /serve-token"] {
        refused(line, &[own, token, JSON, ACCEPT], 404, "MCP is at /mcp");
        refused(line, &[own], 401, "memlens serve token");
    }
    refused("GET /mcp", &[own, token, ACCEPT], 405, "");
    refused("OPTIONS /mcp", &[own, token, ACCEPT], 405, "");
    refused("POST /mcp", &[own, token, ACCEPT], 415, "Content-Type");
    assert_eq!(list(&server.finds(QUESTION)).len(), 1);
}

#[test]
fn bad_input_is_answered_and_the_next_call_works() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    for (body, status, code) in [
        ("{nonsense", 400, -32700),
        ("", 400, -32700),
        ("[1]", 400, -32600),
        (r#"{"id":3}"#, 400, -32600),
        (r#"{"method":5}"#, 400, -32600),
    ] {
        let answer = server.post(body);
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        assert_eq!(answer.json()["error"]["code"], code, "{body}: {answer:?}");
    }
    assert_eq!(server.post(r#"{"id":3}"#).json()["id"], 3);
    assert_eq!(
        server.post("{nonsense").json().get("id"),
        Some(&Value::Null)
    );
    let unknown = server.post(&request("memory_eat", json!({}))).json();
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let unknown = server.post(r#"{"jsonrpc":"2.0","id":1,"method":"memory/eat"}"#);
    assert_eq!(unknown.json()["error"]["code"], -32601, "{unknown:?}");
    let wrong = server.call("memory_search", json!({"query": 5}));
    let wrong = wrong.expect_err("a number is no query");
    assert!(wrong.contains("cannot use the arguments"), "{wrong}");
    let long = server.call("memory_search", json!({"query": "a".repeat(10_000_000)}));
    let long = long.expect_err("it is too long");
    assert!(long.contains("10000000 bytes"), "{long}");
    let over = server.post(&request(
        "memory_search",
        json!({"query": "a".repeat(17 << 20)}),
    ));
    assert_eq!(over.status, 413, "{}", over.head);
    assert!(
        over.json()["error"]["message"]
            .as_str()
            .is_some_and(|why| why.contains("more than 16777216 bytes"))
    );
    assert_eq!(list(&server.finds(QUESTION)).len(), 1);
}

#[test]
fn nothing_outside_of_the_served_folders_is_read() {
    let notes = notes();
    let other = Notes::new(&[("secret.md", "The word is plum.\n")]);
    symlink(other.at("secret.md"), notes.at("home/link.md")).expect("a link can be made");
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let secret = other.at("secret.md");
    for path in [
        "../secret.md",
        "home/../../secret.md",
        "home/link.md",
        text(&secret),
        "/etc/passwd",
        "home/router.md\0",
    ] {
        let refused = server.call("memory_get", json!({"path": path}));
        let refused = refused.expect_err(path);
        assert!(refused.contains("cannot use the path"), "{path}: {refused}");
    }
}

#[test]
fn many_clients_at_once_are_all_answered() {
    const N_CLIENTS: usize = 100;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let expected = server.finds(QUESTION);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..N_CLIENTS)
            .map(|_| scope.spawn(|| server.finds(QUESTION)))
            .collect();
        for client in clients {
            assert_eq!(client.join().expect("it is answered"), expected);
        }
    });
}

#[test]
fn at_most_64_connections_are_served_at_once_and_the_others_wait() {
    const N_AT_ONCE: usize = 64;
    const N_MORE: usize = 40;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let n_sockets = || {
        let open = std::fs::read_dir(format!("/proc/{}/fd", server.child.id()));
        let open = open.expect("it runs").flatten();
        let open = open.filter_map(|file| std::fs::read_link(file.path()).ok());
        open.filter(|to| to.to_string_lossy().starts_with("socket:"))
            .count()
    };
    // It listens, so its own sockets are open.
    let own = n_sockets();
    let mut open: std::collections::VecDeque<TcpStream> =
        (0..N_AT_ONCE + N_MORE).map(|_| server.connect()).collect();
    while n_sockets() < own + N_AT_ONCE {
        thread::yield_now();
    }
    let head = format!(
        "GET /none HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address, server.token
    );
    // Each that ends lets the next one in.
    while let Some(mut stream) = open.pop_front() {
        stream.write_all(head.as_bytes()).expect("the server reads");
        assert_eq!(answer(stream).status, 404);
        assert!(
            n_sockets() <= own + N_AT_ONCE,
            "{} are open",
            n_sockets() - own
        );
    }
}

#[test]
fn a_call_is_recorded_under_the_name_of_its_session() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    memlens.print(&["recall", "calls", "on"]);
    let server = Server::start(&memlens, &[]);
    let begin = |name: &str| {
        let begun = server.post(&introduction(name));
        let head = begun.head.lines();
        let mut ids = head.filter_map(|line| line.strip_prefix("mcp-session-id: "));
        ids.next().map(str::to_owned)
    };
    let sessions =
        [begin("codex-mcp-client"), begin("tea\u{7}pot")].map(|id| id.expect("it has one"));
    assert_eq!(begin(" \n"), None);
    let forged = "0".repeat(32) + &"61".repeat(1_000);
    for session in [&sessions[0], &sessions[1], &forged, "x"] {
        let session = ("Mcp-Session-Id", session);
        let query = json!({"query": QUESTION});
        let found = server.call_as(&server.token, &[session], "memory_search", query);
        found.expect("it is searched");
    }
    server.finds(QUESTION);
    let recorded = std::fs::read_to_string(memlens.library().join("served-calls"));
    let recorded = recorded.expect("calls are recorded");
    let recorded: Vec<Value> = recorded
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    let said: Vec<(&Value, &Value)> = recorded
        .iter()
        .map(|call| (&call["served"]["client"], &call["agent"]))
        .collect();
    let unnamed = "an unnamed client";
    assert_eq!(
        said,
        [
            (&json!("codex-mcp-client"), &json!("codex")),
            (&json!("teapot"), &json!("teapot")),
            (&json!(unnamed), &json!(unnamed)),
            (&json!(unnamed), &json!(unnamed)),
            (&json!(unnamed), &json!(unnamed)),
        ]
    );
}

#[test]
fn a_token_of_an_agent_gives_its_own_folders() {
    let home = Notes::new(&[
        (
            ".claude/projects/-work/memory/MEMORY.md",
            "The plum tree is old.\n",
        ),
        (".hermes/memories/MEMORY.md", "The plum tree is young.\n"),
    ]);
    let memlens = Memlens::new();
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    for agent in ["claude-code", "hermes"] {
        let (status, _, err) = at.run(&["agents", "add", agent]);
        assert_eq!(status, Some(0), "{err}");
    }
    memlens.print(&["recall", "calls", "on"]);
    let server = Server::start(&memlens, &[]);
    let token = |agent| {
        let run = memlens.run(&["serve", "token", "--agent", agent]);
        let expected = match agent {
            "codex" => {
                "memlens: no watched folder belongs to Codex, so a client with this token gets no notes; `memlens agents add codex` watches its folders\n"
            }
            _ => "",
        };
        assert_eq!((run.status, run.err.as_str()), (0, expected), "{agent}");
        run.out.trim().to_owned()
    };
    let search = |token: &str| {
        let query = json!({"query": "plum tree"});
        server.call_as(token, &[], "memory_search", query)
    };
    assert_eq!(
        list(&search(&server.token).expect("it is found")["results"]).len(),
        2
    );
    for (agent, path) in [
        ("claude-code", ".claude/projects/-work/memory/MEMORY.md"),
        ("hermes", ".hermes/memories/MEMORY.md"),
    ] {
        let token = token(agent);
        let found = search(&token).expect("it is found");
        assert_eq!(list(&found["results"]).len(), 1, "{agent}: {found}");
        let others = server.call_as(&token, &[], "memory_status", json!({}));
        let others = others.expect("it is reported");
        assert_eq!(list(&others["folders"]).len(), 1, "{others}");
        assert_eq!(others["agent"], agent);
        let own = home.at(path);
        for (tried, is_own) in [
            (&own, true),
            (
                &home.at(".claude/projects/-work/memory/MEMORY.md"),
                agent == "claude-code",
            ),
        ] {
            let read = server.call_as(&token, &[], "memory_get", json!({"path": text(tried)}));
            assert_eq!(read.is_ok(), is_own, "{agent} {tried:?}: {read:?}");
        }
    }
    let none = search(&token("codex")).expect_err("nothing of it is watched");
    assert!(
        none.contains("no watched folder of codex is served"),
        "{none}"
    );
    let recorded = std::fs::read_to_string(memlens.library().join("served-calls"));
    let recorded = recorded.expect("calls are recorded");
    let agents = recorded.lines().map(|line| {
        let call: Value = serde_json::from_str(line).expect("it is JSON");
        call["served"]["agent"].clone()
    });
    let agents: Vec<Value> = agents.collect();
    for agent in ["claude-code", "hermes", "codex"] {
        assert!(agents.contains(&json!(agent)), "{agents:?}");
    }
    assert_eq!(memlens.run(&["serve", "token", "--new"]).status, 0);
    // The running server has the old one.
    let body = request("memory_status", json!({}));
    let refused = server.post_as(&token("hermes"), &[], "/mcp", &body);
    assert_eq!(refused.status, 401, "{refused:?}");
    let before = memlens.print(&["serve", "token"]);
    let unknown = memlens.run(&["serve", "token", "--new", "--agent", "nobody"]);
    assert!(
        unknown.status != 0 && unknown.err.contains("no agent has the id nobody"),
        "{unknown:?}"
    );
    assert_eq!(memlens.print(&["serve", "token"]), before);
}

#[test]
fn a_token_of_an_agent_may_have_a_preset_of_its_own() {
    let home = Notes::new(&[
        (".codex/memories/MEMORY.md", "The plum tree is old.\n"),
        (".hermes/memories/MEMORY.md", "The plum tree is old.\n"),
    ]);
    let memlens = Memlens::new();
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    for agent in ["codex", "hermes"] {
        let (status, _, err) = at.run(&["agents", "add", agent]);
        assert_eq!(status, Some(0), "{err}");
    }
    memlens.print(&["recall", "calls", "on"]);
    let token = |agent| {
        let printed = memlens.print(&["serve", "token", "--agent", agent]);
        printed.trim().to_owned()
    };
    let query = json!({"query": "plum tree"});
    let score = |server: &Server, agent| {
        let found = server.call_as(&token(agent), &[], "memory_search", query.clone());
        found.expect("it is found")["results"][0]["score"].clone()
    };
    let server = Server::start(&memlens, &["--preset-of", "codex=Rensei"]);
    let (codex, hermes) = (score(&server, "codex"), score(&server, "hermes"));
    assert_ne!(codex, hermes);
    drop(server);
    let server = Server::start(&memlens, &["--saved-preset", "Rensei"]);
    assert_eq!(score(&server, "hermes"), codex);
    drop(server);
    let recorded = std::fs::read_to_string(memlens.library().join("served-calls"));
    let recorded = recorded.expect("calls are recorded");
    let rankings: Vec<Value> = recorded
        .lines()
        .map(|line| {
            let call: Value = serde_json::from_str(line).expect("it is JSON");
            call["served"]["ranking"].clone()
        })
        .collect();
    assert_eq!(rankings[0], rankings[2]);
    assert_ne!(rankings[0], rankings[1]);
    for (given, why) in [
        (&["codex=mine"][..], "it has Rensei"),
        (&["nobody=Rensei"], "no agent has the id nobody"),
        (&["codex"], "as in codex=work"),
        (&["codex=Rensei", "codex=Rensei"], "two presets for codex"),
    ] {
        let given = given.iter().flat_map(|given| ["--preset-of", given]);
        let arguments: Vec<&str> = ["serve", "--http", "127.0.0.1:0"]
            .into_iter()
            .chain(given)
            .collect();
        let refused = memlens.run(&arguments);
        assert_eq!(refused.status, 2, "{refused:?}");
        assert!(refused.err.contains(why), "{why}: {refused:?}");
    }
    let refused = memlens.run(&["serve", "--mcp", "--preset-of", "codex=Rensei"]);
    assert_eq!(refused.status, 2, "{refused:?}");
}

#[test]
fn calls_are_answered_while_the_index_is_rebuilt() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let before = server.finds(QUESTION);
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
        assert_eq!(server.finds(QUESTION), before);
    }
    for part in ["text", "vectors"] {
        assert!(memlens.library().join(part).is_dir(), "{part} is rebuilt");
    }
    assert_eq!(server.finds(QUESTION), before);
}

#[test]
fn clients_that_stop_or_die_do_not_disturb_others() {
    const N_CLIENTS: usize = 20;
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    let body = request("memory_search", json!({"query": QUESTION}));
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
        server.address,
        server.token,
        body.len()
    );
    let start = |sent: &str| {
        let mut stream = server.connect();
        stream.write_all(sent.as_bytes()).expect("the server reads");
        stream
    };
    let half = format!("{head}{}", &body[..body.len() / 2]);
    let whole = format!("{head}{body}");
    // They stay open: one has sent nothing, one half of its request, one does not read its answer.
    let stopped: Vec<TcpStream> = ["", half.as_str(), whole.as_str()]
        .into_iter()
        .cycle()
        .take(N_CLIENTS)
        .map(start)
        .collect();
    // They die in the middle of a request or of a call.
    for sent in [&half, &whole].into_iter().cycle().take(N_CLIENTS) {
        let stream = start(sent);
        stream.shutdown(Shutdown::Both).expect("it is open");
    }
    assert_eq!(list(&server.finds(QUESTION)).len(), 1);
    // What was asked is still there for a client that reads late.
    let late = stopped.into_iter().nth(2).expect("there are several");
    assert_eq!(answer(late).status, 200);
}

#[test]
fn a_server_follows_a_writer_and_reports_a_lost_library() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &[]);
    assert_eq!(list(&server.finds(QUESTION)).len(), 1);
    notes.write("home/plum.md", "The plum tree stands in the garden.\n");
    memlens.json(&["index", text(notes.path()), "--json"]);
    let found = server.finds("where is the plum tree");
    assert_eq!(found[0]["path"], "home/plum.md", "{found}");
    std::fs::remove_dir_all(memlens.library()).expect("it can be removed");
    let gone = server.call("memory_search", json!({"query": QUESTION}));
    let gone = gone.expect_err("there is no library");
    assert!(gone.contains("does not exist any more"), "{gone}");
    std::fs::create_dir(memlens.library()).expect("it can be made again");
}

#[test]
fn a_signal_ends_a_server_cleanly_also_with_open_connections() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    for signal in ["-TERM", "-INT"] {
        let server = Server::start(&memlens, &[]);
        let address = server.address.clone();
        let open = server.connect();
        server.finds(QUESTION);
        let status = server.end(signal);
        assert_eq!(status.code(), Some(0), "{signal}: {status}");
        drop(open);
        assert!(TcpStream::connect(&address).is_err(), "nothing listens");
    }
}

#[test]
fn the_token_is_private_and_is_erased_with_the_library() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let path = memlens.library().join("serve-token");
    assert!(!path.exists(), "it is made on first use");
    let first = memlens.print(&["serve", "token"]);
    let mode = std::fs::metadata(&path)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(memlens.print(&["serve", "token"]), first);
    let renewed = memlens.run(&["serve", "token", "--new"]);
    assert!(renewed.err.contains("accepts the old token"), "{renewed:?}");
    let second = renewed.out;
    assert_ne!(second, first);
    let server = Server::start(&memlens, &[]);
    assert_eq!(server.token, second.trim());
    drop(server);
    memlens.print(&["erase", "--yes"]);
    assert!(!path.exists());
}

#[test]
fn there_is_no_token_without_a_library() {
    let memlens = Memlens::new();
    let absent = memlens.library().join("absent");
    for dir in [memlens.library(), absent.as_path()] {
        let message = format!(
            "there is no library in {}: index a folder first",
            dir.display()
        );
        for more in [&[][..], &["--new"], &["--agent", "codex"]] {
            let arguments = [&["--library", text(dir), "serve", "token"], more].concat();
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_memlens"))
                .args(&arguments)
                .output()
                .expect("it can be started");
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
            assert_eq!(
                String::from_utf8_lossy(&output.stderr),
                format!("memlens: {message}\n")
            );
        }
    }
    assert!(!absent.exists() && !memlens.library().join("serve-token").exists());
}

#[test]
fn an_address_that_is_not_of_this_machine_alone_must_be_allowed() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    memlens.refused(
        &["serve", "--http", "0.0.0.0:0"],
        2,
        "cannot serve at 0.0.0.0:0: other machines could reach it; use 127.0.0.1, or add --allow-network",
    );
    for address in ["8745", "example.com:80", "127.0.0.1", "127.0.0.1:99999"] {
        let run = memlens.run(&["serve", "--http", address]);
        assert!(
            run.status == 2 && run.err.contains("as in 127.0.0.1:8745"),
            "{address}: {run:?}"
        );
    }
    let taken = Server::start(&memlens, &[]);
    let run = memlens.run(&["serve", "--http", &taken.address]);
    assert!(
        run.status == 1 && run.err.contains("choose another port with --http"),
        "{run:?}"
    );
    let run = memlens.run(&["serve", "--http", "127.0.0.1:0", "--mcp"]);
    assert_eq!(run.status, 2, "{run:?}");
}

#[test]
fn a_unit_for_systemd_runs_the_same_command() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let serve = [
        "serve",
        "--http",
        "127.0.0.1:8745",
        "--systemd",
        "--set",
        "max_results=3",
    ];
    let unit = memlens.print(&serve);
    let start = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="));
    let start = start.expect("it starts the server");
    assert!(
        start.ends_with(" serve --http 127.0.0.1:8745 --set max_results=3"),
        "{unit}"
    );
    assert!(start.contains(text(memlens.library())), "{unit}");
    memlens.refused(
        &["serve", "--http", "127.0.0.1:0", "--systemd"],
        2,
        "cannot print a unit for port 0: clients need a port that stays; name one with --http",
    );
    let run = memlens.run(&["serve", "--mcp", "--systemd"]);
    assert_eq!(run.status, 2, "{run:?}");
    for wrong in [
        ["--preset", "nowhere.json"],
        ["--agent", "nobody"],
        ["--saved-preset", "mine"],
        ["--preset-of", "codex=mine"],
    ] {
        let run = memlens.run(&[&serve[..4], &wrong].concat());
        assert_ne!(run.status, 0, "{wrong:?}: {run:?}");
        assert_eq!(run.out, "", "{wrong:?}");
    }
}

#[test]
fn a_server_that_watches_finds_what_is_written_and_reads_beside_another_writer() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let server = Server::start(&memlens, &["--watch"]);
    let writer = format!("process {}", server.child.id());
    let second = Server::start(&memlens, &["--watch"]);
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(status["writer"], *writer);
    notes.write("home/plum.md", "The plum tree stands in the garden.\n");
    for server in [&server, &second] {
        // The file watcher reports it at some time; the test runner limits how long this waits.
        while server.finds("where is the plum tree")[0]["path"] != "home/plum.md" {
            thread::yield_now();
        }
    }
    let successor = format!("process {}", second.child.id());
    assert!(server.end("-TERM").success());
    while memlens.json(&["status", "--json"])["writer"] != *successor {
        thread::yield_now();
    }
    assert!(second.end("-TERM").success());
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(status["writer"], Value::Null, "it has let go");
}
