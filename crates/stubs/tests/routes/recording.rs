//! Recording: requests are forwarded to live tools, and their answers become fixtures.

use std::path::Path;

use agentci_formats::load;
use agentci_plan::{Fixture, FixtureWriter, Mode, RouteRecord, Routes, ToolSource};
use agentci_source::{MemoryFiles, Span};
use agentci_stubs::{RouteServer, RouteSession};
use agentci_trace::Redactor;
use serde_json::{Value, json};

use crate::raw::{Answer, request, send_to};
use crate::served::{Opening, ask, base, file, fixture, for_any, open, post, routes, serve, start, tool};

const SUITE: &str = "\
# Why is my pay lower?
test_name: lower   # kept
tool_fixtures:
  old:
    - request: { a: 1 }

      response_file: old.json
# also kept

user_input: \"Why?\"
";

fn recorded(folder: &Path, suite: &str, line: Option<u32>, url: &str) -> Routes {
    std::fs::write(folder.join("lower.yaml"), suite).unwrap();
    let block = line.map(|line| Span { file: file(), line, column: 1, width: 13 });
    let (suite, folder) = (folder.join("lower.yaml"), folder.join("__files"));
    let record = RouteRecord { suite, block, writer: writer(), folder };
    let bases = [base("PAY_API_BASE", Some(url)), base("OTHER_BASE", None)].into();
    Routes { bases, record: Some(record), ..routes([]) }
}

/// The fixture writer of the scenario format.
fn writer() -> FixtureWriter {
    let text = "test_name: x\nuser_input: y\nexpected_answer: z\n";
    let loaded = load(&MemoryFiles::default().with("tests/a/x.yaml", text), &["tests".into()]);
    let ToolSource::Routes(routes) = &loaded.plan.suites[0].cases[0].world.tools else { panic!("no routes") };
    routes.record.as_ref().unwrap().writer
}

async fn recording(routes: Routes) -> (RouteServer, RouteSession) {
    let server = start().await;
    let session = open(&server, routes, Opening { mode: Mode::Record, ..Opening::default() }).unwrap();
    (server, session)
}

/// Sends a request to the base URL of a variable.
async fn by_base(server: &RouteServer, session: &RouteSession, path: &str, body: &Value) -> Answer {
    let bases = session.bases();
    let (_, url) = bases.first().unwrap();
    let below = url.strip_prefix(&server.url()).unwrap();
    post(server, &format!("{below}/{path}"), body).await
}

