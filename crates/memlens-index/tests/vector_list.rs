//! The vector list on disk: commits, generations, several writers and readers, and damage of every kind.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use memlens_index::{IndexError, VectorFile, VectorWriter};
use proptest::prelude::*;

#[path = "vector_list/codes.rs"]
mod codes;

/// Odd, so that rows are not aligned to eight bytes.
const DIM: usize = 5;

/// Returns a vector of unit length that differs for every id.
fn vector(id: i64) -> [f32; DIM] {
    let angle = id as f32 * 0.1;
    [angle.cos(), 0.0, angle.sin(), 0.0, 0.0]
}

fn append(writer: &mut VectorWriter, ids: impl IntoIterator<Item = i64>) {
    for id in ids {
        writer
            .append(id, &vector(id))
            .expect("a unit vector can be appended");
    }
}

/// Writes a list of generation 2 with embeddings 0 to 9.
fn write(path: &Path) {
    write_rows(path, 0..10);
}

/// Writes a list of generation 2 with these embeddings.
fn write_rows(path: &Path, ids: Range<i64>) {
    let mut writer = VectorWriter::create(path, "model", DIM).expect("a list can be started");
    append(&mut writer, ids);
    writer.commit(2).expect("it can be committed");
}

/// Checks that the list holds exactly `ids`, in this order of rows.
fn check_rows(list: &VectorFile, ids: &[i64]) {
    assert_eq!(list.n_rows(), ids.len());
    let dots = list.dots(&vector(3)).expect("the query fits");
    for (row, (id, dot)) in (0..).zip(ids.iter().zip(dots)) {
        assert_eq!(
            (list.row_of(*id), list.vector(row)),
            (Some(row), &vector(*id)[..])
        );
        let expected: f32 = vector(*id).iter().zip(vector(3)).map(|(a, b)| a * b).sum();
        assert!((dot - expected).abs() < 1e-6);
    }
    assert_eq!(list.row_of(-1), None);
}

fn open(path: &Path) -> VectorFile {
    VectorFile::open(path).expect("the list is sound")
}

fn error_of(path: &Path) -> IndexError {
    VectorFile::open(path).err().expect("the list is not sound")
}

/// Returns the files of rows beside the head at `path`.
fn rows_files(path: &Path) -> Vec<PathBuf> {
    let folder =
        fs::read_dir(path.parent().expect("it lies in a folder")).expect("it can be listed");
    let files = folder.map(|entry| entry.expect("it can be listed").path());
    files
        .filter(|file| file != path)
        .filter(|file| {
            let others = ["lock", "codes", "checks"];
            file.extension()
                .is_none_or(|extension| others.iter().all(|other| extension != *other))
        })
        .collect()
}

/// Returns the file with this extension beside the first rows of the list at `path`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    path.with_file_name(format!(
        "{}.1.{ending}",
        path.file_name().expect("it has a name").to_string_lossy()
    ))
}

#[test]
fn rows_come_back_as_they_were_appended() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("deep/vectors");
    let mut writer =
        VectorWriter::create(&path, "a model, v1", DIM).expect("a list can be started");
    let ids = [7, i64::MIN, 0, i64::MAX, -5];
    append(&mut writer, ids);
    // The same embedding again is the same vector.
    append(&mut writer, [0]);
    assert!(writer.contains(7) && !writer.contains(8));
    assert!(matches!(error_of(&path), IndexError::Missing { .. }));
    writer.commit(4).expect("it can be committed");

    let list = open(&path);
    assert_eq!(
        (list.model(), list.dim(), list.generation()),
        ("a model, v1", DIM, 4)
    );
    check_rows(&list, &ids);
    drop(writer);

    let mut writer = VectorWriter::append_to(&path).expect("the list is sound");
    assert_eq!(
        (writer.model(), writer.dim(), writer.generation()),
        ("a model, v1", DIM, 4)
    );
    append(&mut writer, [7, 8]);
    writer.commit(5).expect("it can be committed");
    append(&mut writer, [9]);
    writer.commit(6).expect("it can be committed");
    check_rows(&open(&path), &[7, i64::MIN, 0, i64::MAX, -5, 8, 9]);
    // A reader that opened the list before sees the old state.
    check_rows(&list, &ids);
    assert_eq!(list.generation(), 4);
}

