//! How long a library of about 10,000 chunks takes: to build, to open, to search, to rank, to follow a saved note.
//!
//! Run by `cargo xtask bench`, alone by `cargo bench --profile dev -p memlens-engine --bench library`. Prints one series
//! a line as JSON, every sample a single call. The notes are generated, and nearly all their vectors come from a stand-in,
//! so that nothing is measured of the embedding model but its memory, and the embedding of questions, which are real.
//!
//! `--make DIR` only makes notes and library there, for others to measure, and `--make-many DIR` those of many short notes.
//! `--make-scale DIR CHUNKS` makes such of any size with vectors in neighbourhoods, and `--measure-scale DIR` measures it
//! (`cargo xtask bench scale`). `--compare` measures passes over all observations alone, `--overview` the overview and the list of notes,
//! `--links` the links of notes, `--save` how long a saved note takes, `--map` the map.

mod comparing;
mod evidence;
mod judged;
mod linking;
mod mapping;
mod mixed;
mod neighbours;
mod notes;
mod overviewing;
mod random;
mod rivals;
mod scale;
mod series;
mod serving;
mod stand_in;

use std::env;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use memlens_embed::ModelInfo;
use memlens_engine::acts;
use memlens_engine::{EmbedderSource, Engine, Event, Indexer, Library, Purpose, bundled};
use memlens_index::Join;
use memlens_params::{NearDuplicates, Params};
use memlens_rank::{CandidateSet, NATIVE, order, rank};
use memlens_retrieve::DEPTH_MAX;

use crate::comparing::compare_all;
use crate::evidence::with_evidence;
use crate::linking::link_all;
use crate::mapping::map_chunks;
use crate::mixed::{Mixed, ModelTime, N_REAL_TEXTS};
use crate::notes::{Notes, questions};
use crate::overviewing::overview_all;
use crate::random::Random;
use crate::rivals::Rivals;
use crate::series::{MICROSECONDS, MILLISECONDS, Series};
use crate::stand_in::StandIn;

/// How often every question is asked; the first time is not counted.
const ROUNDS: usize = 21;
/// How often a library is opened.
const OPENINGS: usize = 9;
/// How many notes are saved while the engine watches.
const SAVES: usize = 60;
/// Re-runs this program as a separate process that makes the library, because its memory is measured.
const MAKE: &str = "--make";
/// The same for many short notes.
const MAKE_MANY: &str = "--make-many";
/// The same for what [`scale`] makes, and measures.
const MAKE_SCALE: &str = "--make-scale";
const MEASURE_SCALE: &str = "--measure-scale";
/// Measures the server of a library that [`scale`] made.
const MEASURE_SERVING: &str = "--measure-serving";
/// Measures passes over all observations, and nothing else.
const COMPARE: &str = "--compare";
/// Measures the overview and the list of notes, and nothing else.
const OVERVIEW: &str = "--overview";
/// Measures the links of notes, and nothing else.
const LINKS: &str = "--links";
/// Measures how long a saved note takes, and nothing else.
const SAVE: &str = "--save";
/// Measures the map, and nothing else.
const MAP: &str = "--map";
/// Number of times that all notes are indexed again while the user works.
const WRITING_ROUNDS: usize = 3;
/// How many notes the folder has that is walked.
const N_MANY: usize = 50_000;
/// Together about 10,000 and 100,000 chunks of 1,600 characters that overlap by 320.
const N_NOTES: usize = 1000;
const N_NOTES_LARGE: usize = 10_000;
/// Chunks of the libraries whose map is measured, about, as they are named.
const N_MAPPED: (usize, &str) = (10_000, "10,000");
const N_MAPPED_LARGE: (usize, &str) = (100_000, "100,000");
/// After this long a saved note counts as lost.
const LOST_AFTER: Duration = Duration::from_secs(30);

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let behind = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        Some(&arguments[at + 1..])
    };
    if let Some(behind) = behind(MAKE) {
        return make(Path::new(behind.first().expect("--make DIR")));
    }
    if let Some(behind) = behind(MAKE_MANY) {
        return make_many(Path::new(behind.first().expect("--make-many DIR")));
    }
    if let Some(behind) = behind(MAKE_SCALE) {
        let [dir, n_chunks, ..] = behind else {
            panic!("--make-scale DIR CHUNKS");
        };
        return scale::make(
            Path::new(dir),
            n_chunks.parse().expect("a number of chunks"),
        );
    }
    if let Some(behind) = behind(MEASURE_SCALE) {
        return scale::measure(Path::new(behind.first().expect("--measure-scale DIR")));
    }
    if let Some(behind) = behind(MEASURE_SERVING) {
        let [dir, memlens, ..] = behind else {
            panic!("--measure-serving DIR MEMLENS");
        };
        return serving::measure(Path::new(dir), Path::new(memlens));
    }
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    if behind(COMPARE).is_some() {
        return compare_all(scratch.path());
    }
    if behind(OVERVIEW).is_some() {
        return overview_all(scratch.path());
    }
    if behind(LINKS).is_some() {
        return link_all(scratch.path());
    }
    if behind(MAP).is_some() {
        map_chunks(scratch.path(), N_MAPPED);
        return map_chunks(scratch.path(), N_MAPPED_LARGE);
    }
    let (folder, library) = places(scratch.path());
    let made = Command::new(env::current_exe().expect("this program has a path"))
        .arg(MAKE)
        .arg(scratch.path())
        .status();
    assert!(
        made.is_ok_and(|status| status.success()),
        "a library can be made"
    );

    let questions = questions();
    let real = bundled(Vec::new());
    let model = real(Purpose::Query)
        .expect("`cargo xtask setup` was run")
        .info()
        .clone();
    if behind(SAVE).is_some() {
        return follow_with_and_without_history(&folder, &library, &stand_in_source(&real, &model));
    }
    open(&library, &real);
    let sets = search(&library, &real, &questions, scratch.path());
    rank_sets(&sets);
    follow_with_and_without_history(&folder, &library, &stand_in_source(&real, &model));
    write_meanwhile(&folder, &library, &real, &model);
    compare_all(scratch.path());
    overview_all(scratch.path());
    link_all(scratch.path());
    map_chunks(scratch.path(), N_MAPPED);
    walk_many(scratch.path());
    follow_among_many(scratch.path(), &real, &model);
}

