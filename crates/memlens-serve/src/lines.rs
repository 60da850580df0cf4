//! Messages of the protocol as lines of JSON on a pair of streams.
//!
//! Unlike the transport of `rmcp`, this one answers a line that it cannot use with an error, and reads no further while too
//! many calls wait: a client that sends and never reads cannot fill the memory.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::unusable::{MESSAGE_BYTES_MAX, Unusable, to_json};

/// Memory for a line that is kept after it was read, in bytes.
const LINE_BYTES_KEPT: usize = 64 * 1024;
/// Calls that were read and not answered yet.
const CALLS_WAITING_MAX: usize = 1_024;

/// The calls that were read and not answered yet.
#[derive(Default)]
struct Waiting {
    ids: Mutex<HashSet<RequestId>>,
    answered: Notify,
}

impl Waiting {
    fn remove(&self, id: &RequestId) {
        self.ids.lock().remove(id);
        self.answered.notify_one();
    }
}

/// A client on a pair of streams.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of the line is dropped, because it is too long.
    is_dropping: bool,
    write: Arc<tokio::sync::Mutex<W>>,
    waiting: Arc<Waiting>,
    /// Error to be written before the next line is read.
    unusable: Option<TxJsonRpcMessage<RoleServer>>,
    /// The error that is being written. It is a task of its own, because `receive` may be dropped in the middle of a line.
    refusing: Option<JoinHandle<io::Result<()>>>,
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    pub fn new(read: R, write: W) -> Lines<R, W> {
        Lines {
            read: BufReader::new(read),
            line: Vec::new(),
            is_dropping: false,
            write: Arc::new(tokio::sync::Mutex::new(write)),
            waiting: Arc::default(),
            unusable: None,
            refusing: None,
            ended: CancellationToken::new(),
        }
    }

    /// Is cancelled once the client has closed its stream.
    pub fn has_ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Reads one line into `self.line`. Returns false at the end of the stream. Can be dropped at any await.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let read = self.read.fill_buf().await?;
            if read.is_empty() {
                return Ok(false);
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let n_read = end.map_or(read.len(), |end| end + 1);
            if !self.is_dropping {
                self.line.extend_from_slice(&read[..n_read]);
                self.is_dropping = self.line.len() > MESSAGE_BYTES_MAX;
            }
            self.read.consume(n_read);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Takes the line that was read. `None` if it needs no answer.
    fn message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_dropping) {
            self.unusable = Some(Unusable::too_long().message());
            return None;
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        let message = match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(text) {
            Ok(message) => Some(message),
            Err(_) => {
                let unusable = Unusable::new(text);
                if !unusable.is_notification {
                    self.unusable = Some(unusable.message());
                }
                None
            }
        };
        if line.capacity() <= LINE_BYTES_KEPT {
            self.line = line;
            self.line.clear();
        }
        message
    }

    /// Notes what a message means for the calls that wait. Returns false for a call with the id of one that waits: `rmcp` would
    /// answer only one of them.
    fn note(&self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                return self.waiting.ids.lock().insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                // A cancelled call is not answered.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        true
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (write, waiting) = (self.write.clone(), self.waiting.clone());
        async move {
            let id = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            // Before the client can read the answer, because its next call may have the same id.
            let free_id = || {
                if let Some(id) = &id {
                    waiting.remove(id);
                }
            };
            write_line(&write, &message, free_id).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(error) = self.unusable.take() {
                let write = self.write.clone();
                self.refusing = Some(tokio::spawn(async move {
                    write_line(&write, &error, || ()).await
                }));
            }
            if let Some(refusing) = &mut self.refusing {
                let written = refusing.await;
                self.refusing = None;
                written.ok()?.ok()?;
            }
            while self.waiting.ids.lock().len() >= CALLS_WAITING_MAX {
                self.waiting.answered.notified().await;
            }
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) => {
                    self.ended.cancel();
                    return None;
                }
                Err(error) => {
                    tracing::error!(%error, "cannot read from the client");
                    self.ended.cancel();
                    return None;
                }
            }
            if let Some(message) = self.message() {
                if self.note(&message) {
                    return Some(message);
                }
                self.unusable = Some(Unusable::id_in_use(&message).message());
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a message; `before` is called when no other message is being written.
async fn write_line<W: AsyncWrite + Unpin>(
    write: &tokio::sync::Mutex<W>,
    message: &TxJsonRpcMessage<RoleServer>,
    before: impl FnOnce(),
) -> io::Result<()> {
    let line = to_json(message);
    let mut write = write.lock().await;
    before();
    let mut line = line?;
    line.push(b'\n');
    write.write_all(&line).await?;
    write.flush().await
}
