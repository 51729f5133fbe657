//! Limits on what a server may send, and on how long the client waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::LIMIT;
use super::listener::{Listener, NEVER, OPEN, http, legacy, message, modern, result, stream};
use super::stdio::{MODERN, STAY, call, connect};
use crate::{
    ClientCredentials, ConnectOptions, Direction, FrameWatch, McpClient, McpEndpoint, McpError, McpFault, ServerAddress,
};
use agentci_process::Exit;

/// Longer than any timeout of the client.
const LONG: Duration = Duration::from_mins(10);

async fn connected(listener: &Listener) -> McpClient {
    McpClient::connect(listener.server(), ConnectOptions::default(), LONG).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn gives_up_on_endless_input_requests() {
    let wants = json!({ "resultType": "input_required", "requestState": "s" });
    let listener = Listener::start(move |seen| modern(seen).unwrap_or_else(|| result(seen, &wants))).await;
    let client = connected(&listener).await;
    let error = client.read_resource("file:///a", vec![], LONG).await.unwrap_err();
    assert_eq!(error, McpError::TooMuch { what: "requests for more input", limit: 100 });
    assert_eq!(listener.all("resources/read").len(), 100);
}

#[tokio::test]
async fn lists_and_notifications_have_a_size_limit() {
    let big = "big=$(head -c 1000000 /dev/zero | tr '\\0' x)";
    let pages = format!(
        "{big}; while read line; do id=${{line#*\\\"id\\\":}}; id=${{id%%,*}}
        echo '{{\"jsonrpc\":\"2.0\",\"id\":'$id',\"result\":{{\"tools\":[{{\"name\":\"'$big'\"}}],\"nextCursor\":\"more\"}}}}'; done"
    );
    let client = connect(MODERN, &pages, ConnectOptions::default()).await;
    let error = client.list_tools(LIMIT).await.unwrap_err();
    assert_eq!(error, McpError::TooMuch { what: "bytes in one list", limit: 64 << 20 });
    client.close().await;

    let told = format!(
        "{big}; read call
        for i in 0 1 2 3 4 5 6; do for j in 0 1 2 3 4 5 6 7 8 9; do
        echo '{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"data\":\"'$big'\"}}}}'; done; done; {STAY}"
    );
    let client = connect(MODERN, &told, ConnectOptions::default()).await;
    let error = call(&client, vec![]).await.unwrap_err();
    assert_eq!(error, McpError::TooMuch { what: "bytes of notifications in one call", limit: 64 << 20 });
    client.close().await;
}

#[tokio::test]
async fn keeps_at_most_100_defects() {
    let noise = "read call; i=0; while [ $i -lt 150 ]; do echo noise $i; i=$((i+1)); done";
    let reply = r#"echo '{"jsonrpc":"2.0","id":2,"result":{}}'"#;
    let client = connect(MODERN, &format!("{noise}; {reply}; {STAY}"), ConnectOptions::default()).await;
    call(&client, vec![]).await.unwrap();
    let defects = client.close().await.defects;
    assert_eq!(defects.len(), 100);
    assert!(defects.iter().all(|defect| defect.fault == McpFault::Noise));
}

/// A server that sends requests without end and never reads: each answer is as large as its request.
#[tokio::test]
async fn stops_reading_from_server_that_never_reads_responses() {
    let asks = "big=$(head -c 1000000 /dev/zero | tr '\\0' x); i=0
        while [ $i -lt 200 ]; do echo '{\"jsonrpc\":\"2.0\",\"id\":\"'$big'\",\"method\":\"ping\"}'; i=$((i+1)); done";
    let received = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&received);
    let watch = FrameWatch::new(move |frame| match frame.direction {
        Direction::Received => drop(counter.fetch_add(1, Ordering::Relaxed)),
        Direction::Sent => {}
    });
    let client = connect(MODERN, asks, ConnectOptions { watch, ..ConnectOptions::default() }).await;
    // The answers to 67 of them are 64 MiB; the first message received is not one of them.
    let reached = async {
        while received.load(Ordering::Relaxed) < 68 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, reached).await.unwrap();
    let error = client.list_tools(Duration::from_millis(300)).await.unwrap_err();
    assert!(matches!(error, McpError::TimedOut { .. }), "{error:?}");
    assert!(received.load(Ordering::Relaxed) <= 70, "{received:?}");
    client.close().await;
}

#[tokio::test]
async fn does_not_wait_for_partially_stopped_server() {
    // A child process of the server keeps its output open.
    let client = connect(MODERN, "read call; sleep 60 & exit 3", ConnectOptions::default()).await;
    let error = call(&client, vec![]).await.unwrap_err();
    assert!(matches!(error, McpError::Died { exit: Some(Exit::Code(3)), .. }), "{error:?}");
    client.close().await;

    // The server closes its output but keeps running.
    let client = connect(MODERN, "read call; exec >/dev/null; sleep 60", ConnectOptions::default()).await;
    let error = call(&client, vec![]).await.unwrap_err();
    assert!(matches!(error, McpError::Died { .. }), "{error:?}");
    client.close().await;

    // The server ignores both the end of its input and SIGTERM.
    let client = connect(MODERN, "trap '' TERM; while :; do sleep 1; done", ConnectOptions::default()).await;
    assert_eq!(client.close().await.ending.unwrap().exit, Some(Exit::Signal(9)));

    // The server does not read a message that is still to be sent.
    let client = connect(MODERN, "exec sleep 60", ConnectOptions::default()).await;
    let large = json!({ "text": "x".repeat(1 << 20) });
    let limit = Duration::from_millis(100);
    assert!(matches!(client.call_tool("tool", &large, vec![], limit).await, Err(McpError::TimedOut { .. })));
    assert_eq!(client.close().await.ending.unwrap().exit, Some(Exit::Signal(15)));
}