/// Where notes and library are in a folder.
fn places(dir: &Path) -> (PathBuf, PathBuf) {
    (dir.join("notes"), dir.join("library"))
}

/// Builds the library as `memlens index` does, with the model at work for the first texts and vectors that cost nothing
/// for all others.
fn make(dir: &Path) {
    let (folder, library) = places(dir);
    Notes::of_fixture().write(&folder, 0..N_NOTES);
    let model = bundled(Vec::new())(Purpose::Indexing).expect("`cargo xtask setup` was run");
    let model_time = ModelTime::default();
    let started = Instant::now();
    let (mut indexer, _) = Indexer::open(&library, Mixed::boxed(model, model_time.clone()))
        .expect("a new library can be made");
    let folder = indexer.add_folder(&folder).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    indexer.scan(&folder, &go_on).expect("it can be walked");
    indexer.run(&go_on, &mut ()).expect("it can be indexed");
    let seconds = (started.elapsed() - model_time.get()).as_secs_f64();
    let peak = memory("VmHWM");
    let snapshot = indexer.store().snapshot().expect("it can be read");
    let rate = |n: usize| n as f64 / seconds;
    let note = format!("{} notes, vectors ready", snapshot.documents.len());
    Series::of("index without embedding, notes", "/s", &note)
        .with(rate(snapshot.documents.len()))
        .print();
    let note = format!(
        "{} chunks, {} windows",
        snapshot.n_chunks() as usize,
        snapshot
            .documents
            .iter()
            .map(|it| it.windows.len())
            .sum::<usize>()
    );
    Series::of("index without embedding, chunks", "/s", &note)
        .with(rate(snapshot.n_chunks() as usize))
        .print();
    if let Some(bytes) = peak {
        let note = format!(
            "{} chunks; the model loaded and at work for the first {N_REAL_TEXTS} texts, vectors ready for the others",
            snapshot.n_chunks() as usize
        );
        Series::of("peak memory while indexing", "MB", &note)
            .with(bytes / 1e6)
            .print();
    }
}

