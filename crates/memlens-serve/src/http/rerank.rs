//! The reranker of the served ranking for other programs, in the forms of Cohere and Jina, and of text-embeddings-inference
//! (TEI), which also says what the reranker is.
//!
//! Properties checked: results are named by their place in the request and ordered by score; errors have the form of the
//! service that the client believes to call.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use memlens_library::{EngineError, TextScores, reranker_model, score_texts};
use memlens_params::Params;
use memlens_rerank::RerankError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{Answer, BodyProblem, json_response, read};
use crate::Served;
use crate::answers::QUERY_BYTES_MAX;

/// Path of what the reranker is, in the form of TEI.
pub(crate) const INFO: &str = "/info";
/// Most texts of one request.
const TEXTS_MAX: usize = 1_000;
/// Longest request in bytes.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The form of requests, answers and errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// That of Cohere, which Jina, vLLM and others follow.
    Cohere,
    /// That of text-embeddings-inference.
    Tei,
}

/// A request in the form of Cohere or Jina. Other keys are ignored, such as `model`: there is only one.
#[derive(Deserialize)]
struct CohereRequest {
    query: String,
    documents: Vec<Document>,
    top_n: Option<u64>,
    return_documents: Option<bool>,
}

/// A text, alone or as an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Text(String),
    Object { text: String },
}

/// A request in the form of TEI. Texts are always cut to what the reranker reads, whatever `truncate` says.
#[derive(Deserialize)]
struct TeiRequest {
    query: String,
    texts: Vec<String>,
    raw_scores: Option<bool>,
    return_text: Option<bool>,
}

/// What a request asks, in either form.
struct Asked {
    query: String,
    texts: Vec<String>,
    /// Most results of the answer.
    n_max: usize,
    is_raw: bool,
    returns_texts: bool,
}

/// Why a request has no scores.
struct Refused {
    status: StatusCode,
    /// Kind of the error, as TEI names it.
    kind: &'static str,
    why: String,
}

impl Refused {
    fn invalid(form: Form, why: impl Into<String>) -> Refused {
        let status = match form {
            Form::Cohere => StatusCode::BAD_REQUEST,
            Form::Tei => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Refused {
            status,
            kind: "Validation",
            why: why.into(),
        }
    }

    fn too_large(why: String) -> Refused {
        Refused {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            kind: "Validation",
            why,
        }
    }

    fn failed(form: Form, error: &EngineError) -> Refused {
        let is_given_up = matches!(error, EngineError::Rerank(error) if matches!(error, RerankError::Timeout | RerankError::Unready { .. }));
        let is_unset = matches!(error, EngineError::NoReranker { .. });
        let status = match form {
            Form::Cohere | Form::Tei if is_unset => StatusCode::NOT_IMPLEMENTED,
            Form::Tei => StatusCode::FAILED_DEPENDENCY,
            Form::Cohere if is_given_up => StatusCode::GATEWAY_TIMEOUT,
            Form::Cohere => StatusCode::BAD_GATEWAY,
        };
        Refused {
            status,
            kind: "Backend",
            why: error.to_string(),
        }
    }
}

/// The keys of a request at `/rerank` that show its form.
#[derive(Deserialize)]
struct Keys {
    documents: Option<IgnoredAny>,
    texts: Option<IgnoredAny>,
}

/// The form that clients of a path expect as long as the request is not read; `None` if it is no path of the reranker.
pub(crate) fn form_of(path: &str) -> Option<Form> {
    match path {
        "/v1/rerank" | "/v2/rerank" => Some(Form::Cohere),
        "/rerank" | INFO => Some(Form::Tei),
        _ => None,
    }
}

/// The form of a request that was read. Programs of every form use `/rerank`: those that send `documents` have that of Cohere.
fn form_of_body(form: Form, body: &[u8]) -> Form {
    if form == Form::Cohere {
        return form;
    }
    match serde_json::from_slice(body) {
        Ok(Keys {
            documents: Some(_),
            texts: None,
        }) => Form::Cohere,
        Ok(_) | Err(_) => form,
    }
}

/// An error as clients of this form read it.
pub(crate) fn error(form: Form, status: StatusCode, kind: &str, why: &str) -> Response<Answer> {
    let body = match form {
        // Cohere names it `message` and Jina `detail`.
        Form::Cohere => json!({"message": why, "detail": why}),
        Form::Tei => json!({"error": why, "error_type": kind}),
    };
    json_response(status, Bytes::from(body.to_string()))
}

/// The routes of the reranker.
pub(crate) struct Rerank {
    served: Arc<Served>,
    /// One call at a time: the reranker has one thread.
    free: Arc<Semaphore>,
}

impl Rerank {
    pub fn new(served: Arc<Served>) -> Rerank {
        Rerank {
            served,
            free: Arc::new(Semaphore::new(1)),
        }
    }

