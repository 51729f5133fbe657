//! The client: requests and closing.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::{sleep, timeout};

use super::connect::ConnectOptions;
use super::error::McpError;
use super::link::{CallReply, Link, McpLink, McpRequest};
use super::revision::{self, Era, ServerFacts};
use super::rounds;
use agentci_process::Ending;
use agentci_protocols::mcp::headers::{self, HeaderParameters};
use agentci_protocols::mcp::versions::HEADER_MISMATCH;
use agentci_protocols::mcp::{
    CallResult, Defect, ElicitationAnswer, MalformedResultError, McpFault, Notification, PartsResult, ServerMessages,
    list, object,
};
use agentci_wire::lock;

/// Maximum number of pages of a list.
const PAGES: usize = 1_000;
/// Maximum size of all pages of a list in bytes.
const LIST_BYTES: usize = 64 << 20;
/// How often a server may request more input before it answers.
const ROUNDS: usize = 100;
/// Delay before a request is repeated when the server asks for no input.
const AGAIN: Duration = Duration::from_millis(100);

/// How the connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// How the server's process ended, if it had one.
    pub ending: Option<Ending>,
    /// Protocol violations of the server.
    pub defects: Vec<Defect>,
}

/// A connection to a server. Many calls may run concurrently; a call that is dropped is cancelled. Dropping the client
/// kills the server's process with all its descendants; [`McpClient::close`] lets it exit.
#[derive(Debug)]
pub struct McpClient {
    pub(super) link: Link,
    pub(super) options: ConnectOptions,
    pub(super) facts: ServerFacts,
    /// Held while a call starts a new session after the old one was lost.
    pub(super) renewal: tokio::sync::Mutex<()>,
    /// The tool parameters to repeat as headers; absent until the tools have been listed.
    pub(super) mirrored: Mutex<Option<HeaderParameters>>,
}

impl McpClient {
    /// What the server reported about itself.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// Protocol violations of the server so far.
    pub fn defects(&self) -> Vec<Defect> {
        self.link.router.defects()
    }

    /// Takes the notifications that belong to no call.
    pub fn notifications(&self) -> Vec<Notification> {
        self.link.router.take_stray()
    }

    /// All tools, as the server describes them.
    pub async fn list_tools(&self, limit: Duration) -> Result<Vec<Value>, McpError> {
        self.within("tools/list", limit, self.tools()).await
    }

    /// All resources, as the server describes them.
    pub async fn list_resources(&self, limit: Duration) -> Result<Vec<Value>, McpError> {
        self.within("resources/list", limit, self.list("resources/list", "resources")).await
    }

    /// All prompts, as the server describes them.
    pub async fn list_prompts(&self, limit: Duration) -> Result<Vec<Value>, McpError> {
        self.within("prompts/list", limit, self.list("prompts/list", "prompts")).await
    }

