//! A change of the embedding model: the model in use answers until the vectors of the other are whole, whatever happens
//! meanwhile, and the library then equals one that was indexed by the other from the beginning.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memlens_embed::{EmbedError, Embedder, Model};
use memlens_engine::view::IfTaken;
use memlens_engine::{
    ChangeStep, Choice, EmbedderSource, EngineError, Indexer, IndexerError, Library, Metric,
    Purpose, Watching, acts, choose_model, embedding_models, preset, report, tuning,
};
use memlens_faults::{Fault, Place};
use memlens_params::Params;
use memlens_store::Store;
use memlens_tests::{Asked, Notes, Recording, content, index_with};
use rusqlite::Connection;

use crate::tuning::{ours, wish};
use crate::watched::{Watched, scratch};

const OLD: usize = 32;
const NEW: usize = 48;

fn embedder(dim: usize) -> Box<dyn Embedder> {
    Box::new(Recording::of_dim(dim, &Arc::default()))
}

/// The dimension of the library's vectors; `OLD` if there are none.
fn dim(dir: &Path) -> usize {
    let Ok(store) = Store::open_read_only(dir) else {
        return OLD;
    };
    let made_by = store.embedding_model().expect("it can be read");
    made_by.map_or(OLD, |(_, dim)| dim)
}

/// A source that follows the library, as that of the program does; the multilingual model is `NEW`, the bundled one `OLD`.
fn source(dir: &Path) -> EmbedderSource {
    let dir = dir.to_owned();
    Arc::new(move |purpose| {
        let chosen = || {
            let store = Store::open_read_only(&dir).expect("it can be read");
            match memlens_engine::chosen_model(&store).expect("it is known") {
                Choice::Known(Model::Bundled) => OLD,
                Choice::Known(Model::Multilingual | Model::Static) | Choice::Folder(_) => NEW,
            }
        };
        Ok(embedder(match purpose {
            Purpose::Changing => chosen(),
            Purpose::Query | Purpose::Indexing => dim(&dir),
        }))
    })
}

fn open(dir: &Path) -> Library {
    Library::open(dir, source(dir)).expect("it can be opened")
}

fn notes() -> Notes {
    let notes = Notes::new(&[("a.md", "# Hall\n\nThe hall is long.")]);
    for number in 0..5 {
        notes.write(
            &format!("n{number}.md"),
            format!("# Relay {number}\n\nThe relay {number} is quiet.\n\n## Kitchen\n\nThe kitchen {number} is warm.\n"),
        );
    }
    notes
}

/// The paths of the chunks found, best first.
fn found(library: &Library, question: &str) -> Vec<String> {
    let params = Params {
        min_score: 0.0,
        ..Params::default()
    };
    let search = library
        .search(question, &params, None)
        .expect("it can be searched");
    assert!(
        search.notices.iter().all(|it| !it.contains("words alone")),
        "there are vectors: {:?}",
        search.notices
    );
    let answer = library.answer(&search, &params).expect("it can be shown");
    let kept = &answer.columns.order[..answer.columns.n_kept as usize];
    let paths = kept
        .iter()
        .map(|slot| answer.rows[*slot as usize].path.clone());
    paths.collect()
}

fn n_relays(library: &Library) -> usize {
    let found = found(library, "quiet relay");
    found.iter().filter(|path| path.starts_with('n')).count()
}

fn go_on() -> AtomicBool {
    AtomicBool::new(false)
}

/// Opens the library with the model of its vectors and begins a change.
fn changing(dir: &Path, to: usize) -> Indexer {
    changing_by(dir, to, &Arc::default())
}

/// Like [`changing`], and records what the new model is asked.
fn changing_by(dir: &Path, to: usize, asked: &Arc<Asked>) -> Indexer {
    let (mut indexer, _) = Indexer::open(dir, embedder(dim(dir))).expect("it can be opened");
    indexer.change_model(Box::new(Recording::of_dim(to, asked)));
    indexer
}

fn change(dir: &Path, to: usize) -> u32 {
    let mut indexer = changing(dir, to);
    let step = indexer
        .run_change(&go_on(), &mut ())
        .expect("it can be changed");
    assert!(
        matches!(step, ChangeStep::Taken | ChangeStep::None),
        "{step:?}"
    );
    indexer.counts().n_embedded
}

