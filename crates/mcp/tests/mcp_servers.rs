//! Tests the MCP client with third-party servers: the official Python package and `server-everything`. The servers must
//! be installed, so these tests run only on request; `interop/mcp/run` installs the servers and runs them.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agentci_mcp::{
    ClientCredentials, ConnectOptions, Direction, ElicitationAction, ElicitationAnswer, Era, FrameWatch, McpClient,
    McpEndpoint, McpError, ServerAddress,
};
use agentci_process::{Exit, Grace, LineReader, Process, ProcessCommand};
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(20);
const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(200) };

fn home() -> String {
    std::env::var("INTEROP_HOME").unwrap()
}

fn python(mode: &str) -> ProcessCommand {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/mcp/server.py");
    let program = format!("{}/venv/bin/python", home()).into();
    ProcessCommand { program, arguments: vec![script.into(), mode.into()], ..ProcessCommand::default() }
}

fn everything(mode: &str) -> ProcessCommand {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/mcp/everything.mjs");
    ProcessCommand { program: "node".into(), arguments: vec![script.into(), mode.into()], ..ProcessCommand::default() }
}

fn everything_on_stdio() -> ProcessCommand {
    let script = format!("{}/node_modules/@modelcontextprotocol/server-everything/dist/index.js", home());
    ProcessCommand { program: "node".into(), arguments: vec![script.into()], ..ProcessCommand::default() }
}

/// Starts a server that prints its address.
async fn started(command: ProcessCommand) -> (Process, McpEndpoint, impl Sized) {
    let (process, pipes) = Process::spawn(&command).unwrap();
    let mut lines = LineReader::new(pipes.output, 10_000);
    let url = tokio::time::timeout(LIMIT, lines.next()).await.unwrap().unwrap().unwrap().to_vec();
    let endpoint = McpEndpoint { url: String::from_utf8(url).unwrap(), ..McpEndpoint::default() };
    (process, endpoint, (lines, pipes.input))
}

async fn connect(server: ServerAddress, era: Option<Era>) -> McpClient {
    let options = ConnectOptions { era, log_level: Some("debug".into()), ..ConnectOptions::default() };
    McpClient::connect(server, options, LIMIT).await.unwrap()
}

/// Tests the Python server in any era and over any transport.
async fn uses_the_python_server(client: &McpClient) {
    let tools = client.list_tools(LIMIT).await.unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "add" && tool["inputSchema"]["properties"]["a"].is_object()));
    let sum = client.call_tool("add", &json!({ "a": 2, "b": 3 }), vec![], LIMIT).await.unwrap();
    assert_eq!((sum.is_error, sum.text().as_str(), sum.value().into_owned()), (false, "5", json!({ "result": 5 })));
    let broken = client.call_tool("divide", &json!({ "a": 2, "b": 0 }), vec![], LIMIT).await.unwrap();
    assert!(broken.is_error && broken.text().contains("divide"), "{}", broken.text());
    let wrong = client.call_tool("add", &json!({ "a": "two" }), vec![], LIMIT).await.unwrap();
    assert!(wrong.is_error, "{wrong:?}");
    let unknown = client.call_tool("nothing", &json!({}), vec![], LIMIT).await;
    assert!(unknown.as_ref().is_err() || unknown.as_ref().is_ok_and(|result| result.is_error), "{unknown:?}");

    let counted = client.call_tool("count", &json!({ "to": 3 }), vec![], LIMIT).await.unwrap();
    let methods: Vec<&str> = counted.received.notifications.iter().map(|told| told.method.as_str()).collect();
    assert_eq!(methods, ["notifications/progress", "notifications/message"].repeat(3));
    assert_eq!(counted.received.notifications[4].params["progress"].as_f64(), Some(3.0));

    let answer =
        ElicitationAnswer { action: ElicitationAction::Accept, content: Some(json!({ "name": "Ann", "seats": 4 })) };
    let reserved = client.call_tool("reserve", &json!({ "day": "Monday" }), vec![answer], LIMIT).await.unwrap();
    assert_eq!(reserved.text(), "4 for Ann on Monday");
    assert_eq!(reserved.received.asked[0].question.message, "Who is it for?");
    let unanswered = client.call_tool("reserve", &json!({ "day": "Monday" }), vec![], LIMIT).await.unwrap_err();
    assert!(matches!(&unanswered, McpError::NoAnswer { message, schema: Some(_) } if message == "Who is it for?"));

    assert_eq!(client.read_resource("note://today", vec![], LIMIT).await.unwrap().text(), "Buy bread.");
    assert!(matches!(client.read_resource("note://never", vec![], LIMIT).await, Err(McpError::Rpc(_))));
    assert_eq!(client.list_resources(LIMIT).await.unwrap()[0]["uri"], "note://today");
    assert_eq!(client.list_prompts(LIMIT).await.unwrap()[0]["name"], "review");
    let prompt = client.get_prompt("review", &json!({ "text": "this" }), vec![], LIMIT).await.unwrap();
    assert_eq!(prompt.text(), "Please review: this");

    let big = client.call_tool("big", &json!({ "megabytes": 20 }), vec![], LIMIT).await.unwrap();
    assert_eq!(big.text().len(), 20 << 20);

    let begun = Instant::now();
    let slow = json!({ "seconds": 1.5 });
    let wait = || client.call_tool("wait", &slow, vec![], LIMIT);
    let (first, second) = tokio::join!(wait(), wait());
    assert_eq!((first.unwrap().text(), second.unwrap().text()), ("waited 1.5".into(), "waited 1.5".into()));
    assert!(begun.elapsed() < Duration::from_millis(2900), "one after the other: {:?}", begun.elapsed());

    let late = client.call_tool("wait", &json!({ "seconds": 30 }), vec![], Duration::from_millis(200)).await;
    assert!(matches!(late, Err(McpError::TimedOut { .. })), "{late:?}");
    // The server still answers.
    assert_eq!(client.call_tool("add", &json!({ "a": 1, "b": 1 }), vec![], LIMIT).await.unwrap().text(), "2");
    assert_eq!(client.defects(), []);
}

