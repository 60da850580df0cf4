//! `memlens evergreen`: notes that do not decay are marked and listed, and decay again when unmarked.

use memlens_tests::Notes;
use serde_json::json;

use crate::memlens::{Memlens, list};

#[test]
fn a_folder_is_kept_from_decay_until_it_is_taken_back() {
    let notes = Notes::new(&[
        ("old/hall-2020-01-01.md", "The router stood in the hall."),
        ("USER.md", "The router is grey."),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let decays = || {
        let settings = ["--set", "half_life_days=30", "--set", "min_score=0"];
        let report = memlens.json(&[&["search", "--json", "router hall"][..], &settings].concat());
        let rows = list(&report["results"]).iter();
        let mut row = rows.filter(|row| row["path"] == "old/hall-2020-01-01.md");
        let score = row.next().expect("it is found")["score"].as_f64();
        score.expect("it has a score") < 1e-6
    };
    assert!(decays());
    let run = memlens.run(&["evergreen", "add", "old"]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
    assert_eq!(run.err, "memlens: old does not decay\n");
    assert!(!decays());
    let output = memlens.json(&["evergreen", "list", "--json"]);
    let output: Vec<_> = list(&output["evergreen"])
        .iter()
        .map(|one| {
            json!([
                one["path"],
                one["is_evergreen"],
                one["is_marked"],
                one["n_files"]
            ])
        })
        .collect();
    assert_eq!(
        output,
        [
            json!(["USER.md", true, false, 1]),
            json!(["old", true, true, 1])
        ]
    );
    let printed = memlens.print(&["evergreen"]);
    assert!(printed.contains("/old  1 note, marked\n"), "{printed}");
    assert!(printed.contains("/USER.md  1 note, by name\n"), "{printed}");
    assert_eq!(memlens.run(&["evergreen", "remove", "old"]).status, 0);
    assert!(decays());
    // A note's own mark counts again after its folder's mark is removed.
    for act in [
        ["add", "old/hall-2020-01-01.md"],
        ["add", "old"],
        ["remove", "old"],
    ] {
        assert_eq!(memlens.run(&[&["evergreen"][..], &act].concat()).status, 0);
        assert!(!decays(), "{act:?}");
    }
    memlens.refused(
        &["evergreen", "add", "nowhere.md"],
        2,
        "cannot mark nowhere.md: there is no such note or folder",
    );
}
