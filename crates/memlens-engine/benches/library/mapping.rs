//! How long the map takes: its first picture, and the layout by neighbours.

use std::fs;
use std::path::Path;

use memlens_engine::view::NoteQuery;
use memlens_engine::{Library, bundled, lay_out, map};
use memlens_params::Params;

use crate::series::{MILLISECONDS, SECONDS, Series};
use crate::{places, scale};

const SAMPLES: usize = 5;

/// Measures a library of about so many chunks, whose vectors are in neighbourhoods as those of real texts are.
pub fn map_chunks(scratch: &Path, (n_chunks, shown): (usize, &str)) {
    let dir = scratch.join(format!("map-{n_chunks}"));
    scale::make(&dir, n_chunks);
    measure(&places(&dir).1, shown);
    fs::remove_dir_all(&dir).expect("it can be removed");
}

fn measure(library: &Path, shown: &str) {
    let open = || Library::open(library, bundled(Vec::new())).expect("the library is sound");
    let picture = |library: &Library| {
        map(library, &Params::default(), &NoteQuery::default(), None).expect("it can be drawn")
    };
    let note = format!("{} chunks", picture(&open()).total);
    let series = |name: &str, unit| Series::of(&format!("{name}, {shown} chunks"), unit, &note);
    let mut first = series("first picture of the map", MILLISECONDS);
    for _ in 0..SAMPLES {
        // Nothing was computed yet.
        let library = open();
        first.time(|| picture(&library));
    }
    first.print();
    let library = open();
    picture(&library);
    let mut again = series("the map with other filters", MILLISECONDS);
    for _ in 0..SAMPLES {
        again.time(|| picture(&library));
    }
    again.print();
    let mut layout = series("layout of the map by neighbours", SECONDS);
    layout.time(|| lay_out(&library).expect("it can be laid out"));
    layout.print();
    let mut sent = series("the map as JSON", MILLISECONDS);
    let laid_out = picture(&library);
    for _ in 0..SAMPLES {
        sent.time(|| {
            serde_json::to_string(&laid_out)
                .expect("plain data is JSON")
                .len()
        });
    }
    sent.print();
}
