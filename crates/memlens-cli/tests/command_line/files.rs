//! Files: outputs that the user names, who may read them, and links and pipes in place of files.
//!
//! Properties checked: no output replaces the library, a note or an input of the command, under any name; other users
//! can read nothing of the library; a link is not followed, and a pipe without a process at its other end is not waited
//! for.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use memlens_store::Store;
use memlens_tests::{Notes, image};

use crate::memlens::{AtHome, Memlens, Run, list, paths, text};

/// The most time that a run may take before it counts as hanging, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn notes() -> Notes {
    Notes::new(&[
        ("hall.md", "The router stands in the hall."),
        ("attic.md", "The attic is dry."),
    ])
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a scratch folder can be made")
}

/// Runs a command to its end, and panics if it does not end in time.
fn ends(command: &mut Command) -> Run {
    let child = command.spawn().expect("it can be started");
    let id = child.id().to_string();
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(PATIENCE) else {
        let _ = Command::new("kill").args(["-KILL", &id]).status();
        panic!("it hangs: {command:?}");
    };
    let output = output.expect("it can be waited for");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    Run {
        status: output.status.code().expect("it ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// Returns the command as a user runs it whose new files are readable by everybody.
fn open_to_all(command: &Command) -> Command {
    let mut under = Command::new("sh");
    under
        .args(["-c", "umask 022 && exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args())
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    under
}

fn mode(path: &Path) -> u32 {
    let found = path.metadata().expect("it is there");
    found.permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
}

/// Returns everything in a folder and below.
fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(all_in(&path));
        }
        found.push(path);
    }
    found
}

/// Returns the paths of a library that other users have any access to.
fn open_in(library: &Path) -> Vec<PathBuf> {
    let mut all = all_in(library);
    all.push(library.to_owned());
    all.retain(|path| mode(path) & 0o077 != 0);
    all
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("it can be started").success());
}

#[test]
fn no_output_takes_the_place_of_the_library() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    notes.write(
        "queries.jsonl",
        "{\"id\":\"q\",\"query\":\"router\",\"relevant\":[{\"path\":\"hall.md\",\"start_line\":1,\"end_line\":1}]}\n",
    );
    let queries = notes.at("queries.jsonl");
    let outside = scratch();
    let (library, at) = (memlens.library(), |name: &str| outside.path().join(name));
    symlink(library, at("to-library")).expect("links can be made");
    symlink(library.join("library.sqlite"), at("link")).expect("links can be made");
    fs::hard_link(library.join("library.sqlite"), at("other-name")).expect("it has two names");
    fs::hard_link(library.join("vectors/flat"), at("vectors")).expect("it has two names");
    // The files that SQLite itself makes for readers are left out.
    let held = || {
        let mut held: Vec<(PathBuf, Option<Vec<u8>>)> = all_in(library)
            .into_iter()
            .filter(|path| !path.to_string_lossy().contains("sqlite-"))
            .map(|path| (path.clone(), fs::read(path).ok()))
            .collect();
        held.sort();
        held
    };
    let before = held();
    for place in [
        library.join("library.sqlite"),
        library.join("new.json"),
        library.join("text/new.json"),
        library.join("text/../library.sqlite"),
        at("to-library/library.sqlite"),
        at("to-library/new.json"),
        at("link"),
        at("other-name"),
        at("vectors"),
    ] {
        for command in [
            &["feedback", "--export", text(&place)][..],
            &["export", "--out", text(&place)],
            &["eval", text(&queries), "--run-out", text(&place)],
        ] {
            let run = memlens.run(command);
            assert_eq!(
                (run.status, run.out.as_str()),
                (1, ""),
                "{command:?}: {run:?}"
            );
            let expected = format!(
                "memlens: cannot write {}: it is in the library's own folder {}, or is one of its files; choose another place\n",
                place.display(),
                library.display()
            );
            assert!(run.err.ends_with(&expected), "{command:?}: {run:?}");
        }
    }
    // A path relative to the working directory.
    let run = memlens
        .command(&["feedback", "--export", "library.sqlite"])
        .current_dir(library)
        .output()
        .expect("it can be started");
    assert_eq!(run.status.code(), Some(1));
    assert!(held() == before, "the library changed");
}

