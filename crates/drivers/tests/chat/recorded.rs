//! A recording is replayed without a server, at another time.

use std::sync::Arc;

use agentci_exchange::{AgentLine, AgentRecording, ExchangePlayer, ExchangeRecorder};
use agentci_plan::{ChatPrompt, ChatTarget, Connector, Text};
use agentci_trace::{EventKind, Redactor, Trace};
use serde_json::{Value, json};

use crate::agent::{Way, anthropic, openai, serve, turn};

const SCRIPT: &str = "
rules:
  - when: { user: weather, tool_result: true }
    reply: It rains in Paris.
  - when: { user: weather }
    fail: { status: 529, retry_after: 5ms, times: 1 }
    tool_calls: [{ name: get_weather, args: { city: Paris } }]
";

fn asking() -> Value {
    json!([{"role": "user", "content": "weather?"}])
}

fn timed(mut target: ChatTarget) -> ChatTarget {
    let content = Text::Literal("It is $SYS.UNIX, $CTX.USER_ID.".into());
    target.prompts = Arc::from([ChatPrompt { role: "system".into(), name: None, content, shared: false }]);
    target
}

fn player(recording: &AgentRecording) -> AgentLine {
    let stored = recording.write(&Redactor::default());
    let stored = String::from_utf8(stored.into()).unwrap();
    AgentLine::Replay(ExchangePlayer::new(AgentRecording::parse(&stored).unwrap(), Redactor::default()))
}

/// All events but the requests, which contain the time.
fn told(trace: &Trace) -> Vec<(u64, EventKind)> {
    let kinds = trace.events().iter().filter(|event| !matches!(event.kind, EventKind::ModelCall { .. }));
    kinds.map(|event| (event.at.offset_us, event.kind.clone())).collect()
}

#[tokio::test]
async fn replay_reproduces_the_recorded_trace() {
    let server = serve(SCRIPT).await;
    for target in [timed(openai(&server)), timed(anthropic(&server))] {
        let tools = Some(json!("rain"));
        let way = Way { line: AgentLine::Record(ExchangeRecorder::new()), tools: tools.clone(), ..Way::default() };
        let recorded = turn(target.clone(), asking(), way).await;
        assert_eq!(recorded.output(), "It rains in Paris.");
        let line = player(recorded.recording.as_ref().unwrap());
        let before = server.journal()["requests"].as_array().unwrap().len();
        // A replay needs neither the key nor the URL of the server.
        let mut connector = Connector::clone(&target.connector);
        connector.key = Some(Text::parse("${ENV.NO_SUCH_KEY}"));
        connector.url.value = Text::parse("${ENV.NO_SUCH_ADDRESS}");
        let target = ChatTarget { connector: Arc::new(connector), ..target };
        let replayed = turn(target, asking(), Way { line, tools, ..Way::default() }).await;
        assert_eq!(told(&replayed.trace), told(&recorded.trace));
        assert_eq!(server.journal()["requests"].as_array().unwrap().len(), before);
    }
}

#[tokio::test]
async fn replay_reports_differing_request() {
    let server = serve(SCRIPT).await;
    let way = Way { line: AgentLine::Record(ExchangeRecorder::new()), ..Way::default() };
    let recorded = turn(openai(&server), asking(), way).await;
    let line = player(recorded.recording.as_ref().unwrap());
    let other = json!([{"role": "user", "content": "weather tomorrow?"}]);
    let error = turn(openai(&server), other, Way { line, ..Way::default() }).await.error();
    assert!(error.contains("differs from the recording") && error.contains("weather tomorrow?"), "{error}");
}
