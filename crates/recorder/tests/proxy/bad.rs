//! Error cases: cut streams, clients that disconnect or do not trust us, missing servers, large bodies.

use std::time::Duration;

use agentci_recorder::{EndKind, RecordedBody, RecorderSession, SessionMode, SessionOptions};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{client, options, record, words};
use crate::upstream::{Step, Upstream, chunk, events, json, whole};

#[tokio::test]
async fn refused_request_and_retry_are_two_exchanges() {
    let answers = vec![whole("429 Too Many Requests", "retry-after: 1\r\n", "slow"), json("{}")];
    let upstream = Upstream::start(true, [("/v1", answers)].into()).await;
    let session = record(&upstream).await;
    let client = client(&session);
    assert_eq!(client.get(upstream.url("/v1")).send().await.unwrap().headers()["retry-after"], "1");
    assert_eq!(client.get(upstream.url("/v1")).send().await.unwrap().status(), 200);
    let exchanges = session.finish().await.recording.exchanges;
    let statuses: Vec<u16> = exchanges.iter().map(|exchange| exchange.response.as_ref().unwrap().status).collect();
    assert_eq!(statuses, [429, 200]);
    assert_eq!(exchanges[0].response.as_ref().unwrap().headers, [("retry-after".to_owned(), "1".to_owned())]);
}

#[tokio::test]
async fn truncated_stream_is_truncated_for_the_client() {
    let mut steps = events(Duration::ZERO, &["data: 1\n\n", "data: 2"]);
    steps.pop();
    steps.push(Step::Close);
    let upstream = Upstream::start(true, [("/s", vec![steps])].into()).await;
    let session = record(&upstream).await;
    let answer = client(&session).get(upstream.url("/s")).send().await.unwrap();
    assert!(answer.bytes().await.is_err());
    let exchange = session.finish().await.recording.exchanges.remove(0);
    assert!(matches!(&exchange.end.how, EndKind::Broken(words) if !words.is_empty()), "{:?}", exchange.end);
    let frames = exchange.response.unwrap().frames;
    assert_eq!(frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>(), [&b"data: 1\n\n"[..], b"data: 2"]);
}

#[tokio::test]
async fn client_disconnect_ends_the_request() {
    let many = vec!["data: 1\n\n"; 500];
    let upstream = Upstream::start(false, [("/s", vec![events(Duration::from_millis(10), &many)])].into()).await;
    let session = record(&upstream).await;
    let mut answer = client(&session).get(upstream.url("/s")).send().await.unwrap();
    answer.chunk().await.unwrap().unwrap();
    drop(answer);
    let finished = session.finish().await;
    assert_eq!(finished.recording.exchanges[0].end.how, EndKind::Left);
    let log = std::sync::Arc::clone(&upstream.log);
    let noticed = async {
        while log.lock().unwrap().left == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(3), noticed).await.expect("the server was not told");
}

#[tokio::test]
async fn stalled_client_does_not_block_finish() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 50000000\r\n\r\n".to_vec();
    let script = vec![Step::Send(head), Step::Send(vec![b'x'; 50_000_000])];
    let upstream = Upstream::start(false, [("/big", vec![script])].into()).await;
    let session = record(&upstream).await;
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    let text = format!("GET {} HTTP/1.1\r\nhost: x\r\n\r\n", upstream.url("/big"));
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.read_u8().await.unwrap();
    let finished = tokio::time::timeout(Duration::from_secs(8), session.finish()).await.expect("it hung");
    assert_eq!(finished.recording.exchanges[0].end.how, EndKind::Left);
}