#[test]
fn no_output_takes_the_place_of_what_is_read_for_it() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    let queries = serde_json::json!({
        "id": "q",
        "query": "router",
        "relevant": [{"path": text(&notes.at("hall.md")), "start_line": 1, "end_line": 1}],
    });
    fs::write(at("queries.jsonl"), format!("{queries}\n")).expect("it can be written");
    let tuned = ["export", "--set", "min_score=0.3", "--out"];
    let run = memlens.run(&[&tuned[..], &[text(&at("tuned.json"))]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    fs::create_dir(at("in")).expect("it can be made");
    for name in ["queries.jsonl", "tuned.json"] {
        symlink(at(name), at("in").join(name)).expect("links can be made");
        fs::hard_link(at(name), at("in").join(format!("other-{name}"))).expect("it has two names");
    }
    let before = image(dir.path());
    let (queries, tuned) = (at("queries.jsonl"), at("tuned.json"));
    for place in [
        at("queries.jsonl"),
        at("in/../queries.jsonl"),
        at("in/queries.jsonl"),
        at("in/other-queries.jsonl"),
    ] {
        let asked = ["eval", text(&queries), "--run-out", text(&place)];
        let run = memlens.run(&asked);
        let expected = format!(
            "memlens: cannot write {}: it is the same file as {}, which is being read; choose another place\n",
            place.display(),
            queries.display()
        );
        assert_eq!((run.status, run.out.as_str(), &run.err), (1, "", &expected));
    }
    for place in [
        at("tuned.json"),
        at("in/tuned.json"),
        at("in/other-tuned.json"),
    ] {
        let (tuned, place) = (text(&tuned), text(&place));
        for command in [
            &["export", "--preset", tuned, "--out", place][..],
            &[
                "eval",
                text(&queries),
                "--preset",
                tuned,
                "--run-out",
                place,
            ],
        ] {
            let run = memlens.run(command);
            assert_eq!(run.status, 1, "{command:?}: {run:?}");
            assert!(
                run.err.contains("which is being read"),
                "{command:?}: {run:?}"
            );
        }
    }
    assert!(image(dir.path()) == before, "what is read was written over");
    // Any other place is accepted, also if a file is there already.
    fs::write(at("run.jsonl"), "before").expect("it can be written");
    let run = memlens.run(&["eval", text(&queries), "--run-out", text(&at("run.jsonl"))]);
    assert_eq!(run.status, 0, "{run:?}");
    let written = fs::read_to_string(at("run.jsonl")).expect("it is there");
    assert!(written.starts_with("{\"id\":\"q\","), "{written}");
}

#[test]
fn no_output_takes_the_place_of_an_agents_config_or_log() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let home = Notes::new(&[
        (".claude/settings.json", "{}"),
        (".claude/projects/-home-iris/7f3a.jsonl", "{}\n"),
        (".openclaw/openclaw.json", "{}"),
    ]);
    let at_home = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let (status, _, err) = at_home.run(&["recall", "import", "--yes"]);
    assert_eq!(status, Some(0), "{err}");
    let dir = scratch();
    let at = |name: &str| dir.path().join(name);
    let query = |n: u32| {
        let place =
            serde_json::json!({"path": text(&notes.at("hall.md")), "start_line": 1, "end_line": 1});
        format!(
            "{}\n",
            serde_json::json!({"id": n.to_string(), "query": format!("router {n}"), "relevant": [place]})
        )
    };
    fs::write(at("queries.jsonl"), (0..20).map(query).collect::<String>())
        .expect("it can be written");
    let imported = memlens.json(&["queries", "import", text(&at("queries.jsonl")), "--json"]);
    let set = imported["info"]["name"]
        .as_str()
        .expect("it has a name")
        .to_owned();
    symlink(home.at(".claude/settings.json"), at("soft")).expect("links can be made");
    fs::hard_link(home.at(".claude/settings.json"), at("hard")).expect("links can be made");
    let before = image(home.path());
    let queries = at("queries.jsonl");
    let queries = text(&queries);
    let every_output = |out: &str| -> Vec<Vec<String>> {
        [
            &["export", "--out", out][..],
            &[
                "export",
                "--target",
                "openclaw",
                "--set",
                "max_results=8",
                "--out",
                out,
            ],
            &["recall", "export", out, "--replace"],
            &["feedback", "--export", out],
            &["eval", queries, "--run-out", out],
            &["emulate", "--queries", queries, "--run-out", out],
            &[
                "tune", queries, "--tries", "1", "--folds", "2", "--out", out,
            ],
            &["queries", "export", &set, out, "--replace"],
        ]
        .into_iter()
        .map(|command| command.iter().map(ToString::to_string).collect())
        .collect()
    };
    for (place, agent) in [
        (home.at(".claude/settings.json"), "Claude Code"),
        (home.at(".claude/../.claude/new.json"), "Claude Code"),
        (
            home.at(".claude/projects/-home-iris/7f3a.jsonl"),
            "Claude Code",
        ),
        (at("soft"), "Claude Code"),
        (at("hard"), "Claude Code"),
        (home.at(".openclaw/openclaw.json"), "OpenClaw"),
        (home.at(".claude.json"), "Claude Code"),
        (at("CLAUDE.md"), "Claude Code"),
    ] {
        for command in every_output(text(&place)) {
            let command: Vec<&str> = command.iter().map(String::as_str).collect();
            let (status, out, err) = at_home.run(&command);
            assert_eq!((status, &*out), (Some(1), ""), "{command:?}: {err}");
            let named = format!("cannot write {}: ", place.display());
            assert!(err.contains(&named), "{command:?}: {err}");
            let why = format!(
                " belongs to {agent}, which keeps its settings, logs or instructions there; choose another place"
            );
            assert!(err.contains(&why), "{command:?}: {err}");
        }
    }
    assert!(image(home.path()) == before, "a file of an agent changed");
    assert!(!at("CLAUDE.md").exists());
    for command in every_output(text(&at("out.jsonl"))) {
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let (status, _, err) = at_home.run(&command);
        if command[0] == "recall" {
            let expected =
                "memlens: cannot export past questions: there are none; no file was written\n";
            assert_eq!((status, err.as_str()), (Some(1), expected));
        } else {
            assert_eq!(status, Some(0), "{command:?}: {err}");
        }
    }
}

