//! How long the links of a note take, at first and after a saved note.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use memlens_engine::{EmbedderSource, Indexer, Library, links_of};

use crate::random::Random;
use crate::series::{MILLISECONDS, SECONDS, Series};
use crate::stand_in::StandIn;

const N_NOTES: usize = 10_000;
const NOTES_PER_FOLDER: usize = 100;
const LINKS_PER_NOTE: usize = 5;
/// How many notes are saved.
const SAVES: usize = 20;

/// Measures notes of which each links to some others, by a path and by names.
pub fn link_all(scratch: &Path) {
    let (notes, library) = (scratch.join("linked"), scratch.join("linked-library"));
    let mut random = Random::new(11);
    for number in 0..N_NOTES {
        write(&notes, number, &mut random);
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
    let opened = Library::open(&library, source).expect("the library is sound");
    let read = || loop {
        let path = path(0);
        let links = links_of(&opened, folder.id, &path, false).expect("it can be read");
        if links.n_unread == 0 {
            break links;
        }
    };
    let note = format!("{N_NOTES} notes of {LINKS_PER_NOTE} links");
    let mut first = Series::of("links of a note, at first", SECONDS, &note);
    first.time(read);
    first.print();
    let mut again = Series::of("links of a note, after a saved note", MILLISECONDS, &note);
    for _ in 0..SAVES {
        write(&notes, random.below(N_NOTES), &mut random);
        index();
        opened.refresh().expect("it can be read again");
        again.time(read);
    }
    again.print();
}

fn path(number: usize) -> String {
    format!("part-{}/note-{number}.md", number / NOTES_PER_FOLDER)
}

fn write(notes: &Path, number: usize, random: &mut Random) {
    let links: String = (0..LINKS_PER_NOTE)
        .map(|at| match (at, random.below(N_NOTES)) {
            (0, other) => format!("- [see](../{})\n", path(other)),
            (1, other) => format!("- [[Heading of {other}]]\n"),
            (2, other) => format!("- [[alias-{other}]]\n"),
            (_, other) => format!("- [[note-{other}]]\n"),
        })
        .collect();
    let text = format!("---\naliases: [alias-{number}]\n---\n# Heading of {number}\n\n{links}");
    let file = notes.join(path(number));
    fs::create_dir_all(file.parent().expect("it is in a folder")).expect("a folder can be made");
    fs::write(file, text).expect("a note can be written");
}
