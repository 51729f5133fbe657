//! Describes the changes between two requests.

use agentci_text::{count_of, first_of, shorten};
use serde_json::json;

use super::lines::system_change;
use super::request_record::{KeptPrompt, SystemPrompt};
use super::tool_words::tool_changes;
use super::values::{changes, leaves, shown};

/// The number of characters of a line that are shown.
const SHOWN: usize = 60;
/// The maximum number of tools that are named.
const TOOLS: usize = 5;

/// The changes, one sentence each.
pub(super) fn differences(old: &KeptPrompt, new: &KeptPrompt) -> Vec<String> {
    let mut said = Vec::new();
    match (&old.system, &new.system) {
        (Some(one), Some(other)) if !super::request_record::same_system(Some(one), Some(other)) => {
            said.push(system_change(one, other));
        }
        (Some(one), None) => said.push(format!("system prompt is gone: {}", described(one))),
        (None, Some(other)) => said.push(format!("system prompt is new: {}", described(other))),
        _ => {}
    }
    said.extend(tool_changes(&old.tools, &new.tools));
    if old.model != new.model {
        let named = |model: &Option<String>| model.clone().unwrap_or_else(|| "not set".to_owned());
        said.push(format!("model {} -> {}", named(&old.model), named(&new.model)));
    }
    if !old.parameters.is_same(&new.parameters) {
        said.extend(parameters(old, new));
    }
    said
}

fn parameters(old: &KeptPrompt, new: &KeptPrompt) -> Vec<String> {
    let values = |prompt: &KeptPrompt| prompt.parameters.values.as_ref().map(|values| json!(values));
    let told = match (values(old), values(new)) {
        (Some(old), Some(new)) => changes(&leaves("", Some(&old), Some(&new))),
        _ => Vec::new(),
    };
    if told.is_empty() { vec!["parameters changed".to_owned()] } else { told }
}

/// A short description of a prompt: its length and its first line.
fn described(system: &SystemPrompt) -> String {
    let first = system.lines().filter_map(|line| line.text).find(|text| !text.trim().is_empty());
    let lines = count_of(system.count(), "line");
    first.map_or_else(|| lines.clone(), |first| format!("{lines}, {:?}", shorten(first.trim(), SHOWN)))
}

/// A short description of a request: its model, its system prompt and its tools.
pub(super) fn request(prompt: &KeptPrompt) -> String {
    let model = prompt.model.as_ref().map(|model| format!("model {model}"));
    let system = prompt.system.as_ref().map(|system| format!("system prompt of {}", described(system)));
    let names: Vec<String> = prompt.tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    let tools = (!names.is_empty()).then(|| format!("tools {}", first_of(&names, TOOLS)));
    let choice = prompt.parameters.values.as_ref().and_then(|values| values.get("tool_choice"));
    let choice = choice.map(|choice| format!("tool_choice {}", shown(Some(choice))));
    let parts: Vec<String> =
        [model, system.or_else(|| Some("no system prompt".to_owned())), tools, choice].into_iter().flatten().collect();
    parts.join(", ")
}