#[test]
fn a_library_is_its_users_alone() {
    let notes = notes();
    let memlens = Memlens::new();
    let library = memlens.library().join("own");
    let under = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memlens"));
        command.arg("--library").arg(&library).args(arguments);
        open_to_all(&command)
    };
    let check = |arguments: &[&str]| {
        let run = ends(&mut under(arguments));
        assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
    };
    check(&["index", text(notes.path())]);
    check(&["search", "router", "--set", "rerank=late"]);
    assert!(library.join("rerank.sqlite").exists());
    assert_eq!(open_in(&library), Vec::<PathBuf>::new());

    // While the database is written, SQLite keeps files beside it.
    let mut watch = under(&["watch"]).spawn().expect("it can be started");
    let reported = BufReader::new(watch.stderr.take().expect("it is a pipe"));
    let is_ready = reported
        .lines()
        .map_while(Result::ok)
        .any(|line| line == format!("memlens: {}", notes.path().display()));
    assert!(is_ready, "it ended");
    assert!(library.join("library.sqlite-wal").exists());
    assert_eq!(open_in(&library), Vec::<PathBuf>::new());
    watch.kill().expect("it runs");
    watch.wait().expect("it ends");

    // A library that was opened to all users is closed again: a reader closes its folder, and a writer closes every
    // file.
    let open_up = || {
        for path in all_in(&library) {
            set_mode(&path, if path.is_dir() { 0o755 } else { 0o644 });
        }
        set_mode(&library, 0o755);
    };
    open_up();
    check(&["search", "router"]);
    assert_eq!(mode(&library), 0o700);
    open_up();
    check(&["index"]);
    assert_eq!(open_in(&library), Vec::<PathBuf>::new());

    // A folder with a foreign file in it stays open to other users, and so do the models, which are not private.
    open_up();
    let theirs = library.join("theirs.txt");
    fs::write(&theirs, "theirs").expect("it can be written");
    set_mode(&theirs, 0o644);
    fs::create_dir(library.join("models")).expect("it can be made");
    set_mode(&library.join("models"), 0o755);
    check(&["index"]);
    let mut expected = vec![theirs, library.join("models"), library.clone()];
    expected.sort();
    let mut left = open_in(&library);
    left.sort();
    assert_eq!(left, expected);
}

