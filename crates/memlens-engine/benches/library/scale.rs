//! A library of any size that looks like a real one, and what is measured of it by the facade. Run by `cargo xtask bench scale`.

use std::fs;
use std::hint::black_box;
use std::ops::Range;
use std::path::Path;
use std::slice;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use memlens_embed::Embedder;
use memlens_engine::view::Activity;
use memlens_engine::{EmbedderSource, Indexer, Library, Lists, Observer, Purpose, bundled};
use memlens_index::{Join, VectorFile, part_len, side_by_side, vector_folder, vector_path};
use memlens_params::{Params, VectorUnit};
use memlens_rank::{List, ListId, ListState};
use memlens_retrieve::{DEPTH_MAX, VectorScores};
use memlens_store::Store;

use crate::neighbours::Neighbours;
use crate::notes::{FIXTURE, Notes, questions};
use crate::rivals::Rivals;
use crate::series::{MILLISECONDS, Series};
use crate::{follow, judged, memory, open, places, this_run};

/// Chunks of a note, about.
const CHUNKS_OF_NOTE: usize = 10;
/// How often every question is asked; the first time is not counted.
const ROUNDS: usize = 4;
/// How many notes are indexed while a reader is open: some forty commits.
const N_ADDED: usize = 1024;
/// How many texts are truly embedded, to be moved about.
const N_SAMPLES: usize = 512;
/// Rows of the vector list for one that is used, at most.
const LEFT_OVER_MOST: f64 = 1.02;
/// Shorter paragraphs are headings and the like.
const SAMPLE_CHARS_MIN: usize = 80;

/// Makes notes of about `n_chunks` chunks and their library in `dir`.
pub fn make(dir: &Path, n_chunks: usize) {
    let (folder, library) = places(dir);
    Notes::of_fixture().write(&folder, 0..n_chunks.div_ceil(CHUNKS_OF_NOTE));
    let (mut indexer, _) =
        Indexer::open(&library, neighbours()).expect("a new library can be made");
    let folder = indexer.add_folder(&folder).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    indexer.scan(&folder, &go_on).expect("it can be walked");
    indexer.run(&go_on, &mut ()).expect("it can be indexed");
}

/// An embedder that costs nothing, whose vectors lie as those of real texts do.
fn neighbours() -> Box<dyn Embedder> {
    let mut model = bundled(Vec::new())(Purpose::Indexing).expect("`cargo xtask setup` was run");
    let texts = paragraphs();
    let texts: Vec<&str> = texts.iter().take(N_SAMPLES).map(String::as_str).collect();
    let samples = model.embed(&texts, &AtomicBool::new(false));
    Neighbours::boxed(model.info(), samples.expect("texts have vectors"))
}

/// The paragraphs of the fixture's notes that are no headings and the like.
fn paragraphs() -> Vec<String> {
    let mut paragraphs = Vec::new();
    for file in Notes::files(Path::new(FIXTURE)) {
        let text = fs::read_to_string(file).expect("the fixture is there");
        let long = text.split("\n\n").filter(|it| it.len() >= SAMPLE_CHARS_MIN);
        paragraphs.extend(long.map(str::to_owned));
    }
    paragraphs
}

/// Opens the library in `dir`, asks it, and saves notes that it watches.
pub fn measure(dir: &Path) {
    let (folder, library) = places(dir);
    let source = bundled(Vec::new());
    open(&library, &source);
    let opened = Library::open(&library, source.clone()).expect("the library is sound");
    search(&opened);
    judged::measure(&folder, &opened);
    drop(opened);
    let model = source(Purpose::Query).expect("`cargo xtask setup` was run");
    follow(
        &folder,
        &library,
        &crate::stand_in_source(&source, model.info()),
        "a saved note can be found",
    );
    index_beside_a_reader(&folder, &library, &source);
    clear_up(&library);
}

/// Rebuilds the vector list if notes saved in this or earlier runs left deleted rows in it: each slows down the
/// searches of the next run.
fn clear_up(library: &Path) {
    let store = Store::open_read_only(library).expect("the library is sound");
    let made_by = store.embedding_model().expect("it can be read");
    let (model, _) = made_by.expect("it has chunks");
    let (n_used, _) = store
        .n_used_and_unused(&model)
        .expect("they can be counted");
    drop(store);
    let list = VectorFile::open(&vector_path(library)).expect("the list is sound");
    if list.n_rows() as f64 <= n_used as f64 * LEFT_OVER_MOST {
        return;
    }
    drop(list);
    fs::remove_dir_all(vector_folder(library)).expect("it can be removed");
    Indexer::open(library, neighbours()).expect("nobody else writes");
}

