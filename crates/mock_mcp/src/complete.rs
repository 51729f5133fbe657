//! `completion/complete`: completions for arguments of prompts and variables of URI templates.

use agentci_protocols::jsonrpc::RpcError;
use serde_json::{Value, json};

use crate::answer::{INVALID_PARAMS, ServerRequest};
use crate::server_state::ServerState;

/// The maximum number of values in an answer.
const MOST: usize = 100;

impl ServerState {
    pub(crate) fn complete(&self, asked: &ServerRequest) -> Result<Value, RpcError> {
        let wrong = || RpcError::new(INVALID_PARAMS, "`completion/complete` needs `ref` and `argument`");
        let field = |of: &str, key: &str| asked.params.get(of).and_then(|value| value.get(key)).and_then(Value::as_str);
        let name = field("argument", "name").ok_or_else(wrong)?;
        let begun = field("argument", "value").unwrap_or_default();
        let known = if field("ref", "type").ok_or_else(wrong)? == "ref/prompt" {
            let wanted = field("ref", "name").ok_or_else(wrong)?;
            let prompt = self.script.prompts.iter().find(|prompt| prompt.name.value == wanted);
            prompt.map(|prompt| &prompt.complete)
        } else {
            let wanted = field("ref", "uri").ok_or_else(wrong)?;
            let resource = self.script.resources.iter().find(|resource| resource.uri.value == wanted);
            resource.map(|resource| &resource.complete)
        };
        let known = known.ok_or_else(|| RpcError::new(INVALID_PARAMS, "`ref` names an unknown prompt or resource"))?;
        let values = known.iter().find(|(of, _)| of == name).map(|(_, values)| values.as_slice()).unwrap_or_default();
        let fitting: Vec<&String> = values.iter().filter(|value| value.starts_with(begun)).collect();
        let total = fitting.len();
        let shown: Vec<&String> = fitting.into_iter().take(MOST).collect();
        Ok(json!({ "completion": { "values": shown, "total": total, "hasMore": total > MOST } }))
    }
}
