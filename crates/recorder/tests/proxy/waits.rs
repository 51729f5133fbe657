//! Timeouts of minutes, with a paused clock.

use agentci_recorder::{EndKind, RecorderSession, Recording, Remedy, ReplayPace};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::client::{client, options, replaying};

#[tokio::test(start_paused = true)]
async fn tls_handshake_has_a_timeout() {
    let session = RecorderSession::start(options(agentci_recorder::SessionMode::Record)).await.unwrap();
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    stream.write_all(b"CONNECT api.example.com:443 HTTP/1.1\r\n\r\n").await.unwrap();
    let mut head = [0; 128];
    let length = stream.read(&mut head).await.unwrap();
    assert!(head[..length].starts_with(b"HTTP/1.1 200"));
    // A TLS record that claims to be longer.
    stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").await.unwrap();
    let began = Instant::now();
    let _ = stream.read_to_end(&mut Vec::new()).await;
    assert_eq!(began.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn unanswered_request_times_out_in_replay() {
    let lines = [
        r#"{"v":2,"type":"recording","command":[],"now_ms":1,"roots":{"cwd":"/work"},"keys":[]}"#,
        r#"{"type":"request","id":1,"at_us":0,"to":"http://api.example.com","method":"GET","path":"/a","headers":{}}"#,
        r#"{"type":"end","id":1,"at_us":9,"how":"left"}"#,
    ];
    let recording = Recording::parse(&(lines.join("\n") + "\n")).unwrap();
    assert_eq!(recording.exchanges[0].end.how, EndKind::Left);
    let session = RecorderSession::start(options(replaying(recording, ReplayPace::Fast))).await.unwrap();
    let began = Instant::now();
    let answer = client(&session).get("http://api.example.com/a").send().await.unwrap();
    assert_eq!((answer.status().as_u16(), began.elapsed().as_secs()), (504, 600));
    assert!(session.finish().await.misses.is_empty());
}

/// The client of a database waits for the server to send first, and would wait until its own timeout.
#[tokio::test(start_paused = true)]
async fn disconnects_silent_client_and_suggests_a_fix() {
    let session = RecorderSession::start(options(replaying(Recording::default(), ReplayPace::Fast))).await.unwrap();
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    stream.write_all(b"CONNECT db.example.com:5432 HTTP/1.1\r\n\r\n").await.unwrap();
    let began = Instant::now();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    assert_eq!(began.elapsed().as_secs(), 1);
    let misses = session.finish().await.misses;
    assert_eq!(misses[0].asked, "CONNECT db.example.com:5432");
    assert_eq!(misses[0].remedy, Some(Remedy::Allow("db.example.com:5432".into())));
    let told = misses[0].explain("x.jsonl", Some("agentci record --update"));
    assert!(told.contains("`--allow db.example.com:5432`") && !told.contains("--update"), "{told}");
}

/// A client may open a connection long before its first request.
#[tokio::test(start_paused = true)]
async fn client_of_recorded_server_can_stay_silent() {
    let lines = [
        r#"{"v":2,"type":"recording","command":[],"now_ms":1,"roots":{"cwd":"/work"},"keys":[]}"#,
        r#"{"type":"request","id":1,"at_us":0,"to":"http://api.example.com:8080","method":"GET","path":"/a","headers":{}}"#,
        r#"{"type":"response","id":1,"at_us":1,"status":204}"#,
        r#"{"type":"end","id":1,"at_us":9,"how":"closed"}"#,
    ];
    let recording = Recording::parse(&(lines.join("\n") + "\n")).unwrap();
    let session = RecorderSession::start(options(replaying(recording, ReplayPace::Fast))).await.unwrap();
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    stream.write_all(b"CONNECT api.example.com:8080 HTTP/1.1\r\n\r\n").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_mins(1)).await;
    stream.write_all(b"GET /a HTTP/1.1\r\nhost: api.example.com:8080\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.contains("HTTP/1.1 204"), "{answer}");
    assert!(session.finish().await.misses.is_empty());
}