/// Checks that the library equals a new one of these notes by the model of this dimension.
fn check_equals_fresh(dir: &Path, notes: &Notes, dim: usize) {
    let fresh = scratch();
    index_with(fresh.path(), &[notes.path()], embedder(dim));
    let [found, expected] = [dir, fresh.path()].map(|dir| {
        let library = open(dir);
        let content = content(&library.store());
        (content, self::found(&library, "quiet relay"))
    });
    assert_eq!(found, expected);
    let store = Store::open_read_only(dir).expect("it can be read");
    assert!(store.is_as_saved(dim, &go_on()).expect("it can be checked"));
    let n_left =
        "SELECT count(*) FROM token_counts WHERE embedding NOT IN (SELECT id FROM embeddings)";
    let n_left = database(store.dir()).query_row(n_left, [], |row| row.get::<_, i64>(0));
    assert_eq!(n_left.expect("it can be read"), 0);
}

fn database(dir: &Path) -> Connection {
    Connection::open(dir.join("library.sqlite")).expect("it is SQLite")
}

#[test]
fn the_model_in_use_answers_until_the_other_is_whole() {
    let (notes, dir) = (notes(), scratch());
    index_with(dir.path(), &[notes.path()], embedder(OLD));
    let library = open(dir.path());
    let mut indexer = changing(dir.path(), NEW);
    let mut n_steps = 0;
    loop {
        let step = indexer.change_step(&go_on(), &mut ()).expect("it goes on");
        if n_steps == 2 {
            // What is saved meanwhile is found at once, and embedded by the other model too.
            notes.write("late.md", "The attic is new.");
            notes.write("a.md", "# Hall\n\nThe hall is short.");
            let folder = indexer
                .store()
                .folders()
                .expect("they can be read")
                .remove(0);
            indexer.scan(&folder, &go_on()).expect("it can be walked");
            indexer.run(&go_on(), &mut ()).expect("it can be indexed");
            library.refresh().expect("it can be read");
            assert_eq!(found(&library, "attic")[0], "late.md");
            assert_eq!(found(&library, "short hall")[0], "a.md");
        }
        if step == ChangeStep::Taken {
            break;
        }
        assert_eq!((step, dim(dir.path())), (ChangeStep::More, OLD));
        library.refresh().expect("it can be read");
        assert_eq!(library.lists().vectors.dim(), OLD);
        assert_eq!(n_relays(&library), 5);
        n_steps += 1;
    }
    assert!(n_steps > 6, "{n_steps}");
    assert!(library.refresh().expect("it can be read"));
    assert_eq!(
        (library.lists().vectors.dim(), indexer.model()),
        (NEW, "hashing-48")
    );
    assert_eq!(found(&library, "attic")[0], "late.md");
    drop(indexer);
    check_equals_fresh(dir.path(), &notes, NEW);
}

#[test]
fn going_back_embeds_only_what_is_new_until_the_vectors_are_deleted() {
    let (notes, dir) = (notes(), scratch());
    let counts = index_with(dir.path(), &[notes.path()], embedder(OLD));
    assert_eq!(change(dir.path(), NEW), counts.n_embedded);
    assert_eq!(change(dir.path(), NEW), 0, "it is in use");
    assert_eq!(change(dir.path(), OLD), 0);
    check_equals_fresh(dir.path(), &notes, OLD);
    notes.write("late.md", "The attic is new.");
    index_with(dir.path(), &[notes.path()], embedder(OLD));
    // A chunk and its window are the same text here.
    assert_eq!(change(dir.path(), NEW), 1);
    let library = open(dir.path());
    let refused = acts::forget_vectors(&library.to_write(), "hashing-48");
    assert!(
        matches!(refused, Err(EngineError::VectorsInUse { .. })),
        "{refused:?}"
    );
    let n_deleted =
        acts::forget_vectors(&library.to_write(), "hashing-32").expect("they are not in use");
    assert_eq!(n_deleted, u64::from(counts.n_embedded) + 1);
    let models = embedding_models(&library.store()).expect("they can be listed");
    let others: Vec<(&str, bool)> = models
        .others
        .iter()
        .map(|it| (it.id.as_str(), it.is_in_use))
        .collect();
    assert_eq!(others, [("hashing-48", true)]);
    drop(library);
    assert_eq!(change(dir.path(), OLD), counts.n_embedded + 1);
    check_equals_fresh(dir.path(), &notes, OLD);
}