/// Returns how much of the mapped rows is in this process's memory, in KiB.
#[cfg(target_os = "linux")]
fn resident_kib(path: &Path) -> u64 {
    let rows = rows_files(path)[0]
        .canonicalize()
        .expect("the rows are there");
    let maps = fs::read_to_string("/proc/self/smaps").expect("Linux describes every mapping");
    let rss = maps
        .lines()
        .skip_while(|line| !line.ends_with(&*rows.to_string_lossy()))
        .find_map(|line| line.strip_prefix("Rss:"))
        .expect("the rows are mapped");
    rss.trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("it is a number")
}

#[cfg(target_os = "linux")]
#[test]
fn rows_that_rest_take_no_memory_until_they_are_read() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    let mut writer = VectorWriter::create(&path, "model", DIM).expect("a list can be started");
    // More than is read into memory.
    append(&mut writer, 0..40_000);
    writer.commit(2).expect("it can be committed");
    drop(writer);
    let list = open(&path);
    let before = list.dots(&vector(3)).expect("the query fits");
    assert!(resident_kib(&path) > 500);
    list.rest();
    assert_eq!(resident_kib(&path), 0);
    assert_eq!(list.dots(&vector(3)).expect("the query fits"), before);
    assert!(resident_kib(&path) > 500);
}

#[test]
fn an_empty_list_is_a_list() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    VectorWriter::create(&path, "model", DIM)
        .and_then(|mut writer| writer.commit(1))
        .expect("it can be committed");
    check_rows(&open(&path), &[]);
    let mut writer = VectorWriter::append_to(&path).expect("the list is sound");
    append(&mut writer, [1]);
    writer.commit(2).expect("it can be committed");
    check_rows(&open(&path), &[1]);
}

#[test]
fn a_commit_without_rows_moves_the_generation() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    VectorWriter::append_to(&path)
        .and_then(|mut writer| writer.commit(3))
        .expect("it can be committed");
    let list = open(&path);
    assert_eq!(list.generation(), 3);
    check_rows(&list, &(0..10).collect::<Vec<_>>());
}

#[test]
fn another_model_and_a_stale_list_are_named() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let list = open(&path);
    assert!(list.check("model", DIM, 2).is_ok());
    let error = list
        .check("model", DIM, 3)
        .expect_err("it is of another generation");
    assert!(
        matches!(
            error,
            IndexError::Stale {
                found: 2,
                expected: 3,
                ..
            }
        ) && error.needs_rebuild(),
        "{error}"
    );
    for (model, dim) in [("other", DIM), ("model", DIM + 1)] {
        let error = list
            .check(model, dim, 2)
            .expect_err("its rows are of another model");
        assert!(
            matches!(error, IndexError::WrongModel { .. }) && error.needs_rebuild(),
            "{error}"
        );
    }
}

#[test]
fn bad_vectors_are_refused_and_change_nothing() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let list = open(&path);
    let mut writer = VectorWriter::append_to(&path).expect("the list is sound");
    let nan = [f32::NAN, 0.0, 0.0, 0.0, 1.0];
    let infinite = [1.0, f32::INFINITY, 0.0, 0.0, 0.0];
    for bad in [&nan[..], &infinite, &[1.0], &[], &[1.0; DIM + 1]] {
        assert!(
            matches!(list.dots(bad), Err(IndexError::BadVector { .. })),
            "{bad:?}"
        );
        assert!(
            matches!(writer.append(50, bad), Err(IndexError::BadVector { .. })),
            "{bad:?}"
        );
    }
    // A query need not have unit length; a row must.
    assert!(list.dots(&[2.0; DIM]).is_ok());
    for bad in [[0.0; DIM], [2.0, 0.0, 0.0, 0.0, 0.0]] {
        assert!(
            matches!(writer.append(50, &bad), Err(IndexError::BadVector { .. })),
            "{bad:?}"
        );
    }
    append(&mut writer, [50]);
    writer.commit(3).expect("it can be committed");
    check_rows(&open(&path), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 50]);
}

#[test]
fn bad_models_are_refused() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    for (model, dim) in [("two\nlines", DIM), ("model", 0)] {
        let error = VectorWriter::create(&path, model, dim)
            .err()
            .expect("it is no model");
        assert!(matches!(error, IndexError::BadModel { .. }), "{error}");
    }
}

