//! Injected faults.

use std::time::Duration;

use agentci_plan::{FaultKind, FaultTime};
use agentci_trace::EventKind;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::mpsc::unbounded_channel;

use crate::raw::{read, request};
use crate::served::{Opening, fault, fixture, get, open, post, routes, start, tool};

#[tokio::test]
async fn each_fault_affects_only_its_call() {
    let server = start().await;
    let fixtures = [fixture(json!({"n": 1}), json!({"first": true})), fixture(json!({"n": 1}), json!({"later": true}))];
    let faults = vec![
        fault(Some("t"), FaultTime::Call(1), FaultKind::Error("upstream timeout".into())),
        fault(Some("t"), FaultTime::Call(2), FaultKind::Malformed),
        fault(Some("t"), FaultTime::Call(3), FaultKind::Truncated),
        fault(Some("t"), FaultTime::Call(4), FaultKind::Delay(Duration::from_millis(30))),
    ];
    let tools = [tool("t", fixtures), tool("u", [fixture(json!({}), json!("fine"))])];
    let session = open(&server, routes(tools), Opening { faults, ..Opening::default() }).unwrap();
    let failed = post(&server, "/t", &json!({"n": 1})).await;
    assert_eq!((failed.status, failed.json()), (500, json!({"error": "upstream timeout"})));
    assert_eq!(get(&server, "/u").await.json(), "fine");
    // The failed call did not use a fixture.
    let malformed = post(&server, "/t", &json!({"n": 1})).await;
    assert_eq!((malformed.status, malformed.body.as_str()), (200, "{\"first{\"half of a"));
    let truncated = post(&server, "/t", &json!({"n": 1})).await;
    assert_eq!((truncated.status, truncated.body.as_str()), (200, "{\"later"));
    assert_eq!((truncated.header("content-length"), truncated.whole, malformed.whole), (Some("14"), false, true));
    let begin = std::time::Instant::now();
    assert_eq!(post(&server, "/t", &json!({"n": 1})).await.json(), json!({"later": true}));
    assert!(begin.elapsed() >= Duration::from_millis(30));
    assert_eq!(session.misses(), []);
}

#[tokio::test]
async fn hanging_call_ends_with_its_case() {
    let server = start().await;
    let faults = vec![fault(None, FaultTime::Always, FaultKind::Hang)];
    let tools = [tool("t", [fixture(json!({}), json!(1))])];
    let (sender, mut seen) = unbounded_channel();
    let opening = Opening { faults, observer: Some(sender), ..Opening::default() };
    let session = open(&server, routes(tools), opening).unwrap();
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(&request("GET", "/t", "", b"")).await.unwrap();
    let waiting = tokio::spawn(async move { read(&mut stream).await });
    assert!(matches!(seen.recv().await, Some(EventKind::ToolCall(_))));
    let Some(EventKind::ToolResult(result)) = seen.recv().await else { panic!("no result") };
    assert_eq!(result.fault.as_deref(), Some("hang"));
    drop(session);
    let answer = tokio::time::timeout(Duration::from_secs(10), waiting).await.unwrap().unwrap();
    assert_eq!((answer.status, answer.head.as_str()), (0, ""));
}

#[tokio::test]
async fn fault_rates_depend_on_seed() {
    let failed = async || {
        let server = start().await;
        let faults = vec![fault(None, FaultTime::Rate(0.5), FaultKind::Error("no".into()))];
        let tools = [tool("t", [fixture(json!({}), json!(1))])];
        let _session = open(&server, routes(tools), Opening { faults, ..Opening::default() }).unwrap();
        let mut statuses = Vec::new();
        for _ in 0..32 {
            statuses.push(get(&server, "/t").await.status);
        }
        statuses
    };
    let first = failed().await;
    assert!(first.contains(&200) && first.contains(&500));
    assert_eq!(first, failed().await);
}
