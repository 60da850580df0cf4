//! Calls of clients: they wait for a free thread, and are dropped when they are cancelled.

use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use tokio::sync::Semaphore;

use crate::caller::{self, Caller};
use crate::lines::Lines;
use crate::tools::{self, Call};
use crate::{CALLS_AT_ONCE, ServeError, Served};

/// Methods that are known, so that a request for one of them has parameters of the wrong form.
const KNOWN: [&str; 4] = ["initialize", "ping", "tools/call", "tools/list"];

/// Answers the client on standard input and output until it closes standard input.
///
/// # Errors
/// [`ServeError::Client`].
pub(crate) async fn serve(served: Arc<Served>) -> Result<(), ServeError> {
    let lines = Lines::new(tokio::io::stdin(), tokio::io::stdout());
    let has_ended = lines.has_ended();
    let running = match Connection::new(served).serve(lines).await {
        Ok(running) => running,
        // It asked for nothing.
        Err(_) if has_ended.is_cancelled() => return Ok(()),
        Err(error) => return Err(ServeError::Client(error.to_string())),
    };
    let ended = running.waiting().await;
    ended
        .map(drop)
        .map_err(|error| ServeError::Client(error.to_string()))
}

/// What answers clients. Clones share the threads.
#[derive(Clone)]
pub(crate) struct Connection {
    served: Arc<Served>,
    free: Arc<Semaphore>,
}

impl Connection {
    pub fn new(served: Arc<Served>) -> Connection {
        // One call of a reranker would stop another.
        let n_at_once = if served.asks_outside() {
            1
        } else {
            CALLS_AT_ONCE
        };
        Connection {
            served,
            free: Arc::new(Semaphore::new(n_at_once)),
        }
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("memlens", env!("CARGO_PKG_VERSION")))
            .with_instructions("Searches the user's memory notes. Use memory_search for a question, memory_get to read a result, and memory_why if a note that should be found is missing.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let cancelled = context.ct.clone();
        let caller = caller_of(&context);
        // Only what is needed waits: a request may be large.
        drop(context);
        let name = memlens_params::brief(&request.name).into_owned();
        let Some(call) = Call::new(&request.name, request.arguments.unwrap_or_default()) else {
            let unknown = format!("there is no tool {name:?}; tools/list lists the tools");
            return Err(ErrorData::invalid_params(unknown, None));
        };
        let call = match call {
            Ok(call) => call,
            Err(refused) => return Ok(failed(&refused.to_string())),
        };
        let stopped = || ErrorData::invalid_request("the call was cancelled", None);
        let permit = tokio::select! {
            permit = self.free.clone().acquire_owned() => permit.map_err(|_| stopped())?,
            () = cancelled.cancelled() => return Err(stopped()),
        };
        let served = self.served.clone();
        let mut answering = tokio::task::spawn_blocking(move || {
            let answer = call.answer(&served, &caller);
            drop(permit);
            answer
        });
        let answer = tokio::select! {
            answer = &mut answering => answer,
            () = cancelled.cancelled() => {
                // Another call may be asking already.
                if !answering.is_finished() {
                    self.served.library.cancel_asking();
                }
                return Err(stopped());
            }
        };
        match answer {
            Ok(Ok(answer)) => {
                let text = ContentBlock::text(answer.to_string());
                Ok(CallToolResult::success(vec![text]).into())
            }
            Ok(Err(refused)) => Ok(failed(&refused.to_string())),
            Err(error) => {
                tracing::error!(%error, tool = name, "a call failed");
                Err(ErrorData::internal_error(
                    "the call failed; see the log",
                    None,
                ))
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = memlens_params::brief(&request.method);
        if KNOWN.contains(&request.method.as_str()) {
            let wrong = format!("the parameters of {method} have the wrong form");
            return Err(ErrorData::invalid_params(wrong, None));
        }
        let unknown = format!("there is no method {method}");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, unknown, None))
    }
}

/// The client of a request: as the request itself says, which it may since 2026; else over HTTP as the route found it, and on
/// standard input as it introduced itself.
fn caller_of(context: &RequestContext<RoleServer>) -> Caller {
    let mut found = match context.extensions.get::<http::request::Parts>() {
        Some(request) => request.extensions.get().cloned().unwrap_or_default(),
        None => {
            let introduced = context.peer.peer_info();
            let name = introduced.and_then(|info| caller::name(&info.client_info.name));
            Caller { name, agent: None }
        }
    };
    let said = context.meta.client_info();
    if let Some(name) = said.and_then(|info| caller::name(&info.name)) {
        found.name = Some(name);
    }
    found
}

/// An answer that the agent reads as a failure of its call.
fn failed(why: &str) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(why.to_owned())]).into()
}
