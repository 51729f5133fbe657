//! The conversation with an agent: the loop over turns.

use agentci_drivers::TraceSink;
use agentci_plan::StopRule;
use agentci_trace::{EventKind, Trace};
use agentci_verdict::Finding;

use crate::account::Account;
use crate::attempt::Attempt;
use crate::attempt_watch::ConversationWatch;
use crate::deadline::Deadline;
use crate::failure_words::RecognisedForms;
use crate::filled_case::FilledCase;
use crate::job::CaseJob;
use crate::recorded_world::WorldSession;
use crate::stage::Stage;
use crate::tool_host::AttemptToolHost;
use crate::turn::{counts_turns, take_turn};
use crate::{findings, model_trouble, recorded_world};

/// Takes the turns of a case until one fails. Does nothing if the agent was not reached.
pub(crate) async fn converse(attempt: &Attempt<'_>, filled: &FilledCase, stage: &mut Stage, account: &mut Account) {
    let Some(agent) = &mut stage.agent else { return };
    let (job, case) = (attempt.job, attempt.job.case);
    let watch = ConversationWatch::new(attempt);
    let host = AttemptToolHost { job, tools: &stage.tools, watch: &watch };
    let forms = RecognisedForms::of(job.run.suite, case);
    let mut sink = TraceSink::new(attempt.clock, |event| watch.saw(event)).with_change(|kind| {
        if let EventKind::FinalOutput(output) = kind {
            stage.tools.normalizer.shared(output);
        } else if let EventKind::ToolResult(result) = kind {
            forms.recognise(result);
        }
    });
    for (position, (turn, input)) in case.turns.iter().zip(&filled.inputs).enumerate() {
        let number = u32::try_from(position).unwrap_or(u32::MAX);
        sink.set_turn(number);
        watch.begin(number, turn);
        let deadline = Deadline::new(attempt, turn);
        let ended = take_turn(attempt, &deadline, agent, input, &mut sink, &host).await;
        account.ended(&ended, attempt.clock.started().elapsed());
        // Includes what was observed so far, such as answers that the agent did not wait for.
        if let Some(model) = &stage.model {
            model.server.flush();
        }
        if let Some(world) = &stage.world {
            world.settle().await;
        }
        agent.take_seen(&mut sink);
        let facts = || findings::last_seen(sink.trace(), agent.unread(), account.wall);
        let trouble = ended.trouble(job, &deadline, facts);
        let counted = counts_turns(case).then_some(number);
        watch.find(trouble.map(|finding| Finding { turn: counted, ..finding }));
        let mut missed = stage.served.as_ref().map(|tools| tools.misses(job).0).unwrap_or_default();
        missed.extend(stage.mcp.iter().flat_map(|mcp| mcp.misses(job)));
        if watch.review(|found| put_misses_first(job, (stage.world.as_ref(), missed), sink.trace(), found)) {
            break;
        }
        let failed = account.judge_turn(attempt, filled.of_turn(position), sink.trace(), number).await;
        if failed && case.stop != StopRule::Never {
            break;
        }
    }
    account.trace = sink.into_trace();
    account.take(watch);
}

/// Puts misses first: what the agent does after a tool or its model did not answer is not judged.
fn put_misses_first(
    job: &CaseJob<'_>,
    (world, missed): (Option<&WorldSession>, Vec<Finding>),
    trace: &Trace,
    found: &mut Vec<Finding>,
) {
    if let Some(world) = world {
        findings::put_first(found, recorded_world::misses(job, &world.misses()));
    }
    findings::put_first(found, missed);
    model_trouble::put_first(found, model_trouble::judge(job, trace).findings);
}
