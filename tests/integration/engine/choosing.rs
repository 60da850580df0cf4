//! The user's choices for reranking, in an open library: they take effect at once, outlive the program, and are deleted
//! with everything else. Nothing is sent before reranking is switched on.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use memlens_engine::{
    Engine, EngineError, HttpChoice, IndexerError, KeyState, ModelChoice, RerankChange,
    RerankSettings, acts, providers, rerank_calls,
};
use memlens_faults::{Fault, Place};
use memlens_params::{Params, RerankMode, StageId};
use memlens_rank::{Columns, Status};
use memlens_store::Store;
use memlens_tests::{Notes, Provider, fresh, hashing, open};
use serde_json::json;

const QUERY: &str = "where is the router";

fn notes() -> Notes {
    Notes::new(&[
        ("attic.md", "Where the boxes are, a router is not."),
        ("hall.md", "The router stands in the hall."),
        ("soup.md", "Soup is made of leeks."),
    ])
}

fn engine(dir: &Path) -> Engine {
    Engine::open(dir, hashing(), Arc::new(|_| {})).expect("it can be opened")
}

fn tei(url: &str, is_on: bool) -> HttpChoice {
    HttpChoice {
        kind: "tei".to_owned(),
        url: url.to_owned(),
        model: None,
        shape: None,
        key_env: None,
        timeout_ms: Some(60_000),
        is_on,
    }
}

fn by_http() -> Params {
    Params {
        rerank: RerankMode::Http,
        min_score: 0.0,
        ..Params::default()
    }
}

/// Asks a question and reranks it over HTTP.
fn ask(engine: &Engine) -> Columns {
    let params = by_http();
    let search = engine.library().search(QUERY, &params, None);
    let id = search.expect("it can be searched").id;
    let asked = engine.library().ask(id, &params).expect("it can be asked");
    asked.columns(&params)
}

fn rerank(columns: &Columns) -> &Status {
    let mut stages = columns.stages.iter();
    let stage = stages.find(|stage| stage.id == StageId::RERANK);
    &stage.expect("it is one").status
}

fn why(status: &Status) -> &str {
    match status {
        Status::Fallback { why } => why,
        Status::Applied | Status::Skipped { .. } => panic!("{status:?}"),
    }
}

fn change(engine: &Engine, change: RerankChange) -> RerankSettings {
    acts::change_rerank(engine, change).expect("it can be changed");
    providers::rerank_settings(engine.library()).expect("they can be read")
}

#[test]
fn a_provider_counts_from_when_it_is_on_until_it_is_off() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let provider = Provider::start();
    assert!(why(rerank(&ask(&engine))).contains("no provider is set"));

    // Set but not on: the provider is not asked, not even by a search that chooses it.
    let settings = change(
        &engine,
        RerankChange::Http(tei(&provider.url(), false), None),
    );
    let http = settings.http.expect("it is set");
    assert_eq!(
        (http.host.as_str(), http.is_remote),
        (provider.host(), false)
    );
    assert_eq!(http.key, KeyState::NotAsked);
    assert!(why(rerank(&ask(&engine))).contains("switched off for this library"));
    assert_eq!(provider.requests(), []);
    // The user can still test it; no note is sent.
    let test = providers::test_rerank_http(engine.library(), None).expect("it answers");
    assert_eq!((test.scores.len(), test.scale), (2, "unit"));
    let sent = provider.requests();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].texts().iter().all(|text| !text.contains("router")));

    change(
        &engine,
        RerankChange::Http(tei(&provider.url(), true), None),
    );
    let columns = ask(&engine);
    assert_eq!(rerank(&columns), &Status::Applied);
    assert_eq!(columns.n_pending, 0);
    assert_eq!(provider.requests().len(), 1);
    // The scores are cached, also for a search of another process.
    assert_eq!(rerank(&ask(&engine)), &Status::Applied);
    let other = open(dir.path());
    let search = other
        .search(QUERY, &by_http(), None)
        .expect("it can be searched");
    let asked = other.ask(search.id, &by_http()).expect("it can be asked");
    assert_eq!(rerank(&asked.columns(&by_http())), &Status::Applied);
    assert_eq!(provider.requests(), []);
    let calls = rerank_calls(engine.library()).expect("they are kept");
    let calls: Vec<(&str, u32, bool)> = calls
        .iter()
        .map(|call| (call.provider.as_str(), call.n_docs, call.ok))
        .collect();
    assert_eq!(calls, [("tei", 3, true)]);

    // Off: the settings stay, and none of them is used.
    let settings = change(&engine, RerankChange::HttpOff);
    assert_eq!(
        settings.http.map(|http| (http.is_on, http.url)),
        Some((false, provider.url()))
    );
    assert!(why(rerank(&ask(&engine))).contains("switched off for this library"));
    assert_eq!(provider.requests(), []);
}

