use std::collections::BTreeMap;

use memlens_ingest::links;
use memlens_store::{Folder, Severity};
use proptest::prelude::*;

use super::*;

const HOME: FolderId = FolderId(1);
const INNER: FolderId = FolderId(2);

/// The notes of two watched folders.
#[derive(Default)]
struct Memory {
    notes: BTreeMap<(FolderId, &'static str), (DocumentId, String)>,
    problems: BTreeSet<(FolderId, &'static str)>,
    /// Path of the second folder; `None` if it is not watched.
    inner: Option<&'static str>,
    n_saved: i64,
    /// Files that cannot be read.
    hidden: BTreeSet<(FolderId, &'static str)>,
}

/// A change of the memory.
#[derive(Debug, Clone)]
enum Step {
    Save(FolderId, &'static str, String),
    Delete(FolderId, &'static str),
    Rename(FolderId, &'static str, &'static str),
    Problem(FolderId, &'static str),
    Watch(Option<&'static str>),
    Hide(FolderId, &'static str),
    /// The library is followed, but there is no time to read.
    Hurry,
}

impl Memory {
    fn save(&mut self, folder: FolderId, path: &'static str, text: &str) {
        self.n_saved += 1;
        let document = (DocumentId(self.n_saved), text.to_owned());
        self.notes.insert((folder, path), document);
    }

    fn apply(&mut self, step: &Step) {
        let toggle = |all: &mut BTreeSet<_>, key| {
            if !all.remove(&key) {
                all.insert(key);
            }
        };
        match step {
            Step::Save(folder, path, text) => self.save(*folder, path, text),
            Step::Delete(folder, path) => {
                self.notes.remove(&(*folder, *path));
            }
            Step::Rename(folder, from, to) => {
                if let Some((_, text)) = self.notes.remove(&(*folder, *from)) {
                    self.save(*folder, to, &text);
                }
            }
            Step::Problem(folder, path) => toggle(&mut self.problems, (*folder, *path)),
            Step::Watch(inner) => self.inner = *inner,
            Step::Hide(folder, path) => {
                toggle(&mut self.hidden, (*folder, *path));
                // One that was read stays known.
                if let Some((_, text)) = self.notes.get(&(*folder, *path)).cloned() {
                    self.save(*folder, path, &text);
                }
            }
            Step::Hurry => {}
        }
    }

    fn snapshot(&self) -> Snapshot {
        let folder = |id, path: &str| Folder {
            id,
            path: path.to_owned(),
            name: path.to_owned(),
            is_paused: false,
            mount: None,
            agent: None,
        };
        let inner = self.inner.map(|path| folder(INNER, path));
        let mut folders: Vec<Folder> = inner.into_iter().chain([folder(HOME, "/n")]).collect();
        folders.sort_by(|a, b| a.path.cmp(&b.path));
        let documents = self.notes.iter();
        let documents = documents
            .map(|((folder, path), (id, _))| Arc::new(DocumentRow::new(*id, *folder, path)));
        let mut snapshot = Snapshot::new(folders, documents.collect());
        snapshot.generation = self.n_saved as u64;
        snapshot
    }

    fn problems(&self) -> Vec<StoredProblem> {
        let watched = self.problems.iter();
        let watched = watched.filter(|(folder, _)| *folder == HOME || self.inner.is_some());
        watched
            .map(|(folder, path)| StoredProblem {
                folder: *folder,
                path: (*path).to_owned(),
                line: None,
                message: String::new(),
                severity: Severity::Error,
            })
            .collect()
    }

    fn read(&self, document: &DocumentRow) -> Option<NoteLinks> {
        let mut notes = self.notes.iter();
        let (place, (_, text)) = notes.find(|(_, (id, _))| *id == document.id)?;
        (!self.hidden.contains(place)).then(|| links(text))
    }

    /// Returns how many notes were read.
    fn follow(&self, web: &mut Web, time: Option<Duration>) -> usize {
        let mut n_read = 0;
        web.follow(&self.snapshot(), &self.problems(), time, |document| {
            n_read += 1;
            self.read(document)
        });
        n_read
    }
}

type Place = (FolderId, String);
/// Place, line and address of each link to a note, with the number of other notes that it may mean.
type Links = BTreeMap<Place, Vec<(Place, u32, String, u32)>>;

fn place(names: &Names, note: u32) -> Place {
    let From { folder, path } = names.from(note);
    (folder, path.to_owned())
}

/// The links to each note, by a web.
fn links_by(web: &Web, memory: &Memory) -> Links {
    let mut found = Links::new();
    for document in memory.snapshot().documents.iter() {
        let note = web.names().find(document.folder, &document.path);
        let note = note.expect("the web has each note");
        let to = web.links_to(note).into_iter().map(|to| {
            let from = place(web.names(), to.from);
            (from, to.link.line, to.link.address.clone(), to.n_alike)
        });
        found.insert((document.folder, document.path.clone()), to.collect());
    }
    found
}

/// The links to each note, by following every link of every note.
fn links_by_all(memory: &Memory) -> Links {
    let snapshot = memory.snapshot();
    let mut names = Names::of(&snapshot, &memory.problems());
    let texts: Vec<(u32, NoteLinks)> = snapshot
        .documents
        .iter()
        .filter_map(|document| {
            let note = names.find(document.folder, &document.path)?;
            Some((note, memory.read(document)?))
        })
        .collect();
    let mut found = Links::new();
    for document in snapshot.documents.iter() {
        found.insert((document.folder, document.path.clone()), Vec::new());
    }
    for (note, links) in &texts {
        names.add_names(*note, links);
    }
    for (from, links) in &texts {
        for link in &links.links {
            if let Leads::To { note, n_alike, .. } = names.leads(names.from(*from), link)
                && let Some(to) = found.get_mut(&place(&names, note))
            {
                let from = place(&names, *from);
                to.push((from, link.line, link.address.clone(), n_alike));
            }
        }
    }
    found
}

fn folder() -> impl Strategy<Value = FolderId> {
    prop_oneof![2 => Just(HOME), 1 => Just(INNER)]
}

fn path() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a.md",
        "b.md",
        "A.markdown",
        "d.md",
        "d/a.md",
        "d/b.md",
        "d/e/a.md",
        "log.jsonl",
        "in/a.md",
        "in.md",
        ".md",
    ])
}

fn text() -> impl Strategy<Value = String> {
    let front = prop::sample::select(vec![
        "",
        "",
        "---\naliases: [b, Oslo]\n---\n",
        "---\ntitle: a\n---\n",
        "---\nname: d/a\n---\n",
    ]);
    let line = prop::sample::select(vec![
        "# Oslo",
        "# a",
        "# B",
        "[[a]]",
        "[[b#L1|x]]",
        "[[oslo]]",
        "[[d/a]] and [[e/a.md]]",
        "[[./a]]",
        "[[../b]]",
        "[[log]]",
        "[x](a.md)",
        "[x](../a)",
        "[x](d/b.md#L2)",
        "[x](..)",
        "[x](../..)",
        "[x](.)",
        "[x](/n/in/a.md)",
        "[x](/n/d/../b)",
        "[x](../../n/a.md)",
        "[x](/m/a.md)",
        "[x](log.jsonl)",
        "[x](https://example.org/a.md)",
        "[x](#Oslo)",
    ]);
    (front, prop::collection::vec(line, 0..6))
        .prop_map(|(front, lines)| format!("{front}{}\n", lines.join("\n\n")))
}

fn step() -> impl Strategy<Value = Step> {
    let inner = prop::sample::select(vec![None, Some("/n/in"), Some("/m"), Some("/n/d")]);
    prop_oneof![
        8 => (folder(), path(), text()).prop_map(|(folder, path, text)| Step::Save(folder, path, text)),
        2 => (folder(), path()).prop_map(|(folder, path)| Step::Delete(folder, path)),
        2 => (folder(), path(), path()).prop_map(|(folder, from, to)| Step::Rename(folder, from, to)),
        1 => (folder(), path()).prop_map(|(folder, path)| Step::Problem(folder, path)),
        1 => inner.prop_map(Step::Watch),
        1 => (folder(), path()).prop_map(|(folder, path)| Step::Hide(folder, path)),
        1 => Just(Step::Hurry),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn after_any_changes_the_links_are_those_of_a_web_made_from_nothing(steps in prop::collection::vec(step(), 1..40)) {
        let mut memory = Memory::default();
        let mut web = Web::default();
        for step in &steps {
            memory.apply(step);
            if matches!(step, Step::Hurry) {
                memory.follow(&mut web, Some(Duration::ZERO));
                continue;
            }
            memory.follow(&mut web, None);
            prop_assert_eq!(links_by(&web, &memory), links_by_all(&memory), "after {:?}", step);
        }
        // Nothing stays of notes that are gone.
        memory.notes.clear();
        memory.problems.clear();
        memory.follow(&mut web, None);
        prop_assert!(web.by_key.is_empty() && web.links.is_empty() && web.documents.is_empty());
    }
}

#[test]
fn only_changed_notes_are_read_again() {
    let mut memory = Memory::default();
    memory.save(HOME, "a.md", "[[b]]\n");
    memory.save(HOME, "b.md", "[[a]]\n");
    memory.save(HOME, "d/a.md", "[[b]]\n");
    let mut web = Web::default();
    assert_eq!(memory.follow(&mut web, Some(Duration::ZERO)), 0);
    assert_eq!((web.n_unread(), web.is_of(3)), (3, false));
    assert_eq!(memory.follow(&mut web, None), 3);
    assert_eq!((web.n_unread(), web.is_of(3)), (0, true));
    assert_eq!(memory.follow(&mut web, None), 0);
    memory.save(HOME, "b.md", "[[d/a]]\n");
    assert!(!web.is_of(4));
    assert_eq!(memory.follow(&mut web, None), 1);
    // The place of a folder decides where paths lead, but the texts are the same.
    memory.inner = Some("/m");
    assert_eq!(memory.follow(&mut web, None), 0);
    // One that cannot be read is tried each time.
    memory.save(HOME, "c.md", "");
    memory.hidden.insert((HOME, "c.md"));
    assert_eq!(memory.follow(&mut web, None), 1);
    assert_eq!((memory.follow(&mut web, None), web.n_failed()), (1, 1));
}
