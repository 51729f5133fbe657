//! Asks an agent that is not the target of a case one question: a judge, or an agent that writes a report.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentci_drivers::mock::MockDraws;
use agentci_drivers::{
    DriveError, Driver, DriverContext, Input, PendingAnswer, Resources, StoppedError, ToolBases, ToolHost, TraceSink,
};
use agentci_exchange::{AgentLine, Clock};
use agentci_plan::{Suite, Target};
use agentci_source::{Place, did_you_mean, print_duration};
use agentci_trace::ToolCall;
use agentci_verdict::Cause;
use agentci_wire::FetchedSecrets;
use serde_json::{Value, json};

use crate::resources::{CaseResources, Library};
use crate::{drive_findings::drive, options::RunOptions, stop::Stop, variables::of_environment};

/// The timeout if none is configured.
const PATIENCE: Duration = Duration::from_mins(5);

/// Why an agent gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct AskError {
    /// The cause of the failure.
    pub cause: Cause,
    /// What failed.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl AskError {
    fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), help: None }
    }
}

/// Sends one message to an agent of a suite and returns its result.
pub async fn ask_agent(
    suite: &Suite,
    agent: &str,
    message: String,
    options: &RunOptions<'_>,
    stop: &Stop,
) -> Result<Value, AskError> {
    let library = Library::default();
    let resources = CaseResources::new(&library, agent, options.settings.seed);
    let draws = MockDraws::new(options.settings.seed);
    let ask = Ask {
        suite,
        case_id: agent,
        limit: options.settings.timeout.unwrap_or(PATIENCE),
        draws: &draws,
        resources: &resources,
        fetched: &FetchedSecrets::default(),
        options,
        stop,
    };
    ask.agent(agent, message).await
}

/// Finds an agent of a suite by name.
pub(crate) fn find<'s>(suite: &'s Suite, agent: &str) -> Result<&'s Arc<Target>, AskError> {
    if let Some((_, target)) = suite.agents.iter().find(|(name, _)| name == agent) {
        return Ok(target);
    }
    let names = suite.agents.iter().map(|(name, _)| name.as_str());
    let meant = did_you_mean(agent, names).map(|meant| format!("did you mean `{meant}`?"));
    let help = meant.unwrap_or_else(|| "add an agent with this name under `agents`".into());
    Err(AskError { help: Some(help), ..AskError::new(Cause::Config, format!("the suite has no agent `{agent}`")) })
}

/// How to ask an agent.
pub(crate) struct Ask<'a> {
    pub(crate) suite: &'a Suite,
    /// The id of the conversation.
    pub(crate) case_id: &'a str,
    /// The timeout.
    pub(crate) limit: Duration,
    pub(crate) draws: &'a MockDraws,
    pub(crate) resources: &'a dyn Resources,
    /// Receives secrets that are fetched along the way.
    pub(crate) fetched: &'a FetchedSecrets,
    pub(crate) options: &'a RunOptions<'a>,
    pub(crate) stop: &'a Stop,
}

impl Ask<'_> {
    pub(crate) async fn agent(&self, agent: &str, message: String) -> Result<Value, AskError> {
        let target = find(self.suite, agent)?;
        self.ask(target, message).await.map_err(|mut trouble| {
            trouble.message = format!("the agent `{agent}` gave no answer: {}", trouble.message);
            trouble
        })
    }

    async fn ask(&self, target: &Target, message: String) -> Result<Value, AskError> {
        let context = DriverContext {
            case_id: self.case_id,
            lookup: &|name| lookup(target, self.options, name),
            folder: &self.suite.folder,
            environment: &[],
            draws: self.draws,
            request_timeout: self.options.settings.timeout,
            attempt: 1,
            tools: false,
            enforced: &[],
            started: None,
            bases: &ToolBases::default(),
            agents: &self.suite.agents,
            resources: self.resources,
            records: false,
            fetched: self.fetched,
        };
        let opened = Driver::open(target, &context, AgentLine::Live).await;
        let opened = opened.map_err(|unset| AskError::new(Cause::Config, unset.to_string()))?;
        let mut driver = opened.map_err(|error| unheard(&error, &self.suite.path))?;
        let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
        let ended = self.take_turn(&mut driver, message, &mut sink).await;
        let trace = sink.into_trace();
        driver.close().await;
        ended?;
        Ok(trace.final_output().cloned().unwrap_or_else(|| trace.conversation().text().into()))
    }

    async fn take_turn(&self, driver: &mut Driver, message: String, sink: &mut TraceSink<'_>) -> Result<(), AskError> {
        let input = Input::Messages(vec![json!({ "role": "user", "content": message })]);
        let turn = tokio::time::timeout(self.limit, driver.turn(&input, sink, &NoTools));
        let ended = tokio::select! {
            biased;
            () = self.stop.wait() => return Err(AskError::new(Cause::Interrupted, "the run was interrupted")),
            ended = turn => ended,
        };
        match ended {
            Ok(Ok(())) => Ok(()),
            Ok(Err(DriveError::Stopped)) => {
                Err(AskError::new(Cause::Config, "it called a tool, but a judge or report agent has no tools"))
            }
            Ok(Err(error)) => Err(unheard(&error, &self.suite.path)),
            Err(_) => {
                let message = format!("it did not finish within {}", print_duration(self.limit));
                Err(AskError::new(Cause::Timeout, message))
            }
        }
    }
}

/// Looks up an environment variable; the agent's own file takes precedence.
pub(crate) fn lookup(target: &Target, options: &RunOptions<'_>, name: &str) -> Option<String> {
    of_environment(target.environment(), options.environment, name.strip_prefix("ENV.")?)
}

/// The timeout of an agent that is asked for a case.
pub(crate) fn patience(options: &RunOptions<'_>, own: Option<Duration>) -> Duration {
    options.settings.timeout.or(own).unwrap_or(PATIENCE)
}

/// Converts an error of a driver.
fn unheard(error: &DriveError, suite: &Path) -> AskError {
    let place = Place { path: suite.display().to_string().into(), line: 0, column: 1, width: 0, text: String::new() };
    let finding = drive(error, place).unwrap_or_default();
    AskError { help: finding.help, ..AskError::new(finding.cause, finding.message) }
}

/// The tool host of an agent that is asked a question: it has no tools.
struct NoTools;

impl ToolHost for NoTools {
    fn call<'h>(&'h self, _call: &'h ToolCall) -> PendingAnswer<'h> {
        Box::pin(async { Err(StoppedError) })
    }
}