#[test]
fn choices_outlive_the_program_and_go_with_everything_else() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let provider = Provider::start();
    let hook = vec!["sort".to_owned(), "-r".to_owned()];
    {
        let engine = engine(dir.path());
        change(
            &engine,
            RerankChange::Http(tei(&provider.url(), true), None),
        );
        change(&engine, RerankChange::Hook(Some(hook.clone())));
        assert_eq!(rerank(&ask(&engine)), &Status::Applied);
    }
    let engine = engine(dir.path());
    let settings = providers::rerank_settings(engine.library()).expect("they can be read");
    assert_eq!(settings.hook, Some(hook));
    let http = settings.http.expect("it is set");
    assert_eq!(
        (http.url, http.timeout_ms, http.is_on),
        (provider.url(), Some(60_000), true)
    );
    let cache = dir.path().join("rerank.sqlite");
    assert!(cache.exists());
    let model = dir.path().join("models/bge-reranker-base");
    std::fs::create_dir_all(model.join("onnx")).expect("it can be made");

    engine.erase_all().expect("it can be erased");
    let settings = providers::rerank_settings(engine.library()).expect("they can be read");
    assert_eq!(
        (settings.http, settings.model, settings.hook),
        (None, None, None)
    );
    assert!(!cache.exists() && !model.exists());
    assert_eq!(rerank_calls(engine.library()).expect("there are none"), []);
    let key = Store::open_read_only(dir.path()).expect("it is there");
    assert_eq!(key.setting("rerank_http").expect("it can be read"), None);
}

/// Starts a server that reports each request and answers it when it is allowed to.
fn slow_provider() -> (Provider, Receiver<()>, Sender<()>) {
    let (reported, asked) = channel();
    let (may, allowed) = channel::<()>();
    let provider = Provider::answering(move |request| {
        let _ = reported.send(());
        let _ = allowed.recv();
        let results: Vec<_> = (0..request.texts().len())
            .map(|index| json!({"index": index, "relevance_score": 0.5}))
            .collect();
        (200, json!({ "results": results }).to_string())
    });
    (provider, asked, may)
}

#[test]
fn a_test_of_a_provider_that_was_changed_meanwhile_says_nothing_of_the_new_one() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let (provider, asked, may) = slow_provider();
    let other = Provider::start();
    let library = open(dir.path());
    let set = |url: &str| {
        // Another process makes the change.
        let changed = acts::change_rerank(
            &open(dir.path()).to_write(),
            RerankChange::Http(tei(url, true), None),
        );
        changed.expect("it can be changed");
    };
    set(&provider.url());
    std::thread::scope(|scope| {
        let test = scope.spawn(|| providers::test_rerank_http(&library, None));
        asked.recv().expect("it is asked");
        set(&other.url());
        may.send(()).expect("it waits");
        let error = test.join().expect("it ends").expect_err("it is of another");
        assert_eq!(
            error.to_string(),
            "cannot use the answer of the test: the provider changed during the test; test it again"
        );
    });
    let test = providers::test_rerank_http(&library, None).expect("it answers");
    assert_eq!(test.host, other.host());
}

