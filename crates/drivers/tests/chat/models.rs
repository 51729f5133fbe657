//! Both protocols with the mock model.

use agentci_plan::{ChatApi, KeyHeader, Text};
use agentci_trace::EventKind;
use serde_json::{Value, json};

use crate::agent::{Way, agent, anthropic, openai, say, serve, turn};

const SCRIPT: &str = r"
api_key: key-of-the-test
rules:
  - when: { user: weather, tool_result: true }
    reply: It rains in Paris.
  - when: { user: weather }
    reply: Let me see.
    tool_calls: [{ name: get_weather, args: { city: Paris } }]
  - when: { user: again and again }
    tool_calls: [{ name: get_weather, args: {} }]
  - when: { user: busy once }
    fail: { status: 429, retry_after: 10ms, times: 1 }
    reply: Here you are.
  - when: { user: busy for long }
    fail: { status: 429, retry_after: 1h, message: slow down }
  - when: { user: wrong }
    fail: { status: 400, message: not like this }
  - when: { user: break off }
    reply: This will never be heard to its end.
    fail: { cut: true }
  - when: { user: garbled }
    reply: This will never be understood.
    fail: { malformed: true }
default: Hello there.
";

fn texts(turned: &crate::agent::Turned) -> usize {
    turned.trace.events().iter().filter(|event| matches!(event.kind, EventKind::Text(_))).count()
}

#[tokio::test]
async fn both_protocols_stream_text_and_usage() {
    let server = serve(SCRIPT).await;
    for target in [openai(&server), anthropic(&server)] {
        let turned = say(target, "Hi").await;
        assert_eq!(turned.output(), "Hello there.");
        assert!(texts(&turned) > 1, "it came in pieces");
        let usage = turned.trace.usage();
        assert!(usage.tokens_in > Some(0) && usage.tokens_out == Some(2), "{usage:?}");
        assert!(matches!(turned.trace.events().last().unwrap().kind, EventKind::TurnEnd));
    }
    let journal = server.journal();
    let seen: Vec<_> = journal["requests"].as_array().unwrap().iter().map(|r| (&r["provider"], &r["stream"])).collect();
    assert_eq!(seen, [(&json!("openai"), &json!(true)), (&json!("anthropic"), &json!(true))]);
}

#[tokio::test]
async fn reads_non_streamed_responses() {
    let server = serve(SCRIPT).await;
    for mut target in [openai(&server), anthropic(&server)] {
        target.options.insert("stream".into(), Value::Bool(false));
        assert_eq!(say(target, "Hi").await.output(), "Hello there.");
    }
}

#[tokio::test]
async fn sends_tool_results_back_to_the_model() {
    let server = serve(SCRIPT).await;
    for target in [openai(&server), anthropic(&server)] {
        let way = Way { tools: Some(json!({"sky": "rain"})), ..Way::default() };
        let turned = turn(target, json!([{"role": "user", "content": "weather?"}]), way).await;
        assert_eq!(turned.output(), "It rains in Paris.");
        let calls = turned.trace.calls();
        assert_eq!((calls.len(), &*calls[0].call.args), (1, &json!({"city": "Paris"})));
        assert_eq!(calls[0].result.unwrap().result, json!({"sky": "rain"}).into());
        assert_eq!(turned.requests().len(), 2);
        assert_eq!(turned.asked.len(), 1);
    }
    let last = server.journal()["requests"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["tool_results"][0]["content"], r#"{"sky":"rain"}"#);
}

#[tokio::test]
async fn unhandled_tool_call_is_traced_and_ends_the_turn() {
    let server = serve(SCRIPT).await;
    let turned = say(anthropic(&server), "weather?").await;
    assert_eq!(turned.output(), "Let me see.");
    assert_eq!((turned.trace.calls().len(), turned.asked.len()), (1, 0));
    let silent = say(openai(&server), "again and again").await;
    assert_eq!(silent.output(), "get_weather({})");
}

#[tokio::test]
async fn limits_consecutive_tool_call_responses() {
    let server = serve(SCRIPT).await;
    let way = Way { tools: Some(json!("ok")), ..Way::default() };
    let turned = turn(openai(&server), json!([{"role": "user", "content": "again and again"}]), way).await;
    assert!(turned.error().contains("in 16 consecutive answers"), "{}", turned.error());
    assert_eq!(turned.asked.len(), 16);
}

#[tokio::test]
async fn retries_busy_server() {
    let server = serve(SCRIPT).await;
    let turned = say(openai(&server), "busy once").await;
    assert_eq!(turned.output(), "Here you are.");
    let warned = turned.trace.events().iter().any(
        |event| matches!(&event.kind, EventKind::Log { message, .. } if message.contains("status 429") && message.contains("retried after")),
    );
    assert!(warned, "{:?}", turned.trace.events());
    // An hour exceeds the timeout of the request.
    let turned = say(anthropic(&server), "busy for long").await;
    assert_eq!(turned.error(), "the model's server answered with status 429: slow down");
}

#[tokio::test]
async fn reports_provider_error_messages() {
    let server = serve(SCRIPT).await;
    let error = |target, words: &'static str| async move { say(target, words).await.error() };
    assert_eq!(error(openai(&server), "wrong").await, "the model's server answered with status 400: not like this");
    assert_eq!(error(anthropic(&server), "wrong").await, "the model's server answered with status 400: not like this");
    assert!(error(openai(&server), "garbled").await.contains("cannot be read"));
    assert!(error(openai(&server), "break off").await.contains("broke"));
    let nobody = agent(ChatApi::OpenAi, "http://127.0.0.1:9/v1/chat/completions".into());
    assert!(error(nobody, "hi").await.contains("127.0.0.1:9"));
}

#[tokio::test]
async fn sends_api_key_in_the_configured_header() {
    let server = serve(SCRIPT).await;
    for header in [None, Some(KeyHeader::Bearer), Some(KeyHeader::XApiKey)] {
        let mut target = anthropic(&server);
        let connector = std::sync::Arc::make_mut(&mut target.connector);
        connector.key_header = header;
        assert_eq!(say(target, "hi").await.output(), "Hello there.", "{header:?}");
    }
    let mut target = openai(&server);
    std::sync::Arc::make_mut(&mut target.connector).key = Some(Text::Literal("another".into()));
    assert!(say(target, "hi").await.error().contains("status 401"));
}
