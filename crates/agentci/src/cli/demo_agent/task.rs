//! An agent that speaks the process protocol.
//!
//! It answers a support question: it searches the documentation, opens a ticket if nothing is found, and reports its
//! usage.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// Serves one task.
pub(super) fn converse(mut input: impl BufRead, mut output: impl Write) -> Option<()> {
    let mut say = |message: &Value| writeln!(output, "{message}").and_then(|()| output.flush()).ok();
    let mut hear = || {
        let mut line = String::new();
        input.read_line(&mut line).ok()?;
        serde_json::from_str::<Value>(&line).ok()
    };
    let question = hear()?["input"]["question"].as_str().unwrap_or_default().to_owned();
    say(&json!({"type": "log", "level": "info", "message": "looking it up"}))?;
    say(&json!({"type": "tool_call", "name": "search_docs", "call_id": "c1", "args": {"q": question}}))?;
    let found = hear()?;
    let hit = found["result"]["hits"][0].clone();
    let (answer, source) = if hit.is_object() {
        (hit["snippet"].clone(), hit["title"].clone())
    } else {
        let args = json!({"title": question, "reason": found["error"]});
        say(&json!({"type": "tool_call", "name": "create_ticket", "call_id": "c2", "args": args}))?;
        let ticket = hear()?["result"]["id"].clone();
        (format!("I opened ticket {} for you.", ticket.as_str().unwrap_or("?")).into(), Value::Null)
    };
    say(&json!({"type": "usage", "tokens_in": 210, "tokens_out": 34, "cost_usd": 0.0004}))?;
    say(&json!({"type": "final_output", "output": {"answer": answer, "source": source}}))
}
