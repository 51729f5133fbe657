//! Servers that send too much, or never end an answer: the limits for each kind of agent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::http_server::{Answer, listen};
use crate::ran::Ran;
use crate::suite::Suite;

const JSON: &str = "content-type: application/json\r\n";

fn run(target: &str) -> Ran {
    let cases = "cases: [{ id: one, turns: [{ user: hi }] }]";
    let yaml = format!("suite: suite\nmode: live\ntarget: {{ {target} }}\n{cases}\n");
    Suite::empty().file("suite/agentci.yaml", yaml).run(&["--timeout", "100s"])
}

fn agui(url: &str) -> String {
    format!("agui: {{ endpoint: \"{url}/\", wire: agui }}")
}

fn a2a(url: &str, more: &str) -> String {
    format!("a2a: {{ endpoint: \"{url}/\"{more} }}")
}

fn chat(url: &str) -> String {
    let connector = format!("{{ api: openai, url: \"{url}/\", model: m, key: k }}");
    format!("chat: {{ connector: {connector}, prompts: [{{ role: system, content: Be brief. }}] }}")
}

/// A server that always sends the same answer.
fn always(status: u16, headers: &'static str, body: String) -> String {
    listen(move |_| Some(Answer(status, headers, body.clone())))
}

/// Reads the body of a request.
fn asked(stream: TcpStream) -> (TcpStream, Vec<u8>) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (reader.into_inner(), body)
}

/// A server that sends these events and then keeps the connection open.
fn never_closes(events: impl Fn(&Value) -> Vec<String> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming().map_while(Result::ok) {
            let (mut stream, body) = asked(stream);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            let events = events(&serde_json::from_slice(&body).unwrap());
            let text = events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat();
            stream.write_all(format!("{head}{text}").as_bytes()).unwrap();
            open.push(stream);
        }
    });
    url
}

/// Otherwise each of these cases would be an error, after a timeout of a hundred seconds.
#[test]
fn does_not_wait_for_connection_close_after_final_event() {
    let of_agui = never_closes(|asked| {
        let (thread, run) = (&asked["threadId"], &asked["runId"]);
        vec![
            json!({ "type": "RUN_STARTED", "threadId": thread, "runId": run }).to_string(),
            json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": "hello" })
                .to_string(),
            json!({ "type": "RUN_FINISHED", "threadId": thread, "runId": run }).to_string(),
        ]
    });
    let of_a2a = never_closes(|asked| {
        let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "hello" }] });
        vec![json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "message": message } }).to_string()]
    });
    let of_a_model = never_closes(|_| {
        let choice = json!({ "index": 0, "delta": { "content": "hello" }, "finish_reason": "stop" });
        vec![json!({ "object": "chat.completion.chunk", "choices": [choice] }).to_string(), "[DONE]".into()]
    });
    let interface = format!("{{ url: \"{of_a2a}/\", protocolBinding: JSONRPC, protocolVersion: \"1.0\" }}");
    let card = format!("{{ supportedInterfaces: [{interface}], capabilities: {{ streaming: true }} }}");
    for target in [agui(&of_agui), format!("a2a: {{ card: {card} }}"), chat(&of_a_model)] {
        let ran = run(&target);
        assert_eq!(ran.case("one")["status"], "pass", "{target}: {ran:?}");
        assert!(ran.case("one")["wall_ms"].as_u64().unwrap() < 50_000, "{ran:?}");
    }
}

#[test]
fn responses_of_agents_and_models_are_limited_in_size() {
    let ran = run(&a2a(&always(200, JSON, " ".repeat((32 << 20) + 1)), ""));
    ran.says(&["the answer is larger than 33554432 bytes"]);
    let ran = run(&chat(&always(200, JSON, " ".repeat((64 << 20) + 1))));
    ran.says(&["the answer is larger than 67108864 bytes"]);
}

#[test]
fn token_responses_are_limited_in_size() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = asked(listener.accept().unwrap().0);
        let body = json!({ "access_token": "t".repeat(1 << 20) }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\n{JSON}content-length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    });
    let auth = format!(", auth: {{ oauth2: {{ token_url: \"{url}/token\", client_id: a, client_secret: b }} }}");
    run(&a2a(&url, &auth)).says(&["the access token could not be fetched: ", "1048576"]);
}

/// A body beyond the limit is dropped; the status is still reported.
#[test]
fn bodies_of_error_responses_are_limited_in_size() {
    for (target, refusal) in [
        (agui as fn(&str) -> String, json!({ "error": "go away".to_owned() + &" ".repeat(1 << 20) })),
        (|url| format!("http: {{ url: \"{url}/\" }}"), json!({ "error": "go away".to_owned() + &" ".repeat(1 << 20) })),
    ] {
        let short = always(403, JSON, json!({ "error": "go away" }).to_string());
        run(&target(&short)).says(&["403", "go away"]);
        let ran = run(&target(&always(403, JSON, refusal.to_string())));
        ran.says(&["403"]);
        assert!(!ran.stdout.contains("go away"), "{}", ran.stdout);
    }
}
