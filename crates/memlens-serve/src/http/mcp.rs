//! MCP over HTTP: one message in each request, answered in its response. There are no sessions, so nothing of a client
//! that goes away is left.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Answer, BodyProblem, json_response, read};
use crate::connection::Connection;
use crate::unusable::{MESSAGE_BYTES_MAX, Unusable, to_json};

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

    /// Answers a request. Unlike `rmcp`, with an error of JSON-RPC if its body is no message.
    pub async fn answer(&self, request: Request<Incoming>) -> Response<Answer> {
        if request.method() != Method::POST {
            return self.0.handle(request).await;
        }
        let (parts, body) = request.into_parts();
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
        if serde_json::from_slice::<ClientJsonRpcMessage>(&body).is_err() {
            return refused(StatusCode::BAD_REQUEST, Unusable::new(&body));
        }
        let request = Request::from_parts(parts, Full::new(body));
        self.0.handle(request).await
    }
}

fn refused(status: StatusCode, unusable: Unusable) -> Response<Answer> {
    let body = to_json(&unusable.message()).expect("an error can always be written as JSON");
    json_response(status, Bytes::from(body))
}