    /// Answers a request. `agent` is the one whose token it has.
    pub async fn answer(
        &self,
        form: Form,
        agent: Option<&'static str>,
        request: Request<Incoming>,
    ) -> Response<Answer> {
        let body = read(request.into_body(), BODY_BYTES_MAX).await;
        let body = body.map_err(|problem| match problem {
            BodyProblem::TooLong => {
                Refused::too_large(format!("the request has more than {BODY_BYTES_MAX} bytes"))
            }
            BodyProblem::Broken(why) => Refused::invalid(form, why),
        });
        match body {
            Ok(body) => {
                let form = form_of_body(form, &body);
                answered(form, self.scored(form, agent, &body).await)
            }
            Err(refused) => answered(form, Err(refused)),
        }
    }

    /// Answers what the reranker is, as far as TEI says it and it is true here.
    pub async fn info(&self, agent: Option<&'static str>) -> Response<Answer> {
        let model = self.call(Form::Tei, move |served, stop| {
            reranker_model(served.library, &params_of(served, agent)?, stop)
        });
        let info = model.await.map(|model| {
            json!({
                "model_id": model,
                // It has no classes to label.
                "model_type": {"reranker": {"id2label": {}, "label2id": {}}},
                "max_client_batch_size": TEXTS_MAX,
                "auto_truncate": true,
            })
        });
        answered(Form::Tei, info)
    }

    async fn scored(
        &self,
        form: Form,
        agent: Option<&'static str>,
        body: &[u8],
    ) -> Result<Value, Refused> {
        let asked = Asked::new(form, body)?;
        let scored = self.call(form, move |served, stop| {
            let params = params_of(served, agent)?;
            let scores = score_texts(served.library, &params, &asked.query, &asked.texts, stop)?;
            Ok(answer(form, &asked, &scores))
        });
        scored.await
    }

    /// Calls the reranker once no other call does.
    async fn call<A: Send + 'static>(
        &self,
        form: Form,
        work: impl FnOnce(&Served, &CancellationToken) -> Result<A, EngineError> + Send + 'static,
    ) -> Result<A, Refused> {
        let stop = CancellationToken::new();
        // A client that goes away stops its call.
        let _stopped = stop.clone().drop_guard();
        let permit = self.free.clone().acquire_owned().await;
        let served = self.served.clone();
        let working = tokio::task::spawn_blocking(move || {
            let done = work(&served, &stop);
            drop(permit);
            done
        });
        let done = working.await.map_err(|error| {
            tracing::error!(%error, "a call of the reranker failed");
            Refused {
                status: StatusCode::INTERNAL_SERVER_ERROR,
                kind: "Backend",
                why: "the call failed; see the log".to_owned(),
            }
        })?;
        done.map_err(|error| Refused::failed(form, &error))
    }
}

fn answered(form: Form, answer: Result<Value, Refused>) -> Response<Answer> {
    match answer {
        Ok(answer) => json_response(StatusCode::OK, Bytes::from(answer.to_string())),
        Err(refused) => error(form, refused.status, refused.kind, &refused.why),
    }
}