#[tokio::test]
async fn oversized_bodies_are_forwarded_but_not_recorded() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n".to_vec();
    let script = vec![Step::Send(head), Step::Send(vec![b'x'; 100_000_000])];
    let upstream = Upstream::start(false, [("/big", vec![script])].into()).await;
    let session = record(&upstream).await;
    let sent = bytes::Bytes::from(vec![b'y'; 40_000_000]);
    let mut answer = client(&session).post(upstream.url("/big")).body(sent).send().await.unwrap();
    let mut length = 0;
    while let Some(chunk) = answer.chunk().await.unwrap() {
        length += chunk.len();
    }
    assert_eq!(length, 100_000_000);
    assert_eq!(upstream.log.lock().unwrap().received[0].body.len(), 40_000_000);
    let mut finished = session.finish().await;
    let warnings = words(&finished.warnings);
    let place = upstream.url("/big");
    let said = |what: &str| format!("{what} POST {place} is too large to be recorded; in a replay it will be missing");
    assert_eq!(warnings, [said("the answer to"), said("the request")]);
    let exchange = finished.recording.exchanges.remove(0);
    assert_eq!(exchange.request.body, RecordedBody::TooLarge { bytes: 40_000_000 });
    assert_eq!(exchange.end.how, EndKind::TooLarge);
    assert!(exchange.response.unwrap().frames.is_empty());
}

#[tokio::test]
async fn compressed_response_is_forwarded_and_recorded_unchanged() {
    let answer = whole("200 OK", "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n", "\u{1}a\n\nb\n\n");
    let upstream = Upstream::start(true, [("/z", vec![answer])].into()).await;
    let session = record(&upstream).await;
    let answer = client(&session).get(upstream.url("/z")).send().await.unwrap();
    assert_eq!(answer.headers()["content-encoding"], "gzip");
    assert_eq!(&answer.bytes().await.unwrap()[..], b"\x01a\n\nb\n\n");
    let response = session.finish().await.recording.exchanges.remove(0).response.unwrap();
    assert_eq!(response.frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>().concat(), b"\x01a\n\nb\n\n");
    assert!(response.headers.contains(&("content-encoding".into(), "gzip".into())));
}

#[tokio::test]
async fn warns_about_response_that_cannot_be_searched_for_secrets() {
    for (encoding, warned) in [("br", true), ("zstd", true), ("gzip", false), ("identity", false)] {
        let head = format!("content-encoding: {encoding}\r\n");
        let upstream = Upstream::start(false, [("/z", vec![whole("200 OK", &head, "xyz")])].into()).await;
        let session = record(&upstream).await;
        client(&session).get(upstream.url("/z")).send().await.unwrap().bytes().await.unwrap();
        assert!(upstream.heads()[0].contains("accept-encoding: identity"), "{:?}", upstream.heads());
        let warnings = words(&session.finish().await.warnings);
        let named = format!("is compressed with `{encoding}`");
        assert_eq!(warnings.iter().any(|warning| warning.contains(&named)), warned, "{warnings:?}");
        assert_eq!(warnings.len(), usize::from(warned), "{warnings:?}");
    }
}

#[tokio::test]
async fn untrusted_server_is_reported_with_a_fix() {
    let upstream = Upstream::start(true, [("/x", vec![json("{}")])].into()).await;
    let session = RecorderSession::start(options(SessionMode::Record)).await.unwrap();
    for _ in 0..2 {
        assert_eq!(client(&session).get(upstream.url("/x")).send().await.unwrap().status(), 502);
    }
    let warnings = words(&session.finish().await.warnings);
    assert!(
        matches!(&warnings[..], [one] if one.starts_with("localhost cannot be reached: ")
            && one.contains("`SSL_CERT_FILE`") && one.ends_with("(2 times)")),
        "{warnings:?}"
    );
}

