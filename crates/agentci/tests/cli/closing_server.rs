//! Servers that close the connection after every possible number of bytes: each case ends in time, with a verdict.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::suite::Suite;

/// Answers a request, given its path without the first segment, and its body.
type Answers = fn(&str, &Value) -> Vec<u8>;

/// The number of bytes sent so far, by limit.
type Said = Arc<Mutex<HashMap<usize, usize>>>;

/// Serves until the test ends. The first segment of a path is the number of bytes that may be sent in total to requests
/// with that segment.
fn serve(answers: Answers) -> (String, Said) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let said = Said::default();
    let shared = Arc::clone(&said);
    std::thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let said = Arc::clone(&shared);
            std::thread::spawn(move || answer(stream, answers, &said));
        }
    });
    (address, said)
}

fn answer(mut stream: TcpStream, answers: Answers, said: &Mutex<HashMap<usize, usize>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = first.split(' ').nth(1)?.trim_start_matches('/');
    let (bytes, path) = path.split_once('/').unwrap_or((path, ""));
    let limit: usize = bytes.parse().ok()?;
    let full = answers(path, &serde_json::from_slice(&body).unwrap_or_default());
    let mut said = said.lock().unwrap();
    let so_far = said.entry(limit).or_default();
    let rest = limit.saturating_sub(*so_far).min(full.len());
    *so_far += rest;
    drop(said);
    stream.write_all(&full[..rest]).ok()
}

/// An answer with a `content-length`.
fn whole(kind: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        .into()
}

fn chunked(parts: &[Value]) -> Vec<u8> {
    let mut answer =
        String::from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    for part in parts {
        let event = format!("data: {part}\n\n");
        let _ = write!(answer, "{:x}\r\n{event}\r\n", event.len());
    }
    (answer + "0\r\n\r\n").into()
}

/// More bytes than any server here sends.
const EVERYTHING: usize = 1_000_000;

/// Runs one case for every number of bytes that the server may send before it closes, and checks each verdict. `target`
/// returns the target for a case, given its server address.
fn every_byte(answers: Answers, target: impl Fn(&str) -> String, turn: &str) {
    let (url, said) = serve(answers);
    let run = |limits: &mut dyn Iterator<Item = usize>| {
        let case = |bytes| format!("  - id: b{bytes}\n    target: {}\n    {turn}\n", target(&format!("{url}/{bytes}")));
        let cases = limits.map(case).collect::<Vec<String>>().concat();
        let yaml = format!("suite: suite\nmode: live\ntimeout: 60s\ncases:\n{cases}");
        Suite::empty().file("suite/agentci.yaml", yaml).run(&["--parallel", "50", "--verbose"])
    };
    run(&mut [EVERYTHING].into_iter()).all_passed();
    let whole = said.lock().unwrap()[&EVERYTHING];
    let ran = run(&mut (0..whole));
    let verdicts = ran.verdicts();
    assert_eq!(verdicts.len(), whole, "{ran:?}");
    for (id, status, cause) in &verdicts {
        let told = ran.stdout.contains(&format!(" {id} (")) && matches!(status.as_str(), "pass" | "error" | "fail");
        assert!(told, "{id}: {status}");
        assert!(!matches!(cause.as_str(), "timeout" | "internal" | "interrupted"), "{id}: {cause}");
    }
    assert_eq!(verdicts[0].1, "error", "nothing is no answer");
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn http_agent_closing_after_every_byte_count() {
    fn answers(_: &str, _: &Value) -> Vec<u8> {
        whole("application/json", r#"{"answer":"hello"}"#)
    }
    every_byte(answers, |url| format!("{{ http: {{ url: \"{url}/ask\" }} }}"), "input: { user_input: hi }");
}

#[test]
fn streaming_http_agent_closing_after_every_byte_count() {
    fn answers(_: &str, _: &Value) -> Vec<u8> {
        chunked(&[json!({"token": "hel"}), json!({"token": "lo"}), json!("[DONE]")])
    }
    every_byte(answers, |url| format!("{{ http: {{ url: \"{url}/ask\" }} }}"), "input: { user_input: hi }");
}

#[test]
fn agui_agent_closing_after_every_byte_count() {
    fn answers(_: &str, body: &Value) -> Vec<u8> {
        let (thread, run) = (&body["threadId"], &body["runId"]);
        chunked(&[
            json!({"type": "RUN_STARTED", "threadId": thread, "runId": run}),
            json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}),
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hi"}),
            json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}),
            json!({"type": "RUN_FINISHED", "threadId": thread, "runId": run}),
        ])
    }
    let target = |url: &str| format!("{{ agui: {{ endpoint: \"{url}/run\", thread: t, wire: agui }} }}");
    every_byte(answers, target, "turns: [{ user: hi }]");
}

#[test]
fn a2a_agent_closing_after_every_byte_count() {
    fn answers(_: &str, body: &Value) -> Vec<u8> {
        let part = json!({"kind": "text", "text": "hi"});
        let message = json!({"kind": "message", "role": "agent", "messageId": "m", "parts": [part]});
        whole("application/json", &json!({"jsonrpc": "2.0", "id": body["id"], "result": message}).to_string())
    }
    let target = |url: &str| format!("{{ a2a: {{ endpoint: \"{url}/\", blocking: true }} }}");
    every_byte(answers, target, "turns: [{ user: hi }]");
}

#[test]
fn mcp_server_closing_after_every_byte_count() {
    fn answers(_: &str, body: &Value) -> Vec<u8> {
        let result = match body["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            }),
            Some("tools/call") => json!({"content": [{"type": "text", "text": "hi"}]}),
            Some("tools/list") => json!({"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]}),
            _ if body["id"].is_null() => {
                return b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".into();
            }
            _ => {
                let error = json!({"code": -32601, "message": "no such method"});
                return whole(
                    "application/json",
                    &json!({"jsonrpc": "2.0", "id": body["id"], "error": error}).to_string(),
                );
            }
        };
        whole("application/json", &json!({"jsonrpc": "2.0", "id": body["id"], "result": result}).to_string())
    }
    let target = |url: &str| format!("{{ mcp: {{ url: \"{url}/mcp\" }} }}");
    every_byte(answers, target, "turns: [{ mcp:call: { tool: greet, args: {} } }]");
}

#[test]
fn model_server_closing_after_every_byte_count() {
    fn answers(_: &str, _: &Value) -> Vec<u8> {
        chunked(&[
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        ])
    }
    let target = |url: &str| {
        let connector = format!("{{ api: openai, url: \"{url}/chat\", model: m, key: k }}");
        format!("{{ chat: {{ connector: {connector}, prompts: [] }} }}")
    };
    every_byte(answers, target, "turns: [{ user: hi }]");
}
