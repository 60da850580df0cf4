use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memlens_document::shown;
use memlens_engine::view::{ForeignNotes, ModelChanging, Progress};
use memlens_engine::{
    Choice, Counts, EngineError, Folder, Home, HubModel, Indexer, IndexerError, Model, Observer,
    Purpose, Step, changed_model, choose_model, chosen_model, foreign_notes, is_small_model,
    lower_priority, move_folder, note_agents, put_model_folder, read_downloaded_model,
    read_model_folder, refuse_library_among, small_model_sentence,
};
use serde::Serialize;

use crate::arguments::IndexArgs;
use crate::error::CliError;
use crate::output::{notify, plural, print_json, print_text};
use crate::settings::{library_dir, source, stop_flag};

/// The number of problems printed one by one; `memlens status` and `--json` have them all.
const PROBLEMS_SHOWN: usize = 50;

#[derive(Serialize)]
struct IndexReport {
    schema_version: u32,
    /// Id of the model that the notes are searched by.
    model: String,
    folders: Vec<FolderReport>,
    #[serde(flatten)]
    counts: Counts,
    n_files: usize,
    n_chunks: usize,
    problems: Vec<ProblemReport>,
    notices: Vec<String>,
    elapsed_ms: u64,
}

#[derive(Serialize)]
struct FolderReport {
    path: String,
    name: String,
    n_files: usize,
}

#[derive(Serialize)]
struct ProblemReport {
    folder: String,
    path: String,
    line: Option<u32>,
    message: String,
}

/// Indexes folders and reports what was done.
pub fn run(library: Option<PathBuf>, arguments: &IndexArgs) -> Result<(), CliError> {
    let started = Instant::now();
    let dir = library_dir(library)?;
    refuse_library_among(&dir, &arguments.paths)?;
    let stop = stop_flag()?;
    // Indexing is long background work and must not slow down what the user does.
    lower_priority();
    let Opened {
        mut indexer,
        notices,
        unchanged,
    } = Opened::of(&dir, arguments, &stop)?;
    let is_changing = indexer.model_changing().is_some();
    for notice in &notices {
        notify(notice);
    }
    if let Some(from) = &arguments.moved_from {
        let [to] = arguments.paths.as_slice() else {
            return Err(CliError::ManyMoved);
        };
        move_folder(&mut indexer, from, to)?;
    }
    let (mut folders, mut failed) = folders(&mut indexer, &arguments.paths)?;
    if folders.is_empty() && arguments.paths.is_empty() {
        notify(
            "no folder is watched yet; add one with `memlens index FOLDER`, or the memory of an agent with `memlens agents add AGENT`",
        );
    }
    if indexer.is_reset() {
        // Without the folders that were not named, their notes would no longer be found.
        let known = indexer.store().folders().map_err(IndexerError::from)?;
        let others = known.into_iter().filter(|it| !folders.contains(it));
        folders.extend(others.collect::<Vec<_>>());
    }
    if folders.is_empty()
        && let Some(error) = failed
    {
        return Err(error.into());
    }
    let mut bar = Bar::new();
    let walked = scan(&mut indexer, &folders, &stop, &mut bar, &mut failed);
    let mut step = indexer.run(&stop, &mut bar)?;
    bar.bar.finish_and_clear();
    let mut counts = None;
    if is_changing && step != Step::Cancelled {
        (step, counts) = change_all(&mut indexer, &folders, &stop, &mut bar, &mut failed)?;
    }
    if let Some(home) = Home::of_process() {
        let mut store = indexer.store().beside().map_err(EngineError::from)?;
        note_agents(&mut store, &home)?;
    }
    if step != Step::Cancelled {
        indexer.compact()?;
        // The next writer retries what failed.
        if let Err(error) = indexer.come_to_rest() {
            notify(error);
        }
        notify_of_empty(&indexer, &walked)?;
        notify_of_foreign(&indexer)?;
    }
    let printed = report(
        &indexer,
        counts.unwrap_or_else(|| indexer.counts()),
        &folders,
        [notices, bar.notices].concat(),
        started.elapsed(),
        arguments.json,
    );
    match (step, failed) {
        (Step::Cancelled, _) => Err(CliError::Stopped),
        (Step::More | Step::Idle, Some(error)) => Err(error.into()),
        (Step::More | Step::Idle, None) => unchanged.map_or(printed, Err),
    }
}

