//! Injected faults, and the events of calls that fail by themselves.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentci_plan::FaultKind;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;

use super::{Peer, script};
use crate::{ServerEvent, ServerState, ServerWatcher};

const SHOP: &str = "
tools:
  find: { answers: [{ reply: first }, { reply: second }] }
  ask: { answers: { steps: [{ ask: { who: { elicit: { message: Who? } } } }], reply: 'hello ${INPUT.who.content.name}' } }
";

/// Forwards events, and injects these faults, one per call.
#[derive(Debug)]
struct Faulty(UnboundedSender<ServerEvent>, Mutex<Vec<FaultKind>>);

impl ServerWatcher for Faulty {
    fn saw(&self, seen: ServerEvent) {
        self.0.saw(seen);
    }

    fn fault(&self, _: &str) -> Option<FaultKind> {
        self.1.lock().unwrap().pop()
    }
}

fn peer(fault: FaultKind) -> Peer {
    let faulty = |to| Faulty(to, Mutex::new(vec![fault]));
    Peer::on(|to| ServerState::new(Arc::new(script(SHOP)), Some(Box::new(faulty(to)))).unwrap())
}

#[tokio::test]
async fn injected_error_keeps_scripted_answer_for_next_call() {
    let mut peer = peer(FaultKind::Error("down".into()));
    assert_eq!(peer.call("find", json!({})).await, "isError: down");
    assert_eq!(peer.call("find", json!({})).await, "first");
    let fault = Some(FaultKind::Error("down".into()));
    assert_eq!(peer.all_seen()[1], ServerEvent::Answer { number: 1, outcome: Err("down".into()), fault });
}

#[tokio::test(start_paused = true)]
async fn injects_response_faults() {
    for (fault, end) in [(FaultKind::Malformed, "{\"half of a"), (FaultKind::Truncated, "")] {
        let mut peer = peer(fault.clone());
        peer.send("tools/call", json!({ "name": "find" })).await;
        let line = peer.line().await;
        assert!(line.starts_with('{') && line.ends_with(end), "{line}");
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_err(), "{line}");
        assert_eq!(
            peer.all_seen()[1],
            ServerEvent::Answer { number: 1, outcome: Ok("first".into()), fault: Some(fault) }
        );
    }
    let mut late = peer(FaultKind::Delay(Duration::from_secs(5)));
    let begun = tokio::time::Instant::now();
    assert_eq!(late.call("find", json!({})).await, "first");
    assert_eq!(begun.elapsed().as_secs(), 5);
    let mut hangs = peer(FaultKind::Hang);
    hangs.send("tools/call", json!({ "name": "find" })).await;
    assert_eq!(hangs.call("find", json!({})).await, "second", "the next is answered");
}

#[tokio::test]
async fn call_waiting_for_client_input_is_counted_once() {
    let mut peer = Peer::new(SHOP);
    let asks = json!({ "elicitation": {} });
    let waits = peer.ask_modern("tools/call", json!({ "name": "ask", "arguments": {} }), asks.clone()).await;
    let state = &waits["result"]["requestState"];
    let said = json!({ "who": { "action": "accept", "content": { "name": "Ann" } } });
    let again = json!({ "name": "ask", "arguments": {}, "requestState": state, "inputResponses": said });
    let answer = peer.ask_modern("tools/call", again, asks).await;
    assert_eq!(answer["result"]["content"][0]["text"], "hello Ann", "{answer}");
    let call = ServerEvent::Call { number: 1, tool: "ask".into(), arguments: json!({}) };
    assert_eq!(
        peer.all_seen(),
        [call, ServerEvent::Answer { number: 1, outcome: Ok("hello Ann".into()), fault: None }]
    );
}

#[tokio::test]
async fn reports_calls_that_fail_without_an_answer() {
    let mut peer = Peer::greeted(SHOP, json!({})).await;
    peer.call("ask", json!({})).await;
    peer.call("find", json!(["A-17"])).await;
    let failed = |seen: ServerEvent| if let ServerEvent::Answer { outcome, .. } = seen { outcome.err() } else { None };
    let words: Vec<String> = peer.all_seen().into_iter().filter_map(failed).collect();
    assert!(
        words[0].contains("the client cannot be asked") && words[1].contains("`arguments` must be an object"),
        "{words:?}"
    );
}

#[tokio::test]
async fn unsupported_calls_and_resource_reads_are_misses() {
    let mut peer = Peer::greeted("prompts: { hi: { messages: [{ user: Hi }] } }\n", json!({})).await;
    peer.call("find", json!({})).await;
    peer.ask("resources/read", json!({ "uri": "shop://terms" })).await;
    peer.ask("tools/list", json!({})).await;
    let missed = |seen: ServerEvent| if let ServerEvent::Miss { of, .. } = seen { Some(of) } else { None };
    assert_eq!(peer.all_seen().into_iter().filter_map(missed).collect::<Vec<_>>(), ["find", "shop://terms"]);
}
