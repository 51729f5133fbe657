//! `agentci serve mcp`: a scripted MCP server over HTTP and over standard input and output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::processes::signal;
use crate::suite::Suite;

const SCRIPT: &str = "tools:\n  find_order:\n    inputSchema: { type: object, required: [id], properties: { id: { type: string } } }\n    \
                      answers: [{ when: { id: A-17 }, reply: { total: 60 } }]\n";

fn suite() -> Suite {
    Suite::empty().file("orders.mcp.yaml", SCRIPT)
}

struct Server {
    child: Child,
    address: Value,
}

impl Server {
    fn start(suite: &Suite) -> Self {
        let mut command = suite.command(&["serve", "mcp", "orders.mcp.yaml"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, address: serde_json::from_str(&line).unwrap() }
    }

    /// Sends a message; returns the head and the body of the answer.
    fn post(&self, headers: &str, message: &Value) -> (String, String) {
        let host = self.address["url"].as_str().unwrap().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        let body = message.to_string();
        let mut stream = TcpStream::connect(host).unwrap();
        let length = body.len();
        let head = format!("POST /mcp HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n");
        write!(stream, "{head}{headers}\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_lowercase(), body.to_owned())
    }

    /// Ends the server with a signal; returns its exit code and standard error.
    fn end(mut self, name: &str) -> (Option<i32>, String) {
        assert!(signal(self.child.id(), name));
        let code = self.child.wait().unwrap().code();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (code, said)
    }
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[test]
fn prints_address_keeps_sessions_and_exits_on_signal() {
    for name in ["INT", "TERM"] {
        let server = Server::start(&suite());
        assert!(server.address["sse_url"].as_str().unwrap().ends_with("/sse"), "{}", server.address);
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
        let (head, body) = server.post("", &request(1, "initialize", &hello));
        assert!(head.starts_with("http/1.1 200") && body.contains(r#""name":"orders""#), "{head} {body}");
        let session = head.lines().find(|line| line.starts_with("mcp-session-id:")).unwrap().to_owned();
        let call = request(2, "tools/call", &json!({ "name": "find_order", "arguments": { "id": "A-17" } }));
        let (head, body) = server.post(&format!("{session}\r\n"), &call);
        assert!(head.starts_with("http/1.1 200") && body.contains(r#""structuredContent":{"total":60}"#), "{body}");
        let (head, _) = server.post("", &call);
        assert!(head.starts_with("http/1.1 400"), "{head}");
        let (head, _) = server.post("mcp-session-id: another\r\n", &call);
        assert!(head.starts_with("http/1.1 404"), "{head}");
        let (head, _) = server.post("origin: https://evil.example\r\n", &request(1, "initialize", &hello));
        assert!(head.starts_with("http/1.1 403"), "{head}");
        assert_eq!(server.end(name), (Some(0), String::new()));
    }
}

#[test]
fn reports_unmatched_call_and_unknown_tool() {
    let server = Server::start(&suite());
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} });
    let call =
        |name: &str| request(1, "tools/call", &json!({ "name": name, "arguments": { "id": "B-1" }, "_meta": meta }));
    let headers =
        |name: &str| format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {name}\r\n");
    let (_, body) = server.post(&headers("find_order"), &call("find_order"));
    assert!(body.contains("no answer of the tool `find_order` matches"), "{body}");
    let (_, body) = server.post(&headers("lose_order"), &call("lose_order"));
    assert!(body.contains("Unknown tool: lose_order"), "{body}");
    let (head, body) = server.post(&headers("find_order"), &call("lose_order"));
    assert!(head.starts_with("http/1.1 400") && body.contains("-32020"), "{head} {body}");
    let (code, said) = server.end("TERM");
    assert_eq!(code, Some(0));
    assert_eq!(
        said,
        "missed: no answer of the tool `find_order` matches {\"id\":\"B-1\"}\nmissed: unknown tool `lose_order`\n"
    );
}

#[test]
fn stdio_server_exits_when_input_ends() {
    let suite = suite();
    let mut command = suite.command(&["serve", "mcp", "orders.mcp.yaml", "--stdio"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let call = json!({ "name": "find_order", "arguments": { "id": "A-17" } });
    for message in
        [request(1, "initialize", &json!({ "protocolVersion": "2025-06-18" })), request(2, "tools/call", &call)]
    {
        writeln!(input, "{message}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let lines: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(lines[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(lines[1]["result"]["structuredContent"], json!({ "total": 60 }));
    // A signal also ends it, even if its input is still open.
    let mut command = suite.command(&["serve", "mcp", "orders.mcp.yaml", "--stdio"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", request(1, "ping", &json!({}))).unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(signal(child.id(), "TERM"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn invalid_script_is_reported_with_its_location() {
    let script = SCRIPT.replace("type: string", "type: strng");
    for (script, place, told) in [
        (SCRIPT.replace("answers", "anwsers"), "orders.mcp.yaml:4:5", "unknown key `anwsers` in a tool"),
        (script, "orders.mcp.yaml:2:3", "`inputSchema` of the tool `find_order` is not a valid schema"),
    ] {
        let ran = Suite::empty().file("orders.mcp.yaml", script).agentci(&["serve", "mcp", "orders.mcp.yaml"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(told) && ran.stderr.contains(place), "{}", ran.stderr);
    }
    let both = suite().agentci(&["serve", "mcp", "orders.mcp.yaml", "--stdio", "--port", "1"]);
    assert_eq!(both.code, Some(2), "{both:?}");
}

#[test]
fn mcp_script_is_not_reported_as_stray_suite_file() {
    let native = "suite: s\ntarget: { process: { command: [cat] } }\ncases: [{ id: a, input: {} }]\n";
    for (name, strays) in [("orders.mcp.yaml", 0), ("orders.yaml", 1)] {
        let suite = Suite::empty().file("s/agentci.yaml", native).file(&format!("servers/{name}"), SCRIPT);
        let ran = suite.agentci(&["check", "."]);
        assert_eq!(ran.stderr.matches("belongs to no suite").count(), strays, "{name}: {}", ran.stderr);
    }
}
