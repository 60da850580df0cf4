//! One request and its response, retried if the server is busy.

use std::error::Error;
use std::time::{Duration, Instant, SystemTime};

use backon::{ExponentialBuilder, Retryable};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::timeout;

use super::answer::Answer;
use super::provider::host;
use super::request::Request;
use super::{Kind, refusal};
use crate::RerankError;
use crate::keys::Key;

/// Maximum size of a response. A thousand scores with their texts repeated, as some servers send them, are a few
/// megabytes.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// How much of an error response is read to find its message, and for how long; the status alone is sufficient.
const MAX_REFUSAL_BYTES: usize = 64 << 10;
const MAX_REFUSAL_TIME: Duration = Duration::from_secs(1);
/// How often a busy server is retried, and the minimum wait before the first retry; the second is twice that.
const N_RETRIES: usize = 2;
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The data that all requests of one call share.
pub(super) struct Exchange<'a> {
    pub(super) client: &'a Client,
    pub(super) endpoint: &'a Url,
    pub(super) key: Option<&'a Key>,
    /// A concrete kind, never [`Kind::Custom`].
    pub(super) shape: Kind,
    pub(super) model: Option<&'a str>,
    pub(super) deadline: Instant,
}

/// Why a request got no answer.
enum Failure {
    /// Another attempt would fail too.
    Final(RerankError),
    /// The server may answer later, after `retry_after` if it says so.
    Busy {
        error: RerankError,
        retry_after: Option<Duration>,
    },
}

impl Exchange<'_> {
    /// Requests a score of every text, and retries if the server is busy and responds with 429 or 503.
    ///
    /// Waits as long as the server requests, or briefly, plus a random time so that not all clients return at once.
    /// Does not wait if that would end after the deadline.
    pub(super) async fn ask(&self, query: &str, texts: &[&str]) -> Result<Answer, RerankError> {
        let body = serde_json::to_vec(&Request::new(self.shape, self.model, query, texts))
            .expect("strings and numbers are always JSON");
        let backoff = ExponentialBuilder::default()
            .with_min_delay(FIRST_WAIT)
            .with_max_times(N_RETRIES)
            .with_jitter();
        (|| self.request(body.clone(), query, texts))
            .retry(backoff)
            .when(|failure| matches!(failure, Failure::Busy { .. }))
            .adjust(|failure, next| {
                let wait = next? + failure.retry_after().unwrap_or_default();
                let is_in_time = Instant::now().checked_add(wait)? < self.deadline;
                is_in_time.then_some(wait)
            })
            .await
            .map_err(Failure::into_error)
    }

    async fn request(&self, body: Vec<u8>, query: &str, texts: &[&str]) -> Result<Answer, Failure> {
        let mut request = self
            .client
            .post(self.endpoint.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        if let Some(key) = self.key {
            request = request.header(AUTHORIZATION, key.bearer());
        }
        let started = Instant::now();
        let response = request
            .send()
            .await
            .map_err(|error| Failure::Final(self.unanswered(&error)))?;
        let status = response.status();
        tracing::debug!(
            host = self.host(),
            status = status.as_u16(),
            n_texts = texts.len(),
            micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            "reranked over HTTP"
        );
        if !status.is_success() {
            return Err(self.refused(response, query, texts).await);
        }
        let wrong = |cause: String| {
            Failure::Final(RerankError::Answer {
                host: self.host(),
                cause,
            })
        };
        let body = read(response, MAX_ANSWER_BYTES)
            .await
            .map_err(|error| Failure::Final(self.unanswered(&error)))?
            .ok_or_else(|| wrong(format!("is longer than {} MiB", MAX_ANSWER_BYTES >> 20)))?;
        let key = self.key.map(Key::expose);
        let sent = texts.iter().copied().chain([query]).chain(key);
        let sent: Vec<String> = sent.map(str::to_lowercase).collect();
        let is_secret = |word: &str| {
            let word = word.to_lowercase();
            sent.iter().any(|text| text.contains(&word))
        };
        Answer::read(&body, texts.len(), is_secret).map_err(wrong)
    }

    async fn refused(&self, response: Response, query: &str, texts: &[&str]) -> Failure {
        let status = response.status();
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let body = timeout(MAX_REFUSAL_TIME, read(response, MAX_REFUSAL_BYTES)).await;
        let key = self.key.map(Key::expose);
        let sent: Vec<&str> = texts.iter().copied().chain([query]).chain(key).collect();
        let body = match body {
            Ok(Ok(Some(body))) => body,
            Ok(Ok(None) | Err(_)) | Err(_) => Vec::new(),
        };
        let mut cause = refusal::meaning(status, self.shape).to_owned();
        if let Some(word) = refusal::word(&body, &sent) {
            cause.push_str(", ");
            cause.push_str(&word);
        }
        if refusal::may_be_too_much(status.as_u16())
            && let Some(message) = refusal::message(&body, &sent)
        {
            cause.push_str(", ");
            cause.push_str(&message);
        }
        let is_busy = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        );
        if is_busy && let Some(wait) = retry_after {
            cause.push_str(&format!(", asks to wait {} s", wait.as_secs()));
        }
        let error = RerankError::Refused {
            host: self.host(),
            status: status.as_u16(),
            cause,
        };
        if is_busy {
            Failure::Busy { error, retry_after }
        } else {
            Failure::Final(error)
        }
    }

    fn unanswered(&self, error: &reqwest::Error) -> RerankError {
        let (host, cause) = (self.host(), root_cause(error));
        if error.is_connect() {
            RerankError::Connect { host, cause }
        } else {
            RerankError::Broken { host, cause }
        }
    }

    fn host(&self) -> String {
        host(self.endpoint)
    }
}

impl Failure {
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Failure::Final(_) => None,
            Failure::Busy { retry_after, .. } => *retry_after,
        }
    }

    fn into_error(self) -> RerankError {
        match self {
            Failure::Final(error) | Failure::Busy { error, .. } => error,
        }
    }
}

/// Reads the body; `None` if it is longer than `max_bytes`.
async fn read(mut response: Response, max_bytes: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await? {
        if body.len() + part.len() > max_bytes {
            return Ok(None);
        }
        body.extend_from_slice(&part);
    }
    Ok(Some(body))
}

/// Returns how long the server asks to wait: seconds, or until a date, which may have passed.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = value.parse().ok().map(Duration::from_secs);
    let date = || httpdate::parse_http_date(value).ok();
    seconds.or_else(|| date().map(|date| date.duration_since(now).unwrap_or_default()))
}

/// Returns the first cause, which says what happened. The errors above it describe the operation, and contain the whole
/// address.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    //! The wait that a server requests.

    use super::*;

    #[test]
    fn seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("it is a date");
        for (value, expected) in [
            ("3", Some(3)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun Nov  6 08:49:38 1994", Some(1)),
            ("Sat, 05 Nov 1994 08:49:37 GMT", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().expect(value))]);
            let wait = retry_after(&headers, now);
            assert_eq!(wait, expected.map(Duration::from_secs), "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
