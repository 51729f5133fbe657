//! Dispatches a request to the method that answers it.

use std::sync::Arc;

use agentci_plan::mcp_script::LogLevel;
use agentci_protocols::jsonrpc::{METHOD_NOT_FOUND, RpcError, reply_value};
use agentci_protocols::mcp::versions::LEGACY;
use serde_json::{Map, Value, json};

use crate::client::{ClientLine, Outgoing, ServedClient};
use crate::{faults::outgoing, modern, server_state::ServerState};

/// JSON-RPC code for invalid parameters.
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// The two kinds of protocol revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerEra {
    /// With a handshake that starts a session.
    Legacy,
    /// Without a handshake: every request is self-contained.
    Modern,
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct ServerRequest {
    pub(crate) id: Value,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
    pub(crate) era: AnswerEra,
    pub(crate) client: Arc<ServedClient>,
    pub(crate) line: ClientLine,
}

impl ServerRequest {
    /// A required string parameter.
    pub(crate) fn text(&self, key: &str) -> Result<&str, RpcError> {
        let found = self.params.get(key).and_then(Value::as_str);
        found.ok_or_else(|| RpcError::new(INVALID_PARAMS, format!("`{}` needs the string `{key}`", self.method)))
    }

    /// The arguments of a call; empty if absent.
    pub(crate) fn arguments(&self) -> Result<Map<String, Value>, RpcError> {
        match self.params.get("arguments") {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(arguments)) => Ok(arguments.clone()),
            Some(_) => Err(RpcError::new(INVALID_PARAMS, "`arguments` must be an object")),
        }
    }
}

impl ServerState {
    /// Answers a request, and sends the answer to its client.
    pub(crate) async fn respond(self: Arc<Self>, asked: ServerRequest) {
        let answer = self.answer_to(&asked).await;
        asked.line.send(answer);
    }

    async fn answer_to(&self, asked: &ServerRequest) -> Outgoing {
        self.reached();
        let (outcome, spoilt) = match asked.method.as_str() {
            "tools/call" => self.call(asked).await,
            _ => (self.answer(asked).await, None),
        };
        let outcome = outcome.map(|result| match asked.era {
            AnswerEra::Legacy => result,
            AnswerEra::Modern => modern::completed(result, &asked.method, self.server_info()),
        });
        outgoing(reply_value(&asked.id, outcome), spoilt)
    }

    async fn answer(&self, asked: &ServerRequest) -> Result<Value, RpcError> {
        let offers = |any: bool| any.then_some(()).ok_or_else(|| unknown(&asked.method));
        let (tools, prompts) = (!self.script.tools.is_empty(), !self.script.prompts.is_empty());
        let resources = !self.script.resources.is_empty();
        match (asked.method.as_str(), asked.era) {
            ("server/discover", AnswerEra::Modern) => Ok(self.discovered()),
            ("ping", AnswerEra::Legacy) => Ok(json!({})),
            ("logging/setLevel", AnswerEra::Legacy) => set_level(asked),
            (method, _) if let Some(tape) = self.tape.as_ref().filter(|_| is_recorded(method)) => {
                self.replay(tape, asked)
            }
            ("tools/list", _) => offers(tools).and_then(|()| self.list(asked)),
            ("prompts/list", _) => offers(prompts).and_then(|()| self.list(asked)),
            ("resources/list" | "resources/templates/list", _) => offers(resources).and_then(|()| self.list(asked)),
            ("resources/read", _) => {
                self.offers_or_misses(resources, asked, "uri")?;
                self.read_resource(asked)
            }
            ("resources/subscribe" | "resources/unsubscribe", AnswerEra::Legacy) => {
                offers(resources || self.tape.is_some())?;
                // Resources never change, so there is nothing to notify about.
                asked.text("uri").map(|_| json!({}))
            }
            ("prompts/get", _) => {
                self.offers_or_misses(prompts, asked, "name")?;
                self.get_prompt(asked).await
            }
            ("completion/complete", _) => offers(prompts || resources).and_then(|()| self.complete(asked)),
            _ => Err(unknown(&asked.method)),
        }
    }

    /// Refuses the request if the script has none of this kind, and reports the requested name as a miss.
    fn offers_or_misses(&self, any: bool, asked: &ServerRequest, key: &str) -> Result<(), RpcError> {
        if any {
            return Ok(());
        }
        let (what, _) = asked.method.split_once('/').unwrap_or((&asked.method, ""));
        let of = asked.text(key).unwrap_or_default();
        self.missed(of, format!("the server has no {what}, but `{of}` was requested"));
        Err(unknown(&asked.method))
    }

    /// Answers `initialize`: the client with the negotiated revision, and the result.
    pub(crate) fn greet(&self, params: &Map<String, Value>) -> (ServedClient, Value) {
        self.reached();
        let wanted = params.get("protocolVersion").and_then(Value::as_str);
        let spoken = LEGACY.into_iter().find(|version| Some(*version) == wanted).unwrap_or(LEGACY[0]);
        let mut result = json!({
            "protocolVersion": spoken,
            "capabilities": self.capabilities(AnswerEra::Legacy),
            "serverInfo": self.server_info(),
        });
        if let Some(instructions) = &self.script.instructions {
            result["instructions"] = instructions.as_str().into();
        }
        let capabilities = params.get("capabilities").cloned().unwrap_or_default();
        (ServedClient::new(spoken, capabilities, Some(LogLevel::Debug)), result)
    }

    pub(crate) fn capabilities(&self, era: AnswerEra) -> Value {
        if let Some(tape) = &self.tape {
            return tape.capabilities();
        }
        let mut capabilities = Map::new();
        let mut offer = |any: bool, key: &str, value: Value| {
            if any {
                capabilities.insert(key.to_owned(), value);
            }
        };
        let (prompts, resources) = (!self.script.prompts.is_empty(), !self.script.resources.is_empty());
        offer(!self.script.tools.is_empty(), "tools", json!({}));
        offer(resources, "resources", if era == AnswerEra::Legacy { json!({ "subscribe": true }) } else { json!({}) });
        offer(prompts, "prompts", json!({}));
        offer(prompts || resources, "completions", json!({}));
        offer(true, "logging", json!({}));
        Value::Object(capabilities)
    }

    pub(crate) fn server_info(&self) -> Value {
        json!({ "name": self.script.name, "version": self.script.version })
    }
}

fn set_level(asked: &ServerRequest) -> Result<Value, RpcError> {
    let name = asked.text("level")?;
    let level = LogLevel::named(name);
    let level = level.ok_or_else(|| RpcError::new(INVALID_PARAMS, format!("unknown log level `{name}`")))?;
    asked.client.set_level(level);
    Ok(json!({}))
}

/// Whether a method is answered from the recording, if the server replays one.
fn is_recorded(method: &str) -> bool {
    ["tools/", "resources/", "prompts/", "completion/"].iter().any(|group| method.starts_with(group))
        && !matches!(method, "resources/subscribe" | "resources/unsubscribe")
}

pub(crate) fn unknown(method: &str) -> RpcError {
    RpcError::new(METHOD_NOT_FOUND, format!("the method `{method}` is not supported"))
}