/// A figure of this process's memory in bytes, such as `VmHWM` for the peak; `None` if the system does not report it as
/// Linux does.
fn memory(figure: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(figure)?.strip_prefix(':'))?;
    let kib: f64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024.0)
}

fn open(library: &Path, source: &EmbedderSource) {
    let mut opening = Series::of("open the library", MILLISECONDS, "all checksums verified");
    for _ in 0..OPENINGS {
        opening.time(|| Library::open(library, source.clone()).expect("the library is sound"));
    }
    opening.print();
}

/// Asks every question in every round, and returns what each retrieved.
fn search(
    library: &Path,
    source: &EmbedderSource,
    questions: &[String],
    scratch: &Path,
) -> Vec<CandidateSet> {
    let library = Library::open(library, source.clone()).expect("the library is sound");
    let params = Params::default();
    let lists = library.lists();
    let mut embedder = source(Purpose::Query).expect("it was loaded before");
    let vectors = embedder
        .embed(
            &questions.iter().map(String::as_str).collect::<Vec<_>>(),
            &AtomicBool::new(false),
        )
        .expect("questions have vectors");

    let mut rivals = Rivals::start(&library, questions, &vectors, scratch);
    let has = |version: fn(&Rivals) -> &Option<String>| {
        rivals.as_ref().and_then(|rivals| version(rivals).clone())
    };
    let (numpy, sqlite) = (has(|it| &it.numpy), has(|it| &it.sqlite));
    let ratio = |name: &str, version: &Option<String>| {
        let version = version.as_deref().unwrap_or_default();
        Series::of(
            &format!("{name} {version}"),
            "",
            "our time to theirs, by turns",
        )
    };
    let mut scan_ratio = ratio("vector scan alone, ratio to numpy", &numpy);
    let mut bm25_ratio = ratio("BM25 alone, ratio to FTS5 of SQLite", &sqlite);
    let note = format!(
        "{} chunks, {} rows of vectors, {} questions",
        lists.snapshot.n_chunks() as usize,
        lists.vectors.n_rows(),
        questions.len()
    );
    let of = |name: &str, note: &str| Series::of(name, MILLISECONDS, note);
    let mut whole = of("search", &note);
    let mut embed = of("search: embed the question", "");
    let mut retrieve = of("search: retrieve", "");
    let mut answer = of("search: answer", "first ranking, rows, snippets");
    let mut json = of("search: write JSON", "");
    let mut json_bytes = Series::of("search: size of the JSON", "kB", "");
    let mut n_candidates = Series::of("search: candidates", "", "both lists 1,000 deep");
    let mut scan = of("vector scan alone", "");
    let mut bm25 = of("BM25 alone", "");
    let mut drag = of(
        "rank a whole search",
        "as columns in JSON: a step of a slider",
    );
    let mut sets = Vec::new();
    for round in 0..ROUNDS {
        for (number, (question, vector)) in questions.iter().zip(&vectors).enumerate() {
            let started = Instant::now();
            let found = library
                .search(question, &params, None)
                .expect("the library can be searched");
            let searched = started.elapsed();
            let answered = library.answer(&found, &params).expect("it can be answered");
            let described = started.elapsed();
            let bytes = serde_json::to_vec(&answered).expect("an answer is JSON");
            let written = started.elapsed();

            let scanned = Instant::now();
            black_box(lists.vectors.dots(vector).expect("the vector fits"));
            let scanned = scanned.elapsed();
            let looked_up = Instant::now();
            let scores = lists.text.score(question, Join::Or);
            black_box(scores.expect("it is sound").best(DEPTH_MAX, |chunk| chunk));
            let looked_up = looked_up.elapsed();
            let ranked = Instant::now();
            black_box(serde_json::to_vec(&found.columns(&params)).expect("columns are JSON"));
            let ranked = ranked.elapsed();
            let rivals = rivals.as_mut();
            let (their_scan, their_text) = rivals.map_or((None, None), |rivals| {
                (
                    numpy.as_ref().map(|_| rivals.scan(number)),
                    sqlite.as_ref().map(|_| rivals.text(number)),
                )
            });

            if round == 0 {
                sets.push(found.set().clone());
                json_bytes.add(bytes.len() as f64 / 1000.0);
                n_candidates.add(found.set().candidates.len() as f64);
                continue;
            }
            whole.add_time(written);
            embed.add_time(found.timing.embed);
            retrieve.add_time(found.timing.total() - found.timing.embed);
            answer.add_time(described - searched);
            json.add_time(written - described);
            scan.add_time(scanned);
            bm25.add_time(looked_up);
            drag.add_time(ranked);
            if let Some(theirs) = their_scan {
                scan_ratio.add(scanned.as_secs_f64() / theirs.as_secs_f64());
            }
            if let Some(theirs) = their_text {
                bm25_ratio.add(looked_up.as_secs_f64() / theirs.as_secs_f64());
            }
        }
    }
    for (series, version) in [(scan_ratio, &numpy), (bm25_ratio, &sqlite)] {
        if version.is_some() {
            series.print();
        }
    }
    for series in [
        whole,
        embed,
        retrieve,
        answer,
        json,
        json_bytes,
        n_candidates,
        scan,
        bm25,
        drag,
    ] {
        series.print();
    }
    sets
}

