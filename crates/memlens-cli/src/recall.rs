mod replay;

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memlens_document::{Document, dim, strong};
use memlens_engine::view::{CopiedPast, JobKind, RecallImport, RecallLogs};
use memlens_engine::{
    EngineError, Library, Past, PastFilter, PastKind, PastKinds, PastQuestion, RecallChange,
    Returned, Used, acts, known_agent, past, recall_logs,
};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{
    OnOff, RecallAct, RecallArgs, RecallExportArgs, RecallForgetArgs, RecallImportArgs,
    RecallListArgs, RecallOnly,
};
use crate::error::CliError;
use crate::output::{notify, plural, print, print_json, print_text};
use crate::queries::refuse_present;
use crate::settings::{on_stop, open, while_importing};

/// The number of logs named one by one before the first import.
const LOGS_NAMED: usize = 20;

/// Runs the `recall` command that was given.
pub fn run(library: Option<PathBuf>, arguments: &RecallArgs) -> Result<(), CliError> {
    let library = open(library)?;
    match &arguments.act {
        RecallAct::Import(arguments) => import(library, arguments),
        RecallAct::List(arguments) => list(&library, arguments),
        RecallAct::Show(arguments) => replay::show(&library, arguments),
        RecallAct::Replay(arguments) => replay::run(library, arguments),
        RecallAct::Export(arguments) => export(&library, arguments),
        RecallAct::Calls { recorded } => record_calls(&library, *recorded == OnOff::On),
        RecallAct::Forget(arguments) => forget(&library, arguments),
    }
}

/// Allows or forbids to record what agents ask of `memlens serve`.
fn record_calls(library: &Library, is_on: bool) -> Result<(), CliError> {
    let change = RecallChange {
        records_calls: Some(is_on),
        ..RecallChange::default()
    };
    acts::change_recall(&library.to_write(), change)?;
    print_text(if is_on {
        "calls of agents to `memlens serve` are recorded in this library; the window or `memlens watch` takes them in"
    } else {
        "calls of agents to `memlens serve` are not recorded; those that were taken in stay until you forget them"
    })
}

fn import(library: Library, arguments: &RecallImportArgs) -> Result<(), CliError> {
    if let Some(agent) = &arguments.agent {
        known_agent(agent)?;
    }
    let logs = recall_logs(&library)?;
    if logs.logs.is_empty() {
        for problem in &logs.problems {
            notify(problem);
        }
        notify("no agent's log was found; nothing to read");
    }
    if !logs.is_allowed && !logs.logs.is_empty() {
        if !arguments.yes {
            agree(&logs)?;
        }
        let allowed = RecallChange {
            is_allowed: Some(true),
            ..RecallChange::default()
        };
        acts::change_recall(&library.to_write(), allowed)?;
    }
    let library = Arc::new(library);
    let stopping = library.clone();
    on_stop(move || stopping.stop(JobKind::Import))?;
    let done = if logs.logs.is_empty() {
        RecallImport::default()
    } else {
        while_importing(&library, || {
            acts::import_recall(&library.to_write(), arguments.agent.as_deref())
        })?
    };
    for said in done.problems.iter().chain(&done.notices) {
        notify(said);
    }
    if arguments.json {
        print_json(&done)?;
    } else {
        print_text(format!(
            "{} new {}, {} updated, {} new {}, {} observed {}, from {} {}",
            done.n_new,
            plural(done.n_new, "question", "questions"),
            done.n_updated,
            done.n_openings,
            plural(done.n_openings, "opening", "openings"),
            done.n_judgments,
            plural(done.n_judgments, "judgment", "judgments"),
            done.n_logs,
            plural(done.n_logs, "log", "logs")
        ))?;
    }
    if done.is_stopped {
        return Err(CliError::Stopped);
    }
    Ok(())
}

/// Names the logs and asks whether they may be read.
fn agree(logs: &RecallLogs) -> Result<(), CliError> {
    let n_logs = logs.logs.len();
    if !io::stdin().is_terminal() {
        return Err(CliError::NotAgreed { n_logs });
    }
    notify(format_args!(
        "this reads {n_logs} {} of your agents, {}. Only calls of memory tools, reads and searches of memory folders, their answers and what was cited are stored, in this library:",
        plural(n_logs, "log", "logs"),
        logs.size()
    ));
    for log in logs.logs.iter().take(LOGS_NAMED) {
        notify(format_args!("  {}: {}", log.agent_name, log.path));
    }
    if n_logs > LOGS_NAMED {
        notify(format_args!("  and {} more", n_logs - LOGS_NAMED));
    }
    let them = plural(n_logs, "it", "them");
    notify(format_args!("read {them}? [y/N]"));
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(CliError::Input)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        Err(CliError::NotAgreed { n_logs })
    }
}

