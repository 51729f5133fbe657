//! What another agent says: one that the suite names, asked with one message.

use std::ops::ControlFlow;
use std::time::Duration;

use agentci_drivers::{Answer, Clock, Context, DriveError, Driver, Input, Line, Stopped, ToolHost, TraceSink};
use agentci_plan::{Target, did_you_mean, print_duration};
use agentci_trace::ToolCall;
use agentci_verdict::Cause;
use serde_json::{Value, json};

use super::{Evidence, Unanswered};
use crate::findings;
use crate::job::Job;

/// How long an agent may take where neither the run nor the case says.
const PATIENCE: Duration = Duration::from_mins(5);

/// Asks an agent; its result is under `output`.
pub(super) async fn ask(
    _evidence: &Evidence,
    job: &Job<'_>,
    agent: &str,
    message: String,
) -> Result<Value, Unanswered> {
    let Some((_, target)) = job.suite.agents.iter().find(|(name, _)| name == agent) else {
        let names = job.suite.agents.iter().map(|(name, _)| name.as_str());
        let meant = did_you_mean(agent, names).map(|meant| format!("did you mean `{meant}`?"));
        let help = meant.unwrap_or_else(|| "an agent that judges is one of the suite's own `agents`".into());
        let unknown = Unanswered::new(Cause::Config, format!("the suite has no agent `{agent}`"));
        return Err(Unanswered { help: Some(help), ..unknown });
    };
    let input = Input::Messages(vec![json!({ "role": "user", "content": message })]);
    let limit = job.options.timeout.or(job.case.timeout).unwrap_or(PATIENCE);
    let asked = Asked { target, case_id: &job.case.id, limit };
    let output = asked.ask(job, &input).await.map_err(|mut trouble| {
        trouble.message = format!("the agent `{agent}` gave no answer: {}", trouble.message);
        trouble
    })?;
    Ok(json!({ "output": output }))
}

struct Asked<'a> {
    target: &'a Target,
    case_id: &'a str,
    limit: Duration,
}

impl Asked<'_> {
    async fn ask(&self, job: &Job<'_>, input: &Input) -> Result<Value, Unanswered> {
        let lookup = |name: &str| {
            let name = name.strip_prefix("ENV.")?;
            let own = self.target.environment().iter().rev().find(|(known, _)| known == name);
            own.map(|(_, value)| value.clone()).or_else(|| (job.options.environment)(name))
        };
        let context = Context {
            case_id: self.case_id,
            lookup: &lookup,
            folder: &job.suite.folder,
            environment: &[],
            draws: job.draws,
            request_timeout: job.options.timeout,
            attempt: 1,
            tools: false,
            agents: &job.suite.agents,
            resources: &job.resources,
        };
        if let Some(Ok(secret)) = self.target.secret().map(|secret| secret.fill(&lookup)) {
            job.secrets.borrow_mut().learn_value(&secret);
        }
        let opened = Driver::open(self.target, &context, Line::Live);
        let opened = opened.map_err(|unset| Unanswered::new(Cause::Config, unset.to_string()))?;
        let mut driver = opened.map_err(|error| unanswered(&error, job))?;
        let mut sink = TraceSink::new(Clock::start(), |_| ControlFlow::Continue(()));
        let turn = tokio::time::timeout(self.limit, driver.turn(input, &mut sink, &Nobody));
        let ended = tokio::select! {
            biased;
            () = job.stop.wait() => Err(Unanswered::new(Cause::Interrupted, "the run was interrupted")),
            ended = turn => match ended {
                Ok(Ok(())) => Ok(()),
                Ok(Err(DriveError::Stopped)) => {
                    Err(Unanswered::new(Cause::Config, "it called a tool, and an agent that is asked has none"))
                }
                Ok(Err(error)) => Err(unanswered(&error, job)),
                Err(_) => {
                    let message = format!("it was not done within {}", print_duration(self.limit));
                    Err(Unanswered::new(Cause::Timeout, message))
                }
            },
        };
        let trace = sink.into_trace();
        driver.close().await;
        ended?;
        Ok(trace.final_output().cloned().unwrap_or_else(|| trace.text().into()))
    }
}

/// The trouble of a driver as that of a question.
fn unanswered(error: &DriveError, job: &Job<'_>) -> Unanswered {
    let finding = findings::drive(error, job.place(job.case.span)).unwrap_or_default();
    Unanswered { help: finding.help, ..Unanswered::new(finding.cause, finding.message) }
}

/// An agent that is asked a question has no tools.
struct Nobody;

impl ToolHost for Nobody {
    fn call<'h>(&'h self, _call: &'h ToolCall) -> Answer<'h> {
        Box::pin(async { Err(Stopped) })
    }
}
