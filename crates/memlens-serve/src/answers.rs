//! What each tool answers, as plain data.

use std::path::PathBuf;

use memlens_handover::with_load_cap;
use memlens_library::{EngineError, Place, drift_report};
use memlens_params::{Params, brief};
use memlens_why::why;
use memlens_wire::{ChunkWhy, DriftSide, Drifted, Fix, WhyNot};
use serde_json::{Value, json};
use thiserror::Error;

use crate::Served;
use crate::caller::Caller;
use crate::folders::{Folders, Note};
use crate::recording::{self, Found, Searched};
use crate::tools::{GetArguments, SearchArguments, WhyArguments};

/// Longest query in bytes.
pub(crate) const QUERY_BYTES_MAX: usize = 16 * 1024;
/// Results of a search that names no number.
const RESULTS: u32 = 10;
/// Most results of one search.
const RESULTS_MAX: u32 = 100;
/// Most text of a note that one answer holds, in bytes.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// Most contradictions in one answer.
const DRIFT_MAX: usize = 50;
/// Most problems of files in one answer.
const PROBLEMS_MAX: usize = 50;
/// Source of rows, as agents name it.
const SOURCE: &str = "memory";

/// Why a call has no answer, in words for the agent.
#[derive(Debug, Error)]
pub(crate) enum Refused {
    /// The arguments do not fit the tool.
    #[error("{0}")]
    Arguments(String),
    /// The query is too long.
    #[error(
        "the query has {n_bytes} bytes, and at most {QUERY_BYTES_MAX} are searched; ask a shorter question"
    )]
    QueryTooLong { n_bytes: usize },
    /// The path is not one note or folder that is served.
    #[error("cannot use the path {:?}: {why}", brief(typed))]
    Path { typed: String, why: &'static str },
    /// Nothing is served.
    #[error("no watched folder is served; watch one with `memlens index FOLDER`")]
    NoFolder,
    /// Nothing of the agent is served.
    #[error(
        "no watched folder of {agent} is served; watch its notes with `memlens agents add {agent}`"
    )]
    NoFolderOf { agent: String },
    /// The program's config has no such agent.
    #[error("the config of {program} names no agent {member:?}, so nothing is served to it")]
    NoMember { program: String, member: String },
    /// No watched folder is for one of the program's agents alone.
    #[error(
        "no watched folder is for the agent {member:?} of {program} alone{}; watch its workspace with `memlens index FOLDER`",
        shared(mixed)
    )]
    NoFolderOfMember {
        program: String,
        member: String,
        /// Watched folders that hold its notes and others.
        mixed: Vec<String>,
    },
    /// The library's folder is missing.
    #[error("the library {} does not exist any more; restart the server with another", dir.display())]
    Gone { dir: PathBuf },
    /// Another library is in the place of the one that is served.
    #[error("the library {} was replaced since the server started; restart the server", dir.display())]
    Replaced { dir: PathBuf },
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What an error adds about folders with notes of the agent and others.
fn shared(mixed: &[String]) -> String {
    if mixed.is_empty() {
        return String::new();
    }
    let mixed = mixed.join(", ");
    format!(" (these also hold notes that are not for it: {mixed})")
}

/// Answers a question with the results of the served ranking, in the form of OpenClaw's `memory_search`.
pub(crate) fn search(
    served: &Served,
    caller: &Caller,
    asked: &SearchArguments,
) -> Result<(Value, Searched), Refused> {
    let notice = served.refresh()?;
    let folders = Folders::now(served, caller)?;
    let n_max = asked.max_results.unwrap_or(RESULTS).clamp(1, RESULTS_MAX);
    let part = folders.part(asked.scope.as_deref())?;
    let ranking = served.ranking(caller.agent);
    let search = served.search(&asked.query, ranking, part.clone())?;
    let columns = search.columns(&ranking.values);
    let kept = columns.order.iter().take(columns.n_kept as usize);
    let is_enough = |slot: &&u32| {
        let score = columns.score[**slot as usize];
        asked
            .min_score
            .is_none_or(|min| score.is_some_and(|score| score >= min))
    };
    let slots: Vec<u32> = kept
        .filter(is_enough)
        .take(n_max as usize)
        .copied()
        .collect();
    let mut results = Vec::with_capacity(slots.len());
    let mut found = Vec::with_capacity(slots.len());
    for (slot, snippet) in slots.iter().zip(search.snippets(&slots)?) {
        let row = search.row_facts(*slot)?;
        let mut result = json!({
            "path": folders.name(row.note.folder, &row.note.path),
            "startLine": row.start_line,
            "endLine": row.end_line,
            "score": columns.score[*slot as usize],
            "snippet": snippet.text.unwrap_or_default(),
            "source": SOURCE,
        });
        if let Some(missing) = snippet.missing {
            result["missing"] = missing.into();
        }
        results.push(result);
        let folder = folders.served.iter().find(|it| it.id == row.note.folder);
        found.push(Found {
            folder: folder.map_or_else(String::new, |folder| folder.path.clone()),
            path: row.note.path.clone(),
            lines: (row.start_line, row.end_line),
            score: columns.score[*slot as usize],
        });
    }
    let mut notices: Vec<String> = notice.into_iter().collect();
    notices.extend(search.notices.iter().cloned());
    notices.extend(columns.fallbacks());
    let answer = json!({
        "results": results,
        "provider": "memlens",
        "pipeline": search.pipeline().label(),
        "model": folders.lists.vectors.model(),
        "notices": notices,
    });
    let searched = Searched {
        results: found,
        folders: folders.limit(),
        generation: search.generation(),
        part,
        max_results: n_max,
    };
    Ok((answer, searched))
}

