//! Outside rerankers: scores and a command's answer become facts of a kept search, come from the cache the next time,
//! and go with the settings. A failure leaves the fused order, also a model that is not ready in time. A stopped call
//! is not a failure.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use memlens_embed::Hashing;
use memlens_engine::{
    EmbedderSource, EngineError, Library, ModelChoice, RerankChange, Search, WhyNot, acts, report,
    rerank_calls, sent_texts, why_typed,
};
use memlens_faults::{Fault, Place};
use memlens_params::{HookMode, ParameterSet, Params, RerankMode, StageId};
use memlens_rank::{Columns, RerankScale, RerankState, Status};
use memlens_store::ScoreCache;
use memlens_tests::{Notes, fresh, index, open};

const QUERY: &str = "where is the router";

fn notes() -> Notes {
    Notes::new(&[
        (
            "attic.md",
            "A router stood in the attic once, beside where the boxes are.",
        ),
        ("hall.md", "Where is the router? The router is in the hall."),
        ("soup.md", "Soup is made of leeks."),
    ])
}

fn late() -> Params {
    Params {
        rerank: RerankMode::Late,
        min_score: 0.0,
        ..Params::default()
    }
}

fn hooked() -> Params {
    Params {
        hook: HookMode::On,
        hook_timeout_ms: 60_000,
        min_score: 0.0,
        ..Params::default()
    }
}

fn search(library: &Library, params: &Params) -> Arc<Search> {
    let search = library.search(QUERY, params, None);
    search.expect("it can be searched")
}

fn ask(library: &Library, params: &Params) -> Columns {
    let id = search(library, params).id;
    let asked = library.ask(id, params).expect("it can be asked");
    asked.columns(params)
}

fn status(columns: &Columns, stage: StageId) -> &Status {
    let mut stages = columns.stages.iter();
    &stages.find(|it| it.id == stage).expect("it is one").status
}

/// Sets a line of shell as the rerank command of `library`.
fn command(library: &Library, line: &str) {
    let command = ["/bin/sh", "-c", line].map(str::to_owned).to_vec();
    let changed = acts::change_rerank(&library.to_write(), RerankChange::Hook(Some(command)));
    changed.expect("it is a command");
}

fn paths(library: &Library, search: &Search, columns: &Columns) -> Vec<String> {
    let kept = library.kept(search.id).expect("it is kept");
    columns.order[..columns.n_kept as usize]
        .iter()
        .map(|slot| kept.row(*slot).expect("it is a row").path)
        .collect()
}

#[test]
fn scores_are_kept_with_the_search_and_in_the_cache() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = late();
    let first = search(&library, &params);
    let before = first.columns(&params);
    assert_eq!((before.n_pending, before.rerank_scale), (3, None));
    let asked = library.ask(first.id, &params).expect("it can be asked");
    let columns = asked.columns(&params);
    assert_eq!(*status(&columns, StageId::RERANK), Status::Applied);
    assert_eq!(columns.n_pending, 0);
    assert_eq!(columns.rerank_scale, Some(RerankScale::MaxSim));
    let cells = columns.cells_of("rerank").expect("it has a column");
    assert_eq!(cells.state, [Some(RerankState::Scored); 3]);
    let kept = library.kept(first.id).expect("it is kept");
    assert_eq!(kept.columns(&params).cells_of("rerank"), Some(cells));
    assert_eq!(
        rerank_calls(&library).expect("it can be explained").len(),
        1
    );
    // Fewer rows need no new call.
    let fewer = Params {
        rerank_max_docs: 2,
        ..params.clone()
    };
    assert_eq!(kept.columns(&fewer).n_pending, 0);

    // Another process finds the same numbers without a new call.
    drop(library);
    let library = open(dir.path());
    let again = ask(&library, &params);
    let values = again.cells_of("rerank").map(|cells| &cells.value);
    assert_eq!(values, Some(&cells.value));
    assert_eq!(
        rerank_calls(&library).expect("it can be explained").len(),
        1
    );
}