    /// Calls a tool. Each question of the server to the user gets the next answer.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: &Value,
        answers: Vec<ElicitationAnswer>,
        limit: Duration,
    ) -> Result<CallResult, McpError> {
        let params = params([("name", name.into()), ("arguments", arguments.clone())]);
        let called = async {
            let known = self.facts.era == Era::Legacy || self.is_stdio() || self.mirrored(|_| ()).is_some();
            if !known {
                // The headers of the call depend on the list of tools. A server without a list has no such headers
                // either.
                let _ = self.tools().await;
            }
            let answers = VecDeque::from(answers);
            match self.converse("tools/call", params.clone(), answers.clone()).await {
                // The tools may have changed since they were listed.
                Err(McpError::Rpc(error)) if error.code == HEADER_MISMATCH && !self.is_stdio() => {
                    self.tools().await?;
                    self.converse("tools/call", params, answers).await
                }
                outcome => outcome,
            }
        };
        let (result, received) = self.within("tools/call", limit, called).await?;
        Ok(CallResult::read(result, received)?)
    }

    /// Reads a resource. Each question of the server to the user gets the next answer.
    pub async fn read_resource(
        &self,
        uri: &str,
        answers: Vec<ElicitationAnswer>,
        limit: Duration,
    ) -> Result<PartsResult, McpError> {
        let read = self.converse("resources/read", params([("uri", uri.into())]), answers.into());
        let (result, received) = self.within("resources/read", limit, read).await?;
        Ok(PartsResult::read("resources/read", "contents", result, received)?)
    }

    /// Fills in a prompt. Each question of the server to the user gets the next answer.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: &Value,
        answers: Vec<ElicitationAnswer>,
        limit: Duration,
    ) -> Result<PartsResult, McpError> {
        let params = params([("name", name.into()), ("arguments", arguments.clone())]);
        let got = self.converse("prompts/get", params, answers.into());
        let (result, received) = self.within("prompts/get", limit, got).await?;
        Ok(PartsResult::read("prompts/get", "messages", result, received)?)
    }

    /// Closes the connection: ends the session, or the process with all its descendants.
    pub async fn close(self) -> Closing {
        let Link { router, transport } = self.link;
        let ending = match transport {
            McpLink::Stdio(stdio) => Some(stdio.close().await),
            McpLink::Http(http) => {
                http.close().await;
                None
            }
        };
        Closing { ending, defects: router.defects() }
    }

    async fn within<T>(
        &self,
        method: &str,
        limit: Duration,
        work: impl Future<Output = Result<T, McpError>>,
    ) -> Result<T, McpError> {
        timeout(limit, Box::pin(work)).await.unwrap_or_else(|_| {
            let (noise, stderr_tail) = (self.link.router.noise(), Vec::new());
            Err(McpError::TimedOut { method: method.into(), limit, noise, stderr_tail })
        })
    }

    fn is_stdio(&self) -> bool {
        matches!(self.link.transport, McpLink::Stdio(_))
    }

    fn mirrored<T>(&self, read: impl FnOnce(&HeaderParameters) -> T) -> Option<T> {
        lock(&self.mirrored).as_ref().map(read)
    }

    /// The tools, without those for which the headers of a modern request cannot be built.
    async fn tools(&self) -> Result<Vec<Value>, McpError> {
        let tools = self.list("tools/list", "tools").await?;
        if self.is_stdio() || self.facts.era == Era::Legacy {
            return Ok(tools);
        }
        let (tools, mirrored) = headers::mirror(tools, |name, reason| {
            self.link.router.defect(McpFault::InvalidTool, reason, name.as_bytes());
        });
        *lock(&self.mirrored) = Some(mirrored);
        Ok(tools)
    }

    async fn list(&self, method: &'static str, name: &str) -> Result<Vec<Value>, McpError> {
        let mut items = Vec::new();
        let (mut cursor, mut size) = (None, 0);
        for _ in 0..PAGES {
            let params = params([("cursor", cursor.take().unwrap_or_default())]);
            let reply = self.ask(method, params, &mut VecDeque::new(), &mut ServerMessages::default()).await?;
            size += reply.size;
            if size > LIST_BYTES {
                return Err(McpError::TooMuch { what: "bytes in one list", limit: LIST_BYTES });
            }
            let mut result = object(method, reply.result)?;
            items.extend(list(method, &mut result, name)?);
            match result.shift_remove("nextCursor") {
                None | Some(Value::Null) => return Ok(items),
                next => cursor = next,
            }
        }
        Err(McpError::TooMuch { what: "pages in one list", limit: PAGES })
    }

    /// Repeats a request until the server has all the input it requires.
    async fn converse(
        &self,
        method: &'static str,
        params: Map<String, Value>,
        mut answers: VecDeque<ElicitationAnswer>,
    ) -> Result<(Value, ServerMessages), McpError> {
        let mut received = ServerMessages::default();
        let mut more = Map::new();
        for _ in 0..ROUNDS {
            let mut params = params.clone();
            params.append(&mut more);
            let result = self.ask(method, params, &mut answers, &mut received).await?.result;
            match result.get("resultType").and_then(Value::as_str) {
                None | Some("complete") => return Ok((result, received)),
                Some("input_required") => more = rounds::respond(result, &mut answers, &mut received)?,
                Some(other) => {
                    return Err(MalformedResultError::new(method, &format!("its `resultType` is `{other}`")).into());
                }
            }
            if !more.contains_key("inputResponses") {
                sleep(AGAIN).await;
            }
        }
        Err(McpError::TooMuch { what: "requests for more input", limit: ROUNDS })
    }

    /// Sends a request; if the session is lost, again in a new one.
    async fn ask(
        &self,
        method: &'static str,
        params: Map<String, Value>,
        answers: &mut VecDeque<ElicitationAnswer>,
        received: &mut ServerMessages,
    ) -> Result<CallReply, McpError> {
        let mut headers = Vec::new();
        if self.facts.era == Era::Modern && !self.is_stdio() {
            headers = revision::modern_headers(method);
            headers.extend(headers::of_call(&params));
            headers.extend(self.mirrored(|mirrored| mirrored.headers(&params)).unwrap_or_default());
        }
        let params = self.options.params(self.facts.era, params);
        let request = McpRequest { method, params, headers, may_cancel: true };
        let session = self.session_id();
        match self.link.begin(request.clone(), answers.len()).finish(answers, received).await {
            Err(McpError::SessionLost) => {
                self.renew(session.as_deref(), received).await?;
                self.link.begin(request, answers.len()).finish(answers, received).await
            }
            outcome => outcome,
        }
    }

    /// The session id of a legacy server over HTTP.
    pub fn session_id(&self) -> Option<String> {
        match &self.link.transport {
            McpLink::Http(http) => http.session(),
            McpLink::Stdio(_) => None,
        }
    }

    async fn renew(&self, lost: Option<&str>, received: &mut ServerMessages) -> Result<(), McpError> {
        let _alone = self.renewal.lock().await;
        let McpLink::Http(http) = &self.link.transport else { return Ok(()) };
        if http.session().as_deref() == lost {
            http.forget();
            revision::greet(&self.link, &self.options, received).await?;
        }
        Ok(())
    }
}

/// The parameters that are not null.
fn params<const N: usize>(named: [(&str, Value); N]) -> Map<String, Value> {
    named.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}
