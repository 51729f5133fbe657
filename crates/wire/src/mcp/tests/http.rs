use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{LIMIT, Log};
use crate::mcp::{Action, Answer, Client, ClientCredentials, Endpoint, Era, Error, Fault, Options, Server};

/// A request as the server saw it: its first line and headers in small letters, and its body.
#[derive(Debug, Clone)]
struct Seen {
    head: String,
    body: Value,
    form: String,
}

impl Seen {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

/// A server that answers each request as it is told; what it saw comes along.
struct Listener {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Listener {
    async fn start(answer: impl Fn(&Seen) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&seen));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(take(stream, Arc::clone(&answer), Arc::clone(&log)));
            }
        });
        Self { url, seen }
    }

    fn server(&self) -> Server {
        Server::Http(Endpoint { url: self.url.clone(), ..Endpoint::default() })
    }

    fn all(&self, method: &str) -> Vec<Seen> {
        self.seen.lock().unwrap().iter().filter(|seen| seen.method() == method).cloned().collect()
    }
}

async fn take(mut stream: TcpStream, answer: Arc<impl Fn(&Seen) -> String + Send + Sync>, log: Arc<Mutex<Vec<Seen>>>) {
    let mut bytes = Vec::new();
    let seen = loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                let lower = head.lines().map(|line| match line.split_once(": ") {
                    Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
                    None => line.to_owned(),
                });
                let head = lower.collect::<Vec<_>>().join("\n");
                break Seen { head, body: serde_json::from_str(body).unwrap_or_default(), form: body.to_owned() };
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    };
    log.lock().unwrap().push(seen.clone());
    let _ = stream.write_all(answer(&seen).as_bytes()).await;
}

fn http(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

fn message(body: &Value) -> String {
    http("200 OK", "content-type: application/json\r\n", &body.to_string())
}

fn result(seen: &Seen, result: &Value) -> String {
    message(&json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": result }))
}

fn stream(events: &str) -> String {
    http("200 OK", "content-type: text/event-stream\r\n", events)
}

fn modern(seen: &Seen) -> Option<String> {
    let facts = json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} });
    (seen.method() == "server/discover").then(|| result(seen, &facts))
}

/// What a legacy server answers to everything but calls.
fn legacy(seen: &Seen) -> Option<String> {
    match seen.method() {
        "server/discover" => Some(http("400 Bad Request", "", "what?")),
        "initialize" => {
            let facts = json!({ "jsonrpc": "2.0", "id": seen.body["id"], "result": { "protocolVersion": "2025-11-25", "capabilities": {} } });
            let headers = "content-type: application/json\r\nmcp-session-id: s1\r\n";
            Some(http("200 OK", headers, &facts.to_string()))
        }
        "notifications/initialized" | "notifications/cancelled" => Some(http("202 Accepted", "", "")),
        _ if seen.head.starts_with("GET") && seen.header("last-event-id").is_none() => {
            Some(http("405 Method Not Allowed", "", ""))
        }
        _ => None,
    }
}

async fn connect(server: Server) -> Client {
    Client::connect(server, Options::default(), LIMIT).await.unwrap()
}

async fn call(client: &Client, answers: Vec<Answer>) -> Result<crate::mcp::CallResult, Error> {
    client.call_tool("tööl", &json!({ "region": "eu" }), answers, LIMIT).await
}

#[tokio::test]
async fn a_modern_request_repeats_itself_in_its_headers() {
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
    let server = Server::Http(Endpoint { url: listener.url.clone(), headers, credentials: None });
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
    assert_eq!(client.close().await.defects[0].fault, Fault::InvalidTool);
}

#[tokio::test]
async fn an_answer_may_be_a_stream() {
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
    let client = Client::connect(listener.server(), log.options(), LIMIT).await.unwrap();
    let result = call(&client, vec![]).await.unwrap();
    assert_eq!((result.text().as_str(), result.heard.notifications.len()), ("done", 1));
    assert!(log.received().last().unwrap().starts_with("{\"jsonrpc\":\"2.0\",\"id\":3,\n\"result\""));
}

#[tokio::test]
async fn a_stream_that_ends_before_the_answer_is_cut() {
    let listener = Listener::start(|seen| modern(seen).unwrap_or_else(|| stream(": nothing\n\n"))).await;
    let client = connect(listener.server()).await;
    assert_eq!(call(&client, vec![]).await.unwrap_err(), Error::Cut);
}

