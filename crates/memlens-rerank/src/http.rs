//! Scores from a server: a provider's service, or one of the common servers on this machine or another.
//!
//! [`Http`] blocks its caller, and a call can be given up at any moment. There is no connection before the first call.

mod answer;
mod client;
mod exchange;
mod kind;
mod provider;
mod refusal;
mod request;

use reqwest::{Client, Url};

pub use answer::Answer;
pub(crate) use client::builder;
pub(crate) use exchange::root_cause;
pub use kind::{Kind, Price};
pub use provider::Provider;
pub(crate) use provider::host;

use crate::keys::Key;
use crate::{Limits, RerankError, Reranker, RerankerInfo, Scale, Scores};
use exchange::Exchange;

/// Calls one provider; connections are reused.
#[derive(Debug)]
pub struct Http {
    provider: Provider,
    endpoint: Url,
    key: Option<Key>,
    client: Client,
    info: RerankerInfo,
}

impl Http {
    /// Prepares calls to `provider`, without making any.
    ///
    /// # Errors
    /// [`RerankError::Url`], [`RerankError::KeyMissing`] if the provider needs a key, and [`RerankError::Client`] if
    /// the system lacks something that encryption needs.
    pub fn new(provider: Provider, key: Option<Key>) -> Result<Http, RerankError> {
        let endpoint = provider.endpoint()?;
        if key.is_none() && provider.kind.needs_key() {
            return Err(RerankError::KeyMissing {
                provider: provider.kind.label(),
            });
        }
        let client = builder(&endpoint)
            .build()
            .map_err(|error| RerankError::Client {
                host: provider::host(&endpoint),
                cause: exchange::root_cause(&error),
            })?;
        let info = RerankerInfo {
            provider: provider.kind.as_str().to_owned(),
            model: named_model(&provider, &endpoint),
        };
        Ok(Http {
            provider,
            endpoint,
            key,
            client,
            info,
        })
    }

    /// Returns the host that is called, with the port if it is not the default one.
    pub fn host(&self) -> String {
        provider::host(&self.endpoint)
    }
}

impl Reranker for Http {
    fn info(&self) -> &RerankerInfo {
        &self.info
    }

    /// Blocks the thread; must not be called from one that runs async tasks.
    ///
    /// Sends one request, or several in sequence if the provider limits the number of texts. The scale is also
    /// [`Scale::Logit`] if any score of a provider of shares is outside `[0, 1]`: such a server returns its model's
    /// output.
    fn score(
        &mut self,
        query: &str,
        texts: &[&str],
        limits: &Limits,
    ) -> Result<Scores, RerankError> {
        limits.check()?;
        let shape = self.provider.shape();
        let exchange = Exchange {
            client: &self.client,
            endpoint: &self.endpoint,
            key: self.key.as_ref(),
            shape,
            model: self.provider.model(),
            deadline: limits.deadline,
        };
        let whole = async {
            let mut scores = Vec::with_capacity(texts.len());
            let mut n_tokens = Some(0);
            for part in texts.chunks(shape.max_texts().unwrap_or(usize::MAX)) {
                for answer in in_halves(&exchange, query, part).await? {
                    scores.extend(answer.scores);
                    n_tokens = n_tokens.zip(answer.n_tokens).map(|(sum, n)| sum + n);
                }
            }
            let mut given = scores.iter().flatten();
            let scale = if given.all(|score| (0.0..=1.0).contains(score)) {
                shape.scale()
            } else {
                Scale::Logit
            };
            Ok(Scores {
                scores,
                scale,
                n_tokens,
            })
        };
        limits.wait(whole)?
    }
}

/// Requests scores of all texts. If the server refuses as if they were too many or too long, tries once more with two
/// halves.
async fn in_halves(
    exchange: &Exchange<'_>,
    query: &str,
    texts: &[&str],
) -> Result<Vec<Answer>, RerankError> {
    let error = match exchange.ask(query, texts).await {
        Ok(answer) => return Ok(vec![answer]),
        Err(error) => error,
    };
    let RerankError::Refused {
        host,
        status,
        cause,
    } = error
    else {
        return Err(error);
    };
    if !refusal::may_be_too_much(status) {
        return Err(RerankError::Refused {
            host,
            status,
            cause,
        });
    }
    let (first, second) = texts.split_at(texts.len().div_ceil(2));
    if second.is_empty() {
        let cause = format!("{cause}; the text or the model's name may be what it refuses");
        return Err(RerankError::Refused {
            host,
            status,
            cause,
        });
    }
    let n_texts = texts.len();
    let mut answers = Vec::with_capacity(2);
    for half in [first, second] {
        match exchange.ask(query, half).await {
            Ok(answer) => answers.push(answer),
            Err(RerankError::Refused { status: again, .. }) if refusal::may_be_too_much(again) => {
                let n_half = half.len();
                let cause = format!(
                    "{cause}; also for {n_half} of the {n_texts} texts. Send fewer (rerank_max_docs) or shorter ones (rerank_max_chars), or check the model's name"
                );
                return Err(RerankError::Refused {
                    host,
                    status,
                    cause,
                });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(answers)
}

/// Returns what distinguishes this provider's scores from others of its kind: the model, the address if it is not the
/// service itself, and for a custom address its shape.
fn named_model(provider: &Provider, endpoint: &Url) -> String {
    let default = provider.kind.default_url().map(|url| Provider {
        url: url.to_owned(),
        ..provider.clone()
    });
    let is_service = provider.kind.needs_key()
        && default.is_some_and(|default| default.endpoint().is_ok_and(|url| url == *endpoint));
    let address = match provider.kind {
        Kind::Custom => format!("{endpoint} as {}", provider.shape().as_str()),
        Kind::Cohere
        | Kind::Voyage
        | Kind::Jina
        | Kind::Tei
        | Kind::LlamaCpp
        | Kind::Vllm
        | Kind::Infinity => endpoint.to_string(),
    };
    match provider.model() {
        Some(model) if is_service => model.to_owned(),
        Some(model) => format!("{model} at {address}"),
        None => address,
    }
}
