use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;

use memlens_engine::view::{Activity, FolderStatus, Happening, LibraryState};
use memlens_engine::{Engine, Event, Home, IndexerError, Watching};

use crate::arguments::WatchArgs;
use crate::error::CliError;
use crate::output::{notify, print_line, print_text};
use crate::settings::{library_dir, on_stop, source};

/// What the loop waits for.
enum Message {
    Activity(Activity),
    Notices(Vec<String>),
    Stop,
}

/// Keeps the library up to date until Ctrl+C, or until the reader of the output closes the pipe.
pub fn run(library: Option<PathBuf>, arguments: &WatchArgs) -> Result<(), CliError> {
    let (sender, received) = mpsc::channel();
    let stop = sender.clone();
    on_stop(move || drop(stop.send(Message::Stop)))?;
    let dir = library_dir(library)?;
    let engine = Engine::open_to_watch(
        &dir,
        source(&dir),
        Watching {
            polls: arguments.poll,
            ..Watching::default()
        },
        Home::of_process(),
        Arc::new(move |event| match event {
            // The receiver is gone only while the program ends.
            Event::Activity(activity) => drop(sender.send(Message::Activity(activity))),
            // Only a window shows progress; lost notes are reported one by one.
            Event::Job(_) | Event::Lost(_) => {}
            Event::State(state) => drop(sender.send(Message::Notices(notices(*state)))),
        }),
    )?;
    let state = engine.state();
    if let Some(why) = state.read_only {
        return Err(IndexerError::ReadOnly { why }.into());
    }
    if state.folders.is_empty() {
        notify("no folders yet; add one with `memlens index FOLDER`");
    }
    for folder in &state.folders {
        notify(&folder.path);
    }
    let mut known = HashSet::new();
    for received in received {
        match received {
            Message::Activity(activity) => print(&activity, arguments.json)?,
            Message::Notices(found) => {
                for notice in found {
                    if known.insert(notice.clone()) {
                        notify(notice);
                    }
                }
            }
            Message::Stop => break,
        }
    }
    Ok(())
}

/// Returns the notices of the library, and of folders that the system does not report changes for.
fn notices(state: LibraryState) -> Vec<String> {
    let polled = state
        .folders
        .into_iter()
        .filter(|folder| folder.status == FolderStatus::Polling)
        .filter_map(|folder| Some(format!("{} is {}", folder.path, folder.why?)));
    state.notices.into_iter().chain(polled).collect()
}

fn print(activity: &Activity, json: bool) -> Result<(), CliError> {
    if json {
        let text =
            serde_json::to_string(activity).expect("plain data can always be written as JSON");
        return print_line(&text);
    }
    let what = match activity.what {
        Happening::Added => "added",
        Happening::Changed => "changed",
        Happening::Renamed => "renamed",
        Happening::Deleted => "deleted",
        Happening::Skipped => "skipped",
        Happening::Away => "away",
        Happening::Back => "back",
        Happening::Lost => "not found any more by past questions:",
    };
    let detail = activity
        .detail
        .as_ref()
        .map_or(String::new(), |detail| format!(" ({detail})"));
    let place = match activity.what {
        Happening::Away | Happening::Back => activity.path.clone(),
        Happening::Added
        | Happening::Changed
        | Happening::Renamed
        | Happening::Deleted
        | Happening::Skipped
        | Happening::Lost => format!("{}/{}", activity.folder_name, activity.path),
    };
    print_text(format!("{what} {place}{detail}"))
}
