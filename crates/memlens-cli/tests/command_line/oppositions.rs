//! `memlens drift oppositions`: the pairs of opposite words are listed, added, removed and switched.

use memlens_tests::Notes;
use serde_json::json;

use crate::memlens::{Memlens, list};

#[test]
fn pairs_are_added_switched_and_removed() {
    let notes = Notes::new(&[
        ("a.md", "The valve in the cellar is primed.\n"),
        ("b.md", "The valve in the cellar is drained.\n"),
        ("c.md", "Deploys are allowed on Fridays.\n"),
        ("d.md", "Deploys are forbidden on Fridays.\n"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let n_found = || list(&memlens.json(&["drift", "--json"])["contradictions"]).len();
    let change = |arguments: &[&str], expected: &str| {
        let run = memlens.run(&[&["drift", "oppositions"][..], arguments].concat());
        assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
        assert_eq!(run.err, format!("memlens: {expected}\n"));
    };
    assert_eq!(n_found(), 1);
    let printed = memlens.print(&["drift", "oppositions"]);
    assert!(printed.contains("open | closed, shut\n"), "{printed}");
    change(
        &["add", "primed, Topped up", "drained"],
        "added: primed, topped up | drained",
    );
    assert_eq!(n_found(), 2);
    change(
        &["off", "Forbidden"],
        "switched off: allow, allowed, permit, permitted, fine, ok | forbid, forbidden, prohibit, disallow, ban, banned",
    );
    assert_eq!(n_found(), 1);
    let printed = memlens.print(&["drift", "oppositions", "list"]);
    assert!(
        printed.starts_with("primed, topped up | drained  (your own)\n"),
        "{printed}"
    );
    assert!(printed.contains("ban, banned  (off)\n"), "{printed}");
    let report = memlens.json(&["drift", "oppositions", "--json"]);
    let pairs = list(&report["oppositions"]);
    assert_eq!(
        pairs[0],
        json!({
            "id": "primed | drained",
            "words": ["primed", "topped up"],
            "opposite": ["drained"],
            "is_own": true,
            "is_on": true
        })
    );
    assert_eq!(
        pairs.iter().filter(|pair| pair["is_on"] == false).count(),
        1
    );
    change(
        &["on", "ban"],
        "switched on: allow, allowed, permit, permitted, fine, ok | forbid, forbidden, prohibit, disallow, ban, banned",
    );
    change(
        &["remove", "topped  UP"],
        "removed: primed, topped up | drained",
    );
    assert_eq!(n_found(), 1);
}

#[test]
fn what_cannot_be_changed_is_refused_with_its_reason() {
    let memlens = Memlens::of(&[]);
    let check = |arguments: &[&str], message: &str| {
        let arguments = [&["drift", "oppositions"][..], arguments].concat();
        memlens.refused(&arguments, 2, message);
    };
    check(
        &["add", "open", "open"],
        "cannot add the pair: \"open\" is there twice; remove one",
    );
    check(
        &["add", "", "drained"],
        "cannot add the pair: one side is empty; each side needs at least one word",
    );
    check(
        &["add", "open", "sealed"],
        "cannot add the pair: \"open\" is in the pair \"open | closed, shut\" already, and a word can be in one pair only; \
        switch that pair off, or remove it if it is your own",
    );
    check(
        &["add", "ge\u{f6}ffnet", "zu"],
        "cannot add the pair: \"ge\u{f6}ffnet\" is not an English word, and the rules are for English; use the letters a to z, \
        and commas between the words of a side",
    );
    check(
        &["add", "filled up to the brim", "drained"],
        "cannot add the pair: \"filled up to the brim\" has more than 4 words; use a shorter phrase, or put commas between \
        words of one meaning",
    );
    check(
        &["remove", "open"],
        "cannot change the list: no pair of your own has the word \"open\"; run \"memlens drift oppositions\"",
    );
    check(
        &["off", "primed"],
        "cannot change the list: no pair of the standard list has the word \"primed\"; run \"memlens drift oppositions\"",
    );
}
