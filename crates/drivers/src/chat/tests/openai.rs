use agentci_protocols::chat::AnswerCall;
use agentci_trace::EventKind;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::completion::{AnswerReader as _, Completion, CompletionError};
use super::super::openai::OpenAiReader;
use super::{cut, read, said};

const ANSWER: &str = concat!(
    ": a comment first\n\n",
    r#"data: {"id":"c1","object":"chat.completion.chunk","model":"gpt-test","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
    "\n\n",
    r#"data: {"model":"gpt-test","choices":[{"index":0,"delta":{"reasoning_content":"Is it raining?"}}]}"#,
    "\n\n",
    r#"data: {"model":"gpt-test","choices":[{"index":0,"delta":{"content":"Es regnet in Z"}}]}"#,
    "\n\n",
    r#"data: {"model":"gpt-test","choices":[{"index":1,"delta":{"content":"another answer"}},{"index":0,"delta":{"content":"ürich ☂."}}]}"#,
    "\n\n",
    r#"data: {"model":"gpt-test","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    "\n\n",
    r#"data: {"model":"gpt-test","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}"#,
    "\n\ndata: [DONE]\n\n",
);

const CALLS: &str = concat!(
    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"find","arguments":""}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"mail","arguments":"{\"to\""}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":"}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":":\"a\"}"}},{"index":0,"function":{"arguments":"\"x\"}"}}]}}]}"#,
    "\n\n",
    r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    "\n\ndata: [DONE]\n\n",
);

fn of(stream: &str) -> Result<(Vec<EventKind>, Completion), CompletionError> {
    read(&[stream.as_bytes()], OpenAiReader::default(), OpenAiReader::event, OpenAiReader::finish)
}

fn call(id: &str, name: &str, arguments: &str) -> AnswerCall {
    AnswerCall { id: id.into(), name: name.into(), arguments: arguments.into() }
}

#[test]
fn joins_text_reasoning_and_usage() {
    let (pieces, completion) = of(ANSWER).unwrap();
    assert_eq!(completion.text, "Es regnet in Zürich ☂.");
    assert_eq!(said(&pieces), (completion.text.clone(), "Is it raining?".into()));
    assert_eq!((completion.usage.tokens_in, completion.usage.tokens_out), (Some(11), Some(7)));
    assert_eq!((completion.model.as_deref(), completion.finish.as_deref()), (Some("gpt-test"), Some("stop")));
}

