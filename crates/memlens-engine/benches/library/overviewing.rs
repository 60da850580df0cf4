//! How long the overview and the list of notes take.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memlens_engine::view::{NoteQuery, NoteSort};
use memlens_engine::{
    EmbedderSource, Indexer, Library, note_page, note_tags, overview, timeline, whole_overview,
};
use memlens_params::Params;

use crate::series::{MILLISECONDS, Series};
use crate::stand_in::StandIn;

/// Sizes of the libraries in notes.
const SIZES: [(usize, &str); 2] = [(10_000, "10,000"), (50_000, "50,000")];
const SAMPLES: usize = 9;
const NOTES_PER_FOLDER: usize = 100;

/// Measures libraries of many short notes, each with a date and tags.
pub fn overview_all(scratch: &Path) {
    for (n_notes, shown) in SIZES {
        let dir = scratch.join(format!("overview-{n_notes}"));
        let library = make(&dir, n_notes);
        measure(&library, n_notes, shown);
        drop(library);
        fs::remove_dir_all(&dir).expect("it can be removed");
    }
}

fn make(dir: &Path, n_notes: usize) -> Library {
    let (folder, library) = (dir.join("notes"), dir.join("library"));
    for number in 0..n_notes {
        let project = folder.join(format!("project-{}", number / NOTES_PER_FOLDER));
        fs::create_dir_all(&project).expect("a folder can be made");
        let (month, day) = (number % 12 + 1, number % 28 + 1);
        let text = format!(
            "---\ndate: 20{:02}-{month:02}-{day:02}\ntags: [place-{}, year]\n---\n# Note {number}\n\nThe pump of house {number} hums. It is #work-{}.\n",
            number % 8 + 18,
            number % 50,
            number % 7,
        );
        fs::write(project.join(format!("{number}.md")), text).expect("a note can be written");
    }
    let model = crate::short_vectors();
    let (mut indexer, _) =
        Indexer::open(&library, StandIn::boxed(&model)).expect("a new library can be made");
    let watched = indexer.add_folder(&folder).expect("the folder is there");
    let go_on = AtomicBool::new(false);
    indexer.scan(&watched, &go_on).expect("it can be walked");
    indexer.run(&go_on, &mut ()).expect("it can be indexed");
    drop(indexer);
    let source: EmbedderSource = Arc::new(move |_| Ok(StandIn::boxed(&model)));
    Library::open(&library, source).expect("it can be opened")
}

fn measure(library: &Library, n_notes: usize, shown: &str) {
    let note = format!("{shown} short notes");
    let time = |name: &str, work: &dyn Fn()| {
        let mut series = Series::of(&format!("{name}, {shown} notes"), MILLISECONDS, &note);
        for _ in 0..SAMPLES {
            series.time(work);
        }
        series.print();
    };
    let params = Params::default();
    let mut first = Series::of(
        &format!("read the text of every note for the overview, {shown} notes"),
        MILLISECONDS,
        &note,
    );
    first.time(|| whole_overview(library, &params).expect("it can be read"));
    first.print();
    time("overview", &|| {
        overview(library, &params).expect("it can be read");
    });
    let by_title = |is_reversed| NoteQuery {
        sort: Some(NoteSort::Title),
        is_reversed,
        ..NoteQuery::default()
    };
    let page = |query: &NoteQuery, first| {
        note_page(library, query, first).expect("it can be listed");
    };
    time("first page of two other orders", &|| {
        page(&by_title(false), 0);
        page(&by_title(true), 0);
    });
    time("further page", &|| {
        page(&by_title(true), n_notes as u32 / 2)
    });
    let by_words = |words: &str| NoteQuery {
        text: words.to_owned(),
        ..NoteQuery::default()
    };
    time("first page of two other words", &|| {
        page(&by_words("house 77"), 0);
        page(&by_words("pump"), 0);
    });
    time("timeline", &|| {
        timeline(library, &NoteQuery::default()).expect("it can be counted");
    });
    time("tags", &|| {
        note_tags(library, &NoteQuery::default(), "").expect("they can be counted");
    });
}
