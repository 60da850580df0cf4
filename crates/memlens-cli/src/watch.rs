//! `memlens watch`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use memlens_engine::view::{Activity, Happening};
use memlens_engine::{Engine, EngineError, Event};

use crate::arguments::WatchArgs;
use crate::error::CliError;
use crate::settings::{library_dir, print_line, source, stop_flag};

/// How often the stop flag is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Keeps the library in step until Ctrl+C.
pub fn run(library: Option<PathBuf>, arguments: &WatchArgs) -> Result<(), CliError> {
    let stop = stop_flag()?;
    let json = arguments.json;
    let engine = Engine::open(
        &library_dir(library)?,
        source(),
        Arc::new(move |event| match event {
            Event::Activity(activity) => print(&activity, json),
            Event::State(_) => {}
        }),
    )?;
    let state = engine.state();
    if let Some(why) = state.read_only {
        return Err(EngineError::ReadOnly { why }.into());
    }
    for notice in &state.notices {
        anstream::eprintln!("memlens: {notice}");
    }
    if state.folders.is_empty() {
        anstream::eprintln!("memlens: no folder is watched yet; `memlens index FOLDER` adds one");
    }
    for folder in &state.folders {
        anstream::eprintln!("memlens: {}", folder.path);
    }
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

fn print(activity: &Activity, json: bool) {
    if json {
        let text =
            serde_json::to_string(activity).expect("plain data can always be written as JSON");
        if let Err(error) = print_line(&text) {
            anstream::eprintln!("memlens: {error}");
        }
        return;
    }
    let what = match activity.what {
        Happening::Added => "added",
        Happening::Changed => "changed",
        Happening::Renamed => "renamed",
        Happening::Deleted => "deleted",
        Happening::Skipped => "skipped",
    };
    let detail = activity
        .detail
        .as_ref()
        .map_or(String::new(), |detail| format!(" ({detail})"));
    anstream::println!("{what} {}/{}{detail}", activity.folder_name, activity.path);
}
