//! A server in a fork that continues live, without a tap and its program.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::super::play::TapMessage;
use super::server::{ForkedServer, HANDSHAKE_TIMEOUT};
use crate::authority::Authority;
use crate::leaks::ConnectionPrograms;
use crate::proxy::{ExchangeLog, ProxyState, ReachRules, RecordingReplay, Upstream};
use crate::{
    AfterFork, AnswerFrame, Circumstances, EndKind, Exchange, ExchangeEnd, Fork, MatchRules, RecordedBody,
    RecordedRequest, RecordedResponse, Recording, ReplayPace,
};

const ORIGIN: &str = "stdio:python server.py";

struct World {
    shared: Arc<ProxyState>,
    server: ForkedServer,
    said: UnboundedReceiver<TapMessage>,
}

impl World {
    /// `initialize`, and calls to these tools, up to the fork.
    fn recorded(tools: &[&str]) -> Self {
        let opened = json!({ "serverInfo": "old", "protocolVersion": "2025-06-18" });
        let mut exchanges = vec![exchange(1, initialize(), json!({ "id": 0, "result": opened }))];
        for (id, tool) in (2..).zip(tools) {
            exchanges.push(exchange(id, call(id, tool), json!({ "id": id, "result": format!("recorded {tool}") })));
        }
        let fork = Fork { until: exchanges.len() as u64, then: AfterFork::Live, spoken: Vec::new() };
        let recording = Recording { exchanges, ..Recording::default() };
        let (here, rules) = (Circumstances::default(), MatchRules::default());
        let shared = Arc::new(ProxyState {
            address: ([127, 0, 0, 1], 1).into(),
            authority: Authority::new().unwrap(),
            ledger: Arc::new(ExchangeLog::new(agentci_trace::Redactor::default(), Vec::new(), None, 0)),
            reach: ReachRules::default(),
            upstream: Upstream::new(None, &[]).unwrap(),
            replay: Some(RecordingReplay::forked(recording, here, rules, fork, ReplayPace::Fast)),
            programs: ConnectionPrograms::default(),
        });
        Self::of(shared)
    }

    /// A server of a session.
    fn of(shared: Arc<ProxyState>) -> Self {
        let (out, said) = unbounded_channel();
        let server = ForkedServer::new(Arc::clone(&shared), ORIGIN.into(), out);
        Self { shared, server, said }
    }

    fn host(&mut self, message: &Value) {
        self.server.host(message.to_string().as_bytes());
    }

    fn server(&mut self, message: &Value) {
        self.server.server(message.to_string().as_bytes());
    }

    /// The messages since the last call: `host` or `server`, and the message.
    async fn said(&mut self) -> Vec<(&'static str, Value)> {
        // Recorded answers are sent by separate tasks.
        tokio::time::sleep(Duration::from_millis(5)).await;
        let of = |line: Vec<u8>| serde_json::from_slice(&line).unwrap();
        let mut all = Vec::new();
        while let Ok(said) = self.said.try_recv() {
            all.push(match said {
                TapMessage::Line(line) => ("host", of(line)),
                TapMessage::ToServer(line) => ("server", of(line)),
                TapMessage::Left => ("server", json!("left")),
                TapMessage::Over => ("host", json!("over")),
            });
        }
        all
    }

    fn misses(&self) -> Vec<String> {
        self.shared.ledger.seen().misses.iter().map(|miss| miss.reason.clone()).collect()
    }

    fn live(&self) -> usize {
        self.shared.replay.as_ref().unwrap().fork().unwrap().outcome().live
    }
}

fn initialize() -> Value {
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {} });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn initialized() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

fn call(id: u64, tool: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } })
}

fn exchange(id: u64, message: Value, mut answer: Value) -> Exchange {
    answer["jsonrpc"] = json!("2.0");
    let method = message["method"].as_str().unwrap().to_owned();
    let frames = vec![AnswerFrame { at_us: id, bytes: format!("{answer}\n").into() }];
    let headers = vec![("content-type".into(), "application/x-ndjson".into())];
    Exchange {
        id,
        request: RecordedRequest {
            at_us: id,
            method,
            origin: ORIGIN.into(),
            body: RecordedBody::Json(message),
            ..RecordedRequest::default()
        },
        response: Some(RecordedResponse { at_us: id, status: 200, headers, frames }),
        end: ExchangeEnd { at_us: id, how: EndKind::Closed },
        chatter: false,
        after: None,
    }
}

