//! Which notes the past questions of agents found and opened, as far as they were imported.
//!
//! A path that may be one of several notes is no proof for any of them: those notes have no figure.

use std::collections::{BTreeSet, HashMap, HashSet};

use memlens_agents::PastKind;
use memlens_library::notes::note_names::agent_name;
use memlens_library::{EngineError, Library};
use memlens_past::places::{NoPlace, places};
use memlens_past::{Past, PastFilter, PastKinds, Places, list};
use memlens_store::FolderId;

/// A note by its folder and path.
type Note = (FolderId, String);

/// What the imported past questions say about notes.
#[derive(Debug, Default)]
pub struct Found {
    /// Number of searches.
    pub n_searches: u32,
    /// Number of searches whose results are logged.
    pub n_answered: u32,
    /// Names of the agents that asked these.
    pub agents: BTreeSet<String>,
    /// How many searches returned a note, and in how many entries it was opened.
    counts: HashMap<Note, (u32, u32)>,
    /// Names of files, in lower case and without `.md`, that a path may mean and that several notes have.
    unclear: HashSet<String>,
}

/// Reads the past questions; or why nothing is known.
pub fn found(library: &Library) -> Result<Result<Found, String>, EngineError> {
    let filter = PastFilter {
        kinds: PastKinds::All,
        ..PastFilter::default()
    };
    let past = list(library, &filter)?;
    let mut found = Found::default();
    let places = places(library)?;
    for one in &past {
        found.add(one, &places);
    }
    Ok(match found.n_answered {
        0 => Err(nothing_known(library, found.n_searches)),
        _ => Ok(found),
    })
}

fn nothing_known(library: &Library, n_searches: u32) -> String {
    if n_searches > 0 {
        return "Not known: the logs hold no results of the imported past questions.".to_owned();
    }
    match library.recall_choice().is_allowed {
        true => "Not known: no past question was imported.".to_owned(),
        false => {
            "Not known: past questions are in your agents' logs, and Memlens may not read them. \
                  You can allow it in Past questions."
                .to_owned()
        }
    }
}

impl Found {
    /// How many searches returned a note, and in how many entries it was opened; `None` if a result may be this note or another.
    pub fn of(&self, folder: FolderId, path: &str) -> Option<(u32, u32)> {
        if self.unclear.contains(&stem(path)) {
            return None;
        }
        let counts = self.counts.get(&(folder, path.to_owned()));
        Some(counts.copied().unwrap_or_default())
    }

    fn add(&mut self, past: &Past, places: &Places) {
        let asked = &past.asked;
        if asked.kind == PastKind::Search {
            self.n_searches += 1;
        }
        if let Some(returned) = &asked.returned {
            self.n_answered += 1;
            self.agents.insert(agent_name(&asked.agent).name);
            let named = returned.iter().map(|one| one.path.as_str());
            for note in self.notes(past, places, named) {
                self.counts.entry(note).or_default().0 += 1;
            }
        }
        let named = asked.opened.iter().map(|one| one.path.as_str());
        for note in self.notes(past, places, named) {
            self.counts.entry(note).or_default().1 += 1;
        }
    }

    /// The notes that an entry names, each once.
    fn notes<'a>(
        &mut self,
        past: &Past,
        places: &Places,
        named: impl Iterator<Item = &'a str>,
    ) -> HashSet<Note> {
        let mut notes = HashSet::new();
        for path in named {
            match places.find_of(past, path) {
                Ok(place) => {
                    notes.insert((place.folder, place.path));
                }
                Err(NoPlace::Several | NoPlace::NoWorkspace) => {
                    self.unclear.insert(stem(path));
                }
                Err(NoPlace::None | NoPlace::Deleted) => {}
            }
        }
        notes
    }
}

fn stem(path: &str) -> String {
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
        .to_lowercase();
    name.strip_suffix(".md").map(str::to_owned).unwrap_or(name)
}
