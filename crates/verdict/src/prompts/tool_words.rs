//! Describes the changes of offered tools.

use agentci_text::count_of;
use serde_json::{Map, Value, json};

use super::lines::apart;
use super::request_record::PromptTool;
use super::values::{leaves, shown};

/// The maximum number of changes of one tool that are reported.
const TOLD: usize = 5;

/// The changes in the tools of two requests, one sentence each.
pub(super) fn tool_changes(old: &[PromptTool], new: &[PromptTool]) -> Vec<String> {
    let mut said = Vec::new();
    for tool in old {
        match new.iter().find(|other| other.name == tool.name) {
            None => said.push(format!("tool `{}` is gone", tool.name)),
            Some(_) if new.iter().any(|other| other.is_same(tool)) => {}
            Some(other) => said.extend(changes(tool, other)),
        }
    }
    let is_new = |tool: &&PromptTool| !old.iter().any(|other| other.name == tool.name);
    said.extend(new.iter().filter(is_new).map(|tool| format!("tool `{}` is new", tool.name)));
    if said.is_empty() && old.len() != new.len() {
        said.push(format!("{} tools were offered, now {}", old.len(), new.len()));
    }
    said
}

fn changes(old: &PromptTool, new: &PromptTool) -> Vec<String> {
    let mut found = Vec::new();
    if old.description != new.description {
        found.push(match (&old.description, &new.description) {
            (Some(old), Some(new)) => {
                let (old, new) = apart(old, new);
                format!("`description` changed: was {old:?}, is {new:?}")
            }
            (Some(_), None) => "`description` is gone".to_owned(),
            _ => "`description` is new".to_owned(),
        });
    }
    schema(old.schema.as_ref(), new.schema.as_ref(), "", &mut found);
    let (one, other) = (json!(old.settings), json!(new.settings));
    let settings = leaves("", Some(&one), Some(&other));
    found.extend(settings.iter().map(|leaf| format!("`{}` {} -> {}", leaf.path, shown(leaf.old), shown(leaf.new))));
    if found.is_empty() {
        found.push("its declaration changed".to_owned());
    }
    let more = found.len().saturating_sub(TOLD);
    found.truncate(TOLD);
    let mut said: Vec<String> = found.iter().map(|change| format!("tool `{}`: {change}", old.name)).collect();
    if more > 0 {
        said.push(format!("tool `{}`: {}", old.name, count_of(more, "more change")));
    }
    said
}

/// The changes in a schema: properties and required properties by name, everything else by its path.
fn schema(old: Option<&Value>, new: Option<&Value>, within: &str, found: &mut Vec<String>) {
    let (empty, none) = (json!({}), Map::new());
    let (old, new) = (old.unwrap_or(&empty), new.unwrap_or(&empty));
    let named = |name: &str| if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
    let was = old["properties"].as_object().unwrap_or(&none);
    let is = new["properties"].as_object().unwrap_or(&none);
    for name in was.keys().filter(|name| !is.contains_key(*name)) {
        found.push(format!("`{}` is gone", named(name)));
    }
    for name in is.keys().filter(|name| !was.contains_key(*name)) {
        let required = if required(new).contains(&name.as_str()) { " and required" } else { "" };
        found.push(format!("`{}` is new{required}", named(name)));
    }
    for (name, before, now) in was.iter().filter_map(|(name, before)| Some((name, before, is.get(name)?))) {
        match (required(old).contains(&name.as_str()), required(new).contains(&name.as_str())) {
            (true, false) => found.push(format!("`{}` no longer required", named(name))),
            (false, true) => found.push(format!("`{}` now required", named(name))),
            _ => {}
        }
        if !agentci_trace::same_value(before, now) {
            schema(Some(before), Some(now), &named(name), found);
        }
    }
    let rest = |value: &Value| {
        let mut rest = value.clone();
        rest.as_object_mut().map(|map| (map.remove("properties"), map.remove("required")));
        rest
    };
    let (one, other) = (rest(old), rest(new));
    let where_ = if within.is_empty() { String::new() } else { format!(" of `{within}`") };
    for leaf in leaves("", Some(&one), Some(&other)) {
        let path = if leaf.path.is_empty() { "schema".to_owned() } else { leaf.path };
        found.push(match path.rsplit('.').next() {
            Some("description" | "title") => format!("`{path}`{where_} changed"),
            _ => format!("`{path}`{where_} {} -> {}", shown(leaf.old), shown(leaf.new)),
        });
    }
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(hash: &str, description: &str, schema: Value) -> PromptTool {
        PromptTool {
            name: "refund_order".into(),
            hash: hash.into(),
            description: Some(description.into()),
            schema: Some(schema),
            ..PromptTool::default()
        }
    }

    #[test]
    fn describes_schema_changes() {
        let old = json!({ "type": "object", "required": ["id", "amount"], "properties": {
            "id": { "type": "string" }, "amount": { "type": "number", "description": "In EUR" }, "note": {} } });
        let new = json!({ "type": "object", "required": ["id", "reason"], "additionalProperties": false, "properties": {
            "id": { "type": "integer" }, "amount": { "type": "number", "description": "In USD" }, "reason": {} } });
        let said = tool_changes(&[tool("a", "Pays back.", old)], &[tool("b", "Pays back.", new)]);
        assert_eq!(
            said,
            [
                "tool `refund_order`: `note` is gone",
                "tool `refund_order`: `reason` is new and required",
                "tool `refund_order`: `type` of `id` string -> integer",
                "tool `refund_order`: `amount` no longer required",
                "tool `refund_order`: `description` of `amount` changed",
                "tool `refund_order`: 1 more change",
            ]
        );
    }

    #[test]
    fn reports_added_and_removed_tools() {
        let (one, mut other) = (tool("a", "x", json!({})), tool("b", "x", json!({})));
        other.name = "find_order".into();
        assert_eq!(
            tool_changes(std::slice::from_ref(&one), std::slice::from_ref(&other)),
            ["tool `refund_order` is gone", "tool `find_order` is new"]
        );
        let said = tool_changes(&[one], &[tool("b", "y", json!({}))]);
        assert_eq!(said, ["tool `refund_order`: `description` changed: was \"x\", is \"y\""]);
    }
}
