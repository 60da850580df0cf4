//! The text list on disk: commits, generations, several writers and readers, and damage of every kind. Files that do
//! not belong to it are neither cleared nor removed.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_index::{IndexError, Join, TextEntry, TextHits, TextIndex, TextWriter};

fn entry(chunk: u64, document: u64, text: &str) -> TextEntry<'_> {
    TextEntry {
        chunk,
        document,
        text,
        title: "notes",
    }
}

fn add(writer: &mut TextWriter, chunk: u64, document: u64, text: &str) {
    writer
        .add(&entry(chunk, document, text))
        .expect("chunks can be added");
}

/// Writes a list of generation 3 in two segments, one with deleted chunks, so that it has every kind of file.
fn write(dir: &Path) {
    let mut writer = TextWriter::create(dir).expect("a list can be started");
    for id in 0..40 {
        add(&mut writer, id, id / 2, "quiet hours of the relay");
    }
    writer.commit(2).expect("it can be committed");
    writer.delete_document(3);
    add(&mut writer, 100, 3, "the relay hums");
    writer.commit(3).expect("it can be committed");
}

fn hits(dir: &Path) -> Result<TextHits, IndexError> {
    TextIndex::open(dir)?.search("quiet relay", Join::Or)
}

/// Returns the list's files except the locks, and their names for messages.
fn files(dir: &Path) -> Vec<(String, PathBuf)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .expect("it is a folder")
        .map(|entry| entry.expect("it can be listed").path())
        .map(|path| {
            (
                path.file_name()
                    .expect("it has a name")
                    .to_string_lossy()
                    .into_owned(),
                path,
            )
        })
        .filter(|(name, _)| !name.ends_with(".lock"))
        .collect();
    files.sort();
    files
}

#[test]
fn what_is_not_committed_is_not_there() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let dir = scratch.path().join("deep/text");
    assert!(matches!(
        TextIndex::open(&dir),
        Err(IndexError::Missing { .. })
    ));
    assert!(matches!(
        TextWriter::open(&dir),
        Err(IndexError::Missing { .. })
    ));

    let mut writer = TextWriter::create(&dir).expect("a list can be started");
    add(&mut writer, 1, 1, "relay");
    assert!(matches!(
        TextIndex::open(&dir),
        Err(IndexError::Missing { .. })
    ));
    drop(writer);
    assert!(matches!(
        TextIndex::open(&dir),
        Err(IndexError::Missing { .. })
    ));

    write(&dir);
    let mut writer = TextWriter::open(&dir).expect("it was just written");
    writer.delete_document(3);
    add(&mut writer, 200, 7, "relay");
    drop(writer);
    let index = TextIndex::open(&dir).expect("the last commit remains");
    assert_eq!((index.generation(), index.n_chunks()), (3, 39));
}

#[test]
fn what_a_process_that_was_killed_has_left_is_removed_by_the_next_writer() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    write(scratch.path());
    let (unfinished, theirs) = (scratch.path().join(".tmpAb12"), scratch.path().join("tmp"));
    for file in [&unfinished, &theirs] {
        fs::write(file, "half").expect("it can be written");
    }
    drop(TextWriter::open(scratch.path()).expect("it was just written"));
    assert!(!unfinished.exists() && theirs.exists());
}

#[test]
fn a_stale_list_is_named() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    write(scratch.path());
    let index = TextIndex::open(scratch.path()).expect("it was just written");
    assert!(index.check(3).is_ok());
    let error = index.check(4).expect_err("it is of another generation");
    assert!(
        matches!(
            error,
            IndexError::Stale {
                found: 3,
                expected: 4,
                ..
            }
        ),
        "{error}"
    );
    let mut writer = TextWriter::open(scratch.path()).expect("it was just written");
    assert_eq!(writer.generation(), 3);
    writer.commit(5).expect("it can be committed");
    assert_eq!(writer.generation(), 5);
}

#[test]
fn there_is_one_writer() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    write(scratch.path());
    let first = TextWriter::open(scratch.path()).expect("it was just written");
    for error in [
        TextWriter::open(scratch.path()).err(),
        TextWriter::create(scratch.path()).err(),
    ] {
        let error = error.expect("the first writer is open");
        assert!(matches!(error, IndexError::Busy { .. }), "{error}");
        assert!(!error.needs_rebuild());
    }
    drop(first);
    assert!(TextWriter::open(scratch.path()).is_ok());
}

