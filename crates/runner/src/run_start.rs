//! Builds the first event of a run.

use agentci_plan::{AnsweredBy, Case, ChatTarget, CommandPart, Target, case_count};
use agentci_stubs::Faults;
use agentci_verdict::RunStart;

use crate::{evidence::chosen_embedder, recorded_world::started_program, run::RunPlan};

/// Builds the first event of a run; `tools_at` is the address where running agents find their tools.
pub(crate) fn run_start(run: &RunPlan<'_>, tools_at: Option<String>) -> RunStart {
    let RunPlan { suite, selected, facts, options, .. } = run;
    let drawn = run.written().any(|case| case.draws() || Faults::drawn(&case.world.faults));
    let to_run = || run.selected().filter(|case| case.skip.is_none() && case.broken.is_none());
    let played = |case: &&Case| matches!(case.answered_by(options.mode), AnsweredBy::Recording(_));
    let without_agent = |case: &&Case| case.answered_by(options.mode) == AnsweredBy::Script;
    RunStart {
        agentci_version: facts.version.clone(),
        run_id: facts.run_id.clone(),
        dialect: suite.dialect.name().into(),
        mode: options.mode.name().into(),
        suite_path: suite.path.display().to_string(),
        agent_command: agent_command(run),
        cases_total: selected.len(),
        cases_left_out: case_count(&run.cases).saturating_sub(selected.len()),
        cases_played: to_run().filter(played).count(),
        cases_without_agent: to_run().filter(without_agent).count(),
        require_agent: options.settings.require_agent,
        git_sha: facts.git_sha.clone(),
        tools_at,
        seed: drawn.then_some(options.settings.seed),
        shard: facts.shard.as_ref().map(|part| part.of.clone()),
        agent: same(run, |chat| &chat.agent),
        agent_path: facts.agent_path.clone(),
        connector: same(run, |chat| &chat.connector.id),
        environment: facts.environment.clone(),
        options: facts.options.clone(),
        not_loaded: facts.not_loaded.clone(),
        embedder: chosen_embedder(suite, options),
        recheck: None,
        session: facts.session.clone(),
        resumed: facts.finished.as_ref().map(|finished| finished.facts.clone()),
    }
}

/// A value that all cases share, if all their agents consist of prompts and a model.
fn same(run: &RunPlan<'_>, of: impl Fn(&ChatTarget) -> &String) -> Option<String> {
    let mut found: Option<&String> = None;
    for case in run.written() {
        let Target::Chat(chat) = &*case.target else { return None };
        if *found.get_or_insert(of(chat)) != of(chat) {
            return None;
        }
    }
    found.cloned()
}

/// The command of the agent, if all cases use the same one.
fn agent_command(run: &RunPlan<'_>) -> Vec<String> {
    let mut targets = run.written().map(|case| &case.target);
    let Some(first) = targets.next() else { return Vec::new() };
    let Some(program) = started_program(first) else { return Vec::new() };
    if targets.any(|target| target != first) {
        return Vec::new();
    }
    let written =
        |part: &CommandPart| part.file.as_ref().map_or_else(|| part.text.written(), |file| file.display().to_string());
    program.command.iter().map(written).collect()
}
