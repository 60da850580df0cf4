//! The memory as a whole: each figure is the length of the list behind it, and what is not known has none.

use memlens_engine::view::{CardId, News, NoDay, NoteQuery, NoteSort, Overview, OverviewCard};
use memlens_engine::{
    Library, RecallChange, acts, drift_report, note_list, note_page, note_tags, timeline,
    whole_overview,
};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, index, open};
use serde_json::{Value, json};

use crate::watched::{Watched, scratch};

const NOTE_CARDS: [CardId; 7] = [
    CardId::New,
    CardId::NotLoaded,
    CardId::NotSearched,
    CardId::NeverFound,
    CardId::Largest,
    CardId::Oldest,
    CardId::Problems,
];

fn overview(library: &Library) -> Overview {
    library.aggregate().expect("they can be compared");
    whole_overview(library, &Params::default()).expect("it can be read")
}

fn card_of(overview: &Overview, id: CardId) -> &OverviewCard {
    let card = overview.cards.iter().find(|card| card.id == id);
    card.expect("each card is there")
}

fn figure(overview: &Overview, id: CardId) -> Option<u32> {
    card_of(overview, id).n
}

fn paths(library: &Library, query: &NoteQuery) -> Vec<String> {
    let list = note_list(library, query).expect("it can be listed");
    list.rows.into_iter().map(|row| row.path).collect()
}

fn card(card: CardId) -> NoteQuery {
    NoteQuery {
        card: Some(card),
        ..NoteQuery::default()
    }
}

fn mixed() -> Notes {
    Notes::new(&[
        (
            "iris/router.md",
            "---\ndate: 2026-03-01\ntags: [house]\n---\n# The router\n\nThe push relay listens on port 8093. It is #garden work.\n",
        ),
        (
            "2025-01-02 relay.md",
            "- The boat is lifted out in October every year.\n",
        ),
        ("otto/relay.md", "The push relay listens on port 8443.\n"),
        (
            "schuppen.md",
            "Der Schlüssel zum Schuppen hängt neben der Tür und der Router steht im Flur.\n",
        ),
        (
            "future.md",
            "---\ndate: 2931-01-01\n---\nThe boat is lifted out in October every year.\n",
        ),
        (
            "unknown.md",
            "---\ndate: 1970-01-01\n---\nNothing is known.\n",
        ),
        ("broken.jsonl", "{\"text\": \"fine\"}\n{broken\n"),
    ])
}

#[test]
fn every_figure_is_the_length_of_the_list_behind_it() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path()).in_home(None);
    let overview = overview(&library);
    assert_eq!(overview.n_notes, 7);
    for id in NOTE_CARDS {
        if let Some(n) = figure(&overview, id) {
            let listed = paths(&library, &card(id));
            assert_eq!(listed.len(), n as usize, "{id:?}");
            let shown = overview.cards.iter().find(|card| card.id == id);
            let shown = shown.expect("each card is there").first.iter();
            let shown: Vec<&str> = shown.map(|item| item.path.as_str()).collect();
            assert_eq!(shown, listed[..shown.len()], "{id:?}");
        }
    }
    assert_eq!(figure(&overview, CardId::Largest), Some(7));
    assert_eq!(figure(&overview, CardId::Problems), Some(1));
    let report = drift_report(&library, &Params::default(), None).expect("they can be listed");
    let n_sure = report.contradictions.iter().filter(|one| one.sure).count();
    assert_eq!(
        figure(&overview, CardId::Contradictions),
        Some((n_sure + report.changed.len()) as u32)
    );
    assert_eq!(n_sure, 1);
    let clusters = library.clustering().expect("they were compared");
    let clusters = clusters.report(&Params::default(), None).clusters.len();
    assert_eq!(figure(&overview, CardId::SaidAgain), Some(clusters as u32));
    assert_eq!(clusters, 1);
    assert_eq!(
        figure(&overview, CardId::Languages),
        Some(overview.languages.len() as u32)
    );
    for one in &overview.languages {
        let query = NoteQuery {
            language: Some(one.language.clone()),
            ..NoteQuery::default()
        };
        assert_eq!(paths(&library, &query).len(), one.n as usize);
    }
    assert!(
        overview
            .languages
            .iter()
            .any(|one| one.language == "German" && one.n == 1)
    );
}