#[test]
fn there_is_one_writer() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let first = VectorWriter::append_to(&path).expect("the list is sound");
    for second in [
        VectorWriter::append_to(&path),
        VectorWriter::create(&path, "model", DIM),
    ] {
        let error = second.err().expect("the first writer is open");
        assert!(
            matches!(error, IndexError::Busy { .. }) && !error.needs_rebuild(),
            "{error}"
        );
    }
    drop(first);
    assert!(VectorWriter::append_to(&path).is_ok());
}

#[test]
fn a_rebuilt_list_replaces_the_old_one_at_its_commit() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let old = open(&path);

    // An aborted build leaves rows that no head names.
    let mut broken_off = VectorWriter::create(&path, "model", DIM).expect("a list can be started");
    append(&mut broken_off, [80]);
    drop(broken_off);
    assert_eq!(rows_files(&path).len(), 2);

    let mut writer = VectorWriter::create(&path, "new model", DIM).expect("a list can be started");
    assert_eq!(
        rows_files(&path).len(),
        2,
        "what was broken off takes no room"
    );
    append(&mut writer, [90, 91]);
    assert_eq!(open(&path).model(), "model");
    writer.commit(7).expect("it can be committed");
    let new = open(&path);
    assert_eq!((new.model(), new.generation()), ("new model", 7));
    check_rows(&new, &[90, 91]);
    check_rows(&old, &(0..10).collect::<Vec<_>>());
    assert_eq!(rows_files(&path).len(), 1, "old rows are removed");
}

/// Serials start again if nothing is left of a list.
#[test]
fn a_list_that_was_deleted_and_rebuilt_does_not_go_on_with_the_old_one() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("list/vectors");
    write(&path);
    let old = open(&path);
    fs::remove_dir_all(scratch.path().join("list")).expect("it can be removed");
    let mut writer = VectorWriter::create(&path, "model", DIM).expect("a list can be started");
    append(&mut writer, (0..12).rev());
    writer.commit(9).expect("it can be committed");
    let new = VectorFile::open_after(&path, &old).expect("it was just written");
    assert!(!new.continues(&old));
    check_rows(&new, &(0..12).rev().collect::<Vec<_>>());
    append(&mut writer, [12]);
    // Leftovers of a process that was killed while it rebuilt the codes.
    let unfinished = beside(&path, "checks").with_added_extension("new");
    fs::write(&unfinished, "").expect("it can be written");
    writer.commit(10).expect("it can be committed");
    assert!(!unfinished.exists());
    let next = VectorFile::open_after(&path, &new).expect("it was just written");
    assert!(next.continues(&new) && !next.continues(&old));
}

#[test]
fn rows_that_were_never_committed_are_cut_off() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let mut killed = VectorWriter::append_to(&path).expect("the list is sound");
    append(&mut killed, 100..400);
    drop(killed);
    let rows = &rows_files(&path)[0];
    let mut bytes = fs::read(rows).expect("it can be read");
    assert!(bytes.len() > 300 * 28, "rows were on their way");
    // Half a row, which a kill may leave, does no harm either.
    bytes.truncate(bytes.len() - 13);
    fs::write(rows, bytes).expect("it can be written");
    check_rows(&open(&path), &(0..10).collect::<Vec<_>>());

    let mut writer = VectorWriter::append_to(&path).expect("the list is sound");
    append(&mut writer, [60]);
    writer.commit(3).expect("it can be committed");
    check_rows(&open(&path), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 60]);
    assert_eq!(fs::metadata(rows).expect("it is there").len(), 11 * 28);
}

