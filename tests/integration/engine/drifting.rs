//! Contradictions among notes: found in one pass, dated, and a veto against agreement.

use memlens_engine::view::{DriftKind, DriftReport, Drifted, NewerSide};
use memlens_engine::{Library, acts, drift_report, note_drift};
use memlens_params::{AgreementMeasure, Params};
use memlens_tests::{Notes, fresh, index, open};

use crate::watched::{Watched, scratch};

fn drift(notes: &Notes) -> DriftReport {
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    report(&library)
}

fn report(library: &Library) -> DriftReport {
    drift_report(library, &Params::default(), None).expect("the pass succeeds")
}

fn places(drifted: &[Drifted]) -> Vec<(String, String, Option<NewerSide>)> {
    drifted
        .iter()
        .map(|drifted| {
            let place =
                |side: &memlens_engine::view::DriftSide| format!("{}:{}", side.path, side.line);
            (place(&drifted.a), place(&drifted.b), drifted.newer)
        })
        .collect()
}

#[test]
fn a_contradiction_has_places_dates_and_words() {
    let notes = Notes::new(&[
        (
            "iris/relay.md",
            "---\nagent: iris\ndate: 2026-01-05\n---\n# Relay\n\nIt is grey. The push relay listens on port 8093.\n",
        ),
        ("otto/relay.md", "- The push relay listens on port 8443.\n"),
        ("otto/boat.md", "The boat is lifted out in October.\n"),
    ]);
    let found = drift(&notes);
    let [one] = found.contradictions.as_slice() else {
        panic!("one contradiction: {found:?}")
    };
    assert_eq!(
        places(std::slice::from_ref(one)),
        [(
            "iris/relay.md:7".to_owned(),
            "otto/relay.md:1".to_owned(),
            None
        )]
    );
    assert_eq!((one.kind, one.sure), (DriftKind::Number, true));
    assert_eq!(one.words, ["8093", "8443"]);
    assert_eq!(
        (one.a.date.as_deref(), one.b.date.as_deref()),
        (Some("2026-01-05"), None)
    );
    assert_eq!(
        (one.a.agent.as_str(), one.b.agent.as_str()),
        ("iris", "otto")
    );
    assert_eq!(found.changed, []);
}

#[test]
fn notes_of_different_dates_are_a_change_and_no_alert() {
    let found = drift(&Notes::new(&[
        ("2026-01-05.md", "The push relay listens on port 8093.\n"),
        ("2026-02-03.md", "The push relay listens on port 8443.\n"),
        ("2026-03-01.md", "The nightly build is enabled.\n"),
        ("2026-03-02.md", "The nightly build is not enabled.\n"),
    ]));
    assert_eq!(found.contradictions, []);
    let place = |at: &str| format!("{at}.md:1");
    assert_eq!(
        places(&found.changed),
        [
            (place("2026-03-01"), place("2026-03-02"), Some(NewerSide::B)),
            (place("2026-01-05"), place("2026-02-03"), Some(NewerSide::B)),
        ]
    );
    assert!(found.changed.iter().all(|drifted| drifted.sure));
}

