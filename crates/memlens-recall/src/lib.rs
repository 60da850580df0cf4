//! The agents' logs: finding them, the permission to read them, and reading them.
//!
//! Nothing is read before the user agrees. Questions are stored together with the read position of their log, so that a
//! stopped import continues where it was.

mod later;
mod served;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use memlens_agents::{
    Batch, FoundLogs, Home, Keeper, LOG_READER_VERSION, Log, LogRead, PastKind, PastQuestion,
    find_logs, read_log,
};
use memlens_evidence::tuning::{copies_of_past, forget_all_past_in_sets, forget_past_in_sets};
use memlens_library::jobs::{JobRun, Jobs};
use memlens_library::notes::note_names::agent_name;
use memlens_library::recall_choice::RecallChoice;
use memlens_library::writes::Writes;
use memlens_library::{EngineError, FeatureState, Library, forget_served_calls};
use memlens_past::places::places;
use memlens_past::vectors::forget_vectors;
use memlens_past::{Judged, LeftOut, Places, forget_worked_out, member_of_log, of_session, stored};
use memlens_rank::ChunkId;
use memlens_retrieve::{NoteChunk, Retriever as _};
use memlens_store::{Judgment, Kept, Origin, ReadLog, Store, copies};
use memlens_wire::{RecallImport, RecallLog, RecallLogs, RecallProgress};
use parking_lot::{Mutex, MutexGuard};

use self::later::Later;

pub use self::served::take_served;

/// Maximum number of days, practically unlimited.
const KEEP_DAYS_MAX: u32 = 3650;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Interval at which a running import is asked to stop while a caller waits for it.
const STOP_EVERY: Duration = Duration::from_millis(50);
/// Number of a session's questions to which later lines may add.
const KNOWN_MOST: u32 = 100;

/// A change of the user's settings; `None` leaves a setting unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecallChange {
    /// Whether the logs may be read.
    pub is_allowed: Option<bool>,
    /// Days after which a past question is forgotten, 1 to 3,650.
    pub keep_days: Option<u32>,
    /// Whether a saved note is checked against past questions.
    pub is_alarm_on: Option<bool>,
    /// Whether calls that Memlens serves are recorded.
    pub records_calls: Option<bool>,
}

/// State that an import leaves for later ones.
#[derive(Default)]
pub struct ImportRun {
    /// Only one import runs at a time.
    turn: Mutex<()>,
    later: Later,
}

impl FeatureState for ImportRun {}

