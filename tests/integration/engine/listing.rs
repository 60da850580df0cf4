//! Past questions for the window: a page of the list, with figures over all of them.
//!
//! Properties checked: every row is on one page, in order; filters and counts cover all rows, not one page; the page of
//! an opened question is found; completions name each wording once; sessions are named by their last question.

use std::collections::HashSet;

use memlens_engine::past;
use memlens_engine::view::PastQuestions;
use memlens_engine::{Library, PastFilter, PastOnly, PastPage};
use memlens_store::{NewPast, ReadLog, Store};
use memlens_tests::hashing;

use crate::watched::scratch;

/// More than two pages of 500 rows.
const N: usize = 1_203;
const FIRST_MS: i64 = 1_790_000_000_000;

/// Returns a library whose agents asked `N` questions, an hour apart. Every tenth found nothing, every fourth is
/// Codex's, forty at a time are a session, and the last three have no time.
fn library() -> (tempfile::TempDir, Library) {
    let times: Vec<(Option<i64>, bool)> = (0..N)
        .map(|at| {
            let at_ms = (at < N - 3).then_some(FIRST_MS + at as i64 * 3_600_000);
            (at_ms, at % 10 == 0)
        })
        .collect();
    library_of(&times)
}

/// Returns a library of questions by their time, and whether they found nothing.
fn library_of(times: &[(Option<i64>, bool)]) -> (tempfile::TempDir, Library) {
    let dir = scratch();
    let log = ReadLog {
        path: "/log".to_owned(),
        agent: "codex".to_owned(),
        cursor: None,
        n_bytes: 0,
        stamp: String::new(),
        problem: None,
    };
    let asked = times
        .iter()
        .enumerate()
        .map(|(at, (at_ms, is_nothing))| NewPast {
            agent: if at % 4 == 0 { "codex" } else { "openclaw" }.to_owned(),
            session: format!("s{}", at / 40),
            call: at.to_string(),
            at_ms: *at_ms,
            is_opening: false,
            has_failed: false,
            is_pattern: false,
            served: None,
            question: format!("Où is relay {at}"),
            settings: "{}".to_owned(),
            returned: is_nothing.then(|| "[]".to_owned()),
            opened: "[]".to_owned(),
            cited: "[]".to_owned(),
        });
    let asked: Vec<NewPast> = asked.collect();
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    store
        .keep_past(&log, &asked, &[])
        .expect("they can be kept");
    drop(store);
    let library = Library::open(dir.path(), hashing()).expect("it is a library");
    (dir, library)
}

fn listed(
    library: &Library,
    filter: &PastFilter,
    only: PastOnly,
    at: Option<u32>,
    open: Option<&str>,
) -> PastQuestions {
    let page = PastPage {
        at,
        open: open.map(str::to_owned),
    };
    past::page(library, filter, only, &page).expect("they can be listed")
}

fn text(text: &str) -> PastFilter {
    PastFilter {
        text: text.to_owned(),
        ..PastFilter::default()
    }
}

#[test]
fn recent_questions_are_those_of_the_last_month_by_their_own_dates() {
    let day_ms = 86_400_000;
    let now = jiff::Timestamp::now().as_millisecond();
    let asked = |days: Option<i64>| days.map(|days| now - days * day_ms);
    let (_dir, library) = library_of(&[
        (asked(Some(1)), true),
        (asked(Some(2)), false),
        (asked(Some(29)), true),
        (asked(Some(31)), true),
        // A clock that is wrong by years.
        (asked(Some(-900)), true),
        (asked(None), true),
        (asked(None), false),
    ]);
    let page = listed(&library, &PastFilter::default(), PastOnly::All, None, None);
    let lately = page.lately;
    assert_eq!(page.n_found_nothing, 5);
    assert_eq!((lately.n_days, lately.n_questions), (30, 3));
    assert_eq!((lately.n_found_nothing, lately.n_undated_nothing), (2, 1));
}

