//! Handshakes, cancelled requests, and the end of the input.

use serde_json::json;

use super::{Peer, text};

const SLOW: &str = "
server: { name: slow, version: '3', instructions: Wait. }
tools: { wait: { answers: { steps: [{ wait: 1h }], reply: late } }, now: { answers: { reply: here } } }
";

#[tokio::test]
async fn negotiates_requested_protocol_version_or_newest() {
    for (wanted, spoken) in [("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")] {
        let mut peer = Peer::new(SLOW);
        let greeting = peer.ask("initialize", json!({ "protocolVersion": wanted, "capabilities": {} })).await;
        let expected = json!({
            "protocolVersion": spoken,
            "capabilities": { "tools": {}, "logging": {} },
            "serverInfo": { "name": "slow", "version": "3" },
            "instructions": "Wait.",
        });
        assert_eq!(greeting["result"], expected);
    }
}

#[tokio::test]
async fn serves_self_contained_requests_without_handshake() {
    let mut peer = Peer::new(SLOW);
    let found = peer.ask_modern("server/discover", json!({}), json!({})).await;
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(
        found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"],
        json!({ "name": "slow", "version": "3" })
    );
    let listed = peer.ask_modern("tools/list", json!({}), json!({})).await;
    assert_eq!((&listed["result"]["ttlMs"], &listed["result"]["cacheScope"]), (&json!(0), &json!("private")));
    assert_eq!(peer.ask_modern("ping", json!({}), json!({})).await["error"]["code"], -32601);
    assert_eq!(peer.ask("server/discover", json!({})).await["error"]["code"], -32602);
    let meta =
        json!({ "io.modelcontextprotocol/protocolVersion": "v9", "io.modelcontextprotocol/clientCapabilities": {} });
    let refused = peer.ask("tools/list", json!({ "_meta": meta })).await;
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(refused["error"]["data"], json!({ "supported": ["2026-07-28"], "requested": "v9" }));
}

#[tokio::test]
async fn slow_call_does_not_block_others_and_is_cancellable() {
    let mut peer = Peer::greeted(SLOW, json!({})).await;
    peer.send("tools/call", json!({ "name": "wait" })).await;
    let waiting = peer.asked;
    assert_eq!(peer.call("now", json!({})).await, "here");
    peer.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": waiting } }))
        .await;
    assert_eq!(text(&peer.ask("tools/call", json!({ "name": "now" })).await), "here");
}

#[tokio::test(start_paused = true)]
async fn pending_requests_are_dropped_after_input_closes() {
    use tokio::io::AsyncWriteExt as _;
    let mut peer = Peer::greeted(SLOW, json!({})).await;
    peer.send("tools/call", json!({ "name": "wait" })).await;
    peer.output.shutdown().await.unwrap();
    let begun = tokio::time::Instant::now();
    assert_eq!(peer.lines.next_line().await.unwrap(), None);
    assert_eq!(begun.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn continues_after_refusing_too_long_line() {
    use tokio::io::AsyncWriteExt as _;
    let mut peer = Peer::greeted(SLOW, json!({})).await;
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..65 {
        peer.output.write_all(&piece).await.unwrap();
    }
    peer.output.write_all(b"\n").await.unwrap();
    assert_eq!(text(&peer.hear().await), "-32700: a message is larger than 64 MiB");
    assert_eq!(peer.call("now", json!({})).await, "here");
}