#[tokio::test]
async fn error_body_has_a_size_limit() {
    let body = "x".repeat((1 << 20) + 1);
    let fails = move |seen: &_| modern(seen).unwrap_or_else(|| http("503 Service Unavailable", "", &body));
    let listener = Listener::start(fails).await;
    let client = connected(&listener).await;
    let error = client.list_tools(LIMIT).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with status 503");
}

#[tokio::test(start_paused = true)]
async fn session_deletion_has_a_timeout() {
    let listener = Listener::start(|seen| {
        if seen.head.starts_with("DELETE") {
            return NEVER.into();
        }
        legacy(seen).unwrap_or_else(|| result(seen, &json!({})))
    })
    .await;
    let client = connected(&listener).await;
    let begun = Instant::now();
    client.close().await;
    assert_eq!(begun.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn gives_up_on_stream_that_always_breaks() {
    let listener = Listener::start(|seen| {
        legacy(seen).unwrap_or_else(|| stream("id: e1\nretry: 18446744073709551615\ndata:\n\n"))
    })
    .await;
    let client = connected(&listener).await;
    let begun = Instant::now();
    let error = client.call_tool("tool", &json!({}), vec![], LONG).await.unwrap_err();
    assert_eq!(error, McpError::Cut);
    let again = listener.seen.lock().unwrap().iter().filter(|seen| seen.header("last-event-id").is_some()).count();
    assert_eq!(again, 5);
    // However long a delay the server requests, the client waits half a minute each time.
    assert_eq!(begun.elapsed().as_secs(), 5 * 30);
}

#[tokio::test]
async fn closes_stream_that_stays_open_after_the_response() {
    let mut listener = Listener::start(|seen| {
        modern(seen).unwrap_or_else(|| {
            let reply = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": { "tools": [] } });
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
            format!("{head}data: {reply}\n\n{OPEN}")
        })
    })
    .await;
    let client = connected(&listener).await;
    client.list_tools(LIMIT).await.unwrap();
    // The server would never close the stream.
    listener.until("closed").await;
}

#[tokio::test(start_paused = true)]
async fn waiting_for_the_sse_endpoint_has_a_timeout() {
    let listener = Listener::start(|seen| {
        if seen.head.starts_with("GET") {
            return format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: wait\n\n{OPEN}");
        }
        http("405 Method Not Allowed", "", "")
    })
    .await;
    let begun = Instant::now();
    let error = McpClient::connect(listener.server(), ConnectOptions::default(), LONG).await.unwrap_err();
    assert!(matches!(error, McpError::Status { status: 405, .. }), "{error:?}");
    assert_eq!(begun.elapsed().as_secs(), 10);
}

/// The outcome if a server requires a token and answers the other requests like this.
async fn authorized(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Result<McpClient, McpError> {
    let listener = Listener::start(move |seen| {
        let host = seen.header("host").unwrap();
        match seen.header("authorization") {
            Some("Bearer t") => modern(seen).unwrap_or_else(|| result(seen, &json!({}))),
            _ if seen.head.starts_with("POST /mcp") => {
                let challenge = format!("www-authenticate: Bearer resource_metadata=\"http://{host}/meta\"\r\n");
                http("401 Unauthorized", &challenge, "")
            }
            _ if seen.head.starts_with("GET /meta") => {
                let answer = answer("meta");
                let known = json!({ "resource": format!("http://{host}/mcp"), "authorization_servers": [format!("http://{host}/auth")] });
                if answer.is_empty() { message(&known) } else { answer }
            }
            _ if seen.head.starts_with("GET") => {
                message(&json!({ "issuer": format!("http://{host}/auth"), "token_endpoint": format!("http://{host}/token") }))
            }
            _ => answer("token"),
        }
    })
    .await;
    let credentials = ClientCredentials { client_id: "me".into(), ..ClientCredentials::default() };
    let endpoint = McpEndpoint { url: listener.url.clone(), credentials: Some(credentials), ..McpEndpoint::default() };
    McpClient::connect(ServerAddress::Http(endpoint), ConnectOptions::default(), LONG).await
}

#[tokio::test]
async fn token_and_metadata_responses_have_a_size_limit() {
    let large = || message(&json!({ "access_token": "t".repeat(1 << 20) }));
    let error = authorized(move |_| large()).await.unwrap_err().to_string();
    assert!(error.contains("metadata could not be read") && error.contains("1048576"), "{error}");
    let only_token = move |what: &str| if what == "token" { large() } else { String::new() };
    let error = authorized(only_token).await.unwrap_err().to_string();
    assert!(error.contains("the token endpoint") && error.contains("1048576"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn token_endpoint_has_a_timeout() {
    for silent in ["meta", "token"] {
        let begun = Instant::now();
        let answer = move |what: &str| if what == silent { NEVER.to_owned() } else { String::new() };
        let error = authorized(answer).await.unwrap_err();
        assert_eq!(error.to_string(), "not authorized: no answer from the token endpoint in time");
        assert_eq!(begun.elapsed().as_secs(), 30, "{silent}");
    }
}

/// Durations beyond the range of any clock.
#[tokio::test]
async fn accepts_maximum_token_lifetime_and_timeout() {
    let lasting = |what: &str| match what {
        "token" => message(&json!({ "access_token": "t", "expires_in": u64::MAX })),
        _ => String::new(),
    };
    let client = authorized(lasting).await.unwrap();
    client.list_tools(Duration::MAX).await.unwrap();
    let listener = Listener::start(|seen| modern(seen).unwrap_or_else(|| result(seen, &json!({})))).await;
    McpClient::connect(listener.server(), ConnectOptions::default(), Duration::MAX).await.unwrap();
}