#[test]
fn scores_of_the_provider_before_do_not_come_back() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let (provider, asked, may) = slow_provider();
    change(
        &engine,
        RerankChange::Http(tei(&provider.url(), true), None),
    );
    let library = engine.library();
    let first = Params {
        rerank_max_docs: 2,
        ..by_http()
    };
    let id = library
        .search(QUERY, &first, None)
        .expect("it can be searched")
        .id;
    may.send(()).expect("it waits");
    let scored = library.ask(id, &first).expect("it can be asked");
    assert_eq!(rerank(&scored.columns(&first)), &Status::Applied);
    asked.recv().expect("it was asked");
    // A call for one more row is under way, with cached scores of the others. It ends only after the change.
    let ending = Fault::at(Place::Scores, dir.path()).only("record a call");
    let ending = ending.hangs();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| library.ask(id, &by_http()));
        asked.recv().expect("it is asked");
        change(
            &engine,
            RerankChange::Http(tei(&Provider::start().url(), true), None),
        );
        ending.wait();
        drop((ending, may));
        call.join().expect("it ends").expect("it was only stopped");
    });
    let kept = library.kept(id).expect("it is kept");
    assert_eq!(kept.columns(&first).n_pending, 2);
    assert_eq!(kept.set().rerank, []);
}

#[test]
fn scores_of_two_providers_are_not_mixed() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let set = |provider: &Provider| {
        // Another process makes the change; this one is not notified.
        let changed = acts::change_rerank(
            &open(dir.path()).to_write(),
            RerankChange::Http(tei(&provider.url(), true), None),
        );
        changed.expect("it can be changed");
    };
    let [one, other] = std::array::from_fn(|_| Provider::start());
    set(&one);
    let fewer = Params {
        rerank_max_docs: 2,
        ..by_http()
    };
    let id = library
        .search(QUERY, &fewer, None)
        .expect("it can be searched")
        .id;
    library.ask(id, &fewer).expect("it can be asked");
    set(&other);
    library.ask(id, &by_http()).expect("it can be asked");
    let texts = |provider: &Provider| {
        let requests = provider.requests();
        requests.iter().map(|it| it.texts().len()).sum::<usize>()
    };
    assert_eq!((texts(&one), texts(&other)), (2, 3));
}

#[test]
fn what_cannot_be_used_changes_nothing() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let provider = Provider::start();
    change(
        &engine,
        RerankChange::Http(tei(&provider.url(), true), None),
    );
    change(&engine, RerankChange::Hook(Some(vec!["sort".to_owned()])));
    let before = providers::rerank_settings(engine.library()).expect("they can be read");
    let empty = tempfile::tempdir().expect("a scratch folder can be made");
    let folder = ModelChoice {
        name: None,
        folder: Some(empty.path().display().to_string()),
    };
    let neither = ModelChoice {
        name: None,
        folder: None,
    };
    for refused in [
        RerankChange::Http(tei("http://tei.example", true), None),
        RerankChange::Http(tei(&provider.url(), true), Some("a key".to_owned())),
        RerankChange::Model(Some(folder)),
        RerankChange::Model(Some(neither)),
        RerankChange::Hook(Some(Vec::new())),
        RerankChange::Hook(Some(vec!["a/b".to_owned()])),
    ] {
        let error = acts::change_rerank(&engine, refused).expect_err("it cannot be used");
        assert!(matches!(error, EngineError::Rerank(_)), "{error}");
    }
    let after = providers::rerank_settings(engine.library()).expect("they can be read");
    assert_eq!(after, before);
}

