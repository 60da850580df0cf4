//! Building the window's pages into `ui/dist`, which the app embeds.

use crate::command;
use crate::error::Result;
use crate::fingerprint;
use crate::project::Project;

/// Builds `ui/dist`, unless it was built from the same sources.
pub fn build(project: &Project) -> Result<()> {
    let folder = project.ui();
    let sum = fingerprint::of_folder(&folder, &["node_modules", "dist"])?;
    // Beside the programs, not in `dist`: everything there becomes part of the app.
    let stamp = project.programs.join("memlens-ui.sha256");
    if folder.join("dist/index.html").is_file() && fingerprint::is_stamped(&stamp, &sum) {
        return Ok(());
    }
    command::run(command::npm(&folder).args(["run", "--silent", "build"]))?;
    fingerprint::stamp(&stamp, &sum)
}