/// Takes the vectors of a model that the library kept. Returns the number of texts whose tokens were counted for that.
fn go_back(dir: &Path, to: usize) -> usize {
    let asked = Arc::default();
    let mut indexer = changing_by(dir, to, &asked);
    let step = indexer
        .run_change(&go_on(), &mut ())
        .expect("it can be changed");
    assert_eq!((step, indexer.counts().n_embedded), (ChangeStep::Taken, 0));
    assert_eq!(asked.texts(), [""; 0]);
    asked.n_counted()
}

#[test]
fn going_back_reads_no_note_and_counts_no_token() {
    let (notes, dir) = (notes(), scratch());
    index_with(dir.path(), &[notes.path()], embedder(OLD));
    change(dir.path(), NEW);
    let away = notes.path().with_extension("away");
    std::fs::rename(notes.path(), &away).expect("it can be moved");
    for to in [OLD, NEW, OLD] {
        assert_eq!(go_back(dir.path(), to), 0);
    }
    std::fs::rename(&away, notes.path()).expect("it can be moved");
    check_equals_fresh(dir.path(), &notes, OLD);
}

#[test]
fn counts_that_are_not_there_or_not_as_saved_are_counted_once() {
    for harm in [
        "DELETE FROM token_counts",
        "UPDATE token_counts SET tokens = tokens + 1",
    ] {
        let (notes, dir) = (notes(), scratch());
        index_with(dir.path(), &[notes.path()], embedder(OLD));
        change(dir.path(), NEW);
        database(dir.path())
            .execute_batch(harm)
            .expect("it can be written");
        let n_chunks = open(dir.path()).lists().snapshot.n_chunks() as usize;
        assert_eq!(go_back(dir.path(), OLD), n_chunks, "{harm}");
        check_equals_fresh(dir.path(), &notes, OLD);
        assert_eq!(go_back(dir.path(), NEW), 0, "{harm}");
        assert_eq!(go_back(dir.path(), OLD), 0, "{harm}");
    }
}

#[test]
fn a_change_stopped_while_tokens_are_counted_goes_on_there() {
    let (notes, dir) = (notes(), scratch());
    index_with(dir.path(), &[notes.path()], embedder(OLD));
    let (asked, stopped) = (Arc::default(), Arc::new(AtomicBool::new(false)));
    Asked::interrupt_after_counting(&asked, 3, &stopped);
    let mut indexer = changing_by(dir.path(), NEW, &asked);
    let step = indexer
        .run_change(&stopped, &mut ())
        .expect("it can be stopped");
    assert_eq!((step, asked.n_counted()), (ChangeStep::More, 3));
    drop(indexer);
    assert_eq!(dim(dir.path()), OLD);
    let n_chunks = open(dir.path()).lists().snapshot.n_chunks() as usize;
    assert_eq!(go_back(dir.path(), NEW), n_chunks - 3);
    check_equals_fresh(dir.path(), &notes, NEW);
}

#[test]
fn a_cancelled_change_keeps_what_it_embedded() {
    let (notes, dir) = (notes(), scratch());
    let n_texts = index_with(dir.path(), &[notes.path()], embedder(OLD)).n_embedded;
    let mut indexer = changing(dir.path(), NEW);
    for _ in 0..4 {
        indexer.change_step(&go_on(), &mut ()).expect("it goes on");
    }
    let n_before = indexer.counts().n_embedded;
    assert!(n_before > 0 && n_before < n_texts, "{n_before}");
    indexer.cancel_change();
    let step = indexer
        .change_step(&go_on(), &mut ())
        .expect("there is nothing to do");
    assert_eq!((step, indexer.model_changing()), (ChangeStep::None, None));
    drop(indexer);
    check_equals_fresh(dir.path(), &notes, OLD);
    let stopped = AtomicBool::new(true);
    let mut indexer = changing(dir.path(), NEW);
    indexer
        .run_change(&stopped, &mut ())
        .expect("it can be stopped");
    assert_eq!(dim(dir.path()), OLD);
    drop(indexer);
    assert_eq!(change(dir.path(), NEW), n_texts - n_before);
    check_equals_fresh(dir.path(), &notes, NEW);
}

