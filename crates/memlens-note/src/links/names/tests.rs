use memlens_ingest::links;

use super::*;

const NOTES: FolderId = FolderId(1);
const LOGS: FolderId = FolderId(2);

/// Names of these notes, which are in the first folder unless they begin with `logs:`.
fn names(paths: &[&'static str]) -> Names {
    let folder = |id, path: &str| Folder {
        id,
        path: path.to_owned(),
        name: path.to_owned(),
        is_paused: false,
        mount: None,
        agent: None,
    };
    let mut names = Names::new(&[folder(NOTES, "/home/r/notes"), folder(LOGS, "/home/r/logs")]);
    for path in paths {
        match path.strip_prefix("logs:") {
            Some(path) => names.add(LOGS, path),
            None => names.add(NOTES, path),
        };
    }
    names
}

/// Path, part and number of other notes; or why the link leads nowhere.
fn leads(names: &Names, from: &str, text: &str) -> (String, u32) {
    let links = links(text).links;
    let [link] = links.as_slice() else {
        panic!("{text} has {} links", links.len());
    };
    let leads = names.leads(
        From {
            folder: NOTES,
            path: from,
        },
        link,
    );
    let with = |path: &str, part: &str| match part {
        "" => path.to_owned(),
        part => format!("{path}#{part}"),
    };
    match leads {
        Leads::Within(part) => (with("within", &part), 0),
        Leads::To {
            note,
            part,
            n_alike,
        } => (with(&names.note(note).path, &part), n_alike),
        Leads::Outside => ("outside".to_owned(), 0),
        Leads::Nowhere(why) => (why.to_owned(), 0),
    }
}

#[test]
fn addresses_are_paths() {
    let names = names(&[
        "people/signe.md",
        "people/a b.md",
        "people/Meeting notes: Oslo.md",
        "top.md",
        "logs:day.jsonl",
    ]);
    for (address, to) in [
        ("a%20b.md", "people/a b.md"),
        ("<Meeting notes: Oslo.md>", "people/Meeting notes: Oslo.md"),
        ("< javascript:alert(1)>", REFUSED),
        ("../top.md#x", "top.md#x"),
        ("../top", "top.md"),
        ("top.md?raw=1", "top.md"),
        ("/people/a%20b.md", "people/a b.md"),
        ("../../logs/day.jsonl#L3", "day.jsonl#L3"),
        ("/home/r/logs/day.jsonl", "day.jsonl"),
        ("#a-part", "within#a-part"),
        ("signe.md#a-part", "within#a-part"),
        ("https://example.org/top.md", "outside"),
        ("mailto:a@example.org", "outside"),
        ("../../../etc/passwd", OUT_OF_FOLDERS),
        ("/etc/passwd", NO_PATH),
        ("../../../../../../top.md", OUT_OF_FOLDERS),
        ("people", NO_PATH),
        ("gone.md", NO_PATH),
        ("Top.md", NO_PATH),
        ("%ff.md", NO_PATH),
        ("javascript:alert(1)", REFUSED),
        ("file:///home/r/notes/top.md", REFUSED),
        ("//example.org/x", REFUSED),
        ("\\\\\\\\example.org\\\\x", REFUSED),
    ] {
        assert_eq!(
            leads(&names, "people/signe.md", &format!("[x]({address})")).0,
            to,
            "{address}"
        );
    }
}

#[test]
fn bare_addresses_lead_out() {
    let names = names(&["a.md"]);
    for text in ["<ana@example.org>", "<https://example.org>"] {
        assert_eq!(leads(&names, "a.md", text).0, "outside", "{text}");
    }
}

#[test]
fn wikilinks_are_names() {
    let mut names = names(&[
        "a/router.md",
        "b/Boat.md",
        "b/c/Boat.md",
        "log.jsonl",
        "x.md",
        "log.md",
    ]);
    let named = links(
        "---\naliases: [the box, Boat, log, \"Meeting: Oslo\"]\ntitle: Meeting notes: Oslo\n---\n# Quiet hours\n",
    );
    names.add_names(0, &named);
    names.add_names(3, &links("---\nname: log\n---\n# Log\n"));
    names.add_names(5, &links("# Log\n"));
    for (link, to, n_alike) in [
        ("[[router]]", "a/router.md", 0),
        ("[[Router.md|words]]", "a/router.md", 0),
        ("[[a/router#Quiet hours]]", "a/router.md#Quiet hours", 0),
        ("[[router#One#Two]]", "a/router.md#Two", 0),
        ("[[c/boat]]", "b/c/Boat.md", 0),
        ("[[log.jsonl]]", "log.jsonl", 0),
        ("[[The Box]]", "a/router.md", 0),
        ("[[quiet hours]]", "a/router.md", 0),
        // A file's name comes before a name in front matter, and the shorter path first.
        ("[[boat]]", "b/Boat.md", 2),
        // Also if only one note has it as its file's name.
        ("[[log]]", "log.md", 2),
        ("[[Meeting: Oslo]]", "a/router.md", 0),
        (
            "[[Meeting notes: Oslo#Who: all]]",
            "a/router.md#Who: all",
            0,
        ),
        ("[[Meeting: gone]]", NO_NOTE, 0),
        ("[[javascript:alert(1)]]", NO_NOTE, 0),
        ("[[file:///home/r/notes/x.md]]", REFUSED, 0),
        ("[[#Part]]", "within#Part", 0),
        ("[[x#Part]]", "within#Part", 0),
        ("[[gone]]", NO_NOTE, 0),
        ("[[outer]]", NO_NOTE, 0),
        ("[[../../gone]]", OUT_OF_FOLDERS, 0),
        ("[[https://example.org]]", "outside", 0),
    ] {
        assert_eq!(
            leads(&names, "x.md", link),
            (to.to_owned(), n_alike),
            "{link}"
        );
    }
}

#[test]
fn the_nearest_of_several_is_meant_whatever_their_order() {
    let paths = [
        "z/deep/er/note.md",
        "b/note.md",
        "a/note.md",
        "logs:note.md",
    ];
    let mut turned = paths;
    turned.reverse();
    for (from, to) in [
        ("b/x.md", "b/note.md"),
        ("z/deep/x.md", "a/note.md"),
        ("z/deep/er/x.md", "z/deep/er/note.md"),
    ] {
        for paths in [paths, turned] {
            assert_eq!(
                leads(&names(&paths), from, "[[note]]"),
                (to.to_owned(), 3),
                "{from}"
            );
        }
    }
    // The other watched folder is farther than any path.
    assert_eq!(
        leads(
            &names(&["logs:note.md", "a/b/c/note.md"]),
            "x.md",
            "[[note]]"
        )
        .0,
        "a/b/c/note.md"
    );
}

#[test]
fn parts_are_headings_and_then_lines() {
    let links = links(
        "# One & two\n\ntext\n\n## Same\n\n## Same\n\n## Größe_2\n\n## 2026\n\n## 3\n\n## L4\n",
    );
    for (part, line) in [
        ("", Ok(None)),
        ("^block", Ok(None)),
        ("L3", Ok(Some(3))),
        ("7", Ok(Some(7))),
        ("15", Ok(Some(15))),
        ("one--two", Ok(Some(1))),
        ("One & two", Ok(Some(1))),
        ("same", Ok(Some(5))),
        ("same-1", Ok(Some(7))),
        ("größe_2", Ok(Some(9))),
        // Numbers that are headings.
        ("2026", Ok(Some(11))),
        ("3", Ok(Some(13))),
        ("l4", Ok(Some(15))),
        ("same-2", Err("the note has no heading “same-2”")),
        ("L0", Err("the note has no heading “L0”")),
        ("gone", Err("the note has no heading “gone”")),
        ("16", Err("the note has no heading or line “16”")),
        ("L9999", Err("the note has no heading or line “L9999”")),
    ] {
        let found = line_of_part(&links, part, || Some(15));
        assert_eq!(found, line.map_err(str::to_owned), "{part}");
    }
    assert_eq!(line_of_part(&links, "16", || None), Ok(Some(16)));
}
