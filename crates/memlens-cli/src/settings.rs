//! What the commands share: the library's folder, the parameters, progress bars and the stop flag.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use jiff::civil::Date;

use memlens_engine::{
    EmbedderSource, EngineError, Home, Library, Part, Ranking, Search, default_library,
    own_ranking, part_of_agent, pipeline, read_params, read_ranking, small_model_notice,
    source_of_library,
};
use memlens_params::{HookMode, ParameterSet, Params};

use crate::arguments::{RankingArgs, SettingArgs};
use crate::error::CliError;
use crate::output::notify;

/// Returns the library's folder: the one given, else the one of [`default_library`].
pub fn library_dir(given: Option<PathBuf>) -> Result<PathBuf, CliError> {
    let dir = given
        .or_else(default_library)
        .ok_or(CliError::NoDataFolder)?;
    std::path::absolute(&dir).map_err(|source| CliError::File {
        attempt: "find",
        path: dir,
        source,
    })
}

/// Opens the library for reading and prints its notices.
pub fn open(given: Option<PathBuf>) -> Result<Library, CliError> {
    let dir = library_dir(given)?;
    with_notices(Library::open(&dir, source(&dir)))
}

/// Opens the library as [`open`] does, for a command that searches it next.
///
/// It is never closed: the process ends with the command, and freeing a million chunks first would take 60 ms.
pub fn open_to_search(given: Option<PathBuf>) -> Result<&'static Library, CliError> {
    let dir = library_dir(given)?;
    let library = with_notices(Library::open_to_search(&dir, source(&dir)))?;
    Ok(Box::leak(Box::new(library)))
}

fn with_notices(opened: Result<Library, EngineError>) -> Result<Library, CliError> {
    let library = opened?;
    for notice in library.notices() {
        notify(notice);
    }
    if let Some(notice) = small_model_notice(&library.store())? {
        notify(notice);
    }
    Ok(library)
}

/// Returns the source of the embedding models of the library in `dir`.
pub fn source(dir: &Path) -> EmbedderSource {
    source_of_library(dir, Vec::new())
}

/// Returns the parameters of the preset with the settings applied, for commands that use some of them whether or not
/// their stage is on.
pub fn params(arguments: &SettingArgs) -> Result<Params, CliError> {
    let mut params = match &arguments.preset {
        Some(path) => read_params(path)?,
        None => Params::default(),
    };
    params.assign_all(arguments.settings.iter().map(String::as_str))?;
    Ok(params)
}

/// Returns the ranking to use, with the settings applied: that of the preset, else of the program named, else Memlens's
/// own.
///
/// # Errors
/// [`CliError::PresetOfOthers`] if the preset is of another pipeline than the program named; [`CliError::Param`] for an
/// invalid setting; [`CliError::Engine`] if the preset cannot be read or the program is unknown.
pub fn ranking(arguments: &RankingArgs) -> Result<Ranking, CliError> {
    let named = arguments.pipeline.as_deref().map(pipeline).transpose()?;
    let preset = &arguments.settings.preset;
    let mut ranking = match preset.as_deref().map(read_ranking).transpose()? {
        None => match &arguments.pipeline {
            None => Ranking::of(pipeline("memlens")?),
            Some(program) if arguments.defaults => Ranking::of(pipeline(program)?),
            Some(program) => of_program(program)?,
        },
        Some(preset) => match named {
            Some(named) if named.id() != preset.pipeline.id() => {
                return Err(CliError::PresetOfOthers {
                    holds: preset.pipeline.label(),
                    named: named.label(),
                });
            }
            Some(_) | None => preset,
        },
    };
    let settings = arguments.settings.settings.iter().map(String::as_str);
    ranking.values.assign_all(settings.clone())?;
    tell_without_effect(&ranking.values, settings);
    Ok(ranking)
}

/// Reports the settings that have no effect, such as a setting of a stage that is off.
fn tell_without_effect<'a>(
    values: &impl ParameterSet,
    settings: impl IntoIterator<Item = &'a str>,
) {
    for notice in values.without_effect(settings) {
        notify(notice);
    }
}

