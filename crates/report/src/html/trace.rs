//! A line of a case's trace.
//!
//! ```html
//! <li><i>12 ms</i><b>tool call</b><div><code>search_docs</code><pre>{"q":"reset"}</pre></div>
//! ```

use agentci_trace::Usage;
use agentci_verdict::{Body, RunEvent};
use serde_json::Value;

use super::value::{LIMIT, json, text};
use crate::quantity::duration;
use crate::{cut, html_text, one_line};

/// The longest name that is written out.
pub(super) const NAME_LIMIT: usize = 200;

/// What happened, `begun` being when its attempt began; nothing for what is shown elsewhere.
pub(super) fn line(event: &RunEvent, begun: u64) -> Option<String> {
    let (kind, content) = match &event.body {
        Body::TaskStart(task) => ("task", json(&task.input, LIMIT)),
        Body::TurnStart(turn) => ("turn", format!("<code>{}</code>{}", turn.turn + 1, json(&turn.input, LIMIT))),
        Body::Text(said) => ("text", text(&said.text, LIMIT)),
        Body::ToolCall(call) => ("tool call", format!("{}{}", name(&call.name), json(&call.args, LIMIT))),
        Body::ToolResult(given) if given.ok => ("result", json(&given.result, LIMIT)),
        Body::ToolResult(given) => {
            let error = given.error.as_deref().map(|error| text(error, LIMIT)).unwrap_or_default();
            let result = if given.result.is_null() { String::new() } else { json(&given.result, LIMIT) };
            ("tool error", format!("{error}{result}"))
        }
        Body::ModelCall(call) => {
            ("model call", format!("{}{}", json(&call.request, LIMIT), json(&call.response, LIMIT)))
        }
        Body::Usage(usage) => ("usage", used(usage)),
        Body::Log(log) => {
            ("log", format!("{}{}{}", name(&log.level), text(&log.message, LIMIT), more(log.data.as_ref())))
        }
        Body::TaskError(error) => {
            ("agent error", format!("{}{}", text(&error.message, LIMIT), more(error.data.as_ref())))
        }
        Body::FinalOutput(_) => ("final output", String::new()),
        Body::RunStart(_) | Body::RunEnd(_) | Body::Check(_) | Body::CaseEnd(_) => return None,
        other => (other.name(), String::new()),
    };
    let offset = duration(event.timestamp.saturating_sub(begun));
    let class = if matches!(kind, "tool error" | "agent error") { " class=bad" } else { "" };
    Some(format!("<li{class}><i>{offset}</i><b>{kind}</b><div>{content}</div>\n"))
}

fn name(text: &str) -> String {
    format!("<code>{}</code>", html_text(&one_line(&cut::name(text, NAME_LIMIT))))
}

fn more(data: Option<&Value>) -> String {
    data.map(|data| json(data, LIMIT)).unwrap_or_default()
}

/// `210 tokens in, 34 tokens out, 0.0004 USD`
fn used(usage: &Usage) -> String {
    let parts = [
        usage.tokens_in.map(|tokens| format!("{tokens} tokens in")),
        usage.tokens_out.map(|tokens| format!("{tokens} tokens out")),
        usage.cost_usd.map(|cost| format!("{cost} USD")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
