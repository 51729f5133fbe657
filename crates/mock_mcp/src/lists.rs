//! Lists, whole or page by page.

use agentci_protocols::jsonrpc::RpcError;
use serde_json::{Map, Value};

use crate::answer::{Asked, INVALID_PARAMS};
use crate::mind::{Mind, named};

impl Mind {
    pub(crate) fn list_tools(&self, asked: &Asked<'_>) -> Result<Value, RpcError> {
        let tools = self.script.tools.iter().map(|tool| named(&tool.name.value, &tool.declared));
        self.page("tools", tools.collect(), asked)
    }

    pub(crate) fn list_prompts(&self, asked: &Asked<'_>) -> Result<Value, RpcError> {
        let prompts = self.script.prompts.iter().map(|prompt| named(&prompt.name.value, &prompt.declared));
        self.page("prompts", prompts.collect(), asked)
    }

    pub(crate) fn list_resources(&self, asked: &Asked<'_>) -> Result<Value, RpcError> {
        self.page("resources", self.addressed("uri", false), asked)
    }

    pub(crate) fn list_templates(&self, asked: &Asked<'_>) -> Result<Value, RpcError> {
        self.page("resourceTemplates", self.addressed("uriTemplate", true), asked)
    }

    /// Resources, or templates of them, with their addresses.
    fn addressed(&self, key: &str, templates: bool) -> Vec<Value> {
        let wanted = self.script.resources.iter().filter(|resource| resource.is_template() == templates);
        let entry = |uri: &str, declared: &Map<String, Value>| {
            let mut entry = Map::new();
            entry.insert(key.to_owned(), uri.into());
            entry.extend(declared.clone());
            Value::Object(entry)
        };
        wanted.map(|resource| entry(&resource.uri.value, &resource.declared)).collect()
    }

    /// The page that is asked for. Its cursor is the number of entries before it.
    fn page(&self, key: &str, mut entries: Vec<Value>, asked: &Asked<'_>) -> Result<Value, RpcError> {
        let first = match asked.params.get("cursor") {
            None | Some(Value::Null) => 0,
            Some(cursor) => {
                let number = cursor.as_str().and_then(|text| text.parse::<usize>().ok());
                number
                    .filter(|first| *first < entries.len() && self.script.page.is_some())
                    .ok_or_else(|| RpcError::new(INVALID_PARAMS, format!("there is no page {cursor}")))?
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