/// Returns the ranking of a program: by its own config on this machine, which is reported, or by its published defaults
/// if a version is named or there is no config.
pub fn of_program(typed: &str) -> Result<Ranking, CliError> {
    let published = pipeline(typed)?;
    let home = Home::of_process();
    let own = Some(typed.trim())
        .filter(|name| !name.contains('@'))
        .and_then(|name| own_ranking(home.as_ref(), name));
    let Some(own) = own else {
        return Ok(Ranking::of(published));
    };
    if own.is_yours {
        notify(own.sentence(home.as_ref()));
    }
    for problem in &own.problems {
        notify(problem);
    }
    Ok(own.ranking)
}

/// Opens the library and asks it a question. An outside reranker is asked too if the settings say so.
///
/// # Errors
/// Misuse (invalid settings, an empty question, a scope that does not exist), and failures to open or search the
/// library.
pub fn ask(
    library: Option<PathBuf>,
    ranking: &RankingArgs,
    query: &str,
    scope: Option<&str>,
    agent: Option<&str>,
) -> Result<(&'static Library, Ranking, Arc<Search>), CliError> {
    let mut settings = ranking.settings.settings.iter();
    let is_named = settings.any(|it| {
        it.split_once('=')
            .is_some_and(|(id, _)| id.trim() == "hook")
    });
    let mut ranking = self::ranking(ranking)?;
    if !is_named {
        without_hook(&mut ranking)?;
    }
    if query.trim().is_empty() {
        return Err(EngineError::EmptyQuery.into());
    }
    let library = open_to_search(library)?;
    let part = match (scope, agent) {
        (_, Some(agent)) => part_of_agent(library, agent)?,
        (Some(typed), None) => Part::Folder(library.scope(typed)?),
        (None, None) => Part::All,
    };
    let search = search_as(library, query, &ranking, part)?;
    Ok((library, ranking, search))
}

/// Reads a day as typed.
pub fn day(typed: &str) -> Result<Date, CliError> {
    // A moment also parses as a day.
    typed.parse().map_err(|_| CliError::NoMoment {
        given: typed.to_owned(),
    })
}

/// Switches the user's own command off: a file must not start it.
pub fn without_hook(ranking: &mut Ranking) -> Result<(), CliError> {
    let is_on = ranking
        .params()
        .is_some_and(|params| params.hook != HookMode::Off);
    if is_on {
        ranking.values.assign_all(["hook=off"])?;
        notify(
            "the preset turns on your own command (hook); a file does not start it: add --set hook=on",
        );
    }
    Ok(())
}

/// Asks a question with the steps that the ranking needs: comparing observations, asking rerankers, embedding another
/// program's chunks.
pub fn search_as(
    library: &Library,
    query: &str,
    ranking: &Ranking,
    part: Part,
) -> Result<Arc<Search>, CliError> {
    let Some(params) = ranking.params() else {
        return Ok(while_embedding(library, || {
            library.search_as(query, ranking, part)
        })?);
    };
    library.aggregate_for(&params)?;
    let search = library.search_as(query, ranking, part)?;
    Ok(library.ask(search.id, &params)?)
}

/// Shows embedding progress of an emulated memory while `work` waits for it.
fn while_embedding<T>(library: &Library, work: impl FnOnce() -> T) -> T {
    let progress = || {
        library
            .jobs()
            .emulation
            .progress()
            .map(|it| (it.n_done, it.n_all))
    };
    while_working(&progress, work)
}

/// Shows the progress of a comparison over a query set during `work`.
pub fn while_comparing<T>(library: &Library, work: impl FnOnce() -> T) -> T {
    let progress = || {
        library
            .jobs()
            .compare
            .progress()
            .map(|it| (it.n_done, it.n_all))
    };
    while_working(&progress, work)
}