#[tokio::test]
async fn records_live_responses_as_fixtures_and_preserves_other_content() {
    let gone = Fixture {
        status: 404,
        headers: vec![("x-why".into(), "none: here".into()), ("set-cookie".into(), "sid=1".into())],
        ..for_any(json!({"gone": true}))
    };
    let slips = [
        fixture(json!({"ids": [1], "region": "US"}), json!({"net": 1.5, "api_key": "sk-0123456789"})),
        fixture(json!({"ids": [2], "key": "sk-0123456789"}), json!([1])),
    ];
    let text = Fixture { headers: vec![("content-type".into(), "text/x-odd".into())], ..for_any(json!("odd")) };
    let (live, _live) = serve([tool("pay/slips", slips), tool("gone", [gone]), tool("odd", [text])]).await;
    let folder = tempfile::tempdir().unwrap();
    let (server, session) = recording(recorded(folder.path(), SUITE, Some(3), &live.url())).await;
    assert!(session.bases()[0].1.ends_with("/PAY_API_BASE"));
    let first = by_base(&server, &session, "pay/slips", &json!({"region": "US", "ids": [1]})).await;
    assert_eq!((first.status, first.json()["net"].to_string()), (200, "1.5".into()));
    by_base(&server, &session, "pay/slips", &json!({"ids": [2], "key": "sk-0123456789"})).await;
    by_base(&server, &session, "pay/slips", &json!({"ids": [2], "key": "sk-0123456789"})).await;
    let gone = ask(&server, "GET", "/PAY_API_BASE/gone?id=7&id=8", "").await;
    assert_eq!((gone.status, gone.header("x-why")), (404, Some("none: here")));
    by_base(&server, &session, "odd", &json!("text")).await;
    assert_eq!(session.misses(), []);
    let saved = session.save_recording(&Redactor::default()).unwrap().unwrap();
    assert_eq!((saved.calls, saved.files.len()), (5, 4));
    let names: Vec<String> = saved
        .files
        .iter()
        .map(|path| path.strip_prefix(folder.path().join("__files")).unwrap().display().to_string())
        .collect();
    let written = std::fs::read_to_string(folder.path().join("lower.yaml")).unwrap();
    let wanted = format!(
        "\
# Why is my pay lower?
test_name: lower   # kept
tool_fixtures:
  pay/slips:
    - request:
        region: \"US\"
        ids: [1]
      response_file: {}
    - request:
        ids: [2]
        key: \"[REDACTED]\"
      response_file: {}
  gone:
    - request:
        id: [\"7\", \"8\"]
      response_file: {}
      status: 404
      headers:
        x-why: \"none: here\"
  odd:
    - request: \"text\"
      response_file: {}
      headers:
        content-type: \"text/x-odd\"
# also kept

user_input: \"Why?\"
",
        names[0], names[1], names[2], names[3]
    );
    assert_eq!(written, wanted);
    let slip = std::fs::read_to_string(&saved.files[0]).unwrap();
    assert_eq!(slip, "{\n  \"net\": 1.5,\n  \"api_key\": \"[REDACTED]\"\n}\n");
    assert_eq!(std::fs::read_to_string(&saved.files[1]).unwrap(), "[1]");
    assert!(session.save_recording(&Redactor::default()).unwrap().is_none(), "it is written once");
}

#[tokio::test]
async fn adds_fixtures_section_and_keeps_line_endings() {
    let (live, _live) = serve([tool("t", [for_any(json!(1))])]).await;
    for (before, after) in [
        (
            "test_name: x\r\nuser_input: y",
            "test_name: x\r\nuser_input: y\r\ntool_fixtures:\r\n  t:\r\n    - request: {}\r\n",
        ),
        ("---\nuser_input: y\n...\n", "---\nuser_input: y\ntool_fixtures:\n  t:\n    - request: {}\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (server, session) = recording(recorded(folder.path(), before, None, &live.url())).await;
        by_base(&server, &session, "t", &json!({})).await;
        session.save_recording(&Redactor::default()).unwrap().unwrap();
        let written = std::fs::read_to_string(folder.path().join("lower.yaml")).unwrap();
        assert!(written.starts_with(after), "{written}");
        assert_eq!(written.ends_with("...\n"), before.ends_with("...\n"));
    }
}

#[tokio::test]
async fn leaves_unsupported_file_unchanged() {
    let (live, _live) = serve([tool("t", [for_any(json!(1))])]).await;
    for (suite, line, part) in [
        ("user_input: y\ntool_fixtures: {}\n", Some(1), "is no longer on line 1"),
        ("{test_name: x, tool_fixtures: {}}\n", Some(1), "written in braces"),
        ("{test_name: x}\n", None, "written in braces"),
        ("a: 1\n---\nb: 1\n---\n", None, "several documents"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (server, session) = recording(recorded(folder.path(), suite, line, &live.url())).await;
        by_base(&server, &session, "t", &json!({})).await;
        let error = session.save_recording(&Redactor::default()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(std::fs::read_to_string(folder.path().join("lower.yaml")).unwrap(), suite);
        assert!(!folder.path().join("__files").exists());
    }
}

/// The suite was read at the start of the run, and may have changed since.
#[tokio::test]
async fn refuses_to_update_oversized_suite() {
    let (live, _live) = serve([tool("t", [for_any(json!(1))])]).await;
    let folder = tempfile::tempdir().unwrap();
    let (server, session) = recording(recorded(folder.path(), SUITE, Some(3), &live.url())).await;
    by_base(&server, &session, "t", &json!({})).await;
    std::fs::File::create(folder.path().join("lower.yaml")).unwrap().set_len((10 << 20) + 1).unwrap();
    let error = session.save_recording(&Redactor::default()).unwrap_err().to_string();
    assert!(error.ends_with("cannot be changed: it has grown to more than 10 MiB"), "{error}");
}

/// A server that sends one given answer.
async fn once(answer: Vec<u8>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"{}") {
            tokio::io::AsyncReadExt::read_buf(&mut stream, &mut head).await.unwrap();
        }
        let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, &answer).await;
        // The connection stays open until the client closes it.
        while tokio::io::AsyncReadExt::read_buf(&mut stream, &mut head).await.is_ok_and(|read| read > 0) {}
    });
    url
}

