//! OpenAI's Responses. All errors are 400, `invalid_request_error`.

use super::chat::{function_schema, strict_format};
use super::{given, missing, names, tools};
use crate::{parsed_request::Items, refusal::ModelRefusal};
use serde_json::Value;

/// The earlier calls that a request refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct EarlierCalls {
    /// All calls.
    pub(in super::super) made: Vec<String>,
    /// Calls without an output.
    pub(in super::super) open: Vec<String>,
    /// Whether there may be unknown calls, since the conversation began elsewhere.
    pub(in super::super) unknown: bool,
}

impl EarlierCalls {
    /// Adds the calls and outputs of further items.
    #[must_use]
    pub(in super::super) fn and(mut self, items: &Items) -> Self {
        self.made.extend(items.functions.iter().chain(&items.others).cloned());
        self.open.extend(items.functions.iter().cloned());
        self.open.retain(|call| !items.outputs.contains(call));
        self
    }
}

/// Checks the parameters of a request.
pub(in super::super) fn check(request: &Value) -> Result<(), ModelRefusal> {
    let has = |name| given(request, name).is_some();
    let there = |name| request.get(name).is_some_and(|value| *value != Value::Null);
    let continues = ["prompt", "previous_response_id", "conversation"].into_iter().any(there);
    // mattermost/mattermost-plugin-agents#476. A stored prompt names its model; a request that continues an answer is
    // not checked.
    if !continues && !has("model") {
        return Err(missing("model"));
    }
    if !continues && !there("input") {
        return Err(missing("input"));
    }
    for (at, tool) in tools(request) {
        if tool["type"].as_str() != Some("function") {
            continue;
        }
        let name = tool["name"].as_str().unwrap_or_default();
        names::openai(&format!("tools[{at}].name"), name)?;
        function_schema(tool, name, &format!("tools[{at}].parameters"))?;
    }
    let format = request.get("text").and_then(|text| text.get("format"));
    format.map_or(Ok(()), |format| strict_format(format, "text.format.schema"))
}

/// Checks that every call has its output, and every output its call, in the input or in the state that the request
/// names.
pub(in super::super) fn paired(items: &Items, earlier: &EarlierCalls) -> Result<(), ModelRefusal> {
    let known = |id: &String| [&items.functions, &items.others, &earlier.made].into_iter().any(|all| all.contains(id));
    // continuedev/continue#10092, microsoft/vscode#320060.
    if let Some(id) = items.function_outputs.iter().find(|id| !known(id)).filter(|_| !earlier.unknown) {
        let message = format!("No tool call found for function call output with call_id {id}.");
        return Err(ModelRefusal::of_part("input", message));
    }
    // bytedance/trae-agent#245, massgen/MassGen#590; in a conversation: MicrosoftLearning/mslearn-ai-agents#114.
    let open = earlier.open.iter().chain(&items.functions).find(|id| !items.outputs.contains(id));
    match open {
        Some(id) => Err(ModelRefusal::of_part("input", format!("No tool output found for function call {id}."))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(functions: &[&str], outputs: &[&str]) -> Items {
        let own = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        Items { functions: own(functions), outputs: own(outputs), function_outputs: own(outputs), ..Items::default() }
    }

    fn after(functions: &[&str], outputs: &[&str]) -> EarlierCalls {
        EarlierCalls::default().and(&items(functions, outputs))
    }

    #[test]
    fn accepts_outputs_for_calls_of_the_previous_response() {
        assert_eq!(paired(&items(&[], &["b", "a"]), &after(&["a", "b"], &[])), Ok(()));
        assert_eq!(paired(&items(&["a"], &["a"]), &EarlierCalls::default()), Ok(()));
        // Sent again with its call, or a second time later.
        assert_eq!(paired(&items(&["a"], &["a"]), &after(&["a"], &["a"])), Ok(()));
        assert_eq!(paired(&items(&[], &["x"]), &EarlierCalls { unknown: true, ..EarlierCalls::default() }), Ok(()));
    }

    #[test]
    fn refuses_unpaired_calls_and_outputs() {
        let message = |refused: Result<(), ModelRefusal>| refused.unwrap_err().message;
        let open = "No tool output found for function call b.";
        assert_eq!(message(paired(&items(&[], &["a"]), &after(&["a", "b"], &[]))), open);
        assert_eq!(message(paired(&items(&["b"], &[]), &EarlierCalls::default())), open);
        let orphan = "No tool call found for function call output with call_id x.";
        assert_eq!(message(paired(&items(&[], &["x"]), &EarlierCalls::default())), orphan);
        assert_eq!(message(paired(&items(&[], &["a", "x"]), &after(&["a"], &[]))), orphan);
    }
}
