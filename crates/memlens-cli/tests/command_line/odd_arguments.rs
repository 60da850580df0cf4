//! Options and numbers that a user may mistype: each is refused by name, with nothing on standard output and nothing
//! changed.

use std::fs;
use std::fs::File;

use memlens_tests::Notes;
use serde_json::Value;
use tempfile::TempDir;

use crate::memlens::{Memlens, text};

/// A library of one note, and a folder beside it with missing and invalid files.
struct Place {
    notes: Notes,
    memlens: Memlens,
    beside: TempDir,
}

impl Place {
    fn new() -> Place {
        let notes = Notes::new(&[("a.md", "The hall is quiet.")]);
        notes.write(
            "q.jsonl",
            "{\"id\":\"q\",\"query\":\"hall\",\"relevant\":[{\"path\":\"a.md\",\"start_line\":1,\"end_line\":1}]}\n",
        );
        let beside = tempfile::tempdir().expect("a scratch folder can be made");
        fs::create_dir(beside.path().join("folder")).expect("a folder can be made");
        fs::write(beside.path().join("bytes"), b"\xff\xfe\0").expect("a file can be written");
        let huge = File::create(beside.path().join("huge")).expect("a file can be made");
        huge.set_len(1 << 30).expect("it can be sparse");
        Place {
            memlens: Memlens::of(&[&notes]),
            notes,
            beside,
        }
    }

    /// Returns the state of the library: its folders, its thumbs and the results of a search.
    fn holds(&self) -> [Value; 3] {
        let folders = self.memlens.json(&["status", "--json"])["folders"].take();
        let thumbs = self.memlens.json(&["feedback", "--json"]);
        let results = self.memlens.json(&["search", "hall", "--json"])["results"].take();
        [folders, thumbs, results]
    }

    /// Runs each command line and checks its status and its message. `@NAME` is a path in the folder beside, `%NAME` a
    /// path of a note.
    fn check(&self, cases: &[(&[&str], i32, &str)]) {
        let before = self.holds();
        for (typed, status, words) in cases {
            let arguments: Vec<String> = typed
                .iter()
                .map(
                    |word| match (word.strip_prefix('@'), word.strip_prefix('%')) {
                        (Some(name), _) => text(&self.beside.path().join(name)).to_owned(),
                        (_, Some(name)) => text(&self.notes.at(name)).to_owned(),
                        (None, None) => (*word).to_owned(),
                    },
                )
                .collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let run = self.memlens.run(&arguments);
            assert_eq!(
                (run.status, run.out.as_str()),
                (*status, ""),
                "{typed:?}: {run:?}"
            );
            assert!(run.err.contains(words), "{typed:?}: {run:?}");
            assert!(!run.err.contains("panicked"), "{typed:?}: {run:?}");
        }
        assert_eq!(self.holds(), before, "something changed");
    }
}

#[test]
fn odd_numbers_are_refused_by_their_range() {
    let place = Place::new();
    for id in [
        "max_results",
        "min_score",
        "budget_tokens",
        "half_life_days",
    ] {
        for value in [
            "",
            "abc",
            "-1",
            "nan",
            "inf",
            "-inf",
            "1e999",
            "0x10",
            "1,5",
            "99999999999999999999",
            "=1",
        ] {
            let setting = format!("{id}={value}");
            let run = place.memlens.run(&["search", "hall", "--set", &setting]);
            assert_eq!(
                (run.status, run.out.as_str()),
                (2, ""),
                "{setting}: {run:?}"
            );
            let said = format!("memlens: cannot set {id} to ");
            assert!(run.err.starts_with(&said), "{setting}: {run:?}");
            assert!(
                ["it takes ", "the range is "]
                    .iter()
                    .any(|words| run.err.contains(words)),
                "{setting}: {run:?}"
            );
        }
    }
}

