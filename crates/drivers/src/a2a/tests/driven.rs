//! Whole turns, replayed from handwritten recordings: no network, no clock.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use agentci_plan::{A2aCard, A2aKeys, A2aTarget, Auth, Text};
use agentci_source::{Sources, Span, Spanned};
use agentci_trace::{EventKind, Redactor, Trace};

use super::*;
use crate::a2a::A2aDriver;
use crate::chat::NoResources;
use crate::mock::MockDraws;
use crate::{DriveError, DriverContext, TraceSink};
use agentci_exchange::Clock;
use agentci_exchange::{AgentLine, AgentRecording, ExchangePlayer};

/// A recording, built line by line; each line is a tenth of a second after the previous one.
#[derive(Default)]
struct Tape {
    lines: Vec<Value>,
    now: u64,
}

impl Tape {
    fn line(&mut self, mut line: Value) {
        self.now += 100_000;
        line["at_us"] = json!(self.now);
        self.lines.push(line);
    }

    fn exchange(
        mut self,
        method: &str,
        identity: &Value,
        status: u16,
        kind: &str,
        pieces: &[Value],
        how: &Value,
    ) -> Self {
        self.line(json!({ "type": "request", "method": method, "identity": identity }));
        self.line(json!({ "type": "response", "status": status, "headers": { "content-type": kind } }));
        for piece in pieces {
            self.line(piece.clone());
        }
        let mut end = json!({ "type": "end" });
        end.as_object_mut().unwrap().extend(how.as_object().cloned().unwrap());
        self.line(end);
        self
    }

    fn whole(self, identity: &Value, status: u16, body: &Value) -> Self {
        let body = json!({ "type": "body", "raw": body.to_string() });
        let method = if identity["call"] == "card" { "GET" } else { "POST" };
        self.exchange(method, identity, status, "application/json", &[body], &json!({ "how": "closed" }))
    }

    fn stream(self, identity: &Value, items: &[Value], how: &Value) -> Self {
        let frame = |item: &Value| {
            let item = json!({ "jsonrpc": "2.0", "id": "1", "result": item });
            json!({ "type": "frame", "raw": format!("data: {item}\n\n") })
        };
        let frames: Vec<Value> = items.iter().map(frame).collect();
        self.exchange("POST", identity, 200, "text/event-stream", &frames, how)
    }

    fn line_to_it(self) -> AgentLine {
        let mut text = json!({ "v": 1, "type": "recording" }).to_string();
        for line in self.lines {
            text.push('\n');
            text.push_str(&line.to_string());
        }
        AgentLine::Replay(ExchangePlayer::new(AgentRecording::parse(&text).unwrap(), Redactor::default()))
    }
}

fn span() -> Span {
    Span::whole(Sources::default().add(Path::new("s"), ""))
}

fn endpoint() -> A2aTarget {
    let url = Spanned::new(Text::Literal("http://agent.test/".into()), span());
    A2aTarget {
        card: A2aCard::Endpoint(url),
        context: None,
        blocking: None,
        accepted_output_modes: Vec::new(),
        auth: None,
        hosts: Vec::new(),
        headers: Vec::new(),
        timeout: Duration::from_secs(3),
        output: agentci_plan::OutputRule::Required,
        keys: A2aKeys { card_url: "card_url", accepted_output_modes: "accepted_output_modes" },
        span: span(),
    }
}

