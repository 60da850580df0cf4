//! The texts of rows as a reranker reads them.

use memlens_params::Params;
use memlens_rank::{RerankState, chars_read};
use memlens_wire::SentText;

use crate::EngineError;
use crate::search::Search;

/// The texts of rows as the reranker reads them under these parameters.
///
/// # Errors
/// As [`Search::texts`], [`EngineError::NoteChanged`] and [`EngineError::NoteAltered`].
pub fn sent_texts(
    search: &Search,
    params: &Params,
    slots: &[u32],
) -> Result<Vec<SentText>, EngineError> {
    let reach = search.reach(params);
    let texts = search.texts(slots)?;
    slots
        .iter()
        .zip(texts)
        .map(|(slot, text)| {
            let text = search.found("send", *slot, text)?;
            let part = cut(&text, chars_read(params));
            Ok(SentText {
                slot: *slot,
                text: part.to_owned(),
                cut: part.len() < text.len(),
                sent: reach
                    .iter()
                    .any(|(other, state)| other == slot && *state != RerankState::NotSent),
            })
        })
        .collect()
}

/// The first `max_chars` characters of a text; all of it for 0.
pub(super) fn cut(text: &str, max_chars: u32) -> &str {
    if max_chars == 0 {
        return text;
    }
    match text.char_indices().nth(max_chars as usize) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}
