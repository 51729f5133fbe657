//! Records the tools that a request offers.

use std::collections::BTreeMap;

use agentci_trace::OfferedTool;
use agentci_verdict::PromptTool;
use serde_json::{Value, json};

use super::print::FingerprintMaker;

/// The maximum number of tools of a request that are kept separately; the rest is kept as one.
const TOOLS: usize = 500;
/// The number of bytes of a description that are kept, and the maximum size of a schema that is kept.
const DESCRIPTION: usize = 2000;
const SCHEMA: usize = 16 * 1024;

/// Keys of a declaration that are recorded elsewhere or say nothing about the tool.
const NO_SETTINGS: [&str; 10] = [
    "name",
    "description",
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "cache_control",
    "headers",
    "authorization",
    "type",
];

/// The tools, sorted by name.
pub(super) fn of(offered: &[OfferedTool<'_>], printer: &FingerprintMaker<'_>) -> Vec<PromptTool> {
    let mut tools: Vec<PromptTool> = offered.iter().take(TOOLS).map(|tool| kept(tool, printer)).collect();
    let rest: Vec<&Value> = offered.iter().skip(TOOLS).map(|tool| tool.declared).collect();
    if !rest.is_empty() {
        let print = printer.value(&printer.secrets.clean(&json!(rest)));
        let (id, name) = (print.id(), format!("{} more tools", rest.len()));
        tools.push(PromptTool { id, name, hash: print.hash, times: print.times, ..PromptTool::default() });
    }
    tools.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
    tools
}

fn kept(tool: &OfferedTool<'_>, printer: &FingerprintMaker<'_>) -> PromptTool {
    let clean = |value: &Value| printer.secrets.clean(value).into_owned();
    let declared = clean(tool.declared);
    let schema = tool.parameters.map(clean);
    let description = declared["description"].as_str().map(str::to_owned);
    let settings: BTreeMap<String, Value> = declared
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, value)| !NO_SETTINGS.contains(&key.as_str()) && !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let print =
        printer.value(&json!({ "": tool.name, "description": description, "schema": schema, "settings": settings }));
    let is_short = |value: &Value| !value.is_null() && value.to_string().len() <= SCHEMA;
    let short = |key: &str| print.shown.get(key).filter(|value| is_short(value)).cloned();
    let description = print.shown["description"].as_str();
    PromptTool {
        id: print.id(),
        name: printer.secrets.text(tool.name).into_owned(),
        description: description.map(|text| text[..text.floor_char_boundary(DESCRIPTION)].to_owned()),
        schema: short("schema"),
        settings: short("settings").and_then(|all| serde_json::from_value(all).ok()).unwrap_or_default(),
        hash: print.hash,
        times: print.times,
    }
}
