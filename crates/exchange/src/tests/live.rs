use std::time::Duration;

use agentci_trace::{Moment, Redactor};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket};

use super::super::*;
use super::{LONG, request};
use crate::Clock;

const SHORT: Duration = Duration::from_millis(60);
const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nSet-Cookie: a=b\r\nConnection: close\r\n";

/// What a server does after its answer.
#[derive(Clone, Copy)]
enum Then {
    Close,
    Hang,
    /// Sends this forever.
    Repeat(&'static str),
}

/// A server that answers each connection differently, in order.
async fn serve(answers: Vec<(String, Then)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut open = Vec::new();
        for (answer, then) in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"{}") {
                assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
            }
            // The client may have closed the connection.
            let _ = stream.write_all(answer.as_bytes()).await;
            match then {
                Then::Close => {}
                Then::Hang => open.push(stream),
                Then::Repeat(text) => {
                    let text = text.repeat(1000);
                    while stream.write_all(text.as_bytes()).await.is_ok() {}
                }
            }
        }
        std::future::pending::<()>().await;
    });
    url
}

/// How an answer is read.
#[derive(Clone, Copy)]
enum Reading {
    Frames,
    /// One event, and more until none arrives for this long.
    Patiently(Duration),
    Body(usize),
    NotAtAll,
}

#[derive(Debug, PartialEq)]
enum Seen {
    Head { status: u16, sent: Moment, kind: String, cookie: bool },
    Frame(ArrivedEvent),
    Body(Vec<u8>, Moment),
    Closed(Moment),
    Quiet,
    Error(ExchangeError),
}

/// Sends requests as a driver does, and returns what it saw.
async fn talk(line: &mut AgentLine, clock: Clock, requests: &[(Request, Reading)]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for (request, reading) in requests {
        match line.send(request, clock, line.next(clock)).await {
            Ok(mut answer) => {
                let cookie = answer.header("set-cookie").is_some();
                seen.push(Seen::Head { status: answer.status, sent: answer.at, kind: answer.content_type(), cookie });
                read(&mut answer, *reading, &mut seen).await;
            }
            Err(error) => seen.push(Seen::Error(error)),
        }
    }
    seen
}

async fn read(answer: &mut StreamedAnswer, reading: Reading, seen: &mut Vec<Seen>) {
    let begun = seen.len();
    loop {
        let next = match reading {
            Reading::NotAtAll => return,
            Reading::Body(limit) => {
                return seen.push(match answer.body(limit).await {
                    Ok((body, at)) => Seen::Body(body, at),
                    Err(error) => Seen::Error(error),
                });
            }
            Reading::Patiently(grace) if seen.len() > begun => answer.frame_within(grace).await,
            Reading::Frames | Reading::Patiently(_) => {
                answer.frame().await.map(|frame| frame.map_or(NextPiece::Closed, NextPiece::Frame))
            }
        };
        match next {
            Ok(NextPiece::Frame(arrived)) => seen.push(Seen::Frame(arrived)),
            Ok(NextPiece::Closed) => return seen.push(Seen::Closed(answer.latest())),
            Ok(NextPiece::Quiet) => return seen.push(Seen::Quiet),
            Err(error) => return seen.push(Seen::Error(error)),
        }
    }
}

/// Records, stores, parses and replays; both must give the same result.
async fn both(requests: &[(Request, Reading)]) -> (Vec<Seen>, AgentRecording) {
    let clock = Clock::start();
    let recorder = ExchangeRecorder::new();
    let seen = talk(&mut AgentLine::Record(recorder.clone()), clock, requests).await;
    let recording = recorder.into_recording();
    let stored = recording.write(&Redactor::default());
    let parsed = AgentRecording::parse(&stored).unwrap();
    assert_eq!(parsed, recording, "{stored}");
    let mut line = AgentLine::Replay(ExchangePlayer::new(parsed, Redactor::default()));
    let replayed = talk(&mut line, clock, requests).await;
    assert_eq!(replayed, seen, "{stored}");
    let end = recording.exchanges.last().unwrap().end.at_us;
    assert_eq!(line.now(clock).offset_us, end);
    (seen, recording)
}

fn data(seen: &[Seen]) -> Vec<&str> {
    let frames = seen.iter().filter_map(|seen| if let Seen::Frame(arrived) = seen { Some(arrived) } else { None });
    frames.map(|arrived| arrived.frame.data.as_str()).collect()
}

#[tokio::test]
async fn replays_recorded_conversation() {
    let first = format!("{STREAM}\r\n: hi\n\ndata: 1\n\ndata: 2\r\n\r\ndata: 3");
    let second = "HTTP/1.1 404 Nowhere\r\nContent-Length: 4\r\nContent-Type: text/plain\r\n\r\nnone".to_owned();
    let third = format!("{STREAM}\r\ndata: 4\n\n: bye");
    let url = serve(vec![(first, Then::Close), (second, Then::Close), (third, Then::Close)]).await;
    let (seen, recording) = both(&[
        (request(&url, json!(1), LONG), Reading::Frames),
        (request(&url, json!(2), LONG), Reading::Body(4)),
        (request(&url, json!(3), LONG), Reading::Frames),
    ])
    .await;
    assert_eq!(data(&seen), ["1", "2", "3", "4"]);
    assert!(matches!(&seen[0], Seen::Head { status: 200, kind, cookie: false, .. } if kind == "text/event-stream"));
    assert!(matches!(&seen[3], Seen::Frame(ArrivedEvent { frame, .. }) if frame.unfinished));
    assert!(matches!(&seen[5], Seen::Head { status: 404, .. }));
    assert!(matches!(&seen[6], Seen::Body(body, _) if body == b"none"));
    let rest = recording.exchanges[2].pieces.last().unwrap();
    assert_eq!((rest.part, &rest.raw[..]), (PieceKind::Rest, &b": bye"[..]));
}