#[test]
fn what_is_not_known_has_no_figure() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path()).in_home(None);
    let overview = whole_overview(&library, &Params::default()).expect("it can be read");
    for id in [
        CardId::New,
        CardId::NotLoaded,
        CardId::NotSearched,
        CardId::NeverFound,
        CardId::SaidAgain,
        CardId::Contradictions,
    ] {
        assert_eq!(figure(&overview, id), None, "{id:?}");
        let card = overview.cards.iter().find(|card| card.id == id);
        let card = card.expect("each card is there");
        assert!(card.first.is_empty() && !card.basis.is_empty(), "{id:?}");
    }
}

#[test]
fn odd_dates_are_neither_old_nor_on_the_timeline() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let _ = overview(&library);
    assert_eq!(
        paths(&library, &card(CardId::Oldest)),
        ["2025-01-02 relay.md", "iris/router.md"]
    );
    let timeline = timeline(&library, &NoteQuery::default()).expect("it can be counted");
    let days: Vec<&str> = timeline.days.iter().map(|day| day.date.as_str()).collect();
    assert_eq!(days, ["2025-01-02", "2026-03-01"]);
    assert_eq!(
        (timeline.n_notes, timeline.n_undated, timeline.n_odd),
        (7, 3, 2)
    );
    for (no_day, n) in [(NoDay::Undated, 3), (NoDay::Implausible, 2)] {
        let query = NoteQuery {
            no_day: Some(no_day),
            ..NoteQuery::default()
        };
        assert_eq!(paths(&library, &query).len(), n, "{no_day:?}");
    }
    for day in &timeline.days {
        let of_day = NoteQuery {
            from: Some(day.date.clone()),
            to: Some(day.date.clone()),
            ..NoteQuery::default()
        };
        assert_eq!(paths(&library, &of_day).len(), day.n_notes as usize);
    }
    let placed: u32 = timeline.days.iter().map(|day| day.n_observations).sum();
    assert_eq!(
        placed + timeline.n_observations_undated + timeline.n_observations_odd,
        timeline.n_observations
    );
    assert!(timeline.n_observations_undated > 0 && timeline.n_observations_odd > 0);
    let n_dated: u32 = timeline.days.iter().map(|day| day.n_notes).sum();
    assert_eq!(
        n_dated + timeline.n_undated + timeline.n_odd,
        timeline.n_notes
    );
}

#[test]
fn filters_choose_and_sorting_keeps_what_is_unknown_last() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let _ = overview(&library);
    let check = |query: NoteQuery, expected: &[&str]| {
        assert_eq!(paths(&library, &query), expected, "{query:?}");
    };
    let any = NoteQuery::default;
    check(
        NoteQuery {
            tag: Some("#Garden".to_owned()),
            ..any()
        },
        &["iris/router.md"],
    );
    check(
        NoteQuery {
            tag: Some("house".to_owned()),
            ..any()
        },
        &["iris/router.md"],
    );
    check(
        NoteQuery {
            text: "PORT 8443".to_owned(),
            ..any()
        },
        &["otto/relay.md"],
    );
    check(
        NoteQuery {
            text: "port nowhere".to_owned(),
            ..any()
        },
        &[],
    );
    check(
        NoteQuery {
            from: Some("2026-01-01".to_owned()),
            ..any()
        },
        &["iris/router.md"],
    );
    check(
        NoteQuery {
            has_problem: true,
            ..any()
        },
        &["broken.jsonl"],
    );
    for is_reversed in [false, true] {
        let query = NoteQuery {
            sort: Some(NoteSort::Date),
            is_reversed,
            ..any()
        };
        let listed = paths(&library, &query);
        let mut dated = listed[..2].to_vec();
        dated.sort();
        assert_eq!(dated, ["2025-01-02 relay.md", "iris/router.md"]);
    }
    let page = note_page(&library, &any(), 6).expect("it can be listed");
    assert_eq!((page.rows.len(), page.n), (1, 7));
    let beyond = note_page(&library, &any(), 900).expect("it can be listed");
    assert_eq!((beyond.rows.len(), beyond.n), (0, 7));
}

#[test]
fn what_is_new_since_the_last_visit_survives_a_restart() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    acts::mark_seen(&library.to_write()).expect("it can be saved");
    assert_eq!(figure(&overview(&library), CardId::New), Some(0));
    drop(library);
    notes.write("new.md", "A new note about the kettle.\n");
    notes.write("otto/relay.md", "The push relay is gone.\n");
    index(dir.path(), &[notes.path()]);
    let library = open(dir.path());
    assert_eq!(figure(&overview(&library), CardId::New), Some(2));
    let list = note_list(&library, &card(CardId::New)).expect("it can be listed");
    let mut news: Vec<(&str, Option<News>)> = list
        .rows
        .iter()
        .map(|row| (row.path.as_str(), row.news))
        .collect();
    news.sort_by_key(|(path, _)| *path);
    assert_eq!(
        news,
        [
            ("new.md", Some(News::New)),
            ("otto/relay.md", Some(News::Changed))
        ]
    );
    // The visit goes on: it is shown again shortly after.
    acts::visit(&library.to_write()).expect("it can be saved");
    assert_eq!(figure(&overview(&library), CardId::New), Some(2));
}