/// A library that was opened to be indexed.
struct Opened {
    indexer: Indexer,
    notices: Vec<String>,
    /// Why the model that was chosen cannot be changed to; `None` if it is in use or can be.
    unchanged: Option<CliError>,
}

impl Opened {
    /// Opens it with the model in use, and begins a change to the one that was chosen.
    fn of(dir: &Path, arguments: &IndexArgs, stop: &AtomicBool) -> Result<Opened, CliError> {
        let chosen = chosen(dir, arguments)?;
        // Nothing is chosen unless it is there.
        let checked = chosen
            .as_ref()
            .map(|choice| choice.source(Vec::new())(Purpose::Indexing));
        let checked = checked.transpose().map_err(IndexerError::from)?;
        let source = source(dir);
        let in_use = source(Purpose::Indexing).map_err(IndexerError::from);
        let embedder = match (checked, in_use) {
            (Some(embedder), _) if !dir.exists() => embedder,
            // The vectors of a model that is not there any more are of no use.
            (Some(embedder), Err(_)) => embedder,
            (_, in_use) => in_use?,
        };
        let (mut indexer, mut notices) = Indexer::open(dir, embedder)?;
        if let Some(choice) = &chosen {
            if let Choice::Folder(folder) = choice {
                put_model_folder(indexer.store_mut(), folder.clone())?;
            }
            choose_model(indexer.store_mut(), choice)?;
        }
        // Notes are indexed by the model in use although the one that was chosen earlier cannot be loaded.
        let (changed, unchanged) = match changed_model(indexer.store(), &source, indexer.model()) {
            Ok(changed) => (changed, None),
            // The small model stands in for a model that ONNX Runtime cannot run.
            Err(IndexerError::Embed(error))
                if error.is_of_runtime() && is_small_model(indexer.model()) && chosen.is_none() =>
            {
                notices.push(small_model_sentence(&error.to_string()));
                (None, None)
            }
            Err(error) => (None, Some(error.into())),
        };
        if let Some(embedder) = changed {
            indexer.change_model(embedder);
            if indexer.store().n_documents().map_err(IndexerError::from)? == 0 {
                // There is nothing to search meanwhile.
                indexer.run_change(stop, &mut ())?;
            }
        }
        Ok(Opened {
            indexer,
            notices,
            unchanged,
        })
    }
}

/// Returns the model that the arguments name.
fn chosen(dir: &Path, arguments: &IndexArgs) -> Result<Option<Choice>, CliError> {
    if let Some(path) = &arguments.model_folder {
        return Ok(Some(Choice::Folder(read_model_folder(path)?)));
    }
    let Some(name) = &arguments.model else {
        return Ok(None);
    };
    let choice = match (Model::from_name(name), HubModel::named(name)) {
        (Some(model), _) => Choice::Known(model),
        (None, Some(model)) => Choice::Folder(read_downloaded_model(dir, model)?),
        (None, None) => unreachable!("the arguments allow no other name"),
    };
    Ok(Some(choice))
}

/// Embeds all notes by the model that the user chose, also those that change meanwhile. Returns the counts of both walks.
fn change_all(
    indexer: &mut Indexer,
    folders: &[Folder],
    stop: &AtomicBool,
    bar: &mut Bar,
    failed: &mut Option<IndexerError>,
) -> Result<(Step, Option<Counts>), CliError> {
    let mut step = change(indexer, stop, bar)?;
    let mut counts = None;
    if step != Step::Cancelled {
        let first = indexer.counts();
        scan(indexer, folders, stop, bar, failed);
        step = indexer.run(stop, bar)?;
        counts = Some(of_two_walks(first, indexer.counts()));
    }
    if step != Step::Cancelled && indexer.model_changing().is_some() {
        step = change(indexer, stop, bar)?;
    }
    notice_waiting(indexer, bar);
    Ok((step, counts))
}

