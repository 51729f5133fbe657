//! Detects the protocol revision of a server, and builds the requests of each revision.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::connect::ConnectOptions;
use super::discovery::strings;
use super::error::McpError;
use super::link::{CallReply, Link, McpLink, McpRequest};
use agentci_protocols::mcp::versions::{
    HEADER_MISMATCH, LEGACY, META_CAPABILITIES, META_CLIENT, META_LOG_LEVEL, META_VERSION, MISSING_CAPABILITY, MODERN,
    UNSUPPORTED_VERSION,
};
use agentci_protocols::mcp::{MalformedResultError, ServerMessages, object};

/// The two eras of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28: no handshake, every request is self-contained.
    Modern,
    /// 2024-11-05 to 2025-11-25: a handshake first.
    Legacy,
}

/// What is known about a connected server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerFacts {
    /// The era of the protocol.
    pub era: Era,
    /// The protocol version.
    pub version: String,
    /// Its name and version as reported; null if not reported.
    pub server: Value,
    pub capabilities: Value,
    /// Its instructions for use.
    pub instructions: Option<String>,
}

impl ConnectOptions {
    /// The parameters of a request, with the metadata that the era requires.
    pub(super) fn params(&self, era: Era, mut params: Map<String, Value>) -> Map<String, Value> {
        let mut meta = Map::new();
        if era == Era::Modern {
            meta.insert(META_VERSION.into(), MODERN.into());
            meta.insert(META_CLIENT.into(), self.client_info());
            meta.insert(META_CAPABILITIES.into(), capabilities());
            if let Some(level) = &self.log_level {
                meta.insert(META_LOG_LEVEL.into(), level.as_str().into());
            }
        }
        params.insert("_meta".into(), meta.into());
        params
    }

    fn client_info(&self) -> Value {
        json!({ "name": self.name, "version": self.version })
    }

    fn discover(&self) -> McpRequest {
        let mut params = self.params(Era::Modern, Map::new());
        if let Some(meta) = params.get_mut("_meta").and_then(Value::as_object_mut) {
            meta.shift_remove(META_LOG_LEVEL);
        }
        let headers = modern_headers("server/discover");
        // A legacy server might handle a cancellation as badly as the request.
        McpRequest { method: "server/discover", params, headers, may_cancel: false }
    }

    fn initialize(&self) -> McpRequest {
        let version = ("protocolVersion", LEGACY[0].into());
        let fields = [version, ("capabilities", capabilities()), ("clientInfo", self.client_info())];
        let params = fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        McpRequest { method: "initialize", params, headers: Vec::new(), may_cancel: false }
    }
}

fn capabilities() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} } })
}

/// The headers of every modern request.
pub(super) fn modern_headers(method: &str) -> Vec<(String, String)> {
    vec![("mcp-protocol-version".into(), MODERN.into()), ("mcp-method".into(), method.into())]
}

/// Detects the era of the server, unless it is given, and performs the handshake if there is one.
pub(super) async fn negotiate(
    link: &Link,
    options: &ConnectOptions,
    given: Option<Era>,
    received: &mut ServerMessages,
) -> Result<ServerFacts, McpError> {
    let facts = match (&link.transport, given) {
        (_, Some(Era::Legacy)) => None,
        (McpLink::Stdio(_), None) => over_stdio(link, options, received).await?,
        _ => at_once(link, options, received).await?,
    };
    match (facts, given) {
        (Some(facts), _) => Ok(facts),
        (None, Some(Era::Modern)) => Err(McpError::NoCommonVersion { versions: vec!["only older versions".into()] }),
        (None, _) => match (greet(link, options, received).await, &link.transport) {
            // It may be a server of the 2024 revision, which has no `initialize` at this URL.
            (Err(error @ McpError::Status { status: 400 | 404 | 405, .. }), McpLink::Http(http)) => {
                http.go_back().await.map_err(|_| error)?;
                greet(link, options, received).await
            }
            (outcome, _) => outcome,
        },
    }
}

