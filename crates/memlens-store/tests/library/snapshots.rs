//! Snapshots, and those that follow an earlier one.
//!
//! Properties checked: the order of a snapshot does not depend on the order of indexing; one that follows another, in memory or
//! saved, equals one that is read from the beginning, and shares what did not change; a reader who is too late for the log reads everything.

use std::sync::Arc;

use memlens_store::{Change, FolderId, Snapshot, Store};
use proptest::prelude::*;

use super::{check_ranges, library, note, open, put, scratch, snapshot};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Folder path, path, start byte, end byte: the order of indexing does not show.
    #[test]
    fn the_order_does_not_depend_on_the_order_of_indexing(
        keys in prop::collection::btree_set((0_usize..3, "[a-cA-C/.é]{1,3}", 0_u32..4), 1..25),
        seed in any::<u64>(),
    ) {
        let dir = scratch();
        let mut store = open(dir.path());
        let mut folders = ["/b", "/a", "/a b"].map(|path| (path, None));
        let mut documents: Vec<(usize, String, Vec<u32>)> = Vec::new();
        for (folder, path, start) in &keys {
            match documents.last_mut() {
                Some((last, known, starts)) if last == folder && known == path => starts.push(*start),
                _ => documents.push((*folder, path.clone(), vec![*start])),
            }
        }
        // Any order: sorted by a hash of the place and the seed.
        let shuffled = |at: usize| (at as u64 + 1).wrapping_mul(seed | 1).rotate_left(17);
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_by_key(|at| shuffled(*at));
        for at in order {
            let (folder, path, starts) = &documents[at];
            let (folder_path, id) = &mut folders[*folder];
            let id = *id.get_or_insert_with(|| store.add_folder(folder_path, "notes").expect("it can be added").id);
            // Chunks come in any order too.
            let mut starts = starts.clone();
            starts.sort_by_key(|start| shuffled(*start as usize));
            let document = note(&mut store, id, path, &starts);
            store.apply(&[put(document)]).expect("it can be applied");
        }
        let found = snapshot(&store);
        let sorted = |rows: &[(String, String, u32)]| rows.is_sorted();
        let rows: Vec<(String, String, u32)> = found
            .chunks()
            .map(|(document, chunk)| {
                let folder = found.folder(document.folder);
                (folder.expect("it is watched").path.clone(), document.path.clone(), chunk.bytes.start)
            })
            .collect();
        prop_assert!(sorted(&rows), "{rows:?}");
        prop_assert_eq!(rows.len(), keys.len());
    }

    /// A snapshot after an earlier one equals one that is read from the beginning, and shares what did not change.
    #[test]
    fn a_later_snapshot_equals_a_fresh_one(
        rounds in prop::collection::vec(prop::collection::vec(happens(), 0..4), 1..6),
    ) {
        let dir = scratch();
        let mut store = open(dir.path());
        let folders = ["/notes", "/away"].map(|path| store.add_folder(path, "notes").expect("it can be added").id);
        // Enough chunks that the documents fill several blocks.
        let starts: Vec<u32> = (0..120).collect();
        for at in 0..48 {
            let document = note(&mut store, folders[at % 2], &format!("{at}.md"), &starts);
            store.apply(&[put(document)]).expect("it can be applied");
        }
        let reader = Store::open_read_only(dir.path()).expect("it can be read");
        let mut known = reader.snapshot().expect("it can be read");
        for round in rounds {
            for happening in round {
                happening.happen(&mut store, folders);
            }
            let followed = reader.snapshot_after(Some(&known)).expect("it can be read");
            prop_assert_eq!(&followed, &snapshot(&reader));
            check_ranges(&followed);
            prop_assert_eq!(&reader.resumed_snapshot().expect("it can be read"), &followed);
            known = followed;
        }
    }
}

/// What may happen to a library between two snapshots.
#[derive(Debug, Clone)]
enum Happens {
    Put(usize, Vec<u32>),
    Remove(usize),
    Touch(usize),
    RemoveFolder,
    Forget,
    Erase,
    Save,
}

fn happens() -> impl Strategy<Value = Happens> {
    let at = || 0..60_usize;
    prop_oneof![
        12 => (at(), prop::collection::vec(0..100_u32, 0..3)).prop_map(|(at, starts)| Happens::Put(at, starts)),
        6 => at().prop_map(Happens::Remove),
        6 => at().prop_map(Happens::Touch),
        1 => Just(Happens::RemoveFolder),
        1 => Just(Happens::Forget),
        1 => Just(Happens::Erase),
        4 => Just(Happens::Save),
    ]
}

impl Happens {
    fn happen(self, store: &mut Store, [folder, away]: [FolderId; 2]) {
        let is_watched = store.folders().expect("they can be read");
        let is_watched = |id: FolderId| is_watched.iter().any(|it| it.id == id);
        let change = match self {
            Happens::Put(at, starts) if is_watched(folder) => {
                put(note(store, folder, &format!("{at}.md"), &starts))
            }
            Happens::Remove(at) => Change::Remove {
                folder,
                path: format!("{at}.md"),
            },
            Happens::Touch(at) => {
                let known = store.document(folder, &format!("{at}.md"));
                let Some(known) = known.expect("it can be read") else {
                    return;
                };
                Change::Touch {
                    document: known.id,
                    modified_ms: known.modified_ms + 1,
                    changed_ns: 7,
                }
            }
            Happens::Put(..) => return,
            Happens::RemoveFolder if is_watched(away) => {
                store.remove_folder(away).expect("it can be removed");
                return;
            }
            Happens::RemoveFolder => return,
            Happens::Forget => {
                store.forget_documents().expect("it can be done");
                return;
            }
            Happens::Erase => {
                store.erase_all().expect("it can be done");
                return;
            }
            Happens::Save => {
                store.save_snapshot().expect("it can be done");
                return;
            }
        };
        store.apply(&[change]).expect("it can be applied");
    }
}

#[test]
fn a_reader_who_is_too_late_for_the_log_reads_all() {
    let dir = scratch();
    let (mut store, folder) = library(dir.path());
    for at in 0..8 {
        let document = note(&mut store, folder, &format!("{at}.md"), &[0]);
        store.apply(&[put(document)]).expect("it can be applied");
    }
    let known = snapshot(&store);
    let change = |store: &mut Store| {
        let document = note(store, folder, "0.md", &[5]);
        store.apply(&[put(document)]).expect("it can be applied");
    };
    let is_shared = |known: &Snapshot, followed: &Snapshot| {
        let (known, followed) = (&known.documents, &followed.documents);
        known
            .iter()
            .any(|one| followed.iter().any(|it| Arc::ptr_eq(one, it)))
    };
    change(&mut store);
    let followed = store.snapshot_after(Some(&known)).expect("it can be read");
    assert!(is_shared(&known, &followed));
    // As if the log was cut while no reader was open.
    let raw = rusqlite::Connection::open(dir.path().join("library.sqlite")).expect("it is there");
    raw.execute(
        "DELETE FROM changed WHERE at < (SELECT max(at) FROM changed)",
        [],
    )
    .expect("it can be cut");
    let followed = store.snapshot_after(Some(&known)).expect("it can be read");
    assert!(!is_shared(&known, &followed));
    assert_eq!(followed, snapshot(&store));
    // Another database in its place.
    raw.execute(
        "UPDATE meta SET value = 'another' WHERE key = 'database'",
        [],
    )
    .expect("it can be changed");
    let another = store
        .snapshot_after(Some(&followed))
        .expect("it can be read");
    assert!(!is_shared(&followed, &another));
}
