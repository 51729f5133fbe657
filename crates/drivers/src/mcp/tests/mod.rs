//! Whole cases against servers that are shell scripts: live, recorded, and replayed without the server.

mod turns;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use agentci_plan::{CommandPart, McpTarget, McpTransport, Text};
use agentci_source::{Sources, Span};
use agentci_trace::{EventKind, Redactor, Trace};
use serde_json::Value;

use super::McpDriver;
use crate::chat::NoResources;
use crate::mock::MockDraws;
use crate::{DriveError, DriverContext, Input, TraceSink};
use agentci_exchange::Clock;
use agentci_exchange::{AgentLine, AgentRecording, ExchangePlayer, ExchangeRecorder};
use agentci_process::Ending;

/// The handshake of a legacy server. The client's ids count from one, so the first call is the third request.
const GREETED: &str = r#"
read discover; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}'
read initialize; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}}}}'
read initialized
"#;

/// The result of a case.
struct Came {
    results: Vec<Result<(), DriveError>>,
    trace: Trace,
    recording: Option<AgentRecording>,
    ending: Ending,
}

impl Came {
    /// The error of the last turn.
    fn error(&self) -> &DriveError {
        self.results.last().unwrap().as_ref().unwrap_err()
    }

    fn kinds(&self) -> Vec<&EventKind> {
        self.trace.events().iter().map(|event| &event.kind).collect()
    }

    fn violations(&self) -> Vec<&str> {
        let told = |kind: &EventKind| matches!(kind, EventKind::Violation(_));
        self.kinds()
            .into_iter()
            .filter(|kind| told(kind))
            .map(|kind| match kind {
                EventKind::Violation(words) => words.as_str(),
                _ => "",
            })
            .collect()
    }
}

fn target(script: &str) -> McpTarget {
    let span = Span::whole(Sources::default().add(Path::new("a"), ""));
    let parts = ["sh", "-c", script].map(|part| CommandPart { text: Text::Literal(part.into()), file: None });
    McpTarget {
        auth: None,
        transport: McpTransport::Stdio { command: parts.into(), environment: Vec::new() },
        headers: Vec::new(),
        timeout: Duration::from_secs(30),
        span,
    }
}

fn action(kind: &str, arguments: Value) -> Input {
    Input::Action { kind: kind.into(), arguments }
}

/// Takes the turns until one fails.
async fn drive(target: &McpTarget, line: AgentLine, folder: &Path, turns: &[Input]) -> Came {
    let draws = MockDraws::new(7);
    let context = DriverContext {
        case_id: "c",
        lookup: &|_| None,
        folder,
        environment: &[],
        draws: &draws,
        request_timeout: None,
        attempt: 1,
        tools: false,
        agents: &[],
        resources: &NoResources,
        records: matches!(line, AgentLine::Record(_)),
        fetched: &agentci_wire::FetchedSecrets::default(),
        enforced: &[],
        started: None,
        bases: &crate::ToolBases::default(),
    };
    let mut driver = McpDriver::open(target, &context, line).unwrap();
    let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
    let mut results = Vec::new();
    for turn in turns {
        results.push(driver.turn(turn, &mut sink).await);
        if results.last().unwrap().is_err() {
            break;
        }
    }
    let recording = crate::driver::recording_of(&mut driver.line);
    Came { results, trace: sink.into_trace(), recording, ending: driver.close().await }
}

/// Records a case, replays it without a server, and checks that only the wall clock differs.
async fn both(script: &str, turns: &[Input]) -> Came {
    let recorded =
        drive(&target(&format!("{GREETED}{script}")), AgentLine::Record(ExchangeRecorder::new()), Path::new(""), turns)
            .await;
    let stored = recorded.recording.clone().unwrap().write(&Redactor::default());
    let line = AgentLine::Replay(ExchangePlayer::new(AgentRecording::parse(&stored).unwrap(), Redactor::default()));
    let played = drive(&target("exit 1"), line, Path::new(""), turns).await;
    let events = |came: &Came| -> Vec<(u64, EventKind)> {
        came.trace.events().iter().map(|event| (event.at.offset_us, event.kind.clone())).collect()
    };
    assert_eq!(events(&recorded), events(&played));
    let said = |came: &Came| -> Vec<String> { came.results.iter().map(|result| format!("{result:?}")).collect() };
    assert_eq!(said(&recorded), said(&played));
    recorded
}
