//! How long a pass over all observations takes, at first and after a saved note.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use memlens_engine::{EmbedderSource, Indexer, Library, drift_report};
use memlens_params::Params;

use crate::random::Random;
use crate::series::{MILLISECONDS, SECONDS, Series};
use crate::stand_in::StandIn;

const N_OBSERVATIONS: usize = 10_000;
const OBSERVATIONS_PER_NOTE: usize = 20;
/// How often all observations are compared by a library that was just opened.
const FIRST_PASSES: usize = 9;
/// How many notes are saved.
const SAVES: usize = 20;

const PLACES: [&str; 24] = [
    "harbour", "cellar", "office", "workshop", "library", "garden", "kitchen", "archive", "hall",
    "tower", "bridge", "market", "station", "clinic", "school", "theatre", "museum", "bakery",
    "brewery", "farm", "mill", "chapel", "quay", "depot",
];
const THINGS: [&str; 30] = [
    "relay",
    "proxy",
    "scheduler",
    "mirror",
    "gateway",
    "ledger",
    "printer",
    "camera",
    "sensor",
    "pump",
    "boiler",
    "lift",
    "alarm",
    "door",
    "gate",
    "crane",
    "scanner",
    "router",
    "freezer",
    "oven",
    "clock",
    "heater",
    "fan",
    "lamp",
    "speaker",
    "tablet",
    "monitor",
    "battery",
    "antenna",
    "valve",
];
const KINDS: [&str; 8] = [
    "old", "spare", "main", "blue", "northern", "small", "rented", "second",
];

/// Measures passes over notes of short statements, of which many are about the same thing.
pub fn compare_all(scratch: &Path) {
    let (notes, library) = (scratch.join("stated"), scratch.join("stated-library"));
    fs::create_dir_all(&notes).expect("a folder can be made");
    let mut random = Random::new(5);
    for note in 0..N_OBSERVATIONS / OBSERVATIONS_PER_NOTE {
        fs::write(notes.join(format!("{note}.md")), list(&mut random))
            .expect("a note can be written");
    }
    let model = crate::short_vectors();
    let (mut indexer, _) =
        Indexer::open(&library, StandIn::boxed(&model)).expect("a new library can be made");
    let folder = indexer.add_folder(&notes).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    let mut index = || {
        indexer.scan(&folder, &go_on).expect("it can be walked");
        indexer.run(&go_on, &mut ()).expect("it can be indexed");
    };
    index();
    let source: EmbedderSource = Arc::new(move |_| Ok(StandIn::boxed(&model)));
    let open = || Library::open(&library, source.clone()).expect("the library is sound");

    let report = drift_report(&open(), &Params::default(), None).expect("they can be compared");
    let compared = &report.compared;
    let note = format!(
        "{} sentences, {} near pairs, {} contradictions",
        compared.n_sentences,
        compared.n_pairs,
        report.contradictions.len()
    );
    assert_eq!(compared.n_observations as usize, N_OBSERVATIONS);
    let mut first = Series::of("compare 10,000 observations", SECONDS, &note);
    for _ in 0..FIRST_PASSES {
        let opened = open();
        first.time(|| opened.aggregate().expect("they can be compared"));
    }
    first.print();

    let opened = open();
    opened.aggregate().expect("they can be compared");
    let mut again = Series::of(
        "compare again after one saved note",
        MILLISECONDS,
        "among 10,000 observations",
    );
    for save in 0..SAVES {
        let note = random.below(N_OBSERVATIONS / OBSERVATIONS_PER_NOTE);
        fs::write(notes.join(format!("{note}.md")), list(&mut random))
            .expect("the note can be saved");
        index();
        opened.refresh().expect("it can be read again");
        let mut is_new = false;
        again.time(|| is_new = opened.aggregate().expect("they can be compared"));
        assert!(is_new, "save {save} changed the library");
    }
    again.print();
    drop(indexer);
    follow_meanwhile(&notes, &library, &source);
}

/// Saves notes while nothing is compared, and while one pass over all observations follows the other.
fn follow_meanwhile(notes: &Path, library: &Path, source: &EmbedderSource) {
    let name = "a saved note can be found among 10,000 observations";
    crate::follow(notes, library, source, name);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let opened = Library::open(library, source.clone());
                let opened = opened.expect("the library is sound");
                opened.aggregate().expect("they can be compared");
            }
        });
        crate::follow(
            notes,
            library,
            source,
            "a saved note can be found while 10,000 observations are compared",
        );
        is_over.store(true, Ordering::Relaxed);
    });
}

fn list(random: &mut Random) -> String {
    let lines: Vec<String> = (0..OBSERVATIONS_PER_NOTE)
        .map(|_| format!("- {}\n", statement(random)))
        .collect();
    format!("# Notes\n\n{}", lines.concat())
}

fn statement(random: &mut Random) -> String {
    let subject = format!(
        "The {} {} of the {}",
        KINDS[random.below(KINDS.len())],
        THINGS[random.below(THINGS.len())],
        PLACES[random.below(PLACES.len())]
    );
    let not = if random.below(8) == 0 { "not " } else { "" };
    let number = random.below(30);
    match random.below(6) {
        0 => format!("{subject} listens on port {}.", 8000 + number),
        1 => format!("{subject} is {not}allowed on the quay after dark."),
        2 => format!("{subject} is checked every {number} days by the caretaker."),
        3 => format!("{subject} is {not}kept in the room behind the stairs."),
        4 => format!("{subject} opens at {}:15 in the morning.", 5 + number % 5),
        _ => format!("{subject} costs {number} euros a month and is paid by the guild."),
    }
}
