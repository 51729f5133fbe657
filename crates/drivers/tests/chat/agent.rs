//! An agent, and one turn with it.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agentci_drivers::mock::MockDraws;
use agentci_drivers::{
    Delivery, DriveError, Driver, DriverContext, Input, PendingAnswer, Resources, ToolHost, ToolReply, TraceSink,
};
use agentci_exchange::{AgentLine, AgentRecording, Clock};
use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_plan::{
    Assistant, ChatApi, ChatPrompt, ChatTarget, Connector, ModelScript, OutputRule, ScriptFile, Target, Text,
};
use agentci_protocols::chat::ScriptedModel;
use agentci_script::{ScriptError, ScriptProgram};
use agentci_source::{MemoryFiles, Sources, Span, Spanned};
use agentci_trace::{EventKind, ToolCall, ToolResult, Trace};
use serde_json::{Map, Value, json};

pub(crate) fn span() -> Span {
    Span::whole(Sources::default().add(Path::new("a"), ""))
}

pub(crate) async fn serve(yaml: &str) -> ModelServer {
    let files = MemoryFiles::default().with("model.yaml", yaml);
    let path = Path::new("model.yaml");
    let script = agentci_formats::load_model_script(&files, &mut Sources::default(), path).unwrap();
    ModelServer::start(Arc::new(script), ModelServerOptions::default()).await.unwrap()
}

/// An agent with this URL.
pub(crate) fn agent(api: ChatApi, url: String) -> ChatTarget {
    let connector = Connector {
        id: "test".into(),
        api,
        url: Spanned { value: Text::Literal(url), span: span() },
        model: Text::Literal("gpt-test".into()),
        key: Some(Text::Literal("key-of-the-test".into())),
        key_header: None,
        settings: Map::new(),
        script: None,
    };
    ChatTarget {
        agent: "shop.helper".into(),
        connector: Arc::new(connector),
        prompts: Arc::from([ChatPrompt {
            role: "system".into(),
            name: None,
            content: Text::Literal("Be brief.".into()),
            shared: false,
        }]),
        options: Map::new(),
        environment: None,
        context: agentci_formats::default_chat_context(),
        assistant: Assistant { about: vec![("ASSISTANT_NAME".into(), "Helper".into())], ..Assistant::default() },
        timeout: Duration::from_secs(20),
        output: OutputRule::Required,
        span: span(),
    }
}

pub(crate) fn openai(server: &ModelServer) -> ChatTarget {
    agent(ChatApi::OpenAi, format!("{}/chat/completions", server.openai_url()))
}

pub(crate) fn anthropic(server: &ModelServer) -> ChatTarget {
    agent(ChatApi::Anthropic, format!("{}/v1/messages", server.url()))
}

/// Adds to the metadata of a conversation.
pub(crate) fn add_metadata(target: &mut ChatTarget, name: &str, value: Value) {
    let metadata = target.context.entry("metadata").or_insert_with(|| json!({}));
    metadata.as_object_mut().unwrap().insert(name.into(), value);
}

/// The result of a turn.
pub(crate) struct Turned {
    pub(crate) result: Result<(), DriveError>,
    pub(crate) trace: Trace,
    pub(crate) recording: Option<AgentRecording>,
    /// The calls that the host received.
    pub(crate) asked: Vec<ToolCall>,
}

impl Turned {
    pub(crate) fn output(&self) -> Value {
        self.result.as_ref().unwrap();
        self.trace.final_output().unwrap().clone()
    }

    pub(crate) fn error(&self) -> String {
        self.result.as_ref().unwrap_err().to_string()
    }

    /// The requests in the trace.
    pub(crate) fn requests(&self) -> Vec<Value> {
        let request = |kind: &EventKind| match kind {
            EventKind::ModelCall { request, .. } => Some(Value::clone(request)),
            _ => None,
        };
        self.trace.events().iter().filter_map(|event| request(&event.kind)).collect()
    }
}

/// The settings of a turn.
pub(crate) struct Way<'w> {
    pub(crate) line: AgentLine,
    /// The result of every tool. Default: tools are not answered.
    pub(crate) tools: Option<Value>,
    pub(crate) agents: &'w [(String, Arc<Target>)],
    pub(crate) model: Option<Rc<dyn ScriptedModel>>,
    pub(crate) attempt: u32,
}

impl Default for Way<'_> {
    fn default() -> Self {
        Self { line: AgentLine::Live, tools: None, agents: &[], model: None, attempt: 1 }
    }
}

pub(crate) async fn say(target: ChatTarget, words: &str) -> Turned {
    turn(target, json!([{ "role": "user", "content": words }]), Way::default()).await
}

pub(crate) async fn turn(target: ChatTarget, messages: Value, way: Way<'_>) -> Turned {
    let draws = MockDraws::new(0);
    let context = DriverContext {
        case_id: "T1",
        lookup: &|name| match name {
            "ENV.SHOP" => Some("Corner Shop".to_owned()),
            "QUESTION" => Some("What is $ENV.SHOP, $CTX.USER_ID?".to_owned()),
            _ => None,
        },
        folder: Path::new(""),
        environment: &[],
        draws: &draws,
        request_timeout: None,
        attempt: way.attempt,
        tools: way.tools.is_some(),
        enforced: &[],
        started: None,
        bases: &agentci_drivers::ToolBases::default(),
        agents: way.agents,
        resources: &Ready(way.model),
        records: false,
        fetched: &agentci_wire::FetchedSecrets::default(),
    };
    let host = Host { answer: way.tools.unwrap_or_default(), asked: RefCell::default() };
    let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
    let mut driver = match Driver::open(&Target::Chat(Box::new(target)), &context, way.line).await.unwrap() {
        Ok(driver) => driver,
        Err(error) => {
            return Turned { result: Err(error), trace: Trace::default(), recording: None, asked: Vec::new() };
        }
    };
    let Value::Array(messages) = messages else { panic!("messages are a list") };
    let result = driver.turn(&Input::Messages(messages), &mut sink, &host).await;
    let recording = driver.take_recording();
    Turned { result, trace: sink.into_trace(), recording, asked: host.asked.into_inner() }
}

struct Host {
    answer: Value,
    asked: RefCell<Vec<ToolCall>>,
}

impl ToolHost for Host {
    fn call<'h>(&'h self, call: &'h ToolCall) -> PendingAnswer<'h> {
        Box::pin(async {
            self.asked.borrow_mut().push(call.clone());
            let (call_id, result) = (call.call_id.clone(), self.answer.clone());
            let result = ToolResult { call_id, ok: true, result: result.into(), error: None, ..ToolResult::default() };
            Ok(ToolReply { result, delivery: Delivery::Whole })
        })
    }
}

struct Ready(Option<Rc<dyn ScriptedModel>>);

impl Resources for Ready {
    fn model(&self, _script: &Arc<ModelScript>) -> Result<Rc<dyn ScriptedModel>, String> {
        self.0.clone().ok_or_else(|| "there are none".into())
    }

    fn program(&self, file: &Arc<ScriptFile>) -> Result<Arc<ScriptProgram>, ScriptError> {
        ScriptProgram::read(file).map(Arc::new)
    }
}