#[tokio::test]
async fn live_response_size_is_limited() {
    let size = (64 << 20) + 1;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n").into_bytes();
    let url = once([head, vec![b' '; size]].concat()).await;
    let folder = tempfile::tempdir().unwrap();
    let (server, session) = recording(recorded(folder.path(), SUITE, Some(3), &url)).await;
    let answer = by_base(&server, &session, "t", &json!({})).await;
    let error = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(answer.status == 502 && error.contains("67108864"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn live_tool_without_response_times_out() {
    let url = once(Vec::new()).await;
    let folder = tempfile::tempdir().unwrap();
    let (server, session) = recording(recorded(folder.path(), SUITE, Some(3), &url)).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(by_base(&server, &session, "t", &json!({})).await.status, 502);
    assert_eq!(begun.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn unreachable_live_tool_is_reported_and_not_recorded() {
    let nobody = {
        let server = start().await;
        server.url()
    };
    let folder = tempfile::tempdir().unwrap();
    let (server, session) = recording(recorded(folder.path(), SUITE, Some(3), &nobody)).await;
    let answer = by_base(&server, &session, "t", &json!({})).await;
    assert_eq!(answer.status, 502);
    let error = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("`t` could not be called: could not connect to `127.0.0.1:"), "{error}");
    let without = ask(&server, "POST", "/OTHER_BASE/t", "{}").await;
    assert_eq!(without.status, 502);
    assert_eq!(without.json()["error"], "cannot forward this request: `OTHER_BASE` has no live address");
    let unfit = ask(&server, "POST", "/PAY_API_BASE/a%20b", "{}").await.json();
    assert_eq!(unfit["error"], "`a b` could not be called: its path cannot be the name of a tool in a suite");
    let odd = ask(&server, "BREW", "/PAY_API_BASE/t", "").await.json();
    assert_eq!(odd["error"], "`t` could not be called: BREW is not forwarded");
    assert_eq!(session.misses().len(), 4);
    assert!(session.save_recording(&Redactor::default()).unwrap().is_none());
    assert_eq!(std::fs::read_to_string(folder.path().join("lower.yaml")).unwrap(), SUITE);
}

#[tokio::test]
async fn live_mode_forwards_calls_and_records_nothing() {
    let (live, _live) = serve([tool("t", [for_any(json!(1))])]).await;
    let folder = tempfile::tempdir().unwrap();
    let server = start().await;
    let routes = recorded(folder.path(), SUITE, Some(3), &live.url());
    let session = open(&server, routes, Opening { mode: Mode::Live, ..Opening::default() }).unwrap();
    assert_eq!(by_base(&server, &session, "t", &json!({})).await.json(), 1);
    // There is only one live address.
    assert_eq!(ask(&server, "PUT", "/t/", "").await.json(), 1);
    assert!(session.save_recording(&Redactor::default()).unwrap().is_none());
}

#[tokio::test]
async fn hop_by_hop_headers_are_not_forwarded() {
    let seen = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let live = format!("http://{}/v1/", seen.local_addr().unwrap());
    let tool = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut stream, _) = seen.accept().await.unwrap();
        let mut bytes = vec![0; 4096];
        let read = stream.read(&mut bytes).await.unwrap();
        let answer =
            b"HTTP/1.1 200 OK\r\nconnection: close, x-hop\r\nx-hop: 1\r\nx-end: 2\r\ncontent-length: 2\r\n\r\nok";
        stream.write_all(answer).await.unwrap();
        String::from_utf8_lossy(&bytes[..read]).to_lowercase()
    });
    let folder = tempfile::tempdir().unwrap();
    let (server, _session) = recording(recorded(folder.path(), SUITE, Some(3), &live)).await;
    let headers = "x-mine: 1\r\naccept-encoding: gzip\r\nte: trailers\r\n";
    let answer = send_to(server.address(), &request("GET", "/PAY_API_BASE/a%62/?q=1", headers, b"")).await;
    assert_eq!((answer.body.as_str(), answer.header("x-end"), answer.header("x-hop")), ("ok", Some("2"), None));
    let sent = tool.await.unwrap();
    assert!(sent.starts_with("get /v1/a%62/?q=1 http/1.1\r\n"), "{sent}");
    assert!(sent.contains("x-mine: 1\r\n") && sent.contains("accept-encoding: identity\r\n"), "{sent}");
    assert!(!sent.contains("trailers") && !sent.contains("gzip"), "{sent}");
}
