//! Calls of a case that has ended.

use agentci_plan::Mode;
use serde_json::json;

use crate::served::{Opening, fixture, get, open, post, routes, start, tool};

#[tokio::test]
async fn a_call_between_two_cases_is_one_of_the_former() {
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
async fn a_call_that_only_the_former_case_answers_is_no_call_of_the_next() {
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
async fn a_case_with_a_path_of_its_own_takes_no_call_for_a_late_one() {
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
