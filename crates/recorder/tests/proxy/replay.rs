//! Replaying: recorded answers are returned without the servers, and nothing else is.

use std::time::{Duration, Instant};

use agentci_recorder::{
    EndKind, FinishedSession, MatchRules, OnMiss, RecorderSession, Recording, ReplayPace, SeenHow, SessionEvent,
    SessionMode, SessionOptions,
};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{client, options, record, replaying};
use crate::record::spread;
use crate::upstream::{Step, Upstream, events, json, whole};

/// Requests paths one after another, and returns the status and text of each answer; an error if it was cut off.
pub(crate) async fn ask(session: &RecorderSession, urls: &[String]) -> Vec<Result<(u16, String), ()>> {
    let client = client(session);
    let mut answers = Vec::new();
    for url in urls {
        answers.push(match client.get(url).send().await {
            Ok(answer) => {
                let status = answer.status().as_u16();
                answer.text().await.map(|text| (status, text)).map_err(|_| ())
            }
            Err(_) => Err(()),
        });
    }
    answers
}

/// The recording after it was written and read.
pub(crate) fn stored(finished: &FinishedSession) -> Recording {
    let written = finished.recording.write(&finished.secrets).unwrap();
    Recording::parse(&written.text).unwrap()
}

pub(crate) async fn replay(recording: Recording) -> RecorderSession {
    RecorderSession::start(options(replaying(recording, ReplayPace::Fast))).await.unwrap()
}

#[tokio::test]
async fn replays_recording_without_network() {
    let mut cut = events(Duration::ZERO, &["data: 1\n\n"]);
    cut.pop();
    cut.push(Step::Close);
    let scripts = [
        ("/retry", vec![whole("429 Too Many Requests", "retry-after: 1\r\n", "slow"), json("{\"ok\":true}")]),
        ("/stream", vec![events(Duration::ZERO, &["data: a\n\n", "data: b\n\n"])]),
        ("/cut", vec![cut]),
        ("/empty", vec![vec![Step::Send(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec())]]),
        ("/moved", vec![whole("302 Found", "location: /elsewhere\r\n", "")]),
    ];
    let upstream = Upstream::start(true, scripts.into()).await;
    let session = record(&upstream).await;
    let paths = ["/retry", "/retry", "/stream", "/cut", "/empty"];
    let urls: Vec<String> = paths.iter().map(|path| upstream.url(path)).collect();
    let before = ask(&session, &urls).await;
    assert_eq!(before[3], Err(()));
    let finished = session.finish().await;
    let connections = upstream.log.lock().unwrap().connections;

    let session = replay(stored(&finished)).await;
    assert_eq!(ask(&session, &urls).await, before);
    let replayed = session.finish().await;
    assert_eq!(upstream.log.lock().unwrap().connections, connections, "the replay asked the world");
    assert!(replayed.misses.is_empty(), "{:?}", replayed.misses);
    assert_eq!((replayed.tally.exact, replayed.tally.misses), (5, 0));
    assert_eq!(replayed.recording.exchanges, stored(&finished).exchanges);
}

