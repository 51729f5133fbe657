//! Recording: answers are passed on as they arrive, and kept byte for byte.

use std::time::{Duration, Instant};

use agentci_recorder::{EndKind, RecordedBody};
use serde_json::json;

use crate::client::{client, record, words};
use crate::replay::replay;
use crate::upstream::{Upstream, events, json, whole};

const EVENTS: [&str; 7] = [
    "data: 1\n\n",
    "event: two\ndata: 2\n\n",
    ": ping\n\n",
    "data: 4\r\n\r\n",
    "data: 5\ndata: 5b\n\n",
    "data: 6\n\n",
    "data: [DONE]\n\n",
];

#[tokio::test]
async fn records_request_over_tls() {
    let answer =
        whole("200 OK", "content-type: application/json\r\nset-cookie: a=b\r\nx-ratelimit-left: 7\r\n", "{\"a\":1}");
    let upstream = Upstream::start(true, [("/v1/chat/completions", vec![answer])].into()).await;
    let session = record(&upstream).await;
    let request = client(&session).post(upstream.url("/v1/chat/completions?x=1"));
    let request = request.header("content-type", "application/json").header("x-mine", "1").body("{\"n\": 1.50}");
    assert_eq!(request.send().await.unwrap().text().await.unwrap(), "{\"a\":1}");
    let finished = session.finish().await;

    let [exchange] = &finished.recording.exchanges[..] else { panic!("{:?}", finished.recording.exchanges) };
    assert_eq!((exchange.id, exchange.request.method.as_str()), (1, "POST"));
    assert_eq!(exchange.request.origin, format!("https://localhost:{}", upstream.address.port()));
    assert_eq!(exchange.request.path, "/v1/chat/completions?x=1");
    let RecordedBody::Json(body) = &exchange.request.body else { panic!("{:?}", exchange.request.body) };
    assert_eq!(body.to_string(), "{\"n\":1.50}");
    let names: Vec<&str> = exchange.request.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-type", "accept"]);
    let response = exchange.response.as_ref().unwrap();
    let kept = [("content-type", "application/json"), ("x-ratelimit-left", "7")];
    assert_eq!(response.headers, kept.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(response.frames.iter().flat_map(|frame| frame.bytes.to_vec()).collect::<Vec<u8>>(), b"{\"a\":1}");
    assert_eq!(exchange.end.how, EndKind::Closed);
    assert!(upstream.heads()[0].contains("x-mine: 1\r\n"), "{:?}", upstream.heads());
    assert!(upstream.heads()[0].contains("accept-encoding: identity\r\n"), "{:?}", upstream.heads());
}

#[tokio::test]
async fn forwards_events_immediately_and_records_their_times() {
    let sent_events = EVENTS.repeat(4);
    let upstream = Upstream::start(true, [("/s", vec![events(Duration::from_millis(25), &sent_events)])].into()).await;
    let session = record(&upstream).await;
    let mut answer = client(&session).get(upstream.url("/s")).send().await.unwrap();
    let first = answer.chunk().await.unwrap().unwrap();
    let seen = Instant::now();
    assert_eq!(&first[..], EVENTS[0].as_bytes());
    while answer.chunk().await.unwrap().is_some() {}
    let sent = upstream.log.lock().unwrap().sent.clone();
    assert!(seen < sent[sent.len() / 2], "the first event came after half of them were sent");
    let finished = session.finish().await;

    let response = finished.recording.exchanges[0].response.as_ref().unwrap();
    let frames: Vec<&[u8]> = response.frames.iter().map(|frame| &frame.bytes[..]).collect();
    assert_eq!(frames, sent_events.iter().map(|event| event.as_bytes()).collect::<Vec<_>>());
    // Compares gaps between times, since the two clocks begin at different times.
    let gaps = response.frames.windows(2).enumerate().map(|(index, pair)| {
        let recorded = Duration::from_micros(pair[1].at_us - pair[0].at_us);
        recorded.abs_diff(sent[index + 2] - sent[index + 1])
    });
    let (median, worst) = spread(gaps);
    assert!(median < Duration::from_millis(5) && worst < Duration::from_secs(1), "{median:?}, at worst {worst:?}");
}

/// The median and the maximum of some times. On a busy machine, single ones are always late.
pub(crate) fn spread(times: impl Iterator<Item = Duration>) -> (Duration, Duration) {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() - 1])
}

#[tokio::test]
async fn recognizes_conversation_by_its_messages() {
    let path = "/v1/chat/completions";
    let upstream = Upstream::start(false, [(path, vec![json("{}")])].into()).await;
    let session = record(&upstream).await;
    let client = client(&session);
    for messages in [json!(["a"]), json!(["x"]), json!(["a", "b", "c"])] {
        let body = json!({ "model": "m", "messages": messages }).to_string();
        client.post(upstream.url(path)).header("content-type", "application/json").body(body).send().await.unwrap();
    }
    let finished = session.finish().await;
    let after: Vec<Option<u64>> = finished.recording.exchanges.iter().map(|exchange| exchange.after).collect();
    // Without a known API there are no messages to compare.
    let known = finished.recording.exchanges[0].request.speaks.is_some();
    assert_eq!(after, if known { [None, None, Some(1)] } else { [None, None, None] });
}

#[tokio::test]
async fn learns_keys_and_records_variable_names() {
    let upstream = Upstream::start(false, [("/k", vec![whole("401 Unauthorized", "", "no")])].into()).await;
    let environment = vec![("OPENAI_API_KEY".to_owned(), "sk-live-0123456789".to_owned())];
    let options = agentci_recorder::SessionOptions {
        environment,
        ..crate::client::options(agentci_recorder::SessionMode::Record)
    };
    let session = agentci_recorder::RecorderSession::start(options).await.unwrap();
    let request = client(&session).get(upstream.url("/k?key=AIzaSyLive-0123456789"));
    request.header("authorization", "Bearer sk-live-0123456789").send().await.unwrap();
    assert!(!format!("{session:?}").contains("ive-0123456789"));
    let finished = session.finish().await;
    assert_eq!(finished.recording.header.keys, ["OPENAI_API_KEY"]);
    assert_eq!(finished.secrets.text("sk-live-0123456789 AIzaSyLive-0123456789"), "[REDACTED] [REDACTED]");
    assert!(!format!("{:?}", finished.recording).contains("ive-0123456789"), "{:?}", finished.recording);
    assert_eq!(words(&finished.warnings), ["1 answer has status 401"]);
}

/// An SDK requires its key before any request, and an agent may omit a tool whose key is missing.
#[tokio::test]
async fn replay_sets_placeholders_for_unused_keys() {
    let variables = [
        ("SHOP_API_KEY", "not-used-1234"),
        ("DEMO_API_KEY", "demo"),
        ("NONE_API_KEY", ""),
        ("API_KEY_FILE", "/keys/shop"),
        ("OTHER", "not-used-5678"),
    ];
    let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let options = agentci_recorder::SessionOptions {
        environment,
        ..crate::client::options(agentci_recorder::SessionMode::Record)
    };
    let recording = agentci_recorder::RecorderSession::start(options).await.unwrap().finish().await.recording;
    // A value that is not removed from the recording must be the same in a replay.
    assert_eq!(recording.header.keys, ["SHOP_API_KEY"]);
    let variables = replay(recording).await.environment();
    let value = |wanted: &str| variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    assert_eq!([value("SHOP_API_KEY"), value("DEMO_API_KEY")], [Some("agentci-placeholder"), None]);
}
