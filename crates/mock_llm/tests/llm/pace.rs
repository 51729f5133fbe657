//! The timing of answers.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{chat, post, request, said, serve};

#[tokio::test]
async fn tokens_are_paced_and_plain_response_waits_for_all() {
    let server = serve(
        "rules:\n- reply: one two three four five\n  latency: 50ms\n  first_token: 50ms\n  tokens_per_second: 40\n",
    )
    .await;
    let start = Instant::now();
    assert_eq!(said(&chat(&server, "x").await), "one two three four five");
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(200), "{took:?}");
    let body = json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "x" }] });
    let start = Instant::now();
    let answer = post(&server, "/v1/chat/completions", &body).await;
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(200) && answer.whole, "{took:?}");
    assert_eq!(answer.events().len(), 7);
}

#[tokio::test]
async fn stalled_client_does_not_affect_others() {
    let long = "word ".repeat(40_000);
    let server =
        serve(&format!("rules:\n- when: {{ user: long }}\n  reply: {long}\n  tokens_per_second: 1e7\ndefault: fine\n"))
            .await;
    let mut lazy = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        let body =
            json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "long" }] }).to_string();
        stream.write_all(&request("POST", "/v1/chat/completions", "", body.as_bytes())).await.unwrap();
        // The answer has begun, but the client stops reading.
        stream.read_exact(&mut [0; 1000]).await.unwrap();
        lazy.push(stream);
    }
    for _ in 0..20 {
        assert_eq!(said(&chat(&server, "x").await), "fine");
    }
}

/// The due time cannot be represented.
#[tokio::test(start_paused = true)]
async fn response_with_unrepresentable_delay_is_never_sent() {
    let far = "2600000000000000h";
    let server = serve(&format!(
        "rules:\n  - {{ when: {{ user: later }}, reply: x, latency: {far} }}\n  \
         - {{ when: {{ user: slowly }}, reply: a long answer, tokens_per_second: 1.0e-300 }}\n  \
         - {{ when: {{ user: refused }}, fail: {{ status: 500 }}, latency: {far} }}\ndefault: fine\n"
    ))
    .await;
    for user in ["later", "slowly", "refused"] {
        let waited = tokio::time::timeout(Duration::from_hours(1), chat(&server, user)).await;
        assert!(waited.is_err(), "{user}: {:?}", waited.map(|answer| answer.status));
    }
    assert_eq!(said(&chat(&server, "x").await), "fine");
}