#[test]
fn odd_settings_are_refused() {
    let place = Place::new();
    place.check(&[
        (&["search", "hall", "--set", "=5"], 2, "unknown parameter"),
        (
            &["search", "hall", "--set", "max_results"],
            2,
            "it must be id=value",
        ),
        (
            &["search", "hall", "--set", "nope=1"],
            2,
            "unknown parameter nope",
        ),
        (
            &["search", "hall", "--set", "MAX_RESULTS=5"],
            2,
            "unknown parameter MAX_RESULTS",
        ),
        (
            &["search", "hall", "--set"],
            2,
            "a value is required for '--set",
        ),
        (
            &["search", "hall", "--set", "fusion="],
            2,
            "it takes one of calibrated",
        ),
        (
            &["search", "hall", "--set", "fusion=RRF"],
            2,
            "it takes one of calibrated",
        ),
        (
            &["search", "hall", "--set", "vector_on=maybe"],
            2,
            "it takes true or false",
        ),
        (
            &["search", "hall", "--set", "max_results=5.5"],
            2,
            "the range is whole numbers",
        ),
        (
            &["why", "hall", "a.md", "--set", "nope=1"],
            2,
            "unknown parameter nope",
        ),
        (
            &["clusters", "--set", "nope=1"],
            2,
            "unknown parameter nope",
        ),
        (
            &["eval", "%q.jsonl", "--set", "nope=1"],
            2,
            "unknown parameter nope",
        ),
        (
            &["export", "--out", "@x.json", "--set", "nope=1"],
            2,
            "unknown parameter nope",
        ),
    ]);
}

#[test]
fn odd_files_to_read_are_refused() {
    let place = Place::new();
    place.check(&[
        (
            &["search", "hall", "--preset", "@none"],
            1,
            "cannot read preset",
        ),
        (
            &["search", "hall", "--preset", "@folder"],
            2,
            "it is a folder",
        ),
        (
            &["search", "hall", "--preset", "@bytes"],
            2,
            "it is not UTF-8 text",
        ),
        (
            &["search", "hall", "--preset", "@huge"],
            2,
            "it is larger than 1 MiB",
        ),
        (
            &["search", "hall", "--preset", ""],
            2,
            "a value is required for '--preset",
        ),
        (&["eval", "@none"], 1, "No such file"),
        (&["eval", "@folder"], 1, "cannot read"),
        (
            &["eval", "@bytes"],
            1,
            "it is in none of the formats that are read",
        ),
        (&["eval", "@huge"], 1, "it is larger than 64 MiB"),
        (&["eval", ""], 2, "a value is required for '<QUERIES>'"),
        (
            &["eval", "%a.md"],
            1,
            "it is in none of the formats that are read",
        ),
        (&["feedback", "--import", "@none"], 1, "No such file"),
        (&["feedback", "--import", "@folder"], 1, "cannot read"),
        (
            &["feedback", "--import", "@huge"],
            1,
            "it is larger than 64 MiB",
        ),
        (&["index", "@none"], 1, "cannot open folder"),
        (&["index", "@bytes"], 1, "not a directory"),
        (&["index", ""], 2, "a value is required"),
    ]);
}

#[test]
fn odd_places_to_write_are_refused() {
    let place = Place::new();
    place.check(&[
        (&["export", "--out", "@folder"], 1, "cannot write"),
        (&["export", "--out", "@none/x.json"], 1, "No such file"),
        (
            &["export", "--out", ""],
            2,
            "a value is required for '--out",
        ),
        (
            &["export", "--out", "%x.json"],
            1,
            "a watched folder, where Memlens never writes",
        ),
        (
            &["eval", "%q.jsonl", "--run-out", "@folder"],
            1,
            "cannot write",
        ),
        (
            &["eval", "%q.jsonl", "--run-out", "@none/x"],
            1,
            "No such file",
        ),
        (
            &["eval", "%q.jsonl", "--run-out", "%x.jsonl"],
            1,
            "a watched folder, where Memlens never writes",
        ),
        (&["feedback", "--export", "@folder"], 1, "cannot write"),
        (&["feedback", "--export", "@none/x"], 1, "No such file"),
        (
            &["feedback", "--export", "%x.jsonl"],
            1,
            "a watched folder, where Memlens never writes",
        ),
    ]);
    assert_eq!(
        fs::read_dir(place.beside.path())
            .expect("it can be listed")
            .count(),
        3,
        "nothing was left beside"
    );
}

