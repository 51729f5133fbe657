//! The data stream of the AI SDK before version 5: `text/plain` lines such as `0:"text"`.
//!
//! <https://v4.ai-sdk.dev/docs/ai-sdk-ui/stream-protocol>

use agentci_trace::EventKind;
use serde_json::Value;

use super::tool_parts::ToolParts;
use super::{answered, ended, text};
use crate::http::reader::{HttpAnswerError, ReadResult};
use crate::template_parts::as_text;

/// The codes of the parts.
const CODES: &str = "02389abcdefghijk";

#[derive(Debug, Default)]
pub(in crate::http) struct DataStream {
    tools: ToolParts,
    /// Whether a step is open.
    open: bool,
}

impl DataStream {
    /// Whether an answer is a data stream: every line is a part, except for a truncated last line.
    pub(in crate::http) fn is(body: &str) -> bool {
        let mut lines = body.lines().filter(|line| !line.trim().is_empty()).peekable();
        let mut parts = 0;
        while let Some(line) = lines.next() {
            match part(line) {
                Some((_, Ok(_))) => parts += 1,
                Some((_, Err(_))) if parts > 0 && lines.peek().is_none() => {}
                _ => return false,
            }
        }
        parts > 0
    }

    pub(in crate::http) fn line(&mut self, line: &str, out: &mut Vec<EventKind>) -> ReadResult {
        let Some((code, value)) = part(line) else { return Ok(()) };
        let value = value.map_err(|error| {
            HttpAnswerError::Torn(format!("a part of the AI SDK data stream is not JSON: {error}: {line}"))
        })?;
        let (id, name) = (text(&value, "toolCallId"), text(&value, "toolName"));
        let words = || value.as_str().unwrap_or_default().to_owned();
        match code {
            '0' => out.push(EventKind::Text(words())),
            'g' => out.push(EventKind::Reasoning(words())),
            '3' => return Err(HttpAnswerError::Failed(as_text(&value))),
            'b' => self.tools.begin(id, name),
            'c' => self.tools.write(id, text(&value, "argsTextDelta")),
            '9' => self.tools.input(id, name, value["args"].clone()),
            'a' => self.tools.result(id, answered(id, value["result"].clone()), out),
            'f' => self.open = true,
            'd' | 'e' => {
                self.open = false;
                let reason = text(&value, "finishReason");
                if reason == "error" {
                    return Err(HttpAnswerError::Failed("the model failed (finish reason `error`)".into()));
                }
                self.tools.flush(out);
                // The finish reason of the message repeats that of its last step.
                if code == 'd' {
                    ended(reason, out);
                }
            }
            // Data, annotations, sources.
            '2' | '8' | 'h' => out.push(EventKind::Beside(value.into())),
            // Files, redacted reasoning.
            _ => {}
        }
        Ok(())
    }

    pub(in crate::http) fn end(&mut self, out: &mut Vec<EventKind>) -> Option<&'static str> {
        self.tools.flush(out);
        self.open.then_some("a step began and did not end")
    }
}

/// Reads the code and the value of a part.
fn part(line: &str) -> Option<(char, serde_json::Result<Value>)> {
    let (code, value) = line.split_once(':')?;
    let code = code.chars().next().filter(|first| code.len() == 1 && CODES.contains(*first))?;
    let value = value.trim();
    // The first character of the value distinguishes a part from plain text.
    let fits = match code {
        '0' | '3' | 'g' => value.starts_with('"'),
        '2' | '8' => value.starts_with('['),
        _ => value.starts_with('{'),
    };
    fits.then(|| (code, serde_json::from_str(value)))
}