/// Makes each write of a change fail in turn, until one is never reached, and continues after it, as after a kill.
fn check_each_failure(place: Place, only: &str, is_full: bool) -> u32 {
    let mut n_failed = 0;
    loop {
        let (notes, dir) = (notes(), scratch());
        let n_texts = index_with(dir.path(), &[notes.path()], embedder(OLD)).n_embedded;
        let mut indexer = changing(dir.path(), NEW);
        let fault = Fault::at(place, dir.path()).only(only).after(n_failed);
        let fault = if is_full {
            fault.fills_the_disk()
        } else {
            fault.fails()
        };
        let changed = indexer.run_change(&go_on(), &mut ());
        let n_before = indexer.counts().n_embedded;
        if fault.n_triggered() == 0 {
            assert_eq!(changed.expect("nothing failed"), ChangeStep::Taken);
            return u32::try_from(n_failed).expect("they are few");
        }
        changed.expect_err("something failed");
        drop((fault, indexer));
        // Whatever is in use, all notes are found.
        let library = open(dir.path());
        assert_eq!(n_relays(&library), 5, "{place:?} {n_failed}");
        drop(library);
        let n_after = change(dir.path(), NEW);
        assert!(
            n_after <= n_texts - n_before + 32,
            "{n_after} of {n_texts} after {n_before}"
        );
        check_equals_fresh(dir.path(), &notes, NEW);
        n_failed += 1;
    }
}

#[test]
fn a_failure_at_any_step_leaves_the_model_in_use_and_is_continued() {
    assert!(check_each_failure(Place::Store, "save embeddings", false) >= 6);
    assert!(check_each_failure(Place::Store, "save embeddings", true) >= 6);
    assert!(check_each_failure(Place::Store, "save token counts", false) >= 1);
    assert!(check_each_failure(Place::Store, "save token counts", true) >= 1);
    assert_eq!(
        check_each_failure(Place::Store, "change the embedding model", false),
        1
    );
    assert_eq!(
        check_each_failure(Place::Store, "change the embedding model", true),
        1
    );
    // Before the database is changed, and after it before each list.
    for list in ["vector list", "text list", "lists of the new model"] {
        assert_eq!(check_each_failure(Place::Lists, list, false), 1, "{list}");
        assert_eq!(check_each_failure(Place::Lists, list, true), 1, "{list}");
    }
}

#[test]
fn a_note_that_cannot_be_read_is_waited_for() {
    let (notes, dir) = (notes(), scratch());
    index_with(dir.path(), &[notes.path()], embedder(OLD));
    notes.remove("n3.md");
    let mut indexer = changing(dir.path(), NEW);
    let step = indexer
        .run_change(&go_on(), &mut ())
        .expect("it is no failure");
    assert_eq!(step, ChangeStep::Waiting);
    assert_eq!(dim(dir.path()), OLD);
    let step = indexer
        .change_step(&go_on(), &mut ())
        .expect("it looks again");
    assert_eq!(step, ChangeStep::More);
    let step = indexer
        .change_step(&go_on(), &mut ())
        .expect("it looks again");
    assert_eq!(step, ChangeStep::More);
    let waits_for = indexer.model_changing().and_then(|it| it.waits_for);
    assert!(waits_for.is_some_and(|it| it.starts_with("n3.md ")));
    // A scan finds that the note is gone.
    let folder = indexer
        .store()
        .folders()
        .expect("they can be read")
        .remove(0);
    indexer.scan(&folder, &go_on()).expect("it can be walked");
    indexer.run(&go_on(), &mut ()).expect("it can be indexed");
    let step = indexer.run_change(&go_on(), &mut ()).expect("it goes on");
    assert_eq!(step, ChangeStep::Taken);
    drop(indexer);
    check_equals_fresh(dir.path(), &notes, NEW);
}

