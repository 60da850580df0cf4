//! The map: all chunks in two dimensions, first by principal components, then by neighbours.

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::AtomicBool;

use memlens_embed::{EmbedError, Embedder, Hashing, ModelInfo, TokenVectors};
use memlens_engine::view::{JobKind, MapLayout, MapPicture, NeighbourState, NoteQuery};
use memlens_engine::{Library, erase, lay_out, map};
use memlens_params::Params;
use memlens_tests::{Notes, Other, fresh, index, index_with, open};

const TOPICS: [&str; 4] = [
    "The push relay listens on a port and the router hums in the hall beside the switch",
    "Bees sleep in winter while the hive is warm and honey feeds the queen of the garden",
    "The boat is lifted out of the harbour in October and its hull is painted with a brush",
    "Tickets for the train are cheap on Tuesday when the counter at the station opens early",
];

/// Notes of four topics, each with chunks of its own.
fn garden() -> Notes {
    let notes: Vec<(String, String)> = (0..24)
        .map(|at| {
            let topic = TOPICS[at % 4];
            let text = format!(
                "---\ndate: 2026-03-{:02}\ntags: [topic-{}]\n---\n# Note {at}\n\n{topic}, number {at} word{} other{}.\n",
                at + 1,
                at % 4,
                at * 7,
                at * 13
            );
            (format!("topic-{}/{at}.md", at % 4), text)
        })
        .collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(a, b)| (&**a, &**b)).collect();
    Notes::new(&notes)
}

fn picture(library: &Library) -> MapPicture {
    picture_of(library, &NoteQuery::default())
}

fn picture_of(library: &Library, query: &NoteQuery) -> MapPicture {
    let picture = map(library, &Params::default(), query, None).expect("it can be drawn");
    let n = picture.x.len();
    let columns = [
        picture.y.len(),
        picture.chunk.len(),
        picture.line.len(),
        picture.note.len(),
        picture.cluster.len(),
    ];
    assert_eq!(columns, [n; 5]);
    let all = picture.x.iter().chain(&picture.y);
    assert!(all.copied().all(|at| at.is_finite() && at.abs() <= 1.0));
    assert!(
        picture
            .note
            .iter()
            .all(|note| (*note as usize) < picture.notes.len())
    );
    let clusters = picture.cluster.iter().flatten();
    assert!(
        clusters
            .copied()
            .all(|at| (at as usize) < picture.clusters.len())
    );
    picture
}

/// The places by path and line.
fn places(picture: &MapPicture) -> HashMap<(String, u32), [f32; 2]> {
    let at = 0..picture.x.len();
    at.map(|at| {
        let note = &picture.notes[picture.note[at] as usize];
        let key = (note.path.clone(), picture.line[at]);
        (key, [picture.x[at], picture.y[at]])
    })
    .collect()
}

#[test]
fn the_same_library_gives_the_same_picture() {
    let notes = garden();
    let (one, other) = (fresh(&[notes.path()]), fresh(&[notes.path()]));
    let (one, other) = (open(one.path()), open(other.path()));
    let first = picture(&one);
    assert_eq!(first.layout, MapLayout::Components);
    assert_eq!((first.x.len(), first.total), (24, 24));
    assert_eq!(first.sampled, None);
    assert_eq!(first.neighbours.state, NeighbourState::Missing);
    let [a, b] = first.variance.expect("components have variances");
    assert!(a >= b && b > 0.0 && a + b < 1.0, "{a} {b}");
    assert_eq!(places(&first), places(&picture(&other)));
    assert!(lay_out(&one).expect("it can be laid out"));
    assert!(lay_out(&other).expect("it can be laid out"));
    let laid_out = picture(&one);
    assert_eq!(laid_out.layout, MapLayout::Neighbours);
    assert_eq!(laid_out.variance, None);
    assert_eq!(laid_out.neighbours.state, NeighbourState::Stored);
    assert_eq!(places(&laid_out), places(&picture(&other)));
    assert_ne!(places(&laid_out), places(&first));
    let components = Some(MapLayout::Components);
    let again = map(&one, &Params::default(), &NoteQuery::default(), components);
    let again = again.expect("it can be drawn");
    assert_eq!(again.layout, MapLayout::Components);
    assert_eq!(places(&again), places(&first));
}

#[test]
fn neighbours_are_near_each_other() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    lay_out(&library).expect("it can be laid out");
    let picture = picture(&library);
    let topic = |at: usize| picture.notes[picture.note[at] as usize].path[..7].to_owned();
    let distance = |a: usize, b: usize| {
        (picture.x[a] - picture.x[b]).powi(2) + (picture.y[a] - picture.y[b]).powi(2)
    };
    let all = 0..picture.x.len();
    let is_beside_its_topic = |at: &usize| {
        let others = all.clone().filter(|other| other != at);
        let nearest = others.min_by(|a, b| distance(*at, *a).total_cmp(&distance(*at, *b)));
        nearest.is_some_and(|nearest| topic(nearest) == topic(*at))
    };
    assert_eq!(all.clone().filter(is_beside_its_topic).count(), 24);
}

