//! The memory as a whole: each figure is the length of the list behind it, and what is not known has none.

use memlens_engine::view::{CardId, News, NoteQuery, NoteSort, Overview};
use memlens_engine::{Library, acts, drift_report, note_list, note_page, timeline, whole_overview};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, index, open};

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

fn figure(overview: &Overview, id: CardId) -> Option<u32> {
    let card = overview.cards.iter().find(|card| card.id == id);
    card.expect("each card is there").n
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
        Some(n_sure as u32)
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
fn a_folder_that_vanished_keeps_its_rows() {
    let notes = mixed();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    drop(notes);
    assert_eq!(overview(&library).n_notes, 7);
}
