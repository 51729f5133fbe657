//! What all cases of one run of a suite have in common.

use std::time::Duration;

use agentci_exchange::Clock;
use agentci_plan::Suite;
use agentci_source::Sources;
use agentci_trace::Redactor;
use tokio::time::Instant;

use crate::draws::Draws;
use crate::event_sink::EventSink;
use crate::evidence::Evidence;
use crate::options::RunOptions;
use crate::recording::compares_tools;
use crate::resources::Library;
use crate::run::RunPlan;
use crate::services::{HeldEnd, ServedAgents, ToolServer};
use crate::stop::Stop;
use crate::unused_faults::Unmet;

/// One run of a suite: what was given, and what its cases share.
pub(crate) struct SuiteRun<'r> {
    pub(crate) sources: &'r Sources,
    pub(crate) suite: &'r Suite,
    pub(crate) options: &'r RunOptions<'r>,
    pub(crate) stop: &'r Stop,
    /// When the whole suite is given up.
    pub(crate) deadline: Option<SuiteDeadline>,
    /// What must not leave the run whatever its cases meet.
    pub(crate) secrets: Redactor,
    pub(crate) events: &'r EventSink<'r>,
    pub(crate) shared: RunState,
}

/// What the cases of a run share while they run.
pub(crate) struct RunState {
    /// Which calls of scripted models fail.
    pub(crate) draws: Draws,
    /// What checks want to know beside the trace.
    pub(crate) evidence: Evidence,
    /// What drivers have made ready once.
    pub(crate) library: Library,
    /// What goes wrong on purpose and did not yet.
    pub(crate) unmet: Unmet,
    /// Whether tools of MCP servers are compared with snapshots, which are made in record mode.
    pub(crate) snapshots: bool,
    pub(crate) tools: ToolServer,
    /// Started by the first case that asks them.
    pub(crate) agents: ServedAgents,
    /// The end of the case before, where its agent goes on.
    pub(crate) held: HeldEnd,
}

/// When a suite as a whole is given up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteDeadline {
    pub(crate) at: Instant,
    pub(crate) after: Duration,
    /// The flag that says so.
    pub(crate) flag: &'static str,
}

impl<'r> SuiteRun<'r> {
    /// Starts what is needed before the first case, beside the server of its tools.
    pub(crate) fn start(
        run: &RunPlan<'r>,
        clock: &Clock,
        secrets: Redactor,
        events: &'r EventSink<'r>,
        tools: ToolServer,
    ) -> Self {
        let RunPlan { sources, suite, options, stop, .. } = *run;
        let shared = RunState {
            draws: Draws::new(options.settings.seed),
            evidence: Evidence::new(suite, options),
            library: Library::default(),
            unmet: Unmet::new(&run.cases, options.mode),
            snapshots: run.selected().any(compares_tools),
            tools,
            agents: ServedAgents::default(),
            held: HeldEnd::default(),
        };
        let deadline = deadline(options, clock);
        Self { sources, suite, options, stop, deadline, secrets, events, shared }
    }
}

impl SuiteDeadline {
    /// Whether it has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.at <= Instant::now()
    }
}

fn deadline(options: &RunOptions<'_>, clock: &Clock) -> Option<SuiteDeadline> {
    let of_suite = options.suite_timeout.and_then(|after| {
        let at = Instant::from_std(clock.started()).checked_add(after)?;
        Some(SuiteDeadline { at, after, flag: "--timeout" })
    });
    let of_budget = options.settings.budget.as_ref().and_then(|budget| budget.deadline());
    let of_budget = of_budget.map(|(at, after)| SuiteDeadline { at: Instant::from_std(at), after, flag: "--max-wall" });
    of_suite.into_iter().chain(of_budget).min_by_key(|deadline| deadline.at)
}
