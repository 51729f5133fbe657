//! Reads and writes the messages of the protocol. Reading is strict: missing, unknown and mistyped fields are errors.

use agentci_protocols::ObjectFields;
use agentci_trace::{ToolResult, Usage};
use serde::Serialize;
use serde_json::Value;

use crate::template_parts::as_text;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum AgentMessage {
    ToolCall { name: String, call_id: String, args: Value },
    FinalOutput { output: Value },
    Log { level: String, message: String, data: Option<Value> },
    Usage(Usage),
    TaskError { message: String, data: Option<Value> },
}

/// An error in a line, with help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadLine {
    pub(super) reason: String,
    pub(super) help: &'static str,
}

const LOG_ELSEWHERE: &str = "standard output is reserved for the protocol: print logs to standard error; or, if the \
                              agent prints its answer as plain text, set `speaks: text` in a native suite";
const SEE_PROTOCOL: &str = "the agent may send `tool_call`, `final_output`, `log`, `usage` and `task_error`: \
                            `{\"type\":\"tool_call\",\"name\":\"search\",\"call_id\":\"1\",\"args\":{..}}` or \
                            `{\"type\":\"final_output\",\"output\":{..}}`";

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum MessageToAgent<'m> {
    TaskStart { task_id: &'m str, input: &'m Value },
    ToolResult { call_id: &'m str, ok: bool, result: &'m Value, error: Option<&'m str> },
}

/// The line that starts a task.
pub(super) fn task_start(task_id: &str, input: &Value) -> String {
    line(&MessageToAgent::TaskStart { task_id, input })
}

/// The line that answers a tool call.
pub(super) fn tool_result(ToolResult { call_id, ok, result, error, .. }: &ToolResult) -> String {
    line(&MessageToAgent::ToolResult { call_id, ok: *ok, result, error: error.as_deref() })
}

fn line(message: &MessageToAgent<'_>) -> String {
    let mut line = serde_json::to_string(message).expect("strings and JSON values serialize");
    line.push('\n');
    line
}

/// Whether a line is a valid message of an agent.
pub(crate) fn understands(line: &[u8]) -> bool {
    read(line).is_ok()
}

/// Reads one line of an agent; `None` for a blank line.
pub(super) fn read(line: &[u8]) -> Result<Option<AgentMessage>, BadLine> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let bad = |reason: String, help| BadLine { reason, help };
    let line = str::from_utf8(line).map_err(|_| bad("it is not UTF-8 text".into(), LOG_ELSEWHERE))?;
    let mut fields = ObjectFields::read(line).map_err(|error| bad(error.words(line), LOG_ELSEWHERE))?;
    let kind = match fields.take("type") {
        Some(Value::String(kind)) => kind,
        Some(_) => return Err(bad("its `type` is not a string".into(), SEE_PROTOCOL)),
        None => return Err(bad("it has no `type`".into(), SEE_PROTOCOL)),
    };
    let message = TypedMessage { kind, fields }.message();
    message.map(Some).map_err(|reason| bad(reason, SEE_PROTOCOL))
}

/// A message whose type is known.
struct TypedMessage<'l> {
    kind: String,
    fields: ObjectFields<'l>,
}