/// A library that takes up every change of a writer's, as the window's does.
struct Reader {
    library: Library,
    updates: Series,
    /// Time of all updates together.
    took: Duration,
}

impl Observer for Reader {
    fn committed(&mut self, _: &[Activity]) {
        let started = Instant::now();
        let refreshed = self.library.refresh();
        let took = started.elapsed();
        refreshed.expect("what was written can be read");
        self.updates.add_time(took);
        self.took += took;
    }
}

/// Indexes notes while a reader is open, and forgets them again: what the reader's updates cost beside the writing, which
/// is faster here than where texts are embedded.
fn index_beside_a_reader(folder: &Path, library: &Path, source: &EmbedderSource) {
    let added = folder.join("beside-a-reader");
    let first = this_run() as usize;
    Notes::of_fixture().write(&added, first..first + N_ADDED);
    let mut reader = Reader {
        library: Library::open(library, source.clone()).expect("the library is sound"),
        updates: Series::of(
            "a reader's update while notes are indexed",
            MILLISECONDS,
            "",
        ),
        took: Duration::ZERO,
    };
    let (mut indexer, _) = Indexer::open(library, neighbours()).expect("nobody else writes");
    let watched = indexer
        .store()
        .folders()
        .expect("they can be read")
        .remove(0);
    let go_on = AtomicBool::new(false);
    indexer.scan(&watched, &go_on).expect("it can be walked");
    let started = Instant::now();
    indexer.run(&go_on, &mut reader).expect("it can be indexed");
    let writing = started.elapsed() - reader.took;
    reader.updates.print();
    let note = "their time to that of the writing, without embedding";
    Series::of("a reader's updates, share of the writing", "", note)
        .with(reader.took.as_secs_f64() / writing.as_secs_f64())
        .print();
    fs::remove_dir_all(added).expect("they can be removed");
    indexer.scan(&watched, &go_on).expect("it can be walked");
    indexer.run(&go_on, &mut ()).expect("they can be forgotten");
}

/// Asks every question in every round, then looks at every vector for the same.
fn search(library: &Library) {
    let params = Params::default();
    let questions = questions();
    let lists = library.lists();
    let note = format!(
        "{} chunks, {} rows of vectors, {} questions",
        lists.snapshot.n_chunks(),
        lists.vectors.n_rows(),
        questions.len()
    );
    let of = |name: &str, note: &str| Series::of(name, MILLISECONDS, note);
    let mut whole = of("search", &note);
    let mut embed = of("search: embed the question", "");
    let mut parts = [
        (ListId::VECTOR, of("search: vectors", "")),
        (ListId::BM25, of("search: BM25", "")),
    ];
    for round in 0..=ROUNDS {
        for question in &questions {
            let started = Instant::now();
            let found = library.search(question, &params, None);
            let took = started.elapsed();
            if round == 0 {
                continue;
            }
            let found = found.expect("the library can be searched");
            let is_ready = |list: &List| list.state == ListState::Ready;
            assert!(found.set().lists.iter().all(is_ready), "both lists answer");
            let timing = &found.timing;
            whole.add_time(took);
            embed.add_time(timing.embed);
            for (list, series) in &mut parts {
                let took = timing.lists.iter().find(|(id, _)| id == list);
                series.add_time(took.expect("both lists were asked").1);
            }
        }
    }
    whole.print();
    embed.print();
    for (_, series) in parts {
        series.print();
    }
    if let Some(bytes) = memory("RssAnon") {
        let note = "of the searching process, the model of questions included";
        Series::of("anonymous memory while searching", "MB", note)
            .with(bytes / 1e6)
            .print();
    }

    let mut embedder = bundled(Vec::new())(Purpose::Query).expect("it was loaded before");
    let texts: Vec<&str> = questions.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, &AtomicBool::new(false));
    let vectors = vectors.expect("questions have vectors");
    let series = |threads: &str| {
        let name = format!("vectors, ratio to a look at every vector{threads}");
        Series::of(&name, "", "by turns; the same chunks, values and order")
    };
    let (mut by_one, mut by_as_many) = (series(""), series(" by as many threads"));
    for vector in &vectors {
        let found = by_both_ways(&lists, vector);
        let add = |series: &mut Series, baseline: Duration| {
            series.add(found.ours.as_secs_f64() / baseline.as_secs_f64());
        };
        add(&mut by_one, found.by_one_thread);
        add(&mut by_as_many, found.by_threads);
    }
    by_one.print();
    by_as_many.print();
    beside_rivals(library, &questions, &vectors);
}

