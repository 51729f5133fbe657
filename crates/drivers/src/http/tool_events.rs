//! Reads tool calls in custom streams and answers.
//!
//! An event whose kind starts with `tool` is a call if it has a name, and a result if its kind says that the call is
//! over. Agents report one call in several events: when it starts, when its arguments are known, when it is over. Such
//! events are joined by the id of the call, or else by its name.

use agentci_trace::EventKind;
use serde_json::Value;

use super::known::{answered, arguments, called, failed, result_value};

/// Where the fields of a call are searched for in the data of an event.
const PLACES: [&str; 11] = [
    "",
    "/function",
    "/tool_call",
    "/tool_call/function",
    "/toolCall",
    "/tool",
    "/call",
    "/data",
    "/data/function",
    "/payload",
    "/content",
];
const NAMES: [&str; 6] = ["name", "tool_name", "toolName", "tool", "function", "function_name"];
const IDS: [&str; 7] = ["tool_call_id", "toolCallId", "call_id", "callId", "tool_use_id", "toolUseId", "id"];
const ARGUMENTS: [&str; 9] =
    ["arguments", "args", "input", "parameters", "params", "tool_input", "toolInput", "tool_args", "kwargs"];
const RESULTS: [&str; 4] = ["result", "output", "response", "content"];
/// Words in the kind of an event that mark the end of a call.
const OVER: [&str; 13] = [
    "result",
    "results",
    "output",
    "response",
    "end",
    "ended",
    "done",
    "finish",
    "finished",
    "complete",
    "completed",
    "error",
    "failed",
];
/// Where answers list tool calls.
const LISTS: [&str; 3] = ["/tool_calls", "/message/tool_calls", "/data/tool_calls"];

/// The tool calls so far.
#[derive(Debug, Default)]
pub(super) struct ToolEvents(Vec<PendingToolEvents>);

#[derive(Debug)]
struct PendingToolEvents {
    /// The kind of the first event of the call.
    kind: String,
    id: String,
    name: String,
    args: Option<Value>,
    over: bool,
    result: Option<Result<Value, String>>,
}

impl ToolEvents {
    /// Handles an event of this kind, in snake case. Returns whether it could be read.
    pub(super) fn take(&mut self, kind: &str, data: &Value) -> bool {
        let mut told = PendingToolEvents {
            kind: kind.to_owned(),
            id: find(data, &IDS, |value| value.as_str().filter(|id| !id.is_empty())).unwrap_or_default().to_owned(),
            name: find(data, &NAMES, |value| value.as_str().filter(|name| !name.trim().is_empty()))
                .unwrap_or_default()
                .to_owned(),
            args: find(data, &ARGUMENTS, written),
            over: kind.split('_').any(|word| OVER.contains(&word)),
            result: None,
        };
        if told.over {
            told.result = match find(data, &["error"], |error| Some(error).filter(|error| !error.is_null())) {
                Some(error) => Some(Err(error.as_str().map_or_else(|| error.to_string(), str::to_owned))),
                None => find(data, &RESULTS, Some).map(|value| Ok(result_value(value))),
            };
        }
        if let Some(known) = self.0.iter_mut().rev().find(|known| known.is_told_by(&told)) {
            known.args = known.args.take().or(told.args);
            known.over |= told.over;
            known.result = known.result.take().or(told.result);
            return true;
        }
        let readable = !told.name.is_empty();
        if readable {
            self.0.push(told);
        }
        readable
    }

    /// Handles the calls that a value lists. Returns whether all of them could be read.
    pub(super) fn listed(&mut self, value: &Value) -> bool {
        let lists = LISTS.iter().filter_map(|place| value.pointer(place)?.as_array());
        let mut all = true;
        for call in lists.flatten() {
            all &= self.take("tool_calls", call);
        }
        all
    }

    /// The calls and their results, except for the `known` ones (id and name), which the stream also has in its own
    /// format.
    pub(super) fn flush(&mut self, mut known: Vec<(String, String)>) -> Vec<EventKind> {
        let mut steps = Vec::new();
        for (number, told) in (1..).zip(self.0.drain(..)) {
            let same = |(id, name): &(String, String)| (!told.id.is_empty() && *id == told.id) || *name == told.name;
            if let Some(at) = known.iter().position(same) {
                known.remove(at);
                continue;
            }
            let id = if told.id.is_empty() { format!("call_{number}") } else { told.id };
            steps.push(called(&id, &told.name, told.args.unwrap_or_else(|| Value::Object(serde_json::Map::new()))));
            match told.result {
                Some(Ok(result)) => steps.push(answered(&id, result)),
                Some(Err(error)) => steps.push(failed(&id, &error)),
                None => {}
            }
        }
        steps
    }
}

