//! One row for each note, with all that is known of it at one moment.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jiff::civil::Date;
use memlens_agents::{Home, Searched};
use memlens_handover::always_view;
use memlens_ingest::date_of_path;
use memlens_library::clock;
use memlens_library::notes::note_names::agent_name;
use memlens_library::notes::place::note_path;
use memlens_library::{EngineError, Library};
use memlens_store::{DocumentId, DocumentRow, Folder, FolderId, Sighting};
use memlens_wire::{AlwaysFileKind, AlwaysState, DateFrom, News, NoteRow};

use crate::found::{Found, found};
use crate::texts::Texts;
use crate::visit::since_ms;

/// All notes of a library, and the files that it did not read, by folder and path.
pub struct Table {
    /// Generation of the library.
    pub generation: u64,
    /// The rows, by folder and path.
    pub rows: Vec<NoteRow>,
    /// The document of each row; `None` for a file that is not indexed.
    pub documents: Vec<Option<DocumentId>>,
    /// Number of notes whose text was not read yet.
    pub n_unread: u32,
    /// When the last visit ended, milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// What past questions say, or why nothing is known.
    pub found: Result<Found, String>,
}

/// What is known of a folder's agent.
struct OfFolder<'a> {
    folder: &'a Folder,
    /// Id and name.
    agent: Option<(String, String)>,
    searched: Option<Arc<Searched>>,
    loaded: Option<Arc<AgentLoads>>,
}

/// What sessions of an agent load when they begin, by folder id and path of the note.
struct AgentLoads {
    loaded: HashSet<(String, String)>,
    /// Files that were not read, or that only some sessions load.
    unclear: HashSet<(String, String)>,
}

impl Table {
    /// Reads all that is known of the notes now.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub(crate) fn read(library: &Library, texts: &Texts) -> Result<Table, EngineError> {
        let lists = library.lists();
        let snapshot = &lists.snapshot;
        let folders = of_folders(library, &snapshot.folders);
        // Each lock of the store ends with its statement; within one, two would wait for each other.
        let sightings = library.store().sightings()?;
        let since_ms = since_ms(&library.store())?;
        let facts = Facts {
            sizes: sizes(library, &snapshot.folders)?,
            sightings,
            problems: problems(library)?,
            found: found(library)?,
            since_ms,
            today: today(),
            texts,
        };
        let mut rows: Vec<(usize, NoteRow, Option<DocumentId>)> = Vec::new();
        for document in snapshot.documents.iter() {
            let Some(at) = folders
                .iter()
                .position(|it| it.folder.id == document.folder)
            else {
                continue;
            };
            rows.push((at, facts.row(&folders[at], document), Some(document.id)));
        }
        for ((folder, path), problems) in &facts.problems {
            let at = folders.iter().position(|it| it.folder.id == *folder);
            let is_indexed = snapshot.find(*folder, path).is_some();
            if let Some(at) = at.filter(|_| !is_indexed) {
                let date = date_of_path(path);
                let row = NoteRow {
                    n_problems: problems.n,
                    problem: Some(problems.sentence()),
                    is_date_odd: date.is_some_and(|date| !is_plausible(date, facts.today)),
                    date_from: date.map(|_| DateFrom::Path),
                    date: date.map(|date| date.to_string()),
                    ..empty_row(&folders[at], path)
                };
                rows.push((at, row, None));
            }
        }
        rows.sort_by(|(a, x, _), (b, y, _)| (a, &x.path).cmp(&(b, &y.path)));
        let is_unread = |id: &DocumentId| texts.of(*id).is_none();
        let ids = rows.iter().filter_map(|(.., id)| *id);
        let n_unread = ids.filter(is_unread).count() as u32;
        let (rows, documents) = rows.into_iter().map(|(_, row, id)| (row, id)).unzip();
        Ok(Table {
            generation: snapshot.generation,
            rows,
            documents,
            n_unread,
            since_ms: facts.since_ms,
            found: facts.found,
        })
    }
}

impl Table {
    /// The notes. Files and links that were not read are none; they are listed with their problems only.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &NoteRow> {
        self.rows.iter().filter(|row| is_note(row))
    }

    /// Number of notes, as `memlens status` counts files.
    pub(crate) fn n_notes(&self) -> usize {
        self.notes().count()
    }
}

/// Whether the file of a row was read.
pub(crate) fn is_note(row: &NoteRow) -> bool {
    row.modified_ms.is_some()
}

