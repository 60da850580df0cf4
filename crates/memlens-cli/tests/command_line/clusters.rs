//! `memlens clusters`: facts that are stated more than once.

use memlens_tests::Notes;
use serde_json::json;

use crate::memlens::{Memlens, list};

#[test]
fn clusters_are_printed_with_their_places() {
    let notes = Notes::new(&[
        (
            "a/one.md",
            "- Backups of the photo library run nightly at a quarter past two.\n",
        ),
        (
            "b/two.md",
            "---\ndate: 2026-01-05\n---\nBackups of the photo library run nightly, at a quarter past two\n",
        ),
        ("b/three.md", "The router stands in the hall.\n"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let report = memlens.json(&["clusters", "--json"]);
    assert_eq!(report["corroborated_count"], 2);
    let keys = |value: &serde_json::Value| {
        let object = value.as_object().expect("an object");
        object.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        keys(&report),
        "clusters corroborated_count elapsed_ms n_boilerplate"
    );
    assert!(report["elapsed_ms"].as_f64().is_some_and(|ms| ms > 0.0));
    let [cluster] = list(&report["clusters"]).as_slice() else {
        panic!("one thing is said more than once: {report}")
    };
    let place = |said: &serde_json::Value| json!([said["path"], said["line"], said["source"]]);
    // The one with a date is the oldest known.
    assert_eq!(place(&cluster["canonical"]), json!(["b/two.md", 4, "b"]));
    let [member] = list(&cluster["members"]).as_slice() else {
        panic!("it is said twice")
    };
    assert_eq!(place(member), json!(["a/one.md", 1, "a"]));
    assert_eq!(
        keys(cluster),
        "canonical first_date last_date members n_observations n_undated sources"
    );
    assert_eq!(cluster["sources"], json!(["a", "b"]));
    assert_eq!(
        json!([
            cluster["n_observations"],
            cluster["n_undated"],
            cluster["first_date"]
        ]),
        json!([2, 1, "2026-01-05"])
    );
    assert_eq!(keys(&cluster["canonical"]), "line path source text");
    assert_eq!(keys(member), "distance line measure path source text");
    assert_eq!(
        (&member["distance"], &member["measure"]),
        (&json!(0.0), &json!("simhash"))
    );

    let printed = memlens.print(&["clusters", "--set", "agreement_measure=words"]);
    assert!(printed.contains("100 % word overlap"), "{printed}");
    let when = "2 times, 2026-01-05, 1 without a date, a, b";
    assert!(printed.contains(when), "{printed}");
    assert!(!printed.contains("router"), "{printed}");
    let printed = memlens.print(&["clusters"]);
    assert!(printed.contains("a, equal word fingerprints"), "{printed}");
    let in_folder = |folder| memlens.json(&["clusters", "--in", folder, "--json"]);
    assert_eq!(list(&in_folder("b/two.md")["clusters"]).len(), 1);
    assert_eq!(list(&in_folder("b/three.md")["clusters"]).len(), 0);
    memlens.refused(
        &["clusters", "--in", "c"],
        2,
        "cannot search in c: no watched folder has notes there",
    );
    memlens.refused(
        &["clusters", "--set", "simhash_distance=8"],
        2,
        "cannot set simhash_distance to 8: the range is whole numbers from 0 to 7",
    );
}

#[test]
fn boilerplate_agrees_with_nothing() {
    let licence = "Licensed under either of the two licences below at your option.";
    let welcome = "Pull requests are welcome, please open an issue first.";
    let texts: Vec<(String, String)> = (0..12)
        .map(|at| {
            let own: Vec<String> = (0..30).map(|word| format!("own{at}word{word}")).collect();
            let text = format!("{}\n\n{welcome}\n\n{licence}\n", own.join(" "));
            (format!("{at}.md"), text)
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let memlens = Memlens::of(&[&Notes::new(&texts)]);
    let report = memlens.json(&["clusters", "--json"]);
    assert_eq!(report["corroborated_count"], 0, "{report}");
    assert_eq!(report["n_boilerplate"], 24);
    let printed = memlens.print(&["clusters"]);
    assert!(
        printed.contains("24 lines are left out as boilerplate"),
        "{printed}"
    );
}

#[test]
fn a_trace_keeps_the_names_of_stages_apart_from_what_they_say() {
    let notes = Notes::new(&[
        ("a/one.md", "Backups of the photo library run nightly."),
        ("b/two.md", "Backups of the photo library run nightly."),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let settings = ["--explain", "--set", "corroboration_on=true"];
    let printed = memlens.print(&[&["search", "photo backups"][..], &settings].concat());
    let sentence = "Corroboration +0.100: 1 other observation says the same";
    assert!(printed.contains(sentence), "{printed}");
}