/// Sends bytes through a tunnel and reads until the server closes.
async fn through_tunnel(session: &RecorderSession, to: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    stream.write_all(format!("CONNECT {to} HTTP/1.1\r\nhost: {to}\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    if !head.starts_with(b"HTTP/1.1 200") {
        let _ = stream.read_to_end(&mut head).await;
        return String::from_utf8_lossy(&head).into_owned();
    }
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn records_plain_http_in_a_tunnel() {
    let upstream = Upstream::start(false, [("/p", vec![json("{}")])].into()).await;
    let session = record(&upstream).await;
    let to = format!("localhost:{}", upstream.address.port());
    let text = format!("GET /p HTTP/1.1\r\nHost: {to}\r\nUser-Agent: a\r\nUser-Agent: b\r\nConnection: close\r\n\r\n");
    let answer = through_tunnel(&session, &to, &text).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("{}"), "{answer}");
    assert!(upstream.heads()[0].contains("user-agent: a\r\nuser-agent: b\r\n"), "{:?}", upstream.heads());
    let exchange = session.finish().await.recording.exchanges.remove(0);
    assert_eq!(exchange.request.origin, format!("http://localhost:{}", upstream.address.port()));
}

#[tokio::test]
async fn refuses_responses_websocket_and_reports_other_websockets() {
    let switch = b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n".to_vec();
    let upstream = Upstream::start(false, [("/ws", vec![vec![Step::Send(switch), Step::Echo]])].into()).await;
    let session = record(&upstream).await;
    let to = format!("localhost:{}", upstream.address.port());
    let ask = |path: &str, rest: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: {to}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n{rest}")
    };
    let refused = through_tunnel(&session, &to, &ask("/v1/responses", "")).await;
    assert!(refused.starts_with("HTTP/1.1 426 "), "{refused}");
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    let opening = format!("CONNECT {to} HTTP/1.1\r\n\r\n{}", ask("/ws", ""));
    stream.write_all(opening.as_bytes()).await.unwrap();
    let mut seen = String::new();
    while !seen.contains("HTTP/1.1 101") || !seen.ends_with("\r\n\r\n") {
        seen.push(stream.read_u8().await.unwrap().into());
    }
    stream.write_all(b"hello").await.unwrap();
    let mut echoed = [0; 5];
    stream.read_exact(&mut echoed).await.unwrap();
    assert_eq!(&echoed, b"hello");
    drop(stream);
    let finished = session.finish().await;
    assert!(finished.recording.exchanges.is_empty());
    let words = words(&finished.warnings);
    assert!(words.iter().any(|warning| warning.contains("WebSocket") && warning.contains("/ws")), "{words:?}");
}

#[tokio::test]
async fn reports_client_that_does_not_trust_the_recorder() {
    let upstream = Upstream::start(true, [("/x", vec![json("{}")])].into()).await;
    let session = record(&upstream).await;
    let proxy = reqwest::Proxy::all(format!("http://{}", session.address())).unwrap();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = reqwest::Certificate::from_pem(upstream.roots.as_ref().unwrap()).unwrap();
    let stranger = reqwest::Client::builder().proxy(proxy).tls_certs_only([root]).build().unwrap();
    assert!(stranger.get(upstream.url("/x")).send().await.is_err());
    let finished = session.finish().await;
    assert_eq!(finished.bypassed.len(), 1, "{:?}", finished.bypassed);
    assert_eq!(finished.bypassed[0].reason, "does not trust the recorder for localhost");
    assert_eq!(upstream.log.lock().unwrap().connections, 0);
}

#[tokio::test]
async fn reports_client_that_uses_only_http2() {
    let upstream = Upstream::start(true, [("/x", vec![json("{}")])].into()).await;
    let session = record(&upstream).await;
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    let to = format!("localhost:{}", upstream.address.port());
    stream.write_all(format!("CONNECT {to} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = [0; 64];
    let length = stream.read(&mut head).await.unwrap();
    assert!(head[..length].starts_with(b"HTTP/1.1 200"));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(pem(&session.ca_pem())).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    assert!(connector.connect("localhost".try_into().unwrap(), stream).await.is_err());
    let finished = session.finish().await;
    assert!(finished.bypassed[0].reason.starts_with("uses only HTTP/2"), "{:?}", finished.bypassed);
}

fn pem(text: &str) -> rustls::pki_types::CertificateDer<'static> {
    use base64::Engine as _;
    let body: String = text.lines().filter(|line| !line.starts_with("--")).collect();
    base64::engine::general_purpose::STANDARD.decode(body).unwrap().into()
}

#[tokio::test]
async fn unreachable_server_is_reported_without_the_key() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let session = RecorderSession::start(options(SessionMode::Record)).await.unwrap();
    drop(listener);
    let answer =
        client(&session).get(format!("http://localhost:{port}/v1?key=gm-live-0123456789")).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.headers()["x-should-retry"].to_str().unwrap()), (502, "false"));
    let text = answer.text().await.unwrap();
    assert!(text.contains("localhost cannot be reached") && !text.contains("live"), "{text}");
    let mut finished = session.finish().await;
    let warnings = words(&finished.warnings);
    assert!(warnings.len() == 1 && warnings[0].starts_with("localhost cannot be reached: "), "{warnings:?}");
    assert!(!warnings[0].contains("SSL_CERT_FILE"), "{warnings:?}");
    let exchange = finished.recording.exchanges.remove(0);
    assert!(
        matches!(&exchange.end.how, EndKind::Unreachable(words) if text.contains(words.as_str())),
        "{:?}",
        exchange.end
    );
}