#[test]
fn what_is_exported_is_as_open_as_the_person_has_it() {
    let memlens = Memlens::of(&[&notes()]);
    let dir = scratch();
    let file = dir.path().join("memlens.json");
    let export = || {
        let command = memlens.command(&["export", "--out", text(&file)]);
        let run = ends(&mut open_to_all(&command));
        assert_eq!(run.status, 0, "{run:?}");
        mode(&file)
    };
    assert_eq!(export(), 0o644);
    set_mode(&file, 0o600);
    assert_eq!(export(), 0o600);
}

#[test]
fn what_stands_in_the_place_of_a_lock_is_left_as_it_is() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let dir = scratch();
    let theirs = dir.path().join("theirs.txt");
    let check = |name: &str, put: &dyn Fn(&Path, &Path), expected: Option<&str>| {
        let path = memlens.library().join(name);
        let _ = fs::remove_file(&path);
        fs::write(&theirs, "what is theirs").expect("it can be written");
        put(&theirs, &path);
        let run = memlens.run(&["index"]);
        let left = fs::read_to_string(&theirs).expect("it is there");
        assert_eq!(left, "what is theirs", "{name}: {run:?}");
        match expected {
            Some(expected) => {
                assert_eq!(run.status, 1, "{name}: {run:?}");
                assert!(run.err.contains(expected), "{name}: {run:?}");
                assert!(
                    run.err.contains(&path.display().to_string()) || name.starts_with("text"),
                    "{run:?}"
                );
            }
            None => assert_eq!(run.status, 0, "{name}: {run:?}"),
        }
        fs::remove_file(&path).unwrap_or_default();
        let run = memlens.run(&["index"]);
        assert_eq!(run.status, 0, "{name}: {run:?}");
    };
    let link = |theirs: &Path, path: &Path| symlink(theirs, path).expect("links can be made");
    let second_name =
        |theirs: &Path, path: &Path| fs::hard_link(theirs, path).expect("it has two names");
    check(
        "writer.lock",
        &link,
        Some("it is a link or not a lock file; move it away"),
    );
    check(
        "writer.lock",
        &second_name,
        Some("it is a link or not a lock file; move it away"),
    );
    check(
        "vectors/flat.lock",
        &link,
        Some("it is a link, a pipe or a device"),
    );
    check("vectors/flat.lock", &second_name, None);
    check(
        "text/.tantivy-writer.lock",
        &link,
        Some("it is a link, a pipe or a device"),
    );
    // Temporary files and the files of the lists are made again.
    for name in [
        "vectors/flat.new",
        "vectors/flat",
        "vectors/flat.1",
        "vectors/flat.1.codes",
        "vectors/flat.1.checks",
        "text/meta.json",
    ] {
        check(name, &link, None);
        check(name, &second_name, None);
    }
}

#[test]
fn a_library_is_not_made_among_the_notes() {
    let notes = notes();
    let before = image(notes.path());
    for library in ["", "sub", "sub/../own", "a/b/c"] {
        let library = notes.path().join(library);
        for folder in [notes.path().to_owned(), notes.path().join(".")] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_memlens"));
            command
                .arg("--library")
                .arg(&library)
                .arg("index")
                .arg(folder);
            let run = ends(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
            assert_eq!(run.status, 1, "{run:?}");
            let expected = format!(
                "memlens: cannot watch {}: Memlens keeps its own library there\n",
                notes.path().display()
            );
            assert_eq!(run.err, expected);
            assert!(image(notes.path()) == before, "{}", library.display());
        }
    }
}

