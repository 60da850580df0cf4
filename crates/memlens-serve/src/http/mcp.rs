//! MCP over HTTP: one message in each request, answered in its response. A session is an id that holds the client's name, so
//! nothing of a client that goes away is left.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Answer, BodyProblem, json_response, read};
use crate::caller::{self, Caller};
use crate::connection::Connection;
use crate::unusable::{MESSAGE_BYTES_MAX, Unusable, to_json};

/// Header with the id of a session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The route of MCP.
#[derive(Clone)]
pub(crate) struct Mcp(StreamableHttpService<Connection, NeverSessionManager>);

impl Mcp {
    pub fn new(connection: Connection) -> Mcp {
        // The guard has checked host and origin, for all routes alike.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MESSAGE_BYTES_MAX)
            .disable_allowed_hosts();
        Mcp(StreamableHttpService::new(
            move || Ok(connection.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        ))
    }

    /// Answers a request. Unlike `rmcp`, with an error of JSON-RPC if its body is no message. `agent` is the one whose token the
    /// request has.
    pub async fn answer(
        &self,
        request: Request<Incoming>,
        agent: Option<&'static str>,
    ) -> Response<Answer> {
        if request.method() != Method::POST {
            return self.0.handle(request).await;
        }
        let (mut parts, body) = request.into_parts();
        let body = match read(body, MESSAGE_BYTES_MAX).await {
            Ok(body) => body,
            Err(BodyProblem::TooLong) => {
                return refused(StatusCode::PAYLOAD_TOO_LARGE, Unusable::too_long());
            }
            Err(BodyProblem::Broken(why)) => {
                let unusable = Unusable::without_id(ErrorCode::INVALID_REQUEST, why);
                return refused(StatusCode::BAD_REQUEST, unusable);
            }
        };
        let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(&body) else {
            return refused(StatusCode::BAD_REQUEST, Unusable::new(&body));
        };
        let session = parts.headers.get(SESSION);
        let name = session.and_then(|id| caller::name_in_session(id.as_bytes()));
        parts.extensions.insert(Caller { name, agent });
        let request = Request::from_parts(parts, Full::new(body));
        let mut response = self.0.handle(request).await;
        if response.status().is_success()
            && let Some(id) = introduced(&message).and_then(|name| caller::session_id(&name))
            && let Ok(id) = HeaderValue::try_from(id)
        {
            response.headers_mut().insert(SESSION, id);
        }
        response
    }
}

/// The name by which a client introduces itself.
fn introduced(message: &ClientJsonRpcMessage) -> Option<String> {
    let JsonRpcMessage::Request(request) = message else {
        return None;
    };
    let ClientRequest::InitializeRequest(begins) = &request.request else {
        return None;
    };
    caller::name(&begins.params.client_info.name)
}

fn refused(status: StatusCode, unusable: Unusable) -> Response<Answer> {
    let body = to_json(&unusable.message()).expect("an error can always be written as JSON");
    json_response(status, Bytes::from(body))
}
