//! Calls that servers answered, taken into the past questions by the one writer.
//!
//! Properties checked: nothing is stored without the user's consent; each call is stored once, also if the writer dies in between;
//! a line that cannot be read is passed over.

use std::io;

use memlens_agents::PastQuestion;
use memlens_library::recall_choice::RecallChoice;
use memlens_library::{EngineError, Library, forget_served_calls, served_calls};
use memlens_past::stored;
use memlens_store::{NewPast, ReadLog};

use crate::{ImportRun, Write, oldest_ms};

/// Path that names the served calls among the logs.
const LOG: &str = "served by Memlens";
/// What writes that log.
const WRITER: &str = "memlens";

/// Stores the calls that servers answered since the last time. Returns their number. Only the process that writes the library may
/// call it.
///
/// # Errors
/// As [`Write`]; [`EngineError::File`] if the calls cannot be read; [`EngineError::Store`] if the library was replaced since it was
/// opened.
pub fn take_served(library: &Library, write: Write<'_>) -> Result<u32, EngineError> {
    let calls = served_calls(library.dir());
    if !calls.has_lines() {
        return Ok(0);
    }
    // They are for the library that is there now.
    library.check_file()?;
    let imports = library.feature::<ImportRun>();
    // Whoever imports or forgets now is waited for.
    let Some(_turn) = imports.turn.try_lock() else {
        return Ok(0);
    };
    let choice = library.recall_choice();
    if !choice.records_calls {
        forget_served_calls(library.dir())?;
        return Ok(0);
    }
    let mut failed = None;
    let mut n_new = 0;
    let taken = calls.take(|text| {
        let questions = questions(text, oldest_ms(&choice));
        let log = ReadLog {
            path: LOG.to_owned(),
            agent: WRITER.to_owned(),
            cursor: None,
            n_bytes: 0,
            stamp: String::new(),
            problem: None,
        };
        let written = write(&mut |store| {
            // The user may have withdrawn the consent meanwhile.
            if RecallChoice::of(store).records_calls {
                let kept = store.keep_past(&log, &questions, &[])?;
                n_new += kept.n_new + kept.n_openings;
                store.forget_duplicates()?;
            }
            Ok(())
        });
        written.map_err(|error| {
            failed = Some(error);
            io::Error::other("the calls were not stored")
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    taken.map_err(|error| EngineError::file("take in the calls in", library.dir(), error))?;
    Ok(n_new)
}

/// The calls in a text of lines, without those before `oldest_ms` and lines that are none.
fn questions(text: &[u8], oldest_ms: i64) -> Vec<NewPast> {
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    let calls = lines.filter_map(|line| match serde_json::from_slice::<PastQuestion>(line) {
        Ok(call) => Some(call),
        Err(error) => {
            tracing::warn!(%error, "a call that was served cannot be read");
            None
        }
    });
    let is_call = |call: &PastQuestion| {
        call.served.is_some() && call.at_ms.is_some_and(|at_ms| at_ms >= oldest_ms)
    };
    calls.filter(is_call).map(|call| stored(&call)).collect()
}
