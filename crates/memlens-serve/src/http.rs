//! The server over HTTP: MCP at `/mcp` and the reranker of the ranking, for clients with the token.
//!
//! Each connection carries one request and has a time limit, so that a client that stops reading or sending holds nothing for
//! long.

mod guard;
mod mcp;
mod rerank;

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use self::guard::{Guard, Refusal};
use self::mcp::Mcp;
use self::rerank::{Form, INFO, Rerank, form_of};
use crate::connection::Connection;
use crate::{STOP_WAIT, ServeError, Served, Serving, Stop, Token};

/// Path of MCP.
const MCP: &str = "/mcp";
/// Path of the reranker that most programs know.
const RERANK: &str = "/v1/rerank";
/// Connections that are served at once; later ones wait in the system's queue.
const CONNECTIONS_AT_ONCE: usize = 64;
/// Time for a client to send the head of its request.
const HEAD_WAIT: Duration = Duration::from_secs(10);
/// Time for a whole connection: its request, the wait for a free thread, the answer.
const CONNECTION_MAX: Duration = Duration::from_secs(300);
/// Pause before the next attempt if the system refuses a connection, as when it has no more files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Body of an answer.
type Answer = BoxBody<Bytes, Infallible>;

/// A server at its address, not yet answering.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
}

impl HttpServer {
    /// Takes the address; with port 0, a free port of the system's choice.
    ///
    /// # Errors
    /// [`ServeError::Address`] if the address cannot be used.
    pub fn bind(address: SocketAddr, token: Token) -> Result<HttpServer, ServeError> {
        let listening = TcpListener::bind(address).and_then(|listener| {
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        });
        let (listener, address) =
            listening.map_err(|cause| ServeError::Address { address, cause })?;
        Ok(HttpServer {
            listener,
            address,
            token,
        })
    }

    /// Address of MCP for a client.
    pub fn url(&self) -> String {
        format!("http://{}{MCP}", self.address)
    }

    /// Address of the reranker for a client, in the form of Cohere and Jina.
    pub fn rerank_url(&self) -> String {
        format!("http://{}{RERANK}", self.address)
    }

    /// Answers clients until it is stopped. Calls that run then get 5 seconds for their answers, and 5 more to end.
    ///
    /// # Errors
    /// [`ServeError::Start`].
    pub fn serve(self, serving: Serving, stop: &Stop) -> Result<(), ServeError> {
        // One thread waits for the reranker.
        crate::run(serving, 1, async |served| self.answer(served, stop).await)
    }

    async fn answer(self, served: Arc<Served>, stop: &Stop) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let routes = Arc::new(Routes {
            guard: Guard::new(self.token, self.address.ip()),
            mcp: Mcp::new(Connection::new(served.clone())),
            rerank: Rerank::new(served),
        });
        let free = Arc::new(Semaphore::new(CONNECTIONS_AT_ONCE));
        let mut connections = JoinSet::new();
        let accept = async {
            loop {
                let permit = free.clone().acquire_owned().await;
                let accepted = listener.accept().await;
                while connections.try_join_next().is_some() {}
                match accepted {
                    Ok((stream, _)) => {
                        let connection = connection(stream, routes.clone(), stop.clone());
                        connections.spawn(async move {
                            connection.await;
                            drop(permit);
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        };
        tokio::select! {
            () = accept => {}
            () = stop.stopped() => {}
        }
        drop(listener);
        let all = async { while connections.join_next().await.is_some() {} };
        if timeout(STOP_WAIT, all).await.is_err() {
            tracing::warn!("the server stops with calls that have not ended");
        }
        Ok(())
    }
}

/// What all connections share.
struct Routes {
    guard: Guard,
    mcp: Mcp,
    rerank: Rerank,
}

impl Routes {
    async fn answer(&self, request: Request<Incoming>) -> Response<Answer> {
        let path = request.uri().path();
        let form = form_of(path);
        let agent = match self.guard.check(request.uri(), request.headers()) {
            Ok(agent) => agent,
            Err(refusal) => return refused(form, refusal),
        };
        match (path, form) {
            (INFO, _) if request.method() == Method::GET => self.rerank.info(agent).await,
            (INFO, _) => {
                let status = StatusCode::METHOD_NOT_ALLOWED;
                rerank::error(Form::Tei, status, "Validation", "send the request by GET")
            }
            (_, Some(form)) if request.method() == Method::POST => {
                self.rerank.answer(form, agent, request).await
            }
            (_, Some(form)) => {
                let status = StatusCode::METHOD_NOT_ALLOWED;
                rerank::error(form, status, "Validation", "send the request by POST")
            }
            (MCP, None) => self.mcp.answer(request, agent).await,
            (_, None) => {
                let why = format!(
                    "there is nothing here; MCP is at {MCP}, the reranker at {RERANK}, /v2/rerank and /rerank, what it is at {INFO}"
                );
                error(StatusCode::NOT_FOUND, &why)
            }
        }
    }
}

/// The answer to a request that may not reach a route.
fn refused(form: Option<rerank::Form>, refusal: Refusal) -> Response<Answer> {
    let mut response = match form {
        Some(form) => rerank::error(form, refusal.status(), "Validation", refusal.why()),
        None => error(refusal.status(), refusal.why()),
    };
    if refusal == Refusal::Token {
        let scheme = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    }
    response
}

/// Serves one connection to its end.
async fn connection(stream: TcpStream, routes: Arc<Routes>, stop: Stop) {
    let service = service_fn(move |request| {
        let routes = routes.clone();
        async move { Ok::<_, Infallible>(routes.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let served = timeout(CONNECTION_MAX, async {
        tokio::select! {
            served = connection.as_mut() => served,
            () = stop.stopped() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    });
    match served.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection ended early"),
        Err(_) => tracing::warn!("a connection was closed after its time limit"),
    }
}

/// Why the body of a request cannot be used.
enum BodyProblem {
    TooLong,
    /// What ended it, for the client.
    Broken(String),
}

/// Reads the body of a request.
///
/// # Errors
/// [`BodyProblem`].
async fn read(body: Incoming, n_bytes_max: usize) -> Result<Bytes, BodyProblem> {
    let read = Limited::new(body, n_bytes_max).collect().await;
    read.map(|body| body.to_bytes()).map_err(|error| {
        if error.is::<LengthLimitError>() {
            BodyProblem::TooLong
        } else {
            BodyProblem::Broken(format!("cannot read the request: {error}"))
        }
    })
}

fn error(status: StatusCode, why: &str) -> Response<Answer> {
    json_response(status, Bytes::from(json!({"error": why}).to_string()))
}

fn json_response(status: StatusCode, body: Bytes) -> Response<Answer> {
    let mut response = Response::new(Full::new(body).boxed());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