/// Asks others for as many of the same, by turns.
fn beside_rivals(library: &Library, questions: &[String], vectors: &[Vec<f32>]) {
    let scratch = tempfile::tempdir_in(library.dir().parent().expect("it lies in a folder"));
    let scratch = scratch.expect("a scratch folder can be made");
    let Some(mut rivals) = Rivals::start(library, questions, vectors, scratch.path()) else {
        return;
    };
    let lists = library.lists();
    let scope: Range<u32> = 0..lists.snapshot.n_chunks();
    let ratio = |name: &str, version: &Option<String>, threads: &str| {
        let version = version.as_deref()?;
        let note = format!("our time to theirs, by turns, best 1,000; {threads}");
        Some(Series::of(&format!("{name} {version}"), "", &note))
    };
    let several = "ours by up to four threads, theirs by one";
    let mut faiss = ratio("vectors, ratio to flat faiss", &rivals.faiss, several);
    let mut fts5 = ratio(
        "BM25, ratio to FTS5 of SQLite",
        &rivals.sqlite,
        "one thread",
    );
    for (number, (question, vector)) in questions.iter().zip(vectors).enumerate() {
        if let Some(series) = &mut faiss {
            let started = Instant::now();
            let (unit, scope) = (VectorUnit::Windows, slice::from_ref(&scope));
            let scores = VectorScores::new(&lists.vectors, &lists.rows, unit, scope, vector);
            black_box(scores.expect("the question fits").best(DEPTH_MAX));
            let ours = started.elapsed();
            series.add(ours.as_secs_f64() / rivals.nearest(number).as_secs_f64());
        }
        if let Some(series) = &mut fts5 {
            let started = Instant::now();
            let scores = lists.text.score(question, Join::Or);
            black_box(scores.expect("it is sound").best(DEPTH_MAX, |chunk| chunk));
            let ours = started.elapsed();
            series.add(ours.as_secs_f64() / rivals.text(number).as_secs_f64());
        }
    }
    for series in faiss.into_iter().chain(fts5) {
        series.print();
    }
}

/// How long the vector list takes, and how long to look at every vector for it.
struct Took {
    ours: Duration,
    by_one_thread: Duration,
    /// By as many threads as ours.
    by_threads: Duration,
}

/// # Panics
/// If they find something else.
fn by_both_ways(lists: &Lists, question: &[f32]) -> Took {
    let (vectors, rows) = (&lists.vectors, &lists.rows);
    let scope: Range<u32> = 0..lists.snapshot.n_chunks();
    let unit = VectorUnit::Windows;
    let started = Instant::now();
    let scores = VectorScores::new(vectors, rows, unit, slice::from_ref(&scope), question);
    let found = scores.expect("the question fits").best(DEPTH_MAX);
    let ours = started.elapsed();

    let n_rows = vectors.n_rows();
    let [by_one_thread, by_threads] = [n_rows, part_len(n_rows)].map(|len| {
        let started = Instant::now();
        let mut dots = vec![0.0; n_rows];
        let parts = (0_u32..).step_by(len).zip(dots.chunks_mut(len));
        side_by_side(parts, |(first, dots)| {
            for (row, dot) in (first..).zip(dots) {
                *dot = vectors.dot(question, row);
            }
        });
        let expected = best(lists, &dots);
        let took = started.elapsed();
        let found = found.iter().map(|(place, value)| (*place, value.score));
        assert!(found.eq(expected), "both ways find the same");
        took
    });
    Took {
        ours,
        by_one_thread,
        by_threads,
    }
}

/// The chunks of the highest scores, by the products of all rows.
fn best(lists: &Lists, dots: &[f32]) -> Vec<(u32, f64)> {
    let rows = &lists.rows;
    let dot = |row: &u32| f64::from(dots[*row as usize]);
    let scored = (0..lists.snapshot.n_chunks()).map(|place| {
        let whole = dot(&rows.whole(place));
        let window = rows.windows(place).iter().map(dot).reduce(f64::max);
        let score = window.map_or(whole, |window| (2.0 * window + whole) / 3.0);
        (place, score)
    });
    let mut scored: Vec<(u32, f64)> = scored.collect();
    let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if scored.len() > DEPTH_MAX {
        scored.select_nth_unstable_by(DEPTH_MAX, order);
        scored.truncate(DEPTH_MAX);
    }
    scored.sort_unstable_by(order);
    scored
}
