//! The revision without a handshake: every request describes its client, and every result its server.

use agentci_plan::mcp_script::LogLevel;
use agentci_protocols::jsonrpc::RpcError;
use agentci_protocols::mcp::versions::{
    META_CAPABILITIES, META_LOG_LEVEL, META_SERVER, META_VERSION, MODERN, UNSUPPORTED_VERSION,
};
use serde_json::{Map, Value, json};

use crate::answer::{AnswerEra, INVALID_PARAMS};
use crate::{client::ServedClient, server_state::ServerState};

/// The methods whose results have a cache lifetime.
const CACHED: [&str; 5] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"];

/// The metadata of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meta<'m> {
    pub(crate) version: &'m str,
    capabilities: &'m Value,
    level: Option<&'m str>,
}

/// Whether a request is of the revision without a handshake.
pub(crate) fn is_modern(method: &str, params: &Map<String, Value>) -> bool {
    method == "server/discover" || params.get("_meta").is_some_and(|meta| meta.get(META_VERSION).is_some())
}

impl<'m> Meta<'m> {
    /// Reads the metadata, which every request must have.
    pub(crate) fn of(params: &'m Map<String, Value>) -> Result<Self, RpcError> {
        let lacks = |key: &str| RpcError::new(INVALID_PARAMS, format!("`_meta` must have `{key}`"));
        let meta = params.get("_meta").and_then(Value::as_object).ok_or_else(|| lacks(META_VERSION))?;
        let version = meta.get(META_VERSION).and_then(Value::as_str).ok_or_else(|| lacks(META_VERSION))?;
        let capabilities = meta.get(META_CAPABILITIES).filter(|value| value.is_object());
        let capabilities = capabilities.ok_or_else(|| lacks(META_CAPABILITIES))?;
        Ok(Self { version, capabilities, level: meta.get(META_LOG_LEVEL).and_then(Value::as_str) })
    }

    /// The client, if its revision is supported.
    pub(crate) fn client(self) -> Result<ServedClient, RpcError> {
        if self.version != MODERN {
            let data = json!({ "supported": [MODERN], "requested": self.version });
            let message = format!("the protocol revision `{}` is not supported", self.version);
            return Err(RpcError { data: Some(data), ..RpcError::new(UNSUPPORTED_VERSION, message) });
        }
        Ok(ServedClient::new(MODERN, self.capabilities.clone(), self.level.and_then(LogLevel::named)))
    }
}

/// Adds the fields that every result has.
pub(crate) fn completed(mut result: Value, method: &str, server: Value) -> Value {
    if let Some(result) = result.as_object_mut() {
        result.entry("resultType").or_insert_with(|| "complete".into());
        let meta = result.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(META_SERVER.into(), server);
        }
        if CACHED.contains(&method) {
            result.insert("ttlMs".into(), 0.into());
            result.insert("cacheScope".into(), "private".into());
        }
    }
    result
}

impl ServerState {
    pub(crate) fn discovered(&self) -> Value {
        let mut result = json!({ "supportedVersions": [MODERN], "capabilities": self.capabilities(AnswerEra::Modern) });
        if let Some(instructions) = &self.script.instructions {
            result["instructions"] = instructions.as_str().into();
        }
        result
    }
}
