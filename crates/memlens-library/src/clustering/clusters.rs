//! Statements that occur more than once, as the window shows them.

use memlens_params::Params;
use memlens_retrieve::Scope;
use memlens_store::FolderId;
use memlens_wire::ClustersAnswer;

use crate::{EngineError, Library};

/// Maximum number of clusters shown; the command line prints all.
const CLUSTERS_SHOWN: usize = 500;
/// Maximum number of members shown per cluster.
const MEMBERS_SHOWN: usize = 50;

/// Clusters of the last pass, at the distance that the parameters name; with a folder only clusters with a member
/// in it.
///
/// # Errors
/// [`EngineError::Store`].
pub fn clusters(
    library: &Library,
    params: &Params,
    folder: Option<FolderId>,
) -> Result<ClustersAnswer, EngineError> {
    let clustering = library.clustering();
    let scope = folder.map(|folder| Scope {
        folder,
        path: String::new(),
    });
    Ok(ClustersAnswer {
        report: clustering.map(|clustering| {
            let mut report = clustering.report(params, scope.as_ref());
            report.clusters.truncate(CLUSTERS_SHOWN);
            for cluster in &mut report.clusters {
                cluster.members.truncate(MEMBERS_SHOWN);
            }
            report
        }),
        n_observations: library.store().n_observations()?,
        is_stale: library.needs_aggregation(),
    })
}