/// What rows are made from.
struct Facts<'a> {
    sizes: HashMap<DocumentId, u64>,
    sightings: HashMap<(FolderId, String), Sighting>,
    /// By folder and path.
    problems: BTreeMap<(FolderId, String), FileProblems>,
    found: Result<Found, String>,
    since_ms: Option<i64>,
    today: Date,
    texts: &'a Texts,
}

impl Facts<'_> {
    fn row(&self, of_folder: &OfFolder<'_>, document: &DocumentRow) -> NoteRow {
        let OfFolder {
            folder,
            searched,
            loaded,
            ..
        } = of_folder;
        let text = self.texts.of(document.id);
        let key = (document.folder, document.path.clone());
        let problems = self.problems.get(&key);
        let sighting = self.sightings.get(&key).copied().unwrap_or_default();
        let counts = self.found.as_ref().ok();
        let counts = counts.and_then(|found| found.of(document.folder, &document.path));
        let date = date_of(document);
        let parsed = date.as_ref().and_then(|(date, _)| date.parse().ok());
        let absolute = note_path(&folder.path, &document.path);
        let empty = empty_row(of_folder, &document.path);
        let mut tags = document.tags.clone();
        for tag in text.map_or(&[][..], |text| &text.tags) {
            if !tags.iter().any(|known| known.eq_ignore_ascii_case(tag)) {
                tags.push(tag.clone());
            }
        }
        NoteRow {
            title: text
                .and_then(|text| text.title.clone())
                .unwrap_or(empty.title),
            is_date_odd: date.is_some()
                && !parsed.is_some_and(|date| is_plausible(date, self.today)),
            date_from: date.as_ref().map(|(_, from)| *from),
            date: date.map(|(date, _)| date),
            modified_ms: Some(document.modified_ms as f64),
            first_seen_ms: sighting.first_ms.map(|ms| ms as f64),
            changed_ms: sighting.changed_ms.map(|ms| ms as f64),
            news: self.news(sighting),
            n_bytes: self.sizes.get(&document.id).map(|n| *n as f64),
            n_words: text.map(|text| text.n_words),
            n_chunks: document.chunks.len() as u32,
            loaded: loaded
                .as_ref()
                .and_then(|it| it.of(folder.id, &document.path)),
            searched: searched
                .as_ref()
                .map(|rules| rules.judge(&absolute).is_ok()),
            n_found: counts.map(|(n_found, _)| n_found),
            n_opened: counts.map(|(_, n_opened)| n_opened),
            tags,
            language: text.and_then(|text| text.language.map(str::to_owned)),
            n_problems: problems.map_or(0, |it| it.n),
            problem: problems.map(FileProblems::sentence),
            ..empty
        }
    }

    fn news(&self, sighting: Sighting) -> Option<News> {
        let since = self.since_ms?;
        let is_later = |ms: Option<i64>| ms.is_some_and(|ms| ms > since);
        match () {
            () if is_later(sighting.first_ms) => Some(News::New),
            () if is_later(sighting.changed_ms) => Some(News::Changed),
            () => None,
        }
    }
}

impl AgentLoads {
    fn of(&self, folder: FolderId, path: &str) -> Option<bool> {
        let key = (folder.0.to_string(), path.to_owned());
        if self.loaded.contains(&key) {
            return Some(true);
        }
        (!self.unclear.contains(&key)).then_some(false)
    }
}

/// The row of a file of which nothing but its path is known.
fn empty_row(of_folder: &OfFolder<'_>, path: &str) -> NoteRow {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map(|(stem, _)| stem);
    let title = stem.filter(|stem| !stem.is_empty()).unwrap_or(name);
    NoteRow {
        folder: of_folder.folder.id.0.to_string(),
        folder_name: of_folder.folder.name.clone(),
        path: path.to_owned(),
        title: title.to_owned(),
        agent: of_folder.agent.as_ref().map(|(id, _)| id.clone()),
        agent_name: of_folder.agent.as_ref().map(|(_, name)| name.clone()),
        date: None,
        date_from: None,
        is_date_odd: false,
        modified_ms: None,
        first_seen_ms: None,
        changed_ms: None,
        news: None,
        n_bytes: None,
        n_words: None,
        n_chunks: 0,
        loaded: None,
        searched: None,
        n_found: None,
        n_opened: None,
        tags: Vec::new(),
        language: None,
        n_problems: 0,
        problem: None,
    }
}