#[test]
fn pages_hold_every_question_once_and_say_what_is_true_of_all() {
    let (_dir, library) = library();
    let all = PastFilter::default();
    let mut questions = Vec::new();
    for at in [0, 999, 1_200] {
        let page = listed(&library, &all, PastOnly::All, Some(at), None);
        assert_eq!(page.first as usize, questions.len());
        assert_eq!((page.n_shown, page.n_all), (1_203, 1_203));
        assert_eq!((page.n_found_nothing, page.n_changed), (121, None));
        let agents: Vec<u32> = page.agents.iter().map(|it| it.n_questions).collect();
        assert_eq!(agents, [301, 902]);
        // 1,200 hours, at whatever hour a day begins in this time zone, and the rows without a time.
        let of_days: u32 = page.days.iter().map(|day| day.n_questions).sum();
        assert_eq!(of_days, 1_203);
        assert!(
            (51..=52).contains(&page.days.len()),
            "{} days",
            page.days.len()
        );
        assert_eq!(page.days[1].n_questions, 24);
        let last = page.days.last().expect("a day");
        assert_eq!((last.at_ms, last.n_questions), (None, 3));
        questions.extend(page.rows.into_iter().map(|row| row.question));
    }
    assert_eq!(questions.len(), N);
    assert_eq!(questions[0], "Où is relay 1199");
    assert_eq!(questions[N - 1], "Où is relay 1200");
    assert_eq!(questions.iter().collect::<HashSet<_>>().len(), N);
    // Places beyond the end.
    let beyond = listed(&library, &all, PastOnly::All, Some(90_000), None);
    assert_eq!((beyond.first, beyond.rows.len()), (1_000, 203));
}

#[test]
fn a_filter_is_of_all_questions_and_not_of_a_page() {
    let (_dir, library) = library();
    let oldest = listed(&library, &text("RELAY où 7"), PastOnly::All, None, None);
    assert_eq!(oldest.n_shown, 309, "those with a 7 in their number");
    assert_eq!(
        oldest.rows.last().map(|row| row.question.as_str()),
        Some("Où is relay 7")
    );
    assert_eq!(oldest.n_all, 1_203);
    let nothing = listed(
        &library,
        &PastFilter::default(),
        PastOnly::FoundNothing,
        None,
        None,
    );
    assert_eq!((nothing.n_shown, nothing.rows.len()), (121, 121));
    let of_codex = PastFilter {
        agent: Some("codex".to_owned()),
        ..text("7")
    };
    let both = listed(&library, &of_codex, PastOnly::FoundNothing, None, None);
    // Twenty times as many, each with a 7.
    assert!(
        both.rows
            .iter()
            .all(|row| row.agent == "codex" && row.n_returned == Some(0))
    );
    assert_eq!(both.n_shown, 5);
    // Without a replay, no question is known to have changed.
    let changed = listed(
        &library,
        &PastFilter::default(),
        PastOnly::Changed,
        None,
        None,
    );
    assert_eq!((changed.n_shown, changed.days.len()), (0, 0));
}

