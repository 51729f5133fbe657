//! Tools of MCP servers. The first call of a tool connects to its server, which all its tools share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agentci_mcp::{self as mcp, ConnectOptions, McpClient, McpEndpoint, McpError};
use agentci_plan::{McpTool, McpTransport, UnsetVariableError};
use agentci_source::print_duration;
use serde_json::Value;
use tokio::sync::Mutex;

use super::command::{ToolCallError, fill_command, fill_pairs};

/// The servers of a case.
#[derive(Debug, Default)]
pub(super) struct ToolServers(Vec<Arc<LazyToolServer>>);

/// A server that is connected to on first use.
#[derive(Debug)]
pub(super) struct LazyToolServer {
    place: mcp::ServerAddress,
    client: Mutex<Option<Arc<McpClient>>>,
}

impl ToolServers {
    /// The server of a tool; tools with the same address share a server.
    pub(super) fn of(
        &mut self,
        tool: &McpTool,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<LazyToolServer>, UnsetVariableError> {
        let place = place(tool, lookup)?;
        if let Some(known) = self.0.iter().find(|server| server.place == place) {
            return Ok(Arc::clone(known));
        }
        let server = Arc::new(LazyToolServer { place, client: Mutex::default() });
        self.0.push(Arc::clone(&server));
        Ok(server)
    }

    /// Ends every server that was started.
    pub(super) async fn close(self) {
        for server in self.0 {
            let client = server.client.lock().await.take();
            if let Some(client) = client.and_then(Arc::into_inner) {
                client.close().await;
            }
        }
    }
}

impl LazyToolServer {
    /// Calls a tool. If the server has stopped, the next call starts it again.
    pub(super) async fn call(&self, tool: &str, args: &Value, limit: Duration) -> Result<Value, ToolCallError> {
        let begun = Instant::now();
        let client = {
            let mut slot = self.client.lock().await;
            if let Some(client) = &*slot {
                Arc::clone(client)
            } else {
                let connected = McpClient::connect(self.place.clone(), ConnectOptions::default(), limit).await;
                Arc::clone(slot.insert(Arc::new(connected.map_err(|error| words(&error, limit))?)))
            }
        };
        let left = limit.saturating_sub(begun.elapsed());
        match client.call_tool(tool, args, Vec::new(), left).await {
            Ok(result) if result.is_error => {
                let text = result.text();
                Err(if text.is_empty() { "it failed".to_owned() } else { text }.into())
            }
            Ok(result) => Ok(result.value().into_owned()),
            Err(error) => {
                if matches!(error, McpError::Died { .. } | McpError::Closed | McpError::SessionLost) {
                    self.client.lock().await.take();
                }
                Err(words(&error, limit))
            }
        }
    }
}

fn words(error: &McpError, limit: Duration) -> ToolCallError {
    match error {
        McpError::NotStarted(words) => ToolCallError::NotStarted(words.clone()),
        McpError::TimedOut { noise: None, .. } => format!("no answer within {}", print_duration(limit)).into(),
        other => other.to_string().into(),
    }
}

fn place(tool: &McpTool, lookup: &dyn Fn(&str) -> Option<String>) -> Result<mcp::ServerAddress, UnsetVariableError> {
    match &tool.transport {
        McpTransport::Stdio { command, environment } => {
            fill_command(command, environment, lookup).map(mcp::ServerAddress::Stdio)
        }
        McpTransport::Http(url) => {
            let headers = fill_pairs(&tool.headers, lookup)?;
            Ok(mcp::ServerAddress::Http(McpEndpoint { url: url.value.fill(lookup)?, headers, credentials: None }))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_plan::{CommandPart, LiveTool, LiveTools, Text};
    use agentci_source::{Sources, Span, Spanned};
    use serde_json::json;

    use crate::tools::Toolbox;

    use super::*;

    /// A server that answers each call with its process id and `WHO`, exits if the tool is `leave`, and fails if it is
    /// `fail`.
    const SERVER: &str = r#"
read discover; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}'
read initialize; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}'
read initialized
id=3
while read -r call; do
    case $call in
        *'"name":"leave"'*) echo 'goodbye' >&2; exit 4;;
        *'"name":"fail"'*) result='"content":[{"type":"text","text":"no such city"}],"isError":true';;
        *) result='"content":[],"structuredContent":{"process":'$$',"who":"'$WHO'"}';;
    esac
    echo '{"jsonrpc":"2.0","id":'$id',"result":{'$result'}}'
    id=$((id + 1))
done
    "#;

    fn tool(name: &str, called: Option<&str>, who: &str) -> (Spanned<String>, LiveTool) {
        let span = Span::whole(Sources::default().add(Path::new("a"), ""));
        let parts = ["sh", "-c", SERVER].map(|part| CommandPart { text: Text::Literal(part.into()), file: None });
        let environment = vec![("WHO".into(), Text::parse(who))];
        let tool = McpTool {
            transport: McpTransport::Stdio { command: parts.into(), environment },
            headers: Vec::new(),
            tool: called.map(str::to_owned),
            timeout: Duration::from_secs(30),
            span,
        };
        (Spanned::new(name.into(), span), LiveTool::Mcp(tool))
    }

    async fn open(tools: Vec<(Spanned<String>, LiveTool)>) -> Toolbox {
        let live = LiveTools { tools, ..LiveTools::default() };
        Toolbox::open(&live, &[], &[], &|name| (name == "NAME").then(|| "Ann".into())).await.unwrap()
    }

    #[tokio::test]
    async fn tools_with_same_server_share_one_process() {
        let tools = vec![tool("search", None, "${NAME}"), tool("find", None, "Ann"), tool("other", None, "Bob")];
        let toolbox = open(tools).await;
        let call = async |name| toolbox.call("c", name, &json!({})).await.unwrap().unwrap();
        let (search, find, other) = (call("search").await, call("find").await, call("other").await);
        assert_eq!((&search["who"], &other["who"]), (&json!("Ann"), &json!("Bob")));
        assert_eq!(search["process"], find["process"]);
        assert_ne!(search["process"], other["process"]);
        toolbox.close().await;
    }

    #[tokio::test]
    async fn reports_tool_error_and_restarts_exited_server() {
        let tools = vec![tool("weather", Some("fail"), "A"), tool("quit", Some("leave"), "A"), tool("ok", None, "A")];
        let toolbox = open(tools).await;
        assert_eq!(toolbox.call("c", "weather", &json!({})).await, Ok(Err("no such city".into())));
        let words = toolbox.call("c", "quit", &json!({})).await.unwrap().unwrap_err();
        assert!(words.contains("exit code 4") && words.contains("goodbye"), "{words}");
        assert_eq!(toolbox.call("c", "ok", &json!({})).await.unwrap().unwrap()["who"], "A");
        toolbox.close().await;
    }

    #[tokio::test]
    async fn reports_server_that_fails_to_start() {
        let (name, mut absent) = tool("search", None, "A");
        if let LiveTool::Mcp(McpTool { transport: McpTransport::Stdio { command, .. }, .. }) = &mut absent {
            command[0].text = Text::Literal("no-such-server".into());
        }
        let toolbox = open(vec![(name, absent)]).await;
        let error = toolbox.call("c", "search", &json!({})).await.unwrap_err();
        assert_eq!(error.message, "the tool `search` cannot be started: program `no-such-server` not found");
        toolbox.close().await;
    }
}
