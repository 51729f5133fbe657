//! Opens the driver of the agent.

use agentci_drivers::{Driver, DriverContext};
use agentci_exchange::{AgentLine, Clock};
use agentci_plan::{Mode, Target};
use agentci_trace::EventKind;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{PreparedAttempt, Stage};
use crate::attempt::Attempt;
use crate::drive_findings::drive_target;
use crate::filled_case::FilledCase;
use crate::setup_error::SetupError;
use crate::shared_services::Surroundings;
use crate::variables::VariableScope;
use crate::{findings, mock_model, recorded_world};

impl Stage {
    /// Reaches the agent. Its time counts from now on. Everything else stays open if it cannot be reached.
    pub(crate) async fn open(attempt: &mut Attempt<'_>, prepared: PreparedAttempt) -> (Self, FilledCase) {
        let PreparedAttempt { filled, tools, around, model, mcp, wire, line, replay } = prepared;
        let played = matches!(line, AgentLine::Replay(_));
        attempt.clock = Clock::start();
        let (agent, not_reached) = match reach(attempt, &around, line, wire).await {
            Ok(agent) => (Some(agent), SetupError::default()),
            Err(not_reached) => (None, not_reached),
        };
        let Surroundings { served, warning, world, .. } = around;
        let warning = warning.or_else(|| recorded_world::earlier(attempt.job).filter(|_| played));
        (Self { tools, served, model, mcp, world, agent, not_reached, warning, replay, played }, filled)
    }
}

async fn reach(
    attempt: &Attempt<'_>,
    around: &Surroundings,
    line: AgentLine,
    wire: Option<UnboundedReceiver<EventKind>>,
) -> Result<Driver, SetupError> {
    let mut agent = open_driver(attempt, around, line).await?;
    if let Some(wire) = wire {
        agent.listen(wire, around.world.is_some());
    }
    if attempt.variables.is_spent() {
        let stderr_tail = agent.close().await.stderr_tail;
        let place = attempt.job.place(attempt.job.case.target.span());
        return Err(SetupError { findings: vec![VariableScope::too_much(place)], stderr_tail });
    }
    Ok(agent)
}

/// Opens the driver of the agent. The error has no findings if another component already reported why.
async fn open_driver(attempt: &Attempt<'_>, around: &Surroundings, line: AgentLine) -> Result<Driver, SetupError> {
    let (job, case) = (attempt.job, attempt.job.case);
    let draws = job.run.shared.draws.of(attempt.number);
    let context = DriverContext {
        case_id: &case.id,
        lookup: &attempt.lookup(),
        folder: &job.run.suite.folder,
        environment: &around.environment,
        enforced: &around.enforced,
        started: around.world.as_ref().map(|world| world.started.clone()),
        bases: &around.bases,
        draws: &draws,
        request_timeout: job.run.options.settings.timeout,
        attempt: attempt.number,
        tools: mock_model::answers_tools(job),
        agents: &job.run.suite.agents,
        resources: &job.resources,
        records: job.run.options.mode == Mode::Record,
        fetched: &job.secrets.fetched,
    };
    match Driver::open(&case.target, &context, line).await {
        Ok(Ok(driver)) => Ok(driver),
        Ok(Err(error)) => {
            let finding = drive_target(&error, &case.target, job.run.sources);
            Err(finding.into_iter().collect::<Vec<_>>().into())
        }
        Err(unset) => Err(match &*case.target {
            Target::Chat(chat) => {
                let message = format!("{unset}, which the connector `{}` needs", chat.connector.id);
                findings::unset_connector(message, job.place(chat.connector.url.span)).into()
            }
            target => findings::unset(unset.to_string(), job.place(target.span())).into(),
        }),
    }
}