fn streaming() -> A2aTarget {
    let interface = json!({ "url": "http://agent.test/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
    let card = json!({ "supportedInterfaces": [interface], "capabilities": { "streaming": true } });
    A2aTarget { card: A2aCard::Inline(card), ..endpoint() }
}

/// Takes one turn.
fn drive(target: &A2aTarget, tape: Tape) -> (Result<(), DriveError>, Trace) {
    let draws = MockDraws::new(7);
    let context = DriverContext {
        case_id: "c",
        lookup: &|_| None,
        folder: Path::new(""),
        environment: &[],
        enforced: &[],
        started: None,
        bases: &crate::ToolBases::default(),
        draws: &draws,
        request_timeout: None,
        attempt: 1,
        tools: false,
        agents: &[],
        resources: &NoResources,
        records: false,
        fetched: &agentci_wire::FetchedSecrets::default(),
    };
    let mut driver = A2aDriver::open(target, &context, tape.line_to_it()).unwrap();
    let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let result = runtime.block_on(driver.turn(&user("hi"), &mut sink));
    (result, sink.into_trace())
}

fn said(call: &str) -> Value {
    json!({ "call": call, "message": { "parts": [{ "text": "hi" }] } })
}

fn asked(call: &str) -> Value {
    json!({ "call": call, "task": "t" })
}

fn result(value: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": "1", "result": value })
}

fn refusal(code: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": "1", "error": { "code": code, "message": "no" } })
}

fn violations(trace: &Trace) -> usize {
    trace.events().iter().filter(|event| matches!(event.kind, EventKind::Violation(_))).count()
}

#[test]
fn interrupted_stream_is_resumed() {
    let closed = json!({ "how": "closed" });
    let begun = [task("TASK_STATE_WORKING", &json!([])), artifact("a", &json!({ "text": "one " }), false)];
    let parts = json!([{ "artifactId": "a", "parts": [{ "text": "one " }] }]);
    let rest = [
        task("TASK_STATE_WORKING", &parts),
        artifact("a", &json!({ "text": "two" }), true),
        status("TASK_STATE_COMPLETED", ""),
    ];
    let cut = json!({ "how": "broken", "message": "cut" });
    for (how, told) in [(&cut, 0), (&closed, 1)] {
        let tape = Tape::default().stream(&said("stream"), &begun, how).stream(&asked("subscribe"), &rest, &closed);
        let (result, trace) = drive(&streaming(), tape);
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(trace.conversation().text(), "one two");
        assert_eq!(violations(&trace), told, "only who closes a stream too early breaks a rule");
    }
}

#[test]
fn polls_task_when_stream_cannot_be_resumed() {
    let closed = json!({ "how": "closed" });
    let begun = [task("TASK_STATE_WORKING", &json!([]))];
    let done = task("TASK_STATE_COMPLETED", &json!([{ "artifactId": "a", "parts": [{ "text": "done" }] }]));
    let tape = Tape::default()
        .stream(&said("stream"), &begun, &closed)
        .whole(&asked("subscribe"), 200, &refusal(-32004))
        .whole(&asked("get"), 200, &result(&begun[0]["task"]))
        .whole(&asked("get"), 200, &result(&done["task"]));
    let (result, trace) = drive(&streaming(), tape);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(trace.conversation().text(), "done");
}

#[test]
fn polls_task_until_the_timeout() {
    let working = task("TASK_STATE_WORKING", &json!([]));
    let sent = json!({ "call": "send", "message": { "parts": [{ "text": "hi" }] }, "returnImmediately": true });
    // Every exchange takes 0.3 s of the 3 s, and the waits between them take 0.1, 0.2, 0.4, 0.8 s and so on, which a
    // replay only knows from the recorded times.
    let mut tape = Tape::default().whole(&sent, 200, &result(&working));
    for _ in 0..20 {
        tape = tape.whole(&asked("get"), 200, &result(&working["task"]));
    }
    let (result, _) = drive(&A2aTarget { blocking: Some(false), ..endpoint() }, tape);
    let Err(DriveError::Timeout { after }) = result else { panic!("{result:?}") };
    assert_eq!(after, Duration::from_secs(3), "the limit is that of the turn, not what was left of it");
}

#[test]
fn bare_url_is_tried_with_both_protocol_versions() {
    let old =
        json!({ "kind": "message", "messageId": "m", "role": "agent", "parts": [{ "kind": "text", "text": "hello" }] });
    for code in [-32601, -32600, -32009] {
        let tape = Tape::default().whole(&said("send"), 200, &refusal(code)).whole(&said("send"), 200, &result(&old));
        let (result, trace) = drive(&endpoint(), tape);
        assert!(result.is_ok(), "{result:?}");
        assert_eq!(trace.conversation().text(), "hello");
    }
    let tape = Tape::default().whole(&said("send"), 200, &refusal(-32601)).whole(&said("send"), 200, &refusal(-32601));
    assert!(matches!(drive(&endpoint(), tape).0, Err(DriveError::Refused { .. })));
    // A request that was refused for another reason is not repeated, and neither is one to an agent whose card names
    // its version.
    let tape = Tape::default().whole(&said("send"), 200, &refusal(-32602));
    assert!(matches!(drive(&endpoint(), tape).0, Err(DriveError::Refused { .. })));
    let tape = Tape::default().whole(&said("stream"), 200, &refusal(-32601));
    assert!(matches!(drive(&streaming(), tape).0, Err(DriveError::Refused { .. })));
}

#[test]
fn rejected_token_is_renewed_once() {
    let text = || Text::parse("${ENV.UNSET}");
    let auth = Auth::OAuth2 { token_url: text(), client_id: text(), client_secret: text(), scopes: Vec::new() };
    let target = A2aTarget { auth: Some(auth), ..endpoint() };
    let message = json!({ "message": { "parts": [{ "text": "hello" }] } });
    let who = json!({ "detail": "who are you?" });
    let tape = Tape::default().whole(&said("send"), 401, &who).whole(&said("send"), 200, &result(&message));
    assert!(drive(&target, tape).0.is_ok());
    let tape = Tape::default().whole(&said("send"), 401, &who).whole(&said("send"), 401, &who);
    assert!(matches!(drive(&target, tape).0, Err(DriveError::Refused { .. })));
}

#[test]
fn failed_task_fails_the_turn_and_keeps_its_trace() {
    let items = [
        task("TASK_STATE_WORKING", &json!([])),
        artifact("a", &json!({ "text": "half" }), false),
        status("TASK_STATE_REJECTED", "not this"),
    ];
    let (result, trace) =
        drive(&streaming(), Tape::default().stream(&said("stream"), &items, &json!({ "how": "closed" })));
    assert_eq!(result.unwrap_err().to_string(), "the agent reported an error: its task was rejected: not this");
    assert_eq!(trace.conversation().text(), "half");
    let state = trace.events().iter().find_map(|event| match &event.kind {
        EventKind::State(state) => Some(state["task"]["state"].clone()),
        _ => None,
    });
    assert_eq!(state, Some(json!("rejected")));
}