/// The date of a note and where it comes from: what the note says, otherwise its path, otherwise its newest record.
fn date_of(document: &DocumentRow) -> Option<(String, DateFrom)> {
    if let Some(date) = &document.date {
        return Some((date.clone(), DateFrom::Note));
    }
    if let Some(date) = date_of_path(&document.path) {
        return Some((date.to_string(), DateFrom::Path));
    }
    let dates = document.chunks.iter();
    let newest = dates.filter_map(|chunk| document.date_of(chunk)).max()?;
    Some((newest.to_owned(), DateFrom::Records))
}

/// Whether a note can be of a day: 1970-01-01 stands for an unknown date, and no note is of the future. Tomorrow has begun
/// elsewhere.
pub(crate) fn is_plausible(date: Date, today: Date) -> bool {
    date.year() > 1970 && date <= today.tomorrow().unwrap_or(today)
}

pub(crate) fn today() -> Date {
    clock::now().to_zoned(jiff::tz::TimeZone::system()).date()
}

fn of_folders<'a>(library: &Library, folders: &'a [Folder]) -> Vec<OfFolder<'a>> {
    let mut loads: HashMap<&str, Option<Arc<AgentLoads>>> = HashMap::new();
    folders
        .iter()
        .map(|folder| {
            let agent = folder.agent.as_deref();
            let loaded = agent.and_then(|agent| {
                let read = || agent_loads(library, folders, agent).map(Arc::new);
                loads.entry(agent).or_insert_with(read).clone()
            });
            OfFolder {
                folder,
                agent: agent.map(|id| (id.to_owned(), agent_name(id).name)),
                searched: agent.and_then(|agent| library.searched(agent)),
                loaded,
            }
        })
        .collect()
}

/// What sessions of an agent load when they begin; `None` if no rule for that is known.
fn agent_loads(library: &Library, folders: &[Folder], agent: &str) -> Option<AgentLoads> {
    let home = library.home()?;
    let view = always_view(home, folders, agent).ok()?;
    let depends = depends_on_session(home, agent);
    let known = memlens_agents::agent(agent)?;
    // Of other agents no rule was checked, or none of their files was found.
    if !view.is_watched || (view.files.is_empty() && known.loads != "nothing") {
        return None;
    }
    let mut loads = AgentLoads {
        loaded: HashSet::new(),
        unclear: HashSet::new(),
    };
    for file in view.files {
        let Some(key) = file.folder.zip(file.note) else {
            continue;
        };
        let is_of_all = file.kind != AlwaysFileKind::Memory || file.project.is_some();
        match file.state {
            AlwaysState::Loaded if depends && !is_of_all => loads.unclear.insert(key),
            AlwaysState::Loaded => loads.loaded.insert(key),
            AlwaysState::NotRead => loads.unclear.insert(key),
            AlwaysState::NotLoaded | AlwaysState::Missing => false,
        };
    }
    Some(loads)
}

/// Whether an agent loads its memory only in sessions that switch it on.
fn depends_on_session(home: &Home, agent: &str) -> bool {
    let all = memlens_agents::look(home);
    let found = all.iter().find(|found| found.agent.id == agent);
    found.is_some_and(|found| {
        let is_off = |said: &String| found.switched_off.iter().any(|off| off.said == *said);
        found.switches.iter().any(|said| !is_off(said))
    })
}

fn sizes(library: &Library, folders: &[Folder]) -> Result<HashMap<DocumentId, u64>, EngineError> {
    let mut sizes = HashMap::new();
    for folder in folders {
        let documents = library.store().documents(folder.id)?;
        let documents = documents.into_values();
        sizes.extend(documents.map(|state| (state.id, state.size)));
    }
    Ok(sizes)
}

/// What went wrong with one file.
struct FileProblems {
    n: u32,
    first: String,
}

impl FileProblems {
    fn sentence(&self) -> String {
        match self.n {
            1 => self.first.clone(),
            n => format!("{}; and {} more", self.first, n - 1),
        }
    }
}

fn problems(library: &Library) -> Result<BTreeMap<(FolderId, String), FileProblems>, EngineError> {
    let mut of_files = BTreeMap::new();
    for problem in library.store().problems()? {
        let first = || match problem.line {
            Some(line) => format!("line {line}: {}", problem.message),
            None => problem.message.clone(),
        };
        let of_file = of_files
            .entry((problem.folder, problem.path))
            .or_insert_with(|| FileProblems {
                n: 0,
                first: first(),
            });
        of_file.n += 1;
    }
    Ok(of_files)
}
