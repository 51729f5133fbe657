//! `agentci serve llm`: the printed address, the answers, and shutdown.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::processes::signal;
use crate::suite::Suite;

pub(crate) struct Server {
    child: Child,
    address: Value,
}

impl Server {
    pub(crate) fn start(suite: &Suite, arguments: &[&str]) -> Self {
        let mut all = vec!["serve", "llm"];
        all.extend(arguments);
        let mut child = suite.command(&all).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self { child, address: serde_json::from_str(&line).unwrap() }
    }

    fn chat(&self, user: &str) -> (u16, Value) {
        let host = self.address["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        let body = json!({ "model": "m", "messages": [{ "role": "user", "content": user }] }).to_string();
        let mut stream = TcpStream::connect(host).unwrap();
        let length = body.len();
        let head =
            format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}");
        write!(stream, "{head}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap())
    }

    /// The addresses that the server printed when it was ready.
    pub(crate) fn address(&self) -> &Value {
        &self.address
    }

    pub(crate) fn end(mut self, name: &str) -> Option<i32> {
        assert!(signal(self.child.id(), name));
        self.child.wait().unwrap().code()
    }
}

#[test]
fn prints_address_serves_requests_and_exits_on_signal() {
    let suite = Suite::empty().file("model.yaml", "rules:\n- when: { user: refund }\n  reply: Refunded.\n");
    for name in ["INT", "TERM"] {
        let server = Server::start(&suite, &["model.yaml", "--port", "0"]);
        let url = server.address["url"].as_str().unwrap();
        assert!(url.starts_with("http://127.0.0.1:") && !url.ends_with(":0"), "{url}");
        assert_eq!(server.address["openai_base_url"], format!("{url}/v1"));
        for name in ["anthropic_base_url", "azure_endpoint", "gemini_base_url", "ollama_host"] {
            assert_eq!(server.address[name], url, "{name}");
        }
        let (status, answer) = server.chat("my refund");
        assert_eq!((status, &answer["choices"][0]["message"]["content"]), (200, &json!("Refunded.")));
        let (status, answer) = server.chat("other");
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!(status, 400);
        assert!(message.ends_with("line 2, but the user's text does not contain `refund`"), "{message}");
        assert_eq!(server.end(name), Some(0));
    }
}

#[test]
fn default_script_replies_with_greeting() {
    let server = Server::start(&Suite::empty(), &[]);
    assert_eq!(server.chat("x").1["choices"][0]["message"]["content"], "Hello from agentci.");
    assert_eq!(server.end("TERM"), Some(0));
}

#[test]
fn invalid_script_is_reported_with_locations() {
    let suite = Suite::empty().file("model.yaml", "rules:\n- when: { usr: a }\n  reply: b\n- wen: {}\n  reply: c\n");
    let ran = suite.agentci(&["serve", "llm", "model.yaml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    for part in [
        "error: unknown key `usr` in `when`\n  --> model.yaml:2:11",
        "help: did you mean `user`?",
        "error: unknown key `wen` in a rule\n  --> model.yaml:4:3",
    ] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    let missing = suite.agentci(&["serve", "llm", "none.yaml"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("cannot read `none.yaml`: no such file"), "{}", missing.stderr);
}

#[test]
fn port_in_use_is_an_error_with_help() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = Suite::empty().agentci(&["serve", "llm", "--port", &port]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("cannot be used") && ran.stderr.contains("help: "), "{}", ran.stderr);
}
