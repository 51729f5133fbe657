//! Closing what an attempt opened, and keeping what there is to keep of it.

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
    /// Closes what was opened, what was opened last first: the agent, its model, and its tools. What was found until its agent
    /// was closed decides which recordings are kept.
    pub(crate) async fn close(self, attempt: &Attempt<'_>, account: &mut Account) {
        let Stage { tools, served, model, mcp, world, agent, replay, played, .. } = self;
        let job = attempt.job;
        account.left.replay = replay;
        account.left.played = played;
        account.left.has_model = model.is_some();
        let Some(mut agent) = agent else {
            // Whatever was recorded is of a case that did not begin.
            tools.source.close().await;
            return;
        };
        if let Some(mcp) = &mcp {
            mcp.end_conversation();
        }
        let conversation = agent.take_recording();
        account.stderr_tail = agent.close().await.stderr_tail;
        // The model is there for as long as the agent is.
        account.left.reached = model.map(|model| model.reached()).unwrap_or_default();
        look_around(attempt, (served.as_ref(), mcp.as_ref()), account).await;
        // It ends before what it can reach: what it asks when it is told to leave is a part of its world.
        if world.is_some() || mcp.is_some() {
            Box::pin(job.run.shared.agents.end(job, attempt.number)).await;
        }
        if let Some(mcp) = &mcp {
            mcp.conclude(attempt, account);
        }
        let mut of_world = None;
        if let Some(world) = world {
            // After the agent, which the recorder stands before.
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

/// Closes where answers came from, and writes down what was recorded, without any secret that is known by now.
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

/// Whether the agent came to its end, whatever the checks will say.
fn came_to_its_end(account: &Account) -> bool {
    let trouble = |finding: &Finding| finding.cause != Cause::Check && finding.cause != Cause::Limit;
    let ended = |event: &Event| matches!(event.kind, EventKind::TurnEnd | EventKind::FinalOutput(_));
    let seen = |event: &&Event| {
        // What is seen on the wire may come when the turn is over.
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