/// Embeds all notes by the model that the user chose. Until all are, they are searched by the model in use.
fn change(indexer: &mut Indexer, stop: &AtomicBool, bar: &mut Bar) -> Result<Step, CliError> {
    bar.bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.bar.set_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} texts {msg}")
            .expect("the template is a constant"),
    );
    indexer.run_change(stop, bar)?;
    bar.bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) && indexer.model_changing().is_some() {
        return Ok(Step::Cancelled);
    }
    // Reports to nobody here, but the lists are in step then.
    Ok(indexer.run(stop, bar)?)
}

/// The counts after a second walk of the same folders, with each file counted once.
fn of_two_walks(first: Counts, both: Counts) -> Counts {
    let n_touched = (both.n_changed - first.n_changed) + (both.n_removed - first.n_removed);
    Counts {
        n_unchanged: first.n_unchanged.saturating_sub(n_touched),
        n_unreadable: both.n_unreadable - first.n_unreadable,
        ..both
    }
}

/// Reports a change that cannot end, because notes cannot be read or change all the time.
fn notice_waiting(indexer: &Indexer, bar: &mut Bar) {
    if let Some(changing) = indexer.model_changing()
        && let Some(waits_for) = changing.waits_for
    {
        bar.noticed(&format!(
            "{} of {} texts are embedded by {}; your notes are still searched by {}: {waits_for}. Run `memlens index` again.",
            changing.n_done,
            changing.n_total,
            changing.model_name,
            indexer.model(),
        ));
    }
}

/// Scans the folders. Returns those that could be walked, and sets `failed` to the last error.
fn scan<'f>(
    indexer: &mut Indexer,
    folders: &'f [Folder],
    stop: &AtomicBool,
    bar: &mut Bar,
    failed: &mut Option<IndexerError>,
) -> Vec<&'f Folder> {
    let mut walked = Vec::new();
    for folder in folders {
        // A missing folder does not keep the others from being indexed.
        match indexer.scan_with_progress(folder, stop, bar) {
            Ok(_) => walked.push(folder),
            Err(_) if stop.load(Ordering::Relaxed) => break,
            Err(error) => {
                if let Some(earlier) = failed.replace(error) {
                    notify(earlier);
                }
            }
        }
    }
    walked
}

/// Returns the folders to index, and the first error of the paths that cannot be indexed.
///
/// Without paths these are all known folders. Named folders that are new are added. One bad path does not keep the
/// others from being indexed.
fn folders(
    indexer: &mut Indexer,
    paths: &[PathBuf],
) -> Result<(Vec<Folder>, Option<IndexerError>), CliError> {
    let mut known = indexer.store().folders().map_err(IndexerError::from)?;
    if paths.is_empty() {
        return Ok((known, None));
    }
    let mut folders: Vec<Folder> = Vec::new();
    let mut failed = None;
    for path in paths {
        let resolved = memlens_files::canonical(path).unwrap_or_else(|_| path.clone());
        let folder = match known
            .iter()
            .find(|folder| Path::new(&folder.path) == resolved)
        {
            Some(folder) => folder.clone(),
            None => match indexer.add_folder(path) {
                Ok(folder) => folder,
                Err(error) => {
                    // The first error is reported at the end, with the exit status.
                    if let Some(earlier) = failed.replace(error) {
                        notify(earlier);
                    }
                    continue;
                }
            },
        };
        if !folders.contains(&folder) {
            known.push(folder.clone());
            folders.push(folder);
        }
    }
    Ok((folders, failed))
}

/// Reports the folders that were scanned and hold nothing to search.
fn notify_of_empty(indexer: &Indexer, walked: &[&Folder]) -> Result<(), CliError> {
    for folder in walked {
        let documents = indexer.store().documents(folder.id);
        if documents.map_err(IndexerError::from)?.is_empty() {
            notify(format_args!(
                "no notes in {} (.md, .txt, .adoc, .jsonl, .json with memories or messages, and similar; ignore files apply)",
                folder.path
            ));
        }
    }
    Ok(())
}

/// Reports if many notes are probably not in English and the model knows only that, once notes were added.
fn notify_of_foreign(indexer: &Indexer) -> Result<(), CliError> {
    let is_english = chosen_model(indexer.store())?.is_english();
    if indexer.counts().n_added == 0 || !is_english {
        return Ok(());
    }
    if let Some(ForeignNotes { n_foreign, n_seen }) = foreign_notes(indexer.store())? {
        notify(format_args!(
            "{n_foreign} of {n_seen} notes are probably not in English, the only language of the embedding model; `memlens index --model multilingual` embeds them by a model for other languages"
        ));
    }
    Ok(())
}

