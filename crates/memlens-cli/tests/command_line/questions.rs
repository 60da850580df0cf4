//! Saved questions are kept, newest first, without repeats.

use memlens_tests::Notes;

use crate::memlens::{Memlens, text};

#[test]
fn questions_are_saved_listed_and_forgotten() {
    let notes = Notes::new(&[("a.md", "The hall.")]);
    let memlens = Memlens::new();
    memlens.json(&["index", text(notes.path()), "--json"]);
    assert_eq!(memlens.print(&["questions"]), "");
    memlens.print(&["questions", "add", "where is the hall"]);
    memlens.print(&["questions", "add", "  who has the key? "]);
    assert_eq!(
        memlens.print(&["questions", "add", "where is the hall"]),
        "who has the key?\nwhere is the hall\n"
    );
    // White space alone is not a question.
    memlens.print(&["questions", "add", "  "]);
    let report = memlens.json(&["questions", "--json"]);
    assert_eq!(
        report["questions"],
        serde_json::json!(["who has the key?", "where is the hall"])
    );
    assert_eq!(
        memlens.print(&["questions", "remove", "who has the key?"]),
        "where is the hall\n"
    );
    assert_eq!(
        memlens.print(&["questions", "remove", "never asked"]),
        "where is the hall\n"
    );
}
