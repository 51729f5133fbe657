//! The answers that the server sends.

use std::time::Duration;

use agentci_plan::Fixture;
use agentci_source::MemoryFiles;
use agentci_stubs::RouteError;
use serde_json::json;

use crate::served::{Opening, for_any, from_file, get, open, routes, serve, start, tool};

#[tokio::test]
async fn sends_file_unchanged_with_content_type_of_its_name() {
    let text = "{ \"net\":  1.50 }\n";
    let files = MemoryFiles::default().with("a/1.json", text).with("a/page.html", "<p>").with("a/raw", "[1]");
    let server = start().await;
    let of = |path: &str| Fixture { answer: from_file(path), ..for_any(json!(null)) };
    let tools = [tool("one", [of("a/1.json")]), tool("page", [of("a/page.html")]), tool("raw", [of("a/raw")])];
    let _session = open(&server, routes(tools), Opening { files: &files, ..Opening::default() }).unwrap();
    let one = get(&server, "/one").await;
    assert_eq!((one.status, one.body.as_str(), one.header("content-type")), (200, text, Some("application/json")));
    assert_eq!(get(&server, "/page").await.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(get(&server, "/raw").await.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn uses_status_headers_and_delay_of_fixture() {
    let headers = [("X-Total", "7"), ("Content-Type", "application/problem+json"), ("content-length", "9000")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let late = Fixture { status: 404, headers, delay: Duration::from_millis(30), ..for_any(json!({"a": 1})) };
    let nothing = Fixture { status: 204, ..for_any(json!("ignored")) };
    let (server, _session) = serve([tool("late", [late]), tool("nothing", [nothing])]).await;
    let begin = std::time::Instant::now();
    let answer = get(&server, "/late").await;
    assert!(begin.elapsed() >= Duration::from_millis(30));
    assert_eq!((answer.status, answer.json()), (404, json!({"a": 1})));
    assert_eq!(answer.header("x-total"), Some("7"));
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.header("content-length"), Some("7"));
    let nothing = get(&server, "/nothing").await;
    assert_eq!((nothing.status, nothing.body.as_str()), (204, ""));
}

#[tokio::test]
async fn refuses_fixture_that_cannot_be_sent() {
    let server = start().await;
    let missing = Fixture { answer: from_file("no.json"), ..for_any(json!(1)) };
    let status = Fixture { status: 100, ..for_any(json!(1)) };
    let header = Fixture { headers: vec![("a b".into(), "c".into())], ..for_any(json!(1)) };
    let method = Fixture { method: Some("GE T".into()), ..for_any(json!(1)) };
    for (fixture, message) in [
        (missing, "the answer in `no.json` cannot be read: no such file"),
        (status, "an answer cannot have the status 100"),
        (header, "`a b` cannot be sent as a header"),
        (method, "`GE T` is not an HTTP method"),
    ] {
        let error = open(&server, routes([tool("t", [fixture])]), Opening::default()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(matches!(error, RouteError::File { .. } | RouteError::Answer { .. }));
    }
    assert_eq!(get(&server, "/t").await.status, 503);
}

#[tokio::test]
async fn base_url_lists_tools() {
    let (server, session) = serve([tool("b", [for_any(json!(1))]), tool("a", [for_any(json!(1))])]).await;
    assert_eq!(get(&server, "/").await.json(), json!({"tools": ["b", "a"]}));
    assert_eq!(crate::served::ask(&server, "OPTIONS", "/a", "").await.status, 204);
    assert_eq!(session.misses(), []);
}