#[tokio::test]
async fn replays_failures_with_the_same_message() {
    let cut = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: 1\n\ndata: 2";
    let url = serve(vec![(cut.into(), Then::Close), (cut.into(), Then::Close), (String::new(), Then::Close)]).await;
    // A bound port without a listener.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let nobody = format!("http://{}/", socket.local_addr().unwrap());
    let (seen, _) = both(&[
        (request(&url, json!(1), LONG), Reading::Frames),
        (request(&url, json!(2), LONG), Reading::Body(99)),
        (request(&url, json!(3), LONG), Reading::Frames),
        (request(&nobody, json!(4), LONG), Reading::Frames),
        (request("no address", json!(5), LONG), Reading::Frames),
    ])
    .await;
    assert_eq!(data(&seen), ["1"]);
    let errors: Vec<&ExchangeError> =
        seen.iter().filter_map(|seen| if let Seen::Error(error) = seen { Some(error) } else { None }).collect();
    let [in_stream, in_body, ExchangeError::Broken(_), ExchangeError::Unreachable(_), ExchangeError::Unsendable(_)] =
        errors[..]
    else {
        panic!("{errors:?}");
    };
    assert!(matches!(in_stream, ExchangeError::Broken(words) if words.starts_with("the answer is truncated")));
    assert_eq!(in_stream, in_body);
}

#[tokio::test]
async fn timeout_covers_the_whole_exchange() {
    let never_ends = (format!("{STREAM}\r\n"), Then::Repeat("data: x\n\n"));
    let url = serve(vec![
        (String::new(), Then::Hang),
        (format!("{STREAM}\r\ndata: 1\n\ndata: 2\n"), Then::Hang),
        (format!("{STREAM}Content-Length: 9\r\n\r\nda"), Then::Hang),
        never_ends,
    ])
    .await;
    let (seen, _) = both(&[
        (request(&url, json!(1), SHORT), Reading::Frames),
        (request(&url, json!(2), SHORT), Reading::Patiently(LONG)),
        (request(&url, json!(3), SHORT), Reading::Body(99)),
        (request(&url, json!(4), SHORT), Reading::Frames),
    ])
    .await;
    let timeout = Seen::Error(ExchangeError::Timeout { after: SHORT });
    assert_eq!(seen.iter().filter(|seen| **seen == timeout).count(), 4);
    assert_eq!(ExchangeError::Timeout { after: SHORT }.to_string(), "the answer was not complete within 60ms");
}

#[tokio::test]
async fn open_response_can_be_abandoned() {
    let stays_open = (format!("{STREAM}\r\ndata: 1\n\n"), Then::Hang);
    let url = serve(vec![stays_open.clone(), stays_open]).await;
    let patient = (request(&url, json!(1), LONG), Reading::Patiently(SHORT));
    let (seen, recording) = both(&[patient, (request(&url, json!(2), LONG), Reading::NotAtAll)]).await;
    assert!(matches!(&seen[..], [Seen::Head { .. }, Seen::Frame(_), Seen::Quiet, Seen::Head { .. }]), "{seen:?}");
    assert_eq!(recording.exchanges[0].end.how, AgentExchangeEnd::Left);
    // Reading beyond the recording is an error.
    let mut line = AgentLine::Replay(ExchangePlayer::new(recording, Redactor::default()));
    let seen = talk(&mut line, Clock::start(), &[(request(&url, json!(1), LONG), Reading::Frames)]).await;
    let Some(Seen::Error(error)) = seen.last() else { panic!("{seen:?}") };
    assert_eq!(error.to_string(), "the answer to request 1 was not recorded beyond this point");
}

#[tokio::test]
async fn does_not_record_oversized_responses() {
    let large = format!("{STREAM}\r\ndata: 1\n\n{}", "x".repeat(agentci_protocols::sse::EVENT_LIMIT + 1));
    let url =
        serve(vec![("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345".into(), Then::Close), (large, Then::Close)])
            .await;
    let (seen, recording) =
        both(&[(request(&url, json!(1), LONG), Reading::Body(4)), (request(&url, json!(2), LONG), Reading::Frames)])
            .await;
    let error =
        |index: usize| if let Seen::Error(error) = &seen[index] { error.to_string() } else { panic!("{seen:?}") };
    assert_eq!(error(1), "the answer is larger than 4 bytes");
    assert_eq!(error(4), "an event of the stream is larger than 10485760 bytes");
    assert!(recording.exchanges[0].pieces.is_empty());
    assert_eq!(recording.exchanges[1].pieces.len(), 1);
}

#[tokio::test]
async fn finished_response_stays_closed() {
    let url = serve(vec![(format!("{STREAM}\r\ndata: 1"), Then::Close)]).await;
    let recorder = ExchangeRecorder::new();
    let mut line = AgentLine::Record(recorder.clone());
    let mut answer = line.send(&request(&url, json!(1), LONG), Clock::start(), Moment::default()).await.unwrap();
    assert!(answer.frame().await.unwrap().unwrap().frame.unfinished);
    for _ in 0..2 {
        assert_eq!(answer.frame().await, Ok(None));
        assert_eq!(answer.frame_within(SHORT).await, Ok(NextPiece::Closed));
    }
    assert_eq!(recorder.into_recording().exchanges[0].pieces.len(), 1);
}