#[test]
fn an_empty_library_is_changed_at_once() {
    let (notes, dir) = (notes(), scratch());
    drop(Indexer::open(dir.path(), embedder(OLD)).expect("it can be opened"));
    let mut indexer = changing(dir.path(), NEW);
    let step = indexer
        .run_change(&go_on(), &mut ())
        .expect("it can be changed");
    assert_eq!(step, ChangeStep::Taken);
    drop(indexer);
    index_with(dir.path(), &[notes.path()], embedder(NEW));
    check_equals_fresh(dir.path(), &notes, NEW);
}

#[test]
fn a_choice_in_the_window_is_followed_in_the_background() {
    let (notes, dir) = (notes(), scratch());
    let mut it =
        Watched::open_with(dir.path(), source(dir.path()), Watching::default()).adding(&[&notes]);
    assert_eq!(it.engine.library().lists().vectors.dim(), OLD);
    let choose = |it: &Watched, model: Model| {
        use memlens_engine::acts::Writes;
        let chosen = it
            .engine
            .write(|store| choose_model(store, &Choice::Known(model)));
        chosen.expect("it can be stored");
        it.engine.model_chosen();
    };
    // A failure is shown, and keeps no note waiting.
    let fault = Fault::at(Place::Store, dir.path())
        .only("save embeddings")
        .fills_the_disk();
    choose(&it, Model::Multilingual);
    it.wait("the failure is shown", |it| {
        it.engine.state().change_failed.is_some()
    });
    let state = it.engine.state();
    let failed = state.change_failed.expect("it is shown");
    assert!(failed.contains("the disk that holds"), "{failed}");
    assert_eq!(
        state.changing.map(|it| it.model),
        Some("hashing-48".to_owned())
    );
    drop(fault);
    notes.write("late.md", "The attic is new.");
    it.wait("the other model is in use", |it| {
        let library = it.engine.library();
        library.lists().vectors.dim() == NEW
            && it.engine.state().changing.is_none()
            && found(library, "attic")[0] == "late.md"
    });
    assert_eq!(it.engine.state().change_failed, None);
    // Back, and with the next choice before it is over.
    choose(&it, Model::Bundled);
    choose(&it, Model::Multilingual);
    choose(&it, Model::Bundled);
    it.wait("the first model is in use", |it| {
        it.engine.library().lists().vectors.dim() == OLD && it.engine.state().changing.is_none()
    });
    it.wait("it is idle", Watched::is_idle);
    drop(it);
    check_equals_fresh(dir.path(), &notes, OLD);
}

#[test]
fn a_model_that_is_not_there_cannot_be_chosen() {
    let (notes, dir) = (notes(), scratch());
    index_with(dir.path(), &[notes.path()], embedder(OLD));
    let library = open(dir.path());
    let unknown = acts::choose_embedding_model(&library.to_write(), "minilm");
    let unknown = unknown.expect_err("there is none").to_string();
    assert!(unknown.contains("`minilm`"), "{unknown}");
    let failing: EmbedderSource = Arc::new(|_| {
        Err(memlens_embed::EmbedError::NotFound {
            what: "the embedding model",
            looked: Vec::new(),
        })
    });
    let missing = memlens_engine::changed_model(&library.store(), &failing, "hashing-32");
    assert!(matches!(missing, Err(IndexerError::Embed(_))));
    // Nothing is loaded to see that the bundled model is in use.
    let id = Model::Bundled.info().id;
    let same = memlens_engine::changed_model(&library.store(), &failing, &id);
    assert!(same.expect("nothing is loaded").is_none());
}