#[test]
fn a_dropped_writer_has_left_nothing_to_do() {
    // As many equal segments as tantivy merges into one.
    const N_PARTS: u64 = 8;
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let mut writer = TextWriter::create(scratch.path()).expect("a list can be started");
    for part in 1..=N_PARTS {
        for chunk in 0..1000 {
            add(
                &mut writer,
                part * 1000 + chunk,
                part,
                "quiet hours of the relay",
            );
        }
        writer.commit(part).expect("it can be committed");
    }
    drop(writer);
    let n_parts = files(scratch.path())
        .iter()
        .filter(|(name, _)| name.ends_with(".term"))
        .count();
    assert_eq!(n_parts, 1, "they are merged, and those before are gone");
    assert_eq!(
        hits(scratch.path()).expect("it is sound").hits.len(),
        N_PARTS as usize * 1000
    );
}

#[test]
fn a_rebuilt_list_replaces_the_old_one_at_its_commit() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    write(scratch.path());
    let old = TextIndex::open(scratch.path()).expect("it was just written");
    let before = old
        .search("quiet relay", Join::Or)
        .expect("the list is sound");

    let mut writer = TextWriter::create(scratch.path()).expect("a list can be started");
    add(&mut writer, 1, 1, "quiet");
    assert_eq!(hits(scratch.path()).expect("the old list is there"), before);
    writer.commit(9).expect("it can be committed");

    let new = TextIndex::open(scratch.path()).expect("it was just written");
    assert_eq!((new.generation(), new.n_chunks()), (9, 1));
    assert_eq!(
        old.search("quiet relay", Join::Or)
            .expect("it is still open"),
        before
    );
}

#[test]
fn readers_see_whole_commits_while_a_writer_works() {
    /// Number of chunks that each commit replaces.
    const N_CHUNKS: u64 = 50;
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let dir = scratch.path();
    write(dir);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut writer = TextWriter::create(dir).expect("a list can be started");
            for generation in 10..60 {
                for id in 0..N_CHUNKS {
                    writer.delete_document(id);
                    add(&mut writer, id, id, &format!("word{generation} relay"));
                }
                writer.commit(generation).expect("it can be committed");
            }
        });
        let mut n_opened = 0;
        while !writer.is_finished() {
            let index = TextIndex::open(dir).expect("a committed list is there at any moment");
            if index.generation() >= 10 {
                let word = format!("word{}", index.generation());
                let found = index.search(&word, Join::Or).expect("the list is sound");
                assert_eq!(
                    (index.n_chunks(), found.hits.len() as u64),
                    (N_CHUNKS, N_CHUNKS),
                    "{word}"
                );
                n_opened += 1;
            }
        }
        assert!(n_opened > 0);
    });
}

#[test]
fn a_file_cut_short_or_lost_is_noticed_and_rebuilt() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let whole = scratch.path().join("whole");
    write(&whole);
    let expected = hits(&whole).expect("it was just written");
    let mut n_refused = 0;
    for (name, path) in files(&whole) {
        let bytes = fs::read(&path).expect("it can be read");
        let n = bytes.len();
        let cuts = [
            Some(0),
            Some(1),
            Some(n / 3),
            Some(n / 2),
            Some(n.saturating_sub(9)),
            Some(n - 1),
            None,
        ];
        for cut in cuts {
            match cut {
                Some(cut) => fs::write(&path, &bytes[..cut]).expect("it can be written"),
                None => fs::remove_file(&path).expect("it can be removed"),
            }
            match hits(&whole) {
                // Tantivy's list of files that it may remove, which no reader needs, and a line end.
                Ok(found) => {
                    assert!(
                        name.ends_with(".json") && found == expected,
                        "{name} {cut:?}"
                    );
                    assert!(cut.is_none_or(|cut| cut == n - 1), "{name} {cut:?}");
                }
                Err(error) => {
                    assert!(error.needs_rebuild(), "{name} {cut:?}: {error}");
                    // A writer does not accept what readers reject.
                    let error = TextWriter::open(&whole).err();
                    assert!(
                        error.is_some_and(|error| error.needs_rebuild()),
                        "{name} {cut:?}"
                    );
                    n_refused += 1;
                }
            }
            fs::write(&path, &bytes).expect("it can be written");
        }
    }
    assert_eq!(hits(&whole).expect("all is as before"), expected);
    // Damage to words, counts, positions, lengths, ids, deletions and the lists of files was detected.
    assert!(n_refused > 8 * 7, "{n_refused}");

    for (name, _) in files(&whole) {
        let dir = scratch.path().join("damaged");
        write(&dir);
        let damaged = files(&dir)
            .into_iter()
            .find(|(other, _)| kind(other) == kind(&name));
        let (_, path) = damaged.expect("every list has files of the same kinds");
        fs::write(&path, "").expect("it can be written");
        assert!(hits(&dir).is_err(), "{name}");
        write(&dir);
        assert_eq!(hits(&dir).expect("it was rebuilt"), expected, "{name}");
        fs::remove_dir_all(&dir).expect("it can be removed");
    }
}