#[test]
fn a_pipe_in_the_place_of_a_library_file_is_not_waited_for() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    ends(&mut memlens.command(&["search", "router", "--set", "rerank=late"]));
    let put = |name: &str| {
        let path = memlens.library().join(name);
        let _ = fs::remove_file(&path);
        make_pipe(&path);
        path
    };
    let run = |arguments: &[&str]| ends(&mut memlens.command(arguments));
    // Derived files can be rebuilt, so no error about them keeps the library from being searched.
    for name in [
        "text/meta.json",
        "vectors/flat",
        "vectors/flat.1",
        "vectors/flat.1.codes",
        "vectors/flat.1.checks",
        "rerank.sqlite",
    ] {
        put(name);
        let found = run(&["search", "router", "--json", "--set", "rerank=late"]);
        assert_eq!(found.status, 0, "{name}: {found:?}");
        let indexed = run(&["index"]);
        assert_eq!(indexed.status, 0, "{name}: {indexed:?}");
    }
    for name in [
        "writer.lock",
        "vectors/flat.lock",
        "text/.tantivy-writer.lock",
    ] {
        let path = put(name);
        let found = run(&["search", "router", "--json"]);
        assert_eq!(found.status, 0, "{name}: {found:?}");
        let indexed = run(&["index"]);
        assert_eq!(indexed.status, 1, "{name}: {indexed:?}");
        fs::remove_file(path).expect("it is there");
    }
    for name in [
        "library.sqlite-wal",
        "library.sqlite-journal",
        "library.sqlite-shm",
        "library.sqlite",
    ] {
        let path = put(name);
        for arguments in [
            &["search", "router"][..],
            &["index"],
            &["status"],
            &["erase"],
        ] {
            let run = run(arguments);
            assert_eq!(run.status, 1, "{name} {arguments:?}: {run:?}");
            let expected = format!(
                "memlens: cannot open the library: {} is a pipe or a device, not a file; remove it and try again\n",
                path.display()
            );
            assert_eq!(run.err, expected, "{name} {arguments:?}");
        }
        fs::remove_file(path).expect("it is there");
    }
}

#[test]
fn a_pipe_that_nobody_serves_is_refused_by_name() {
    let memlens = Memlens::of(&[&notes()]);
    let dir = scratch();
    let pipe = dir.path().join("pipe");
    make_pipe(&pipe);
    let pipe = text(&pipe);
    for (arguments, attempt, why) in [
        (
            &["search", "router", "--preset", pipe][..],
            "read preset",
            "writes to",
        ),
        (&["export", "--out", pipe], "write", "reads"),
        (&["feedback", "--export", pipe], "write", "reads"),
        (&["feedback", "--import", pipe], "read", "writes to"),
        (&["eval", pipe], "read", "writes to"),
    ] {
        let run = ends(&mut memlens.command(arguments));
        assert_eq!(
            (run.status, run.out.as_str()),
            (1, ""),
            "{arguments:?}: {run:?}"
        );
        let expected = format!("memlens: cannot {attempt} {pipe}: nobody {why} this pipe\n");
        assert_eq!(run.err, expected, "{arguments:?}");
    }
}

#[test]
fn pipes_that_somebody_serves_are_read_and_written() {
    let memlens = Memlens::of(&[&notes()]);
    let run = memlens.run(&["export", "--set", "max_results=1", "--out", "/dev/stdout"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.out.contains("\"schemaVersion\": 1"), "{run:?}");

    // As a shell's `<( )` and `>( )` do.
    let script = "{ printf '%s' \"$PRESET\" | \"$0\" \"$@\" --preset /dev/fd/3 3<&0; }";
    let command = memlens.command(&["search", "the", "--json"]);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(command.get_program())
        .args(command.get_args())
        .env("PRESET", &run.out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let found = ends(&mut shell);
    assert_eq!((found.status, found.err.as_str()), (0, ""), "{found:?}");
    let found = serde_json::from_str(&found.out).expect("it is JSON");
    let found: &serde_json::Value = &found;
    assert_eq!(list(&found["results"]).len(), 1, "{found}");

    // A named pipe.
    let dir = scratch();
    let pipe = dir.path().join("pipe");
    make_pipe(&pipe);
    let writer = std::thread::spawn({
        let (pipe, preset) = (pipe.clone(), run.out.clone());
        move || {
            let mut pipe = fs::File::options()
                .write(true)
                .open(pipe)
                .expect("it is read");
            pipe.write_all(preset.as_bytes()).expect("it is read");
        }
    });
    let found = ends(&mut memlens.command(&["search", "the", "--json", "--preset", text(&pipe)]));
    assert_eq!((found.status, found.err.as_str()), (0, ""), "{found:?}");
    writer.join().expect("it ends");
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).expect("it is written")
    });
    let exported =
        ends(&mut memlens.command(&["export", "--set", "max_results=1", "--out", text(&pipe)]));
    assert_eq!(exported.status, 0, "{exported:?}");
    let read = reader.join().expect("it ends");
    assert!(read.contains("\"max_results\": 1"), "{read}");
}