#[tokio::test]
async fn does_not_record_agent_ports_and_passed_hosts() {
    let world = Upstream::start(true, [("/x", vec![json("{}")])].into()).await;
    let pass = SessionOptions { pass: vec!["local*".into()], ..options(SessionMode::Record) };
    let session = RecorderSession::start(pass).await.unwrap();
    let own = Upstream::start(false, [("/y", vec![json("{}")])].into()).await;
    assert_eq!(client(&session).get(own.url("/y")).send().await.unwrap().status(), 200);
    // A tunnel that is not read shows the server's own certificate.
    let proxy = reqwest::Proxy::all(format!("http://{}", session.address())).unwrap();
    let root = reqwest::Certificate::from_pem(world.roots.as_ref().unwrap()).unwrap();
    let direct = reqwest::Client::builder().proxy(proxy).tls_certs_only([root]).build().unwrap();
    assert_eq!(direct.get(world.url("/x")).send().await.unwrap().status(), 200);
    drop(direct);
    let finished = session.finish().await;
    assert!(finished.recording.exchanges.is_empty());
    let words = words(&finished.warnings);
    let passed = |warning: &String| warning.starts_with("localhost was passed through unread: 1 connection, ");
    assert!(words.len() == 1 && words.iter().all(passed), "{words:?}");
}

#[tokio::test]
async fn forwards_nothing_after_upstream_is_closed() {
    let upstream = Upstream::start(false, [("/x", vec![json("{}")])].into()).await;
    let session = record(&upstream).await;
    session.close_upstream("the budget is used up");
    let answer = client(&session).get(upstream.url("/x")).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    assert!(answer.text().await.unwrap().contains("the budget is used up"));
    let finished = session.finish().await;
    assert_eq!(upstream.log.lock().unwrap().connections, 0);
    assert_eq!(words(&finished.warnings), ["requests were refused: the budget is used up"]);
}

#[tokio::test]
async fn event_split_over_chunks_is_one_event() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let pause = Step::Wait(Duration::from_millis(20));
    let script = vec![
        Step::Send(head.as_bytes().to_vec()),
        Step::Send(chunk("data: a")),
        pause,
        Step::Send(chunk("b\n\nda")),
        Step::Send(chunk("ta: c\n\n")),
        Step::Send(b"0\r\n\r\n".to_vec()),
    ];
    let upstream = Upstream::start(true, [("/s", vec![script])].into()).await;
    let session = record(&upstream).await;
    assert_eq!(
        client(&session).get(upstream.url("/s")).send().await.unwrap().text().await.unwrap(),
        "data: ab\n\ndata: c\n\n"
    );
    let frames = session.finish().await.recording.exchanges.remove(0).response.unwrap().frames;
    assert_eq!(frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>(), [&b"data: ab\n\n"[..], b"data: c\n\n"]);
}

#[tokio::test]
async fn refuses_too_many_headers() {
    let upstream = Upstream::start(false, [("/p", vec![json("{}")])].into()).await;
    let session = record(&upstream).await;
    let to = format!("localhost:{}", upstream.address.port());
    let many = "x-many: 1\r\n".repeat(501);
    let answer = through_tunnel(&session, &to, &format!("GET /p HTTP/1.1\r\n{many}\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    assert_eq!(upstream.log.lock().unwrap().connections, 0);
}
