//! The known kinds of providers: their address, model, path and limits.

use crate::Scale;

/// A provider, or a family of servers with the same interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The service of Cohere, with an account and a key.
    Cohere,
    /// The service of Voyage AI, with an account and a key.
    Voyage,
    /// The service of Jina AI, with an account and a key.
    Jina,
    /// The server text-embeddings-inference of Hugging Face.
    Tei,
    /// The server of llama.cpp, started for reranking.
    LlamaCpp,
    /// The server of vLLM, with a reranking model.
    Vllm,
    /// The server Infinity by Michael Feil.
    Infinity,
    /// Any address with the interface of one of the others.
    Custom,
}

/// The price of a provider in the autumn of 2025, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Price {
    /// Per thousand questions, with up to a hundred texts each.
    ThousandCalls(f64),
    /// Per million tokens, counting the question once per text.
    MillionTokens(f64),
}

impl Kind {
    /// All kinds, in the order in which they are offered.
    pub const ALL: [Kind; 8] = [
        Kind::Cohere,
        Kind::Voyage,
        Kind::Jina,
        Kind::Tei,
        Kind::LlamaCpp,
        Kind::Vllm,
        Kind::Infinity,
        Kind::Custom,
    ];

    /// Returns the kind's name in files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Cohere => "cohere",
            Kind::Voyage => "voyage",
            Kind::Jina => "jina",
            Kind::Tei => "tei",
            Kind::LlamaCpp => "llamacpp",
            Kind::Vllm => "vllm",
            Kind::Infinity => "infinity",
            Kind::Custom => "custom",
        }
    }

    /// Returns the kind of that name, if there is one.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the kind's name as displayed to the user.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Cohere => "Cohere",
            Kind::Voyage => "Voyage AI",
            Kind::Jina => "Jina AI",
            Kind::Tei => "Text Embeddings Inference",
            Kind::LlamaCpp => "llama.cpp server",
            Kind::Vllm => "vLLM",
            Kind::Infinity => "Infinity",
            Kind::Custom => "Custom address",
        }
    }

    /// Returns the default address: a service's own, or the one at which a server of this kind listens by default.
    ///
    /// `None` for [`Kind::Custom`].
    pub fn default_url(self) -> Option<&'static str> {
        match self {
            Kind::Cohere => Some("https://api.cohere.com"),
            Kind::Voyage => Some("https://api.voyageai.com"),
            Kind::Jina => Some("https://api.jina.ai"),
            Kind::Tei | Kind::LlamaCpp => Some("http://127.0.0.1:8080"),
            Kind::Vllm => Some("http://127.0.0.1:8000"),
            Kind::Infinity => Some("http://127.0.0.1:7997"),
            Kind::Custom => None,
        }
    }

    /// Returns the model to request if none is set; `None` if the server knows what it serves.
    pub fn default_model(self) -> Option<&'static str> {
        match self {
            Kind::Cohere => Some("rerank-v3.5"),
            Kind::Voyage => Some("rerank-2.5"),
            Kind::Jina => Some("jina-reranker-v2-base-multilingual"),
            Kind::Tei | Kind::LlamaCpp | Kind::Vllm | Kind::Infinity | Kind::Custom => None,
        }
    }

    /// Returns whether requests need a key.
    pub fn needs_key(self) -> bool {
        match self {
            Kind::Cohere | Kind::Voyage | Kind::Jina => true,
            Kind::Tei | Kind::LlamaCpp | Kind::Vllm | Kind::Infinity | Kind::Custom => false,
        }
    }

    /// Returns the published price of the default model at that time; `None` if there is none or it is unknown.
    pub fn price(self) -> Option<Price> {
        match self {
            Kind::Cohere => Some(Price::ThousandCalls(2.0)),
            Kind::Voyage => Some(Price::MillionTokens(0.05)),
            Kind::Jina
            | Kind::Tei
            | Kind::LlamaCpp
            | Kind::Vllm
            | Kind::Infinity
            | Kind::Custom => None,
        }
    }

    /// Returns the maximum number of texts per request; `None` if no limit is known.
    pub fn max_texts(self) -> Option<usize> {
        match self {
            Kind::Cohere | Kind::Voyage => Some(1000),
            Kind::Tei => Some(32),
            Kind::Infinity => Some(2048),
            Kind::Jina | Kind::LlamaCpp | Kind::Vllm | Kind::Custom => None,
        }
    }

    /// Returns the scale of its scores while all of them are in `[0, 1]`.
    ///
    /// A llama.cpp server returns whatever its model outputs, which is a logit for most.
    pub(super) fn scale(self) -> Scale {
        match self {
            Kind::LlamaCpp => Scale::Logit,
            Kind::Cohere
            | Kind::Voyage
            | Kind::Jina
            | Kind::Tei
            | Kind::Vllm
            | Kind::Infinity
            | Kind::Custom => Scale::Unit,
        }
    }

    /// Returns the segments of the path under the server's address; empty for a custom address, which includes the
    /// path.
    pub(super) fn path(self) -> &'static [&'static str] {
        match self {
            Kind::Cohere => &["v2", "rerank"],
            Kind::Voyage | Kind::Jina | Kind::LlamaCpp | Kind::Vllm => &["v1", "rerank"],
            Kind::Tei | Kind::Infinity => &["rerank"],
            Kind::Custom => &[],
        }
    }
}
