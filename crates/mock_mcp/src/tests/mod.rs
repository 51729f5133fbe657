//! Tests of servers over standard input and output.

mod calls;
mod faults;
mod questions;
mod sessions;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentci_formats::load_mcp_script;
use agentci_plan::mcp_script::McpScript;
use agentci_protocols::mcp::versions::{META_CAPABILITIES, META_LOG_LEVEL, META_VERSION, MODERN};
use agentci_source::{MemoryFiles, Sources};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex, split};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{ServerEvent, ServerState, serve};

fn script(text: &str) -> McpScript {
    let files = MemoryFiles::default().with("shop.mcp.yaml", text);
    load_mcp_script(&files, &mut Sources::default(), Path::new("shop.mcp.yaml")).unwrap()
}

fn state(text: &str) -> (Arc<ServerState>, UnboundedReceiver<ServerEvent>) {
    let (to, seen) = unbounded_channel();
    (Arc::new(ServerState::new(Arc::new(script(text)), Some(Box::new(to))).unwrap()), seen)
}

/// A client at the other end.
pub(crate) struct Peer {
    lines: Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    output: tokio::io::WriteHalf<DuplexStream>,
    seen: UnboundedReceiver<ServerEvent>,
    asked: u64,
}

impl Peer {
    fn new(script: &str) -> Self {
        let (state, seen) = state(script);
        Self::with(state, seen)
    }

    /// A client of another server.
    pub(crate) fn on(server: impl FnOnce(UnboundedSender<ServerEvent>) -> ServerState) -> Self {
        let (to, seen) = unbounded_channel();
        Self::with(Arc::new(server(to)), seen)
    }

    fn with(state: Arc<ServerState>, seen: UnboundedReceiver<ServerEvent>) -> Self {
        let (here, there) = duplex(1 << 20);
        let (input, output) = split(there);
        tokio::spawn(serve(state, BufReader::new(input), output));
        let (input, output) = split(here);
        Self { lines: BufReader::new(input).lines(), output, seen, asked: 0 }
    }

    /// A client after the handshake, with these capabilities.
    async fn greeted(script: &str, capabilities: Value) -> Self {
        let mut peer = Self::new(script);
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": { "name": "t", "version": "1" } });
        let greeting = peer.ask("initialize", params).await;
        assert_eq!(greeting["result"]["protocolVersion"], "2025-06-18");
        peer.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        peer
    }

    /// All events until now.
    pub(crate) fn all_seen(&mut self) -> Vec<ServerEvent> {
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }

    async fn say(&mut self, message: &Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn send(&mut self, method: &str, params: Value) {
        self.asked += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        self.say(&message).await;
    }

    async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    async fn line(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await;
        line.expect("nothing is said").unwrap().unwrap()
    }

    /// Sends a request, and returns the next message.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params).await;
        self.hear().await
    }

    /// Calls a tool, and returns the text of its result, or its error.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        text(&answer)
    }

    /// Sends a request of the revision without a handshake.
    pub(crate) async fn ask_modern(&mut self, method: &str, mut params: Value, capabilities: Value) -> Value {
        params["_meta"] = json!({ META_VERSION: MODERN, META_CAPABILITIES: capabilities });
        if let Some(level) = params.as_object_mut().unwrap().remove("level") {
            params["_meta"][META_LOG_LEVEL] = level;
        }
        self.ask(method, params).await
    }
}

fn text(answer: &Value) -> String {
    if let Some(error) = answer.get("error") {
        return format!("{}: {}", error["code"], error["message"].as_str().unwrap());
    }
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    if result["isError"] == true { format!("isError: {text}") } else { text.to_owned() }
}
