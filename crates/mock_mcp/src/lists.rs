//! Lists, as a whole or in pages.

use agentci_protocols::jsonrpc::RpcError;
use serde_json::{Map, Value};

use crate::answer::{INVALID_PARAMS, ServerRequest};
use crate::server_state::{ServerState, declared, declared_tools};

impl ServerState {
    /// Answers the list method of a request.
    pub(crate) fn list(&self, asked: &ServerRequest) -> Result<Value, RpcError> {
        let script = &self.script;
        let resources = |key: &str, templates: bool| {
            let wanted = script.resources.iter().filter(|resource| resource.is_template() == templates);
            wanted.map(|resource| declared(key, &resource.uri.value, &resource.declared)).collect()
        };
        let (key, entries): (&str, Vec<Value>) = match asked.method.as_str() {
            "tools/list" => ("tools", declared_tools(script)),
            "prompts/list" => {
                let prompts = script.prompts.iter();
                ("prompts", prompts.map(|prompt| declared("name", &prompt.name.value, &prompt.declared)).collect())
            }
            "resources/list" => ("resources", resources("uri", false)),
            _ => ("resourceTemplates", resources("uriTemplate", true)),
        };
        self.page(key, entries, asked)
    }

    /// The requested page. Its cursor is the number of entries before it.
    fn page(&self, key: &str, mut entries: Vec<Value>, asked: &ServerRequest) -> Result<Value, RpcError> {
        let first = match asked.params.get("cursor") {
            None | Some(Value::Null) => 0,
            Some(cursor) => {
                let number = cursor.as_str().and_then(|text| text.parse::<usize>().ok());
                number
                    .filter(|first| *first < entries.len() && self.script.page.is_some())
                    .ok_or_else(|| RpcError::new(INVALID_PARAMS, format!("unknown cursor {cursor}")))?
            }
        };
        let size = self.script.page.unwrap_or(usize::MAX);
        let next = first.checked_add(size).filter(|next| *next < entries.len());
        let entries: Vec<Value> = entries.drain(first..next.unwrap_or(entries.len())).collect();
        let mut result = Map::new();
        result.insert(key.to_owned(), entries.into());
        result.extend(next.map(|next| ("nextCursor".to_owned(), next.to_string().into())));
        Ok(Value::Object(result))
    }
}
