use agentci_trace::Redactor;
use serde_json::{Value, json};

use super::super::recording::{
    AgentExchange, AgentExchangeEnd, AgentRecording, AnswerPiece, ConversationEnding, PieceKind,
};
use super::clean;
use crate::HttpMethod;

fn frame(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// The stored events of one answer.
fn stored(raws: &[String], redactor: &Redactor) -> Vec<String> {
    let pieces =
        raws.iter().zip(1..).map(|(raw, at_us)| AnswerPiece { part: PieceKind::Frame, at_us, raw: raw.clone().into() });
    let exchange = AgentExchange {
        at_us: 0,
        method: HttpMethod::Post,
        identity: Value::Null,
        response: None,
        pieces: pieces.collect(),
        end: ConversationEnding { at_us: 99, how: AgentExchangeEnd::Closed },
    };
    let clean = clean(&AgentRecording { exchanges: vec![exchange], ..AgentRecording::default() }, redactor);
    let pieces = &clean.exchanges[0].pieces;
    assert!(pieces.iter().map(|piece| piece.at_us).eq(1..=raws.len() as u64));
    pieces.iter().map(|piece| String::from_utf8(piece.raw.to_vec()).unwrap()).collect()
}

/// The stored deltas of some events, whose names and kinds are unchanged.
fn deltas(events: &[Value], redactor: &Redactor) -> Vec<String> {
    let raws: Vec<String> = events.iter().map(frame).collect();
    let after = |(raw, before): (String, &Value)| {
        let mut event: Value = serde_json::from_str(raw.trim_start_matches("data: ")).unwrap();
        let delta = event["delta"].as_str().unwrap().to_owned();
        event["delta"] = before["delta"].clone();
        assert_eq!(event, *before);
        delta
    };
    stored(&raws, redactor).into_iter().zip(events).map(after).collect()
}

fn said(delta: &str) -> Value {
    json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta})
}

fn sent(call: &str, delta: &str) -> Value {
    json!({"type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": delta})
}

fn knowing(value: &str) -> Redactor {
    let mut redactor = Redactor::default();
    redactor.learn_value(value);
    redactor
}

/// The deltas of one call that streams a text in pieces of this many bytes.
fn call(args: &str, size: usize, redactor: &Redactor) -> Vec<String> {
    let pieces = args.as_bytes().chunks(size).map(|piece| sent("c", str::from_utf8(piece).unwrap()));
    deltas(&pieces.collect::<Vec<_>>(), redactor)
}

#[test]
fn redacts_secret_split_across_two_deltas() {
    let events = [said("K8dj2"), said("8sjKw")];
    assert_eq!(deltas(&events, &knowing("K8dj28sjKw")), ["[REDACTED]", ""]);
}

#[test]
fn redacts_secret_in_three_deltas_and_keeps_surrounding_text() {
    let events = [said("Well, "), said("it is K8d"), said("j28"), said("sjKw, K8dj"), said("."), said("")];
    let clean = ["Well, ", "it is [REDACTED]", "", ", K8dj", ".", ""];
    assert_eq!(deltas(&events, &knowing("K8dj28sjKw")), clean);
}

#[test]
fn redacts_credential_patterns_split_across_deltas() {
    let events = [said("use Bea"), said("rer abcd"), said("efgh at x://me:s3"), said("cr3t@db, x://me")];
    let clean = ["use Bea", "rer [REDACTED]", " at x://me:[REDACTED]", "@db, x://me"];
    assert_eq!(deltas(&events, &Redactor::default()), clean);
}

#[test]
fn redacts_secret_keys_in_streamed_arguments() {
    let args = r#"{"a": 1.50, "password" : "ab \"c", "token":1234, "credentials": ["x", {"y": 2}], "auth":null, "token_count": 7}"#;
    let clean = r#"{"a": 1.50, "password" : "[REDACTED]", "token":"[REDACTED]", "credentials": "[REDACTED]", "auth":null, "token_count": 7}"#;
    for size in 1..=args.len() {
        assert_eq!(call(args, size, &Redactor::default()).concat(), clean, "in pieces of {size}");
    }
}