fn export(library: &Library, arguments: &RecallExportArgs) -> Result<(), CliError> {
    if let Some(agent) = &arguments.agent {
        known_agent(agent)?;
    }
    refuse_present(library, &arguments.out, arguments.replace)?;
    let filter = PastFilter {
        agent: arguments.agent.clone(),
        ..PastFilter::default()
    };
    for notice in past::write_queries(library, &filter, &arguments.out)? {
        notify(notice);
    }
    notify(format_args!("wrote {}", arguments.out.display()));
    Ok(())
}

fn forget(library: &Library, arguments: &RecallForgetArgs) -> Result<(), CliError> {
    let all = PastFilter {
        kinds: PastKinds::All,
        ..PastFilter::default()
    };
    let past = past::list(library, &all)?;
    let is_opening = |past: &&Past| past.asked.kind == PastKind::Opening;
    let n_openings = past.iter().filter(is_opening).count();
    let n_questions = past.len() - n_openings;
    let questions = plural(n_questions, "question", "questions");
    let mut what = format!("{n_questions} past {questions}");
    if n_openings > 0 {
        let openings = plural(n_openings, "opening", "openings");
        what += &format!(" and {n_openings} {openings} of notes");
    }
    for CopiedPast {
        set,
        n_queries,
        n_kept,
    } in recall_logs(library)?.copies
    {
        let queries = plural(n_queries, "query", "queries");
        let others = if n_kept == 0 {
            ", and the set with them".to_owned()
        } else {
            format!(", which keeps {n_kept} that you added or changed")
        };
        notify(format_args!(
            "this includes {n_queries} copied {queries} of the query set {}{others}",
            set
        ));
    }
    if !arguments.yes {
        return Err(CliError::UnconfirmedForget { what });
    }
    acts::forget_recall(&library.to_write())?;
    print_text(format!("{what} forgotten"))
}

/// A past question, as other programs read it.
#[derive(Serialize)]
struct Listed<'a> {
    id: String,
    /// `search` or `opening`; an opening has an empty question, and what it opened in `opened`.
    kind: &'static str,
    agent: &'a str,
    session: &'a str,
    /// RFC 3339; `None` if the log does not give it.
    at: Option<String>,
    question: &'a str,
    /// The client that Memlens served; `None` if another program answered.
    served_to: Option<&'a str>,
    settings: &'a BTreeMap<String, Value>,
    /// Whether an answer with results was logged; without one, `returned` is empty.
    answered: bool,
    /// Whether the search ended with an error.
    failed: bool,
    returned: Vec<ListedResult<'a>>,
    opened: Vec<ListedUse<'a>>,
    cited: Vec<ListedUse<'a>>,
}

#[derive(Serialize)]
struct ListedResult<'a> {
    path: &'a str,
    start_line: Option<u32>,
    end_line: Option<u32>,
    score: Option<f64>,
    /// Whether only the note's name was returned and none of its text.
    name_only: bool,
}

#[derive(Serialize)]
struct ListedUse<'a> {
    path: &'a str,
    start_line: Option<u32>,
    end_line: Option<u32>,
    /// Whether only a part was shown, and the log does not say which.
    part: bool,
    at: Option<String>,
}

impl<'a> Listed<'a> {
    fn of(past: &'a Past) -> Listed<'a> {
        let PastQuestion {
            kind,
            has_failed,
            agent,
            session,
            at_ms,
            question,
            settings,
            returned,
            opened,
            cited,
            served,
            ..
        } = &past.asked;
        let result = |it: &'a Returned| ListedResult {
            path: &it.path,
            start_line: it.lines.map(|lines| lines.0),
            end_line: it.lines.map(|lines| lines.1),
            score: it.score,
            name_only: it.is_name_only,
        };
        let used = |it: &'a Used| ListedUse {
            path: &it.path,
            start_line: it.lines.map(|lines| lines.0),
            end_line: it.lines.map(|lines| lines.1),
            part: it.is_part,
            at: it.at_ms.and_then(moment),
        };
        Listed {
            id: past.id.to_string(),
            kind: match kind {
                PastKind::Search => "search",
                PastKind::Opening => "opening",
            },
            failed: *has_failed,
            agent,
            session,
            at: at_ms.and_then(moment),
            question,
            served_to: served.as_ref().map(|served| served.client.as_str()),
            settings,
            answered: returned.is_some(),
            returned: returned.iter().flatten().map(result).collect(),
            opened: opened.iter().map(used).collect(),
            cited: cited.iter().map(used).collect(),
        }
    }
}