/// Ranks the best candidates of every search, with every stage that is built at work.
fn rank_sets(sets: &[CandidateSet]) {
    let params = Params {
        budget_tokens: 8000,
        ..Params::default()
    };
    // The most that sliders can ask for: all rows reach the limit, and half of 200 the budget.
    let deep = Params {
        vector_depth: 1000,
        bm25_depth: 1000,
        min_score: 0.0,
        max_results: 100,
        ..params.clone()
    };
    for n in [200, 1000] {
        let sets: Vec<CandidateSet> = sets.iter().map(|set| best(set, n)).collect();
        for (how, params) in [("", &params), (", none dropped early", &deep)] {
            let name = format!("rank {n} candidates{how}");
            let mut series = Series::of(&name, MICROSECONDS, "all built stages on, budget too");
            for round in 0..ROUNDS {
                for set in &sets {
                    if round == 0 {
                        black_box(rank(set, params, &NATIVE));
                    } else {
                        series.time(|| rank(black_box(set), params, &NATIVE));
                    }
                }
            }
            series.print();
            let name = format!("order {n} candidates{how}");
            let mut series = Series::of(&name, MICROSECONDS, "the same without the record");
            for _ in 0..ROUNDS {
                for set in &sets {
                    series.time(|| order(black_box(set), params, &NATIVE));
                }
            }
            series.print();
        }
    }
    // Every stage from corroboration to diversity at its hardest, and all 200 rows compared with each other.
    let params = Params {
        corroboration_on: true,
        near_duplicates: NearDuplicates::Collapse,
        half_life_days: 30.0,
        mmr_lambda: 0.5,
        ..deep
    };
    let mut series = Series::of(
        "rank 200 candidates, with evidence",
        MICROSECONDS,
        "corroboration, feedback, decay and diversity at work on every row",
    );
    for set in sets {
        let set = with_evidence(best(set, 200));
        black_box(rank(&set, &params, &NATIVE));
        for _ in 1..ROUNDS {
            series.time(|| rank(black_box(&set), &params, &NATIVE));
        }
    }
    series.print();
}

/// The set with the `n` candidates that rank highest in a list.
fn best(set: &CandidateSet, n: usize) -> CandidateSet {
    let mut slots: Vec<u32> = (0..set.candidates.len() as u32).collect();
    slots.sort_by_key(|slot| {
        let ranks = set.lists.iter().filter_map(|list| list.value(*slot).rank);
        (
            ranks.min().unwrap_or(u32::MAX),
            set.candidates[*slot as usize].order,
        )
    });
    assert!(slots.len() >= n, "a search has enough candidates");
    slots.truncate(n);
    let mut best = set.clone();
    best.candidates = slots
        .iter()
        .map(|slot| set.candidates[*slot as usize].clone())
        .collect();
    for (list, of) in best.lists.iter_mut().zip(&set.lists) {
        list.values = slots.iter().map(|slot| of.value(*slot)).collect();
    }
    best
}

