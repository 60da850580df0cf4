//! How long other programs' searches take over about 500 chunks: one question, and one step of a slider.
//!
//! Run by `cargo xtask bench`, alone by `cargo bench --profile dev --workspace --bench emulation`. Prints one series a line as
//! JSON, every sample a single call. Vectors come from a stand-in, so that nothing is measured of an embedding model.

#[path = "../library/notes.rs"]
mod notes;
#[path = "../library/random.rs"]
mod random;
#[path = "../library/series.rs"]
mod series;
#[path = "../library/stand_in.rs"]
mod stand_in;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use memlens_embed::ModelInfo;
use memlens_engine::{EmbedderSource, Indexer, Library, Part, Ranking, pipelines};
use memlens_params::{Parameter, ParameterKind, ParameterSet, Phase, Value};

use crate::notes::{Notes, questions};
use crate::series::{MILLISECONDS, Series};
use crate::stand_in::StandIn;

/// Together about 500 chunks of 1,600 characters that overlap by 320.
const N_NOTES: usize = 55;
/// Numbers in a vector, as the bundled model gives them.
const DIM: usize = 384;
/// How often every question is asked.
const ROUNDS: usize = 3;

fn main() {
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let (notes, dir) = (scratch.path().join("notes"), scratch.path().join("library"));
    Notes::of_fixture().write(&notes, 0..N_NOTES);
    let library = make(&notes, &dir);
    let questions = questions();
    for pipeline in pipelines() {
        measure(&library, &Ranking::of(pipeline), &questions);
    }
}

fn make(notes: &Path, dir: &Path) -> Library {
    let model = ModelInfo {
        id: "stand-in".to_owned(),
        name: "stand-in".to_owned(),
        dim: DIM,
        max_tokens: 256,
    };
    let embedder = StandIn::boxed(&model);
    let (mut indexer, _) = Indexer::open(dir, embedder).expect("a new library can be made");
    let folder = indexer.add_folder(notes).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    indexer.scan(&folder, &go_on).expect("it can be walked");
    indexer.run(&go_on, &mut ()).expect("it can be indexed");
    drop(indexer);
    let source: EmbedderSource = Arc::new(move |_| Ok(StandIn::boxed(&model)));
    Library::open(dir, source).expect("the library is sound")
}

/// One question from typing to the first table, then one slider step without any retrieval.
fn measure(library: &Library, ranking: &Ranking, questions: &[String]) {
    let label = ranking.pipeline.label();
    let search = |question: &str| {
        let search = library.search_as(question, ranking, Part::All);
        search.expect("it can be searched")
    };
    // The first question makes the memory.
    let started = Instant::now();
    let first = search(&questions[0]);
    let made = started.elapsed().as_secs_f64() * 1000.0;
    let note = format!(
        "{} of {} candidates kept, of {} chunks or notes",
        first.rank(&ranking.values).kept().len(),
        first.set().candidates.len(),
        first.set().n_chunks
    );
    Series::of(&format!("first question to {label}"), MILLISECONDS, &note)
        .with(made)
        .print();
    let mut asking = Series::of(&format!("ask {label}"), MILLISECONDS, &note);
    let mut moving = Series::of(&format!("move a slider of {label}"), MILLISECONDS, &note);
    let slider = ranking
        .values
        .table()
        .parameters
        .iter()
        .find(|it| is_live(it));
    let slider = slider.expect("every pipeline has one");
    let mut moved = ranking.values.clone();
    moved
        .set(slider.id, middle(slider))
        .expect("it is in range");
    for _ in 0..ROUNDS {
        for question in questions {
            asking.time(|| {
                let found = search(question);
                library.answer(&found, &ranking.values)
            });
            let found = search(question);
            let slider = ranking
                .values
                .table()
                .parameters
                .iter()
                .find(|it| is_live(it));
            let slider = slider.expect("every pipeline has one");
            let mut moved = ranking.values.clone();
            let ParameterKind::Number { min, max, .. } = slider.kind else {
                unreachable!("it is a number");
            };
            let middle = Value::Number(((min + max) / 2.0).floor().max(min));
            moved.set(slider.id, middle).expect("it is in range");
            moving.time(|| found.columns(&moved));
        }
    }
    asking.print();
    moving.print();
}

fn is_live(parameter: &Parameter) -> bool {
    parameter.phase == Phase::Rank && matches!(parameter.kind, ParameterKind::Number { .. })
}

/// A value in the middle of a slider.
fn middle(parameter: &Parameter) -> Value {
    match parameter.kind {
        ParameterKind::Number {
            min, max, integer, ..
        } => {
            let middle = (min + max) / 2.0;
            Value::Number(if integer { middle.floor() } else { middle })
        }
        ParameterKind::Choice { .. } | ParameterKind::Toggle => parameter.default.clone(),
    }
}