/// Returns the part of a file name that is the same in every list: the name without the segment's id.
fn kind(name: &str) -> &str {
    match name.split_once('.') {
        Some((id, extension)) if id.len() == 32 => extension,
        Some(_) | None => name,
    }
}

#[test]
fn a_file_of_another_list_is_noticed() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let [whole, other] = ["whole", "other"].map(|name| scratch.path().join(name));
    write(&whole);
    let mut writer = TextWriter::create(&other).expect("a list can be started");
    for id in 0..40 {
        add(&mut writer, id, id / 2, "noisy days of the press");
    }
    writer.commit(3).expect("it can be committed");
    drop(writer);
    let expected = hits(&whole).expect("it was just written");
    let mut n_refused = 0;
    for (name, path) in files(&whole) {
        let kind = kind(&name);
        let foreign = files(&other);
        let foreign = foreign
            .iter()
            .find(|(name, _)| self::kind(name) == kind && kind != "meta.json");
        let Some((_, foreign)) = foreign else {
            continue;
        };
        let bytes = fs::read(&path).expect("it can be read");
        fs::copy(foreign, &path).expect("it can be copied");
        match hits(&whole) {
            // Equal in both, or never read.
            Ok(found) => assert_eq!(found, expected, "{name}"),
            Err(error) => {
                assert!(error.needs_rebuild(), "{name}: {error}");
                assert!(TextWriter::open(&whole).is_err(), "{name}");
                n_refused += 1;
            }
        }
        fs::write(&path, &bytes).expect("it can be written");
    }
    assert!(n_refused >= 5, "{n_refused}");
}

/// Flips the last bit of a file's first byte, and restores its modification time.
fn turn(path: &Path) {
    let modified = fs::metadata(path).and_then(|it| it.modified());
    let mut bytes = fs::read(path).expect("it can be read");
    bytes[0] ^= 1;
    fs::write(path, bytes).expect("it can be written");
    let file = fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_modified(modified?))
        .expect("it can be put back");
}

#[test]
fn a_file_is_read_to_be_checked_once_by_who_stays() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let dir = scratch.path();
    write(dir);
    let before = TextIndex::open(dir).expect("it was just written");
    let old = files(dir);
    let mut writer = TextWriter::open(dir).expect("it was just written");
    add(&mut writer, 200, 7, "the relay hums again");
    writer.commit(4).expect("it can be committed");
    drop(writer);
    let is_old = |name: &String| old.iter().any(|(other, _)| other == name);
    let (known, new): (Vec<_>, Vec<_>) = files(dir)
        .into_iter()
        .filter(|(name, _)| name.ends_with(".idx"))
        .partition(|(name, _)| is_old(name));
    // A changed bit in a verified file shows that it is not read again; opening the list from scratch detects it.
    turn(&known[0].1);
    TextIndex::open_after(dir, &before).expect("it was checked");
    assert!(TextIndex::open(dir).is_err());
    turn(&known[0].1);
    // Files that were added since are verified.
    turn(&new[0].1);
    assert!(TextIndex::open_after(dir, &before).is_err());
    turn(&new[0].1);
    let after = TextIndex::open_after(dir, &before).expect("all is as it was written");
    assert_eq!((after.generation(), after.n_chunks()), (4, 40));
    // A missing file is always detected.
    fs::remove_file(&known[0].1).expect("it is there");
    assert!(TextIndex::open_after(dir, &after).is_err());
}

