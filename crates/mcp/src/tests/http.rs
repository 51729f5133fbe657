use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::net::TcpListener;

use super::listener::{Listener, NEVER, http, legacy, modern, result, stream};
use super::{LIMIT, Log};
use crate::{
    ConnectOptions, ElicitationAction, ElicitationAnswer, Era, McpClient, McpEndpoint, McpError, McpFault,
    ServerAddress,
};

async fn connect(server: ServerAddress) -> McpClient {
    McpClient::connect(server, ConnectOptions::default(), LIMIT).await.unwrap()
}

async fn call(client: &McpClient, answers: Vec<ElicitationAnswer>) -> Result<crate::CallResult, McpError> {
    client.call_tool("tööl", &json!({ "region": "eu" }), answers, LIMIT).await
}

#[tokio::test]
async fn modern_request_mirrors_its_body_in_headers() {
    let schema =
        json!({ "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } } });
    let bad = json!({ "type": "object", "properties": { "a": { "type": "number", "x-mcp-header": "A" } } });
    let tools = json!({ "tools": [{ "name": "tööl", "inputSchema": schema }, { "name": "bad", "inputSchema": bad }] });
    let listener = Listener::start(move |seen| match seen.method() {
        "tools/list" => result(seen, &tools),
        _ => modern(seen).unwrap_or_else(|| result(seen, &json!({ "content": [{ "type": "text", "text": "ok" }] }))),
    })
    .await;
    let headers = vec![("X-Key".to_owned(), "mine".to_owned())];
    let server = ServerAddress::Http(McpEndpoint { url: listener.url.clone(), headers, credentials: None });
    let client = connect(server).await;
    assert_eq!(client.facts().era, Era::Modern);
    assert_eq!(call(&client, vec![]).await.unwrap().text(), "ok");
    client.read_resource("file:///a", vec![], LIMIT).await.unwrap();
    let called = &listener.all("tools/call")[0];
    let header = |name: &str| called.header(name);
    assert_eq!(header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(header("mcp-method"), Some("tools/call"));
    assert_eq!(header("mcp-name"), Some("=?base64?dMO2w7Zs?="));
    assert_eq!(header("mcp-param-region"), Some("eu"));
    assert_eq!(header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(header("x-key"), Some("mine"));
    assert_eq!(listener.all("resources/read")[0].header("mcp-name"), Some("file:///a"));
    assert_eq!(listener.all("tools/list").len(), 1);
    assert_eq!(client.list_tools(LIMIT).await.unwrap().len(), 1);
    assert_eq!(client.close().await.defects[0].fault, McpFault::InvalidTool);
}

#[tokio::test]
async fn response_can_be_an_event_stream() {
    let listener = Listener::start(|seen| {
        modern(seen).unwrap_or_else(|| {
            let id = &seen.body["id"];
            let told = r#": hello

data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}

event: message
data: {"jsonrpc":"2.0","id":ID,
data: "result":{"content":[{"type":"text","text":"done"}]}}

"#;
            stream(&told.replace("ID", &id.to_string()))
        })
    })
    .await;
    let log = Log::default();
    let client = McpClient::connect(listener.server(), log.options(), LIMIT).await.unwrap();
    let result = call(&client, vec![]).await.unwrap();
    assert_eq!((result.text().as_str(), result.received.notifications.len()), ("done", 1));
    assert!(log.received().last().unwrap().starts_with("{\"jsonrpc\":\"2.0\",\"id\":3,\n\"result\""));
}

#[tokio::test]
async fn stream_ending_before_the_response_is_an_error() {
    let listener = Listener::start(|seen| modern(seen).unwrap_or_else(|| stream(": nothing\n\n"))).await;
    let client = connect(listener.server()).await;
    assert_eq!(call(&client, vec![]).await.unwrap_err(), McpError::Cut);
}

#[tokio::test]
async fn failed_request_reports_its_rpc_error_or_http_status() {
    let listener = Listener::start(|seen| {
        modern(seen).unwrap_or_else(|| match seen.method() {
            "tools/list" => http("503 Service Unavailable", "", "busy"),
            _ => http(
                "404 Not Found",
                "",
                r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32601,"message":"no"}}"#,
            ),
        })
    })
    .await;
    let client = connect(listener.server()).await;
    assert!(matches!(call(&client, vec![]).await, Err(McpError::Rpc(error)) if error.code == -32601));
    let error = client.list_tools(LIMIT).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with status 503: busy");
}

#[tokio::test]
async fn legacy_session_is_kept_and_replaced_when_lost() {
    let calls = AtomicUsize::new(0);
    let listener = Listener::start(move |seen| {
        legacy(seen).unwrap_or_else(|| match calls.fetch_add(1, Ordering::Relaxed) {
            0 => http("404 Not Found", "", ""),
            _ => result(seen, &json!({})),
        })
    })
    .await;
    let client = connect(listener.server()).await;
    assert_eq!((client.facts().era, client.session_id().as_deref()), (Era::Legacy, Some("s1")));
    call(&client, vec![]).await.unwrap();
    assert_eq!(listener.all("initialize").len(), 2);
    assert!(listener.all("initialize").iter().all(|seen| seen.header("mcp-session-id").is_none()));
    for seen in listener.all("tools/call") {
        let headers = (seen.header("mcp-session-id"), seen.header("mcp-protocol-version"), seen.header("mcp-method"));
        assert_eq!(headers, (Some("s1"), Some("2025-11-25"), None));
    }
    client.close().await;
    let seen = listener.seen.lock().unwrap();
    assert!(seen.last().unwrap().head.starts_with("DELETE"), "the session is given up");
}

#[tokio::test]
async fn answers_elicitation_and_resumes_broken_stream() {
    let listener = Listener::start(move |seen| {
        if let Some(answer) = legacy(seen) {
            return answer;
        }
        if seen.head.starts_with("GET") {
            return stream("data: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"at last\"}]}}\n\n");
        }
        if seen.method() == "tools/call" {
            return stream("id: e1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who?\"}}\n\n");
        }
        http("202 Accepted", "", "")
    })
    .await;
    let client = connect(listener.server()).await;
    let result =
        call(&client, vec![ElicitationAnswer { action: ElicitationAction::Cancel, content: None }]).await.unwrap();
    assert_eq!(result.text(), "at last");
    let seen = listener.seen.lock().unwrap();
    let answer = seen.iter().find(|seen| seen.body["id"] == 9).unwrap();
    assert_eq!(answer.body["result"], json!({ "action": "cancel" }));
    assert!(seen.iter().any(|seen| seen.head.starts_with("GET") && seen.header("last-event-id") == Some("e1")));
}

#[tokio::test]
async fn timed_out_request_is_cancelled_according_to_era() {
    let limit = std::time::Duration::from_millis(100);
    let mut listener = Listener::start(|seen| modern(seen).unwrap_or_else(|| NEVER.into())).await;
    let client = connect(listener.server()).await;
    assert!(matches!(client.list_tools(limit).await, Err(McpError::TimedOut { .. })));
    listener.until("closed").await;
    assert!(listener.all("notifications/cancelled").is_empty());

    let mut listener = Listener::start(|seen| legacy(seen).unwrap_or_else(|| NEVER.into())).await;
    let client = connect(listener.server()).await;
    assert!(matches!(client.list_tools(limit).await, Err(McpError::TimedOut { .. })));
    listener.until("notifications/cancelled").await;
    let asked = &listener.all("tools/list")[0];
    assert_eq!(listener.all("notifications/cancelled")[0].body["params"]["requestId"], asked.body["id"]);
}

#[tokio::test]
async fn reports_server_that_does_not_speak_mcp() {
    let listener = Listener::start(|_| http("200 OK", "content-type: text/html\r\n", "<html>")).await;
    let error = McpClient::connect(listener.server(), ConnectOptions::default(), LIMIT).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with status 200: not a message: `text/html`");
}

#[tokio::test]
async fn reports_connection_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let server = ServerAddress::Http(McpEndpoint { url, ..McpEndpoint::default() });
    let error = McpClient::connect(server, ConnectOptions::default(), LIMIT).await.unwrap_err();
    assert!(error.to_string().contains("connection refused"), "{error}");
}