/// The handshake of the legacy era.
pub(super) async fn greet(
    link: &Link,
    options: &ConnectOptions,
    received: &mut ServerMessages,
) -> Result<ServerFacts, McpError> {
    let reply = link.begin(options.initialize(), 0).finish(&mut VecDeque::new(), received).await?;
    greeted(link, options, reply, received).await
}

async fn greeted(
    link: &Link,
    options: &ConnectOptions,
    reply: CallReply,
    received: &mut ServerMessages,
) -> Result<ServerFacts, McpError> {
    let facts = legacy_facts(reply)?;
    if let McpLink::Http(http) = &link.transport {
        http.adopt(&facts.version);
    }
    link.tell("notifications/initialized").await?;
    if let McpLink::Http(http) = &link.transport {
        http.listen();
    }
    if let Some(level) = options.log_level.as_ref().filter(|_| facts.capabilities.get("logging").is_some()) {
        let params = Map::from_iter([("level".to_owned(), level.as_str().into())]);
        let request = McpRequest { method: "logging/setLevel", params, headers: Vec::new(), may_cancel: true };
        link.begin(request, 0).finish(&mut VecDeque::new(), received).await?;
    }
    Ok(facts)
}

/// Sends the modern request; `None` if the server needs the legacy handshake. A server that does not answer is sent
/// both, because it may only be slow to start; its answer decides.
async fn over_stdio(
    link: &Link,
    options: &ConnectOptions,
    received: &mut ServerMessages,
) -> Result<Option<ServerFacts>, McpError> {
    let (mut nothing, mut also_nothing) = (VecDeque::new(), VecDeque::new());
    let (mut early, mut late) = (ServerMessages::default(), ServerMessages::default());
    let facts = {
        let mut discover = Box::pin(link.begin(options.discover(), 0).finish(&mut nothing, &mut early));
        match timeout(options.silence, &mut discover).await {
            Ok(outcome) => recognise(outcome),
            Err(_silent) => {
                let greeting = link.begin(options.initialize(), 0);
                let mut greeting = Box::pin(greeting.finish(&mut also_nothing, &mut late));
                tokio::select! {
                    outcome = &mut discover => match recognise(outcome)? {
                        Some(facts) => Ok(Some(facts)),
                        None => Ok(Some(greeted(link, options, greeting.await?, received).await?)),
                    },
                    outcome = &mut greeting => match outcome {
                        Ok(reply) => Ok(Some(greeted(link, options, reply, received).await?)),
                        // A server that rejects the handshake may still answer the modern request.
                        Err(refusal @ McpError::Rpc(_)) => match recognise(discover.await)? {
                            Some(facts) => Ok(Some(facts)),
                            None => Err(refusal),
                        },
                        Err(error) => Err(error),
                    },
                }
            }
        }
    };
    received.notifications.extend(early.notifications);
    received.notifications.extend(late.notifications);
    facts
}

/// Sends the modern request and waits for the answer; `None` if the server needs the legacy handshake.
async fn at_once(
    link: &Link,
    options: &ConnectOptions,
    received: &mut ServerMessages,
) -> Result<Option<ServerFacts>, McpError> {
    let mut outcome = link.begin(options.discover(), 0).finish(&mut VecDeque::new(), received).await;
    if outcome.as_ref().is_err_and(names_modern) {
        // The server rejected a version that it claims to support: try once more.
        outcome = link.begin(options.discover(), 0).finish(&mut VecDeque::new(), received).await;
    }
    match outcome {
        // A status without a message: the server does not support such requests.
        Err(McpError::Status { status: 200..=499, .. }) => Ok(None),
        outcome => recognise(outcome),
    }
}

fn names_modern(error: &McpError) -> bool {
    matches!(error, McpError::Rpc(error) if error.code == UNSUPPORTED_VERSION
        && error.data.as_ref().is_some_and(|data| strings(&data["supported"]).iter().any(|version| version == MODERN)))
}

