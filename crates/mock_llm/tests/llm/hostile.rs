//! Invalid and hostile requests.

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::client::{chat, get, post, read, request, said, send, serve};

#[tokio::test]
async fn invalid_requests_get_provider_errors_and_server_survives() {
    let server = serve("default: fine\n").await;
    for (method, path, body, status, part) in [
        ("POST", "/v1/chat/completions", "{", 400, "not valid JSON"),
        ("POST", "/v1/chat/completions", "", 400, "not valid JSON"),
        ("POST", "/v1/chat/completions", "[]", 400, "must be a JSON object, found a list"),
        ("POST", "/v1/chat/completions", "{}", 400, "you must provide a model parameter"),
        ("POST", "/v1/chat/completions", r#"{"model":"m","messages":"x"}"#, 400, "`messages` must be a list"),
        ("POST", "/v1/chat/completions", r#"{"model":"m","messages":[]}"#, 400, "empty array"),
        ("POST", "/v1/chat/completions", r#"{"model":"m","messages":[7]}"#, 400, "needs a `role`"),
        (
            "POST",
            "/v1/chat/completions",
            r#"{"model":"m","messages":[{"role":"king"}]}"#,
            400,
            "the role of a message must be",
        ),
        (
            "POST",
            "/v1/chat/completions",
            r#"{"model":"m","messages":[{"role":"user","content":7}]}"#,
            400,
            "must be a string or a list",
        ),
        (
            "POST",
            "/v1/chat/completions",
            r#"{"model":7,"messages":[{"role":"user"}]}"#,
            400,
            "`model` must be a string",
        ),
        ("POST", "/v1/chat/completions", r#"{"model":"m","n":0,"messages":[{"role":"user"}]}"#, 400, "from 1 to 128"),
        (
            "POST",
            "/v1/chat/completions",
            r#"{"model":"m","stream":"yes","messages":[{"role":"user"}]}"#,
            400,
            "`stream` must be a boolean",
        ),
        ("POST", "/v1/responses", r#"{"model":"m","input":7}"#, 400, "`input` must be a string or a list"),
        ("POST", "/v1/responses", r#"{"model":"m","input":[7]}"#, 400, "`input[0]` must be an object"),
        ("POST", "/v1/embeddings", r#"{"input":[{}]}"#, 400, "`input` must be"),
        ("POST", "/v1/embeddings", r#"{"input":"x","dimensions":99999}"#, 400, "`dimensions` must be"),
        ("GET", "/v1/chat/completions", "", 405, "takes POST, not GET"),
        ("POST", "/v1/nothing", "", 404, "unknown request URL"),
        ("BREW", "/coffee", "", 404, "unknown request URL"),
    ] {
        let answer = send(&server, &request(method, path, "", body.as_bytes())).await;
        assert_eq!(answer.status, status, "{body}");
        let error = answer.json()["error"].clone();
        assert!(error["message"].as_str().unwrap().contains(part), "{body}: {error}");
        assert!(error.get("param").is_some() && error.get("code").is_some() && error["type"].is_string(), "{error}");
    }
    for (body, status, kind, part) in [
        ("{", 400, "invalid_request_error", "not valid JSON"),
        (
            r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#,
            400,
            "invalid_request_error",
            "max_tokens: Field required",
        ),
        (
            r#"{"model":"m","max_tokens":5,"messages":[{"role":"system","content":"x"}]}"#,
            400,
            "invalid_request_error",
            "`user` or `assistant`",
        ),
    ] {
        let answer = send(&server, &request("POST", "/v1/messages", "", body.as_bytes())).await;
        let value = answer.json();
        assert_eq!((answer.status, &value["type"], &value["error"]["type"]), (status, &json!("error"), &json!(kind)));
        assert!(value["error"]["message"].as_str().unwrap().contains(part) && value["request_id"].is_string());
    }
    assert_eq!(get(&server, "/v1/messages").await.header("allow"), Some("POST"));
    assert_eq!(said(&chat(&server, "x").await), "fine");
}

#[tokio::test]
async fn refuses_too_many_embedding_inputs() {
    let server = serve("default: fine\n").await;
    let asked = |texts: usize| json!({ "input": vec!["x"; texts], "dimensions": 1 });
    assert_eq!(post(&server, "/v1/embeddings", &asked(2048)).await.status, 200);
    let answer = post(&server, "/v1/embeddings", &asked(2049)).await;
    let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!((answer.status, message.as_str()), (400, "`input` must have from 1 to 2048 items, found 2049"));
}

#[tokio::test]
async fn refuses_hundred_megabyte_body_with_a_response() {
    let server = serve("default: fine\n").await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let size = 100_000_000;
    let head = format!("POST /v1/messages HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {size}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let block = vec![b' '; 1_000_000];
    for _ in 0..size / block.len() {
        stream.write_all(&block).await.unwrap();
    }
    let answer = read(&mut stream).await;
    assert_eq!((answer.status, &answer.json()["error"]["type"]), (413, &json!("request_too_large")));
    assert_eq!(said(&chat(&server, "x").await), "fine");
}

#[tokio::test]
async fn survives_garbage_and_broken_connections() {
    let server = serve("default: fine\n").await;
    assert_eq!(send(&server, b"\x16\x03\x01 nonsense\r\n\r\n").await.status, 400);
    let mut half = TcpStream::connect(server.address()).await.unwrap();
    half.write_all(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 50\r\n\r\nhalf").await.unwrap();
    drop(half);
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    let answer = send(&server, &request("POST", "/v1/chat/completions", "", deep.as_bytes())).await;
    assert_eq!(answer.status, 400);
    let not_text = b"{\"messages\": \"\xff\"}";
    assert_eq!(send(&server, &request("POST", "/v1/responses", "", not_text)).await.status, 400);
    assert_eq!(said(&chat(&server, "x").await), "fine");
    assert_eq!(
        post(&server, "/v1/chat/completions", &json!({ "model": "m", "messages": [{ "role": "user" }] })).await.status,
        200
    );
}

#[tokio::test]
async fn server_stops_when_dropped() {
    let server = serve("default: fine\n").await;
    let address = server.address();
    let mut open = TcpStream::connect(address).await.unwrap();
    open.write_all(b"POST /v1/messages HTTP/1.1\r\n").await.unwrap();
    drop(server);
    assert_eq!(read(&mut open).await.status, 0);
    let refused = async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(5), refused).await.unwrap();
}
