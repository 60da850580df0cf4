//! Codes of vectors, and the bounds that they give.

use std::fs;
use std::path::Path;
use std::thread;

use memlens_index::{IndexError, VectorFile, VectorWriter};

use super::{DIM, append, beside, check_rows, open, rows_files, vector, write, write_rows};

/// Writes the saved codes of `n_rows` rows; damages the code of `row` if there is one.
fn write_codes(codes: &Path, saved: &[u8], row: usize, n_rows: i64) {
    let mut changed = saved.to_vec();
    if let Some(byte) = changed.get_mut(row * saved.len() / n_rows as usize) {
        *byte ^= 1;
    }
    fs::write(codes, changed).expect("it can be written");
}

/// Checks that ceilings fit the vectors and that `n_coded` rows have a code.
fn check_codes(list: &VectorFile, n_coded: usize) {
    assert_eq!(list.n_coded(), n_coded);
    for id in 0..list.n_rows() as i64 {
        let question = vector(id);
        let bounds = list.bounds(&question).expect("the question fits");
        let ceilings = bounds.ceilings();
        let dots = list.dots(&question).expect("the question fits");
        assert_eq!(ceilings.len(), dots.len());
        for (row, (dot, ceiling)) in (0..).zip(dots.iter().zip(ceilings)) {
            assert!(dot <= ceiling, "{dot} above {ceiling}");
            let floor = bounds.floor(row);
            assert!(floor <= *dot, "{dot} below {floor}");
            assert_eq!(*dot, list.dot(&question, row));
            // Five dimensions leave room for a remainder, but not for a code of another vector.
            assert!(
                row as usize >= n_coded || *ceiling < dot + 0.6,
                "{ceiling} for {dot}"
            );
        }
        assert_eq!(
            dots[n_coded..],
            bounds.ceilings()[n_coded..],
            "what has no code is exact"
        );
    }
}

#[test]
fn codes_that_are_missing_or_damaged_change_nothing_and_are_rebuilt() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let files = ["codes", "checks"].map(|ending| beside(&path, ending));
    let saved = files
        .each_ref()
        .map(|file| fs::read(file).expect("it is beside the rows"));
    let ids: Vec<i64> = (0..10).collect();
    let put = |file: &Path, bytes: &[u8]| {
        fs::remove_file(file).expect("it can be removed");
        fs::write(file, bytes).expect("it can be written");
    };
    let check = |n_coded: usize| {
        let list = open(&path);
        check_rows(&list, &ids);
        check_codes(&list, n_coded);
        list.check_read().expect("the vectors are sound");
        drop(VectorWriter::append_to_checked(&path).expect("the list is sound"));
        for (file, saved) in files.iter().zip(&saved) {
            assert_eq!(fs::read(file).expect("it is rebuilt"), *saved);
        }
        check_codes(&open(&path), 10);
        // A reader that opened the list before still reads the old codes.
        check_codes(&list, n_coded);
    };
    for (file, saved) in files.iter().zip(&saved) {
        let row_bytes = saved.len() / 10;
        for at in 0..saved.len() {
            put(file, &saved[..at]);
            check(at / row_bytes);
            let mut changed = saved.clone();
            changed[at] ^= 1;
            put(file, &changed);
            check(at / row_bytes);
        }
        // A library of an older version has none.
        fs::remove_file(file).expect("it can be removed");
        check(0);
    }
    // Codes of other embeddings, and of another model with the same vectors.
    for (model, first, n_same) in [("model", 1, 0), ("other", 0, 10)] {
        let other = scratch.path().join("other/vectors");
        let mut writer = VectorWriter::create(&other, model, DIM).expect("a list can be started");
        append(&mut writer, first..first + 10);
        writer.commit(2).expect("it can be committed");
        drop(writer);
        let theirs = ["codes", "checks"].map(|ending| beside(&other, ending));
        // Killed between the two files: each has its own checks.
        for (n_moved, n_coded) in [(1, n_same), (2, 0)] {
            for (file, theirs) in files.iter().zip(&theirs).take(n_moved) {
                fs::copy(theirs, file).expect("it can be copied");
            }
            check(n_coded);
        }
        VectorWriter::remove(&other).expect("it can be removed");
        assert!(!other.with_file_name("").exists(), "nothing is left of it");
    }
    let [codes, checks] = &files;
    // Nothing is written to another file through any kind of link.
    #[cfg(unix)]
    {
        let theirs = scratch.path().join("theirs");
        fs::write(&theirs, "their words").expect("it can be written");
        let links: [fn(&Path, &Path) -> std::io::Result<()>; 4] = [
            |theirs, own| std::os::unix::fs::symlink(theirs, own),
            |theirs, own| std::os::unix::fs::symlink(theirs, own),
            |theirs, own| fs::hard_link(theirs, own),
            |theirs, own| fs::hard_link(theirs, own),
        ];
        for (link, file) in links.into_iter().zip([codes, checks, checks, codes]) {
            fs::remove_file(file).expect("it can be removed");
            link(&theirs, file).expect("it can be linked");
            let mut writer = VectorWriter::append_to(&path).expect("the list is sound");
            append(&mut writer, [77]);
            drop(writer);
            assert_eq!(fs::read(&theirs).expect("it is there"), b"their words");
            drop(VectorWriter::append_to(&path).expect("the list is sound"));
            check_codes(&open(&path), 10);
        }
    }
    // A folder in its place is ignored and causes no failure, not even if it would have to be rebuilt.
    for file in [codes, checks] {
        fs::remove_file(file).expect("it can be removed");
        fs::create_dir(file).expect("it can be made");
        check_codes(&open(&path), 0);
        let before = open(&path).n_rows() as i64;
        let other = files.iter().find(|it| *it != file).expect("there are two");
        assert!(other.is_file());
        let mut writer = VectorWriter::append_to(&path).expect("the list is sound");
        append(&mut writer, 1000 + before..1003 + before);
        writer.commit(9).expect("it can be committed");
        drop(writer);
        let list = open(&path);
        assert_eq!(list.n_rows() as i64, before + 3);
        assert_eq!(list.n_coded(), 0);
        assert!(
            !other.exists(),
            "nothing is left of codes that did not go on"
        );
        // The next writer creates them as soon as it can.
        fs::remove_dir(file).expect("nothing is in it");
        drop(VectorWriter::append_to(&path).expect("the list is sound"));
        assert_eq!(open(&path).n_coded(), list.n_rows());
    }
}

