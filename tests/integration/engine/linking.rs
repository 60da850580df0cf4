//! Links from and to a note, and where a link leads.

use memlens_engine::view::{LinkRow, LinksOfNote};
use memlens_engine::{EngineError, FolderId, Library, beside_note, followed_link, links_of};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, open};

fn folder(library: &Library) -> FolderId {
    library.lists().snapshot.folders[0].id
}

/// The links of a note once all notes were read.
fn links(library: &Library, path: &str) -> LinksOfNote {
    loop {
        let links = links_of(library, folder(library), path, true).expect("it can be read");
        if links.n_unread == 0 {
            return links;
        }
    }
}

/// "line words -> path:line (problem)".
fn shown(rows: &[LinkRow]) -> Vec<String> {
    let shown = rows.iter().map(|row| {
        let place = row
            .place
            .as_ref()
            .map_or("-".to_owned(), |place| match place.line {
                Some(line) => format!("{}:{line}", place.path),
                None => place.path.clone(),
            });
        let problem = row
            .problem
            .as_ref()
            .map_or(String::new(), |why| format!(" ({why})"));
        format!("{} {} -> {place}{problem}", row.line, row.words)
    });
    shown.collect()
}

#[test]
fn links_are_listed_from_and_to_a_note() {
    let notes = Notes::new(&[
        (
            "iris/router.md",
            "---\naliases: [the box]\n---\n# The router\n\nSee [[relay|the relay]] and [port](../otto/relay.md#ports).\n\n\
             [gone](gone.md), [out](../../../etc/passwd), [[nobody]], [web](https://example.org), [up](#the-router), \
             [no](../otto/relay.md#nothing)\n",
        ),
        (
            "otto/relay.md",
            "# Relay\n\nBack to [[The Box]].\n\n## Ports\n\n8093\n",
        ),
        (
            "otto/list.md",
            "- [[router]]\n- `[[router]]`\n- [r](../iris/router.md)\n",
        ),
    ]);
    let library = open(fresh(&[notes.path()]).path());
    let router = links(&library, "iris/router.md");
    assert_eq!(
        shown(&router.from),
        [
            "6 the relay -> otto/relay.md",
            "6 port -> otto/relay.md:5",
            "8 gone -> - (the library has no note at this path)",
            "8 out -> - (it leads out of the watched folders, and is not followed)",
            "8 nobody -> - (no note has this name)",
            "8 no -> otto/relay.md (the note has no heading “nothing”)",
        ]
    );
    assert_eq!(
        (
            router.n_from,
            router.n_broken,
            router.n_within,
            router.n_outside
        ),
        (6, 3, 1, 1)
    );
    assert_eq!(
        shown(&router.to),
        [
            "1 router -> otto/list.md:1",
            "3 r -> otto/list.md:3",
            "3 The Box -> otto/relay.md:3"
        ]
    );
    assert_eq!((router.n_to, router.n_notes_to), (3, 2));
    // A cycle: each is in the other's list.
    assert_eq!(shown(&links(&library, "otto/relay.md").to).len(), 3);
}

#[test]
fn a_followed_link_leads_where_the_list_says() {
    let notes = Notes::new(&[
        (
            "a.md",
            "# A\n\n[[b#Deep down]] [x](b.md#L2) [[the other]] [c](c.md) [[b#gone]] [own](#a)\n",
        ),
        ("b.md", "---\ntitle: The other\n---\n# B\n\n## Deep down\n"),
        ("log.txt", "one\ntwo\n"),
    ]);
    let library = open(fresh(&[notes.path()]).path());
    for (address, place, problem) in [
        ("[[b#Deep down]]", Some("b.md:6"), None),
        ("b.md#L2", Some("b.md:2"), None),
        ("[[the other]]", Some("b.md"), None),
        (
            "c.md",
            None,
            Some("cannot follow c.md: the library has no note at this path"),
        ),
        (
            "[[b#gone]]",
            Some("b.md"),
            Some("the note has no heading “gone”"),
        ),
        (
            "b.md#L7",
            Some("b.md"),
            Some("the note has no heading or line “L7”"),
        ),
        ("log.txt#L2", Some("log.txt:2"), None),
        (
            "log.txt#L3",
            Some("log.txt"),
            Some("the note has no heading or line “L3”"),
        ),
        ("#a", Some("a.md:1"), None),
    ] {
        let found =
            followed_link(&library, folder(&library), "a.md", address).expect("it can be read");
        let at = found.place.map(|place| match place.line {
            Some(line) => format!("{}:{line}", place.path),
            None => place.path,
        });
        assert_eq!(
            (at.as_deref(), found.problem.as_deref()),
            (place, problem),
            "{address}"
        );
    }
}

#[test]
fn a_line_is_one_that_the_note_has() {
    let notes = Notes::new(&[
        (
            "a.md",
            "[1](log.txt#L2) [2](log.txt#L3) [3](b.md#2026) [4](b.md#4) [5](#L1) [6](#L9)\n",
        ),
        ("b.md", "# B\n\n## 2026\n"),
        ("log.txt", "one\ntwo\n"),
    ]);
    let library = open(fresh(&[notes.path()]).path());
    let from = links(&library, "a.md");
    assert_eq!(
        shown(&from.from),
        [
            "1 1 -> log.txt:2",
            "1 2 -> log.txt (the note has no heading or line “L3”)",
            "1 3 -> b.md:3",
            "1 4 -> b.md (the note has no heading or line “4”)",
            "1 6 -> a.md (the note has no heading or line “L9”)",
        ]
    );
    assert_eq!((from.n_from, from.n_within), (5, 1));
}

#[test]
fn ten_thousand_links_are_counted_and_limited() {
    let many: String = (0..10_000).map(|at| format!("[[b]] {at}\n")).collect();
    let notes = Notes::new(&[("a.md", &many), ("b.md", "[[a]]\n")]);
    let library = open(fresh(&[notes.path()]).path());
    let all = links(&library, "a.md");
    assert_eq!((all.n_from, all.from.len()), (10_000, 10_000));
    let some = links_of(&library, folder(&library), "a.md", false).expect("it can be read");
    assert_eq!((some.n_from, some.from.len()), (10_000, 200));
    let back = links_of(&library, folder(&library), "b.md", false).expect("it can be read");
    assert_eq!(
        (back.n_to, back.to.len(), back.n_notes_to),
        (10_000, 200, 1)
    );
}

#[test]
fn of_notes_with_one_name_the_nearest_is_meant_and_the_others_are_counted() {
    let notes = Notes::new(&[
        ("x/plan.md", "x\n"),
        ("y/plan.md", "y\n"),
        ("y/from.md", "[[plan]]\n"),
    ]);
    let library = open(fresh(&[notes.path()]).path());
    let from = links(&library, "y/from.md").from;
    assert_eq!(shown(&from), ["1 plan -> y/plan.md"]);
    assert_eq!(from[0].n_alike, 1);
    assert_eq!(links(&library, "x/plan.md").n_to, 0);
    assert_eq!(links(&library, "y/plan.md").to[0].n_alike, 1);
}

#[test]
fn a_note_outside_is_refused() {
    let notes = Notes::new(&[("a.md", "a\n")]);
    let library = open(fresh(&[notes.path()]).path());
    let refused = links_of(&library, folder(&library), "../a.md", false);
    assert!(
        matches!(refused, Err(EngineError::NoDocument { .. })),
        "{refused:?}"
    );
    let outside = beside_note(&library, "/etc/passwd", None, &Params::default());
    assert!(
        matches!(outside, Err(EngineError::Note { .. })),
        "{outside:?}"
    );
}
