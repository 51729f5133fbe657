//! One call: sends a request and receives everything that belongs to it until its reply.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::error::McpError;
use super::http::{Http, Posting};
use super::rounds::answer_question;
use super::router::{CallEvent, Router};
use super::stdio::StdioServer;
use agentci_protocols::jsonrpc::{self, RpcError};
use agentci_protocols::mcp::{ElicitationAnswer, ServerMessages};

/// The transport to a server.
#[derive(Debug)]
pub(super) enum McpLink {
    Stdio(StdioServer),
    Http(Arc<Http>),
}

/// A transport and the calls in progress on it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) router: Arc<Router>,
    pub(super) transport: McpLink,
}

#[derive(Debug, Clone)]
pub(super) struct McpRequest {
    pub(super) method: &'static str,
    /// If they contain `_meta`, the request asks for progress notifications.
    pub(super) params: Map<String, Value>,
    /// Additional headers of an HTTP request.
    pub(super) headers: Vec<(String, String)>,
    /// Whether the server is notified if the call is dropped.
    pub(super) may_cancel: bool,
}

/// The result of a call, and the size of the message in bytes.
#[derive(Debug)]
pub(super) struct CallReply {
    pub(super) result: Value,
    pub(super) size: usize,
}

impl Link {
    /// Sends a request. `answers` is the number of answers for questions of the server.
    pub(super) fn begin(&self, mut request: McpRequest, answers: usize) -> PendingCall {
        let (id, arrivals) = self.router.open(answers);
        if let Some(meta) = request.params.get_mut("_meta").and_then(Value::as_object_mut) {
            meta.insert("progressToken".into(), id.into());
        }
        let message = jsonrpc::request(id, request.method, &request.params);
        let way = match &self.transport {
            McpLink::Stdio(stdio) => {
                stdio.send(message);
                LinkKind::Stdio(stdio.sender())
            }
            McpLink::Http(http) => LinkKind::Http(http.begin(id, message, request.headers)),
        };
        PendingCall { id, arrivals, way, router: Arc::clone(&self.router), told: !request.may_cancel }
    }

    /// Sends a notification.
    pub(super) async fn tell(&self, method: &str) -> Result<(), McpError> {
        let message = jsonrpc::notification(method, Map::new());
        match &self.transport {
            McpLink::Stdio(stdio) => stdio.send(message),
            McpLink::Http(http) => http.tell(message).await?,
        }
        Ok(())
    }
}

/// A call in progress. Dropping it before its reply cancels it.
#[derive(Debug)]
pub(super) struct PendingCall {
    id: u64,
    arrivals: UnboundedReceiver<CallEvent>,
    way: LinkKind,
    router: Arc<Router>,
    /// Whether the server needs no cancellation.
    told: bool,
}

#[derive(Debug)]
enum LinkKind {
    Stdio(UnboundedSender<Vec<u8>>),
    Http(Posting),
}

impl PendingCall {
    /// Waits for the reply, and answers questions of the server in the meantime.
    pub(super) async fn finish(
        mut self,
        answers: &mut VecDeque<ElicitationAnswer>,
        received: &mut ServerMessages,
    ) -> Result<CallReply, McpError> {
        loop {
            match self.arrivals.recv().await.unwrap_or(CallEvent::Failed(McpError::Closed)) {
                CallEvent::Notification(notification) => received.notifications.push(notification),
                CallEvent::Refused(method) => received.refused.push(method),
                CallEvent::Question(id, question) => match answer_question(question, answers, received) {
                    Ok(answer) => self.answer(jsonrpc::reply(&id, Ok(answer))).await?,
                    Err(error) => {
                        let refusal = RpcError::new(jsonrpc::INTERNAL_ERROR, "no answer is available");
                        let _ = self.answer(jsonrpc::reply(&id, Err(refusal))).await;
                        return Err(error);
                    }
                },
                CallEvent::Reply(outcome, size) => {
                    self.told = true;
                    if let LinkKind::Http(posting) = &mut self.way {
                        posting.answered = true;
                    }
                    return Ok(CallReply { result: outcome?, size });
                }
                CallEvent::Failed(error) => {
                    self.told = !matches!(error, McpError::TooMuch { .. });
                    return Err(error);
                }
            }
        }
    }

    async fn answer(&self, message: Vec<u8>) -> Result<(), McpError> {
        match &self.way {
            LinkKind::Stdio(outgoing) => {
                let _ = outgoing.send(message);
                Ok(())
            }
            LinkKind::Http(posting) => posting.http.tell(message).await,
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        self.router.close(self.id);
        if self.told {
            return;
        }
        let params = Map::from_iter([
            ("requestId".to_owned(), self.id.into()),
            ("reason".to_owned(), "the client stopped waiting".into()),
        ]);
        let message = jsonrpc::notification("notifications/cancelled", params);
        match &self.way {
            LinkKind::Stdio(outgoing) => drop(outgoing.send(message)),
            LinkKind::Http(posting) => posting.cancel(message),
        }
    }
}
