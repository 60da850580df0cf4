//! Seeing what happens in the watched folders; polling where the system cannot tell.

use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{Config, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{
    DebounceEventResult, Debouncer, NoCache, RecommendedCache, new_debouncer, new_debouncer_opt,
};

use crate::EngineError;

/// How long a file must be quiet before it is looked at: editors write in several steps.
const QUIET: Duration = Duration::from_millis(150);
/// How often a folder is looked through where the system cannot tell of changes.
const POLL_EVERY: Duration = Duration::from_secs(5);

/// Is something seen in a watched folder.
#[derive(Debug)]
pub enum Seen {
    /// Something happened at these paths.
    Paths(Vec<PathBuf>),
    /// Something was missed; only a walk can tell.
    Missed,
}

/// Watches one folder until it is dropped.
pub enum Watch {
    /// The system tells.
    Told {
        /// Held for its drop.
        _debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
    },
    /// The folder is looked through now and then.
    Polled {
        /// Held for its drop.
        _debouncer: Debouncer<PollWatcher, NoCache>,
        /// Why the system cannot tell.
        why: String,
    },
}

/// Starts to watch a folder; `tell` is called with what is seen, from a thread of the watcher.
///
/// # Errors
/// [`EngineError::System`] where the folder can be neither watched nor polled.
pub fn watch(
    folder: &Path,
    tell: impl Fn(Seen) + Clone + Send + 'static,
) -> Result<Watch, EngineError> {
    let handler = || {
        let tell = tell.clone();
        move |result: DebounceEventResult| {
            if let Some(seen) = seen(result) {
                tell(seen);
            }
        }
    };
    let told = new_debouncer(QUIET, None, handler()).and_then(|mut debouncer| {
        debouncer.watch(folder, RecursiveMode::Recursive)?;
        Ok(debouncer)
    });
    let why = match told {
        Ok(debouncer) => {
            return Ok(Watch::Told {
                _debouncer: debouncer,
            });
        }
        Err(error) => error.to_string(),
    };
    let config = Config::default().with_poll_interval(POLL_EVERY);
    let polled = new_debouncer_opt::<_, PollWatcher, NoCache>(
        QUIET,
        None,
        handler(),
        NoCache::new(),
        config,
    );
    polled
        .and_then(|mut debouncer| {
            debouncer.watch(folder, RecursiveMode::Recursive)?;
            Ok(Watch::Polled {
                _debouncer: debouncer,
                why,
            })
        })
        .map_err(|error| EngineError::System {
            attempt: "watch a folder",
            why: error.to_string(),
        })
}

/// Returns what a person's note may be affected by; none for mere reading.
fn seen(result: DebounceEventResult) -> Option<Seen> {
    let Ok(events) = result else {
        return Some(Seen::Missed);
    };
    if events.iter().any(|event| event.need_rescan()) {
        return Some(Seen::Missed);
    }
    let mut paths: Vec<PathBuf> = events
        .into_iter()
        .filter(|event| !matches!(event.kind, EventKind::Access(_)))
        .flat_map(|event| event.event.paths)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    (!paths.is_empty()).then_some(Seen::Paths(paths))
}