#[test]
fn a_changed_byte_never_misleads() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    write(scratch.path());
    let expected = hits(scratch.path()).expect("it was just written");
    for (name, path) in files(scratch.path()) {
        let bytes = fs::read(&path).expect("it can be read");
        for at in (0..bytes.len()).step_by(bytes.len().div_ceil(150)) {
            for change in [0x01, 0x80] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                fs::write(&path, changed).expect("it can be written");
                match hits(scratch.path()) {
                    Ok(found) => assert_eq!(found, expected, "{name} byte {at}"),
                    Err(error) => assert!(
                        !matches!(error, IndexError::Busy { .. }),
                        "{name} byte {at}: {error}"
                    ),
                }
            }
        }
        fs::write(&path, &bytes).expect("it can be written");
    }
}

#[test]
fn another_format_is_named() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    write(scratch.path());
    let meta = scratch.path().join("meta.json");
    let text = fs::read_to_string(&meta).expect("it is text");
    for (from, to) in [
        ("memlens-text 5.2", "memlens-text 4"),
        ("memlens-text 5.2", "memlens-text 5.1"),
        ("memlens-text 5.2", "other"),
        ("\"n_words\"", "\"n_words2\""),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        fs::write(&meta, changed).expect("it can be written");
        let error = TextIndex::open(scratch.path())
            .err()
            .expect("it is of another format");
        assert!(
            matches!(error, IndexError::WrongFormat { .. }),
            "{to}: {error}"
        );
        assert!(error.needs_rebuild());
    }
    write(scratch.path());
    assert!(hits(scratch.path()).is_ok());
}

/// A list that the release before identifiers wrote: one chunk, without the field of identifiers.
#[test]
fn a_list_of_the_format_before_is_replaced() {
    let old = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/lists/text-4"
    );
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    for (name, path) in files(Path::new(old)) {
        fs::copy(path, scratch.path().join(name)).expect("it can be copied");
    }
    let meta = scratch.path().join("meta.json");
    let old_meta = fs::read_to_string(&meta).expect("it is text");
    assert!(!old_meta.contains("\"names\""));
    // The fields alone refuse it too.
    let marked = old_meta.replacen("memlens-text 4 ", "memlens-text 5.2 ", 1);
    assert_ne!(marked, old_meta);
    for text in [marked, old_meta] {
        fs::write(&meta, text).expect("it can be written");
        let opened = [
            TextIndex::open(scratch.path()).err(),
            TextWriter::open(scratch.path()).err(),
        ];
        for error in opened {
            let error = error.expect("it is of another format");
            assert!(matches!(error, IndexError::WrongFormat { .. }), "{error}");
            assert!(error.needs_rebuild());
        }
    }
    write(scratch.path());
    assert!(hits(scratch.path()).is_ok());
    let new_meta = fs::read_to_string(&meta).expect("it is text");
    assert!(new_meta.contains("\"names\""));
    // Nothing of the old list remains.
    let is_old = |(name, _): &(String, PathBuf)| name.starts_with("c05dcea3");
    assert!(files(Path::new(old)).iter().any(is_old));
    assert!(!files(scratch.path()).iter().any(is_old));
}

#[test]
fn a_folder_with_something_else_holds_no_list() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    assert!(matches!(
        TextIndex::open(scratch.path()),
        Err(IndexError::Missing { .. })
    ));
    let file = scratch.path().join("file");
    fs::write(&file, "").expect("it can be written");
    assert!(TextIndex::open(&file).is_err());
    assert!(TextWriter::create(&file).is_err());
    fs::write(scratch.path().join("meta.json"), "{\"index\": true}").expect("it can be written");
    let error = TextIndex::open(scratch.path())
        .err()
        .expect("it is no list");
    assert!(matches!(error, IndexError::Torn { .. }), "{error}");
}