#[test]
fn a_pair_that_the_user_marked_is_listed_apart_until_a_side_changes() {
    let notes = Notes::new(&[
        ("a.md", "The push relay listens on port 8093.\n"),
        ("b.md", "The push relay listens on port 8443.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let lengths = |found: &DriftReport| (found.contradictions.len(), found.dismissed.len());
    let found = report(&library);
    let id = found.contradictions[0].id.clone();
    assert_eq!(lengths(&found), (1, 0));
    let mark = |library: &Library, id: &str, is_dismissed: bool| {
        acts::dismiss_contradiction(&library.to_write(), id, is_dismissed)
    };
    mark(&library, &id, true).expect("it can be marked");
    assert_eq!(lengths(&report(&library)), (0, 1));
    // Also after a restart, and if the notes move.
    drop(library);
    notes.write("c.md", "The push relay listens on port 8443.\n");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    assert_eq!(lengths(&report(&library)), (0, 1));
    mark(&library, &id, false).expect("it can be undone");
    assert_eq!(lengths(&report(&library)), (1, 0));

    mark(&library, &id, true).expect("it can be marked");
    drop(library);
    notes.write("a.md", "The push relay listens on port 9000.\n");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    assert_eq!(lengths(&report(&library)), (1, 0));
    let error = mark(&library, "x", true).expect_err("it names no pair");
    assert!(error.to_string().contains("no such id"), "{error}");
}

#[test]
fn a_pair_is_resolved_while_the_same_side_is_the_newer_one() {
    let dated = |day: &str, port: &str| {
        format!("---\ndate: {day}\n---\nThe push relay listens on port {port}.\n")
    };
    let notes = Notes::new(&[
        ("a.md", &dated("2026-01-05", "8093")),
        ("b.md", &dated("2026-03-09", "8443")),
        ("c.md", "The upload is allowed on Fridays.\n"),
        ("d.md", "The upload is forbidden on Fridays.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let lengths = |found: &DriftReport| {
        (
            found.contradictions.len(),
            found.changed.len(),
            found.resolved.len(),
        )
    };
    let found = report(&library);
    assert_eq!(lengths(&found), (1, 1, 0));
    assert_eq!(
        found.contradictions[0].resolved_id, None,
        "no side is newer"
    );
    let id = found.changed[0].resolved_id.clone().expect("b.md is newer");
    let mark = |library: &Library, is_resolved: bool| {
        acts::resolve_contradiction(&library.to_write(), &id, is_resolved)
    };
    mark(&library, true).expect("it can be marked");
    assert_eq!(lengths(&report(&library)), (1, 0, 1));
    mark(&library, false).expect("it can be undone");
    assert_eq!(lengths(&report(&library)), (1, 1, 0));
    mark(&library, true).expect("it can be marked");
    drop(library);

    // Another note makes the older statement once more, later: no side is the newer one any longer.
    notes.write("e.md", dated("2026-05-01", "8093"));
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    let found = report(&library);
    assert_eq!(found.resolved, [], "{found:?}");
    assert_eq!(found.contradictions.len() + found.changed.len(), 2);
    drop(library);
    notes.remove("e.md");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    assert_eq!(lengths(&report(&library)), (1, 0, 1));
    drop(library);

    // It is made once more in the note itself.
    notes.write("a.md", dated("2026-05-01", "8093"));
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    let found = report(&library);
    assert_eq!(lengths(&found), (1, 1, 0));
    assert_eq!(found.changed[0].newer, Some(NewerSide::A));
}

#[test]
fn rows_of_a_search_that_disagree_are_marked_with_their_words() {
    let filler =
        "The boat is lifted out of the water in October and painted in the yard. ".repeat(60);
    let notes = Notes::new(&[
        (
            "a.md",
            "---\ndate: 2026-01-05\n---\nThe push relay listens on port 8093.\n",
        ),
        (
            "b.md",
            "---\ndate: 2026-03-09\n---\nThe push relay listens on port 8443.\n",
        ),
        (
            "again.md",
            &format!("- The push relay listens on port 8093.\n- {filler}\n"),
        ),
        // One observation of many chunks, of which one holds the sentence.
        (
            "long.md",
            &format!("{filler}The push relay listens on port 8093. {filler}\n"),
        ),
        (
            "other.md",
            "The push relay is grey, and nobody knows why.\n",
        ),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let found = |library: &Library| {
        let params = Params::default();
        let search = library
            .search("push relay port", &params, None)
            .expect("it can be searched");
        let answer = library.answer(&search, &params).expect("it can be shown");
        let path = |slot: u32| answer.rows[slot as usize].path.clone();
        let each = answer.disagreements.iter();
        let mut found: Vec<String> = each
            .map(|one| {
                format!(
                    "{} {} {} {} {:?}",
                    path(one.a),
                    one.said_a,
                    path(one.b),
                    one.said_b,
                    one.newer
                )
            })
            .collect();
        found.sort();
        found.dedup();
        found
    };
    assert_eq!(found(&library), [""; 0], "nothing was compared");
    let report = report(&library);
    // Also a chunk that repeats a side as a whole, and none that holds a part of what does.
    assert_eq!(
        found(&library),
        [
            "a.md 8093 b.md 8443 Some(B)",
            // Nothing says when it was written.
            "again.md 8093 b.md 8443 None"
        ]
    );
    let id = report.changed[0]
        .resolved_id
        .clone()
        .expect("b.md is newer");
    acts::resolve_contradiction(&library.to_write(), &id, true).expect("it can be marked");
    assert_eq!(found(&library), [""; 0]);
}

#[test]
fn other_places_are_counted_without_deleted_notes() {
    let notes = Notes::new(&[
        ("a.md", "The push relay listens on port 8093.\n"),
        ("b.md", "The push relay listens on port 8443.\n"),
        ("c.md", "The push relay listens on port 8443.\n"),
    ]);
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&notes]);
    let n_same = |it: &Watched| {
        let answer = it.engine.drift(&Params::default()).expect("it can be read");
        answer
            .report
            .and_then(|report| Some(report.contradictions.first()?.b.n_same))
    };
    it.wait("they are compared in the background", |it| {
        n_same(it) == Some(1)
    });
    // The background rests now.
    notes.write("c.md", "The boat is lifted out in October.\n");
    it.wait("the note is read again", |it| it.found("boat") == ["c.md"]);
    assert_eq!(n_same(&it), Some(0));
}

#[test]
fn a_replaced_fact_is_a_change_unless_its_date_is_older() {
    let with_dates = |old: &str, new: &str| {
        Notes::new(&[
            (
                "old.md",
                &format!("---\ndate: {old}\n---\nLogs of the proxy are kept for 35 days.\n"),
            ),
            (
                "new.md",
                &format!(
                    "---\ndate: {new}\n---\nLogs of the proxy are kept for 90 days now, not 35 days.\n"
                ),
            ),
        ])
    };
    let found = drift(&with_dates("2026-01-01", "2026-03-01"));
    assert_eq!(
        (found.contradictions.len(), places(&found.changed)),
        (
            0,
            vec![(
                "new.md:4".to_owned(),
                "old.md:4".to_owned(),
                Some(NewerSide::A)
            )]
        )
    );
    // The old value was stated again later.
    let found = drift(&with_dates("2026-03-01", "2026-01-01"));
    assert_eq!(
        (places(&found.contradictions), found.changed.len()),
        (
            vec![(
                "new.md:4".to_owned(),
                "old.md:4".to_owned(),
                Some(NewerSide::B)
            )],
            0
        )
    );
    // Dates of 1970 and of the future decide nothing, and neither do the words alone.
    for (old, new) in [
        ("1970-01-01", "2026-01-01"),
        ("2900-01-01", "2026-01-01"),
        ("no date", "2026-01-01"),
    ] {
        let found = drift(&with_dates(old, new));
        assert_eq!(
            (
                places(&found.contradictions).first().map(|place| place.2),
                found.changed.len()
            ),
            (Some(None), 0),
            "{old}"
        );
    }
}

#[test]
fn a_contradiction_is_no_support() {
    let long = "On Fridays the deploys of the harbour relay to the cluster in the cellar are PLACE for everybody on the team of \
        the tower by the river with the keys of the rack in the hall behind the gate of the garden of the keeper of the boats \
        of the club near the bridge to the island with the lamp on the rock in the bay of the fishers from the north of the \
        country";
    let texts = ["allowed", "allowed", "forbidden"].map(|word| long.replace("PLACE", word));
    let notes = Notes::new(&[
        ("a.md", &texts[0]),
        ("b.md", &texts[1].to_uppercase()),
        ("c.md", &texts[2]),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let found = report(&library);
    assert_eq!(
        (
            found.contradictions.len(),
            found.clusters,
            found.corroborated_count
        ),
        (1, 1, 2),
        "{found:?}"
    );
    for measure in [AgreementMeasure::Simhash, AgreementMeasure::Words] {
        let params = Params {
            agreement_measure: measure,
            ..Params::default()
        };
        let clusters = library
            .clustering()
            .expect("there was a pass")
            .report(&params, None);
        let members: Vec<&str> = clusters
            .clusters
            .iter()
            .flat_map(|cluster| std::iter::once(&cluster.canonical).chain(&cluster.members))
            .map(|said| said.path.as_str())
            .collect();
        assert_eq!(members, ["a.md", "b.md"], "{measure:?}");
    }
}

#[test]
fn logs_tables_templates_and_other_languages_raise_no_alarm() {
    let log: String = (1..29)
        .map(|day| {
            format!(
                "- On 2026-02-{day:02} the disk of the mirror was {} % full.\n",
                day + 40
            )
        })
        .collect();
    let many: String = (0..50)
        .map(|at| {
            format!(
                "- The ticket of the ferry number {at} costs {} euros.\n",
                at * 3
            )
        })
        .collect();
    let notes = Notes::new(&[
        ("log.md", &log),
        ("many.md", &many),
        (
            "table.md",
            "| port | relay |\n|---|---|\n| 8093 | push relay |\n| 8443 | push relay |\n",
        ),
        (
            "code.md",
            "```\nThe relay listens on port 1.\n```\n\n    The relay listens on port 2.\n",
        ),
        (
            "de.md",
            "Das B\u{fc}ro ist am Montag geschlossen und nicht besetzt.\n\nDas B\u{fc}ro ist am Montag offen und nicht besetzt.\n",
        ),
        (
            "self.md",
            "The relay is encrypted. The relay is not encrypted.\n",
        ),
        (
            "chat.md",
            "Ben: I paid 30 euros for the ferry!\n\nBen: I paid 40 euros for the ferry!\n",
        ),
    ]);
    let found = drift(&notes);
    assert_eq!(
        (found.contradictions.as_slice(), found.changed.as_slice()),
        (&[][..], &[][..])
    );
    let left_out = |why: &str| {
        let reasons = found.compared.left_out.iter();
        reasons
            .filter(|reason| reason.why == why)
            .map(|reason| reason.n)
            .sum::<u32>()
    };
    assert_eq!(
        (
            left_out("one of many that differ in numbers and dates alone"),
            left_out("not in English"),
            left_out("part of a conversation")
        ),
        (49 + 27, 2, 2),
        "{:?}",
        found.compared
    );
}

#[test]
fn each_side_has_the_line_of_its_sentence() {
    let notes = Notes::new(&[
        (
            "a.md",
            "---\nagent: iris\n---\n\n# Relay\n\n\nIt is *grey*.\nThe push relay\nlistens on port 8093.\nIt hums.\n",
        ),
        (
            "b.txt",
            "- It is grey.\n  It hums. The push\n  relay listens on port 8443.\n",
        ),
        (
            "c.jsonl",
            "{\"text\": \"It hums.\"}\n{\"text\": \"It hums. The push relay listens on port 9000.\"}\n",
        ),
    ]);
    let found = drift(&notes);
    let mut lines: Vec<(String, u32, u32)> = found
        .contradictions
        .iter()
        .flat_map(|drifted| [&drifted.a, &drifted.b])
        .map(|side| (side.path.clone(), side.line, side.end_line))
        .collect();
    lines.sort();
    lines.dedup();
    assert_eq!(
        lines,
        [
            ("a.md".to_owned(), 9, 10),
            ("b.txt".to_owned(), 2, 3),
            ("c.jsonl".to_owned(), 2, 2)
        ]
    );
    let side = &found.contradictions[0].a;
    assert_eq!(
        (&*side.before, &*side.text, &*side.after),
        (
            "It is grey.",
            "The push relay listens on port 8093.",
            "It hums."
        )
    );
}

#[test]
fn what_is_quoted_or_struck_through_raises_no_alarm() {
    let notes = Notes::new(&[
        ("now.md", "The push relay listens on port 8443.\n"),
        ("struck.md", "- ~~The push relay listens on port 8093.~~\n"),
        ("partly.md", "The push relay listens on port ~~8093~~.\n"),
        ("quoted.md", "> The push relay listens on port 8181.\n"),
    ]);
    let found = drift(&notes);
    assert_eq!(found.contradictions, []);
    // Another note that says the same, and does not quote it, does.
    let notes = Notes::new(&[
        ("now.md", "The push relay listens on port 8443.\n"),
        ("quoted.md", "> The push relay listens on port 8181.\n"),
        ("said.md", "The push relay listens on port 8181.\n"),
    ]);
    assert_eq!(
        places(&drift(&notes).contradictions),
        [("now.md:1".to_owned(), "said.md:1".to_owned(), None)]
    );
}

#[test]
fn a_pass_after_a_saved_note_finds_what_a_first_pass_finds() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|at| {
            let text = format!(
                "The relay of house {at} hums. The push relay listens on port {}.\n",
                8000 + at % 2
            );
            (format!("{at}.md"), text)
        })
        .collect();
    files.push((
        "last.md".to_owned(),
        "Deploys are allowed on Fridays.\n".to_owned(),
    ));
    let named: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let notes = Notes::new(&named);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let before = report(&library);
    assert_eq!(before.contradictions.len(), 1);

    notes.write("last.md", "Deploys are forbidden on Fridays.\n");
    notes.write("new.md", "Deploys are allowed on Fridays.\n");
    index(dir.path(), &[notes.path()]);
    library.refresh().expect("the lists can be read again");
    let after = report(&library);
    let first = report(&open(dir.path()));
    assert_eq!(after.contradictions.len(), 2);
    assert_eq!(
        (after.contradictions, after.compared),
        (first.contradictions, first.compared)
    );
}

#[test]
fn since_leaves_older_ones_out() {
    let notes = Notes::new(&[
        ("2025-01-01.md", "The push relay listens on port 8093.\n"),
        ("2026-01-01.md", "The push relay listens on port 8443.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let n = |since: &str| {
        let since = Some(since.parse().expect("a date"));
        let report = drift_report(&library, &Params::default(), since);
        report.expect("the pass succeeds").changed.len()
    };
    assert_eq!((n("2026-01-01"), n("2026-01-02")), (1, 0));
}

#[test]
fn sides_under_different_headings_of_a_note_may_contradict() {
    let two = "# Hall\n\nThe push relay listens on port 8093.\n\n# Cellar\n\nThe push relay listens on port 8443.\n";
    let sure = |files: &[(&str, &str)]| -> Vec<bool> {
        let found = drift(&Notes::new(files)).contradictions;
        found.iter().map(|drifted| drifted.sure).collect()
    };
    assert_eq!(sure(&[("a.md", two)]), [false]);
    let one = two.replace("# Cellar\n\n", "");
    assert_eq!(sure(&[("a.md", &one)]), [true]);
}

#[test]
fn sides_in_two_projects_may_contradict() {
    let requires = |version: u32| {
        format!(
            "# Install\n\nRequires Node {version} or the relay stops.\n\nThe push relay listens on port {version}.\n"
        )
    };
    let (one, other) = (requires(8014), requires(8018));
    let found = |paths: [&str; 2], more: &[&str]| {
        let mut files = vec![(paths[0], one.as_str()), (paths[1], other.as_str())];
        files.extend(more.iter().map(|path| (*path, "{}")));
        let found = drift(&Notes::new(&files)).contradictions;
        let scopes = |drifted: &Drifted| drifted.scopes.clone().map(|it| it.join(" / "));
        let found = found.iter().map(|drifted| (drifted.sure, scopes(drifted)));
        let mut found: Vec<_> = found.collect();
        found.dedup();
        found
    };
    let [(false, Some(scopes))] = &found(["a/README.md", "b/README.md"], &[])[..] else {
        panic!("two readmes are about two folders")
    };
    assert!(
        scopes.starts_with("folder ") && scopes.ends_with("/b"),
        "{scopes}"
    );
    let notes = ["a/docs/setup.md", "b/docs/setup.md"];
    assert_eq!(found(notes, &[]), [(true, None)]);
    assert_eq!(
        found(notes, &["package.json"]),
        [(true, None)],
        "one project"
    );
    assert_eq!(found(notes, &["a/package.json"]), [(true, None)]);
    for manifests in [
        ["a/package.json", "b/Cargo.toml"],
        ["a/.git", "package.json"],
    ] {
        let [(false, Some(scopes))] = &found(notes, &manifests)[..] else {
            panic!("{manifests:?}: two projects")
        };
        assert!(scopes.starts_with("project "), "{scopes}");
    }
    // A repository of notes is no project.
    assert_eq!(
        found(["a.md", "b/c.md"], &[".git", "b/package.json"]),
        [(true, None)]
    );
}

#[test]
fn what_changed_or_was_forgotten_since_the_pass_is_not_shown() {
    let (first, second, third) = (
        Notes::new(&[("a.md", "The push relay listens on port 8093.\n")]),
        Notes::new(&[("b.md", "The push relay listens on port 8443.\n")]),
        Notes::new(&[("c.md", "The push relay listens on port 9000.\n")]),
    );
    let dir = scratch();
    let mut it = Watched::of(dir.path(), &[&first, &second, &third]);
    let n_found = |it: &Watched| {
        let answer = it.engine.drift(&Params::default()).expect("it can be read");
        answer.report.map(|report| report.contradictions.len())
    };
    it.wait("they are compared in the background", |it| {
        n_found(it) == Some(3)
    });
    // The background rests now.
    first.write("a.md", "The boat is lifted out in October.\n");
    it.wait("the note is read again", |it| it.found("boat") == ["a.md"]);
    assert_eq!(n_found(&it), Some(1));
    let folder = it.id(&second);
    it.engine.remove_folder(folder).expect("it can be removed");
    assert!(matches!(n_found(&it), None | Some(0)));
    it.engine.erase_all().expect("it can be erased");
    assert!(matches!(n_found(&it), None | Some(0)));
}

#[test]
fn beside_a_note_are_its_contradictions_of_the_last_pass() {
    let notes = Notes::new(&[
        (
            "a.md",
            "---\ndate: 2026-01-05\n---\n- The push relay listens on port 8093.\n",
        ),
        ("b.md", "- The push relay listens on port 8443.\n"),
        (
            "c.md",
            "---\ndate: 2026-02-05\n---\n- The push relay listens on port 8500.\n",
        ),
        ("koi.md", "The koi eat at noon.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let folder = library.lists().snapshot.folders[0].id;
    let beside = |path: &str| note_drift(&library, folder, path).expect("it can be read");
    assert_eq!(beside("a.md"), None);
    let report = report(&library);
    let all = |path: &str, drifted: &[Drifted]| -> Vec<Drifted> {
        let of_note = drifted
            .iter()
            .filter(|it| it.a.path == path || it.b.path == path);
        of_note.cloned().collect()
    };
    assert_eq!((report.contradictions.len(), report.changed.len()), (2, 1));
    for path in ["a.md", "b.md", "c.md", "koi.md", "gone.md"] {
        let found = beside(path).expect("they were compared");
        assert_eq!(
            found.contradictions,
            all(path, &report.contradictions),
            "{path}"
        );
        assert_eq!(found.changed, all(path, &report.changed), "{path}");
        assert!(!found.is_stale);
    }
    let [one, _] = beside("b.md")
        .expect("they were compared")
        .contradictions
        .try_into()
        .expect("two");
    acts::dismiss_contradiction(&library.to_write(), &one.id, true).expect("it can be marked");
    assert_eq!(
        beside("b.md")
            .expect("they were compared")
            .contradictions
            .len(),
        1
    );
    // A note that changed since has no side in the last pass.
    notes.write("c.md", "Nothing.\n");
    index(dir.path(), &[notes.path()]);
    library.refresh().expect("it can be read again");
    let found = beside("a.md").expect("they were compared");
    assert!(found.is_stale && found.changed.is_empty());
}