#[test]
fn a_library_without_notes_has_no_figure_that_claims_any() {
    let notes = Notes::new(&[]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let overview = overview(&library);
    assert_eq!(overview.n_notes, 0);
    assert_eq!(figure(&overview, CardId::Largest), None);
    assert_eq!(figure(&overview, CardId::Oldest), None);
}

#[test]
fn of_files_that_were_not_read_only_the_path_is_known() {
    let notes = mixed();
    for name in ["huge.md", "2024-05-06-huge.md"] {
        let file = std::fs::File::create(notes.at(name)).expect("it can be made");
        file.set_len(80_000_000).expect("it can be sparse");
    }
    // A link to a folder is no note.
    #[cfg(unix)]
    std::os::unix::fs::symlink(notes.path(), notes.at("loop")).expect("it can be made");
    let n_not_read = if cfg!(unix) { 3 } else { 2 };
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let overview = overview(&library);
    assert_eq!((overview.n_notes, overview.n_not_read), (7, n_not_read));
    assert_eq!(paths(&library, &NoteQuery::default()).len(), 7);
    let problems = paths(&library, &card(CardId::Problems));
    assert_eq!(
        figure(&overview, CardId::Problems),
        Some(problems.len() as u32)
    );
    assert!(
        problems.iter().any(|path| path == "huge.md"),
        "{problems:?}"
    );
    assert_eq!(figure(&overview, CardId::Largest), Some(7));
    assert_eq!(
        card_of(&overview, CardId::Largest).basis,
        format!(
            "By the size of the file. {n_not_read} files and links that were not read are left out."
        )
    );
    assert_eq!(
        paths(&library, &card(CardId::Oldest)),
        ["2025-01-02 relay.md", "iris/router.md"]
    );
}

#[test]
fn a_folder_that_vanished_keeps_its_rows() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    drop(notes);
    assert_eq!(overview(&library).n_notes, 7);
}

