//! When a fact came into its note, by the versions of the note that the library saw.
//!
//! Properties checked: a note that was seen without a word of the fact before and after the moment had it written later; one that was
//! seen with the line before the moment held it; a line that was moved, wrapped, or in a note that nobody saw at the moment is not
//! called later; nor is one that may have been in the note while nobody looked, or in another note whose versions are not known.

use std::fs::{self, File};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use memlens_engine::view::{Autopsy, AutopsyStep, StepOutcome, Verdict};
use memlens_store::{FolderId, Store};
use memlens_tests::index;

use crate::autopsy::{FACT, LINE, Scene, check, check_proof, step};

const WORKSPACE: &str = ".openclaw/workspace";
const NOTE: &str = "memory/home-server.md";
const WITHOUT: &str = "# Network\n\n- The switch hums at night.\n";
const LATER: &str = "Memlens saw the note without";

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("it is after 1970").as_millis() as i64
}

/// A moment after all that was done and before all that will be.
fn moment() -> i64 {
    let pass = |ms: i64| {
        while now_ms() <= ms {
            thread::yield_now();
        }
    };
    pass(now_ms());
    let moment = now_ms();
    pass(moment);
    moment
}

/// Walks the folder and indexes what changed.
fn walk(scene: &Scene) {
    index(scene.library.dir(), &[&scene.home.at(WORKSPACE)]);
    scene.library.refresh().expect("it can be read");
}

/// Saves a note now. The system's own time of a save may be some milliseconds behind.
fn save(scene: &Scene, note: &str, text: &str) {
    let path = scene.home.at(&format!("{WORKSPACE}/{note}"));
    fs::write(&path, text).expect("it can be written");
    let file = File::options().write(true).open(&path);
    let dated = file.and_then(|file| file.set_modified(SystemTime::now()));
    dated.expect("it can be dated");
}

fn at(scene: &Scene, at_ms: i64) -> Autopsy {
    scene.autopsy(FACT, None, Some(at_ms as f64))
}

/// Checks that nothing says when the line was written.
fn check_unknown(scene: &Scene, at_ms: i64) {
    let autopsy = at(scene, at_ms);
    let said = "Not known whether this line was there";
    check_proof(&autopsy, AutopsyStep::Written, StepOutcome::Unknown, said);
}

#[test]
fn a_note_that_was_seen_without_the_fact_had_it_written_later() {
    let scene = Scene::openclaw(&[(NOTE, WITHOUT)]);
    let asked = moment();
    walk(&scene);
    save(&scene, NOTE, &format!("{WITHOUT}{LINE}"));
    walk(&scene);
    let after = moment();
    let later = at(&scene, asked);
    check(&later, Verdict::WrittenLater, Some(AutopsyStep::Written));
    check_proof(&later, AutopsyStep::Written, StepOutcome::Failed, LATER);
    let lacked = "without “wait”, “four”, “minutes”, “after”, “restarting”, “router” as late as ";
    check_proof(&later, AutopsyStep::Written, StepOutcome::Failed, lacked);
    let there = "seen there by Memlens on";
    check_proof(
        &at(&scene, after),
        AutopsyStep::Written,
        StepOutcome::Passed,
        there,
    );
}

#[test]
fn a_note_that_was_not_seen_after_the_moment_proves_nothing() {
    let scene = Scene::openclaw(&[(NOTE, WITHOUT)]);
    let asked = moment();
    save(&scene, NOTE, &format!("{WITHOUT}{LINE}"));
    walk(&scene);
    check_unknown(&scene, asked);
}

#[test]
fn a_period_in_which_nobody_looked_proves_nothing() {
    let scene = Scene::openclaw(&[(NOTE, WITHOUT)]);
    let asked = moment();
    save(&scene, NOTE, &format!("{WITHOUT}- The lamp is dim.\n"));
    walk(&scene);
    save(
        &scene,
        NOTE,
        &format!("{WITHOUT}- The lamp is dim.\n{LINE}"),
    );
    walk(&scene);
    // Both sights without the fact are moments apart, and the question is between them.
    let later = at(&scene, asked);
    check_proof(&later, AutopsyStep::Written, StepOutcome::Failed, LATER);
    let path = scene.library.dir().join("library.sqlite");
    let connection = rusqlite::Connection::open(path).expect("it is there");
    let earlier = connection.execute(
        "UPDATE former_versions SET first_ms = first_ms - 3600000, last_ms = last_ms - 3600000
         WHERE id = (SELECT min(id) FROM former_versions)",
        [],
    );
    assert_eq!(earlier.expect("it can be changed"), 1);
    drop(connection);
    check_unknown(&scene, asked);
}

