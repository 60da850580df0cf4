//! What a note says that other passages say too, by the clusters of the last pass over all observations.

use std::collections::HashSet;

use memlens_library::Library;
use memlens_params::Params;
use memlens_retrieve::Scope;
use memlens_store::FolderId;
use memlens_wire::{Said, SaidCluster, SaidElsewhere, SaidOfNote};

/// Number of statements that are returned.
const STATEMENTS: usize = 100;

/// The statements of a note that other passages make too, at the distance of the parameters, in the order of the note; `None`
/// before the first pass.
pub fn said_elsewhere(
    library: &Library,
    params: &Params,
    folder: FolderId,
    path: &str,
) -> Option<SaidElsewhere> {
    let clustering = library.clustering()?;
    let scope = Scope {
        folder,
        path: path.to_owned(),
    };
    let report = clustering.report(params, Some(&scope));
    let id = folder.0.to_string();
    let is_own = |said: &Said| said.folder == id && said.path == path;
    let mut statements: Vec<SaidOfNote> = report
        .clusters
        .into_iter()
        .filter_map(|cluster| of_note(cluster, is_own))
        .collect();
    statements.sort_by(|a, b| (a.own.line, &a.own.text).cmp(&(b.own.line, &b.own.text)));
    let n = statements.len() as u32;
    statements.truncate(STATEMENTS);
    Some(SaidElsewhere {
        statements,
        n,
        is_stale: library.needs_aggregation(),
    })
}

/// A cluster as seen from a note; `None` if the note has no member.
fn of_note(cluster: SaidCluster, is_own: impl Fn(&Said) -> bool) -> Option<SaidOfNote> {
    // The representative first, then the members nearest to it.
    let members: Vec<Said> = std::iter::once(cluster.canonical)
        .chain(cluster.members)
        .collect();
    let own = members
        .iter()
        .filter(|said| is_own(said))
        .min_by_key(|said| said.line)?
        .clone();
    let others = || members.iter().filter(|said| !is_own(said));
    let notes: HashSet<(&str, &str)> = others()
        .map(|said| (said.folder.as_str(), said.path.as_str()))
        .collect();
    Some(SaidOfNote {
        n_others: members.len() as u32 - 1,
        n_notes: notes.len() as u32,
        other: others().next().cloned(),
        own,
    })
}
