//! Calls of a case that has ended.

use agentci_plan::Mode;
use serde_json::json;

use crate::served::{Opening, fixture, get, open, post, routes, start, tool};

#[tokio::test]
async fn call_between_cases_is_late_call_of_previous_case() {
    let server = start().await;
    assert_eq!(post(&server, "/pay", &json!({"id": 1})).await.status, 503, "there was no case yet");
    let first =
        open(&server, routes([tool("pay", [fixture(json!({"id": 1}), json!("one"))])]), Opening::default()).unwrap();
    let late = first.late_calls();
    assert_eq!(post(&server, "/pay", &json!({"id": 1})).await.status, 200);
    drop(first);
    assert_eq!(get(&server, "/").await.status, 503, "to list tools is no call");
    let answer = post(&server, "/other", &json!({"id": 7})).await;
    assert_eq!((answer.status, &answer.json()["error"]), (410, &json!("`other` was called after the case was over")));
    assert_eq!(late.calls().len(), 1);
}

#[tokio::test]
async fn call_matching_only_previous_case_is_late() {
    let server = start().await;
    let first =
        open(&server, routes([tool("pay", [fixture(json!({"id": 1}), json!("one"))])]), Opening::default()).unwrap();
    let late = first.late_calls();
    drop(first);
    let both = [tool("pay", [fixture(json!({"id": 2}), json!("two"))])];
    let next = open(&server, routes(both), Opening::default()).unwrap();
    assert_eq!(post(&server, "/pay", &json!({"id": 1})).await.status, 410);
    assert_eq!(post(&server, "/pay", &json!({"id": 2})).await.status, 200);
    // A call that matches neither case is a miss of the running one.
    assert_eq!(post(&server, "/pay", &json!({"id": 3})).await.status, 500);
    assert_eq!((late.calls().len(), next.misses().len(), next.late_calls().calls().len()), (1, 1, 0));
    assert!(late.calls()[0].notes.iter().any(|note| note.contains("while the next case was run")));
}

#[tokio::test]
async fn case_with_its_own_path_has_no_late_calls() {
    let server = start().await;
    let first =
        open(&server, routes([tool("pay", [fixture(json!({"id": 1}), json!("one"))])]), Opening::default()).unwrap();
    let late = first.late_calls();
    drop(first);
    let opening = Opening { scope: Some("case-2"), mode: Mode::Replay, ..Opening::default() };
    let next = open(&server, routes([tool("pay", [fixture(json!({"id": 2}), json!("two"))])]), opening).unwrap();
    assert_eq!(post(&server, "/case-2/pay", &json!({"id": 1})).await.status, 500);
    assert_eq!((late.calls().len(), next.misses().len()), (0, 1));
}