impl Asked {
    fn new(form: Form, body: &[u8]) -> Result<Asked, Refused> {
        let wrong = |error: serde_json::Error| {
            let error = error.to_string();
            let error = memlens_params::brief(&error);
            Refused::invalid(form, format!("cannot use the request: {error}"))
        };
        let asked = match form {
            Form::Cohere => {
                let asked: CohereRequest = serde_json::from_slice(body).map_err(wrong)?;
                let texts = asked.documents.into_iter().map(|document| match document {
                    Document::Text(text) | Document::Object { text } => text,
                });
                Asked {
                    query: asked.query,
                    texts: texts.collect(),
                    n_max: asked
                        .top_n
                        .map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX)),
                    is_raw: false,
                    returns_texts: asked.return_documents.unwrap_or_default(),
                }
            }
            Form::Tei => {
                let asked: TeiRequest = serde_json::from_slice(body).map_err(wrong)?;
                Asked {
                    query: asked.query,
                    texts: asked.texts,
                    n_max: usize::MAX,
                    is_raw: asked.raw_scores.unwrap_or_default(),
                    returns_texts: asked.return_text.unwrap_or_default(),
                }
            }
        };
        if asked.query.trim().is_empty() {
            return Err(Refused::invalid(form, "the query is empty"));
        }
        if asked.query.len() > QUERY_BYTES_MAX {
            return Err(Refused::too_large(format!(
                "the query has {} bytes, and at most {QUERY_BYTES_MAX} are read",
                asked.query.len()
            )));
        }
        match asked.texts.len() {
            0 => Err(Refused::invalid(form, "there are no documents to score")),
            1..=TEXTS_MAX => Ok(asked),
            n => Err(Refused::too_large(format!(
                "the request has {n} documents, and at most {TEXTS_MAX} are scored; send fewer"
            ))),
        }
    }
}

/// The parameters by which texts are scored. Another program's ranking has no reranker of the user.
///
/// # Errors
/// As [`Library::check_file`](memlens_library::Library::check_file): a replaced library has other settings and models.
fn params_of(served: &Served, agent: Option<&str>) -> Result<Params, EngineError> {
    served.library.check_file()?;
    Ok(served.ranking(agent).params().unwrap_or_default())
}

fn answer(form: Form, asked: &Asked, scored: &TextScores) -> Value {
    let value = |score: f64| {
        if asked.is_raw {
            score
        } else {
            scored.scale.to_unit(score)
        }
    };
    // A text without a score has no result.
    let scores = scored.scores.iter().enumerate();
    let mut results: Vec<(usize, f64)> = scores
        .filter_map(|(idx, score)| score.map(|score| (idx, value(score))))
        .collect();
    results.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    results.truncate(asked.n_max);
    let name = match form {
        Form::Cohere => "relevance_score",
        Form::Tei => "score",
    };
    let results = results.into_iter().map(|(idx, score)| {
        let mut result = json!({"index": idx, name: score});
        if asked.returns_texts {
            match form {
                Form::Cohere => result["document"] = json!({"text": asked.texts[idx]}),
                Form::Tei => result["text"] = asked.texts[idx].as_str().into(),
            }
        }
        result
    });
    let results: Vec<Value> = results.collect();
    match form {
        Form::Tei => results.into(),
        Form::Cohere => json!({
            "model": scored.model,
            "results": results,
            "usage": {"total_tokens": scored.n_tokens},
        }),
    }
}

#[cfg(test)]
mod tests {
    use memlens_rank::RerankScale;

    use super::*;

    fn asked(form: Form, body: &Value) -> Result<Asked, Refused> {
        Asked::new(form, body.to_string().as_bytes())
    }

