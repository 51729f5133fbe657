//! Sessions in a larger environment: a proxy of the user, tools over MCP, telemetry, agents as programs.

use std::process::Command;
use std::sync::{Arc, Mutex};

use agentci_recorder::{RecorderSession, Recording, ReplayPace, SessionMode, SessionOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::client::{client, options, record, replaying};
use crate::replay::{ask, replay, stored};
use crate::upstream::{Upstream, json, whole};

/// A proxy that connects every tunnel to one server, which stands for all hosts, and keeps the requests.
async fn user_proxy(to: std::net::SocketAddr) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://me:pass%20word@{}", listener.local_addr().unwrap());
    let log = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&log);
    tokio::spawn(async move {
        loop {
            let (mut near, _) = listener.accept().await.unwrap();
            let noted = Arc::clone(&noted);
            tokio::spawn(async move {
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    head.push(near.read_u8().await.unwrap().into());
                }
                noted.lock().unwrap().push(head.clone());
                let mut far = TcpStream::connect(to).await.unwrap();
                if head.starts_with("CONNECT") {
                    near.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                } else {
                    let (_, rest) = head.split_once("http://api.example.com").unwrap();
                    far.write_all(format!("GET {rest}").as_bytes()).await.unwrap();
                }
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    (url, log)
}

#[tokio::test]
async fn recorded_and_passed_traffic_uses_the_user_proxy() {
    let upstream = Upstream::start(false, [("/x", vec![json("7")])].into()).await;
    let (url, log) = user_proxy(upstream.address).await;
    let environment = ["HTTP_PROXY", "HTTPS_PROXY"].map(|name| (name.to_owned(), url.clone())).to_vec();
    let pass = vec!["passed.example.com".to_owned()];
    let session =
        RecorderSession::start(SessionOptions { environment, pass, ..options(SessionMode::Record) }).await.unwrap();
    assert_eq!(ask(&session, &["http://api.example.com/x".into()]).await, [Ok((200, "7".into()))]);
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    let asked = "CONNECT passed.example.com:443 HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\nconnection: close\r\n\r\n";
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut answer = String::new();
    while !answer.ends_with("\r\n\r\n7") {
        answer.push(stream.read_u8().await.unwrap().into());
    }
    drop(stream);
    let asked = log.lock().unwrap().clone();
    assert!(asked[0].starts_with("GET http://api.example.com/x HTTP/1.1"), "{asked:?}");
    assert!(asked[1].starts_with("CONNECT passed.example.com:443 HTTP/1.1"), "{asked:?}");
    for head in &asked {
        assert!(head.to_ascii_lowercase().contains("proxy-authorization: basic bwu6cgfzcyb3b3jk"), "{head}");
    }
    let finished = session.finish().await;
    assert_eq!(finished.recording.exchanges.len(), 1);
    assert!(
        finished.warnings.iter().any(|it| it.to_string().starts_with("passed.example.com was passed through unread"))
    );
}

#[tokio::test]
async fn equal_requests_replay_in_order_and_then_miss() {
    let path = "/v1/chat/completions";
    let answers = ["1", "2", "3"].map(json).to_vec();
    let upstream = Upstream::start(false, [(path, answers)].into()).await;
    let session = record(&upstream).await;
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "again" }] }).to_string();
    for _ in 0..3 {
        post(&session, &upstream.url(path), &body).await;
    }
    let session = replay(stored(&session.finish().await)).await;
    let mut texts = Vec::new();
    for _ in 0..4 {
        texts.push(post(&session, &upstream.url(path), &body).await);
    }
    assert_eq!(texts[..3], [(200, "1".to_owned()), (200, "2".to_owned()), (200, "3".to_owned())]);
    assert_eq!(texts[3].0, 400, "{texts:?}");
    let finished = session.finish().await;
    assert_eq!(finished.misses[0].reason, "it was sent more times than it was recorded");
}

async fn post(session: &RecorderSession, url: &str, body: &str) -> (u16, String) {
    let request = client(session).post(url).header("content-type", "application/json").body(body.to_owned());
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn replay_reaches_only_allowed_hosts() {
    let upstream = Upstream::start(false, [("/x", vec![json("7")])].into()).await;
    let authority = format!("localhost:{}", upstream.address.port());
    let recording = stored(&RecorderSession::start(options(SessionMode::Record)).await.unwrap().finish().await);
    let mode = || replaying(recording.clone(), ReplayPace::Fast);
    let session = RecorderSession::start(SessionOptions { allow: vec![authority], ..options(mode()) }).await.unwrap();
    assert_eq!(ask(&session, &[upstream.url("/x")]).await, [Ok((200, "7".into()))]);
    let finished = session.finish().await;
    assert!(finished.misses.is_empty() && finished.recording.exchanges.is_empty());
    let session = RecorderSession::start(options(mode())).await.unwrap();
    assert!(matches!(ask(&session, &[upstream.url("/x")]).await[..], [Ok((400, _))]));
    assert_eq!((session.finish().await.misses.len(), upstream.heads().len()), (1, 1));
}

/// One call over MCP, with the session id from the server.
async fn mcp(session: &RecorderSession, url: &str, id: u64, method: &str, of: Option<&str>) -> (Option<String>, Value) {
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": { "name": "look" } });
    let mut request = client(session).post(url).header("content-type", "application/json").body(body.to_string());
    if let Some(of) = of {
        request = request.header("mcp-session-id", of);
    }
    let answer = request.send().await.unwrap();
    let given = answer.headers().get("mcp-session-id").map(|it| it.to_str().unwrap().to_owned());
    let text = answer.text().await.unwrap();
    let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&text);
    (given, serde_json::from_str(data).unwrap())
}