impl TypedMessage<'_> {
    fn message(mut self) -> Result<AgentMessage, String> {
        let message = match self.kind.as_str() {
            "tool_call" => AgentMessage::ToolCall {
                name: self.text("name")?,
                call_id: self.text("call_id")?,
                args: self.object("args")?,
            },
            "final_output" => AgentMessage::FinalOutput { output: self.object("output")? },
            "log" => {
                AgentMessage::Log { level: self.text("level")?, message: self.text("message")?, data: self.data()? }
            }
            "task_error" => AgentMessage::TaskError { message: self.text("message")?, data: self.data()? },
            "usage" => AgentMessage::Usage(Usage {
                tokens_in: self.count("tokens_in")?,
                tokens_out: self.count("tokens_out")?,
                cost_usd: self.cost("cost_usd")?,
            }),
            "task_start" | "tool_result" => {
                return Err(format!("`{}` is sent by agentci, not by the agent", self.kind));
            }
            other => return Err(format!("unknown type `{other}`")),
        };
        match self.fields.left() {
            Some(extra) => Err(format!("unknown field `{extra}` in `{}`", self.kind)),
            None => Ok(message),
        }
    }

    fn text(&mut self, name: &str) -> Result<String, String> {
        self.required(name, "a string", Value::is_string).map(|text| as_text(&text))
    }

    fn object(&mut self, name: &str) -> Result<Value, String> {
        self.required(name, "an object", Value::is_object)
    }

    fn data(&mut self) -> Result<Option<Value>, String> {
        self.optional("data", "an object", Value::is_object)
    }

    fn count(&mut self, name: &str) -> Result<Option<u64>, String> {
        let count = self.optional(name, "a non-negative integer", Value::is_u64)?;
        Ok(count.as_ref().and_then(Value::as_u64))
    }

    fn cost(&mut self, name: &str) -> Result<Option<f64>, String> {
        let fits = |value: &Value| value.as_f64().is_some_and(|cost| cost.is_finite() && cost >= 0.0);
        let cost = self.optional(name, "a non-negative number", fits)?;
        Ok(cost.as_ref().and_then(Value::as_f64))
    }

    fn required(&mut self, name: &str, wanted: &str, fits: fn(&Value) -> bool) -> Result<Value, String> {
        let value = self.fields.take(name).ok_or_else(|| format!("`{}` needs a field `{name}`", self.kind))?;
        if fits(&value) { Ok(value) } else { Err(self.wrong(name, wanted)) }
    }

    fn optional(&mut self, name: &str, wanted: &str, fits: fn(&Value) -> bool) -> Result<Option<Value>, String> {
        match self.fields.take(name).filter(|value| !value.is_null()) {
            Some(value) if !fits(&value) => Err(self.wrong(name, wanted)),
            found => Ok(found),
        }
    }

    fn wrong(&self, name: &str, wanted: &str) -> String {
        format!("`{name}` of `{}` must be {wanted}", self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(line: &str) -> String {
        read(line.as_bytes()).unwrap_err().reason
    }

    #[test]
    fn reads_every_message() {
        let call = read(br#" {"type":"tool_call","name":"s","call_id":"c","args":{"n":1.0}} "#).unwrap().unwrap();
        let AgentMessage::ToolCall { args, .. } = call else { panic!("{call:?}") };
        assert_eq!(args.to_string(), r#"{"n":1.0}"#);
        let usage = read(br#"{"type":"usage","tokens_out":3,"cost_usd":0.5}"#).unwrap().unwrap();
        assert_eq!(usage, AgentMessage::Usage(Usage { tokens_in: None, tokens_out: Some(3), cost_usd: Some(0.5) }));
        assert_eq!(read(b"  \r").unwrap(), None);
    }

    #[test]
    fn refuses_invalid_messages() {
        for (line, why) in [
            ("loading model...", "it is not JSON: expected value"),
            ("[1]", "it is JSON, but not an object"),
            ("{}", "it has no `type`"),
            (r#"{"type":1}"#, "its `type` is not a string"),
            (r#"{"type":"tool_cal"}"#, "unknown type `tool_cal`"),
            (r#"{"type":"tool_result"}"#, "`tool_result` is sent by agentci, not by the agent"),
            (r#"{"type":"tool_call","name":"s","call_id":"c"}"#, "`tool_call` needs a field `args`"),
            (r#"{"type":"tool_call","name":"s","call_id":7,"args":{}}"#, "`call_id` of `tool_call` must be a string"),
            (r#"{"type":"tool_call","name":"s","call_id":"c","args":[]}"#, "`args` of `tool_call` must be an object"),
            (r#"{"type":"final_output","output":"done"}"#, "`output` of `final_output` must be an object"),
            (r#"{"type":"final_output","output":{},"usage":{}}"#, "unknown field `usage` in `final_output`"),
            (r#"{"type":"usage","tokens_out":-1}"#, "`tokens_out` of `usage` must be a non-negative integer"),
            (
                r#"{"type":"final_output","output":{"a":NaN}}"#,
                "it is not JSON, which has no `NaN`: write null or a string",
            ),
            (
                r#"{"type":"final_output","output":[1, -Infinity]}"#,
                "it is not JSON, which has no `-Infinity`: write null or a string",
            ),
            (r#"{"type":"log","level":"info","message":"\ud800"}"#, "it is not JSON: unexpected end of hex escape"),
        ] {
            let seen = reason(line);
            assert!(seen.starts_with(why) || seen == why, "{line}: {seen}");
        }
        assert_eq!(read(b"\xff\xfe").unwrap_err().reason, "it is not UTF-8 text");
    }
}