fn moment(at_ms: i64) -> Option<String> {
    Some(Timestamp::from_millisecond(at_ms).ok()?.to_string())
}

fn list(library: &Library, arguments: &RecallListArgs) -> Result<(), CliError> {
    if let Some(agent) = &arguments.agent {
        known_agent(agent)?;
    }
    let session = match &arguments.session {
        None => None,
        Some(typed) => match past::session_named(library, arguments.agent.as_deref(), typed) {
            Ok(Some(known)) => Some(known.id),
            // Nothing is listed of a session that is not known.
            Ok(None) | Err(EngineError::NoSession { .. }) => Some(typed.clone()),
            Err(error) => return Err(error.into()),
        },
    };
    let past = past::list(
        library,
        &PastFilter {
            kinds: match arguments.only {
                Some(RecallOnly::Searches) => PastKinds::Searches,
                Some(RecallOnly::Openings) => PastKinds::Openings,
                None => PastKinds::All,
            },
            text: arguments.text.clone().unwrap_or_default(),
            agent: arguments.agent.clone(),
            session,
            since_ms: arguments.since.as_deref().map(since).transpose()?,
        },
    )?;
    if arguments.json {
        let listed: Vec<Listed<'_>> = past.iter().map(Listed::of).collect();
        return print_json(&listed);
    }
    let mut page = Document::new();
    past.iter().for_each(|past| add(&mut page, past));
    print(&page)
}

/// Prints an opening, which cannot be asked again.
fn show_opening(past: &Past, is_json: bool) -> Result<(), CliError> {
    if is_json {
        return print_json(&Listed::of(past));
    }
    let mut page = Document::new();
    add(&mut page, past);
    print(&page)
}

fn add(page: &mut Document, past: &Past) {
    let asked = &past.asked;
    let at = asked
        .at_ms
        .and_then(|at_ms| Timestamp::from_millisecond(at_ms).ok())
        .map_or_else(
            || "at an unknown time".to_owned(),
            |at| {
                at.to_zoned(TimeZone::system())
                    .strftime("%Y-%m-%d %H:%M")
                    .to_string()
            },
        );
    let mut head = format!("{:>4}  {at}  {}", past.id, asked.agent);
    match &asked.served {
        Some(served) => head += &format!("  served by Memlens to {}", served.client),
        None => head += &format!("  {}", asked.session),
    }
    let head = dim(head);
    if asked.kind == PastKind::Opening {
        let opened: Vec<String> = asked.opened.iter().map(used).collect();
        return page.line(head + "  opened " + strong(opened.join(", ")));
    }
    page.line(head + "  " + strong(&asked.question));
    let came = match &asked.returned {
        None if asked.has_failed => "the search failed".to_owned(),
        None => "no answer was logged".to_owned(),
        Some(returned) if returned.is_empty() => "found nothing".to_owned(),
        Some(returned) => {
            let named: Vec<String> = returned
                .iter()
                .map(|it| {
                    let place = place(&it.path, it.lines);
                    let note = if it.is_name_only { " (name only)" } else { "" };
                    place + note
                })
                .collect();
            named.join(", ")
        }
    };
    page.item(4, came);
    for (verb, places) in [("opened", &asked.opened), ("cited", &asked.cited)] {
        for place in places {
            page.item(4, format!("{verb} {}", used(place)));
        }
    }
}

fn used(used: &Used) -> String {
    let place = place(&used.path, used.lines);
    if used.is_part {
        format!("{place} (a part)")
    } else {
        place
    }
}

fn place(path: &str, lines: Option<(u32, u32)>) -> String {
    match lines {
        Some((start, u32::MAX)) => format!("{path}:{start}–end"),
        Some((start, end)) => format!("{path}:{start}–{end}"),
        None => path.to_owned(),
    }
}

/// Parses a moment, or a day, which means its start in local time; returns Unix milliseconds.
pub fn since(typed: &str) -> Result<i64, CliError> {
    let day = typed
        .parse::<Date>()
        .ok()
        .and_then(|day| day.to_zoned(TimeZone::system()).ok())
        .map(|day| day.timestamp());
    // A timestamp also parses as a day, so it is tried first.
    typed
        .parse::<Timestamp>()
        .ok()
        .or(day)
        .map(Timestamp::as_millisecond)
        .ok_or_else(|| CliError::NoMoment {
            given: typed.to_owned(),
        })
}
