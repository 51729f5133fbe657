//! The result of a turn.

use agentci_protocols::chat::AnswerCall;
use agentci_trace::ToolResult;
use serde_json::Value;

use super::completion::Completion;
use crate::template_parts::as_text;

/// A tool call and its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallWithResult {
    pub(super) call: AnswerCall,
    pub(super) result: Option<ToolResult>,
}

impl CallWithResult {
    fn line(&self) -> String {
        let AnswerCall { name, arguments, .. } = &self.call;
        match &self.result {
            None => format!("{name}({arguments})"),
            Some(ToolResult { ok: true, result, .. }) => format!("{name}: {}", as_text(result)),
            Some(ToolResult { error, .. }) => format!("{name} failed: {}", error.as_deref().unwrap_or_default()),
        }
    }
}

/// The default result of a turn: the model's text, or else its tool calls and their results, one per line.
pub(super) fn output(completion: &Completion, called: &[CallWithResult]) -> Value {
    let words = completion.words();
    if !words.is_empty() {
        return words.into();
    }
    called.iter().map(CallWithResult::line).collect::<Vec<_>>().join("\n").into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tool_results_replace_missing_model_text() {
        let call = |name: &str| AnswerCall { id: "c".into(), name: name.into(), arguments: "{\"a\":1}".into() };
        let given = |ok, result: Value, error: Option<&str>| {
            Some(ToolResult {
                call_id: "c".into(),
                ok,
                result: result.into(),
                error: error.map(str::to_owned),
                ..ToolResult::default()
            })
        };
        let called = [
            CallWithResult { call: call("find"), result: given(true, json!({"n": 2}), None) },
            CallWithResult { call: call("mail"), result: given(false, Value::Null, Some("no such box")) },
            CallWithResult { call: call("wipe"), result: None },
        ];
        let silent = Completion::default();
        assert_eq!(output(&silent, &called), "find: {\"n\":2}\nmail failed: no such box\nwipe({\"a\":1})");
        let refusing = Completion { refusal: "I will not.".into(), ..Completion::default() };
        assert_eq!(output(&refusing, &called), "I will not.");
    }
}