#[test]
fn each_tag_has_the_figure_of_the_list_that_it_leads_to() {
    let long = "x".repeat(300);
    let notes = Notes::new(&[
        (
            "a.md",
            "---\ntags: [House, 'house', garden]\n---\nIt is grey. #garden\n",
        ),
        ("b.md", "The hose is in the shed. #house\n"),
        (
            "c.md",
            &format!("---\ntags: [{long}, {long}]\ndate: 2026-03-01\n---\nA long tag.\n"),
        ),
        ("d.md", "No tag.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let _ = overview(&library);
    let check = |query: &NoteQuery, find: &str, expected: &[(&str, u32)]| {
        let tags = note_tags(&library, query, find).expect("they can be counted");
        let found = tags.tags.iter().map(|one| (one.tag.as_str(), one.n));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{query:?}");
        assert_eq!(tags.n as usize, expected.len());
        for tag in tags.tags {
            let of_tag = NoteQuery {
                tag: Some(tag.tag),
                ..query.clone()
            };
            assert_eq!(paths(&library, &of_tag).len(), tag.n as usize);
        }
    };
    let all = NoteQuery::default();
    check(&all, "", &[("House", 2), ("garden", 1), (&long, 1)]);
    check(&all, "#HOU", &[("House", 2)]);
    let tagged = NoteQuery {
        tag: Some("garden".to_owned()),
        ..all.clone()
    };
    check(&tagged, "house", &[("House", 2)]);
    let dated = NoteQuery {
        from: Some("2026-01-01".to_owned()),
        ..all
    };
    check(&dated, "", &[(&long, 1)]);
    check(&dated, "garden", &[]);
    let typed = NoteQuery {
        tag: Some(format!("#{long}")),
        ..NoteQuery::default()
    };
    assert_eq!(paths(&library, &typed), ["c.md"]);
}

#[test]
fn the_reverse_of_an_order_lists_the_same_notes_backwards() {
    let notes = mixed();
    let more = Notes::new(&[("a.md", "One more.\n")]);
    let dir = fresh(&[notes.path(), more.path()]);
    let library = open(dir.path());
    let of_path = |is_reversed| NoteQuery {
        sort: Some(NoteSort::Path),
        is_reversed,
        ..NoteQuery::default()
    };
    let mut backwards = paths(&library, &of_path(true));
    backwards.reverse();
    assert_eq!(paths(&library, &of_path(false)), backwards);
}

#[test]
fn a_list_follows_what_changes_in_the_notes() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let words = NoteQuery {
        text: "kettle".to_owned(),
        sort: Some(NoteSort::Size),
        ..NoteQuery::default()
    };
    let mut watched = Watched::open(dir.path());
    watched.wait("everything is indexed", Watched::is_idle);
    let n = |watched: &Watched| {
        let page = note_page(watched.engine.library(), &words, 0);
        page.expect("it can be listed").n
    };
    assert_eq!(n(&watched), 0);
    notes.write("kettle.md", "The kettle hums.\n");
    watched.wait("the note is listed", |watched| n(watched) == 1);
    notes.write("kettle.md", "It hums.\n");
    notes.write("pot.md", "The kettle is a pot.\n");
    watched.wait("both are listed", |watched| n(watched) == 2);
}

const LOG: &str = ".openclaw/agents/main/sessions/7f3a.jsonl";

/// A log of OpenClaw with one search of these results, and one whose results are not logged.
fn log(results: &Value) -> String {
    let at = jiff::Timestamp::now().to_string();
    let line = |message: Value| {
        json!({"type": "message", "timestamp": at, "message": message}).to_string() + "\n"
    };
    let call = |id: &str| {
        let call = json!({
            "type": "toolCall", "id": id, "name": "memory_search", "arguments": {"query": format!("question {id}")},
        });
        line(json!({"role": "assistant", "content": [call]}))
    };
    let answer = line(json!({
        "role": "toolResult", "toolCallId": "a", "toolName": "memory_search", "content": [], "details": {"results": results},
    }));
    json!({"type": "session", "id": "7f3a", "timestamp": at}).to_string()
        + "\n"
        + &call("a")
        + &answer
        + &call("b")
}

#[test]
fn a_note_that_an_imported_question_found_is_not_on_the_card_of_the_others() {
    let home = Notes::new(&[
        (
            ".openclaw/workspace/memory/router.md",
            "The router listens on port 8093.\n",
        ),
        (
            ".openclaw/workspace/memory/bees.md",
            "Bees are treated in December.\n",
        ),
        (
            LOG,
            &log(&json!([
                {"path": "memory/router.md", "startLine": 1, "endLine": 1, "score": 0.61}
            ])),
        ),
    ]);
    let other = Notes::new(&[("koi.md", "The koi eat at noon.\n")]);
    let dir = scratch();
    index(
        dir.path(),
        &[&home.path().join(".openclaw/workspace"), other.path()],
    );
    let mut watched = Watched::at_home(dir.path(), &home);
    watched.wait("everything is indexed", Watched::is_idle);
    let engine = &watched.engine;
    let whole = || {
        let overview = whole_overview(engine.library(), &Params::default());
        overview.expect("it can be read")
    };
    let before = whole();
    let unknown = card_of(&before, CardId::NeverFound);
    assert_eq!(unknown.n, None);
    assert!(
        unknown.basis.contains("Memlens may not read them"),
        "{}",
        unknown.basis
    );
    let is_allowed = RecallChange {
        is_allowed: Some(true),
        ..RecallChange::default()
    };
    acts::change_recall(engine, is_allowed).expect("it can be chosen");
    acts::import_recall(engine, None).expect("it can be read");
    let after = whole();
    let found = card_of(&after, CardId::NeverFound);
    assert_eq!(found.n, Some(2), "{found:?}");
    let mut never = paths(engine.library(), &card(CardId::NeverFound));
    // Folders are in the order of their paths.
    never.sort();
    assert_eq!(never, ["koi.md", "memory/bees.md"]);
    assert_eq!(found.title, "Found by no imported past question then");
    assert!(
        found.basis.starts_with(
            "Over the 1 past question whose results are logged, of 2 imported, asked by OpenClaw."
        ),
        "{}",
        found.basis
    );
    let limit = "Questions that were not imported may have found these notes.";
    assert!(found.basis.contains(limit), "{}", found.basis);
    let by_found = NoteQuery {
        sort: Some(NoteSort::Found),
        ..NoteQuery::default()
    };
    let rows = note_list(engine.library(), &by_found).expect("it can be listed");
    let counts = rows.rows.iter().map(|row| (row.path.as_str(), row.n_found));
    let counts: Vec<_> = counts.collect();
    assert_eq!(counts[0], ("memory/router.md", Some(1)));
    assert!(counts[1..].iter().all(|(_, n_found)| *n_found == Some(0)));
}