    #[test]
    fn results_are_ordered_and_named_by_their_place() {
        let scored = TextScores {
            scores: vec![Some(-1.0), None, Some(2.0), Some(-1.0)],
            scale: RerankScale::Logit,
            model: "m".to_owned(),
            n_tokens: Some(9),
        };
        let documents = json!(["a", {"text": "b"}, "c", "d"]);
        let body = json!({"query": "q", "documents": documents, "model": "x", "top_n": 2, "return_documents": true});
        let asked_now = asked(Form::Cohere, &body).ok().expect("it can be used");
        let found = answer(Form::Cohere, &asked_now, &scored);
        assert_eq!(found["results"].as_array().map(Vec::len), Some(2));
        assert_eq!(found["results"][0]["index"], 2);
        assert_eq!(found["results"][0]["document"]["text"], "c");
        // Equal scores are in the order of the request.
        assert_eq!(found["results"][1]["index"], 0);
        let score = found["results"][0]["relevance_score"].as_f64();
        assert!(score.is_some_and(|score| (score - 0.880_797).abs() < 1e-6));
        assert_eq!(found["usage"]["total_tokens"], 9);
        let body = json!({"query": "q", "texts": ["a", "b", "c", "d"], "raw_scores": true, "return_text": null});
        let asked_now = asked(Form::Tei, &body).ok().expect("it can be used");
        let found = answer(Form::Tei, &asked_now, &scored);
        assert_eq!(
            found,
            json!([{"index": 2, "score": 2.0}, {"index": 0, "score": -1.0}, {"index": 3, "score": -1.0}])
        );
    }

    #[test]
    fn the_form_at_the_path_of_all_is_told_by_the_texts() {
        for (body, expected) in [
            (r#"{"query": "q", "documents": ["a"]}"#, Form::Cohere),
            (r#"{"documents": 5}"#, Form::Cohere),
            (r#"{"documents": ["a"], "texts": null}"#, Form::Cohere),
            (r#"{"query": "q", "texts": ["a"]}"#, Form::Tei),
            (r#"{"documents": ["a"], "texts": ["a"]}"#, Form::Tei),
            (r#"{"documents": null}"#, Form::Tei),
            (r#"{"query": "q"}"#, Form::Tei),
            (r#"{"documents": ["a"]"#, Form::Tei),
            (r#"["documents"]"#, Form::Tei),
            ("", Form::Tei),
        ] {
            assert_eq!(form_of_body(Form::Tei, body.as_bytes()), expected, "{body}");
            assert_eq!(
                form_of_body(Form::Cohere, body.as_bytes()),
                Form::Cohere,
                "{body}"
            );
        }
    }

    #[test]
    fn requests_out_of_limits_are_refused() {
        let check = |form, body: Value, status: u16, why: &str| {
            let refused = asked(form, &body).err().expect("it is refused");
            assert_eq!(refused.status.as_u16(), status, "{}", refused.why);
            assert!(refused.why.contains(why), "{}", refused.why);
        };
        let many = vec!["a"; TEXTS_MAX + 1];
        let long = "a".repeat(QUERY_BYTES_MAX + 1);
        check(
            Form::Cohere,
            json!({"query": "q", "documents": many}),
            413,
            "1001 documents",
        );
        check(
            Form::Tei,
            json!({"query": "q", "texts": many}),
            413,
            "1001 documents",
        );
        check(
            Form::Cohere,
            json!({"query": long, "documents": ["a"]}),
            413,
            "16385 bytes",
        );
        check(
            Form::Cohere,
            json!({"query": " ", "documents": ["a"]}),
            400,
            "query is empty",
        );
        check(
            Form::Cohere,
            json!({"query": "q", "documents": []}),
            400,
            "no documents",
        );
        check(
            Form::Tei,
            json!({"query": "q", "texts": []}),
            422,
            "no documents",
        );
        check(
            Form::Cohere,
            json!({"query": "q"}),
            400,
            "missing field `documents`",
        );
        check(
            Form::Cohere,
            json!({"query": "q", "documents": [5]}),
            400,
            "cannot use the request",
        );
        check(
            Form::Tei,
            json!({"query": "q", "documents": ["a"]}),
            422,
            "missing field `texts`",
        );
        assert!(
            asked(
                Form::Tei,
                &json!({"query": "q", "texts": vec!["a"; TEXTS_MAX]})
            )
            .is_ok()
        );
    }
}