impl ImportRun {
    /// Stops an import, and prevents a new one while the returned value lives.
    pub fn pause(&self, jobs: &Jobs) -> MutexGuard<'_, ()> {
        loop {
            // Repeated: another import may begin just now.
            jobs.import.stop();
            if let Some(turn) = self.turn.try_lock_for(STOP_EVERY) {
                return turn;
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WantedBy {
    /// The user, who wants everything that exists.
    User,
    /// The open window, which imports what can be read quickly.
    Window,
}

/// Runs one change of the library.
pub type Write<'a> = &'a mut dyn FnMut(
    &mut dyn FnMut(&mut Store) -> Result<(), EngineError>,
) -> Result<(), EngineError>;

/// The logs that exist, and what is stored of them.
///
/// # Errors
/// [`EngineError::Store`].
pub fn recall_logs(library: &Library) -> Result<RecallLogs, EngineError> {
    let known: HashMap<String, (ReadLog, u32)> = library
        .store()
        .read_logs()?
        .into_iter()
        .map(|(log, n)| (log.path.clone(), (log, n)))
        .collect();
    let there = library.home().map(find_logs).unwrap_or_default();
    let logs: Vec<RecallLog> = there
        .logs
        .iter()
        .map(|log| {
            let path = log.path.display().to_string();
            let known = known.get(&path);
            RecallLog {
                agent: log.agent.to_owned(),
                agent_name: agent_name(log.agent).name,
                n_bytes: log.bytes as f64,
                n_questions: known.map_or(0, |(_, n)| *n),
                is_read: known.is_some_and(|(known, _)| known.stamp == stamp(log)),
                problem: known.and_then(|(known, _)| known.problem.clone()),
                path,
            }
        })
        .collect();
    let choice = library.recall_choice();
    Ok(RecallLogs {
        is_allowed: choice.is_allowed,
        n_bytes: logs.iter().map(|log| log.n_bytes).sum(),
        logs,
        problems: there.problems,
        keep_days: choice.keep_days,
        is_alarm_on: choice.is_alarm_on,
        records_calls: choice.records_calls,
        copies: copies_of_past(&library.store())?,
    })
}

/// Removes past questions that are older than the user's limit. Returns their texts.
pub fn forget_old_past(library: &Library, write: Write<'_>) -> Result<Vec<String>, EngineError> {
    let oldest = oldest_ms(&library.recall_choice());
    let mut gone = Vec::new();
    if library.store().holds_past_before(oldest)? {
        write(&mut |store| {
            gone = store.forget_past_before(oldest)?;
            forget_past_in_sets(store, &gone)?;
            Ok(())
        })?;
    }
    Ok(gone)
}

/// Drops what was computed from past questions, after those with the texts `gone` were deleted. `report` is called when no work
/// continues that would store any of it again.
pub fn drop_past(library: &Library, gone: &[String], report: impl FnOnce()) {
    forget_worked_out(library);
    report();
    forget_vectors(library, gone);
}

/// Reads new entries while the window is open, and stores them with `write`; some databases are postponed.
///
/// # Errors
/// As [`import_recall`].
pub fn import_live(library: &Library, write: Write<'_>) -> Result<RecallImport, EngineError> {
    import_by(library, None, WantedBy::Window, write)
}

/// Waits until no other import reads; `None` if the run is stopped meanwhile.
fn turn_of<'i>(
    imports: &'i ImportRun,
    run: &JobRun<'_, RecallProgress>,
) -> Option<MutexGuard<'i, ()>> {
    while !run.is_stopped() {
        if let Some(turn) = imports.turn.try_lock_for(STOP_EVERY) {
            return Some(turn);
        }
    }
    None
}

fn import_by(
    library: &Library,
    agent: Option<&str>,
    wanted_by: WantedBy,
    write: Write<'_>,
) -> Result<RecallImport, EngineError> {
    let imports = library.feature::<ImportRun>();
    let (run, _turn) = match wanted_by {
        WantedBy::User => {
            let run = library.jobs().import.begin();
            let Some(turn) = turn_of(&imports, &run) else {
                return Ok(RecallImport {
                    is_stopped: true,
                    ..RecallImport::default()
                });
            };
            (run, turn)
        }
        // The window asks again later, and its request must not be reported instead of the import it would wait
        // for.
        WantedBy::Window => {
            let Some(turn) = imports.turn.try_lock() else {
                return Ok(RecallImport::default());
            };
            (library.jobs().import.begin(), turn)
        }
    };
    // Read while holding the turn: the user may have forgotten everything meanwhile.
    let choice = library.recall_choice();
    if !choice.is_allowed {
        return Err(EngineError::RecallNotAllowed);
    }
    let done = import_logs(library, agent, wanted_by, &choice, &run, write);
    let mut n_twice = 0;
    if done.as_ref().map_or(true, |done| done.n_new > 0) {
        write(&mut |store| {
            n_twice = store.forget_duplicates()?;
            Ok(())
        })?;
    }
    let mut done = done?;
    done.n_new = done.n_new.saturating_sub(n_twice);
    Ok(done)
}

fn import_logs(
    library: &Library,
    agent: Option<&str>,
    wanted_by: WantedBy,
    choice: &RecallChoice,
    run: &JobRun<'_, RecallProgress>,
    write: Write<'_>,
) -> Result<RecallImport, EngineError> {
    let Some(home) = library.home() else {
        return Ok(RecallImport::default());
    };
    let imports = library.feature::<ImportRun>();
    let known: HashMap<String, ReadLog> = library
        .store()
        .read_logs()?
        .into_iter()
        .map(|(log, _)| (log.path.clone(), log))
        .collect();
    let FoundLogs { mut logs, problems } = find_logs(home);
    logs.retain(|log| agent.is_none_or(|agent| log.agent == agent));
    // A log that did not change since it was read to its end is not opened.
    let is_read = |log: &Log| {
        let known = known.get(&*log.path.to_string_lossy());
        known.is_some_and(|known| known.stamp == stamp(log))
    };
    logs.retain(|log| !is_read(log));
    if wanted_by == WantedBy::Window {
        logs.retain(|log| !imports.later.has(log));
    }
    // The window imports repeatedly; these problems are shown beside the logs anyway.
    let mut done = RecallImport {
        problems: match wanted_by {
            WantedBy::User => problems,
            WantedBy::Window => Vec::new(),
        },
        ..RecallImport::default()
    };
    if logs.is_empty() {
        return Ok(done);
    }
    let mut import = Import {
        library,
        places: places(library)?,
        oldest_ms: oldest_ms(choice),
        n_bytes_all: logs.iter().map(|log| log.bytes).sum(),
        n_bytes_before: 0,
        kept: Kept::default(),
        left_out: LeftOut::default(),
        run,
        write,
    };
    for log in &logs {
        if run.is_stopped() {
            break;
        }
        let known = known.get(&*log.path.to_string_lossy());
        let may_repeat = wanted_by == WantedBy::User || imports.later.is_overdue(log);
        let (noted, outcome) = import.read(log, home, known, may_repeat)?;
        match outcome {
            Ok(outcome) => {
                done.problems.extend(outcome.notices);
                if !outcome.is_stopped {
                    imports.later.note_read(log);
                }
                done.n_logs += 1;
            }
            Err(problem) => done.problems.push(problem),
        }
        (import.write)(&mut |store| Ok(store.note_log(&noted)?))?;
        import.n_bytes_before += log.bytes;
    }
    done.n_new = import.kept.n_new;
    done.n_updated = import.kept.n_updated;
    done.n_openings = import.kept.n_openings;
    done.n_judgments = import.kept.n_judgments;
    done.notices = import.left_out.sentences();
    done.is_stopped = run.is_stopped();
    Ok(done)
}

/// Reads new entries in every log, or only those of one agent.
///
/// # Errors
/// [`EngineError::RecallNotAllowed`] if the user did not agree; as [`Writes::write`]. A log that cannot be read is reported and passed over.
pub fn import_recall(
    writes: &impl Writes,
    agent: Option<&str>,
) -> Result<RecallImport, EngineError> {
    let library = writes.library();
    // Before the consent is read: nobody may delete past questions and take it back meanwhile.
    writes.begin()?;
    let write: Write<'_> = &mut |change| writes.write(|store| change(store));
    let gone = forget_old_past(library, &mut *write)?;
    if !gone.is_empty() {
        drop_past(library, &gone, || writes.past_deleted());
    }
    // The logs are read even if these cannot be taken in.
    let taken = take_served(library, &mut *write);
    let done = import_by(library, agent, WantedBy::User, write);
    writes.past_imported();
    taken.and(done)
}

/// Changes the user's settings for past questions.
///
/// # Errors
/// [`EngineError::System`] for days out of range; as [`Writes::write`]. [`EngineError::File`] if calls that were recorded cannot be
/// removed; the settings are changed all the same.
pub fn change_recall(writes: &impl Writes, change: RecallChange) -> Result<(), EngineError> {
    let gone = writes.write(|store| changed(store, change))?;
    let removed = match change.records_calls {
        Some(false) => forget_served_calls(writes.library().dir()),
        Some(true) | None => Ok(()),
    };
    if !gone.is_empty() {
        drop_past(writes.library(), &gone, || writes.past_deleted());
    }
    removed
}

/// Deletes every past question and the judgments observed from them, reads no log and records no call until the user agrees again.
/// Returns their number.
///
/// # Errors
/// As [`Writes::write`]; [`EngineError::File`] if calls that were recorded cannot be removed, after all else is deleted.
pub fn forget_recall(writes: &impl Writes) -> Result<u32, EngineError> {
    let library = writes.library();
    let imports = library.feature::<ImportRun>();
    let _no_import = imports.pause(library.jobs());
    let gone = writes.write(forgotten)?;
    // Servers record nothing from now on.
    let removed = forget_served_calls(library.dir());
    drop_past(library, &gone, || writes.past_deleted());
    removed.map(|()| gone.len() as u32)
}

/// Changes the settings in a store, and removes questions that are now too old. Returns their texts.
fn changed(store: &mut Store, change: RecallChange) -> Result<Vec<String>, EngineError> {
    let choice = RecallChoice::of(store);
    let keep_days = change.keep_days.unwrap_or(choice.keep_days);
    if !(1..=KEEP_DAYS_MAX).contains(&keep_days) {
        return Err(EngineError::System {
            attempt: "change how long past questions are kept",
            why: format!("{keep_days} days: choose 1 to {KEEP_DAYS_MAX}"),
        });
    }
    let choice = RecallChoice {
        is_allowed: change.is_allowed.unwrap_or(choice.is_allowed),
        keep_days,
        is_alarm_on: change.is_alarm_on.unwrap_or(choice.is_alarm_on),
        records_calls: change.records_calls.unwrap_or(choice.records_calls),
    };
    choice.save(store)?;
    let gone = store.forget_past_before(oldest_ms(&choice))?;
    forget_past_in_sets(store, &gone)?;
    Ok(gone)
}

/// Deletes all questions in a store, and revokes the consent. Returns the texts of the questions.
fn forgotten(store: &mut Store) -> Result<Vec<String>, EngineError> {
    let choice = RecallChoice {
        is_allowed: false,
        records_calls: false,
        ..RecallChoice::of(store)
    };
    let gone = store.forget_past()?;
    forget_all_past_in_sets(store, &gone)?;
    choice.save(store)?;
    Ok(gone)
}

fn oldest_ms(choice: &RecallChoice) -> i64 {
    memlens_library::clock::now().as_millisecond() - i64::from(choice.keep_days) * DAY_MS
}

/// State of a log at its last reading: version of the reader, size, and time of the last change.
fn stamp(log: &Log) -> String {
    let modified = |path: &Path| {
        let modified = path.symlink_metadata().and_then(|it| it.modified()).ok()?;
        Some(modified.duration_since(UNIX_EPOCH).ok()?.as_nanos())
    };
    let beside = |part: &str| {
        let mut path = log.path.clone().into_os_string();
        path.push(part);
        modified(Path::new(&path)).unwrap_or_default()
    };
    format!(
        "{LOG_READER_VERSION}: {} {} {}",
        log.bytes,
        modified(&log.path).unwrap_or_default(),
        beside("-wal")
    )
}

/// All logs of an import.
struct Import<'a> {
    library: &'a Library,
    places: Places,
    oldest_ms: i64,
    n_bytes_all: u64,
    n_bytes_before: u64,
    kept: Kept,
    left_out: LeftOut,
    run: &'a JobRun<'a, RecallProgress>,
    write: Write<'a>,
}