#[test]
fn a_reranker_that_is_not_set_up_leaves_the_fused_order_and_says_so() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let fused = Params {
        min_score: 0.0,
        ..Params::default()
    };
    let expected = search(&library, &fused).columns(&fused).order;
    for rerank in [RerankMode::Http, RerankMode::Model] {
        let params = Params {
            rerank,
            ..fused.clone()
        };
        let columns = ask(&library, &params);
        let Status::Fallback { why } = status(&columns, StageId::RERANK) else {
            panic!("{rerank:?} is not set up");
        };
        assert!(why.starts_with("cannot rerank with "), "{why}");
        assert_eq!(columns.order, expected);
        assert_eq!(columns.n_pending, 0, "nothing waits for what has failed");
        let found = search(&library, &params);
        let asked = library.ask(found.id, &params).expect("it can be asked");
        let report = report(&library, &asked, &params).expect("it can be explained");
        assert!(report.notices.iter().any(|notice| notice.contains(why)));
    }
}

#[test]
fn a_command_reorders_rescores_and_drops() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = hooked();
    command(
        &library,
        r#"cat >/dev/null; echo '{"results":[{"path":"soup.md","startLine":1,"endLine":1,"score":0.9},{"path":"hall.md","startLine":1,"endLine":1}]}'"#,
    );
    let first = search(&library, &params);
    assert!(first.columns(&params).hook_pending);
    let asked = library.ask(first.id, &params).expect("it can be asked");
    let columns = asked.columns(&params);
    assert_eq!(paths(&library, &first, &columns), ["soup.md", "hall.md"]);
    let soup = columns.order[0] as usize;
    assert_eq!(columns.score[soup], Some(0.9));
    let attic = columns.order[2] as usize;
    assert_eq!(columns.dropped_by[attic], Some(StageId::HOOK));
    // Other rows make another question.
    let fewer = Params {
        max_results: 1,
        ..params.clone()
    };
    assert!(asked.columns(&fewer).hook_pending);
}

#[test]
fn what_a_command_dropped_comes_back_by_what_was_shown_to_work_alone() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = hooked();
    command(&library, r#"cat >/dev/null; echo '{"results":[]}'"#);
    let first = search(&library, &params);
    let asked = library.ask(first.id, &params).expect("it can be asked");
    assert_eq!(asked.columns(&params).n_kept, 0);
    let answer =
        why_typed(&library, &asked, &params, "hall.md", None).expect("it can be explained");
    let WhyNot::Searched { chunks, .. } = answer.why else {
        panic!("it was searched")
    };
    // A threshold one step higher would only ask the command about other rows.
    let fixes = chunks[0].fixes.as_deref().expect("it was asked about");
    let parameters: Vec<&str> = fixes.iter().map(|fix| fix.parameter.as_str()).collect();
    assert_eq!(parameters, ["hook_on"]);
    for fix in fixes {
        let mut changed = params.clone();
        changed
            .set(&fix.parameter, fix.to.clone())
            .expect("it is a value of it");
        assert!(asked.columns(&changed).n_kept > 0);
    }
}

#[test]
fn a_command_that_fails_leaves_the_order_and_is_asked_again() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = hooked();
    command(&library, "exit 1");
    let first = search(&library, &params);
    let expected = first.columns(&params).order;
    let failed = library.ask(first.id, &params).expect("it can be asked");
    let columns = failed.columns(&params);
    assert!(matches!(
        status(&columns, StageId::HOOK),
        Status::Fallback { .. }
    ));
    assert_eq!(columns.order, expected);
    command(&library, r#"cat >/dev/null; echo '{}'"#);
    let asked = library.ask(first.id, &params).expect("it can be asked");
    let columns = asked.columns(&params);
    assert_eq!(*status(&columns, StageId::HOOK), Status::Applied);
    assert_eq!(columns.order, expected);
}