/// A source whose model is at work for questions alone.
fn stand_in_source(real: &EmbedderSource, model: &ModelInfo) -> EmbedderSource {
    let (real, model) = (real.clone(), model.clone());
    Arc::new(move |purpose| match purpose {
        Purpose::Query => real(purpose),
        Purpose::Indexing | Purpose::Changing => Ok(StandIn::boxed(&model)),
    })
}

/// Runs the user's actions while every note is indexed again, with commits.
fn write_meanwhile(folder: &Path, library: &Path, real: &EmbedderSource, model: &ModelInfo) {
    let source = stand_in_source(real, model);
    // The note that gets the thumb is not indexed again: a missing text gets none.
    let rated = folder.join("rated.md");
    fs::write(&rated, "The note that gets a thumb.").expect("a note can be written");
    let engine = Engine::open(library, source, Arc::new(|_| {})).expect("it can be written");
    let (search, slot) = loop {
        let search = engine
            .library()
            .search("note that gets a thumb", &Params::default(), None);
        let search = search.expect("it can be searched");
        let rows = search.rows().expect("they are its own");
        if let Some(slot) = rows.iter().position(|row| row.path == "rated.md") {
            break (search, slot as u32);
        }
        thread::sleep(Duration::from_millis(50));
    };
    let of = |what: &str| {
        let name = format!("{what} while notes are indexed");
        Series::of(
            &name,
            MILLISECONDS,
            "all notes from scratch, commits included",
        )
    };
    let (mut preset, mut thumb, mut pause) = (of("save a preset"), of("give a thumb"), of("pause"));
    for round in 0..WRITING_ROUNDS {
        let before = engine.library().lists().snapshot.generation;
        for file in Notes::files(folder)
            .into_iter()
            .filter(|file| *file != rated)
        {
            let mut text = fs::read_to_string(&file).expect("the note is there");
            text.push_str(&format!("\nAnew for round {round}.\n"));
            fs::write(&file, text).expect("the note can be saved");
        }
        let is_over = || {
            let state = engine.state();
            u64::from(state.generation) > before
                && state.indexing.is_none()
                && state.scanning.is_none()
        };
        while !is_over() {
            preset.time(|| {
                acts::save_preset(&engine, "bench", &Params::default()).expect("it can be saved")
            });
            thumb.time(|| acts::vote(&engine, search.id, slot, true).expect("it can be given"));
            pause.time(|| engine.pause_indexing(true));
            engine.pause_indexing(false);
            thread::sleep(Duration::from_millis(20));
        }
    }
    for series in [preset, thumb, pause] {
        series.print();
    }
}

/// A model for libraries of many notes.
fn short_vectors() -> ModelInfo {
    ModelInfo {
        id: "stand-in".to_owned(),
        name: "stand-in".to_owned(),
        dim: 8,
        max_tokens: 256,
    }
}

/// Walks a folder of many notes for the first time, and then as a watched one is now and then, when nothing changed.
fn walk_many(scratch: &Path) {
    let (notes, library) = (scratch.join("many"), scratch.join("many-library"));
    write_many(&notes);
    let model = short_vectors();
    let (mut indexer, _) =
        Indexer::open(&library, StandIn::boxed(&model)).expect("a new library can be made");
    let folder = indexer.add_folder(&notes).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    let walk = |indexer: &mut Indexer| {
        indexer.scan(&folder, &go_on).expect("it can be walked");
    };
    let note = format!("{N_MANY} notes, none of them known");
    let mut first = Series::of("walk a folder for the first time", MILLISECONDS, &note);
    first.time(|| walk(&mut indexer));
    first.print();
    indexer.run(&go_on, &mut ()).expect("it can be indexed");
    let note = format!("{N_MANY} notes, every 10 minutes");
    let mut again = Series::of("walk a folder that did not change", MILLISECONDS, &note);
    for _ in 0..OPENINGS {
        again.time(|| walk(&mut indexer));
    }
    again.print();
}

/// Makes a library of many short notes, with vectors that cost nothing.
fn make_many(dir: &Path) {
    let (folder, library) = places(dir);
    write_many(&folder);
    let model = bundled(Vec::new())(Purpose::Query).expect("`cargo xtask setup` was run");
    let embedder = StandIn::boxed(model.info());
    let (mut indexer, _) = Indexer::open(&library, embedder).expect("a new library can be made");
    let folder = indexer.add_folder(&folder).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    indexer.scan(&folder, &go_on).expect("it can be walked");
    indexer.run(&go_on, &mut ()).expect("it can be indexed");
}