impl Import<'_> {
    /// Reads the new entries of a log and stores them. Returns what is to be recorded of the log, with the outcome or,
    /// for a log that cannot be read, the problem.
    ///
    /// # Errors
    /// As [`Write`].
    fn read(
        &mut self,
        log: &Log,
        home: &Home,
        known: Option<&ReadLog>,
        may_repeat: bool,
    ) -> Result<(ReadLog, Result<LogRead, String>), EngineError> {
        let path = log.path.display().to_string();
        // Before it is read: what is written meanwhile is read next time.
        let stamp = stamp(log);
        self.report(&path, 0);
        let mut keeping = Keeping {
            import: self,
            log: ReadLog {
                path,
                agent: log.agent.to_owned(),
                cursor: known.and_then(|known| known.cursor.clone()),
                n_bytes: known.map_or(0, |known| known.n_bytes),
                stamp: String::new(),
                problem: None,
            },
            error: None,
            may_repeat,
        };
        let from = keeping.log.cursor.clone();
        let outcome = read_log(log, home, from.as_deref(), &mut keeping);
        let Keeping {
            log: mut noted,
            error,
            ..
        } = keeping;
        if let Some(error) = error {
            return Err(error);
        }
        let outcome = outcome.map_err(|error| error.to_string());
        if outcome.as_ref().is_ok_and(|read| !read.is_stopped) {
            noted.stamp = stamp;
        } else if let Err(problem) = &outcome {
            // A log that cannot be read is tried again after its file changes.
            noted.problem = Some(problem.clone());
            noted.stamp = stamp;
        }
        Ok((noted, outcome))
    }

    fn report(&self, path: &str, n_bytes: u64) {
        self.run.report(RecallProgress {
            path: path.to_owned(),
            n_bytes: (self.n_bytes_before + n_bytes) as f64,
            n_bytes_all: self.n_bytes_all as f64,
            n_questions: self.kept.n_new,
        });
    }

    /// What the agent opened or cited after a question, each as a judgment of the chunk that is at that place now.
    /// `member` is the agent of the program that asked, if known.
    fn observed(
        &mut self,
        asked: &PastQuestion,
        member: Option<&str>,
    ) -> Result<Vec<Judgment>, EngineError> {
        let mut judgments = Vec::new();
        // An opening without a search answers no question.
        if asked.kind == PastKind::Opening {
            return Ok(judgments);
        }
        for used in asked.opened.iter().chain(&asked.cited) {
            let judged = match Judged::of(asked, member, used, &self.places) {
                Ok(judged) => judged,
                Err(why) => {
                    self.left_out.add(asked, used, why);
                    continue;
                }
            };
            let texts = self.texts(&judged)?;
            if texts.is_empty() {
                self.left_out.add_without_lines(asked, used);
            }
            for text in texts {
                judgments.push(Judgment {
                    origin: Origin::Observed,
                    question: asked.question.clone(),
                    hash: memlens_ingest::content_hash(&text),
                    text,
                    path: judged.place.path.clone(),
                    at_ms: judged.at_ms,
                });
            }
        }
        Ok(judgments)
    }

    /// Chunks that contain the used lines. A use of a whole note marks none of its chunks, unless it has only one.
    fn texts(&self, Judged { place, lines, .. }: &Judged) -> Result<Vec<String>, EngineError> {
        let retriever = self.library.retriever();
        let Some(chunks) = retriever.chunks_of(place.folder, &place.path) else {
            return Ok(Vec::new());
        };
        let holds = |chunk: &&NoteChunk, (start, end): &(u32, u32)| {
            chunk.start_line <= *end && chunk.end_line >= *start
        };
        let is_used = |chunk: &&NoteChunk| {
            if lines.is_empty() {
                chunks.len() == 1
            } else {
                lines.iter().any(|lines| holds(chunk, lines))
            }
        };
        let chunks: Vec<ChunkId> = chunks.iter().filter(is_used).map(|it| it.chunk).collect();
        let there = retriever.texts(&chunks)?.into_iter().filter_map(Result::ok);
        Ok(there.collect())
    }
}

