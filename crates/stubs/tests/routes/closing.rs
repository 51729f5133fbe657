//! The client closes at any byte, the server at any time.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::raw::{read, request};
use crate::served::{fixture, get, post, serve, tool};

#[tokio::test]
async fn client_can_disconnect_after_any_byte() {
    let long = "x".repeat(20_000);
    let (server, session) = serve([tool("t", [fixture(json!({"n": 1}), json!(long))])]).await;
    let whole = request("POST", "/t", "", b"{\"n\":1}");
    for sent in 0..=whole.len() {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(&whole[..sent]).await.unwrap();
        if sent == whole.len() {
            // The client reads part of the answer and disappears.
            let _ = stream.read(&mut [0; 10]).await.unwrap();
        }
    }
    assert_eq!(post(&server, "/t", &json!({"n": 1})).await.json(), json!(long));
    assert_eq!(session.misses(), []);
}

#[tokio::test]
async fn server_stops_when_dropped() {
    let (server, session) = serve([tool("t", [])]).await;
    let address = server.address();
    let mut open = TcpStream::connect(address).await.unwrap();
    open.write_all(b"POST /t HTTP/1.1\r\n").await.unwrap();
    drop(server);
    assert_eq!(read(&mut open).await.status, 0);
    let refused = async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), refused).await.unwrap();
    // A session may outlive its server.
    assert_eq!(session.misses(), []);
    drop(session);
}

#[tokio::test]
async fn cases_can_open_and_close_during_requests() {
    let server = crate::served::start().await;
    let to = server.address();
    let client = tokio::spawn(async move {
        let mut statuses = Vec::new();
        for _ in 0..100 {
            let answer = crate::raw::send_to(to, &request("GET", "/t", "", b"")).await;
            statuses.push(answer.status);
        }
        statuses
    });
    while !client.is_finished() {
        let tools = [tool("t", [fixture(json!({}), json!(1))])];
        let opening = crate::served::Opening::default();
        let session = crate::served::open(&server, crate::served::routes(tools), opening).unwrap();
        tokio::task::yield_now().await;
        drop(session);
        tokio::task::yield_now().await;
    }
    let statuses = client.await.unwrap();
    assert!(statuses.iter().all(|status| matches!(status, 0 | 200 | 410 | 503)), "{statuses:?}");
    assert_eq!(get(&server, "/t").await.status, 410);
}