#[tokio::test]
async fn python_server_over_stdio() {
    for (era, expected) in [(None, Era::Modern), (Some(Era::Legacy), Era::Legacy)] {
        let client = connect(ServerAddress::Stdio(python("stdio")), era).await;
        assert_eq!(client.facts().era, expected);
        uses_the_python_server(&client).await;
        let died = client.call_tool("leave", &json!({ "code": 7 }), vec![], LIMIT).await.unwrap_err();
        let McpError::Died { exit, stderr_tail, .. } = &died else { panic!("{died:?}") };
        assert_eq!(*exit, Some(Exit::Code(7)));
        assert!(stderr_tail.iter().any(|line| line == "leaving on purpose"), "{stderr_tail:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn python_server_over_http() {
    for mode in ["http", "http-json"] {
        let (process, endpoint, _pipes) = started(python(mode)).await;
        for (era, expected) in [(None, Era::Modern), (Some(Era::Legacy), Era::Legacy)] {
            let client = connect(ServerAddress::Http(endpoint.clone()), era).await;
            assert_eq!(client.facts().era, expected);
            if mode == "http" {
                uses_the_python_server(&client).await;
            } else {
                let sum = client.call_tool("add", &json!({ "a": 2, "b": 3 }), vec![], LIMIT).await.unwrap();
                assert_eq!(sum.text(), "5");
            }
            let place = client.call_tool("place", &json!({ "region": "Åland" }), vec![], LIMIT).await.unwrap();
            let header = if expected == Era::Modern { "=?base64?w4VsYW5k?=" } else { "None" };
            assert_eq!(place.text(), format!("Åland and {header}"));
            client.close().await;
        }
        process.end(AT_ONCE).await;
    }
}

#[tokio::test]
async fn python_server_over_legacy_sse() {
    let (process, endpoint, _pipes) = started(python("sse")).await;
    let client = connect(ServerAddress::Http(endpoint), None).await;
    assert_eq!(client.facts().era, Era::Legacy);
    uses_the_python_server(&client).await;
    client.close().await;
    process.end(AT_ONCE).await;
}

async fn uses_server_everything(client: &McpClient) {
    assert_eq!((client.facts().era, client.facts().version.as_str()), (Era::Legacy, "2025-11-25"));
    assert_eq!(client.facts().server["name"], "mcp-servers/everything");
    assert!(client.list_tools(LIMIT).await.unwrap().len() > 5);
    let sum = client.call_tool("get-sum", &json!({ "a": 2, "b": 3 }), vec![], LIMIT).await.unwrap();
    assert!(sum.text().contains('5'), "{}", sum.text());
    let weather = json!({ "location": "Chicago" });
    let structured = client.call_tool("get-structured-content", &weather, vec![], LIMIT).await.unwrap();
    assert!(structured.value()["temperature"].is_number(), "{structured:?}");
    let wrong = client.call_tool("get-sum", &json!({ "a": "x" }), vec![], LIMIT).await;
    assert!(wrong.as_ref().is_err() || wrong.as_ref().is_ok_and(|result| result.is_error), "{wrong:?}");
    let answer = ElicitationAnswer { action: ElicitationAction::Accept, content: Some(json!({ "name": "Ann" })) };
    let asked = client.call_tool("trigger-elicitation-request", &json!({}), vec![answer], LIMIT).await.unwrap();
    assert!(asked.text().contains("- Name: Ann"), "{}", asked.text());
    let declined = ElicitationAnswer { action: ElicitationAction::Decline, content: None };
    let asked = client.call_tool("trigger-elicitation-request", &json!({}), vec![declined], LIMIT).await.unwrap();
    assert!(asked.text().contains("declined"), "{}", asked.text());
    let long = json!({ "duration": 0.3, "steps": 3 });
    let long = client.call_tool("trigger-long-running-operation", &long, vec![], LIMIT).await.unwrap();
    let progress = long.received.notifications.iter().filter(|told| told.method == "notifications/progress").count();
    assert_eq!(progress, 3);
    assert!(!client.list_resources(LIMIT).await.unwrap().is_empty());
    assert!(!client.list_prompts(LIMIT).await.unwrap().is_empty());
}

#[tokio::test]
async fn server_everything_over_stdio() {
    let client = connect(ServerAddress::Stdio(everything_on_stdio()), None).await;
    uses_server_everything(&client).await;
    let closing = client.close().await;
    assert_eq!(closing.defects, []);
    assert!(closing.ending.unwrap().exit.is_some());
}

#[tokio::test]
async fn server_everything_over_http_survives_lost_session() {
    let (process, endpoint, _pipes) = started(everything("streamableHttp")).await;
    let client = connect(ServerAddress::Http(endpoint.clone()), None).await;
    uses_server_everything(&client).await;
    client.close().await;

    let sent = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&sent);
    let watch = FrameWatch::new(move |frame| {
        if frame.direction == Direction::Sent {
            log.lock().unwrap().push(String::from_utf8_lossy(frame.bytes).into_owned());
        }
    });
    let options = ConnectOptions { watch, ..ConnectOptions::default() };
    let client = McpClient::connect(ServerAddress::Http(endpoint.clone()), options, LIMIT).await.unwrap();
    // The session is ended without the knowledge of the client.
    let session = client.session_id().unwrap();
    let headers = vec![("mcp-session-id".to_owned(), session)];
    let delete = agentci_wire::http::StreamRequest {
        url: endpoint.url,
        method: agentci_wire::http::HttpMethod::Delete,
        headers,
        body: Vec::new().into(),
    };
    assert_eq!(agentci_wire::http::send(delete).await.unwrap().status, 200);
    let sum = client.call_tool("get-sum", &json!({ "a": 2, "b": 3 }), vec![], LIMIT).await.unwrap();
    assert!(sum.text().contains('5'));
    let greetings = sent.lock().unwrap().iter().filter(|message| message.contains("\"initialize\"")).count();
    assert_eq!(greetings, 2);
    client.close().await;
    process.end(AT_ONCE).await;
}

#[tokio::test]
async fn server_everything_over_legacy_sse() {
    let (process, endpoint, _pipes) = started(everything("sse")).await;
    let client = connect(ServerAddress::Http(endpoint), None).await;
    uses_server_everything(&client).await;
    client.close().await;
    process.end(AT_ONCE).await;
}

#[tokio::test]
async fn reports_failed_token_request() {
    let (process, endpoint, _pipes) = started(python("http")).await;
    let credentials = ClientCredentials {
        token_url: Some(endpoint.url.replace("/mcp", "/no-such-token-endpoint")),
        client_id: "me".into(),
        client_secret: "hidden".into(),
        scopes: vec![],
    };
    let endpoint = McpEndpoint { credentials: Some(credentials), ..endpoint };
    let error = McpClient::connect(ServerAddress::Http(endpoint), ConnectOptions::default(), LIMIT).await.unwrap_err();
    assert!(matches!(&error, McpError::Unauthorized(reason) if reason.contains("404")), "{error}");
    process.end(AT_ONCE).await;
}