/// The message of an error that the host got.
fn error(said: &[(&'static str, Value)]) -> String {
    let [("host", answer)] = said else { panic!("{said:?}") };
    answer["error"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn new_server_gets_handshake_first_and_response_is_dropped() {
    let mut world = World::recorded(&["one"]);
    world.host(&initialize());
    world.host(&initialized());
    world.host(&call(7, "one"));
    let answers = world.said().await;
    assert_eq!((answers[0].1["result"]["serverInfo"].as_str(), answers[1].1["id"].as_u64()), (Some("old"), Some(7)));
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" });
    for message in [&call(8, "two"), &cancelled, &call(9, "three")] {
        world.host(message);
    }
    assert_eq!(world.said().await, [("server", initialize())]);
    // Meanwhile the server may send a ping.
    let ping = json!({ "jsonrpc": "2.0", "id": 0, "method": "ping" });
    let there = json!({ "jsonrpc": "2.0", "id": 0, "result": {} });
    world.server(&ping);
    world.host(&there);
    assert_eq!(world.said().await, [("host", ping), ("server", there)]);
    world.server(&json!({ "jsonrpc": "2.0", "id": 0, "result": { "serverInfo": "new" } }));
    let sent = [initialized(), call(8, "two"), cancelled, call(9, "three")];
    assert_eq!(world.said().await, sent.map(|message| ("server", message)));
    let answer = json!({ "jsonrpc": "2.0", "id": 9, "result": "live" });
    world.server(&answer);
    assert_eq!(world.said().await, [("host", answer)]);
    assert_eq!((world.live(), world.misses().len()), (3, 0), "the answer and two calls");
    let kept = world.shared.ledger.seen().exchanges.iter().flatten().any(|it| it.request.method == "ping");
    assert!(!kept, "what the server asks is no exchange of its own");
}

#[tokio::test(start_paused = true)]
async fn server_handshake_has_a_timeout() {
    let mut world = World::recorded(&[]);
    world.host(&initialize());
    let began = Instant::now();
    world.host(&call(1, "one"));
    world.said().await;
    world.server.due().await;
    assert_eq!(began.elapsed(), HANDSHAKE_TIMEOUT);
    world.server.settle();
    let reason = "the server did not answer `initialize` within 30 s";
    let words = format!("agentci replay: {ORIGIN} cannot continue live: {reason}");
    assert_eq!(error(&world.said().await), words);
    // It answers too late, and further calls fail immediately.
    world.server(&json!({ "jsonrpc": "2.0", "id": 0, "result": {} }));
    world.host(&call(2, "two"));
    assert_eq!(error(&world.said().await), words);
    assert_eq!((world.misses(), world.live()), (vec![reason.to_owned(); 2], 0));
    world.server.left();
    assert_eq!(world.said().await, [("server", json!("left"))]);
}

#[tokio::test(start_paused = true)]
async fn reports_refused_handshake_and_version_mismatch() {
    for (answer, reason) in [
        (json!({ "error": { "code": 1, "message": "too old" } }), "the server refused `initialize`: too old"),
        (
            json!({ "result": { "protocolVersion": "2024-11-05" } }),
            "the server uses protocol version 2024-11-05, the recorded one used 2025-06-18",
        ),
    ] {
        let mut world = World::recorded(&[]);
        world.host(&initialize());
        world.host(&call(1, "one"));
        world.said().await;
        let mut answer = answer.clone();
        answer["id"] = json!(0);
        world.server(&answer);
        let words = format!("agentci replay: {ORIGIN} cannot continue live: {reason}");
        assert_eq!(error(&world.said().await), words);
        assert_eq!((world.misses(), world.live()), (vec![reason.to_owned()], 0));
    }
}

#[tokio::test(start_paused = true)]
async fn early_call_waits_without_blocking_others() {
    let mut world = World::recorded(&["one"]);
    world.host(&initialize());
    world.said().await;
    let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress" });
    for message in [&call(5, "two"), &progress, &call(6, "three")] {
        world.host(message);
    }
    assert_eq!(world.said().await, []);
    // The awaited call comes after them.
    world.host(&call(7, "one"));
    world.server.due().await;
    world.server.settle();
    let said = world.said().await;
    assert_eq!(said[0], ("server", initialize()));
    assert_eq!(said[1].1["result"], "recorded one");
    world.server(&json!({ "jsonrpc": "2.0", "id": 0, "result": {} }));
    let sent = [call(5, "two"), progress, call(6, "three")];
    assert_eq!(world.said().await, sent.map(|message| ("server", message)));
}

#[tokio::test(start_paused = true)]
async fn diverged_agent_does_not_reach_the_server() {
    let mut world = World::recorded(&["one"]);
    world.host(&initialize());
    world.said().await;
    world.host(&call(5, "two"));
    world.server.left();
    assert!(!world.server.is_over(), "a call waits");
    world.server.due().await;
    world.server.settle();
    assert!(error(&world.said().await).contains("is not in the recording"));
    // It returns to the recorded calls, but past the beginning nothing is sent live.
    world.host(&call(6, "one"));
    assert_eq!(world.said().await[0].1["result"], "recorded one");
    world.host(&call(7, "three"));
    assert!(error(&world.said().await).contains("the agent diverged from the recording before the fork"));
    assert!(world.server.is_over());
    assert_eq!(world.live(), 0);
}

#[tokio::test(start_paused = true)]
async fn host_that_connects_after_the_fork_is_live() {
    let mut first = World::recorded(&[]);
    first.host(&initialize());
    let mut second = World::of(Arc::clone(&first.shared));
    second.host(&initialize());
    second.host(&initialized());
    second.server.left();
    let said = second.said().await;
    let left = json!("left");
    assert_eq!(said, [initialize(), initialized(), left].map(|message| ("server", message)));
    let warned = second.shared.ledger.seen().notes.len();
    assert_eq!((second.live(), warned), (1, 0));
}
