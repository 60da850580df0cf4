//! Unintended and unusual input: each gets a clear answer, and nothing is lost.

use std::fs;
use std::fs::File;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, list, paths, text};

#[test]
fn odd_questions_are_answered() {
    let notes = Notes::new(&[
        ("not.md", "Do NOT water the cactus.\n"),
        ("tokyo.md", "東京都の天気は晴れです。\n"),
        ("cairo.md", "الطقس في القاهرة جميل اليوم\n"),
        ("moscow.md", "Погода в Москве ясная\n"),
        ("party.md", "🎉🎂\n"),
        ("and.md", "Salt AND pepper.\n"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let long = "cactus ".repeat(100_000 / 7 + 1);
    let long = &long[..100_000];
    let many_words: String = (0..14_000).map(|number| format!("w{number} ")).collect();
    // Each question, and the note that its words find, if any.
    let cases: [(&str, Option<&str>); 19] = [
        ("NOT", Some("not.md")),
        ("NOT cactus", Some("not.md")),
        ("AND", Some("and.md")),
        ("pepper AND", Some("and.md")),
        ("\"", None),
        ("\"cactus", Some("not.md")),
        ("*", None),
        ("cact* cactus", Some("not.md")),
        ("-cactus", Some("not.md")),
        ("?!...,;", None),
        ("🎉", None),
        ("🎉 cactus", Some("not.md")),
        ("天気", Some("tokyo.md")),
        ("東京の天気はどうですか", Some("tokyo.md")),
        ("القاهرة", Some("cairo.md")),
        ("погода", Some("moscow.md")),
        ("caf\u{301}e\tcactus\u{7f}\u{200b}\n", Some("not.md")),
        (long, Some("not.md")),
        (&many_words, None),
    ];
    for (query, expected) in cases {
        let shown: String = query.chars().take(30).collect();
        let report = memlens.json(&["search", "--json", "--set", "min_score=0", "--", query]);
        assert_eq!(report["query"].as_str(), Some(query.trim()), "{shown}");
        let of_bm25 = |row: &&Value| {
            list(&row["journey"])
                .iter()
                .any(|step| step["stage"] == "bm25" && !step["rank_after"].is_null())
        };
        let mut rows = list(&report["results"]).iter().filter(of_bm25);
        assert_eq!(
            rows.next()
                .map(|row| row["path"].as_str().expect("it is text")),
            expected,
            "{shown}"
        );
        let bm25 = &list(&report["stages"])[1];
        let has_words = query.chars().any(char::is_alphanumeric);
        assert_eq!(bm25["status"] == "skipped", !has_words, "{shown}: {bm25}");
        // A notice reports what was skipped or cut: the words looked up, the parts, and the tokens of them that the model reads.
        let notices = list(&report["notices"]).iter();
        let of_language = |notice: &&Value| {
            notice
                .as_str()
                .is_some_and(|text| text.contains("not in English"))
        };
        let notices = notices.filter(|notice| !of_language(notice)).count();
        let is_long = query == long || query == many_words;
        assert_eq!(
            notices,
            usize::from(!has_words) + usize::from(query == many_words) + 2 * usize::from(is_long),
            "{shown}: {}",
            report["notices"]
        );
        // The vectors still rank the notes.
        assert!(!list(&report["results"]).is_empty(), "{shown}");
    }
}

#[test]
fn an_empty_question_is_refused() {
    let memlens = Memlens::of(&[&Notes::new(&[("a.md", "The hall.")])]);
    for query in ["", " ", "\t\n", "\u{3000}"] {
        for form in [
            &["search", query][..],
            &["search", query, "--json"],
            &["search", query, "--explain"],
        ] {
            memlens.refused(form, 2, "cannot search: type a question");
        }
    }
}

#[test]
fn odd_files_are_read_as_far_as_can_be_and_named() {
    let notes = Notes::new(&[("good.md", "The hall is quiet.")]);
    notes.write(
        "latin.txt",
        b"Die K\xfcche ist sch\xf6n, das Caf\xe9 auch. \xdcber den D\xe4chern.",
    );
    notes.write("nul.md", "The attic\0is dark.");
    let utf_16 = "The stairs creak.\r\n".encode_utf16();
    notes.write(
        "utf16.txt",
        utf_16.flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    notes.write(
        "bom.md",
        "\u{feff}# Balcony\r\n\r\nThe balcony faces south.\r\n",
    );
    notes.write("front.md", "---\nagent: [iris\n---\nThe cellar is cold.\n");
    notes.write(
        "field.md",
        "---\nagent: iris\ndate: 2026-02-30\n---\nThe garden is wet.\n",
    );
    notes.write("lines.jsonl", "{\"text\":\"The shed is locked\"}\nbroken\n{\"text\": 5}\n{\"content\":\"The gate is open\",\"agent\":\"iris\"}\n[1]\n{\"text\":\"cut\n");
    notes.write(
        "queries.jsonl",
        "{\"id\":\"q\",\"query\":\"where is the zebra\"}\n",
    );
    notes.write("empty.md", "");
    notes.write("blank.md", " \n\n");
    let memlens = Memlens::new();
    let run = memlens.run(&["index", text(notes.path()), "--json"]);
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{run:?}");
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    let problems: Vec<String> = list(&report["problems"])
        .iter()
        .map(|problem| {
            let line = problem["line"]
                .as_u64()
                .map_or(String::new(), |line| format!(":{line}"));
            format!("{}{line}", problem["path"].as_str().expect("it is text"))
        })
        .collect();
    for named in [
        "nul.md",
        "latin.txt:1",
        "utf16.txt",
        "field.md:3",
        "lines.jsonl:2",
        "lines.jsonl:3",
        "lines.jsonl:5",
        "lines.jsonl:6",
        "queries.jsonl:1",
    ] {
        assert!(
            problems.iter().any(|problem| problem == named),
            "{named} is not among {problems:?}"
        );
    }
    assert!(
        problems
            .iter()
            .any(|problem| problem.starts_with("front.md")),
        "{problems:?}"
    );
    for good in ["good.md", "bom.md", "empty.md", "blank.md"] {
        assert!(
            !problems.iter().any(|problem| problem.starts_with(good)),
            "{good} is among {problems:?}"
        );
    }
    assert_eq!(
        (&report["n_unreadable"], &report["n_files"]),
        (&1.into(), &10.into())
    );

    // The valid parts of the notes are found.
    let first = |word: &str| {
        let report = memlens.json(&[
            "search",
            word,
            "--json",
            "--set",
            "vector_on=false",
            "--set",
            "min_score=0",
        ]);
        let results = paths(&report["results"]);
        let row = list(&report["results"])
            .first()
            .map(|row| (row["start_line"].clone(), row["end_line"].clone()));
        (results.first().map(|path| (*path).to_owned()), row)
    };
    for (word, path) in [
        ("quiet", Some("good.md")),
        ("Küche", Some("latin.txt")),
        ("Dächern", Some("latin.txt")),
        ("stairs", Some("utf16.txt")),
        ("balcony", Some("bom.md")),
        ("cellar", Some("front.md")),
        ("garden", Some("field.md")),
        ("shed", Some("lines.jsonl")),
        ("gate", Some("lines.jsonl")),
        ("attic", None),
        ("zebra", None),
        ("broken", None),
    ] {
        assert_eq!(first(word).0.as_deref(), path, "{word}");
    }
    assert_eq!(
        first("gate").1,
        Some((4.into(), 4.into())),
        "lines are those of the file"
    );
    // The text output gives the same, with file and line.
    let run = memlens.run(&["index"]);
    assert_eq!(run.status, 0);
    assert!(
        run.err.contains(&format!(
            "memlens: {}/lines.jsonl:2: ",
            notes.path().display()
        )),
        "{run:?}"
    );
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(list(&status["problems"]).len(), problems.len());
}

#[test]
fn a_folder_that_moved_is_reported_by_where_it_was() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::new();
    memlens.json(&["index", text(notes.path()), "--json"]);
    let elsewhere = Notes::new(&[]);
    let to = elsewhere.at("kept");
    fs::rename(notes.path(), &to).expect("it can be moved");
    let index = |arguments: &[&str]| memlens.run(&[&["index"], arguments].concat());

    let never = notes.at("never");
    let run = index(&[text(&to), "--moved-from", text(&never)]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.err.contains("not in a watched folder"), "{run:?}");
    let run = index(&[
        text(&to),
        text(elsewhere.path()),
        "--moved-from",
        text(notes.path()),
    ]);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.err.contains("takes one folder"), "{run:?}");
    assert_ne!(index(&["--moved-from", text(notes.path())]).status, 0);

    let report = memlens.json(&[
        "index",
        text(&to),
        "--moved-from",
        text(notes.path()),
        "--json",
    ]);
    assert_eq!(list(&report["folders"]).len(), 1);
    assert_eq!(report["n_embedded"], 0, "{report}");
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(list(&status["folders"]).len(), 1);
    assert_eq!(status["folders"][0]["path"], text(&to));
    let found = memlens.json(&["search", "hall", "--json"]);
    assert_eq!(list(&found["results"]).len(), 1);
}

#[test]
fn folders_that_are_none_are_refused_and_the_others_indexed() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let empty = Notes::new(&[]);
    let memlens = Memlens::new();
    for (path, why) in [
        ("none", "No such file or directory"),
        ("a.md", "not a directory"),
        ("a.md/x", "Not a directory"),
    ] {
        let run = memlens.run(&["index", text(&notes.at(path)), "--json"]);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{run:?}");
        assert!(
            run.err.starts_with(&format!(
                "memlens: cannot open folder {}: {why}",
                notes.at(path).display()
            )),
            "{run:?}"
        );
    }
    // An empty folder is indexed, with the notice that it holds nothing.
    let run = memlens.run(&["index", text(empty.path()), "--json"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err
            .starts_with(&format!("memlens: no notes in {} ", empty.path().display())),
        "{run:?}"
    );
    let report = memlens.json(&["search", "anything", "--json"]);
    assert_eq!(
        (
            list(&report["results"]).len(),
            list(&report["dropped"]).len()
        ),
        (0, 0)
    );
    assert_eq!(memlens.print(&["search", "anything"]), "no results\n");

    // A bad path beside a good one.
    let run = memlens.run(&["index", text(&notes.at("none")), text(notes.path())]);
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(
        paths(&memlens.json(&["search", "hall", "--json"])["results"]),
        ["a.md"]
    );
    // A missing watched folder is reported, and its notes are still found.
    fs::rename(notes.path(), notes.path().with_file_name("away")).expect("it can be renamed");
    let run = memlens.run(&["index"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(
        run.err.contains(&format!(
            "cannot open folder {}: it does not exist",
            notes.path().display()
        )),
        "{run:?}"
    );
    assert_eq!(
        paths(&memlens.json(&["search", "hall", "--json"])["results"]),
        ["a.md"]
    );
}

#[test]
fn a_note_in_any_language_is_found_by_a_word_of_it() {
    // The text of a note, and a word of it as a user would type it.
    let notes = [
        ("chinese", "昨天我们决定把备份放在阁楼的柜子里。", "备份"),
        (
            "japanese",
            "ルーターの再起動は毎週日曜日の夜に行います。",
            "再起動",
        ),
        (
            "korean",
            "정원의 토마토는 아침마다 물을 줘야 합니다.",
            "토마토",
        ),
        (
            "arabic",
            "قررنا أن تبقى النسخة الاحتياطية في الخزانة القديمة.",
            "الخزانة",
        ),
        (
            "hebrew",
            "המפתחות של המרתף תלויים ליד הדלת האחורית.",
            "המרתף",
        ),
        (
            "russian",
            "Запасной ключ от сарая лежит под цветочным горшком.",
            "сарая",
        ),
        (
            "greek",
            "Η αντλία της δεξαμενής σταματά κάθε μεσημέρι.",
            "δεξαμενής",
        ),
        ("thai", "กุญแจสำรองอยู่ในลิ้นชักห้องครัว", "ลิ้นชัก"),
        ("hindi", "बगीचे का पानी सुबह छह बजे बंद होता है।", "बगीचे"),
        (
            "vietnamese",
            "Chìa khóa dự phòng ở trong ngăn kéo nhà bếp.",
            "ngăn kéo",
        ),
    ];
    let files: Vec<(String, &str)> = notes
        .iter()
        .map(|(language, said, _)| (format!("{language}.md"), *said))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, said)| (path.as_str(), *said))
        .collect();
    let memlens = Memlens::of(&[&Notes::new(&files)]);
    for (language, said, word) in notes {
        assert!(said.contains(word), "{language}");
        let expected = format!("{language}.md");
        let found = memlens.json(&["search", word, "--json", "--set", "vector_on=false"]);
        assert_eq!(paths(&found["results"]), [expected.as_str()], "{language}");
        assert_eq!(found["results"][0]["snippet"], said, "{language}");
        // The model knows little of most of these languages: the order may differ, but the note is found.
        let found = memlens.json(&["search", word, "--json"]);
        assert!(
            paths(&found["results"]).contains(&expected.as_str()),
            "{language}: {found:#}"
        );
    }
}

#[test]
fn odd_names_are_names() {
    let long = format!("{}.md", "n".repeat(252));
    let names = [
        "new\nline.md",
        "🌊🎉.md",
        "بريد.md",
        "turned \u{202e}dm.gpj.md",
        " blank .md",
        "-x.md",
        "back\\slash.md",
        "a.md",
        "A.md",
        "quote'\"`$(id).md",
        "*.md",
        "folder.md/in it.md",
        long.as_str(),
    ];
    let said: Vec<String> = (0..names.len())
        .map(|at| format!("The lantern{at} is lit."))
        .collect();
    let notes: Vec<(&str, &str)> = names
        .iter()
        .zip(&said)
        .map(|(name, said)| (*name, said.as_str()))
        .collect();
    let notes = Notes::new(&notes);
    let memlens = Memlens::new();
    assert_eq!(
        memlens
            .print(&["index", text(notes.path())])
            .lines()
            .count(),
        1
    );
    for (at, name) in names.iter().enumerate() {
        let found = memlens.json(&[
            "search",
            &format!("lantern{at}"),
            "--json",
            "--set",
            "vector_on=false",
        ]);
        assert_eq!(paths(&found["results"]), [*name]);
    }
    // Each result takes one line, whatever its name.
    let shown = memlens.print(&["search", "lantern0"]);
    assert!(shown.contains("  new\\nline.md:1  "), "{shown}");
    assert!(
        memlens
            .print(&["index"])
            .starts_with("0 new, 0 changed, 0 removed, 13 unchanged")
    );
}

/// Control sequences that a terminal obeys, in every form.
const ORDERS: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{8}\u{7f}\u{85}\u{202e}";

#[test]
fn notes_do_not_speak_to_the_terminal() {
    let folder = format!("d{}", ORDERS.replace('/', ""));
    let note = format!("{folder}/n\n{ORDERS}.md");
    let broken = format!("{folder}/b\r{ORDERS}.md");
    let notes = Notes::new(&[
        (
            note.as_str(),
            &format!(
                "---\nagent: \"a\\e[31m\"\ndate: \"\\e[31mx\"\n---\n# Title {ORDERS}\n\nThe lantern {ORDERS} is lit.\n"
            ),
        ),
        (broken.as_str(), "\0"),
    ]);
    let memlens = Memlens::new();
    let query = format!("lantern {ORDERS}");
    let scope = format!("none{ORDERS}");
    let no_folder = notes.at(&broken);
    let commands: &[(&[&str], i32)] = &[
        (&["index", text(notes.path())], 0),
        (&["index", text(&no_folder)], 1),
        (&["status"], 0),
        (&["search", &query], 0),
        (&["search", &query, "--explain"], 0),
        (&["search", &query, "--set", "min_score=1"], 0),
        (
            &["search", &query, "--explain", "--set", "max_results=1"],
            0,
        ),
        (&["search", &query, "--markdown"], 0),
        (&["why", &query, &note], 0),
        (&["autopsy", "lantern lit"], 0),
        (&["autopsy", "lantern lit", "--markdown"], 0),
        (&["search", &query, "--in", &scope], 2),
        (&["search", &query, "--set", &scope], 2),
        (&["search", &query, "--preset", &scope], 1),
    ];
    for (arguments, status) in commands {
        // This keeps the colours, as on a terminal.
        let output = memlens
            .command(arguments)
            .env("CLICOLOR_FORCE", "1")
            .output()
            .expect("it can be started");
        assert_eq!(output.status.code(), Some(*status), "{arguments:?}");
        for printed in [output.stdout, output.stderr] {
            let printed = String::from_utf8(printed).expect("it is UTF-8");
            let plain = ["1", "2", "33", "0"]
                .iter()
                .fold(printed.clone(), |text, style| {
                    text.replace(&format!("\u{1b}[{style}m"), "")
                });
            let obeyed = plain
                .chars()
                .find(|sign| (sign.is_control() && *sign != '\n') || *sign == '\u{202e}');
            assert_eq!(obeyed, None, "{arguments:?}: {printed:?}");
        }
    }
    // JSON holds all text unchanged.
    let found = memlens.json(&["search", &query, "--json"]);
    assert_eq!(paths(&found["results"]), [note.as_str()]);
    assert_eq!(found["query"], query.trim());
}

#[test]
#[cfg(unix)]
fn special_files_are_named_and_never_opened() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let notes = Notes::new(&[
        ("a.md", "The hall is quiet."),
        ("b/c.md", "The hall is dark."),
    ]);
    let made = std::process::Command::new("mkfifo")
        .arg(notes.at("pipe.md"))
        .status();
    assert!(made.expect("mkfifo is there").success());
    let _socket = UnixListener::bind(notes.at("socket.md")).expect("a socket can be made");
    symlink("/dev/zero", notes.at("device.md")).expect("a link can be made");
    symlink(notes.path(), notes.at("b/loop")).expect("a link can be made");
    symlink("self.md", notes.at("self.md")).expect("a link can be made");
    fs::create_dir(notes.at("folder.md")).expect("a folder can be made");
    notes.write("archive.md", b"PK\x03\x04\x14\0\x08\0");
    let sized = |name: &str, size: u64| {
        let file = File::create(notes.at(name)).expect("a file can be made");
        file.set_len(size).expect("it can be sparse");
    };
    sized("huge.md", 1 << 40);
    sized("over.md", 16 * 1024 * 1024 + 1);
    sized("zeros.md", 16 * 1024 * 1024);
    let memlens = Memlens::new();
    let run = memlens.run(&["index", text(notes.path())]);
    assert_eq!(run.status, 0, "{run:?}");
    let folder = notes.path().display().to_string();
    let reported_lines: Vec<&str> = run
        .err
        .lines()
        .map(|line| {
            line.strip_prefix(&format!("memlens: {folder}/"))
                .expect("it names a file")
        })
        .collect();
    assert_eq!(
        reported_lines,
        [
            "archive.md: cannot read the document as text: NUL on line 1",
            "b/loop: a link; links are not followed",
            "huge.md: cannot read the document: it is larger than 16 MiB",
            "over.md: cannot read the document: it is larger than 16 MiB",
            "pipe.md: not a regular file",
            "socket.md: not a regular file",
            "zeros.md: cannot read the document as text: NUL on line 1",
        ]
    );
    assert!(run.out.starts_with("2 new, "), "{run:?}");
}

#[test]
fn a_folder_around_a_watched_one_is_refused() {
    let notes = Notes::new(&[("a.md", "The hall."), ("inner/b.md", "The attic.")]);
    let inner = notes.at("inner");
    let (outer, inner) = (text(notes.path()), text(&inner));
    let memlens = Memlens::new();
    memlens.print(&["index", inner]);
    memlens.refused(
        &["index", outer],
        1,
        &format!(
            "cannot add {outer}: it contains {inner}, which is already watched; remove that folder first"
        ),
    );
    let found = memlens.json(&["search", "hall attic", "--json", "--set", "min_score=0"]);
    assert_eq!(paths(&found["results"]), ["b.md"]);
}

#[test]
fn many_problems_are_counted() {
    let notes = Notes::new(&[]);
    for at in 0..60 {
        notes.write(&format!("{at:02}.md"), "\0");
    }
    let memlens = Memlens::new();
    let run = memlens.run(&["index", text(notes.path())]);
    let reported_lines: Vec<&str> = run
        .err
        .lines()
        .filter(|line| !line.contains("no notes in"))
        .collect();
    assert_eq!((run.status, reported_lines.len()), (0, 51), "{run:?}");
    assert_eq!(
        reported_lines.last(),
        Some(&"memlens: and 10 more; `memlens status` lists them all")
    );
    let listed = memlens.print(&["status"]);
    let n_listed = listed
        .lines()
        .filter(|line| line.starts_with("problem  "))
        .count();
    assert_eq!(n_listed, 60);
}

#[test]
fn other_files_are_no_preset() {
    let memlens = Memlens::new();
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let huge = File::create(dir.path().join("huge")).expect("a file can be made");
    huge.set_len(1 << 30).expect("it can be sparse");
    for (name, content) in [
        ("list", "[1]"),
        ("number", "5"),
        ("empty", ""),
        ("note", "# A"),
    ] {
        fs::write(dir.path().join(name), content).expect("a file can be written");
    }
    for (name, why) in [
        ("list", "it holds a list, not an object"),
        ("number", "it holds a number, not an object"),
        ("empty", "it is empty"),
        ("note", "it is not JSON (expected value at line 1 column 1)"),
        ("huge", "it is larger than 1 MiB"),
        ("", "it is a folder"),
    ] {
        let path = dir.path().join(name);
        memlens.refused(
            &["search", "hall", "--preset", text(&path)],
            2,
            &format!(
                "cannot read preset {}: {why}; choose a file that Memlens exported",
                path.display()
            ),
        );
    }
}

/// Opens a device that behaves as a full disk.
#[cfg(target_os = "linux")]
fn full() -> File {
    File::options()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it")
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_and_a_reader_that_left_is_not() {
    let notes = Notes::new(&[("a.md", "The hall is quiet."), ("b.md", "\0")]);
    let memlens = Memlens::of(&[&notes]);
    let set = serde_json::json!({
        "id": "q",
        "query": "hall",
        "relevant": [{"path": text(&notes.at("a.md")), "start_line": 1, "end_line": 1}],
    });
    let queries = Notes::new(&[("q.jsonl", &format!("{set}\n"))]);
    let queries = queries.at("q.jsonl");
    let commands: &[&[&str]] = &[
        &["search", "hall"],
        &["search", "hall", "--explain"],
        &["search", "hall", "--json"],
        &["search", "hall", "--set", "min_score=1"],
        &["index"],
        &["index", "--json"],
        &["status"],
        &["status", "--json"],
        &["params"],
        &["params", "--json"],
        &["params", "--markdown"],
        &["eval", text(&queries)],
        &["eval", text(&queries), "--json"],
    ];
    for arguments in commands {
        let run = |out: std::process::Stdio| {
            let output = memlens
                .command(arguments)
                .stdout(out)
                .output()
                .expect("it can be started");
            let said = String::from_utf8(output.stderr).expect("it is UTF-8");
            // `index` and `eval` print notices about the notes first.
            let last = said.lines().last().unwrap_or_default().to_owned();
            (output.status.code(), last)
        };
        let refusal = "memlens: cannot write the result: No space left on device (os error 28)";
        assert_eq!(
            run(full().into()),
            (Some(1), refusal.to_owned()),
            "{arguments:?}"
        );
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let (status, last) = run(writer.into());
        assert_eq!(status, Some(0), "{arguments:?}: {last}");
        assert!(!last.contains("cannot write"), "{arguments:?}: {last}");
        // There is no place to report the error: the program must not panic.
        let status = memlens
            .command(arguments)
            .stderr(full())
            .status()
            .expect("it can be started");
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn watching_ends_when_the_output_is_closed() {
    let notes = Notes::new(&[("a.md", "The hall is quiet.")]);
    let memlens = Memlens::of(&[&notes]);
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    for (out, status) in [(std::process::Stdio::from(full()), 1), (writer.into(), 0)] {
        let mut watching = memlens
            .command(&["watch"])
            .stdout(out)
            .spawn()
            .expect("it can be started");
        // The program ends at the first event that it cannot print.
        let started = Instant::now();
        let ended = loop {
            if let Some(ended) = watching.try_wait().expect("it is ours") {
                break ended;
            }
            assert!(started.elapsed() < Duration::from_secs(120), "it hangs");
            notes.write("a.md", format!("The hall after {:?}.", started.elapsed()));
            std::thread::sleep(Duration::from_millis(300));
        };
        assert_eq!(ended.code(), Some(status));
    }
}
