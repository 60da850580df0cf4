//! Calls on their way to the past questions: a server only reads the library, so it hands them to the one writer through a file.
//!
//! Properties checked: nothing is recorded before the user allows it or after the consent was withdrawn, and no text of a note is.

use std::collections::BTreeMap;
use std::path::Path;

use memlens_agents::{
    AGENTS, PastKind, PastQuestion, Returned, ServedCall, Used, question_to_store, setting_to_store,
};
use memlens_files::{Appending, path_in};
use memlens_library::{clock, served_calls};
use memlens_retrieve::Part;
use serde_json::{Value, json};

use crate::Served;
use crate::caller::Caller;
use crate::tools::{GetArguments, SearchArguments};

/// What `memlens serve` calls itself when it tries an entry of an agent's config. Its calls are no agent's.
const TEST_CLIENT: &str = "memlens-test";
/// What a client is called that did not say.
const UNNAMED: &str = "an unnamed client";
/// Random bytes of a call's id.
const ID_BYTES: usize = 16;
/// Results of a call that are recorded.
const RESULTS: usize = 10;

/// A result of a search, for the record.
pub(crate) struct Found {
    pub folder: String,
    pub path: String,
    pub lines: (u32, u32),
    pub score: Option<f64>,
}

/// A search that was answered, for the record.
pub(crate) struct Searched {
    pub results: Vec<Found>,
    /// Ids of the folders that were served; `None` if all watched folders were.
    pub folders: Option<Vec<i64>>,
    pub generation: u64,
    pub part: Part,
    pub max_results: u32,
}

/// Records a search; `searched` is `None` if it failed.
pub(crate) fn record_search(
    served: &Served,
    caller: &Caller,
    asked: &SearchArguments,
    searched: Option<&Searched>,
) {
    if !is_recorded(served, caller) {
        return;
    }
    let settings = [
        ("maxResults", asked.max_results.map(|n| json!(n))),
        ("minScore", asked.min_score.map(|score| json!(score))),
        ("in", asked.scope.as_ref().map(|scope| json!(scope))),
    ];
    let settings: BTreeMap<String, Value> = settings
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), setting_to_store(name, value?))))
        .collect();
    let result = |found: &Found| Returned {
        path: absolute(&found.folder, &found.path),
        lines: Some(found.lines),
        score: found.score,
        is_name_only: false,
        line_hashes: Vec::new(),
        text: None,
    };
    let mut call = call(served, caller);
    call.question = question_to_store(&asked.query);
    call.settings = settings;
    call.has_failed = searched.is_none();
    call.returned = searched.map(|it| it.results.iter().take(RESULTS).map(result).collect());
    if let (Some(of_call), Some(searched)) = (&mut call.served, searched) {
        of_call.generation = searched.generation;
        of_call.folders.clone_from(&searched.folders);
        // Of more results only the first are recorded, and compared.
        of_call.max_results = searched.max_results.min(RESULTS as u32);
        of_call.min_score = asked.min_score;
        of_call.scope = match &searched.part {
            Part::Folder(scope) => Some((scope.folder.0, scope.path.clone())),
            Part::All | Part::Folders(_) | Part::Chunks(_) => None,
        };
    }
    hand_over(served, &call);
}

/// Records that lines of a note were read.
pub(crate) fn record_opening(
    served: &Served,
    caller: &Caller,
    asked: &GetArguments,
    (folder, path): (&str, &str),
) {
    if !is_recorded(served, caller) {
        return;
    }
    let mut call = call(served, caller);
    let first = asked.from.unwrap_or(1).max(1);
    let is_whole = asked.from.is_none() && asked.lines.is_none();
    let last = asked
        .lines
        .map_or(u32::MAX, |n| first.saturating_add(n.max(1) - 1));
    call.kind = PastKind::Opening;
    call.opened = vec![Used {
        path: absolute(folder, path),
        lines: (!is_whole).then_some((first, last)),
        at_ms: call.at_ms,
        is_part: false,
    }];
    hand_over(served, &call);
}

fn is_recorded(served: &Served, caller: &Caller) -> bool {
    caller.name.as_deref() != Some(TEST_CLIENT) && served.library.recall_choice().records_calls
}

/// A call of a client, without what it asked.
fn call(served: &Served, caller: &Caller) -> PastQuestion {
    let client = caller.name.clone().unwrap_or_else(|| UNNAMED.to_owned());
    let known = AGENTS.iter().find(|agent| client.starts_with(agent.id));
    let of_folders = caller
        .agent
        .map(str::to_owned)
        .or_else(|| served.agent.clone());
    let agent = of_folders.clone();
    let agent = agent.or_else(|| known.map(|agent| agent.id.to_owned()));
    let ranking = serde_json::to_value(served.ranking(caller.agent).to_view());
    PastQuestion {
        agent: agent.unwrap_or_else(|| client.clone()),
        call: random_id(),
        at_ms: Some(clock::now().as_millisecond()),
        served: Some(ServedCall {
            client,
            agent: of_folders,
            folders: None,
            ranking: ranking.expect("plain data can always be written as JSON"),
            generation: 0,
            scope: None,
            max_results: 0,
            min_score: None,
        }),
        ..PastQuestion::default()
    }
}

fn absolute(folder: &str, path: &str) -> String {
    path_in(Path::new(folder), path)
        .to_string_lossy()
        .into_owned()
}

fn random_id() -> String {
    let mut bytes = [0; ID_BYTES];
    if getrandom::fill(&mut bytes).is_err() {
        // A repeated id would replace an earlier call; the time tells them apart.
        return clock::now().as_nanosecond().to_string();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Appends a call to the file. A call that cannot be recorded is answered all the same.
fn hand_over(served: &Served, call: &PastQuestion) {
    let line = serde_json::to_vec(call).expect("plain data can always be written as JSON");
    let calls = served_calls(served.library.dir());
    // Asked again: the user may have withdrawn the consent while the call was answered.
    let is_wanted = || served.library.recall_choice().records_calls;
    let path = calls.path().display();
    let why = match calls.append(&line, is_wanted) {
        Ok(Appending::Done | Appending::Unwanted) => None,
        Ok(Appending::Full) => Some(format!(
            "{path} is full; open the window or run `memlens watch`, which takes them in"
        )),
        Err(error) => Some(format!("cannot write {path}: {error}")),
    };
    if let Some(why) = &why {
        tracing::warn!(why, "a call was not recorded");
    }
    *served.unrecorded.lock() = why;
}

/// A notice that the last call was not recorded, though the user allows it.
pub(crate) fn notice(served: &Served) -> Option<String> {
    let why = served.unrecorded.lock().clone()?;
    let is_allowed = served.library.recall_choice().records_calls;
    is_allowed.then(|| format!("calls are not recorded: {why}"))
}