#[test]
fn codes_follow_appends_kills_and_rebuilt_lists() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let own = ["codes", "checks"].map(|ending| beside(&path, ending));
    let before = open(&path);
    // Killed in the middle: uncommitted codes belong to no row, and the next writer cuts them off.
    let mut killed = VectorWriter::append_to(&path).expect("the list is sound");
    append(&mut killed, 100..400);
    drop(killed);
    check_codes(&open(&path), 10);
    let mut writer = VectorWriter::append_to(&path).expect("the list is sound");
    append(&mut writer, 10..30);
    writer.commit(3).expect("it can be committed");
    check_codes(&open(&path), 30);
    check_codes(&before, 10);
    let after = VectorFile::open_after(&path, &before).expect("the list is sound");
    check_codes(&after, 30);
    drop(writer);
    // Killed between rebuilding them and replacing the old ones.
    let unfinished = own.each_ref().map(|own| own.with_added_extension("new"));
    for n_left in [2, 1] {
        for (own, unfinished) in own.iter().zip(&unfinished).rev().take(n_left) {
            fs::rename(own, unfinished).expect("it can be moved");
        }
        check_codes(&open(&path), 0);
        drop(VectorWriter::append_to(&path).expect("the list is sound"));
        check_codes(&open(&path), 30);
        assert!(unfinished.iter().all(|it| !it.exists()));
    }
    // A rebuilt list uses files of its own.
    fs::write(&unfinished[0], "left").expect("it can be written");
    write(&path);
    let mut old = own.iter().chain(&unfinished);
    assert!(old.all(|it| !it.exists()), "old codes are removed");
    check_codes(&open(&path), 10);
}

/// Enough rows for several threads.
#[test]
fn codes_of_many_rows_are_those_of_few() {
    const N_ROWS: i64 = 23_456;
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write_rows(&path, 0..N_ROWS);
    let codes = beside(&path, "codes");
    let saved = fs::read(&codes).expect("it can be read");
    for row in [N_ROWS as usize, 20_004, 4, 0] {
        write_codes(&codes, &saved, row, N_ROWS);
        // Codes are verified by the first question, or before it.
        for asks_first in [true, false] {
            let list = open(&path);
            if !asks_first {
                assert_eq!(list.n_coded(), row);
            }
            for question in [77, 78].map(vector) {
                let bounds = list.bounds(&question).expect("the question fits");
                let dots = list.dots(&question).expect("the question fits");
                assert_eq!(dots[row..], bounds.ceilings()[row..]);
                for (dot, ceiling) in dots.iter().zip(bounds.ceilings()) {
                    assert!(
                        dot <= ceiling && *ceiling < dot + 0.6,
                        "{ceiling} for {dot}"
                    );
                }
            }
            assert_eq!(list.n_coded(), row);
        }
    }
}

