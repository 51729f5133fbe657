//! The state that all clients of a server share: the script, the answers given so far, and the paused calls.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use agentci_plan::FaultKind;
use agentci_plan::mcp_script::McpScript;
use agentci_protocols::mcp::headers::{HeaderParameters, mirror};
use agentci_protocols::mcp::versions::META_SERVER;
use agentci_source::Span;
use serde_json::{Map, Value, json};

use crate::observer::{ServerEvent, ServerWatcher};
use crate::{paused_calls::PausedCalls, schemas::Schemas, tape::McpTape};

/// The state of a server, shared by all its clients.
#[derive(Debug, Default)]
pub struct ServerState {
    pub(crate) script: Arc<McpScript>,
    /// The schemas of the tools, in order.
    pub(crate) schemas: Vec<Schemas>,
    /// Which answers of each tool were given.
    pub(crate) given: Mutex<Vec<Vec<bool>>>,
    /// The arguments that headers repeat.
    pub(crate) mirrored: HeaderParameters,
    /// The recording, if it is served instead of the script.
    pub(crate) tape: Option<McpTape>,
    calls: AtomicU64,
    pub(crate) paused: Mutex<PausedCalls>,
    watcher: Option<Box<dyn ServerWatcher>>,
}

/// A schema that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` of the tool `{tool}` is not a valid schema: {reason}")]
pub struct SchemaError {
    /// Name of the tool.
    pub tool: String,
    /// Key of the schema.
    pub key: &'static str,
    /// Why it cannot be used.
    pub reason: String,
    /// Position of the tool in the script.
    pub span: Span,
}

impl ServerState {
    /// A server with this script; `watcher` receives its events.
    pub fn new(script: Arc<McpScript>, watcher: Option<Box<dyn ServerWatcher>>) -> Result<Self, SchemaError> {
        let schemas = script.tools.iter().map(Schemas::of).collect::<Result<Vec<_>, _>>()?;
        let given = script.tools.iter().map(|tool| vec![false; tool.answers.len()]).collect();
        let mut broken = None;
        let (_, mirrored) = mirror(declared_tools(&script), |tool, reason| broken = Some((tool.to_owned(), reason)));
        if let Some((name, reason)) = broken {
            let tool = script.tools.iter().find(|tool| tool.name.value == name);
            if let Some(span) = tool.map(|tool| tool.name.span) {
                return Err(SchemaError { tool: name, key: "inputSchema", reason, span });
            }
        }
        Ok(Self { script, schemas, given: Mutex::new(given), mirrored, watcher, ..Self::default() })
    }

    /// A server that replays a recording of a real one.
    #[must_use]
    pub fn recorded(tape: McpTape, watcher: Option<Box<dyn ServerWatcher>>) -> Self {
        let greeting = &tape.greeting;
        let server = greeting.get("serverInfo").unwrap_or(&greeting["_meta"][META_SERVER]);
        let said = |key: &str| server[key].as_str().map(str::to_owned);
        let script = McpScript {
            name: said("name").unwrap_or_else(|| "recorded".to_owned()),
            version: said("version").unwrap_or_else(|| "0".to_owned()),
            instructions: greeting["instructions"].as_str().map(str::to_owned),
            ..McpScript::default()
        };
        // The tools of the real server are listed unchanged, even if they are invalid.
        let (_, mirrored) = mirror(tape.tools(), |_, _| {});
        Self { script: Arc::new(script), mirrored, tape: Some(tape), watcher, ..Self::default() }
    }

    /// The recorded tool calls that no client made, as text.
    pub fn unused(&self) -> Vec<String> {
        self.tape.as_ref().map(McpTape::unused).unwrap_or_default()
    }

    pub(crate) fn tell(&self, seen: ServerEvent) {
        if let Some(watcher) = &self.watcher {
            watcher.saw(seen);
        }
    }

    pub(crate) fn missed(&self, of: &str, message: impl Into<String>) {
        self.tell(ServerEvent::Miss { of: of.to_owned(), message: message.into() });
    }

    /// Notifies the watcher of a client's request.
    pub(crate) fn reached(&self) {
        if let Some(watcher) = &self.watcher {
            watcher.reached();
        }
    }

    /// Reports a call, and returns its number.
    pub(crate) fn called(&self, tool: &str, arguments: Option<&Value>) -> u64 {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let arguments = arguments.filter(|arguments| !arguments.is_null()).cloned().unwrap_or_else(|| json!({}));
        self.tell(ServerEvent::Call { number, tool: tool.to_owned(), arguments });
        number
    }

    /// The fault to inject into the next call of a tool.
    pub(crate) fn fault(&self, tool: &str) -> Option<FaultKind> {
        self.watcher.as_ref()?.fault(tool)
    }
}

/// The list entries of a script's tools.
pub(crate) fn declared_tools(script: &McpScript) -> Vec<Value> {
    script.tools.iter().map(|tool| declared("name", &tool.name.value, &tool.declared)).collect()
}

/// A list entry: its name or URI, and its other keys.
pub(crate) fn declared(key: &str, name: &str, rest: &Map<String, Value>) -> Value {
    let mut entry = Map::from_iter([(key.to_owned(), name.into())]);
    entry.extend(rest.clone());
    Value::Object(entry)
}