#[tokio::test]
async fn a_failed_request_tells_its_error_or_its_status() {
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
    assert!(matches!(call(&client, vec![]).await, Err(Error::Rpc(error)) if error.code == -32601));
    let error = client.list_tools(LIMIT).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with status 503: busy");
}

#[tokio::test]
async fn a_legacy_server_keeps_its_session_and_gets_a_new_one_when_it_is_lost() {
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
async fn a_question_on_the_stream_is_answered_and_the_stream_taken_up_where_it_broke() {
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
    let result = call(&client, vec![Answer { action: Action::Cancel, content: None }]).await.unwrap();
    assert_eq!(result.text(), "at last");
    let seen = listener.seen.lock().unwrap();
    let answer = seen.iter().find(|seen| seen.body["id"] == 9).unwrap();
    assert_eq!(answer.body["result"], json!({ "action": "cancel" }));
    assert!(seen.iter().any(|seen| seen.head.starts_with("GET") && seen.header("last-event-id") == Some("e1")));
}

#[tokio::test]
async fn a_token_is_found_fetched_once_and_renewed_when_it_is_refused() {
    let issued = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&issued);
    let listener = Listener::start(move |seen| {
        let host = seen.header("host").unwrap();
        let first = seen.head.lines().next().unwrap();
        if first.starts_with("GET /meta ") {
            return message(&json!({ "resource": format!("http://{host}/mcp"), "authorization_servers": [format!("http://{host}/auth")] }));
        }
        if first.starts_with("GET /.well-known/oauth-authorization-server/auth ") {
            return message(&json!({ "issuer": format!("http://{host}/auth"), "token_endpoint": format!("http://{host}/token") }));
        }
        if first.starts_with("POST /token ") {
            let number = counter.fetch_add(1, Ordering::Relaxed) + 1;
            return message(&json!({ "access_token": format!("t{number}"), "expires_in": 3600 }));
        }
        let challenge = format!("www-authenticate: Bearer scope=\"read\", resource_metadata=\"http://{host}/meta\"\r\n");
        match (seen.header("authorization"), seen.method()) {
            (None, _) | (Some("Bearer t1"), "tools/call") => http("401 Unauthorized", &challenge, ""),
            _ => modern(seen).unwrap_or_else(|| result(seen, &json!({}))),
        }
    })
    .await;
    let credentials =
        ClientCredentials { client_id: "me".into(), client_secret: "p:w".into(), ..ClientCredentials::default() };
    let endpoint = Endpoint { url: listener.url.clone(), credentials: Some(credentials), ..Endpoint::default() };
    let client = connect(Server::Http(endpoint)).await;
    client.list_prompts(LIMIT).await.unwrap();
    assert_eq!(issued.load(Ordering::Relaxed), 1);
    call(&client, vec![]).await.unwrap();
    assert_eq!(issued.load(Ordering::Relaxed), 2);
    let seen = listener.seen.lock().unwrap();
    let asked = seen.iter().find(|seen| seen.head.starts_with("POST /token")).unwrap();
    // me:p%3Aw
    assert_eq!(asked.header("authorization"), Some("Basic bWU6cCUzQXc="));
    let address = listener.url.replace(':', "%3A").replace('/', "%2F");
    assert_eq!(asked.form, format!("grant_type=client_credentials&scope=read&resource={address}"));
}

#[tokio::test]
async fn a_token_that_is_always_refused_is_not_asked_for_for_ever() {
    let issued = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&issued);
    let listener = Listener::start(move |seen| {
        if seen.head.starts_with("POST /token") {
            counter.fetch_add(1, Ordering::Relaxed);
            return message(&json!({ "access_token": "t" }));
        }
        http("401 Unauthorized", "", "")
    })
    .await;
    let credentials = ClientCredentials {
        token_url: Some(listener.url.replace("/mcp", "/token")),
        scopes: vec!["a".into(), "b".into()],
        ..ClientCredentials::default()
    };
    let endpoint = Endpoint { url: listener.url.clone(), credentials: Some(credentials), ..Endpoint::default() };
    let error = Client::connect(Server::Http(endpoint), Options::default(), LIMIT).await.unwrap_err();
    assert_eq!(error.to_string(), "not authorized: the server answered with status 401");
    assert_eq!(issued.load(Ordering::Relaxed), 2);
    assert!(listener.seen.lock().unwrap()[0].form.contains("scope=a+b"));
}

#[tokio::test]
async fn nobody_there_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let server = Server::Http(Endpoint { url, ..Endpoint::default() });
    let error = Client::connect(server, Options::default(), LIMIT).await.unwrap_err();
    assert!(error.to_string().contains("connection refused"), "{error}");
}
