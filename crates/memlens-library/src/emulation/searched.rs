//! Which notes an agent's own search finds: the rules of its program over the watched folders, and the files as they are on disk.
//!
//! Rules are read again when the config changes, files are listed again when the library or the rules change; both also after a
//! bounded time, so that a question costs no walk.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use memlens_agents::{AGENTS, Index, Listed, Searched, Unsearched};
use memlens_emulate::Program;
use memlens_files::path_in;
use memlens_ingest::FoundFile;
use memlens_rank::AnyPipeline;
use memlens_retrieve::Part;
use memlens_store::{Folder, FolderId};
use memlens_wire::NotSearchedBy;
use parking_lot::Mutex;

use crate::Library;
use crate::notes::place::{Place, note_path};

/// How long rules and file lists are used without a known change.
const VALID: Duration = Duration::from_secs(10);
/// Time limit of one listing.
const LISTING_TIME: Duration = Duration::from_secs(5);

/// Cached rules of programs, and the files that they name.
#[derive(Default)]
pub(crate) struct KnownSearched {
    rules: Mutex<HashMap<String, KnownRules>>,
    listings: Mutex<HashMap<(String, String), Listing>>,
    /// Folders that agents read and that are not watched; the index of each determines its id.
    unwatched: Mutex<Vec<Folder>>,
}

impl KnownSearched {
    pub fn forget(&self) {
        self.rules.lock().clear();
        self.listings.lock().clear();
    }
}

struct KnownRules {
    /// Size and time of the config.
    config: Option<(u64, SystemTime)>,
    at: Instant,
    rules: Option<Arc<Searched>>,
}

/// Files of one index, as last listed.
#[derive(Clone)]
pub(crate) struct Listing {
    pub index: Index,
    pub listed: Arc<Listed>,
    /// Changes whenever a file is added, removed or changed.
    pub stamp: u64,
    generation: u64,
    at: Instant,
}

/// The agent on whose behalf an emulated memory is asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asker<'a> {
    /// The id of the agent among those of its program, if known.
    pub member: Option<&'a str>,
}

/// The index that answers a question.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub index: Index,
    /// How many agents the program has.
    pub n_members: usize,
    /// Whether the question's agent is known.
    pub is_known: bool,
}

/// A note that an agent searches and that is in no watched folder.
pub struct Unwatched {
    /// Name of the agent on screen.
    pub agent: String,
    /// The folder that the agent searches.
    pub folder: String,
    /// The note's place in that folder.
    pub place: Place,
}

impl Library {
    /// The rules by which a program indexes notes; `None` if they are not known.
    pub fn searched(&self, agent: &str) -> Option<Arc<Searched>> {
        let home = self.home.as_ref()?;
        let mut known = self.emulations.searched.rules.lock();
        let config = Searched::config(home, agent)
            .and_then(|path| fs::symlink_metadata(path).ok())
            .and_then(|found| Some((found.len(), found.modified().ok()?)));
        if let Some(known) = known.get(agent)
            && known.config == config
            && known.at.elapsed() < VALID
        {
            return known.rules.clone();
        }
        let rules = Searched::of(home, agent).map(Arc::new);
        let entry = KnownRules {
            config,
            at: Instant::now(),
            rules: rules.clone(),
        };
        known.insert(agent.to_owned(), entry);
        rules
    }

    /// The index of a program that answers a question: that of its agent, otherwise of the agent whose workspace is searched,
    /// otherwise the default one; only those whose folders are watched. `None` if none is, or the program's rules are unknown.
    pub(crate) fn index_asked(
        &self,
        agent: &str,
        version: Option<&str>,
        asker: Asker<'_>,
        part: &Part,
        folders: &[Folder],
    ) -> Option<Chosen> {
        let own: Vec<&Path> = folders
            .iter()
            .filter(|folder| folder.agent.as_deref() == Some(agent))
            .map(|folder| Path::new(&folder.path))
            .collect();
        if own.is_empty() {
            return None;
        }
        let rules = self.searched(agent)?;
        let is_watched = |index: &&Index| {
            index.own_folders().any(|root| {
                own.iter()
                    .any(|it| root.starts_with(it) || it.starts_with(root))
            })
        };
        let watched: Vec<&Index> = rules.indexes.iter().filter(is_watched).collect();
        let named = asker
            .member
            .and_then(|id| watched.iter().find(|it| it.member.eq_ignore_ascii_case(id)));
        let scope = match part {
            Part::Folder(scope) => folders
                .iter()
                .find(|folder| folder.id == scope.folder)
                .map(|folder| note_path(&folder.path, &scope.path)),
            Part::All | Part::Folders(_) | Part::Chunks(_) => None,
        };
        let around = scope.and_then(|scope| {
            let is_around =
                |index: &&&Index| index.own_folders().any(|root| scope.starts_with(root));
            watched.iter().find(is_around)
        });
        let known = named.or(around);
        let chosen = known
            .or_else(|| watched.iter().find(|it| it.is_default))
            .or(watched.first())?;
        let mut index = (*chosen).clone();
        if let Some(version) = version {
            index = index.as_of(version);
        }
        Some(Chosen {
            index,
            n_members: rules.indexes.len(),
            is_known: known.is_some(),
        })
    }

