//! An MCP server over standard input and output, with one tool.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// The protocol version for clients that request none.
const REVISION: &str = "2025-06-18";

/// Answers requests until the input ends.
pub(super) fn serve(input: impl BufRead, mut output: impl Write) -> Option<()> {
    for line in input.lines() {
        let request: Value = serde_json::from_str(&line.ok()?).ok()?;
        // A message without an id is a notification.
        let Some(id) = request.get("id") else { continue };
        let reply = match answer(request["method"].as_str().unwrap_or_default(), &request["params"]) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        };
        writeln!(output, "{reply}").and_then(|()| output.flush()).ok()?;
    }
    Some(())
}

fn answer(method: &str, params: &Value) -> Result<Value, (i32, String)> {
    match method {
        "initialize" => Ok(json!({
            "protocolVersion": params["protocolVersion"].as_str().unwrap_or(REVISION),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "demo", "version": env!("CARGO_PKG_VERSION") },
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": [{
            "name": "search_docs",
            "description": "Finds pages of the documentation",
            "inputSchema": { "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"] },
        }] })),
        "tools/call" if params["name"] == "search_docs" => Ok(search(&params["arguments"])),
        "tools/call" => Err((-32602, format!("unknown tool {}", params["name"]))),
        _ => Err((-32601, format!("unknown method {method}"))),
    }
}

fn search(arguments: &Value) -> Value {
    let said = |text: String, error: bool| json!({ "content": [{ "type": "text", "text": text }], "isError": error });
    match arguments["q"].as_str() {
        Some(question) => said(super::documentation::search(question).to_string(), false),
        None => said("the argument `q` is missing".into(), true),
    }
}
