//! An agent that calls a model over HTTP, as agents with a provider's SDK do: it reads the address from its
//! environment, and runs its tool itself.

use std::io::{BufRead, Read as _, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// How often the model may request tools.
const ROUNDS: usize = 5;
/// How long the model may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How many bytes of an answer are read at most.
const ANSWER_LIMIT: u64 = 1 << 20;

/// Serves one task.
pub(super) fn converse(mut input: impl BufRead, mut output: impl Write) -> Option<()> {
    let mut line = String::new();
    input.read_line(&mut line).ok()?;
    let task: Value = serde_json::from_str(&line).ok()?;
    let message = match answer(task["input"]["question"].as_str().unwrap_or_default()) {
        Ok(text) => json!({ "type": "final_output", "output": { "answer": text } }),
        Err(message) => json!({ "type": "task_error", "message": message }),
    };
    writeln!(output, "{message}").and_then(|()| output.flush()).ok()
}

/// Calls the model until it answers, and runs the tool that it requests.
pub(super) fn answer(question: &str) -> Result<String, String> {
    let mut messages = vec![json!({ "role": "user", "content": question })];
    let schema = json!({ "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] });
    let tool = json!({ "type": "function", "function": { "name": "find_order", "parameters": schema } });
    for _ in 0..ROUNDS {
        let said = ask(&json!({ "model": "demo", "messages": messages, "tools": [tool] }))?;
        let message = &said["choices"][0]["message"];
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            return message["content"].as_str().map(str::to_owned).ok_or(format!("no answer in {said}"));
        }
        messages.push(message.clone());
        for call in calls {
            let given = call["function"]["arguments"].as_str().unwrap_or_default();
            let found = find_order(&serde_json::from_str(given).unwrap_or_default()).to_string();
            messages.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": found }));
        }
    }
    Err(format!("the model requested tools {ROUNDS} times"))
}

/// The tool: looks up an order.
fn find_order(arguments: &Value) -> Value {
    match arguments["id"].as_str() {
        Some(id @ "A-17") => json!({ "id": id, "state": "shipped" }),
        id => json!({ "error": format!("there is no order {}", id.unwrap_or("without an id")) }),
    }
}

/// Sends one request to the model, without TLS since it is on this machine.
fn ask(request: &Value) -> Result<Value, String> {
    let base = std::env::var("OPENAI_BASE_URL").map_err(|_| "OPENAI_BASE_URL is not set")?;
    let address = base.strip_prefix("http://").ok_or(format!("{base} does not start with http://"))?;
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let body = request.to_string();
    let head = format!(
        "POST /{path}/chat/completions HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let exchange = || {
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(format!("{head}{body}").as_bytes())?;
        let mut answer = String::new();
        stream.take(ANSWER_LIMIT).read_to_string(&mut answer).map(|_| answer)
    };
    let answer = exchange().map_err(|error: std::io::Error| format!("no answer from the model at {base}: {error}"))?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.lines().next().unwrap_or_default();
    if !status.contains(" 200 ") {
        return Err(format!("the model answered {status}: {body}"));
    }
    serde_json::from_str(body).map_err(|error| format!("the model's answer is not JSON: {error}"))
}