#[test]
fn a_line_that_was_seen_before_the_moment_was_there() {
    let scene = Scene::openclaw(&[(NOTE, &format!("{WITHOUT}{LINE}"))]);
    let asked = moment();
    walk(&scene);
    // The chunk of the line is another one now.
    let more = "- The attic was painted in spring, and it was dry again by May.\n".repeat(60);
    save(
        &scene,
        NOTE,
        &format!("# House\n\n{more}\n{WITHOUT}\n  {LINE}"),
    );
    walk(&scene);
    let there = "seen there by Memlens on";
    check_proof(
        &at(&scene, asked),
        AutopsyStep::Written,
        StepOutcome::Passed,
        there,
    );
}

#[test]
fn a_line_that_was_wrapped_is_not_new() {
    let scene = Scene::openclaw(&[(NOTE, "After restarting the\nrouter wait four\nminutes.\n")]);
    let asked = moment();
    walk(&scene);
    save(&scene, NOTE, &format!("{WITHOUT}{LINE}"));
    walk(&scene);
    check_unknown(&scene, asked);
}

#[test]
fn a_line_that_came_from_another_note_is_not_new() {
    for is_copied in [false, true] {
        let other = "memory/router.md";
        let scene = Scene::openclaw(&[(NOTE, WITHOUT), (other, LINE)]);
        let asked = moment();
        walk(&scene);
        let others = match is_copied {
            true => format!("# Router\n\n{LINE}"),
            false => "# Router\n".to_owned(),
        };
        save(&scene, other, &others);
        save(&scene, NOTE, &format!("{WITHOUT}{LINE}"));
        walk(&scene);
        let autopsy = at(&scene, asked);
        let proof = &step(&autopsy, AutopsyStep::Written).proof;
        assert!(!proof.contains(LATER), "{proof}");
        assert_ne!(autopsy.verdict, Verdict::WrittenLater, "{autopsy:#?}");
    }
    // The note was renamed, so that its own versions are those of another name.
    let scene = Scene::openclaw(&[("memory/net.md", &format!("{WITHOUT}{LINE}"))]);
    let asked = moment();
    walk(&scene);
    let place = |note: &str| scene.home.at(&format!("{WORKSPACE}/{note}"));
    fs::remove_file(place("memory/net.md")).expect("it is there");
    save(&scene, NOTE, &format!("{WITHOUT}{LINE}"));
    walk(&scene);
    check_unknown(&scene, asked);
}

#[test]
fn nothing_is_known_of_notes_that_were_indexed_before_versions_were_kept() {
    let scene = Scene::openclaw(&[(NOTE, WITHOUT)]);
    let path = scene.library.dir().join("library.sqlite");
    let connection = rusqlite::Connection::open(path).expect("it is there");
    let removed = connection.execute("DELETE FROM versions", []);
    assert_eq!(removed.expect("it can be changed"), 1);
    drop(connection);
    let asked = moment();
    walk(&scene);
    save(&scene, NOTE, &format!("{WITHOUT}{LINE}"));
    walk(&scene);
    check_unknown(&scene, asked);
    let store = Store::open_read_only(scene.library.dir()).expect("it can be read");
    let versions = store.versions(FolderId(1), NOTE).expect("they can be read");
    assert_eq!(versions.len(), 1);
}

#[test]
fn a_line_may_have_come_from_a_note_that_was_indexed_before_versions_were_kept() {
    let other = "memory/router.md";
    let scene = Scene::openclaw(&[(NOTE, WITHOUT), (other, LINE)]);
    let path = scene.library.dir().join("library.sqlite");
    let connection = rusqlite::Connection::open(path).expect("it is there");
    let removed = connection.execute("DELETE FROM versions", []);
    assert_eq!(removed.expect("it can be changed"), 2);
    drop(connection);
    let changed = format!("{WITHOUT}- The lamp is dim.\n");
    save(&scene, NOTE, &changed);
    walk(&scene);
    let asked = moment();
    walk(&scene);
    save(&scene, other, "# Router\n");
    save(&scene, NOTE, &format!("{changed}{LINE}"));
    walk(&scene);
    check_unknown(&scene, asked);
}