#[test]
fn redacted_arguments_are_still_json() {
    let mut redactor = knowing("nabcdef");
    redactor.learn_value("12345678");
    redactor.learn_value("say \"hi\" \u{1f600}");
    // A secret that is not within a single string of the arguments.
    redactor.learn_value(r#"name": "ada"#);
    for (args, clean) in [
        (r#"{"n": 12345678, "m": [-123456789, 1]}"#, r#"{"n": "[REDACTED]", "m": ["[REDACTED]", 1]}"#),
        (r#"{"max_token": 1234567}"#, r#"{"max_token": "[REDACTED]"}"#),
        (r#"{"t": "a\nabcdef"}"#, r#"{"t": "a[REDACTED]"}"#),
        (r#"{"t": "\tsay \"hi\" \ud83d\ude00\t"}"#, r#"{"t": "\t[REDACTED]\t"}"#),
        (r#"{"nabcdef": "\u006eabcdef"}"#, r#"{"[REDACTED]": "[REDACTED]"}"#),
        (r#"{"name": "ada", "b": "c"}"#, r#"{"[REDACTED]": "[REDACTED]", "b": "c"}"#),
    ] {
        for size in 1..=args.len() {
            assert_eq!(call(args, size, &redactor).concat(), clean, "in pieces of {size}");
        }
        assert!(serde_json::from_str::<Value>(clean).is_ok());
    }
}

#[test]
fn placeholder_is_placed_where_the_secret_starts() {
    let events = [sent("c", r#"{"password":"#), sent("c", r#" "ab"#), sent("c", "cd"), sent("c", r#"ef","x":1}"#)];
    assert_eq!(deltas(&events, &Redactor::default()), [r#"{"password":"#, r#" "[REDACTED]"#, "", r#"","x":1}"#]);
}

#[test]
fn redacts_truncated_arguments_as_text() {
    let events = [sent("c", r#"{"x": "K8dj2"#), sent("c", "8sjKw")];
    assert_eq!(deltas(&events, &knowing("K8dj28sjKw")), [r#"{"x": "[REDACTED]"#, ""]);
}

#[test]
fn distinguishes_parallel_calls() {
    let events = [
        sent("c", r#"{"x": "K8d"#),
        sent("d", r#"{"password": "#),
        said("K8dj2"),
        sent("c", "j28"),
        sent("d", r#""a b""#),
        sent("c", r#"sjKw"}"#),
        said("8sjK, no"),
        sent("d", "}"),
    ];
    assert_eq!(
        deltas(&events, &knowing("K8dj28sjKw")),
        [r#"{"x": "[REDACTED]"#, r#"{"password": "#, "K8dj2", "", r#""[REDACTED]""#, r#""}"#, "8sjK, no", "}"]
    );
}

#[test]
fn chunk_without_id_continues_the_previous_chunk() {
    let call = |id: Option<&str>, delta: &str| {
        let mut event = json!({"type": "TOOL_CALL_CHUNK", "delta": delta});
        if let Some(id) = id {
            event["toolCallId"] = id.into();
        }
        event
    };
    let text = |id: Value, agent: Value, delta: &str| json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": id, "subagentRunId": agent, "delta": delta});
    let events = [
        call(Some("c"), r#"{"x":"K8d"#),
        text("m".into(), Value::Null, "K8d"),
        text("n".into(), "s".into(), "j28"),
        call(None, "j28"),
        text(Value::Null, Value::Null, "j28"),
        call(None, r#"sjKw"}"#),
        call(Some("d"), "{}"),
        text(Value::Null, Value::Null, "sjKw"),
    ];
    assert_eq!(
        deltas(&events, &knowing("K8dj28sjKw")),
        [r#"{"x":"[REDACTED]"#, "[REDACTED]", "j28", "", "", r#""}"#, "{}", ""]
    );
}

#[test]
fn message_ends_at_the_next_start_with_its_id() {
    let start = frame(&json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}));
    let raws = [frame(&said("K8dj2")), start, frame(&said("8sjKw"))];
    assert_eq!(stored(&raws, &knowing("K8dj28sjKw")), raws);
}

#[test]
fn learns_secrets_from_json_within_text() {
    let content = r#"{"credential":"tok_9f8e7d6c5b4a"}"#;
    let raws = [
        frame(&sent("c", r#"{"t": "tok_9f8e"#)),
        frame(&sent("c", r#"7d6c5b4a"}"#)),
        frame(&json!({"type": "TOOL_CALL_RESULT", "content": content})),
        frame(&said("tok_9f8e7d6c5b4a")),
    ];
    let clean = [
        frame(&sent("c", r#"{"t": "[REDACTED]"#)),
        frame(&sent("c", r#""}"#)),
        frame(&json!({"type": "TOOL_CALL_RESULT", "content": r#"{"credential":"[REDACTED]"}"#})),
        frame(&said("[REDACTED]")),
    ];
    assert_eq!(stored(&raws, &Redactor::default()), clean);
}

#[test]
fn learns_secrets_from_streamed_arguments() {
    let events = [said("use swordfish"), sent("c", r#"{"pass"#), sent("c", r#"word": "swordfish"}"#)];
    assert_eq!(deltas(&events, &Redactor::default()), ["use [REDACTED]", r#"{"pass"#, r#"word": "[REDACTED]"}"#]);
}

#[test]
fn events_without_secrets_stay_unchanged() {
    let raws = [
        ": ping\r\ndata: {\"type\":\"TEXT_MESSAGE_CONTENT\",  \"messageId\":\"m\",\"delta\":\"say \"}\r\n\r\n",
        "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",  \"messageId\":\"m\",\"delta\":\"K8dj2\"}\n\n",
        "data: {\"type\":\"STATE_DELTA\",  \"delta\":[{\"op\":\"remove\"}]}\n\n",
        "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"8sjKw\"}\n\n",
        "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",  \"messageId\":\"m\",\"delta\":\"\\u0041\"}\n\n",
    ]
    .map(str::to_owned);
    let clean = stored(&raws, &knowing("K8dj28sjKw"));
    let mut expected = raws.clone();
    expected[1] = frame(&said("[REDACTED]"));
    expected[3] = frame(&said(""));
    assert_eq!(clean, expected);
    assert_eq!(stored(&raws, &Redactor::default()), raws);
}