#[test]
fn what_is_not_its_own_is_never_lost() {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    for name in ["novel.txt", "meta.json.bak", "0123.idx", "letters"] {
        let dir = scratch.path().join(name).join("text");
        let foreign = dir.join(name);
        fs::create_dir_all(&dir).expect("it can be made");
        fs::write(&foreign, "precious").expect("it can be written");
        // Also beside a damaged list.
        fs::write(dir.join("meta.json"), "{").expect("it can be written");
        let error = TextWriter::create(&dir).err().expect("it would be lost");
        assert!(
            matches!(&error, IndexError::Foreign { name: found, .. } if found == name),
            "{error}"
        );
        assert!(!error.needs_rebuild());
        assert_eq!(
            fs::read_to_string(&foreign).expect("it is there"),
            "precious"
        );

        // A file that was added later stays when the list is rebuilt and when it is removed.
        fs::remove_file(&foreign).expect("it can be removed");
        write(&dir);
        fs::write(&foreign, "precious").expect("it can be written");
        fs::write(dir.join("meta.json"), "{").expect("it can be written");
        write(&dir);
        assert!(hits(&dir).is_ok());
        TextWriter::remove(&dir).expect("it can be removed");
        assert_eq!(files(&dir), [(name.to_owned(), foreign)]);
    }
    let dir = scratch.path().join("alone");
    write(&dir);
    TextWriter::remove(&dir).expect("it can be removed");
    assert!(!dir.exists());
    TextWriter::remove(&dir).expect("there is nothing left to do");
}

#[test]
fn deleted_words_can_be_removed_from_the_files() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let mut writer = TextWriter::create(dir.path()).expect("a list can be started");
    for id in 0..40 {
        add(&mut writer, id, id, &format!("quiet relay {id}"));
    }
    add(&mut writer, 100, 100, "zyzzyva");
    writer.commit(1).expect("it can be committed");
    let n_entries = || {
        let list = TextIndex::open(dir.path()).expect("it is sound");
        list.chunks().count()
    };
    let parts = || -> Vec<String> {
        let names = files(dir.path()).into_iter().map(|(name, _)| name);
        names.filter(|name| name.ends_with(".term")).collect()
    };
    writer.delete_document(100);
    writer.commit(2).expect("it can be committed");
    assert_eq!(n_entries(), 41, "what is deleted is still in the file");
    let (before, parts_before) = (hits(dir.path()).expect("it is sound"), parts());
    let reader = TextIndex::open(dir.path()).expect("it is sound");
    writer.forget_deleted().expect("it can be written");
    assert_eq!(n_entries(), 40);
    assert!(
        parts().iter().all(|part| !parts_before.contains(part)),
        "the old file is gone"
    );
    assert_eq!(hits(dir.path()).expect("it is sound"), before);
    // A reader that has it open can continue.
    assert_eq!(
        reader.search("quiet relay", Join::Or).expect("it is open"),
        before
    );
    // The only segment may hold nothing else.
    for id in 0..40 {
        writer.delete_document(id);
    }
    writer.commit(3).expect("it can be committed");
    writer.forget_deleted().expect("it can be written");
    assert_eq!((n_entries(), parts().len()), (0, 0));
    drop(writer);
    assert_eq!(
        TextWriter::open(dir.path())
            .expect("it is sound")
            .generation(),
        3
    );
}

/// Returns a word of 32 letters with a unique beginning.
fn long_word(number: u64) -> String {
    let spread = u128::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let letters = (0..32).map(|at| b'a' + (spread >> (at * 4) & 15) as u8);
    letters.map(char::from).collect()
}

#[test]
fn a_large_file_that_becomes_shorter_while_it_is_open_is_noticed() {
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let mut writer = TextWriter::create(dir.path()).expect("a list can be started");
    for id in 0..2000_u64 {
        let words: Vec<String> = (0..12).map(|at| long_word(id * 12 + at)).collect();
        add(&mut writer, id, id, &words.join(" "));
    }
    writer.commit(1).expect("it can be committed");
    drop(writer);
    let reader = TextIndex::open(dir.path()).expect("it is sound");
    let asked = long_word(7);
    let found = reader.search(&asked, Join::Or).expect("it is whole");
    assert_eq!(found.hits.len(), 1);
    let all = files(dir.path());
    let n_bytes = |path: &Path| path.metadata().expect("it is there").len();
    let largest = all.iter().max_by_key(|(_, path)| n_bytes(path));
    let (_, largest) = largest.expect("there are some");
    assert!(n_bytes(largest) > 256 << 10, "it is mapped");
    let file = fs::File::options()
        .write(true)
        .open(largest)
        .expect("it is ours");
    file.set_len(100).expect("it can be shortened");
    let error = reader.search(&asked, Join::Or).expect_err("it is torn");
    assert!(error.needs_rebuild(), "{error}");
    assert!(error.to_string().contains("became shorter"), "{error}");
}