/// Shows the progress of tuning during `work`.
pub fn while_tuning<T>(library: &Library, work: impl FnOnce() -> T) -> T {
    let progress = || {
        library
            .jobs()
            .tune_progress()
            .map(|it| (it.n_done, it.n_all))
    };
    while_working(&progress, work)
}

/// Shows the progress of an import of past questions during `work`, in thousands of bytes.
pub fn while_importing<T>(library: &Library, work: impl FnOnce() -> T) -> T {
    let thousands = |bytes: f64| (bytes / 1000.0) as u32;
    let progress = || {
        let progress = library.jobs().import.progress()?;
        Some((thousands(progress.n_bytes), thousands(progress.n_bytes_all)))
    };
    while_working(&progress, work)
}

/// Shows the progress of the present step of a map's layout during `work`.
pub fn while_laying_out<T>(library: &Library, work: impl FnOnce() -> T) -> T {
    let progress = || {
        library
            .jobs()
            .layout
            .progress()
            .map(|it| (it.n_done, it.n_all))
    };
    while_working(&progress, work)
}

/// Shows the progress of comparing observations, and of asking for second opinions, during `work`.
pub fn while_comparing_notes<T>(library: &Library, work: impl FnOnce() -> T) -> T {
    let progress = || {
        library
            .jobs()
            .aggregation
            .progress()
            .map(|it| (it.n_done, it.n_all))
    };
    while_working(&progress, work)
}

/// Shows the progress of a replay of past questions during `work`.
pub fn while_replaying<T>(library: &Library, work: impl FnOnce() -> T) -> T {
    let progress = || {
        library
            .jobs()
            .replay
            .progress()
            .map(|it| (it.n_done, it.n_all))
    };
    while_working(&progress, work)
}

/// Sets a flag when it is dropped, also by a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Shows a bar during `work`. `progress` returns how many steps are done, of how many.
///
/// # Panics
/// If `work` panics, with its message, after the bar was removed.
fn while_working<T>(
    progress: &(dyn Fn() -> Option<(u32, u32)> + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            while !is_done.load(Ordering::Relaxed) {
                if let Some((n_done, n_all)) = progress() {
                    bar.set_length(u64::from(n_all));
                    bar.set_position(u64::from(n_done));
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            bar.finish_and_clear();
        });
        // The scope joins the thread of the bar before it passes a panic on.
        let _done = SetOnDrop(&is_done);
        work()
    })
}

/// Returns a flag that Ctrl+C sets, and a request to end.
pub fn stop_flag() -> Result<Arc<AtomicBool>, CliError> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = stop.clone();
    on_stop(move || set.store(true, Ordering::Relaxed))?;
    Ok(stop)
}

/// Runs `act` when Ctrl+C is pressed or the system asks the program to end (SIGTERM). A closed terminal (SIGHUP) keeps its
/// meaning, so that `nohup` works.
#[cfg(unix)]
pub fn on_stop(mut act: impl FnMut() + Send + 'static) -> Result<(), CliError> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).map_err(CliError::Signal)?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            act();
        }
    });
    Ok(())
}

/// Runs `act` when Ctrl+C is pressed.
#[cfg(windows)]
pub fn on_stop(act: impl FnMut() + Send + 'static) -> Result<(), CliError> {
    ctrlc::set_handler(act).map_err(|error| CliError::Signal(std::io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    use super::*;

    /// Far longer than the bar needs to end.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn a_panic_of_the_work_ends_the_bar_and_is_passed_on() {
        let (ended, ends) = mpsc::channel();
        std::thread::spawn(move || {
            let work = || -> u32 { panic!("no such row") };
            let done = catch_unwind(AssertUnwindSafe(|| while_working(&|| Some((1, 2)), work)));
            let message = done.expect_err("the work panics");
            ended
                .send(message.downcast_ref::<&str>().copied())
                .expect("the test waits");
        });
        let message = ends.recv_timeout(PATIENCE);
        assert_eq!(message.expect("the bar ends"), Some("no such row"));
        assert_eq!(while_working(&|| Some((1, 2)), || 7), 7);
    }
}
