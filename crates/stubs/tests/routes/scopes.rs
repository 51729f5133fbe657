//! Concurrent and consecutive cases.

use agentci_stubs::RouteError;
use serde_json::json;

use crate::served::{Opening, base, for_any, get, open, routes, start, tool};

#[tokio::test]
async fn each_case_has_its_own_path_and_responses() {
    let server = start().await;
    let of = |answer: &str| routes([tool("t", [for_any(json!(answer))])]);
    let mut first = of("first");
    first.bases = [base("PAY_API_BASE", None), base("TAX_API_BASE", None)].into();
    let first = open(&server, first, Opening { scope: Some("a/b ü"), ..Opening::default() }).unwrap();
    let second = open(&server, of("second"), Opening { scope: Some("t"), ..Opening::default() }).unwrap();
    assert_eq!(first.base(), format!("{}/a%2Fb%20%C3%BC", server.url()));
    let bases = first.bases();
    assert_eq!(bases.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["PAY_API_BASE", "TAX_API_BASE"]);
    assert!(bases.iter().all(|(_, url)| *url == first.base()));
    assert_eq!(get(&server, "/a%2Fb%20%C3%BC/t").await.json(), "first");
    assert_eq!(get(&server, "/t/t/").await.json(), "second");
    // The case of this call is unknown.
    assert_eq!(get(&server, "/u").await.status, 421);
    assert_eq!((first.misses().len(), second.misses().len()), (1, 1));
    assert_eq!(first.misses()[0].message, "`u` was called outside the base URL of every running case");
    let root = open(&server, of("root"), Opening::default()).unwrap();
    assert_eq!(root.base(), server.url());
    assert_eq!(get(&server, "/t").await.json()["tools"], json!(["t"]));
    drop(second);
    assert_eq!(get(&server, "/t").await.json(), "root");
}

#[tokio::test]
async fn path_can_be_reused_after_case_ends() {
    let server = start().await;
    let of = |answer: &str| routes([tool("t", [for_any(json!(answer))])]);
    let first = open(&server, of("first"), Opening::default()).unwrap();
    let error = open(&server, of("second"), Opening::default()).unwrap_err();
    assert!(matches!(error, RouteError::Taken(_)));
    assert_eq!(error.to_string(), "the paths below `/` are already served for another case");
    assert_eq!(get(&server, "/t").await.json(), "first");
    get(&server, "/missing").await;
    drop(first);
    assert_eq!(get(&server, "/t").await.status, 410);
    let second = open(&server, of("second"), Opening::default()).unwrap();
    assert_eq!(get(&server, "/t").await.json(), "second");
    assert_eq!(second.misses(), []);
}

#[tokio::test]
async fn sole_case_gets_unscoped_calls_unless_possibly_late() {
    let server = start().await;
    let of = |answer: &str| routes([tool("t", [for_any(json!(answer))])]);
    let alone = open(&server, of("alone"), Opening { scope: Some("own"), alone: true, ..Opening::default() }).unwrap();
    assert_eq!(get(&server, "/own/t").await.json(), "alone");
    assert_eq!(get(&server, "/t").await.json(), "alone");
    drop(alone);
    assert_eq!(get(&server, "/t").await.status, 503);
    let shared = open(&server, of("shared"), Opening::default()).unwrap();
    let late = shared.late_calls();
    drop(shared);
    let alone = open(&server, of("alone"), Opening { scope: Some("own"), alone: true, ..Opening::default() }).unwrap();
    assert_eq!(get(&server, "/t").await.status, 410);
    assert_eq!((late.calls().len(), alone.misses().len()), (1, 0));
}
