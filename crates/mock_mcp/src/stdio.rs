//! The server on standard input and output, with one message per line.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::mcp_script::LogLevel;
use agentci_protocols::jsonrpc::{self, JsonRpcMessage, PARSE_ERROR, RpcError, reply_value};
use agentci_protocols::mcp::versions::LEGACY;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};

use crate::answer::{AnswerEra, ServerRequest};
use crate::client::{ClientLine, Outgoing, ServedClient};
use crate::modern::{Meta, is_modern};
use crate::{faults::remains, server_state::ServerState};

/// The maximum length of a line, in bytes.
const LONGEST: u64 = 64 << 20;
/// How long open requests may take after the end of the input.
const GRACE: Duration = Duration::from_secs(10);

/// Serves a client until its input ends.
pub async fn serve<I, O>(state: Arc<ServerState>, mut input: I, output: O) -> io::Result<()>
where
    I: AsyncBufRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (to, out) = unbounded_channel();
    let line = ClientLine(to);
    let writer = tokio::spawn(write(out, output));
    let mut session = StdioSession::new(state, line);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if (&mut input).take(LONGEST).read_until(b'\n', &mut bytes).await? == 0 {
            break;
        }
        if bytes.len() as u64 == LONGEST && !bytes.ends_with(b"\n") {
            session.refuse(format!("a message is larger than {} MiB", LONGEST >> 20));
            skip_line(&mut input).await?;
            continue;
        }
        session.take(&bytes);
    }
    // Open requests are still answered, within a limit: the client can no longer answer questions.
    let _ = tokio::time::timeout(GRACE, async { while session.tasks.join_next().await.is_some() {} }).await;
    drop(session);
    writer.await?
}

async fn skip_line<I: AsyncBufRead + Unpin>(input: &mut I) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf().await?;
        let (end, length) = (bytes.iter().position(|byte| *byte == b'\n'), bytes.len());
        input.consume(end.map_or(length, |end| end + 1));
        if end.is_some() || length == 0 {
            return Ok(());
        }
    }
}

async fn write<O: AsyncWrite + Unpin>(mut out: UnboundedReceiver<Outgoing>, mut output: O) -> io::Result<()> {
    while let Some(outgoing) = out.recv().await {
        let line = match outgoing {
            Outgoing::Message(message) => format!("{message}\n"),
            Outgoing::Spoilt { text, spoilt } => format!("{}\n", remains(&text, spoilt)),
            Outgoing::Close => continue,
        };
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

/// The only client, and its open requests.
struct StdioSession {
    state: Arc<ServerState>,
    line: ClientLine,
    client: Arc<ServedClient>,
    tasks: JoinSet<()>,
    running: BTreeMap<String, AbortHandle>,
}

impl StdioSession {
    fn new(state: Arc<ServerState>, line: ClientLine) -> Self {
        let client = Arc::new(ServedClient::new(LEGACY[0], json!({}), Some(LogLevel::Debug)));
        Self { state, line, client, tasks: JoinSet::new(), running: BTreeMap::new() }
    }

    fn take(&mut self, bytes: &[u8]) {
        if bytes.trim_ascii().is_empty() {
            return;
        }
        match jsonrpc::read(bytes) {
            Ok(messages) => messages.into_iter().for_each(|message| self.one(message)),
            Err(error) => self.refuse(error.to_string()),
        }
    }

    fn refuse(&self, words: String) {
        self.line.send(Outgoing::Message(reply_value(&Value::Null, Err(RpcError::new(PARSE_ERROR, words)))));
    }

    fn one(&mut self, message: JsonRpcMessage) {
        match message {
            JsonRpcMessage::Reply { id, outcome } => self.client.answered(&id, outcome),
            JsonRpcMessage::Notification { method, params } => {
                if method == "notifications/cancelled"
                    && let Some(task) = self.running.remove(&params["requestId"].to_string())
                {
                    task.abort();
                }
            }
            JsonRpcMessage::Request { id, method, params } => {
                let params = params.as_object().cloned().unwrap_or_default();
                if method == "initialize" && !is_modern(&method, &params) {
                    let (client, greeting) = self.state.greet(&params);
                    self.client = Arc::new(client);
                    self.line.send(Outgoing::Message(reply_value(&id, Ok(greeting))));
                    return;
                }
                self.running.retain(|_, task| !task.is_finished());
                let (era, client) = match is_modern(&method, &params).then(|| Meta::of(&params)?.client()) {
                    None => (AnswerEra::Legacy, Arc::clone(&self.client)),
                    Some(Ok(client)) => (AnswerEra::Modern, Arc::new(client)),
                    Some(Err(error)) => {
                        return self.line.send(Outgoing::Message(reply_value(&id, Err(error))));
                    }
                };
                let key = id.to_string();
                let asked = ServerRequest { id, method, params, era, client, line: self.line.clone() };
                let task = self.tasks.spawn(Arc::clone(&self.state).respond(asked));
                self.running.insert(key, task);
            }
        }
    }
}
