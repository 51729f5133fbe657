//! Agents that are already running and call their tools at an address that agentci did not set.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::json;

use crate::http_server::{Answer, listen};
use crate::ran::Ran;
use crate::suite::Suite;

const SCENARIO: &str = "test_name: pay\nuser_input: how much?\nexpected_answer: You were paid 1250 dollars.\n\
    tool_fixtures: { paySlips: [{ request: { id: 1 }, response: { net: 1250 } }] }\n";

/// An agent that always calls its tool at this port, and answers with the result.
fn agent(port: u16) -> String {
    listen(move |_| {
        let said = match call(port) {
            Some(answer) if answer.contains("1250") => "You were paid 1250 dollars.".to_owned(),
            _ => "I cannot reach the payroll.".to_owned(),
        };
        Some(Answer(200, "content-type: application/json\r\n", json!({ "answer": said }).to_string()))
    })
}

fn call(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let body = r#"{"id":1}"#;
    write!(
        stream,
        "POST /paySlips HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// A port that is free now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn run(settings: &str, agent: &str, more: &[&str]) -> Ran {
    let suite = Suite::empty().file("agentci.yaml", settings).file("tests/us/pay.yaml", SCENARIO);
    suite.agentci(&[&["run", "--agent", "us", "--agent-url", agent, "--embedder", "builtin"], more].concat())
}

#[test]
fn suggests_stub_server_address_for_running_agent() {
    let ran = run("threshold: 0.5\n", &agent(free_port()), &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let at = ran.events()[0]["tools_at"].as_str().unwrap().to_owned();
    assert!(at.starts_with("http://127.0.0.1:"), "{at}");
    ran.says(&[
        &format!(
            "the stub tool server is {at}; the running agent must call its tools there (`--stub-port` sets the port)\n"
        ),
        &format!("the agent called no tool at {at}"),
        "set the port that it expects with `--stub-port`",
    ]);
}

#[test]
fn stub_port_is_taken_from_the_settings() {
    let port = free_port();
    let settings = format!("threshold: 0.5\nstub_port: {port}\n");
    let ran = run(&settings, &agent(port), &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.says(&[&format!("the stub tool server is http://127.0.0.1:{port}; ")]);
    // A flag takes precedence.
    let other = free_port();
    let ran = run(&settings, &agent(other), &["--stub-port", &other.to_string()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for wrong in ["0", "65536", "80.5", "http"] {
        let ran = run(&format!("stub_port: {wrong}\n"), "http://127.0.0.1:1/", &[]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("`stub_port` must be a") && ran.stderr.contains("agentci.yaml:1:12"), "{ran:?}");
    }
}

#[test]
fn native_suite_can_set_the_stub_port() {
    let port = free_port();
    let suite = format!(
        "suite: s\ntarget: {{ http: {{ url: {:?} }} }}\nworld: {{ tools: {{ port: {port}, routes: {{ paySlips: [{{ response: {{ net: 1250 }} }}] }} }} }}\n\
         cases: [{{ id: a, input: {{ question: hi }}, checks: [{{ contains: '1250' }}, {{ tool_called: paySlips }}] }}]\n",
        agent(port)
    );
    let ran = Suite::empty().file("suite/agentci.yaml", suite).agentci(&["run", "suite"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn does_not_suggest_stub_address_for_started_agent() {
    let suite = Suite::native(
        "world: { tools: { routes: { pay: [{ response: 1 }] } } }\ncases: [{ id: a, input: {}, checks: [{ contains: zebra }] }]\n",
    );
    let ran = suite.agent("a", "finish '{\"ok\":true}'").run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.stdout.contains("the stub tool server is") && !ran.stdout.contains("--stub-port"), "{ran:?}");
}
