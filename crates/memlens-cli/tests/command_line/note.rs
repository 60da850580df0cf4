//! `memlens note`: what is known beside a note.

use memlens_tests::Notes;

use crate::memlens::{Memlens, list};

#[test]
fn links_are_printed_with_their_places() {
    let notes = Notes::new(&[
        (
            "ana.md",
            "# Ana\n\nShe looks after [[the router|the box]] and [gone](gone.md).\n",
        ),
        (
            "house/router.md",
            "---\ntitle: The router\n---\nAsk [Ana](../ana.md#ana).\n",
        ),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let report = memlens.json(&["note", "ana.md", "--json"]);
    assert_eq!(report["path"], "ana.md");
    let [from, gone] = list(&report["links"]["from"]).as_slice() else {
        panic!("two links: {report}")
    };
    assert_eq!(
        (&from["place"]["path"], &from["line"]),
        (&"house/router.md".into(), &3.into())
    );
    assert_eq!(gone["problem"], "the library has no note at this path");
    let [to] = list(&report["links"]["to"]).as_slice() else {
        panic!("one link: {report}")
    };
    assert_eq!(
        (&to["place"]["path"], &to["place"]["line"]),
        (&"house/router.md".into(), &4.into())
    );
    let [like] = list(&report["alike"]["notes"]).as_slice() else {
        panic!("one other note: {report}")
    };
    assert_eq!(like["path"], "house/router.md");
    let cosine = like["cosine"].as_f64().expect("a number");
    let keys = report.as_object().expect("an object").keys();
    assert_eq!(
        keys.cloned().collect::<Vec<_>>().join(" "),
        "alike changed contradictions folder links name path questions said"
    );
    let printed = memlens.print(&["note", "ana.md"]);
    let like = format!("{cosine:.3}  house/router.md  lines 1–4, like lines 1–3 of it");
    assert!(printed.contains(&like), "{like}\n{printed}");
    for line in [
        "Links from it: 2 links, 1 of them to no note",
        "line 3  the box  house/router.md",
        "line 3  gone  gone.md: the library has no note at this path",
        "Links to it: 1 link in 1 note",
        "house/router.md:4  Ana",
        "Said more than once: 0 statements",
        "Contradictions: 0",
        "Past questions: 0",
        "no past question was imported; see `memlens recall import`",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
}

#[test]
fn a_note_that_is_not_there_is_named() {
    let notes = Notes::new(&[("ana.md", "Ana\n")]);
    let memlens = Memlens::of(&[&notes]);
    memlens.refused(
        &["note", "gone.md"],
        1,
        "cannot open gone.md: it is not in the library",
    );
    memlens.refused(
        &["note", "/etc/passwd"],
        1,
        "cannot show the note /etc/passwd: it is not in a watched folder",
    );
}