fn report(
    indexer: &Indexer,
    counts: Counts,
    folders: &[Folder],
    notices: Vec<String>,
    elapsed: Duration,
    json: bool,
) -> Result<(), CliError> {
    let snapshot = indexer.store().snapshot().map_err(IndexerError::from)?;
    let problems = indexer.store().problems().map_err(IndexerError::from)?;
    let folder_reports: Vec<FolderReport> = folders
        .iter()
        .map(|folder| FolderReport {
            path: folder.path.clone(),
            name: folder.name.clone(),
            n_files: snapshot
                .documents
                .iter()
                .filter(|document| document.folder == folder.id)
                .count(),
        })
        .collect();
    let problems: Vec<ProblemReport> = problems
        .into_iter()
        .filter_map(|problem| {
            let folder = snapshot
                .folders
                .iter()
                .find(|folder| folder.id == problem.folder)?;
            Some(ProblemReport {
                folder: folder.path.clone(),
                path: problem.path,
                line: problem.line,
                message: problem.message,
            })
        })
        .collect();
    if json {
        return print_json(&IndexReport {
            schema_version: 1,
            model: indexer.model().to_owned(),
            folders: folder_reports,
            counts,
            n_files: snapshot.documents.len(),
            n_chunks: snapshot.n_chunks() as usize,
            problems,
            notices,
            elapsed_ms: elapsed.as_millis() as u64,
        });
    }
    for problem in problems.iter().take(PROBLEMS_SHOWN) {
        let line = problem
            .line
            .map_or(String::new(), |line| format!(":{line}"));
        notify(format_args!(
            "{}/{}{line}: {}",
            problem.folder, problem.path, problem.message
        ));
    }
    if problems.len() > PROBLEMS_SHOWN {
        notify(format_args!(
            "and {} more; `memlens status` lists them all",
            problems.len() - PROBLEMS_SHOWN
        ));
    }
    let (n_files, n_chunks) = (snapshot.documents.len(), snapshot.n_chunks());
    print_text(format!(
        "{} new, {} changed, {} removed, {} unchanged; {} {} embedded; {n_files} {} and {n_chunks} {} in total; {:.1} s",
        counts.n_added,
        counts.n_changed,
        counts.n_removed,
        counts.n_unchanged,
        counts.n_embedded,
        plural(counts.n_embedded, "text", "texts"),
        plural(n_files, "file", "files"),
        plural(n_chunks, "chunk", "chunks"),
        elapsed.as_secs_f64(),
    ))
}

/// Draws progress on a terminal and nothing in a pipe, and prints notices.
struct Bar {
    bar: ProgressBar,
    notices: Vec<String>,
}

impl Bar {
    fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files {msg}");
        bar.set_style(style.expect("the template is a constant"));
        Bar {
            bar,
            notices: Vec::new(),
        }
    }
}

impl Observer for Bar {
    fn progress(&mut self, progress: &Progress) {
        self.bar.set_length(u64::from(progress.n_total));
        self.bar.set_position(u64::from(progress.n_done));
        let left = progress
            .seconds_left
            .map_or(String::new(), |seconds| format!("about {seconds} s left "));
        self.bar.set_message(format!(
            "{left}{}",
            shown(progress.file.as_deref().unwrap_or_default())
        ));
    }

    fn changing(&mut self, changing: &ModelChanging) {
        self.bar.set_length(u64::from(changing.n_total));
        self.bar.set_position(u64::from(changing.n_done));
        let left = changing
            .seconds_left
            .map_or(String::new(), |seconds| format!("about {seconds} s left "));
        self.bar
            .set_message(format!("{left}embedding by {}", changing.model_name));
    }

    fn scanned(&mut self, n_files: usize) {
        self.bar
            .set_message(format!("looking for notes, {n_files} found so far"));
    }

    fn noticed(&mut self, notice: &str) {
        self.bar.suspend(|| notify(notice));
        self.notices.push(notice.to_owned());
    }
}
