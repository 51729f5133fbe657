//! `--require-agent`: reports cases that are answered from a recording of the whole agent instead of by their agent.

use agentci::plan::{AnsweredBy, Case, Mode, Suite, Verdicts};
use agentci::report::NO_AGENT_HELP;
use agentci::source::{Diagnostic, Diagnostics};
use clap::{Args, ValueEnum};

use super::{CliContext, Suites};

/// The suites that must run an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentRequirement {
    /// All suites
    All,
    /// Suites in the native format; other formats are unaffected
    Native,
    /// No suites
    None,
}

/// Flags about agents that are not run.
#[derive(Debug, Default, Args)]
pub(crate) struct AgentFlags {
    /// Fail if a case without `played: true` replays a recording of the whole agent
    #[arg(
        long,
        value_name = "SUITES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        overrides_with = "require_agent"
    )]
    require_agent: Option<AgentRequirement>,
}

impl AgentFlags {
    /// Whether cases of a suite must run their agent.
    pub(super) fn required(&self, suite: &Suite) -> bool {
        match self.require_agent {
            Some(AgentRequirement::All) => true,
            Some(AgentRequirement::Native) => suite.conventions.verdicts == Verdicts::Strict,
            Some(AgentRequirement::None) | None => false,
        }
    }

    /// Reports the cases that a run would answer from a recording although they must run their agent. Returns true if
    /// there are none.
    pub(super) fn hold(&self, suites: &Suites, mode: Option<Mode>, context: &CliContext) -> bool {
        let mut problems = Diagnostics::default();
        for loaded in suites.loaded().iter().filter(|loaded| self.required(&loaded.suite)) {
            let cases = loaded.written_cases();
            let run = cases.filter(|case| case.skip.is_none() && case.broken.is_none() && !case.played);
            let mode = mode.unwrap_or(loaded.suite.mode);
            run.filter_map(|case| played(case, mode)).for_each(|problem| problems.push(problem));
        }
        context.show(&problems, suites.sources());
        !problems.has_errors()
    }
}

fn played(case: &Case, mode: Mode) -> Option<Diagnostic> {
    let AnsweredBy::Recording(recording) = case.answered_by(mode) else { return None };
    let message = format!("no agent would be run for `{}`: it is answered from a recording", case.id.escape_debug());
    Some(Diagnostic::error(recording.span, message).label("played").help(NO_AGENT_HELP))
}
