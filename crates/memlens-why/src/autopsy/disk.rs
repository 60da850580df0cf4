//! The literal search for a fact through every text file of the watched folders and of the agent's own places.

use std::path::{Path, PathBuf};

use memlens_agents::{AlwaysKind, Content};
use memlens_ingest::{Reason, Verdict};
use memlens_library::Library;
use memlens_library::notes::place::Place;
use memlens_retrieve::Part;
use memlens_store::{Folder, FolderId};
use memlens_wire::AutopsyProgress;
use memlens_written::{Gaps, Hit, Limits, Root, Searched};

use super::Case;
use super::words::{counted, listed};

/// The folder of a file that is in no watched folder; ids of folders begin at 1.
pub(super) const UNWATCHED: FolderId = FolderId(0);
/// Number of files named in one sentence.
const NAMED: usize = 3;

/// A folder or file that is searched.
struct Source {
    path: PathBuf,
    /// `None` for an agent's own place that is not watched.
    folder: Option<FolderId>,
}

pub(super) struct OnDisk {
    pub place: Place,
    pub hit: Hit,
}

/// Searches every file; the agent's watched folders first, then its own other places, then all other folders.
pub(super) fn search(case: &Case<'_>, words: &[String]) -> (Option<OnDisk>, Gaps) {
    let sources = sources(case);
    let roots: Vec<Root> = sources.iter().map(|it| Root::new(&it.path)).collect();
    let run = &case.run;
    let limits = Limits::default();
    let Searched { best, gaps, .. } =
        memlens_written::search(&roots, words, &limits, run.stop_flag(), &mut |progress| {
            run.report(AutopsyProgress {
                n_files: progress.n_files as u32,
                mib: progress.n_bytes as f64 / f64::from(1 << 20),
            });
        });
    run.clear();
    let found = best.map(|hit| {
        let source = &sources[hit.root];
        let place = match source.folder {
            Some(folder) => Place {
                folder,
                path: hit.path.clone(),
                line: None,
            },
            None => Place {
                folder: UNWATCHED,
                path: shown(case.library, &hit.absolute),
                line: None,
            },
        };
        OnDisk { place, hit }
    });
    (found, gaps)
}

/// A path as it is shown, with `~` for the home folder.
fn shown(library: &Library, path: &Path) -> String {
    let home = library.home();
    home.map_or_else(|| path.display().to_string(), |home| home.shown(path))
}

fn sources(case: &Case<'_>) -> Vec<Source> {
    let lists = case.library.lists();
    let folders: Vec<&Folder> = lists.snapshot.folders.iter().collect();
    let own_part = case.own_part();
    let is_own = |folder: &Folder| match &own_part {
        Part::Folders(ids) => ids.contains(&folder.id),
        Part::All | Part::Folder(_) | Part::Chunks(_) => true,
    };
    let watched = |folder: &Folder| Source {
        path: PathBuf::from(&folder.path),
        folder: Some(folder.id),
    };
    let own = folders.iter().filter(|it| is_own(it)).map(|it| watched(it));
    let others = folders
        .iter()
        .filter(|it| !is_own(it))
        .map(|it| watched(it));
    let mut sources: Vec<Source> = own.collect();
    sources.extend(places_of_agents(case, &folders));
    sources.extend(others);
    sources
}

/// Places of watched agents that are not watched themselves: files that they load and other folders that they search.
fn places_of_agents(case: &Case<'_>, folders: &[&Folder]) -> Vec<Source> {
    let Some(home) = case.library.home() else {
        return Vec::new();
    };
    let is_asked = |id: &str| {
        let is_watched = folders.iter().any(|it| it.agent.as_deref() == Some(id));
        is_watched && case.agent_id().is_none_or(|agent| agent == id)
    };
    let mut places: Vec<PathBuf> = Vec::new();
    for found in memlens_agents::look(home) {
        if !is_asked(found.agent.id) {
            continue;
        }
        places.extend(found.folders.iter().cloned());
        let always = memlens_agents::always_loaded(home, &found)
            .files
            .into_iter();
        // Instruction files that a setting excludes from loading are read too, because a fact in them is written
        // somewhere.
        let is_read = always.filter(|file| {
            file.text().is_some()
                || matches!(
                    (&file.content, file.kind),
                    (
                        Content::NotLoaded(_),
                        AlwaysKind::Instructions | AlwaysKind::Rule
                    )
                )
        });
        places.extend(is_read.map(|file| file.path));
    }
    let is_watched = |path: &PathBuf| {
        let resolved = memlens_files::canonical(path).unwrap_or_else(|_| path.clone());
        folders.iter().any(|it| resolved.starts_with(&it.path))
    };
    places.retain(|path| {
        !is_watched(path) && path.symlink_metadata().is_ok_and(|it| !it.is_symlink())
    });
    let unwatched = |path| Source { path, folder: None };
    places.into_iter().map(unwatched).collect()
}

/// The rule that leaves a file out of the library; `None` for one that is read, and outside of watched folders.
pub(super) fn reason(library: &Library, place: &Place) -> Option<Reason> {
    let folder = super::fact::folder(library, place.folder)?;
    match memlens_ingest::judge(Path::new(&folder.path), &place.path).ok()? {
        Verdict::LeftOut { reason, .. } => Some(reason),
        Verdict::Read(_) | Verdict::Folder | Verdict::Gone => None,
    }
}

/// What was not read, as the end of a sentence; `None` if everything was.
pub(super) fn gaps_said(library: &Library, gaps: &Gaps) -> Option<String> {
    let mut said = Vec::new();
    let named = |paths: &[&PathBuf]| {
        let names = paths.iter().take(NAMED).map(|path| shown(library, path));
        let more = paths.len().saturating_sub(NAMED);
        let mut names: Vec<String> = names.collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        listed(&names)
    };
    if gaps.is_cancelled {
        said.push("the search was cancelled".to_owned());
    }
    if gaps.is_cut_off {
        said.push("the search ended at its limit of time or files".to_owned());
    }
    if !gaps.unreadable.is_empty() {
        let paths: Vec<&PathBuf> = gaps.unreadable.iter().map(|(path, _)| path).collect();
        said.push(format!("cannot read {}", named(&paths)));
    }
    if !gaps.too_large.is_empty() {
        let paths: Vec<&PathBuf> = gaps.too_large.iter().collect();
        said.push(format!("too large: {}", named(&paths)));
    }
    if !gaps.links.is_empty() {
        let paths: Vec<&PathBuf> = gaps.links.iter().collect();
        let n = counted(paths.len(), "link");
        said.push(format!(
            "{n} out of the folders not followed: {}",
            named(&paths)
        ));
    }
    (!said.is_empty()).then(|| said.join("; "))
}