/// Answers with lines of a note as it is on disk.
pub(crate) fn get(
    served: &Served,
    caller: &Caller,
    asked: &GetArguments,
) -> Result<(Value, Note), Refused> {
    let notice = served.refresh()?;
    let folders = Folders::now(served, caller)?;
    let note = folders.note(&asked.path)?;
    let document = served.library.document(note.folder.id, &note.path)?;
    let from = asked.from.unwrap_or(1).max(1);
    let lines = document.text.split_inclusive('\n');
    let wanted = lines.skip(from as usize - 1);
    let mut text = String::new();
    let mut n_lines = 0;
    let mut is_cut = false;
    let mut notices: Vec<String> = notice.into_iter().collect();
    for line in wanted.take(asked.lines.unwrap_or(u32::MAX) as usize) {
        if text.len() + line.len() > TEXT_BYTES_MAX {
            is_cut = true;
            if n_lines == 0 {
                notices.push(format!(
                    "line {from} has {} bytes: only its first {TEXT_BYTES_MAX} can be read here, and nextFrom is the line after it",
                    line.len()
                ));
                text.push_str(&line[..line.floor_char_boundary(TEXT_BYTES_MAX)]);
                n_lines = 1;
            }
            break;
        }
        text.push_str(line);
        n_lines += 1;
    }
    let next = from + n_lines;
    let mut answer = json!({
        "path": folders.name(note.folder.id, &note.path),
        "from": from,
        "lines": n_lines,
        "text": text,
        "totalLines": document.n_lines,
    });
    if next <= document.n_lines {
        answer["nextFrom"] = next.into();
    }
    if is_cut {
        answer["truncated"] = true.into();
    }
    if !notices.is_empty() {
        answer["notices"] = notices.into();
    }
    Ok((answer, note))
}

/// Explains why a note is not among the results of a question, or where it ranks.
pub(crate) fn explain(
    served: &Served,
    caller: &Caller,
    asked: &WhyArguments,
) -> Result<Value, Refused> {
    let notice = served.refresh()?;
    let folders = Folders::now(served, caller)?;
    let note = folders.note_or_left_out(&asked.path)?;
    let ranking = served.ranking(caller.agent);
    let search = served.search(&asked.query, ranking, folders.part(None)?)?;
    let place = Place {
        folder: note.folder.id,
        path: note.path.clone(),
        line: asked.line,
    };
    let mut answer = why(served.library, &search, &ranking.values, &place, None)?;
    // What is left out may be a link, whose target is not looked at.
    let is_left_out = matches!(answer.why, WhyNot::LeftOut { .. });
    if let Some(home) = served.library.home().filter(|_| !is_left_out) {
        answer = with_load_cap(served.library, answer, home);
    }
    let chunks: &[ChunkWhy] = match &answer.why {
        WhyNot::Searched { chunks, .. } => chunks,
        WhyNot::NotWatched
        | WhyNot::Gone
        | WhyNot::LeftOut { .. }
        | WhyNot::Unreadable { .. }
        | WhyNot::Pending { .. }
        | WhyNot::NotHeld { .. }
        | WhyNot::Empty
        | WhyNot::OutOfScope => &[],
    };
    let mut notices: Vec<String> = notice.into_iter().collect();
    notices.extend(search.notices.iter().cloned());
    Ok(json!({
        "path": folders.name(note.folder.id, &note.path),
        "answer": answer.sentence,
        "advice": answer.advice,
        "loadCap": answer.load_cap,
        "chunks": chunks.iter().map(chunk).collect::<Vec<_>>(),
        "notices": notices,
    }))
}