/// One log of an import.
struct Keeping<'i, 'a> {
    import: &'i mut Import<'a>,
    log: ReadLog,
    error: Option<EngineError>,
    /// Whether a database that changed while it was copied is copied again.
    may_repeat: bool,
}

impl Keeper for Keeping<'_, '_> {
    fn known(&mut self, agent: &str, session: &str) -> Vec<PastQuestion> {
        let store = self.import.library.store();
        of_session(&store, agent, session, KNOWN_MOST).unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot read a session's questions");
            Vec::new()
        })
    }

    fn keep(&mut self, batch: Batch) -> ControlFlow<()> {
        self.log.cursor = Some(batch.cursor.clone());
        self.log.n_bytes = batch.n_bytes;
        let oldest = self.import.oldest_ms;
        let is_young = |asked: &&PastQuestion| asked.at_ms.is_none_or(|at| at >= oldest);
        let mut judgments = Vec::new();
        let mut questions = Vec::new();
        let member = member_of_log(&self.log.agent, &self.log.path);
        for asked in batch.questions.iter().filter(is_young) {
            questions.push(stored(asked));
            match self.import.observed(asked, member.as_deref()) {
                Ok(observed) => judgments.extend(observed),
                Err(error) => tracing::warn!(%error, "cannot keep what was observed"),
            }
        }
        let log = &self.log;
        let mut kept = Kept::default();
        let written = (self.import.write)(&mut |store| {
            kept = store.keep_past(log, &questions, &judgments)?;
            Ok(())
        });
        if let Err(error) = written {
            self.error = Some(error);
            return ControlFlow::Break(());
        }
        self.import.kept.n_new += kept.n_new;
        self.import.kept.n_updated += kept.n_updated;
        self.import.kept.n_openings += kept.n_openings;
        self.import.kept.n_judgments += kept.n_judgments;
        self.import.report(&self.log.path, batch.n_bytes);
        if self.import.run.is_stopped() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn copies(&self) -> PathBuf {
        copies(self.import.library.dir())
    }

    fn go_on(&mut self, n_again: u32) -> ControlFlow<()> {
        // A database that an agent is writing to is idle some time later.
        let is_busy = n_again > 0 && !self.may_repeat;
        if is_busy || self.import.run.is_stopped() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
