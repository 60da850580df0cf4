//! Messages that are no requests of the protocol, and the errors that answer them.

use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;

/// Longest message in bytes.
pub(crate) const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Why a message cannot be used.
pub(crate) struct Unusable {
    code: ErrorCode,
    why: String,
    id: Option<RequestId>,
    /// Whether it is a notification, which JSON-RPC does not answer.
    pub is_notification: bool,
}

impl Unusable {
    /// The problem of a text that is no message of the protocol.
    pub fn new(text: &[u8]) -> Unusable {
        let read = match serde_json::from_slice::<Value>(text) {
            Ok(read) => read,
            Err(error) => {
                let why = format!("the message is not JSON: {error}");
                return Unusable::without_id(ErrorCode::PARSE_ERROR, why);
            }
        };
        let id = read.get("id").cloned();
        let is_notification = id.is_none() && read.get("method").is_some();
        let why = if read.is_array() {
            "batches are not supported; send one message at a time"
        } else {
            "the message is not a request of JSON-RPC 2.0"
        };
        Unusable {
            code: ErrorCode::INVALID_REQUEST,
            why: why.to_owned(),
            id: id.and_then(|id| serde_json::from_value(id).ok()),
            is_notification,
        }
    }

    /// The problem of a message with more than [`MESSAGE_BYTES_MAX`] bytes.
    pub fn too_long() -> Unusable {
        let why = format!("the message has more than {MESSAGE_BYTES_MAX} bytes");
        Unusable::without_id(ErrorCode::INVALID_REQUEST, why)
    }

    /// The problem of a call with the id of one that is not answered yet. Its error has no id, because that would answer the other.
    pub fn id_in_use(message: &RxJsonRpcMessage<RoleServer>) -> Unusable {
        let id = match message {
            JsonRpcMessage::Request(request) => request.id.to_string(),
            JsonRpcMessage::Response(_)
            | JsonRpcMessage::Error(_)
            | JsonRpcMessage::Notification(_) => String::new(),
        };
        let id = memlens_params::brief(&id);
        let why = format!(
            "the id {id} is that of a call that is not answered yet; give each call an id of its own"
        );
        Unusable::without_id(ErrorCode::INVALID_REQUEST, why)
    }

    /// A problem of the connection, for which no request is known.
    pub fn without_id(code: ErrorCode, why: String) -> Unusable {
        Unusable {
            code,
            why,
            id: None,
            is_notification: false,
        }
    }

    /// The error that answers the message.
    pub fn message(self) -> TxJsonRpcMessage<RoleServer> {
        JsonRpcMessage::error(ErrorData::new(self.code, self.why, None), self.id)
    }
}

/// A message as JSON. JSON-RPC 2.0 requires the id of an error, also where it is unknown; `rmcp` leaves it out.
///
/// # Errors
/// That of the serializer.
pub(crate) fn to_json(message: &TxJsonRpcMessage<RoleServer>) -> serde_json::Result<Vec<u8>> {
    match message {
        JsonRpcMessage::Error(error) if error.id.is_none() => {
            let mut error = serde_json::to_value(error)?;
            error["id"] = Value::Null;
            serde_json::to_vec(&error)
        }
        JsonRpcMessage::Error(_)
        | JsonRpcMessage::Request(_)
        | JsonRpcMessage::Response(_)
        | JsonRpcMessage::Notification(_) => serde_json::to_vec(message),
    }
}