#[tokio::test]
async fn mcp_responses_use_current_ids_and_recorded_sessions() {
    let kind = "content-type: application/json\r\nmcp-session-id: 6a1f0c9e4b7d4f55\r\n";
    let opened = whole("200 OK", kind, r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"x"}}"#);
    let event = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"id\":2}}\n\n";
    let called = whole("200 OK", "content-type: text/event-stream\r\n", event);
    let upstream = Upstream::start(false, [("/mcp", vec![opened, called])].into()).await;
    let url = upstream.url("/mcp");
    let session = record(&upstream).await;
    let (given, _) = mcp(&session, &url, 1, "initialize", None).await;
    mcp(&session, &url, 2, "tools/call", given.as_deref()).await;
    let recording = stored(&session.finish().await);
    let session = replay(recording).await;
    let (given, first) = mcp(&session, &url, 41, "initialize", None).await;
    assert_eq!((given.as_deref(), &first["id"]), (Some("6a1f0c9e4b7d4f55"), &json!(41)));
    let (_, second) = mcp(&session, &url, 42, "tools/call", given.as_deref()).await;
    assert_eq!(second, json!({ "jsonrpc": "2.0", "id": 42, "result": { "id": 2 } }));
    let finished = session.finish().await;
    assert_eq!((finished.tally.misses, finished.tally.exact), (0, 2));
}

#[tokio::test]
async fn replay_refuses_websocket_as_a_miss() {
    let session = replay(Recording::default()).await;
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    let asked = "GET http://api.example.com/ws HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 501");
    drop(stream);
    let finished = session.finish().await;
    assert_eq!(finished.misses[0].reason, "it uses a WebSocket, which is not recorded");
    assert_eq!(finished.tally.misses, 1);
}

#[tokio::test]
async fn unrecorded_telemetry_is_not_a_miss() {
    let session = replay(Recording::default()).await;
    let spans = json!({ "resourceSpans": [] }).to_string();
    let (status, _) = post(&session, "http://collector.example.com:4318/v1/traces", &spans).await;
    assert_eq!(status, 204);
    let finished = session.finish().await;
    assert_eq!((finished.misses.len(), finished.tally.misses, finished.tally.chatter), (0, 0, 1));
}

#[tokio::test]
async fn replays_recorded_responses_after_upstream_is_closed() {
    let upstream = Upstream::start(false, [("/a", vec![json("1")]), ("/b", vec![json("2")])].into()).await;
    let session = record(&upstream).await;
    ask(&session, &[upstream.url("/a")]).await;
    let recording = stored(&session.finish().await);
    let (rules, on_miss) = (agentci_recorder::MatchRules::default(), agentci_recorder::OnMiss::Record);
    let mode = SessionMode::Replay { recording, rules, on_miss, pace: ReplayPace::Fast };
    let session = RecorderSession::start(options(mode)).await.unwrap();
    session.close_upstream("the budget is used up");
    let answers = ask(&session, &[upstream.url("/a"), upstream.url("/b")]).await;
    assert_eq!(answers[0], Ok((200, "1".into())));
    assert!(matches!(&answers[1], Ok((400, text)) if text.contains("the budget is used up")), "{answers:?}");
    assert_eq!((upstream.heads().len(), session.finish().await.recording.exchanges.len()), (1, 1));
}

/// Runs a program as the agent of a session, and returns its output.
async fn run(session: &RecorderSession, program: &'static [&'static str], url: String) -> String {
    let variables = session.environment();
    let running = tokio::task::spawn_blocking(move || {
        let mut command = Command::new("timeout");
        command.arg("60").args(program).arg(url).env_clear().envs(variables);
        for kept in ["PATH", "HOME"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        command.output().unwrap()
    });
    let output = running.await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Both stay for a while: the name of a program that has exited cannot be found.
const PYTHON: &[&str] = &[
    "python3",
    "-c",
    "import sys, time, urllib.request as r
ask = r.Request(sys.argv[1], b'{\"n\": 1}', {'content-type': 'application/json', 'authorization': 'Bearer sk-live-0123456789'})
print(r.urlopen(ask).read().decode()); time.sleep(0.5)",
];
const NODE: &[&str] = &[
    "node",
    "-e",
    "const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-live-0123456789' };
fetch(process.argv[1], { method: 'POST', headers, body: '{\"n\": 1}' }).then((a) => a.text()).then((t) => console.log(t));
setTimeout(() => {}, 500);",
];

#[tokio::test]
async fn records_and_replays_programs_through_their_environment() {
    for program in [PYTHON, NODE] {
        let upstream = Upstream::start(true, [("/v1", vec![json("{\"answer\":42}")])].into()).await;
        let url = upstream.url("/v1");
        let session = record(&upstream).await;
        assert_eq!(run(&session, program, url.clone()).await, "{\"answer\":42}\n");
        let finished = session.finish().await;
        let [exchange] = &finished.recording.exchanges[..] else { panic!("{program:?}: {finished:?}") };
        let by = exchange.request.by.as_deref().unwrap_or("nobody");
        assert!(by.starts_with(&program[0][..4]) || by == "MainThread", "{by}");
        let text = finished.recording.write(&finished.secrets).unwrap().text;
        assert!(!text.contains("live-0123"), "{text}");
        drop(upstream);
        let session = replay(stored(&finished)).await;
        assert_eq!(run(&session, program, url).await, "{\"answer\":42}\n");
        let replayed = session.finish().await;
        assert_eq!((replayed.tally.exact, replayed.misses.len(), replayed.bypassed.len()), (1, 0, 0), "{replayed:?}");
    }
}
