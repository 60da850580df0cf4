//! Request bodies of each kind.

use serde::Serialize;

use super::Kind;

/// Cohere's default, sent explicitly so that it does not change.
const MAX_TOKENS_PER_DOC: u32 = 4096;

/// A request body; each kind uses some of the fields.
///
/// The number of scores is always set where possible, because a server's default may leave texts without one.
#[derive(Debug, Default, Serialize)]
pub(super) struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<&'a [&'a str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<&'a [&'a str]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_n: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens_per_doc: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    return_documents: Option<bool>,
    /// Voyage's parameter for truncating texts that are too long, which would be refused otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<bool>,
    /// The same parameter of text-embeddings-inference.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncate: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_scores: Option<bool>,
}

impl<'a> Request<'a> {
    /// Returns a request for a score of every text.
    pub(super) fn new(
        shape: Kind,
        model: Option<&'a str>,
        query: &'a str,
        texts: &'a [&'a str],
    ) -> Self {
        let n = Some(texts.len());
        let with_documents = Request {
            model,
            query,
            documents: Some(texts),
            ..Request::default()
        };
        match shape {
            Kind::Cohere => Request {
                top_n: n,
                max_tokens_per_doc: Some(MAX_TOKENS_PER_DOC),
                ..with_documents
            },
            Kind::Voyage => Request {
                top_k: n,
                truncation: Some(true),
                ..with_documents
            },
            Kind::Jina => Request {
                top_n: n,
                return_documents: Some(false),
                ..with_documents
            },
            Kind::Tei => Request {
                query,
                texts: Some(texts),
                truncate: Some(true),
                raw_scores: Some(false),
                ..Request::default()
            },
            Kind::Infinity => Request {
                top_n: n,
                raw_scores: Some(false),
                ..with_documents
            },
            Kind::LlamaCpp | Kind::Vllm | Kind::Custom => Request {
                top_n: n,
                ..with_documents
            },
        }
    }
}