    /// The files of an index.
    pub(crate) fn listing(&self, agent: &str, index: &Index, generation: u64) -> Listing {
        let mut known = self.emulations.searched.listings.lock();
        let key = (agent.to_owned(), index.member.clone());
        if let Some(known) = known.get(&key)
            && known.generation == generation
            && known.index == *index
            && known.at.elapsed() < VALID
        {
            return known.clone();
        }
        let listed = index.files(LISTING_TIME);
        let mut hasher = DefaultHasher::new();
        for one in &listed.files {
            let FoundFile {
                absolute,
                size,
                modified_ms,
                changed_ns,
                ..
            } = &one.file;
            (&one.name, absolute, size, modified_ms, changed_ns).hash(&mut hasher);
        }
        let listing = Listing {
            index: index.clone(),
            listed: Arc::new(listed),
            stamp: hasher.finish(),
            generation,
            at: Instant::now(),
        };
        known.insert(key, listing.clone());
        listing
    }

    /// A folder that an agent reads and that is not watched, with an id that no watched folder has; `None` if its path
    /// is not UTF-8.
    pub(crate) fn unwatched_folder(&self, folder: &Path) -> Option<Folder> {
        let path = folder.to_str()?;
        let mut known = self.emulations.searched.unwatched.lock();
        if let Some(known) = known.iter().find(|it| it.path == path) {
            return Some(known.clone());
        }
        let new = Folder {
            id: FolderId(-1 - known.len() as i64),
            path: path.to_owned(),
            name: folder.file_name()?.to_string_lossy().into_owned(),
            is_paused: false,
            mount: None,
            agent: None,
        };
        known.push(new.clone());
        Some(new)
    }

    /// The place of a note in no watched folder that the search of an agent finds, by its absolute path with links resolved.
    pub fn searched_unwatched(&self, path: &Path) -> Option<Unwatched> {
        let agents = AGENTS.into_iter();
        agents
            .filter_map(|agent| self.searched(agent.id))
            .find_map(|rules| {
                let mut indexes = rules.indexes.iter();
                let root = indexes.find_map(|index| index.folder_of(path))?;
                Some(Unwatched {
                    agent: rules.agent.name.to_owned(),
                    folder: root.display().to_string(),
                    place: Place {
                        folder: self.unwatched_folder(root)?.id,
                        path: memlens_files::name_in(root, path)?,
                        line: None,
                    },
                })
            })
    }

    /// The folder with such an id.
    pub(crate) fn unwatched(&self, id: FolderId) -> Option<Folder> {
        let known = self.emulations.searched.unwatched.lock();
        known.iter().find(|it| it.id == id).cloned()
    }

    /// The file of a note that an agent reads and Memlens does not index, if an emulated memory was made of it.
    pub(crate) fn file_of_agent(&self, folder: &Path, path: &str) -> Option<FoundFile> {
        let absolute = path_in(folder, path);
        let known = self.emulations.searched.listings.lock();
        let mut files = known.values().flat_map(|listing| &listing.listed.files);
        let found = files.find(|it| it.file.absolute == absolute)?;
        Some(found.file.clone())
    }

    /// Why the program of a pipeline leaves out a note, by its own rules; `None` if it does not, or its rules are not followed.
    pub fn unsearched_by(
        &self,
        pipeline: &dyn AnyPipeline,
        member: Option<&str>,
        place: &Place,
    ) -> Option<NotSearchedBy> {
        let program = Program::ranked_by(pipeline)?;
        let member = member?;
        let lists = self.lists();
        let folder = lists.snapshot.folder(place.folder)?;
        let rules = self.searched(program.agent())?;
        unsearched(&rules, Some(member), &note_path(&folder.path, &place.path))
    }

    /// Why the program of a watched folder's agent never finds a note; `None` if it does, or if that is unknown.
    ///
    /// With `member`, of one agent of the program; otherwise of all together.
    pub fn not_searched(
        &self,
        agent: &str,
        member: Option<&str>,
        folder: FolderId,
        path: &str,
    ) -> Option<NotSearchedBy> {
        let lists = self.lists();
        let folder = lists.snapshot.folder(folder)?;
        if folder.agent.as_deref() != Some(agent) {
            return None;
        }
        let rules = self.searched(agent)?;
        unsearched(&rules, member, &note_path(&folder.path, path))
    }
}

impl Library {
    /// Whether the program of a watched folder's agent indexes a note by rules that are known. With `member`, in the index of that
    /// agent of the program.
    pub fn indexes(&self, agent: &str, member: Option<&str>, folder: FolderId, path: &str) -> bool {
        let lists = self.lists();
        let Some(folder) = lists.snapshot.folder(folder) else {
            return false;
        };
        folder.agent.as_deref() == Some(agent)
            && self.searched(agent).is_some_and(|rules| {
                let path = note_path(&folder.path, path);
                match member {
                    Some(_) => rules.judge_as(member, &path).is_ok(),
                    None => rules.judge(&path).is_ok(),
                }
            })
    }
}

/// Why a program never finds a note of an absolute path; `None` if it does.
pub(crate) fn unsearched(
    rules: &Searched,
    member: Option<&str>,
    path: &Path,
) -> Option<NotSearchedBy> {
    let judged = match member {
        Some(member) => rules.judge_as(Some(member), path),
        None => rules.judge(path),
    };
    let Unsearched {
        cause,
        reason,
        advice,
    } = judged.err()?;
    Some(NotSearchedBy {
        agent: rules.agent.name.to_owned(),
        cause: cause.name(),
        reason,
        advice,
    })
}