/// Writes many short notes, a tenth of them into one folder and the others a hundred to each.
fn write_many(notes: &Path) {
    let crowded = N_MANY / 10;
    for number in 0..N_MANY {
        let folder = match number.checked_sub(crowded) {
            None => notes.join("daily"),
            Some(number) => notes.join(format!("project-{}", number / 100)),
        };
        fs::create_dir_all(&folder).expect("a folder can be made");
        let file = folder.join(format!("{number}.md"));
        fs::write(file, format!("Note {number}.")).expect("a note can be written");
    }
}

/// Saves notes of a library of some 100,000 chunks.
fn follow_among_many(scratch: &Path, real: &EmbedderSource, model: &ModelInfo) {
    let (folder, library) = (scratch.join("large"), scratch.join("large-library"));
    Notes::of_fixture().write(&folder, 0..N_NOTES_LARGE);
    let (mut indexer, _) =
        Indexer::open(&library, StandIn::boxed(model)).expect("a new library can be made");
    let watched = indexer.add_folder(&folder).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    indexer.scan(&watched, &go_on).expect("it can be walked");
    indexer.run(&go_on, &mut ()).expect("it can be indexed");
    drop(indexer);
    follow(
        &folder,
        &library,
        &stand_in_source(real, model),
        "a saved note can be found among 100,000 chunks",
    );
}

/// Saves notes with their history saved, and then without.
fn follow_with_and_without_history(folder: &Path, library: &Path, source: &EmbedderSource) {
    for (keeps, name) in [
        (true, "a saved note can be found"),
        (false, "a saved note can be found, no history saved"),
    ] {
        let engine = Engine::open(library, source.clone(), Arc::new(|_| {}));
        acts::keep_history(&engine.expect("it can be written"), keeps).expect("it can be set");
        follow(folder, library, source, name);
    }
}

/// A number that no earlier run had: the seconds since 1970.
fn this_run() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("the clock is right").as_secs()
}

/// Saves notes while the engine watches, and waits for each until a search finds it.
fn follow(folder: &Path, library: &Path, source: &EmbedderSource, name: &str) {
    let (happened, activities) = mpsc::channel();
    let listener = Arc::new(move |event| {
        if let Event::Activity(activity) = event {
            // Nobody listens once the measuring has ended.
            let _ = happened.send((Instant::now(), activity));
        }
    });
    let engine = Engine::open(library, source.clone(), listener);
    let engine = engine.expect("the library can be written");
    // No word of notes that were saved by an earlier run.
    let run = this_run();
    let mut files: Vec<PathBuf> = Notes::files(folder);
    let mut random = Random::new(2);
    let mut found = Series::of(
        name,
        MILLISECONDS,
        "from the end of the save; 150 ms of it wait for the file to rest",
    );
    for save in 0..SAVES {
        let at = random.below(files.len());
        let file = files.swap_remove(at);
        // Notes are saved at any moment of the watcher's clock.
        thread::sleep(Duration::from_millis(50 + random.below(200) as u64));
        let word = format!("saved{run}x{save}");
        let mut text = fs::read_to_string(&file).expect("the note is there");
        text.push_str(&format!("\nThis was {word} a moment ago.\n"));
        fs::write(&file, text).expect("the note can be saved");
        let saved = Instant::now();
        let (at, _) = activities
            .recv_timeout(LOST_AFTER)
            .expect("the engine reports every saved note");
        let lists = engine.library().lists().clone();
        let hits = lists.text.search(&word, Join::Or);
        let hits = hits.expect("the list is sound").hits;
        assert!(!hits.is_empty(), "what is reported can be found: {word}");
        // Chunks overlap, so two may hold the line.
        for hit in hits {
            let place = lists.place_of(hit.chunk as i64);
            let (document, _) = lists.snapshot.chunk(place.expect("it is in the snapshot"));
            assert!(file.ends_with(&document.path), "{word}");
        }
        found.add_time(at - saved);
    }
    found.print();
}
