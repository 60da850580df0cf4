//! Notices about a search, shown beside its rows.

use memlens_index::PREFIXED_WORDS_MAX;
use memlens_params::{Params, Values};
use memlens_rank::{CandidateSet, ListId, ListState, QuestionParts};
use memlens_retrieve::Retrieved;

use crate::clustering::{Clustering, uses_clusters};
use crate::search::native;

/// Number of characters of a question that a notice repeats.
const QUERY_CHARS_SHOWN: usize = 40;

/// Parts of the search that could not be done, or not as these parameters ask.
pub(crate) fn of_retrieval(
    query: &str,
    retrieved: &Retrieved,
    params: &Values,
    clustering: Option<&Clustering>,
) -> Vec<String> {
    let mut notices = of_lists(query, retrieved);
    notices.extend(of_parts(&retrieved.set));
    if let Some(params) = native(params) {
        notices.extend(of_unknown_words(retrieved));
        notices.extend(of_lengths(&params));
        if uses_clusters(&params)
            && let Some(clustering) = clustering
        {
            notices.extend(left_out("the observations of", &clustering.altered));
        }
    }
    for word in retrieved.words.iter().filter(|word| word.is_cut) {
        notices.push(format!(
            "More than {PREFIXED_WORDS_MAX} words begin with “{}”; the first {PREFIXED_WORDS_MAX} in alphabetical order were looked up.",
            word.typed
        ));
    }
    if retrieved.n_words_left_out > 0 {
        let looked_up = retrieved
            .words
            .iter()
            .filter(|word| !word.is_joined)
            .count();
        notices.push(format!(
            "The question has {} different words; the first {looked_up} were looked up.",
            looked_up + retrieved.n_words_left_out,
        ));
    }
    notices
}

/// Lists that could not be retrieved, and what determines the order instead.
fn of_lists(query: &str, retrieved: &Retrieved) -> Vec<String> {
    let shown: String = query.chars().take(QUERY_CHARS_SHOWN).collect();
    let mut missing: Vec<(ListId, &str)> = Vec::new();
    for list in &retrieved.set.lists {
        if let ListState::Missing(why) = &list.state {
            missing.push((list.id, why));
        }
    }
    match missing[..] {
        [(ListId::VECTOR, why)] => vec![format!("The order comes from words alone: {why}.")],
        [(ListId::BM25, _)] => vec![format!(
            "“{shown}” has no letters or digits, so BM25 was skipped. The order comes from vectors alone."
        )],
        [(ListId::VECTOR, why), (ListId::BM25, _)] => vec![format!(
            "Nothing can be compared: “{shown}” has no letters or digits, and there are no vectors: {why}."
        )],
        _ => missing
            .iter()
            .map(|(list, why)| format!("The list {} is missing: {why}.", list.0))
            .collect(),
    }
}

/// That no note holds a word of the question, which alone does not keep the vectors from finding rows.
fn of_unknown_words(retrieved: &Retrieved) -> Option<String> {
    let Retrieved {
        set,
        words,
        n_words_left_out,
        ..
    } = retrieved;
    let is_unknown = !words.is_empty()
        && *n_words_left_out == 0
        && words.iter().all(|word| word.n_chunks == 0)
        && set.list(ListId::BM25).is_some_and(|list| list.n_hits == 0);
    let finds_by_meaning = set.list(ListId::VECTOR).is_some_and(|list| list.n_hits > 0);
    (is_unknown && finds_by_meaning).then(|| {
        "No word of the question is in your notes; results are by meaning alone.".to_owned()
    })
}

/// What is searched of a question that is not searched as a whole.
fn of_parts(set: &CandidateSet) -> Option<String> {
    let QuestionParts { parts, n_left_out } = &*set.parts;
    match (&parts[..], n_left_out) {
        ([], _) => None,
        ([only], 1..) => Some(format!(
            "Only one of the {} sentences is searched, because only it is a question, or search words without a full stop: {}.",
            n_left_out + 1,
            only.quoted()
        )),
        ([..], 1..) => Some(format!(
            "Only the sentences that are questions, or search words without a full stop, are searched; {n_left_out} are left out. \
             By vectors each chunk counts by the one that fits it best.{}",
            of_first(set)
        )),
        ([..], 0) => Some(format!(
            "The question is longer than the embedding model reads, so it is searched in {} parts. Each chunk counts by the part that \
             fits it best.{}",
            parts.len(),
            of_first(set)
        )),
    }
}

/// The parts that the first chunk of each list counts by.
fn of_first(set: &CandidateSet) -> String {
    let quoted = |part: Option<u8>| {
        let part = set.parts.parts.get(usize::from(part?))?;
        Some(part.quoted())
    };
    let of_vectors = set.list(ListId::VECTOR).and_then(|list| {
        let slot = list.values.iter().position(|value| value.rank == Some(1))?;
        quoted(set.candidates[slot].vector_part)
    });
    match (of_vectors, quoted(set.ideal_part)) {
        (Some(vectors), Some(words)) if vectors == words => {
            format!(
                " The first chunk of the vector list and that of the BM25 list are found by {words}."
            )
        }
        (Some(vectors), Some(words)) => format!(
            " The first chunk of the vector list is found by {vectors}, that of the BM25 list by {words}."
        ),
        (Some(vectors), None) => {
            format!(" The first chunk of the vector list is found by {vectors}.")
        }
        (None, Some(words)) => format!(" The first chunk of the BM25 list is found by {words}."),
        (None, None) => String::new(),
    }
}

/// Chunk lengths in the parameters that differ from those of the library.
fn of_lengths(params: &Params) -> Option<String> {
    let defaults = Params::default();
    let cut = |params: &Params| {
        (
            params.chunk_chars,
            params.chunk_overlap_chars,
            params.window_chars,
        )
    };
    (cut(params) != cut(&defaults)).then(|| {
        format!(
            "The library was indexed in chunks of {} characters; another chunk length takes effect only in a library that is indexed with it.",
            defaults.chunk_chars
        )
    })
}

/// The notes, or `what` of them, that are left out because they differ from what was saved.
pub(crate) fn left_out(what: &str, paths: &[String]) -> Option<String> {
    let (first, others) = paths.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => " and one more note".to_owned(),
        n_others => format!(" and {n_others} more notes"),
    };
    let named = format!("{what} {first}{others}");
    Some(format!(
        "Left out: {}. The library's copy is damaged, perhaps by a disk fault; `memlens index`, or the next start of the \
         window, re-indexes the notes.",
        named.trim_start()
    ))
}