#[test]
fn a_saved_note_is_placed_by_its_neighbours_and_nothing_else_moves() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    lay_out(&library).expect("it can be laid out");
    let before = places(&picture(&library));

    notes.write("topic-1/new.md", format!("{}, again and new.\n", TOPICS[1]));
    fs::remove_file(notes.path().join("topic-0/4.md")).expect("it is there");
    index(dir.path(), &[notes.path()]);
    library.refresh().expect("it can be read");
    let picture_after = picture(&library);
    assert_eq!(picture_after.neighbours.state, NeighbourState::Stored);
    assert_eq!(picture_after.neighbours.n_added, 1);
    let after = places(&picture_after);
    assert_eq!(after.len(), 24);
    assert!(!after.contains_key(&("topic-0/4.md".to_owned(), 1)));
    let mut of_topic: Vec<[f32; 2]> = Vec::new();
    for (key, place) in &after {
        if key.0 == "topic-1/new.md" {
            continue;
        }
        assert_eq!(before.get(key), Some(place), "{key:?}");
        if key.0.starts_with("topic-1") {
            of_topic.push(*place);
        }
    }
    let new = after
        .iter()
        .find(|(key, _)| key.0 == "topic-1/new.md")
        .map(|(_, place)| *place)
        .expect("it is on the map");
    for axis in [0, 1] {
        let along = of_topic.iter().map(|place| place[axis]);
        let (least, most) = along.fold((1.0_f32, -1.0_f32), |(least, most), at| {
            (least.min(at), most.max(at))
        });
        assert!((least..=most).contains(&new[axis]), "{new:?} {of_topic:?}");
    }
    // What was placed once stays in its place, also after a restart.
    drop(library);
    assert_eq!(places(&picture(&open(dir.path()))), after);
}

#[test]
fn a_layout_of_which_much_is_new_is_old() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    lay_out(&library).expect("it can be laid out");
    for at in 0..9 {
        notes.write(
            &format!("new-{at}.md"),
            format!("{} new{at} more{at}.\n", TOPICS[at % 4]),
        );
    }
    index(dir.path(), &[notes.path()]);
    library.refresh().expect("it can be read");
    let old = picture(&library);
    assert_eq!(old.neighbours.state, NeighbourState::Old);
    assert_eq!(old.neighbours.n_added, 9);
    lay_out(&library).expect("it can be laid out");
    let renewed = picture(&library);
    assert_eq!(renewed.neighbours.state, NeighbourState::Stored);
    assert_eq!(renewed.neighbours.n_added, 0);
}

#[test]
fn a_query_chooses_chunks_and_moves_none() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let all = places(&picture(&library));
    let check = |query: &NoteQuery, n: usize| {
        let chosen = picture_of(&library, query);
        assert_eq!((chosen.x.len(), chosen.total), (n, 24), "{query:?}");
        for (key, place) in places(&chosen) {
            assert_eq!(all.get(&key), Some(&place));
        }
    };
    check(
        &NoteQuery {
            tag: Some("#Topic-2".to_owned()),
            ..NoteQuery::default()
        },
        6,
    );
    check(
        &NoteQuery {
            from: Some("2026-03-20".to_owned()),
            text: "bees".to_owned(),
            ..NoteQuery::default()
        },
        1,
    );
    check(
        &NoteQuery {
            folder: Some("4711".to_owned()),
            ..NoteQuery::default()
        },
        0,
    );
}

#[test]
fn chunks_that_say_the_same_have_their_cluster() {
    let notes = Notes::new(&[
        ("a.md", "- The boat is lifted out in October every year.\n"),
        ("b.md", "- The boat is lifted out in October every year.\n"),
        ("c.md", "- Bees sleep in winter.\n"),
    ]);
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let before = picture(&library);
    assert!(!before.is_compared);
    library.aggregate().expect("they can be compared");
    let picture = picture(&library);
    assert!(picture.is_compared);
    assert_eq!(picture.cluster, [Some(0), Some(0), None]);
    assert_eq!(picture.clusters.len(), 1);
    assert_eq!(
        picture.clusters[0].text,
        "The boat is lifted out in October every year."
    );
    assert_eq!(picture.clusters[0].n, 2);
    // Chunks of one text are in one place.
    assert_eq!((picture.x[0], picture.y[0]), (picture.x[1], picture.y[1]));
}