#[test]
fn a_library_that_is_only_read_keeps_its_choices() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let writer = engine(dir.path());
    let reader = engine(dir.path());
    let provider = Provider::start();
    let refused = acts::change_rerank(
        &reader,
        RerankChange::Http(tei(&provider.url(), true), None),
    );
    assert!(matches!(
        refused,
        Err(EngineError::Indexer(IndexerError::ReadOnly { .. }))
    ));
    // A model is not even looked for if the choice cannot be stored.
    let nowhere = ModelChoice {
        name: None,
        folder: Some("/nowhere".to_owned()),
    };
    let refused = acts::change_rerank(&reader, RerankChange::Model(Some(nowhere)));
    assert!(matches!(
        refused,
        Err(EngineError::Indexer(IndexerError::ReadOnly { .. }))
    ));
    // The writer's choice takes effect for the reader at once.
    change(
        &writer,
        RerankChange::Http(tei(&provider.url(), true), None),
    );
    assert_eq!(rerank(&ask(&reader)), &Status::Applied);
    change(&writer, RerankChange::HttpOff);
    // The scores are cached, and new ones are not requested.
    let search = reader
        .library()
        .search("another question", &by_http(), None);
    let id = search.expect("it can be searched").id;
    let asked = reader
        .library()
        .ask(id, &by_http())
        .expect("it can be asked");
    assert!(why(rerank(&asked.columns(&by_http()))).contains("switched off"));
    assert_eq!(provider.requests().len(), 1);
}

#[test]
fn a_provider_that_takes_too_long_is_given_up_by_its_own_timeout() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let provider = Provider::answering(move |_| {
        // Blocks until the test ends.
        let _ = receiver.recv();
        (200, "[]".to_owned())
    });
    let choice = HttpChoice {
        timeout_ms: Some(100),
        ..tei(&provider.url(), true)
    };
    change(&engine, RerankChange::Http(choice, None));
    assert!(why(rerank(&ask(&engine))).contains("no answer within the timeout"));
    drop(sender);
}

#[test]
fn a_host_is_new_until_it_was_agreed_to() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let host = |choice: &HttpChoice| {
        providers::new_host(engine.library(), choice).expect("it can be explained")
    };
    let remote = tei("https://tei.example", true);
    assert_eq!(host(&remote).as_deref(), Some("tei.example"));
    assert_eq!(host(&tei("http://127.0.0.1:1", true)), None);
    change(
        &engine,
        RerankChange::Http(tei("https://tei.example", false), None),
    );
    assert_eq!(host(&tei("https://tei.example/other", false)), None);
    assert_eq!(host(&remote).as_deref(), Some("tei.example"), "it was off");
    let with_variable = HttpChoice {
        key_env: Some("PATH".to_owned()),
        ..tei("https://tei.example", false)
    };
    assert_eq!(host(&with_variable).as_deref(), Some("tei.example"));
}

#[test]
fn a_folder_with_a_model_is_new_until_it_was_agreed_to() {
    let notes = notes();
    let dir = fresh(&[notes.path()]);
    let engine = engine(dir.path());
    let new = |choice: Option<&ModelChoice>| {
        let folder = providers::new_model_folder(engine.library(), choice);
        folder.expect("it can be explained")
    };
    let in_folder = |folder: &str| ModelChoice {
        name: None,
        folder: Some(folder.to_owned()),
    };
    assert_eq!(new(None), None);
    let named = ModelChoice {
        name: Some("bge-reranker-base".to_owned()),
        folder: None,
    };
    assert_eq!(new(Some(&named)), None);
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/tiny-cross");
    let tiny = in_folder(tiny.to_str().expect("it is text"));
    assert_eq!(new(Some(&tiny)), tiny.folder);
    change(&engine, RerankChange::Model(Some(tiny.clone())));
    assert_eq!(new(Some(&tiny)), None);
    // Only the folder that was agreed to counts, not another name of it or of another folder.
    let other = tiny.folder.clone().map(|folder| folder + "/");
    for folder in [other.as_deref().unwrap_or_default(), "/", ""] {
        assert_eq!(new(Some(&in_folder(folder))).as_deref(), Some(folder));
    }
    change(&engine, RerankChange::Model(None));
    assert_eq!(new(Some(&tiny)), tiny.folder);
}