#[test]
fn odd_places_and_thumbs_are_refused() {
    let place = Place::new();
    place.check(&[
        (
            &["search", "hall", "--in", ""],
            2,
            "name a folder or a note",
        ),
        (
            &["search", "hall", "--in", ".."],
            2,
            "name a folder or a note",
        ),
        (
            &["search", "hall", "--in", "nope"],
            2,
            "no watched folder has notes there",
        ),
        (
            &["search", "hall", "--in", "/"],
            2,
            "no watched folder has notes there",
        ),
        (&["why", "hall", ""], 2, "name a note"),
        (&["why", "hall", "a.md:0"], 2, "line numbers start at 1"),
        (
            &["why", "hall", "a.md:99999999999999999999"],
            2,
            "no note has 99999999999999999999 lines",
        ),
        (&["why", "", "a.md"], 2, "type a question"),
        (
            &["feedback", "--add", "sideways", "hall", "a.md:1"],
            2,
            "say up or down",
        ),
        (
            &["feedback", "--add", "up", "", "a.md:1"],
            2,
            "type a question",
        ),
        (
            &["feedback", "--add", "up", "hall", "nope"],
            2,
            "it is not in the library",
        ),
        (
            &["feedback", "--add", "up", "hall", "a.md:9"],
            2,
            "no chunk contains this line",
        ),
        (&["feedback", "--add", "up", "hall"], 2, "3 values required"),
        (&["feedback", "--undo", "abc"], 2, "no such thumb"),
        (&["feedback", "--undo", "-1"], 2, "no such thumb"),
        (
            &["feedback", "--undo", "99999999999999999999"],
            2,
            "no such thumb",
        ),
    ]);
}

#[test]
fn words_that_do_not_belong_are_refused() {
    let place = Place::new();
    place.check(&[
        (&["nonsense"], 2, "unrecognized subcommand"),
        (&[""], 2, "unrecognized subcommand"),
        (&["search"], 2, "<QUERY>"),
        (&["search", "a", "b"], 2, "unexpected argument"),
        (
            &["search", "hall", "--json", "--explain"],
            2,
            "cannot be used with",
        ),
        (
            &["search", "hall", "--json", "--markdown"],
            2,
            "cannot be used with",
        ),
        (
            &["search", "hall", "--markdown", "--csv"],
            2,
            "cannot be used with",
        ),
        (&["search", "hall", "--no-text"], 2, "--markdown"),
        (
            &["params", "--json", "--markdown"],
            2,
            "cannot be used with",
        ),
        (
            &["eval", "%q.jsonl", "--in-scope", "--pooled"],
            2,
            "cannot be used with",
        ),
        (&["status", "extra"], 2, "unexpected argument"),
        (&["erase", "--yes", "extra"], 2, "unexpected argument"),
    ]);
}

#[cfg(unix)]
#[test]
fn what_is_written_goes_through_links_and_into_pipes_and_leaves_them() {
    use std::os::unix::fs::symlink;

    let place = Place::new();
    let at = |name: &str| place.beside.path().join(name);
    fs::write(at("true.json"), "old").expect("a file can be written");
    symlink(at("true.json"), at("link.json")).expect("a link can be made");
    symlink(place.notes.at("x.json"), at("into")).expect("a link can be made");
    place.notes.write("x.json", "untouched");
    symlink("/dev/stdout", at("out")).expect("a link can be made");

    let run = place
        .memlens
        .run(&["export", "--out", text(&at("link.json"))]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(at("link.json").is_symlink());
    let written = fs::read_to_string(at("true.json")).expect("it can be read");
    assert!(written.starts_with('{'), "{written}");

    place.check(&[
        (
            &["export", "--out", "@into"],
            1,
            "a watched folder, where Memlens never writes",
        ),
        (
            &["eval", "%q.jsonl", "--run-out", "@into"],
            1,
            "a watched folder, where Memlens never writes",
        ),
    ]);
    let kept = fs::read_to_string(place.notes.at("x.json")).expect("it can be read");
    assert_eq!(kept, "untouched");

    let run = place.memlens.run(&["export", "--out", text(&at("out"))]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.out.starts_with('{') && run.out.ends_with("}\n"),
        "{run:?}"
    );
    assert!(at("out").is_symlink());
}

#[test]
fn odd_libraries_are_refused() {
    let place = Place::new();
    let (none, file) = (
        place.beside.path().join("none"),
        place.beside.path().join("bytes"),
    );
    for (library, command, words) in [
        (&none, &["status"][..], "there is no library in"),
        (&none, &["search", "hall"], "there is no library in"),
        (&none, &["erase", "--yes"], "there is no library in"),
        (&file, &["status"], "it is a file; name a folder"),
        (
            &file,
            &["index", text(place.notes.path())],
            "it is a file; name a folder",
        ),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_memlens"))
            .arg("--library")
            .arg(library)
            .args(command)
            .output()
            .expect("it can be started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), output.stdout.as_slice()),
            (Some(1), &b""[..]),
            "{command:?}: {said}"
        );
        assert!(
            said.starts_with("memlens: ") && said.contains(words),
            "{command:?}: {said}"
        );
    }
    assert!(!none.exists(), "who asks makes nothing");
}