#[test]
fn few_chunks_have_a_picture_and_no_neighbourhoods() {
    for n in 0..5 {
        let texts: Vec<(String, String)> = (0..n)
            .map(|at| (format!("{at}.md"), format!("{}\n", TOPICS[at.min(2)])))
            .collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (&**a, &**b)).collect();
        let notes = Notes::new(&texts);
        let dir = fresh(&[notes.path()]);
        let library = open(dir.path());
        let first = picture(&library);
        assert_eq!(first.x.len(), n);
        assert_eq!(first.neighbours.state, NeighbourState::TooFew);
        assert!(!lay_out(&library).expect("there is nothing to lay out"));
        assert_eq!(picture(&library), first);
        if n <= 1 {
            assert_eq!(first.variance, Some([0.0, 0.0]));
            assert!(first.x.iter().chain(&first.y).all(|at| *at == 0.0));
        }
    }
}

/// Gives all texts the same vector.
#[derive(Default)]
struct Equal(Hashing);

impl Embedder for Equal {
    fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    fn embed(&mut self, texts: &[&str], cancel: &AtomicBool) -> Result<Vec<Vec<f32>>, EmbedError> {
        let same: Vec<&str> = texts.iter().map(|_| "bees").collect();
        self.0.embed(&same, cancel)
    }

    fn token_vectors(&mut self, text: &str) -> Result<TokenVectors, EmbedError> {
        self.0.token_vectors(text)
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.0.count_tokens(text)
    }

    fn reads(&self, text: &str) -> bool {
        self.0.reads(text)
    }
}

#[test]
fn equal_vectors_are_in_one_place() {
    let notes = garden();
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    index_with(dir.path(), &[notes.path()], Box::<Equal>::default());
    let library = open(dir.path());
    let picture = picture(&library);
    assert_eq!(picture.variance, Some([0.0, 0.0]));
    assert_eq!(picture.neighbours.state, NeighbourState::TooFew);
    assert!(picture.x.iter().chain(&picture.y).all(|at| *at == 0.0));
    assert!(!lay_out(&library).expect("there is nothing to lay out"));
}

#[test]
fn a_damaged_layout_is_reported_and_computed_again() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    let first = picture(&library);
    lay_out(&library).expect("it can be laid out");
    let laid_out = places(&picture(&library));
    let path = dir.path().join("map");
    let sound = fs::read(&path).expect("it is stored");
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 4;
    for damaged in [&flipped[..], &sound[..40], b"", b"no map at all"] {
        fs::write(&path, damaged).expect("it can be written");
        let picture = picture(&library);
        assert_eq!(places(&picture), places(&first));
        assert_eq!(picture.neighbours.state, NeighbourState::Missing);
        assert_eq!(picture.notices.len(), 1);
        assert!(
            picture.notices[0].contains("computed again"),
            "{:?}",
            picture.notices
        );
    }
    assert!(lay_out(&library).expect("it can be laid out"));
    assert_eq!(places(&picture(&library)), laid_out);
    assert_eq!(fs::read(&path).expect("it is stored"), sound);
}

#[test]
fn a_stopped_layout_leaves_the_one_before() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    std::thread::scope(|scope| {
        let running = scope.spawn(|| lay_out(&library));
        let jobs = library.jobs();
        while jobs.layout.progress().is_none() && !running.is_finished() {
            std::thread::yield_now();
        }
        library.stop(JobKind::Layout);
        let laid_out = running.join().expect("it does not panic");
        assert!(!laid_out.expect("it can be stopped"));
    });
    assert!(!dir.path().join("map").exists());
    assert_eq!(picture(&library).layout, MapLayout::Components);
    assert!(library.jobs().layout.progress().is_none());
}

#[test]
fn an_erased_library_has_no_layout() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    lay_out(&library).expect("it can be laid out");
    let path = dir.path().join("map");
    let stored = fs::read(&path).expect("it is stored");
    // Numbers alone: no word of a note.
    let stored = String::from_utf8_lossy(&stored);
    assert!(!stored.contains("bees") && !stored.contains("topic"));
    drop(library);
    erase(dir.path()).expect("it can be erased");
    assert!(!path.exists());
}

#[test]
fn a_layout_of_another_model_is_not_used() {
    let notes = garden();
    let dir = fresh(&[notes.path()]);
    let library = open(dir.path());
    lay_out(&library).expect("it can be laid out");
    drop(library);
    index_with(dir.path(), &[notes.path()], Box::new(Other::default()));
    let library = open(dir.path());
    let picture = picture(&library);
    assert_eq!(picture.layout, MapLayout::Components);
    assert_eq!(picture.neighbours.state, NeighbourState::Missing);
}