#[test]
fn readers_see_whole_commits_while_a_writer_works() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            // Lists of two commits each, all rebuilt while readers use them.
            for list in 0..120 {
                let mut writer =
                    VectorWriter::create(&path, "model", DIM).expect("a list can be started");
                for commit in 1..=2 {
                    append(&mut writer, (commit - 1) * 5..commit * 5);
                    writer
                        .commit(1000 * (list + 1) + commit as u64)
                        .expect("it can be committed");
                }
            }
        });
        // More readers than cores: one that is suspended between two steps finds that the rows have gone.
        for _ in 0..8 {
            scope.spawn(|| {
                let mut kept = Vec::new();
                while !done.load(Ordering::Acquire) {
                    let list = open(&path);
                    if list.generation() >= 1000 {
                        assert_eq!(list.n_rows() as u64, list.generation() % 1000 * 5);
                        kept.push(list);
                    }
                    kept.truncate(50);
                }
                assert!(!kept.is_empty());
                for list in &kept {
                    check_rows(list, &(0..list.n_rows() as i64).collect::<Vec<_>>());
                }
            });
        }
        let written = writer.join();
        done.store(true, Ordering::Release);
        written.expect("the writer does not panic");
    });
}

#[test]
fn a_file_cut_short_changed_or_lost_is_noticed_and_rebuilt() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let rows = rows_files(&path).remove(0);
    let checks = beside(&path, "checks");
    for file in [&path, &rows] {
        let bytes = fs::read(file).expect("it can be read");
        let checked = fs::read(&checks).expect("it can be read");
        for at in 0..bytes.len() {
            fs::write(file, &bytes[..at]).expect("it can be written");
            let error = error_of(&path);
            assert!(
                matches!(error, IndexError::Torn { .. }) && error.needs_rebuild(),
                "cut at {at}: {error}"
            );
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(file, changed).expect("it can be written");
            let check = |is_noticed_by: Result<(), IndexError>| {
                let error = is_noticed_by.expect_err("it is noticed");
                assert!(error.needs_rebuild(), "changed at {at}: {error}");
            };
            // Damage to the first and the last id is detected at once.
            if *file == rows
                && let Ok(list) = VectorFile::open(&path)
            {
                // The row is read, or all are.
                let row = (at / (8 + 4 * DIM)) as u32;
                list.dot(&vector(3), (row + 1) % 10);
                list.check_read().expect("the others are sound");
                list.dot(&vector(3), row);
                check(list.check_read());
                check(list.check_all(&AtomicBool::new(false)));
                let stopped = list.check_all(&AtomicBool::new(true));
                stopped.expect("nothing is said of what was not read");
                let list = open(&path);
                list.dots(&vector(3)).expect("the query fits");
                check(list.check_read());
            }
            // Without checks, only the checksum of all rows remains.
            fs::remove_file(&checks).expect("it can be removed");
            check(VectorFile::open(&path).map(drop));
            check(VectorWriter::append_to(&path).map(drop));
            fs::write(&checks, &checked).expect("it can be written");
        }
        fs::remove_file(file).expect("it can be removed");
        assert!(error_of(&path).needs_rebuild());
        write(&path);
        check_rows(&open(&path), &(0..10).collect::<Vec<_>>());
        assert_eq!(rows_files(&path).len(), 1);
        // The next round needs the rows under their original name.
        fs::remove_dir_all(scratch.path()).expect("it can be removed");
        write(&path);
    }
}

#[test]
fn another_format_is_named() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("vectors");
    write(&path);
    let head = fs::read_to_string(&path).expect("it is text");
    fs::write(
        &path,
        head.replacen("memlens-vectors 1", "memlens-vectors 2", 1),
    )
    .expect("it can be written");
    let error = error_of(&path);
    assert!(
        matches!(error, IndexError::WrongFormat { .. }) && error.needs_rebuild(),
        "{error}"
    );
    write(&path);
    check_rows(&open(&path), &(0..10).collect::<Vec<_>>());
}

