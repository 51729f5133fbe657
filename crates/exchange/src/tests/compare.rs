use agentci_trace::{Moment, Redactor};
use bytes::Bytes;
use serde_json::{Value, json};

use super::super::*;
use super::{LONG, request};
use crate::Clock;

fn recorded(identity: Value) -> AgentExchange {
    let response = Some(AnswerHead { at_us: 2, status: 200, headers: Vec::new() });
    let end = ConversationEnding { at_us: 3, how: AgentExchangeEnd::Closed };
    AgentExchange { at_us: 1, method: HttpMethod::Post, identity, response, pieces: Vec::new(), end }
}

async fn replay(recorded_identities: Vec<Value>, requests: &[Request]) -> Vec<Result<u16, ExchangeError>> {
    let exchanges = recorded_identities.into_iter().map(recorded).collect();
    let mut redactor = Redactor::default();
    redactor.learn_value("hunter22");
    let mut line =
        AgentLine::Replay(ExchangePlayer::new(AgentRecording { exchanges, ..AgentRecording::default() }, redactor));
    let mut results = Vec::new();
    for request in requests {
        results.push(line.send(request, Clock::start(), Moment::default()).await.map(|answer| answer.status));
    }
    results
}

#[tokio::test]
async fn reports_where_request_differs_from_the_recording() {
    let was = json!({"messages": [{"content": "refund A-17"}], "n": 1});
    let is = request("", json!({"n": 1, "messages": [{"content": "refund A-18"}]}), LONG);
    let results = replay(vec![json!(0), was.clone()], &[request("", json!(0), LONG), is]).await;
    let error = results[1].as_ref().unwrap_err();
    assert_eq!(
        error.to_string(),
        "request 2 differs from the recording: at /messages/0/content the recording has \"refund A-17\", this run sent \"refund A-18\""
    );
    assert_eq!(error.help(), Some("record again with `agentci record`"));
    let get = Request { method: HttpMethod::Get, ..request("", was.clone(), LONG) };
    let error = replay(vec![was.clone()], &[get]).await[0].clone().unwrap_err();
    assert!(error.to_string().ends_with("at its method the recording has \"POST\", this run sent \"GET\""), "{error}");
    let error = replay(vec![was.clone()], &[request("", json!({"n": 1}), LONG)]).await[0].clone().unwrap_err();
    assert!(error.to_string().ends_with(r#"has [{"content":"refund A-17"}], this run sent nothing"#), "{error}");
}

#[tokio::test]
async fn reports_request_beyond_the_recording() {
    let one = request("", json!(1), LONG);
    let results = replay(vec![json!(1), json!(1)], &[one.clone(), one.clone(), one.clone()]).await;
    assert_eq!(results[1], Ok(200));
    let error = results[2].as_ref().unwrap_err().to_string();
    assert_eq!(error, "request 3 was not recorded: the recording has only the 2 before it");
    let error = replay(Vec::new(), &[one]).await[0].clone().unwrap_err().to_string();
    assert_eq!(error, "request 1 was not recorded: the recording has none before it");
}

#[tokio::test]
async fn secrets_are_ignored_in_comparison_and_hidden() {
    let sent = request("", json!({"a": "say hunter22", "token": "other"}), LONG);
    let stored = json!({"a": "say [REDACTED]", "token": "[REDACTED]"});
    assert_eq!(replay(vec![stored], std::slice::from_ref(&sent)).await, [Ok(200)]);
    let raw = json!({"a": "say hunter22", "token": "former"});
    assert_eq!(replay(vec![raw], std::slice::from_ref(&sent)).await, [Ok(200)]);
    let error = replay(vec![json!({"a": "say nothing"})], &[sent]).await[0].clone().unwrap_err();
    assert!(error.to_string().ends_with(r#"has "say nothing", this run sent "say [REDACTED]""#), "{error}");
}

#[tokio::test]
async fn refuses_endless_line() {
    let piece = AnswerPiece { part: PieceKind::Line, at_us: 3, raw: Bytes::from(vec![b'x'; 1 << 20]) };
    let exchanges = vec![AgentExchange { pieces: vec![piece; 12], ..recorded(json!(1)) }];
    let mut line = AgentLine::Replay(ExchangePlayer::new(
        AgentRecording { exchanges, ..AgentRecording::default() },
        Redactor::default(),
    ));
    let mut answer = line.send(&request("", json!(1), LONG), Clock::start(), Moment::default()).await.unwrap();
    let error = answer.line().await.unwrap_err();
    assert_eq!(error.to_string(), "a line of the answer is larger than 10485760 bytes");
}

#[tokio::test]
async fn refuses_endless_stream() {
    let raw = Bytes::from(format!("data: {}\n\n", "x".repeat(8 << 20)));
    let frame = AnswerPiece { part: PieceKind::Frame, at_us: 3, raw };
    let exchanges = vec![AgentExchange { pieces: vec![frame; 40], ..recorded(json!(1)) }];
    let mut line = AgentLine::Replay(ExchangePlayer::new(
        AgentRecording { exchanges, ..AgentRecording::default() },
        Redactor::default(),
    ));
    let mut answer = line.send(&request("", json!(1), LONG), Clock::start(), Moment::default()).await.unwrap();
    let mut count = 0;
    let error = loop {
        match answer.frame().await {
            Ok(_) => count += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert_eq!((count, error.as_str()), (31, "the stream is larger than 268435456 bytes"));
}