#[test]
fn figures_name_their_model_and_a_comparison_says_if_it_differs() {
    let notes = notes();
    notes.write(
        ".queries.jsonl",
        r#"{"id":"q","query":"the quiet relay","relevant":[{"path":"n1.md","start_line":1,"end_line":3}]}"#,
    );
    let dir = scratch();
    index_with(dir.path(), &[notes.path()], embedder(OLD));
    let library = open(dir.path());
    let set = acts::import_query_set(
        &library.to_write(),
        &notes.at(".queries.jsonl"),
        None,
        IfTaken::KeepBoth,
    );
    let set = set.expect("it can be imported").info.id;
    let ranking = ours();
    let wish = wish(&set, &ranking);
    let save = |library: &Library, name: &str| {
        let saved = acts::save_run(&library.to_write(), &wish, name).expect("it can be measured");
        saved.expect("nobody stopped it")
    };
    let by_old = save(&library, "by the old model");
    let again = save(&library, "again");
    assert_eq!(by_old.model.as_deref(), Some("hashing-32"));
    let same = tuning::compare_runs(&library, &by_old.id, &again.id).expect("both are there");
    assert_eq!(same.notices, Vec::<String>::new());
    let preset = |library: &Library| {
        let presets = preset::presets(library).expect("they can be read");
        let mine = presets.into_iter().find(|preset| preset.name == "mine");
        mine.expect("it was saved").notes
    };
    acts::save_preset(&library.to_write(), "mine", &Params::default()).expect("it can be saved");
    assert_eq!(preset(&library), Vec::<String>::new());
    drop(library);

    change(dir.path(), NEW);
    let library = open(dir.path());
    let stale = |id: &str| tuning::run(&library, id).expect("it is there").info.stale;
    assert_eq!(
        stale(&by_old.id).as_deref(),
        Some("The embedding model has changed since.")
    );
    let by_new = save(&library, "by the new model");
    assert_eq!(
        (by_new.model.as_deref(), stale(&by_new.id)),
        (Some("hashing-48"), None)
    );
    let compared = tuning::compare_runs(&library, &by_old.id, &by_new.id).expect("both are there");
    assert_eq!(
        compared.notices,
        [
            "the notes were embedded by different models in the two runs: by hashing-32 in the first, by hashing-48 in the second"
        ]
    );
    let metrics = tuning::measure_set(&library, &wish, &ranking, Metric::Ndcg10);
    let metrics = metrics
        .expect("it can be measured")
        .expect("nobody stopped it");
    assert_eq!(metrics.model.as_deref(), Some("hashing-48"));
    assert_eq!(
        preset(&library),
        [
            "made with the embedding model hashing-32; this library uses hashing-48, so scores and thresholds differ"
        ]
    );
    // A preset that is saved again was made with the model in use, and one that is deleted leaves nothing.
    acts::save_preset(&library.to_write(), "mine", &Params::default()).expect("it can be saved");
    assert_eq!(preset(&library), Vec::<String>::new());
    acts::delete_preset(&library.to_write(), "mine").expect("it can be deleted");
    assert_eq!(
        library
            .store()
            .setting("preset_models")
            .expect("it can be read"),
        None
    );
    let search = library.search("quiet relay", &Params::default(), None);
    let report = report(
        &library,
        &search.expect("it can be searched"),
        &Params::default(),
    );
    assert_eq!(
        report.expect("it can be read").model.as_deref(),
        Some("hashing-48")
    );
}

#[test]
fn an_empty_library_names_no_model() {
    let dir = scratch();
    drop(Indexer::open(dir.path(), embedder(OLD)).expect("it can be opened"));
    let library = open(dir.path());
    let search = library.search("relay", &Params::default(), None);
    assert_eq!(search.expect("it can be searched").model, None);
}

#[test]
fn the_window_says_that_the_small_model_is_in_use_and_why() {
    let (notes, dir) = (notes(), scratch());
    let small = memlens_engine::embedder_source(Model::Static, Vec::new());
    let source: EmbedderSource = Arc::new(move |purpose| match purpose {
        Purpose::Changing => Err(EmbedError::NotFound {
            what: "the ONNX Runtime library",
            looked: Vec::new(),
        }),
        Purpose::Query | Purpose::Indexing => small(purpose),
    });
    let mut it = Watched::open_with(dir.path(), source, Watching::default()).adding(&[&notes]);
    it.wait("the reason is known", |it| {
        it.engine.state().change_failed.is_some()
    });
    let state = it.engine.state();
    let said = "your notes are embedded by the small model potion-base-2M, 8 bits, because the chosen model cannot be loaded: \
                cannot find the ONNX Runtime library";
    assert!(
        state.notices.iter().any(|notice| notice.starts_with(said)),
        "{:?}",
        state.notices
    );
    assert_eq!(
        (state.read_only, state.model.as_str()),
        (None, "potion-base-2M, 8 bits")
    );
    assert!(found(it.engine.library(), "quiet relay")[0].starts_with('n'));
}
