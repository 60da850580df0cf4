use std::path::PathBuf;

use memlens_document::Document;
use memlens_engine::LibraryStatus;
use serde::Serialize;

use crate::arguments::JsonArgs;
use crate::error::CliError;
use crate::output::{notify, print, print_json};
use crate::settings::{library_dir, source};

#[derive(Serialize)]
struct StatusReport {
    schema_version: u32,
    library: String,
    generation: u64,
    model: String,
    writer: Option<String>,
    n_files: u32,
    n_chunks: u32,
    n_windows: u32,
    folders: Vec<FolderReport>,
    problems: Vec<ProblemReport>,
}

#[derive(Serialize)]
struct FolderReport {
    path: String,
    name: String,
    paused: bool,
    n_files: u32,
    n_chunks: u32,
}

#[derive(Serialize)]
struct ProblemReport {
    folder: String,
    path: String,
    line: Option<u32>,
    message: String,
}

/// Prints what the library holds.
pub fn run(library: Option<PathBuf>, arguments: &JsonArgs) -> Result<(), CliError> {
    let dir = library_dir(library)?;
    let status = LibraryStatus::read(&dir, &source(&dir))?;
    for notice in &status.notices {
        notify(notice);
    }
    let folders = status.folders.into_iter();
    let folders = folders
        .map(|(folder, counts)| FolderReport {
            path: folder.path,
            name: folder.name,
            paused: folder.is_paused,
            n_files: counts.n_files,
            n_chunks: counts.n_chunks,
        })
        .collect();
    let report = StatusReport {
        schema_version: 1,
        library: dir.display().to_string(),
        generation: status.generation,
        model: status.model,
        writer: status.writer,
        n_files: status.n_files,
        n_chunks: status.n_chunks,
        n_windows: status.n_windows,
        folders,
        problems: status
            .problems
            .into_iter()
            .map(|problem| ProblemReport {
                folder: problem.folder_name,
                path: problem.path,
                line: problem.line,
                message: problem.message,
            })
            .collect(),
    };
    if arguments.json {
        return print_json(&report);
    }
    print(&page(&report))
}

fn page(report: &StatusReport) -> Document {
    let mut page = Document::new();
    page.line(format!("library  {}", report.library));
    page.line(format!("model    {}", report.model));
    page.line(format!(
        "holds    {} files, {} chunks, {} windows",
        report.n_files, report.n_chunks, report.n_windows
    ));
    if let Some(writer) = &report.writer {
        page.line(format!("writer   {writer}"));
    }
    for folder in &report.folders {
        let paused = if folder.paused { ", paused" } else { "" };
        page.line(format!(
            "folder   {} ({} files, {} chunks{paused})",
            folder.path, folder.n_files, folder.n_chunks
        ));
    }
    for problem in &report.problems {
        let line = problem
            .line
            .map_or(String::new(), |line| format!(":{line}"));
        page.line(format!(
            "problem  {}/{}{line}: {}",
            problem.folder, problem.path, problem.message
        ));
    }
    page
}