#[test]
fn a_folder_or_nothing_is_no_list() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    assert!(matches!(
        error_of(&scratch.path().join("none")),
        IndexError::Missing { .. }
    ));
    assert!(matches!(
        error_of(&scratch.path().join("no/such")),
        IndexError::Missing { .. }
    ));
    assert!(matches!(error_of(scratch.path()), IndexError::Io { .. }));
    let writer = VectorWriter::append_to(&scratch.path().join("no/such"));
    assert!(matches!(writer.err(), Some(IndexError::Missing { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn dots_are_those_of_the_plain_sum(dim in 1_usize..70, seeds in prop::collection::vec(0_u64..1000, 1..20)) {
        let unit = |seed: u64| {
            let numbers: Vec<f32> = (0..dim).map(|at| ((seed * 31 + at as u64 * 17 + 1) % 101) as f32 - 50.5).collect();
            let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
            numbers.iter().map(|number| number / length).collect::<Vec<f32>>()
        };
        let scratch = tempfile::tempdir().expect("a scratch folder can be made");
        let path = scratch.path().join("vectors");
        let mut writer = VectorWriter::create(&path, "model", dim).expect("a list can be started");
        for (id, seed) in (0..).zip(&seeds) {
            writer.append(id, &unit(*seed)).expect("a unit vector can be appended");
        }
        writer.commit(1).expect("it can be committed");
        let query = unit(7);
        let dots = VectorFile::open(&path).and_then(|list| list.dots(&query)).expect("the list is sound");
        prop_assert_eq!(dots.len(), seeds.len());
        for (seed, dot) in seeds.iter().zip(dots) {
            let expected: f64 = unit(*seed).iter().zip(&query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((f64::from(dot) - expected).abs() < 1e-5);
        }
    }
}

#[test]
fn rows_are_read_to_be_checked_once_by_who_stays() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let path = scratch.path().join("flat");
    write(&path);
    let before = open(&path);
    let mut writer = VectorWriter::append_to(&path).expect("it was just written");
    append(&mut writer, 10..12);
    writer.commit(3).expect("it can be committed");
    drop(writer);
    let rows = &rows_files(&path)[0];
    let turn = |at: usize| {
        let mut bytes = fs::read(rows).expect("it can be read");
        bytes[at] ^= 1;
        fs::write(rows, bytes).expect("it can be written");
    };
    let n_bytes = fs::read(rows).expect("it can be read").len();
    let after = || VectorFile::open_after(&path, &before);
    // A changed bit in an earlier row shows that it is not read again; reading that row detects it.
    turn(20);
    let list = after().expect("it is not looked at");
    list.dot(&vector(3), 1);
    list.check_read().expect("another row was read");
    list.dot(&vector(3), 0);
    list.check_read().expect_err("this one was");
    turn(20);
    // Rows that were appended since are verified.
    turn(n_bytes - 1);
    let list = after().expect("each row is checked by itself");
    list.dot(&vector(3), 11);
    list.check_read()
        .expect_err("this one was not looked at before");
    turn(n_bytes - 1);
    check_rows(&after().expect("it is sound"), &(0..12).collect::<Vec<_>>());
    // A rebuilt list is another list.
    let mut writer = VectorWriter::create(&path, "model", DIM).expect("a list can be started");
    append(&mut writer, 5..8);
    writer.commit(4).expect("it can be committed");
    check_rows(&after().expect("it is sound"), &[5, 6, 7]);
}

#[test]
fn a_large_list_that_becomes_shorter_while_it_is_open_is_noticed() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let path = dir.path().join("flat");
    let mut writer = VectorWriter::create(&path, "model", 512).expect("a list can be started");
    let mut vector = vec![0.0; 512];
    for row in 0..700 {
        vector.fill(0.0);
        vector[row % 512] = 1.0;
        writer
            .append(row as i64 + 1, &vector)
            .expect("it is a unit");
    }
    writer.commit(1).expect("it can be committed");
    drop(writer);
    let list = VectorFile::open(&path).expect("it is sound");
    let under_way = list.bounds(&vector).expect("it is whole");
    let rows = fs::read_dir(dir.path())
        .expect("it can be listed")
        .map(|entry| entry.expect("it can be listed").path())
        .find(|path| path.metadata().is_ok_and(|found| found.len() > 1 << 20))
        .expect("the rows are mapped");
    let file = fs::File::options()
        .write(true)
        .open(rows)
        .expect("it is ours");
    file.set_len(4096).expect("it can be shortened");
    // A question that is under way reads on, finds zeros, and leaves a mark.
    #[cfg(unix)]
    {
        let n_before = memlens_files::n_faults();
        assert_eq!(under_way.product(699), 0.0);
        assert!(memlens_files::n_faults() > n_before);
    }
    vector.fill(0.0);
    vector[1] = 1.0;
    for error in [list.bounds(&vector).err(), list.dots(&vector).err()] {
        let error = error.expect("it is torn");
        assert!(error.needs_rebuild(), "{error}");
        assert!(error.to_string().contains("became shorter"), "{error}");
    }
}
