//! Answers `resources/read`, for resources and resource templates.

use agentci_plan::mcp_script::{Resource, ResourceContent};
use agentci_protocols::jsonrpc::RpcError;
use serde_json::{Map, Value, json};

use crate::answer::{AnswerEra, INVALID_PARAMS, ServerRequest};
use crate::{server_state::ServerState, variables::AnswerVariables};

/// The error code of older revisions.
const RESOURCE_NOT_FOUND: i64 = -32002;

impl ServerState {
    pub(crate) fn read_resource(&self, asked: &ServerRequest) -> Result<Value, RpcError> {
        let uri = asked.text("uri")?;
        let plain = |resource: &&Resource| !resource.is_template() && resource.uri.value == uri;
        let found = self.script.resources.iter().find(plain).map(|resource| (resource, Map::new()));
        let of_template = || {
            let templates = self.script.resources.iter().filter(|resource| resource.is_template());
            templates.into_iter().find_map(|resource| Some((resource, parts(&resource.uri.value, uri)?)))
        };
        let Some((resource, parts)) = found.or_else(of_template) else {
            self.missed(uri, format!("unknown resource `{uri}`"));
            let code = if asked.era == AnswerEra::Modern { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
            return Err(RpcError { data: Some(json!({ "uri": uri })), ..RpcError::new(code, "Resource not found") });
        };
        let mut content = json!({ "uri": uri });
        if let Some(kind) = resource.declared.get("mimeType") {
            content["mimeType"] = kind.clone();
        }
        match &resource.holds {
            ResourceContent::Text(text) => {
                content["text"] = AnswerVariables { arguments: &parts, answers: &Map::new() }.fill(text)?;
            }
            ResourceContent::Blob(blob) => content["blob"] = blob.as_str().into(),
        }
        Ok(json!({ "contents": [content] }))
    }
}

/// The values of a template's variables in a URI, if it matches the template. A value does not contain `/`.
fn parts(template: &str, uri: &str) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    let (mut template, mut uri) = (template, uri);
    while let Some((before, rest)) = template.split_once('{') {
        let (name, after) = rest.split_once('}')?;
        uri = uri.strip_prefix(before)?;
        let literal = after.split('{').next().expect("a split has a first part");
        let end = if literal.is_empty() { uri.len() } else { uri.find(literal)? };
        let (value, left) = uri.split_at(end);
        if value.is_empty() || value.contains('/') {
            return None;
        }
        found.insert(name.to_owned(), value.into());
        (template, uri) = (after, left);
    }
    (template == uri).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extracts_uri_template_variables() {
        let of = |template, uri| parts(template, uri).map(|parts| Value::Object(parts).to_string());
        assert_eq!(of("a://{id}/data", "a://12/data").as_deref(), Some(r#"{"id":"12"}"#));
        assert_eq!(of("a://{x}/{y}", "a://1/2").as_deref(), Some(r#"{"x":"1","y":"2"}"#));
        assert_eq!(of("a://{x}", "a://"), None);
        assert_eq!(of("a://{x}", "a://1/2"), None);
        assert_eq!(of("a://{x}/data", "a://1/date"), None);
        assert_eq!(of("a://{x}/data", "b://1/data"), None);
        assert_eq!(of("a://{x", "a://1"), None);
    }
}