#[test]
fn what_is_stopped_has_not_failed() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let params = hooked();
    let started = dir.path().join("started");
    command(
        &library,
        &format!("touch '{}'; sleep 600", started.display()),
    );
    let first = search(&library, &params);
    let asked = thread::scope(|scope| {
        let asking = scope.spawn(|| library.ask(first.id, &params));
        wait_for(&started);
        library.cancel_asking();
        asking.join().expect("it does not panic")
    });
    let columns = asked.expect("it is no failure").columns(&params);
    assert!(columns.hook_pending, "it can be asked again");
}

#[test]
fn asking_about_a_search_that_is_gone_says_so() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let gone = library.ask(4711, &late());
    assert!(matches!(gone, Err(EngineError::SearchGone { id: 4711 })));
}

#[test]
fn what_is_sent_is_cut_between_characters() {
    let notes = Notes::new(&[("long.md", &"ü".repeat(900))]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let sent = |rerank, rerank_max_chars| {
        let params = Params {
            rerank,
            rerank_max_chars,
            ..Params::default()
        };
        let found = search(&library, &params);
        let mut texts = sent_texts(&found, &params, &[0]).expect("it can be explained");
        let text = texts.remove(0);
        (text.text.chars().count(), text.cut, text.sent)
    };
    assert_eq!(sent(RerankMode::Http, 500), (500, true, true));
    assert_eq!(sent(RerankMode::Http, 0), (900, false, true));
    assert_eq!(sent(RerankMode::Http, 900), (900, false, true));
    assert_eq!(sent(RerankMode::Late, 500), (900, false, true));
    assert_eq!(sent(RerankMode::Off, 500), (900, false, false));
}

fn wait_for(path: &Path) {
    let patience = Instant::now();
    while fs::metadata(path).is_err() {
        assert!(
            patience.elapsed() < Duration::from_secs(60),
            "it never started"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_reranker_that_loads_too_slowly_is_reported_and_kept_for_the_next_time() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    // The search's own model is ready at once, the reranker's models when the test allows it.
    let (let_go, gate) = channel::<()>();
    let (n_made, gate) = (Arc::new(AtomicUsize::new(0)), Mutex::new(gate));
    let counter = n_made.clone();
    let source: EmbedderSource = Arc::new(move |_| {
        if counter.fetch_add(1, Ordering::Relaxed) > 0 {
            // The wait ends when the sender is dropped.
            let _ = gate.lock().expect("nobody panics with it").recv();
        }
        Ok(Box::new(Hashing::default()))
    });
    let library = Library::open(dir.path(), source).expect("it can be opened");
    let params = Params {
        rerank_timeout_ms: 2_000,
        ..late()
    };
    let first = search(&library, &params);
    let fused = Params {
        rerank: RerankMode::Off,
        ..params.clone()
    };
    let expected = first.columns(&fused).order;
    let asked = library.ask(first.id, &params).expect("it can be asked");
    let columns = asked.columns(&params);
    let Status::Fallback { why } = status(&columns, StageId::RERANK) else {
        panic!("its model cannot be there");
    };
    assert!(
        why.starts_with("cannot rerank yet: the model is still loading"),
        "{why}"
    );
    assert!(asked.is_reranker_loading);
    assert_eq!(columns.order, expected);

    // A call that is stopped while it is waited for has not failed.
    let patient = Params {
        rerank_timeout_ms: 60_000,
        ..params.clone()
    };
    let (begun, begins) = channel();
    let stopped = thread::scope(|scope| {
        let asking = scope.spawn(|| {
            begun.send(()).expect("it is waited for");
            library.ask(first.id, &patient)
        });
        begins.recv().expect("it begins");
        while !asking.is_finished() {
            library.cancel_asking();
            thread::yield_now();
        }
        asking.join().expect("it does not panic")
    });
    let stopped = stopped.expect("it is no failure");
    assert!(!stopped.is_reranker_loading);
    assert_eq!(stopped.columns(&patient).n_pending, 3);

    drop(let_go);
    let asked = library.ask(first.id, &patient).expect("it can be asked");
    assert!(!asked.is_reranker_loading);
    let columns = asked.columns(&patient);
    assert_eq!(*status(&columns, StageId::RERANK), Status::Applied);
    assert_eq!(columns.n_pending, 0);
    // The search's model, and the two of late interaction that were started for the first call.
    assert_eq!(n_made.load(Ordering::Relaxed), 3);
}

#[test]
fn what_a_model_scored_before_it_was_stopped_is_not_scored_again() {
    const N_NOTES: u32 = 40;
    let texts: Vec<(String, String)> = (0..N_NOTES)
        .map(|at| {
            let text = format!("Where is router {at}? {}", "It hums. ".repeat(150));
            (format!("{at}.md"), text)
        })
        .collect();
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let notes = Notes::new(&texts);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tiny-cross");
    let choice = ModelChoice {
        name: None,
        folder: tiny.to_str().map(str::to_owned),
    };
    let chosen = acts::change_rerank(&library.to_write(), RerankChange::Model(Some(choice)));
    chosen.expect("it is a model");
    let calls = || rerank_calls(&library).expect("they can be explained");
    let all = Params {
        rerank: RerankMode::Model,
        rerank_max_docs: N_NOTES,
        rerank_max_chars: 0,
        rerank_timeout_ms: 60_000,
        ..late()
    };
    let one = Params {
        rerank_max_docs: 1,
        ..all.clone()
    };
    assert_eq!(ask(&library, &one).n_pending, 0);
    let model = calls()[0].model.clone();

    let first = search(&library, &all);
    let slots: Vec<u32> = (0..N_NOTES).collect();
    let sent = sent_texts(&first, &all, &slots);
    let sent = sent.expect("they can be explained");
    let sent: Vec<&str> = sent.iter().map(|sent| sent.text.as_str()).collect();
    // Scores are kept four at a time; the call is stopped while it keeps the second four.
    let keeping = Fault::at(Place::Scores, dir.path()).only("keep scores");
    let keeping = keeping.after(1).times(1).hangs();
    let stopped = thread::scope(|scope| {
        let asking = scope.spawn(|| library.ask(first.id, &all));
        keeping.wait();
        library.cancel_asking();
        drop(keeping);
        asking.join().expect("it does not panic")
    });
    let stopped = stopped.expect("it is no failure").columns(&all);
    let n_left = N_NOTES - 1 - 2 * 4;
    assert_eq!(stopped.n_pending, n_left);
    let cache = ScoreCache::open(dir.path()).expect("it is there");
    let scores = cache.scores(QUERY, "model", &model, &sent);
    let scores = scores.expect("they can be read");
    assert_eq!(scores.iter().flatten().count() as u32, N_NOTES - n_left);

    let asked = library.ask(first.id, &all).expect("it can be asked");
    assert_eq!(asked.columns(&all).n_pending, 0);
    let last = &calls()[0];
    assert!(last.ok && last.n_docs == n_left, "{last:?} of {n_left}");
}

#[test]
fn a_note_that_changed_since_the_search_is_not_sent() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    command(&library, "cat >/dev/null; echo '{}'");
    let found = search(&library, &late());
    notes.write("hall.md", "The router is in the cellar now.");
    index(dir.path(), &[notes.path()]);
    for (params, stage) in [(late(), StageId::RERANK), (hooked(), StageId::HOOK)] {
        let asked = library.ask(found.id, &params).expect("it can be asked");
        let columns = asked.columns(&params);
        let Status::Fallback { why } = status(&columns, stage) else {
            panic!("its text is gone");
        };
        let expected = "cannot send hall.md: it has changed since the search; search again";
        assert_eq!(why, expected);
    }
    assert_eq!(rerank_calls(&library).expect("there are none"), []);
    assert_eq!(ask(&library, &late()).n_pending, 0, "it is searched again");
}