impl PendingToolEvents {
    /// Whether a later event belongs to this call.
    fn is_told_by(&self, later: &PendingToolEvents) -> bool {
        if !self.id.is_empty() && self.id == later.id {
            return true;
        }
        if self.over || (!later.name.is_empty() && later.name != self.name) {
            return false;
        }
        if later.over {
            return true;
        }
        // A started call is often reported again once its arguments are known.
        let ids_differ = !self.id.is_empty() && !later.id.is_empty();
        let args_differ = matches!((&self.args, &later.args), (Some(args), Some(later)) if args != later);
        self.kind != later.kind && !ids_differ && !args_differ && !later.name.is_empty()
    }
}

fn find<'v, T>(data: &'v Value, keys: &[&str], read: impl Fn(&'v Value) -> Option<T>) -> Option<T> {
    let objects = PLACES.iter().filter_map(|place| data.pointer(place)?.as_object());
    objects.flat_map(|object| keys.iter().filter_map(|key| object.get(*key))).find_map(read)
}

/// Reads arguments, which may be sent as text.
fn written(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(arguments(text)),
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The tool calls in these events, and the number of events that could not be read.
    fn told(events: &[(&str, Value)]) -> (Vec<String>, usize) {
        let mut tools = ToolEvents::default();
        let unread = events.iter().filter(|(kind, data)| !tools.take(kind, data)).count();
        let line = |kind: &EventKind| match kind {
            EventKind::ToolCall(call) => format!("{} {}", call.name, call.args),
            EventKind::ToolResult(result) => {
                format!("-> {}", result.error.clone().unwrap_or(result.result.to_string()))
            }
            other => panic!("{other:?}"),
        };
        (tools.flush(Vec::new()).iter().map(line).collect(), unread)
    }

    #[test]
    fn reads_calls_in_the_usual_formats() {
        for data in [
            json!({"name": "find", "arguments": {"id": 7}}),
            json!({"name": "find", "arguments": "{\"id\": 7}"}),
            json!({"type": "tool_call", "tool": "find", "args": {"id": 7}}),
            json!({"tool_call": {"id": "a", "function": {"name": "find", "arguments": "{\"id\":7}"}}}),
            json!({"data": {"toolName": "find", "input": {"id": 7}}}),
        ] {
            assert_eq!(told(&[("tool_call", data.clone())]), (vec!["find {\"id\":7}".into()], 0), "{data}");
        }
        for data in [json!({"message": "find"}), json!({"name": " "}), json!([1]), json!("find")] {
            assert_eq!(told(&[("tool_call", data.clone())]), (vec![], 1), "{data}");
        }
    }

    #[test]
    fn merges_events_of_the_same_call() {
        let call = json!({"id": "a", "name": "find", "args": {"id": 7}});
        let one = vec!["find {\"id\":7}".to_owned(), "-> 20".to_owned()];
        for events in [
            vec![("tool_call", call.clone()), ("tool_result", json!({"id": "a", "result": 20}))],
            vec![
                ("tool_start", json!({"name": "find"})),
                ("tool_call", call.clone()),
                ("tool_end", json!({"output": 20})),
            ],
            vec![
                ("tool_call", call.clone()),
                ("tool_start", call.clone()),
                ("tool_end", json!({"name": "find", "output": 20})),
            ],
            vec![("tool_result", json!({"name": "find", "args": {"id": 7}, "result": 20}))],
        ] {
            assert_eq!(told(&events), (one.clone(), 0), "{events:?}");
        }
        let twice = json!({"name": "find", "args": {"id": 7}});
        assert_eq!(told(&[("tool_call", twice.clone()), ("tool_call", twice)]).0.len(), 2);
        let failed = [("tool_call", call), ("tool_error", json!({"id": "a", "error": "no such order"}))];
        assert_eq!(told(&failed).0[1], "-> no such order");
        assert_eq!(told(&[("tool_result", json!({"result": 20}))]), (vec![], 1));
    }

    #[test]
    fn skips_calls_already_found_in_native_format() {
        let mut tools = ToolEvents::default();
        tools.take("tool_start", &json!({"name": "find"}));
        tools.take("tool_start", &json!({"name": "mail"}));
        let steps = tools.flush(vec![("a".into(), "find".into())]);
        assert!(matches!(&steps[..], [EventKind::ToolCall(call)] if call.name == "mail"), "{steps:?}");
    }
}