#[test]
fn questions_looked_up_together_have_the_bounds_that_each_has_by_itself() {
    const N_ROWS: i64 = 23_456;
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write_rows(&path, 0..N_ROWS);
    let codes = beside(&path, "codes");
    let saved = fs::read(&codes).expect("it can be read");
    // So short that codes give no bounds for it.
    let short = vector(3).map(|number| number / 100.0);
    let questions: Vec<[f32; DIM]> = (70..80).map(vector).chain([short]).collect();
    for n_coded in [N_ROWS as usize, 20_004, 4, 0] {
        write_codes(&codes, &saved, n_coded, N_ROWS);
        let (alone, list) = (open(&path), open(&path));
        // Overlapping parts, more than are kept, one twice, and a vector that does not fit this list.
        for ahead in [0..3, 2..11, 10..11, 0..0] {
            let mut ahead: Vec<Vec<f32>> = questions[ahead].iter().map(|it| it.to_vec()).collect();
            ahead.extend(ahead.first().cloned());
            ahead.extend([vec![1.0], vec![f32::NAN; DIM]]);
            list.look_ahead(ahead);
            for question in questions.iter().rev() {
                let bounds = list.bounds(question).expect("the question fits");
                let expected = alone.bounds(question).expect("the question fits");
                assert_eq!(bounds.ceilings(), expected.ceilings());
                for row in [0, 4, 20_003, N_ROWS as u32 - 1] {
                    assert_eq!(bounds.product(row), expected.product(row));
                    assert_eq!(bounds.floor(row), expected.floor(row));
                }
            }
        }
        assert_eq!(list.n_coded(), n_coded);
    }
}

#[test]
fn threads_that_ask_at_once_get_each_its_own_answer() {
    const N_ROWS: i64 = 2_000;
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write_rows(&path, 0..N_ROWS);
    let questions: Vec<[f32; DIM]> = (70..90).map(vector).collect();
    let alone = open(&path);
    let expected: Vec<(Vec<f32>, Vec<f32>)> = questions
        .iter()
        .map(|question| {
            let bounds = alone.bounds(question).expect("the question fits");
            let dots = alone.dots(question).expect("the question fits");
            (bounds.ceilings().to_vec(), dots)
        })
        .collect();
    let list = open(&path);
    let ask = |thread: usize| {
        for turn in 0..200 {
            let at = (turn * (thread + 1) + thread) % questions.len();
            if turn % 4 == 0 {
                let ahead = questions.iter().cycle().skip(at).take(4);
                list.look_ahead(ahead.map(|it| it.to_vec()));
            }
            if turn % 50 == 49 {
                list.rest();
            }
            let bounds = list.bounds(&questions[at]).expect("the question fits");
            let (ceilings, dots) = &expected[at];
            assert_eq!(bounds.ceilings(), ceilings);
            for row in (turn as u32 % 7..N_ROWS as u32).step_by(7) {
                assert_eq!(bounds.product(row), dots[row as usize]);
            }
        }
    };
    thread::scope(|scope| {
        for at in 0..4 {
            scope.spawn(move || ask(at));
        }
    });
}

#[test]
fn a_damaged_row_that_is_looked_up_ahead_is_reported() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let turn = |file: &Path, row: usize, n_behind: usize| {
        let mut bytes = fs::read(file).expect("it can be read");
        let row_bytes = bytes.len() / 10;
        bytes[row * row_bytes + n_behind] ^= 1;
        fs::write(file, bytes).expect("it can be written");
    };
    // From here on rows are compared by their vectors.
    turn(&beside(&path, "codes"), 4, 0);
    turn(&rows_files(&path)[0], 7, 12);
    let list = open(&path);
    list.check_read().expect("nothing was read");
    list.look_ahead([vector(3).to_vec()]);
    let error = list.check_read().expect_err("a row turned");
    assert!(matches!(error, IndexError::Torn { .. }), "{error}");
    assert_eq!(list.n_coded(), 4);
}
