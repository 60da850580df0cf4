//! `memlens drift`: notes that contradict each other.

use memlens_tests::Notes;
use serde_json::json;

use crate::memlens::{Memlens, list};

#[test]
fn contradictions_are_printed_with_their_places() {
    let notes = Notes::new(&[
        ("a/relay.md", "- The push relay listens on port 8093.\n"),
        (
            "b/2026-03-01.md",
            "# Relay\n\nIt is grey, and stands\nin the hall. The push relay listens\non port 8443. Is it on?\n",
        ),
        (
            "b/2026-01-02.md",
            "Logs of the proxy are kept for 35 days.\n\nThe release of the archive is open.\n",
        ),
        (
            "c/2026-02-02.md",
            "Logs of the proxy are kept for 90 days now, not 35 days.\n",
        ),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let report = memlens.json(&["drift", "--json"]);
    let keys = |value: &serde_json::Value| {
        let object = value.as_object().expect("an object");
        object.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        keys(&report),
        "changed clusters compared contradictions corroborated_count dismissed elapsed_ms resolved second_opinions"
    );
    let [one] = list(&report["contradictions"]).as_slice() else {
        panic!("one contradiction: {report}")
    };
    assert_eq!(
        keys(one),
        "a b kind newer scopes score second_opinion sure words"
    );
    assert_eq!(keys(&one["a"]), "agent date folder line n_same path text");
    assert_eq!(
        json!([one["kind"], one["sure"], one["newer"], one["words"]]),
        json!(["number", true, null, ["8093", "8443"]])
    );
    assert_eq!(
        json!([
            one["b"]["path"],
            one["b"]["line"],
            one["b"]["date"],
            one["b"]["text"]
        ]),
        json!([
            "b/2026-03-01.md",
            4,
            "2026-03-01",
            "The push relay listens on port 8443."
        ])
    );
    assert_eq!(one["a"]["folder"], notes.path().display().to_string());
    let [changed] = list(&report["changed"]).as_slice() else {
        panic!("one change: {report}")
    };
    assert_eq!(
        json!([changed["b"]["path"], changed["newer"]]),
        json!(["c/2026-02-02.md", "b"])
    );

    let printed = memlens.print(&["drift"]);
    for part in [
        "contradicts: another number",
        "The push relay listens on port 8093.  a/relay.md:1",
        "changed: another time or duration",
        "1 contradiction, 1 changed",
        "6 sentences in 5 observations compared by rules for English",
        "sentences not compared: 1 a question",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let since = memlens.json(&["drift", "--since", "2026-03-02", "--json"]);
    assert_eq!(list(&since["contradictions"]).len(), 0);
    memlens.refused(
        &["drift", "--since", "soon"],
        2,
        "cannot read the moment soon: write a day (2026-11-01) or a moment (2026-11-01T09:30:00Z)",
    );
}

#[test]
fn notes_of_several_folders_are_distinguished() {
    let (first, second) = (
        Notes::new(&[("notes.md", "The push relay listens on port 8093.\n")]),
        Notes::new(&[("notes.md", "The push relay listens on port 8443.\n")]),
    );
    let memlens = Memlens::of(&[&first, &second]);
    let printed = memlens.print(&["drift"]);
    let report = memlens.json(&["drift", "--json"]);
    let one = &report["contradictions"][0];
    let mut folders: Vec<&str> = Vec::new();
    for notes in [&first, &second] {
        let place = format!("{}:1", notes.path().join("notes.md").display());
        assert!(printed.contains(&place), "{place}: {printed}");
    }
    for side in [&one["a"], &one["b"]] {
        folders.extend(side["folder"].as_str());
    }
    let mut expected = [&first, &second].map(|notes| notes.path().display().to_string());
    // Temporary folders have random names.
    folders.sort_unstable();
    expected.sort_unstable();
    assert_eq!(folders, expected);
}
