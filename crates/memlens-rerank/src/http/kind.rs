//! The providers that are known by name: where they are asked, with what, and how much at once.

use crate::Scale;

/// Names a provider, or a family of servers that are asked alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Cohere's service.
    Cohere,
    /// Voyage AI's service.
    Voyage,
    /// Jina AI's service.
    Jina,
    /// Hugging Face's text-embeddings-inference.
    Tei,
    /// The server of llama.cpp, started for reranking.
    LlamaCpp,
    /// vLLM's server.
    Vllm,
    /// Michael Feil's Infinity.
    Infinity,
    /// Any address that speaks like one of the others.
    Custom,
}

/// What a provider asked for its work in the autumn of 2025, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Price {
    /// For a thousand questions, whatever the number of texts up to a hundred.
    ThousandCalls(f64),
    /// For a million tokens of the question, once per text, and of the texts.
    MillionTokens(f64),
}

impl Kind {
    /// Every kind, in the order in which they are offered.
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

    /// The kind's name in files and on the command line.
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

    /// The kind of that name; none where there is none.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The kind's name as a person knows it.
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

    /// The address that is offered: a service's own, or where a server of this kind listens by default.
    ///
    /// None for [`Kind::Custom`].
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

    /// The model that is asked for where none is named; none where the server knows what it serves.
    pub fn default_model(self) -> Option<&'static str> {
        match self {
            Kind::Cohere => Some("rerank-v3.5"),
            Kind::Voyage => Some("rerank-2.5"),
            Kind::Jina => Some("jina-reranker-v2-base-multilingual"),
            Kind::Tei | Kind::LlamaCpp | Kind::Vllm | Kind::Infinity | Kind::Custom => None,
        }
    }

    /// Whether nobody is served without a key.
    pub fn needs_key(self) -> bool {
        match self {
            Kind::Cohere | Kind::Voyage | Kind::Jina => true,
            Kind::Tei | Kind::LlamaCpp | Kind::Vllm | Kind::Infinity | Kind::Custom => false,
        }
    }

    /// The price of the default model as it was published then; none where there is none or it is not known.
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

    /// How many texts one request may hold; none where nothing is known to bound it.
    pub fn max_texts(self) -> Option<usize> {
        match self {
            Kind::Cohere | Kind::Voyage => Some(1000),
            Kind::Tei => Some(32),
            Kind::Infinity => Some(2048),
            Kind::Jina | Kind::LlamaCpp | Kind::Vllm | Kind::Custom => None,
        }
    }

    /// The scale of its scores while all of them are in `[0, 1]`.
    ///
    /// A llama.cpp server passes on whatever its model says, which is a logit for most.
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

    /// The parts of the path under the server's address; an address of one's own has it all.
    pub(super) fn path(self) -> &'static [&'static str] {
        match self {
            Kind::Cohere => &["v2", "rerank"],
            Kind::Voyage | Kind::Jina | Kind::LlamaCpp | Kind::Vllm => &["v1", "rerank"],
            Kind::Tei | Kind::Infinity => &["rerank"],
            Kind::Custom => &[],
        }
    }
}