#[test]
fn joins_tool_calls_by_index() {
    let (_, completion) = of(CALLS).unwrap();
    assert_eq!(completion.calls, [call("call_a", "find", r#"{"q":"x"}"#), call("call_b", "mail", r#"{"to":"a"}"#)]);
    let message = completion.message();
    assert_eq!((&message["content"], &message["tool_calls"][1]["function"]["name"]), (&json!(null), &json!("mail")));
}

/// Some servers send all parallel calls with index 0.
#[test]
fn calls_that_share_an_index_are_separate() {
    let event = |id: &str, name: &str, arguments: &str| {
        let call = json!({"index": 0, "id": id, "function": {"name": name, "arguments": arguments}});
        format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let stream = event("a", "find", "{\"q\":1}") + &event("b", "mail", "{}") + "data: [DONE]\n\n";
    let (_, completion) = of(&stream).unwrap();
    assert_eq!(completion.calls, [call("a", "find", "{\"q\":1}"), call("b", "mail", "{}")]);
}

#[test]
fn reads_deprecated_and_custom_calls() {
    let old = "data: {\"choices\":[{\"delta\":{\"function_call\":{\"name\":\"find\",\"arguments\":\"{\\\"q\\\"\"}}}]}\n\n\
               data: {\"choices\":[{\"delta\":{\"function_call\":{\"arguments\":\":1}\"}},\"finish_reason\":\"function_call\"}]}\n\n";
    let (_, completion) = of(old).unwrap();
    assert_eq!(completion.calls, [call("call_1", "find", "{\"q\":1}")]);
    let custom = json!({"id": "c", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}});
    let answer = json!({"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [custom]}}]});
    let mut reader = OpenAiReader::default();
    assert_eq!(reader.whole(&answer).unwrap(), []);
    assert_eq!(reader.finish().unwrap().calls, [call("c", "patch", r#""*** Begin""#)]);
    let part = |custom: Value, finish: Value| {
        let call = json!({"index": 0, "id": "c", "type": "custom", "custom": custom});
        format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": finish}]}))
    };
    let begun = part(json!({"name": "patch", "input": "{\"a\""}), json!(null));
    let (_, completion) = of(&(begun + &part(json!({"input": ":1}"}), json!("tool_calls")))).unwrap();
    assert_eq!(completion.calls, [call("c", "patch", r#""{\"a\":1}""#)]);
}

#[test]
fn reads_usage_of_groq() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n\
                  data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\
                  \"x_groq\":{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}}\n\n";
    let (_, completion) = of(stream).unwrap();
    assert_eq!((completion.usage.tokens_in, completion.usage.tokens_out), (Some(3), Some(2)));
}

#[test]
fn refusal_becomes_the_text() {
    let stream = "data: {\"choices\":[{\"delta\":{\"refusal\":\"I will\"}}]}\n\n\
                  data: {\"choices\":[{\"delta\":{\"refusal\":\" not.\"},\"finish_reason\":\"stop\"}]}\n\n";
    let (pieces, completion) = of(stream).unwrap();
    assert_eq!((completion.words(), said(&pieces).0.as_str()), ("I will not.", "I will not."));
    assert_eq!(completion.message()["refusal"], "I will not.");
}

#[test]
fn reports_failed_truncated_and_malformed_responses() {
    let failed = of("data: {\"error\":{\"message\":\"The server had an error\",\"type\":\"server_error\"}}\n\n");
    let words =
        CompletionError::Failed { kind: Some("server_error".into()), message: "The server had an error".into() };
    assert_eq!(failed.unwrap_err(), words);
    assert!(
        matches!(of("data: {\"half of a\n\n"), Err(CompletionError::Malformed(why)) if why.starts_with("event 1 is not JSON"))
    );
    let cut_off = ANSWER.split("data: {\"model\":\"gpt-test\",\"choices\":[{\"index\":0,\"delta\":{},").next().unwrap();
    assert_eq!(of(cut_off).unwrap_err(), CompletionError::CutOff);
}

#[test]
fn refuses_response_with_too_many_tool_calls() {
    let calls: Vec<_> = (0..1001_u64).map(|number| json!({"index": number * 4_000_000, "id": "c"})).collect();
    let event = json!({"choices": [{"delta": {"tool_calls": calls}}]}).to_string();
    assert!(
        matches!(OpenAiReader::default().event(&event), Err(CompletionError::Malformed(why)) if why.contains("more than 1000"))
    );
}

#[test]
fn parses_response_without_streaming() {
    let mut reader = OpenAiReader::default();
    let answer = json!({
        "model": "local", "usage": {"prompt_tokens": 3, "completion_tokens": 2},
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "Let me see.",
            "tool_calls": [{"id": "", "function": {"name": "find", "arguments": {"q": 1}}}],
        }}],
    });
    assert_eq!(reader.whole(&answer).unwrap(), [EventKind::Text("Let me see.".into())]);
    let completion = reader.finish().unwrap();
    assert_eq!(completion.calls, [call("call_1", "find", r#"{"q":1}"#)]);
    assert_eq!(completion.usage.tokens_out, Some(2));
    assert!(matches!(OpenAiReader::default().whole(&json!({"ok": true})), Err(CompletionError::Malformed(_))));
}

proptest! {
    #[test]
    fn chunk_boundaries_do_not_matter(places in prop::collection::vec(any::<usize>(), 0..40)) {
        for stream in [ANSWER, CALLS] {
            let cut = read(&cut(stream, &places), OpenAiReader::default(), OpenAiReader::event, OpenAiReader::finish);
            prop_assert_eq!(cut, of(stream));
        }
    }

    #[test]
    fn never_panics_on_arbitrary_input(data in "\\PC{0,60}", number in any::<u64>()) {
        let mut reader = OpenAiReader::default();
        let _ = reader.event(&data);
        let _ = reader.event(&json!({"choices": [{"index": 0, "delta": {"content": number, "tool_calls": [number]}}]}).to_string());
        let _ = reader.whole(&json!({"choices": number, "usage": data}));
        let _ = reader.finish();
    }
}
