//! Waits of minutes, with a clock that does not wait.

use agentci_recorder::{How, Pace, Recording, Session};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::client::{client, options, replaying};

#[tokio::test(start_paused = true)]
async fn a_handshake_that_stops_half_way_is_not_waited_for() {
    let session = Session::start(options(agentci_recorder::Mode::Record)).await.unwrap();
    let mut stream = TcpStream::connect(session.address()).await.unwrap();
    stream.write_all(b"CONNECT api.example.com:443 HTTP/1.1\r\n\r\n").await.unwrap();
    let mut head = [0; 128];
    let length = stream.read(&mut head).await.unwrap();
    assert!(head[..length].starts_with(b"HTTP/1.1 200"));
    // A record of TLS that says it is longer.
    stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").await.unwrap();
    let began = Instant::now();
    let _ = stream.read_to_end(&mut Vec::new()).await;
    assert_eq!(began.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_got_no_answer_gets_none_again_but_not_for_ever() {
    let lines = [
        r#"{"v":2,"type":"recording","command":[],"now_ms":1,"roots":{"cwd":"/work"},"keys":[]}"#,
        r#"{"type":"request","id":1,"at_us":0,"to":"http://api.example.com","method":"GET","path":"/a","headers":{}}"#,
        r#"{"type":"end","id":1,"at_us":9,"how":"left"}"#,
    ];
    let recording = Recording::parse(&(lines.join("\n") + "\n")).unwrap();
    assert_eq!(recording.exchanges[0].end.how, How::Left);
    let session = Session::start(options(replaying(recording, Pace::Fast))).await.unwrap();
    let began = Instant::now();
    let answer = client(&session).get("http://api.example.com/a").send().await.unwrap();
    assert_eq!((answer.status().as_u16(), began.elapsed().as_secs()), (504, 600));
    assert!(session.finish().await.misses.is_empty());
}
