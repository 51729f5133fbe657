//! Closes what an attempt opened, and saves its recordings.

use agentci_exchange::AgentRecording;
use agentci_plan::Target;
use agentci_trace::{Event, EventKind};
use agentci_verdict::{Cause, Finding};

use super::Stage;
use crate::account::Account;
use crate::attempt::Attempt;
use crate::conclude::{conclude, look_around};
use crate::job::CaseJob;
use crate::mcp_servers::McpServers;
use crate::services::OpenTools;
use crate::tools::LiveSource;
use crate::{recorded_world, recording, unused_faults};

impl Stage {
    /// Closes everything in reverse order: the agent, its model, and its tools. The findings up to the end of the agent
    /// decide which recordings are saved.
    pub(crate) async fn close(self, attempt: &Attempt<'_>, account: &mut Account) {
        let Stage { tools, served, model, mcp, world, agent, replay, played, .. } = self;
        let job = attempt.job;
        account.left.replay = replay;
        account.left.played = played;
        account.left.has_model = model.is_some();
        let Some(mut agent) = agent else {
            // Any recording belongs to a case that did not start.
            tools.source.close().await;
            return;
        };
        if let Some(mcp) = &mcp {
            mcp.end_conversation();
        }
        let conversation = agent.take_recording();
        account.stderr_tail = agent.close().await.stderr_tail;
        // The model runs as long as the agent.
        account.left.reached = model.map(|model| model.reached()).unwrap_or_default();
        look_around(attempt, (served.as_ref(), mcp.as_ref()), account).await;
        // The agent ends before the services it uses: requests during its shutdown are part of its world.
        if world.is_some() || mcp.is_some() {
            Box::pin(job.run.shared.agents.end(job, attempt.number)).await;
        }
        if let Some(mcp) = &mcp {
            mcp.conclude(attempt, account);
        }
        let mut of_world = None;
        if let Some(world) = world {
            // The recorder ends after the agent.
            let ended = world.finish().await;
            of_world = Some(ended.faults.clone());
            recorded_world::conclude(attempt, ended, account);
        }
        conclude(job, account);
        let faults = served
            .as_ref()
            .map(|served| served.session.faults())
            .into_iter()
            .chain(mcp.as_ref().map(McpServers::faults));
        account.left.faults = unused_faults::seen(job, tools.faults.into_inner(), faults.chain(of_world));
        let shared = job.run.shared.tools.is_shared(job) && matches!(&*job.case.target, Target::Http(_));
        account.left.late = served.as_ref().filter(|_| shared).map(|served| served.late(job));
        keep(job, served, tools.source, conversation, account).await;
    }
}

/// Closes the sources of answers and saves the recordings without any known secret.
async fn keep(
    job: &CaseJob<'_>,
    served: Option<OpenTools>,
    source: LiveSource,
    conversation: Option<AgentRecording>,
    account: &mut Account,
) {
    let secrets = &job.secrets.all();
    let unsaved = served.filter(|_| came_to_its_end(account)).and_then(|served| served.save(job, secrets));
    account.findings.extend(unsaved);
    let (recorder, player) = source.close().await;
    let unsaved = recorder.filter(|_| came_to_its_end(account)).and_then(|recorder| recorder.save(secrets).err());
    let unsaved =
        unsaved.map(|error| job.invalid(job.case.span, format!("the cassette could not be written: {error}")));
    account.findings.extend(unsaved);
    let player = player.filter(|_| account.trace.final_output().is_some());
    if let (Some(player), Some(replay)) = (player, &mut account.left.replay) {
        replay.unused_lines = player.unused_lines();
    }
    let unsaved = conversation.and_then(|kept| recording::save(job, &kept, secrets, &account.findings));
    account.findings.extend(unsaved);
}

/// Whether the agent finished, regardless of the checks.
fn came_to_its_end(account: &Account) -> bool {
    let trouble = |finding: &Finding| finding.cause != Cause::Check && finding.cause != Cause::Limit;
    let ended = |event: &Event| matches!(event.kind, EventKind::TurnEnd | EventKind::FinalOutput(_));
    let seen = |event: &&Event| {
        // Events from the wire may arrive after the turn is over.
        !matches!(
            event.kind,
            EventKind::ModelCall { .. }
                | EventKind::ModelTrouble(_)
                | EventKind::Usage(_)
                | EventKind::ToolCall(_)
                | EventKind::ToolResult(_)
        )
    };
    account.trace.events().iter().rev().find(seen).is_some_and(ended) && !account.findings.iter().any(trouble)
}
