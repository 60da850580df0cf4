//! What is asked, in each kind's words.

use serde::Serialize;

use super::Kind;

/// Cohere's own default, named so that it stays what it is.
const MAX_TOKENS_PER_DOC: u32 = 4096;

/// A body; each kind has some of the fields.
///
/// The number of scores is always named where it can be: a server's own default may leave texts without one.
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
    /// Voyage's name for cutting what is too long, which would be refused otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<bool>,
    /// The same for text-embeddings-inference.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncate: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_scores: Option<bool>,
}

impl<'a> Request<'a> {
    /// Asks for a score of every text.
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
