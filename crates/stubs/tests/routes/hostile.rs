//! Malformed, oversized and excessive requests.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::raw::{read, request, send_to};
use crate::served::{fixture, for_any, get, post, serve, tool};

#[tokio::test]
async fn survives_garbage_and_incomplete_requests() {
    let (server, session) = serve([tool("t", [fixture(json!({"n": 1}), json!("fine"))])]).await;
    let to = server.address();
    assert_eq!(send_to(to, b"\x16\x03\x01 nonsense\r\n\r\n").await.status, 400);
    let headers = "x: y\r\n".repeat(500);
    assert_eq!(send_to(to, &request("GET", "/t", &headers, b"")).await.status, 431);
    let long = format!("/t?x={}", "y".repeat(100_000));
    assert!(matches!(get(&server, &long).await.status, 414 | 500));
    let mut half = TcpStream::connect(to).await.unwrap();
    half.write_all(b"POST /t HTTP/1.1\r\ncontent-length: 50\r\n\r\nhalf").await.unwrap();
    drop(half);
    for body in [&b"{\"n\":"[..], b"\xff\xfe", &[b'['; 5000]] {
        assert_eq!(send_to(to, &request("POST", "/t", "", body)).await.status, 500);
    }
    assert_eq!(post(&server, "/t", &json!({"n": 1})).await.json(), "fine");
    let misses = session.misses();
    let longest = misses.iter().flat_map(|miss| &miss.notes).map(String::len).max();
    assert!(longest.is_some_and(|longest| longest < 1_000), "{longest:?}");
}

#[tokio::test]
async fn refuses_100_mb_body_with_413() {
    let (server, _session) = serve([tool("t", [for_any(json!("fine"))])]).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let size = 100_000_000;
    let head = format!("POST /t HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {size}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let block = vec![b' '; 1_000_000];
    for _ in 0..size / block.len() {
        stream.write_all(&block).await.unwrap();
    }
    let answer = read(&mut stream).await;
    assert_eq!((answer.status, answer.json()), (413, json!({"error": "the request is larger than 32 MiB"})));
    assert_eq!(get(&server, "/t").await.json(), "fine");
}

#[tokio::test]
async fn endless_body_is_cut_off() {
    let (server, _session) = serve([tool("t", [for_any(json!("fine"))])]).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = format!("POST /t HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", u64::MAX >> 1);
    stream.write_all(head.as_bytes()).await.unwrap();
    let block = vec![b' '; 1 << 20];
    let mut sent = 0;
    while sent < 1_000 && stream.write_all(&block).await.is_ok() {
        sent += 1;
    }
    // Data in socket buffers counts as sent.
    assert!((512..600).contains(&sent), "{sent} MiB");
    assert_eq!(get(&server, "/t").await.json(), "fine");
}

#[tokio::test(start_paused = true)]
async fn incomplete_body_times_out() {
    let (server, _session) = serve([tool("t", [for_any(json!("fine"))])]).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(b"POST /t HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 5\r\n\r\n{").await.unwrap();
    let begun = tokio::time::Instant::now();
    let answer = read(&mut stream).await;
    assert_eq!((answer.status, answer.json()), (408, json!({"error": "the request took longer than 60 s"})));
    assert_eq!(begun.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn number_of_stored_misses_is_limited() {
    let (server, session) = serve([tool("t", [fixture(json!({"n": 1}), json!("fine"))])]).await;
    for _ in 0..1_010 {
        assert_eq!(post(&server, "/t", &json!({"n": 2})).await.status, 500);
    }
    assert_eq!(session.misses().len(), 1_000);
}

#[tokio::test]
async fn supports_chunked_http_1_0_and_pipelined_requests() {
    let (server, _session) = serve([tool("t", [fixture(json!({"n": 1}), json!("fine"))])]).await;
    let chunked = b"POST /t HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"n\r\n4\r\n\":1}\r\n0\r\n\r\n";
    assert_eq!(send_to(server.address(), chunked).await.json(), "fine");
    let old = b"POST /t HTTP/1.0\r\ncontent-length: 7\r\n\r\n{\"n\":1}";
    assert_eq!(send_to(server.address(), old).await.json(), "fine");
    let one = b"POST /t HTTP/1.1\r\nhost: x\r\ncontent-length: 7\r\n\r\n{\"n\":1}";
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(&[&one[..], one, &request("GET", "/none", "", b"")].concat()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert_eq!((text.matches("200 OK").count(), text.matches("\"fine\"").count()), (2, 2));
    assert!(text.contains("unknown tool `none`"));
}

#[tokio::test]
async fn answers_a_thousand_concurrent_requests() {
    let (server, session) = serve([tool("t", [fixture(json!({"n": 1}), json!(1)), for_any(json!(2))])]).await;
    let to = server.address();
    let mut asked = tokio::task::JoinSet::new();
    // Fifty connections with twenty requests each.
    for client in 0..50 {
        asked.spawn(async move {
            let mut ok = 0;
            for turn in 0..20 {
                let body = json!({"n": (client + turn) % 2}).to_string();
                let answer = send_to(to, &request("POST", "/t", "", body.as_bytes())).await;
                let wanted = if (client + turn) % 2 == 1 { "1" } else { "2" };
                ok += usize::from(answer.status == 200 && answer.body == wanted);
            }
            ok
        });
    }
    assert_eq!(asked.join_all().await.into_iter().sum::<usize>(), 1_000);
    assert_eq!(session.misses(), []);
}

#[tokio::test]
async fn incomplete_requests_do_not_block_other_clients() {
    let (server, _session) = serve([tool("t", [for_any(json!("fine"))])]).await;
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(b"POST /t HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n{").await.unwrap();
        slow.push(stream);
    }
    let answer = tokio::time::timeout(Duration::from_secs(20), get(&server, "/t")).await.unwrap();
    assert_eq!(answer.json(), "fine");
}