fn chunk(chunk: &ChunkWhy) -> Value {
    let row = &chunk.journey.row;
    let steps = chunk.journey.steps.iter();
    let fix = |fix: &Fix| json!({"parameter": fix.parameter, "from": fix.from, "to": fix.to});
    json!({
        "startLine": row.start_line,
        "endLine": row.end_line,
        "isResult": chunk.kept,
        "answer": chunk.sentence,
        "steps": steps.map(|step| format!("{}: {}", step.label, step.sentence)).collect::<Vec<_>>(),
        "anyOfTheseWouldReturnIt": chunk.fixes.iter().flatten().map(fix).collect::<Vec<_>>(),
        "bothOfTheseWouldReturnIt": chunk.pair.iter().flat_map(|(one, two)| [fix(one), fix(two)]).collect::<Vec<_>>(),
        "advice": chunk.advice,
    })
}

/// Lists contradictions among the notes that are served.
pub(crate) fn drift(served: &Served, caller: &Caller) -> Result<Value, Refused> {
    let notice = served.refresh()?;
    let folders = Folders::now(served, caller)?;
    let report = drift_report(served.library, &Params::default(), None)?;
    let pairs = |all: &[Drifted]| -> (usize, Vec<Value>) {
        let mine =
            |drifted: &&Drifted| is_served(&folders, &drifted.a) && is_served(&folders, &drifted.b);
        let mine: Vec<&Drifted> = all.iter().filter(mine).collect();
        let shown = mine.iter().take(DRIFT_MAX);
        let shown = shown.map(|drifted| {
            json!({
                "a": side(&folders, &drifted.a),
                "b": side(&folders, &drifted.b),
                "kind": drifted.kind,
                "words": drifted.words,
                "sure": drifted.sure,
                "newer": drifted.newer,
            })
        });
        (mine.len(), shown.collect())
    };
    let (n_contradictions, contradictions) = pairs(&report.contradictions);
    let (n_changed, changed) = pairs(&report.changed);
    Ok(json!({
        "contradictions": contradictions,
        "nContradictions": n_contradictions,
        "changed": changed,
        "nChanged": n_changed,
        "notices": notice.into_iter().collect::<Vec<_>>(),
    }))
}

fn is_served(folders: &Folders, side: &DriftSide) -> bool {
    let mut ids = folders.served.iter().map(|folder| folder.id.0.to_string());
    ids.any(|id| id == side.folder)
}

fn side(folders: &Folders, side: &DriftSide) -> Value {
    let folder = folders.served.iter();
    let mut folder = folder.filter(|folder| folder.id.0.to_string() == side.folder);
    let path = folder
        .next()
        .map(|folder| folders.name(folder.id, &side.path));
    json!({"path": path, "line": side.line, "text": side.text, "date": side.date})
}

/// Reports what is served and by which ranking.
pub(crate) fn status(served: &Served, caller: &Caller) -> Result<Value, Refused> {
    let notice = served.refresh()?;
    let folders = Folders::now(served, caller)?;
    let library = served.library;
    let lists = &folders.lists;
    let listed: Vec<Value> = folders
        .served
        .iter()
        .map(|folder| {
            let counts = lists.counts_of(folder.id);
            json!({
                "name": folder.name,
                "path": folder.path,
                "agent": folder.agent,
                "nFiles": counts.n_files,
                "nChunks": counts.n_chunks,
                "isPaused": folder.is_paused,
            })
        })
        .collect();
    let problems = library.problems()?;
    let problems = problems.iter().filter(|problem| {
        let mut ids = folders.served.iter().map(|folder| folder.id.0.to_string());
        ids.any(|id| id == problem.folder)
    });
    let problems: Vec<Value> = problems
        .take(PROBLEMS_MAX)
        .map(|problem| {
            let path = format!("{}/{}", problem.folder_name, problem.path);
            json!({"path": path, "line": problem.line, "message": problem.message})
        })
        .collect();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pipeline": served.ranking(caller.agent).pipeline.label(),
        "agent": caller.agent.or(served.agent.as_deref()),
        "member": served.member,
        "model": lists.vectors.model(),
        "folders": listed,
        "problems": problems,
        "writer": library.writer(),
        "notices": notice.into_iter().chain(recording::notice(served)).collect::<Vec<_>>(),
    }))
}