#[test]
fn openings_are_listed_beside_searches_and_are_never_asked_again() {
    let dir = scratch();
    let log = ReadLog {
        path: "/log".to_owned(),
        agent: "claude-code".to_owned(),
        cursor: None,
        n_bytes: 0,
        stamp: String::new(),
        problem: None,
    };
    let opening = NewPast {
        agent: "claude-code".to_owned(),
        session: "-home-sam".to_owned(),
        call: "open:1".to_owned(),
        at_ms: Some(FIRST_MS),
        is_opening: true,
        has_failed: false,
        is_pattern: false,
        served: None,
        question: String::new(),
        settings: "{}".to_owned(),
        returned: None,
        opened: format!(r#"[{{"path":"/m/topic.md","lines":[3,9],"at_ms":{FIRST_MS}}}]"#),
        cited: "[]".to_owned(),
    };
    let failed = NewPast {
        call: "2".to_owned(),
        is_opening: false,
        has_failed: true,
        is_pattern: false,
        served: None,
        question: "pump".to_owned(),
        opened: "[]".to_owned(),
        ..opening.clone()
    };
    let mut store = Store::open(dir.path()).expect("nobody else writes");
    store
        .keep_past(&log, &[opening, failed], &[])
        .expect("they can be kept");
    drop(store);
    let library = Library::open(dir.path(), hashing()).expect("it is a library");
    let list = |only| listed(&library, &PastFilter::default(), only, None, None);
    let all = list(PastOnly::All);
    assert_eq!((all.n_shown, all.n_all, all.n_openings), (2, 2, 1));
    assert_eq!((all.days[0].n_questions, all.days[0].n_openings), (1, 1));
    assert_eq!(
        (all.agents[0].n_questions, all.agents[0].n_openings),
        (1, 1)
    );
    assert!(all.rows[0].has_failed && !all.rows[0].is_opening);
    let openings = list(PastOnly::Openings);
    let [row] = openings.rows.as_slice() else {
        panic!("{openings:?}");
    };
    assert!(row.is_opening);
    assert_eq!(row.opened[0].path, "/m/topic.md");
    assert_eq!(list(PastOnly::Searches).rows.len(), 1);
    let sessions = past::autopsy_choices(&library, None).expect("it is a library");
    assert_eq!(sessions.sessions[0].session, "-home-sam");
    // An opening is not a question.
    let error = past::then_now(&library, &row.id, None).expect_err("it is an opening");
    assert_eq!(
        error.to_string(),
        format!(
            "cannot ask past entry {0} again: it is an opening of notes and not a search; `memlens recall show {0}` prints it",
            row.id
        )
    );
    assert_eq!(
        past::list(&library, &PastFilter::default())
            .expect("they are read")
            .len(),
        1
    );
    let replay = past::replay(&library, &PastFilter::default(), None);
    let replay = replay
        .expect("it can be replayed")
        .expect("nobody stopped it");
    assert_eq!(replay.n_questions, 1);
    let queries = past::queries_text(&library, &PastFilter::default(), dir.path())
        .expect("they can be exported");
    assert_eq!(queries.lines().count(), 1, "{queries}");
}

#[test]
fn the_page_of_an_opened_question_is_found() {
    let (_dir, library) = library();
    let all = PastFilter::default();
    let last = listed(&library, &all, PastOnly::All, Some(1_200), None);
    let wanted = &last.rows[100];
    let around = listed(&library, &all, PastOnly::All, None, Some(&wanted.id));
    assert_eq!((around.first, around.open_at), (1_000, Some(1_100)));
    assert_eq!(&around.rows[100], wanted);
    // Its place is given beside another page, and missing if the filter excludes it.
    let first = listed(&library, &all, PastOnly::All, Some(3), Some(&wanted.id));
    assert_eq!((first.first, first.open_at), (0, Some(1_100)));
    let filtered = listed(
        &library,
        &text("1199"),
        PastOnly::All,
        None,
        Some(&wanted.id),
    );
    assert_eq!((filtered.first, filtered.open_at), (0, None));
    let gone = listed(&library, &all, PastOnly::All, None, Some("no id"));
    assert_eq!((gone.first, gone.open_at), (0, None));
}

#[test]
fn what_is_offered_elsewhere_reads_no_list() {
    let (_dir, library) = library();
    let offered = past::complete(&library, "RELAY 11").expect("they can be looked for");
    let newest = (1_194..1_200)
        .rev()
        .map(|at| format!("Où is relay {at}"))
        .collect::<Vec<_>>();
    assert_eq!(offered, newest);
    let choices = past::autopsy_choices(&library, Some("codex")).expect("they can be looked for");
    assert_eq!(choices.agents.len(), 2);
    let sessions: Vec<&str> = choices
        .sessions
        .iter()
        .map(|it| it.session.as_str())
        .collect();
    assert_eq!(sessions.len(), 31);
    assert_eq!(sessions[..2], ["s29", "s28"]);
    assert_eq!(
        choices.sessions[0].at_ms,
        Some((FIRST_MS + 1_196 * 3_600_000) as f64)
    );
}
