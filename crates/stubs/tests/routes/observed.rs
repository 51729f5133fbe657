//! The events in the trace.

use agentci_plan::{FaultKind, FaultTime, Fixture};
use agentci_trace::{EventKind, Observer, ToolCall, ToolResult};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use crate::served::{Opening, fault, fixture, for_any, get, open, post, routes, start, tool};

fn call(id: &str, name: &str, args: Value) -> EventKind {
    let (call_id, name) = (id.to_owned(), name.to_owned());
    EventKind::ToolCall(ToolCall { call_id, name, args: args.into(), observer: Observer::Stub, begun: None })
}

fn result(id: &str, answer: Result<Value, &str>, fault: Option<&str>) -> EventKind {
    let (ok, result, error) = match answer {
        Ok(result) => (true, result, None),
        Err(error) => (false, Value::Null, Some(error.to_owned())),
    };
    EventKind::ToolResult(ToolResult {
        call_id: id.into(),
        ok,
        result: result.into(),
        error,
        fault: fault.map(str::to_owned),
        observer: Observer::Stub,
        ..ToolResult::default()
    })
}

#[tokio::test]
async fn reports_calls_results_and_misses_in_order() {
    let server = start().await;
    let (sender, mut seen) = unbounded_channel();
    let gone = Fixture { status: 410, ..for_any(json!("gone")) };
    let tools = [tool("t", [fixture(json!({"n": 1}), json!({"a": [1]}))]), tool("gone", [gone])];
    let faults = vec![
        fault(Some("t"), FaultTime::Call(3), FaultKind::Error("down".into())),
        fault(Some("t"), FaultTime::Call(4), FaultKind::Truncated),
    ];
    let opening = Opening { observer: Some(sender), faults, ..Opening::default() };
    let session = open(&server, routes(tools), opening).unwrap();
    post(&server, "/t", &json!({"n": 1})).await;
    post(&server, "/t", &json!({"n": 2})).await;
    post(&server, "/t", &json!({"n": 1})).await;
    post(&server, "/t", &json!({"n": 1})).await;
    get(&server, "/gone?id=7").await;
    drop(session);
    let mut kinds = Vec::new();
    while let Some(kind) = seen.recv().await {
        kinds.push(kind);
    }
    let EventKind::Miss { tool, message } = kinds.remove(3) else { panic!("{kinds:?}") };
    assert_eq!(tool, "t");
    assert!(
        message.starts_with(r#"no fixture of `t` matches this request; requested: POST t {"n":2}; first "#),
        "{message}"
    );
    assert_eq!(
        kinds,
        [
            call("call_1", "t", json!({"n": 1})),
            result("call_1", Ok(json!({"a": [1]})), None),
            call("call_2", "t", json!({"n": 2})),
            result("call_2", Err("no fixture of `t` matches this request"), None),
            call("call_3", "t", json!({"n": 1})),
            result("call_3", Err("down"), Some("error")),
            call("call_4", "t", json!({"n": 1})),
            result("call_4", Ok(json!({"a": [1]})), Some("truncated")),
            call("call_5", "gone", json!({"id": "7"})),
            result("call_5", Err("HTTP 410: \"gone\""), None),
        ]
    );
}