#[tokio::test]
async fn truncated_stream_replays_bytes_before_the_cut() {
    let mut cut = events(Duration::ZERO, &["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]);
    cut.pop();
    cut.push(Step::Close);
    let upstream = Upstream::start(false, [("/cut", vec![cut])].into()).await;
    let session = record(&upstream).await;
    ask(&session, &[upstream.url("/cut")]).await;
    let session = replay(stored(&session.finish().await)).await;
    let mut answer = client(&session).get(upstream.url("/cut")).send().await.unwrap();
    let mut came = Vec::new();
    let broken = loop {
        match answer.chunk().await {
            Ok(Some(bytes)) => came.extend_from_slice(&bytes),
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    assert_eq!((String::from_utf8_lossy(&came).as_ref(), broken), ("data: 1\n\ndata: 2\n\ndata: 3\n\n", true));
}

#[tokio::test]
async fn unrecorded_request_is_a_miss_and_not_forwarded() {
    let upstream = Upstream::start(false, [("/a", vec![json("{}")]), ("/b", vec![json("{}")])].into()).await;
    let session = record(&upstream).await;
    ask(&session, &[upstream.url("/a")]).await;
    let recording = stored(&session.finish().await);
    let connections = upstream.log.lock().unwrap().connections;
    let (observer, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let mode = replaying(recording, ReplayPace::Fast);
    let session = RecorderSession::start(SessionOptions { observer: Some(observer), ..options(mode) }).await.unwrap();
    let answer = client(&session).get(upstream.url("/b?key=gm-live-0123456789")).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.headers()["x-should-retry"].to_str().unwrap()), (400, "false"));
    let text = answer.text().await.unwrap();
    assert!(text.contains("not in the recording") && !text.contains("live-0123"), "{text}");
    let finished = session.finish().await;
    assert_eq!(upstream.log.lock().unwrap().connections, connections);
    assert_eq!((finished.misses.len(), finished.tally.misses), (1, 1));
    assert!(!format!("{finished:?}").contains("live-0123"), "{finished:?}");
    assert!(matches!(seen.recv().await, Some(SessionEvent::Miss(_))));
}

#[tokio::test]
async fn oversized_exchanges_are_misses() {
    let lines = [
        r#"{"v":2,"type":"recording","command":[],"now_ms":1,"roots":{"cwd":"/work"},"keys":[]}"#,
        r#"{"type":"request","id":1,"at_us":0,"to":"http://api.example.com","method":"GET","path":"/big","headers":{}}"#,
        r#"{"type":"response","id":1,"at_us":1,"status":200}"#,
        r#"{"type":"end","id":1,"at_us":9,"how":"too_large"}"#,
        r#"{"type":"request","id":2,"at_us":0,"to":"http://api.example.com","method":"POST","path":"/up","headers":{},"too_large":40000000}"#,
        r#"{"type":"response","id":2,"at_us":1,"status":200}"#,
        r#"{"type":"end","id":2,"at_us":9,"how":"closed"}"#,
    ];
    let session = replay(Recording::parse(&(lines.join("\n") + "\n")).unwrap()).await;
    assert!(matches!(ask(&session, &["http://api.example.com/big".into()]).await[..], [Ok((400, _))]));
    let upload = bytes::Bytes::from(vec![b'y'; 40_000_000]);
    let _ = client(&session).post("http://api.example.com/up").body(upload).send().await;
    let finished = session.finish().await;
    assert_eq!(finished.misses.len(), 2, "{:?}", finished.misses);
    for miss in &finished.misses {
        let told = miss.explain("x.jsonl", Some("agentci record --update"));
        assert!(miss.reason.contains("too large to be"), "{told}");
        assert!(told.contains("does not help") && told.contains("--allow api.example.com"), "{told}");
        assert!(!told.contains("--update"), "{told}");
    }
    assert_eq!((finished.tally.exact, finished.tally.with_holes, finished.tally.misses), (0, 0, 2));
}

#[tokio::test]
async fn records_misses() {
    let upstream = Upstream::start(false, [("/a", vec![json("1")]), ("/b", vec![json("2")])].into()).await;
    let session = record(&upstream).await;
    ask(&session, &[upstream.url("/a")]).await;
    let recording = stored(&session.finish().await);
    let mode = SessionMode::Replay {
        recording,
        rules: MatchRules::default(),
        on_miss: OnMiss::Record,
        pace: ReplayPace::Fast,
    };
    let session = RecorderSession::start(options(mode)).await.unwrap();
    ask(&session, &[upstream.url("/b"), upstream.url("/a")]).await;
    let finished = session.finish().await;
    assert!(finished.misses.is_empty());
    let both = ["/a", "/b"].map(|path| upstream.url(path));
    let paths: Vec<(u64, &str)> =
        finished.recording.exchanges.iter().map(|exchange| (exchange.id, exchange.request.path.as_str())).collect();
    assert_eq!(paths, [(1, "/a"), (2, "/b")]);
    let session = replay(stored(&finished)).await;
    let answers = ask(&session, &both).await;
    assert_eq!(answers, [Ok((200, "1".into())), Ok((200, "2".into()))]);
}

#[tokio::test]
async fn parallel_requests_get_their_own_responses() {
    let prompts: Vec<String> = (0..50).map(|number| format!("You are agent {number}.")).collect();
    let recorded = Recording::parse(&many(&prompts)).unwrap();
    let session = replay(recorded).await;
    let client = client(&session);
    let ask = |prompt: &str| {
        let body = json!({ "model": "m", "messages": [{ "role": "system", "content": prompt }, { "role": "user", "content": "go" }] });
        let request =
            client.post("https://api.example.com/v1/chat/completions").header("content-type", "application/json");
        let request = request.body(body.to_string());
        async move { request.send().await.unwrap().text().await.unwrap() }
    };
    // Shuffled: 7 and 50 have no common divisor.
    let order: Vec<usize> = (0..50).map(|number| number * 7 % 50).collect();
    let mut tasks = Vec::new();
    for at in &order {
        tasks.push(tokio::spawn(ask(&prompts[*at])));
    }
    for (at, task) in order.iter().zip(tasks) {
        assert_eq!(task.await.unwrap(), format!("{{\"answer\":{at}}}"));
    }
    let finished = session.finish().await;
    assert_eq!((finished.tally.exact, finished.tally.misses), (50, 0));
}

/// A recording of one call for each prompt.
fn many(prompts: &[String]) -> String {
    let mut lines =
        vec![json!({ "v": 2, "type": "recording", "command": [], "now_ms": 1, "roots": { "cwd": "/" }, "keys": [] })];
    for (at, prompt) in prompts.iter().enumerate() {
        let (id, at_us) = (at + 1, at * 10);
        let messages = json!([{ "role": "system", "content": prompt }, { "role": "user", "content": "go" }]);
        lines.push(json!({ "type": "request", "id": id, "at_us": at_us, "to": "https://api.example.com", "method": "POST", "path": "/v1/chat/completions", "speaks": "openai.chat", "headers": { "content-type": "application/json" }, "json": { "model": "m", "messages": messages } }));
        lines.push(json!({ "type": "response", "id": id, "at_us": at_us + 1, "status": 200, "headers": { "content-type": "application/json" } }));
        lines.push(json!({ "type": "frame", "id": id, "at_us": at_us + 2, "text": format!("{{\"answer\":{at}}}") }));
        lines.push(json!({ "type": "end", "id": id, "at_us": at_us + 3, "how": "closed" }));
    }
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

#[tokio::test]
async fn replays_at_recorded_pace() {
    let (pause, pieces) = (Duration::from_millis(30), ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"].repeat(6));
    let upstream = Upstream::start(false, [("/s", vec![events(pause, &pieces)])].into()).await;
    let session = record(&upstream).await;
    ask(&session, &[upstream.url("/s")]).await;
    let finished = session.finish().await;
    let recording = stored(&finished);
    let session = RecorderSession::start(options(replaying(recording.clone(), ReplayPace::Times(1.0)))).await.unwrap();
    let client = client(&session);
    let began = Instant::now();
    let mut answer = client.get(upstream.url("/s")).send().await.unwrap();
    let mut moments = Vec::new();
    while let Some(chunk) = answer.chunk().await.unwrap() {
        moments.push((chunk, began.elapsed()));
    }
    let exchange = &recording.exchanges[0];
    let frames = &exchange.response.as_ref().unwrap().frames;
    let whole = |pieces: Vec<&[u8]>| pieces.concat();
    assert_eq!(
        whole(moments.iter().map(|(chunk, _)| &chunk[..]).collect()),
        whole(frames.iter().map(|it| &it.bytes[..]).collect())
    );
    // Two pieces may reach a busy client at once, so each is searched where it ended.
    let mut ended =
        moments.iter().flat_map(|(chunk, moment)| chunk.windows(2).filter(|it| it == b"\n\n").map(|_| *moment));
    let late = frames.iter().map(|frame| {
        let recorded = Duration::from_micros(frame.at_us - exchange.request.at_us);
        let moment = ended.next().unwrap();
        assert!(moment + Duration::from_millis(2) >= recorded, "{moment:?} is before {recorded:?}");
        moment.abs_diff(recorded)
    });
    // The time to connect is the same for all.
    let late: Vec<Duration> = late.collect();
    let least = *late.iter().min().unwrap();
    let (median, worst) = spread(late.iter().map(|it| it.abs_diff(least)));
    assert!(median < Duration::from_millis(10) && worst < Duration::from_secs(1), "{median:?}, at worst {worst:?}");
    drop(session);
    let session = replay(recording).await;
    let began = Instant::now();
    ask(&session, &[upstream.url("/s")]).await;
    assert!(began.elapsed() < pause * 17, "{:?}", began.elapsed());
}

#[tokio::test]
async fn placeholder_keys_match_recorded_requests() {
    let key = "sk-live-0123456789";
    let upstream = Upstream::start(false, [("/v1/models", vec![json("{}")])].into()).await;
    let environment = vec![("SHOP_KEY".to_owned(), key.to_owned())];
    let session = RecorderSession::start(SessionOptions { environment, ..options(SessionMode::Record) }).await.unwrap();
    let url = |key: &str| upstream.url(&format!("/v1/models?key={key}"));
    client(&session).get(url(key)).header("authorization", format!("Bearer {key}")).send().await.unwrap();
    let finished = session.finish().await;
    let text = finished.recording.write(&finished.secrets).unwrap().text;
    assert!(!text.contains(key), "{text}");
    let session = replay(Recording::parse(&text).unwrap()).await;
    let variables = session.environment();
    let (_, placeholder) = variables.iter().find(|(name, _)| name == "SHOP_KEY").unwrap();
    assert_eq!(placeholder, "agentci-placeholder");
    assert_eq!(ask(&session, &[url(placeholder)]).await, [Ok((200, "{}".into()))]);
    assert_eq!(session.finish().await.misses, []);
}

#[tokio::test]
async fn reports_each_exchange_once_in_completion_order() {
    let slow = vec![Step::Wait(Duration::from_millis(300)), json("1").remove(0)];
    let upstream = Upstream::start(false, [("/slow", vec![slow]), ("/fast", vec![json("2")])].into()).await;
    let (observer, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let session = RecorderSession::start(SessionOptions { observer: Some(observer), ..options(SessionMode::Record) })
        .await
        .unwrap();
    let client = client(&session);
    let slow = tokio::spawn(client.get(upstream.url("/slow")).send());
    while upstream.heads().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    client.get(upstream.url("/fast")).send().await.unwrap();
    slow.await.unwrap().unwrap();
    let recording = session.finish().await.recording;
    let mut told = Vec::new();
    while let Some(SessionEvent::Exchange(exchange, SeenHow::Live)) = seen.recv().await {
        told.push((exchange.id, exchange.request.path.clone()));
    }
    assert_eq!(told, [(2, "/fast".to_owned()), (1, "/slow".to_owned())]);
    assert_eq!(recording.exchanges.iter().map(|exchange| exchange.id).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn replays_unreachable_server() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://localhost:{}/v1", listener.local_addr().unwrap().port());
    let session = RecorderSession::start(options(SessionMode::Record)).await.unwrap();
    drop(listener);
    let before = ask(&session, std::slice::from_ref(&url)).await;
    let finished = session.finish().await;
    assert!(matches!(finished.recording.exchanges[0].end.how, EndKind::Unreachable(_)));
    let session = replay(stored(&finished)).await;
    assert_eq!(ask(&session, &[url]).await, before);
}

#[tokio::test]
async fn refuses_unrecorded_connections_as_misses() {
    let upstream = Upstream::start(false, [("/a", vec![json("{}")])].into()).await;
    let mode = replaying(Recording::default(), ReplayPace::Fast);
    let session =
        RecorderSession::start(SessionOptions { pass: vec!["passed.example".into()], ..options(mode) }).await.unwrap();
    let to = format!("localhost:{}", upstream.address.port());
    for (to, first) in
        [("passed.example:443", ""), (to.as_str(), "SSH-2.0-x\r\n"), (to.as_str(), "PRI * HTTP/2.0\r\n\r\n")]
    {
        let mut stream = TcpStream::connect(session.address()).await.unwrap();
        stream.write_all(format!("CONNECT {to} HTTP/1.1\r\n\r\n{first}").as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        if first.is_empty() {
            let _ = tokio::time::timeout(Duration::from_millis(300), read).await;
            let text = String::from_utf8_lossy(&answer);
            assert!(text.starts_with("HTTP/1.1 403") && text.contains("passed through unread"), "{text}");
        } else {
            tokio::time::timeout(Duration::from_secs(3), read).await.expect("it was not refused").ok();
        }
    }
    let finished = session.finish().await;
    assert_eq!(upstream.log.lock().unwrap().connections, 0);
    let reasons: Vec<&str> = finished.misses.iter().map(|miss| miss.reason.as_str()).collect();
    assert!(reasons[0].contains("passed through unread") && reasons[1].contains("other than HTTP"), "{reasons:?}");
    assert!(reasons[2].contains("HTTP/2"), "{reasons:?}");
    assert_eq!(finished.tally.misses, 3);
}
