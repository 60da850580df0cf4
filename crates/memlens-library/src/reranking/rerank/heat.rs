//! Which words of a note answered which words of a question, under late interaction.

use std::time::{Duration, Instant};

use memlens_params::{Params, RerankMode};
use memlens_rank::chars_read;
use memlens_rerank::Limits;
use memlens_wire::{Heat, HeatWord};

use super::sent::cut;
use crate::reranking::AnyReranker;
use crate::search::Search;
use crate::{EngineError, Library};

/// Which words of a row's text answer which words of the question, as late interaction reads the text.
///
/// # Errors
/// As [`Search::texts`], [`EngineError::NoteChanged`] and [`EngineError::NoteAltered`], [`EngineError::Rerank`] if the model cannot read the question or was stopped.
pub fn heat(
    library: &Library,
    search: &Search,
    params: &Params,
    slot: u32,
) -> Result<Heat, EngineError> {
    let text = search.found("read", slot, search.text(slot)?)?;
    let part = cut(&text, chars_read(params)).to_owned();
    let call = library.reranking.beside();
    let limits = Limits {
        deadline: Instant::now() + Duration::from_millis(u64::from(params.rerank_timeout_ms)),
        cancel: call.cancel.clone(),
    };
    let (query, bounds) = (search.query.clone(), limits.clone());
    let answers =
        library.with_reranker(
            RerankMode::Late,
            &limits,
            &call,
            move |reranker| match reranker {
                AnyReranker::Late(late) => late.answers(&query, &part, &bounds),
                AnyReranker::Other(_) => Ok(Vec::new()),
            },
        )?;
    let mut units = Utf16::of(&text);
    let words = answers
        .into_iter()
        .map(|answer| HeatWord {
            start: units.at(answer.bytes.start),
            end: units.at(answer.bytes.end),
            weight: f64::from(answer.weight),
            word: search.query[answer.asked].to_owned(),
            counts: answer.counts,
        })
        .collect();
    Ok(Heat { words })
}

/// Counts the UTF-16 units before ascending bytes of a text.
struct Utf16<'a> {
    text: &'a str,
    byte: usize,
    units: u32,
}

impl Utf16<'_> {
    fn of(text: &str) -> Utf16<'_> {
        Utf16 {
            text,
            byte: 0,
            units: 0,
        }
    }

    /// The units before `byte`, which is not before the one asked last.
    fn at(&mut self, byte: usize) -> u32 {
        self.units += self.text[self.byte..byte].encode_utf16().count() as u32;
        self.byte = byte;
        self.units
    }
}
