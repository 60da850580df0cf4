//! Names that differ by case or composition are two notes on Linux; what no note has exactly is found by its composed form.

use std::fs;

use memlens_engine::{JudgedFile, Place, QueryFile, judged};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, open};

const DECOMPOSED: &str = "Flu\u{308}sse/Weser.md";
const COMPOSED: &str = "Fl\u{fc}sse/Weser.md";

#[test]
fn a_note_is_found_by_the_composed_form_of_its_name() {
    let notes = Notes::new(&[
        (DECOMPOSED, "The ferry crosses the Weser at noon."),
        ("a.md", "The hall is quiet."),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let snapshot = &library.lists().snapshot;
    let place = |typed: &str| {
        let place = Place::parse(snapshot, typed, None).expect("it names something");
        place.map(|place| (place.path, place.line))
    };
    let found = Some((DECOMPOSED.to_owned(), Some(1)));
    assert_eq!(place(&format!("{COMPOSED}:1")), found);
    let absolute = notes.at(COMPOSED).display().to_string();
    assert_eq!(place(&format!("{absolute}:1")), found);
    assert_eq!(
        place("A.md"),
        Some(("A.md".to_owned(), None)),
        "case counts"
    );

    for typed in [COMPOSED, "Fl\u{fc}sse", "notes/Fl\u{fc}sse"] {
        let scope = library.scope(typed).expect("it has notes");
        assert!(
            DECOMPOSED.starts_with(&scope.path),
            "{typed}: {}",
            scope.path
        );
        let search = library.search("ferry", &Params::default(), Some(&scope));
        let rows = search
            .expect("it can be searched")
            .rows()
            .expect("it has rows");
        assert_eq!(rows.len(), 1, "{typed}");
    }
    library.scope("fl\u{fc}sse").expect_err("case counts");

    let file = notes.at("queries.jsonl");
    let query = |path: &str| {
        format!(
            r#"{{"id":"q","query":"ferry","relevant":[{{"path":"{path}","start_line":1,"end_line":1}}]}}"#
        )
    };
    fs::write(&file, query(COMPOSED)).expect("it can be written");
    let file = QueryFile::read(&file).expect("it can be read");
    let JudgedFile {
        queries, notices, ..
    } = judged(&library, &file).expect("the note is there");
    assert_eq!(notices, [""; 0]);
    let gold = queries[0].gold().expect("it is judged");
    assert_eq!(gold[0].path, notes.at(DECOMPOSED).display().to_string());
}

#[test]
fn names_that_differ_by_case_or_composition_are_several_notes() {
    let all = [COMPOSED, DECOMPOSED, "Otter.md", "otter.md"];
    let with_texts = all.map(|path| (path, "The ferry crosses at noon."));
    let notes = Notes::new(&with_texts);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let snapshot = &library.lists().snapshot;
    assert_eq!(snapshot.documents.len(), all.len());
    for path in all {
        let place = Place::parse(snapshot, path, None).expect("it names one note");
        assert_eq!(place.expect("it is watched").path, path);
        let scope = library.scope(path).expect("it has notes");
        assert_eq!(scope.path, path);
        assert_eq!(scope.chunks(snapshot).into_iter().flatten().count(), 1);
    }
}