#[test]
fn a_log_is_plain_text_where_no_terminal_shows_it() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let mut watch = memlens
        .command(&["watch"])
        .env("RUST_LOG", "trace")
        .spawn()
        .expect("it can be started");
    let mut reported = BufReader::new(watch.stderr.take().expect("it is a pipe"));
    let mut said = Vec::new();
    let ready = format!("memlens: {}\n", notes.path().display());
    while !String::from_utf8_lossy(&said).ends_with(&ready) {
        let n_bytes = reported
            .read_until(b'\n', &mut said)
            .expect("it can be read");
        assert!(n_bytes > 0, "it ended");
    }
    watch.kill().expect("it runs");
    watch.wait().expect("it ends");
    reported.read_to_end(&mut said).expect("it can be read");
    let said = String::from_utf8(said).expect("it prints UTF-8");
    assert!(said.contains("TRACE") || said.contains("DEBUG"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn the_hook_does_not_get_the_key_of_a_provider() {
    const VARIABLE: &str = "MEMLENS_TEST_KEY_9F8E";
    let memlens = Memlens::of(&[&notes()]);
    let dir = scratch();
    let seen = dir.path().join("seen");
    let provider = [
        "rerank-provider",
        "set",
        "--kind",
        "tei",
        "--url",
        "http://127.0.0.1:9",
        "--key-env",
        VARIABLE,
    ];
    let set = memlens.command(&provider).env(VARIABLE, "the-key").output();
    let set = set.expect("it can be started");
    assert!(set.status.success(), "{set:?}");
    let script = format!("cat >/dev/null; env >'{}'; printf '{{}}'", seen.display());
    let run = memlens.run(&["rerank-hook", "set", "sh", "-c", &script]);
    assert_eq!(run.status, 0, "{run:?}");
    let mut search = memlens.command(&["search", "router", "--set", "hook=on", "--json"]);
    search.env(VARIABLE, "the-key").env("OTHER_9F8E", "seen");
    let run = ends(&mut search);
    assert_eq!(run.status, 0, "{run:?}");
    let seen = fs::read_to_string(seen).expect("the hook ran");
    assert!(seen.contains("OTHER_9F8E=seen"), "{seen}");
    assert!(
        !seen.contains("the-key") && !seen.contains(VARIABLE),
        "{seen}"
    );
}

#[test]
fn marks_that_cannot_be_read_are_reported_and_kept() {
    let notes = notes();
    let memlens = Memlens::of(&[&notes]);
    let broken = "{\"a form\": \"of later\"}";
    let put = |value| {
        let mut store = Store::open(memlens.library()).expect("nobody writes");
        store
            .put_setting("evergreen", value)
            .expect("it can be written");
    };
    put(Some(broken));
    let report = memlens.json(&["search", "router", "--json"]);
    assert_eq!(paths(&report["results"])[0], "hall.md");
    let notices = list(&report["notices"]);
    assert_eq!(notices.len(), 1, "{notices:?}");
    let notice = notices[0].as_str().expect("it is text");
    assert!(
        notice.starts_with("Your evergreen marks cannot be read ("),
        "{notice}"
    );
    assert!(
        notice.ends_with(
            "so only MEMORY.md and USER.md are kept from decay. The marks are left unchanged."
        ),
        "{notice}"
    );
    assert_eq!(memlens.run(&["why", "router", "hall.md"]).status, 0);
    // The unreadable marks are not replaced.
    let run = memlens.run(&["evergreen", "add", "hall.md"]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.err
            .contains("cannot mark hall.md: the library's evergreen marks cannot be read"),
        "{run:?}"
    );
    let run = memlens.run(&["evergreen", "list"]);
    assert_eq!(run.status, 1, "{run:?}");
    let store = Store::open_read_only(memlens.library()).expect("it can be read");
    assert_eq!(
        store
            .setting("evergreen")
            .expect("it can be read")
            .as_deref(),
        Some(broken)
    );
    drop(store);
    put(None);
    assert_eq!(
        memlens.json(&["search", "router", "--json"])["notices"],
        serde_json::json!([])
    );
}