/// Interprets the answer to the modern request: a modern server, `None` for one that needs the legacy handshake, or an
/// error.
fn recognise(outcome: Result<CallReply, McpError>) -> Result<Option<ServerFacts>, McpError> {
    match outcome {
        Ok(reply) => {
            let versions = strings(&reply.result["supportedVersions"]);
            Ok(versions.iter().any(|version| version == MODERN).then(|| modern_facts(&reply.result)))
        }
        Err(McpError::Rpc(error)) if error.code == UNSUPPORTED_VERSION => {
            let versions = strings(&error.data.unwrap_or_default()["supported"]);
            let legacy = versions.is_empty() || versions.iter().any(|version| LEGACY.contains(&version.as_str()));
            if legacy { Ok(None) } else { Err(McpError::NoCommonVersion { versions }) }
        }
        Err(McpError::Rpc(rpc)) if !matches!(rpc.code, HEADER_MISMATCH | MISSING_CAPABILITY) => Ok(None),
        Err(error) => Err(error),
    }
}

fn modern_facts(result: &Value) -> ServerFacts {
    ServerFacts {
        era: Era::Modern,
        version: MODERN.into(),
        // Drafts of the revision had it at the top level.
        server: match &result["_meta"]["io.modelcontextprotocol/serverInfo"] {
            Value::Null => result["serverInfo"].clone(),
            server => server.clone(),
        },
        capabilities: result["capabilities"].clone(),
        instructions: result["instructions"].as_str().map(str::to_owned),
    }
}

fn legacy_facts(reply: CallReply) -> Result<ServerFacts, McpError> {
    let mut result = object("initialize", reply.result)?;
    let version = result.get("protocolVersion").and_then(Value::as_str).map(str::to_owned);
    let Some(version) = version else {
        return Err(MalformedResultError::new("initialize", "`protocolVersion` is missing").into());
    };
    if !LEGACY.contains(&version.as_str()) {
        return Err(McpError::NoCommonVersion { versions: vec![version] });
    }
    Ok(ServerFacts {
        era: Era::Legacy,
        version,
        server: result.shift_remove("serverInfo").unwrap_or_default(),
        capabilities: result.shift_remove("capabilities").unwrap_or_default(),
        instructions: result.get("instructions").and_then(Value::as_str).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentci_protocols::jsonrpc::RpcError;

    fn said(result: Value) -> Result<Option<ServerFacts>, McpError> {
        recognise(Ok(CallReply { result, size: 0 }))
    }

    fn refused(code: i64, data: Value) -> Result<Option<ServerFacts>, McpError> {
        recognise(Err(McpError::Rpc(RpcError { code, message: String::new(), data: Some(data) })))
    }

    #[test]
    fn modern_server_must_list_the_modern_revision() {
        let facts = said(json!({ "supportedVersions": ["2025-11-25", MODERN], "capabilities": { "tools": {} } }));
        assert_eq!(facts.unwrap().unwrap().era, Era::Modern);
        assert_eq!(said(json!({ "supportedVersions": ["2025-11-25"] })), Ok(None));
        assert_eq!(said(json!({})), Ok(None));
        assert_eq!(said(json!("what?")), Ok(None));
    }

    #[test]
    fn discovery_error_means_legacy_unless_error_is_modern() {
        for code in [-32601, -32602, -32600, 0] {
            assert_eq!(refused(code, Value::Null), Ok(None), "{code}");
        }
        assert_eq!(refused(UNSUPPORTED_VERSION, json!({ "supported": ["2025-06-18", "2030-01-01"] })), Ok(None));
        assert_eq!(
            refused(UNSUPPORTED_VERSION, json!({ "supported": ["2030-01-01"] })),
            Err(McpError::NoCommonVersion { versions: vec!["2030-01-01".into()] })
        );
        assert!(matches!(refused(MISSING_CAPABILITY, Value::Null), Err(McpError::Rpc(_))));
    }
}
