use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memlens_engine::{CancellationToken, EngineError};

use crate::error::CliError;
use crate::settings::on_stop;

/// Downloads a model, with a bar on a terminal, and returns its folder. Ctrl+C stops it and keeps what was downloaded.
pub fn with_bar(
    download: impl FnOnce(&mut dyn FnMut(u64, u64), &CancellationToken) -> Result<PathBuf, EngineError>,
) -> Result<PathBuf, CliError> {
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    on_stop(move || stop.cancel())?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} left");
    bar.set_style(style.expect("the template is a constant"));
    let mut progress = |done: u64, total: u64| {
        bar.set_length(total);
        bar.set_position(done);
    };
    let downloaded = download(&mut progress, &cancel);
    bar.finish_and_clear();
    match downloaded {
        Err(_) if cancel.is_cancelled() => Err(CliError::Stopped),
        other => Ok(other?),
    }
}
