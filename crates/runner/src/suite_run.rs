//! State shared by all cases of one run of a suite.

use std::time::Duration;

use agentci_exchange::Clock;
use agentci_plan::{Suite, case_count};
use agentci_source::Sources;
use agentci_trace::Redactor;
use agentci_verdict::RepeatRule;
use tokio::time::Instant;

use crate::budget::MAX_WALL;
use crate::draws::Draws;
use crate::event_sink::EventSink;
use crate::evidence::Evidence;
use crate::options::RunOptions;
use crate::recording::compares_tools;
use crate::repeats::RepeatSpending;
use crate::resources::Library;
use crate::run::RunPlan;
use crate::services::{DeferredEndSlot, ServedAgents, ToolServer};
use crate::stop::Stop;
use crate::unused_faults::PendingFaults;

/// One run of a suite: its input, and the state its cases share.
pub(crate) struct SuiteRun<'r> {
    pub(crate) sources: &'r Sources,
    pub(crate) suite: &'r Suite,
    pub(crate) options: &'r RunOptions<'r>,
    pub(crate) stop: &'r Stop,
    /// When the whole suite times out.
    pub(crate) deadline: Option<SuiteDeadline>,
    /// When a case that is repeated is decided.
    pub(crate) rule: Option<RepeatRule<'r>>,
    /// Secrets of every case of the run.
    pub(crate) secrets: Redactor,
    pub(crate) events: &'r EventSink<'r>,
    pub(crate) shared: RunState,
}

/// Mutable state that the cases of a run share.
pub(crate) struct RunState {
    /// Decides which calls to scripted models fail.
    pub(crate) draws: Draws,
    /// Answers checks that need more than the trace.
    pub(crate) evidence: Evidence,
    /// Scripted models and script files, prepared once for all cases.
    pub(crate) library: Library,
    /// Planned faults that have not happened yet.
    pub(crate) pending_faults: PendingFaults,
    /// Whether the tools of MCP servers are compared with snapshots, which are created in record mode.
    pub(crate) snapshots: bool,
    pub(crate) tools: ToolServer,
    /// Each agent is started by the first case that needs it.
    pub(crate) agents: ServedAgents,
    /// The held-back end of the previous case, if its agent is still running.
    pub(crate) held: DeferredEndSlot,
    /// What all cases have used together.
    pub(crate) repeat_spending: RepeatSpending,
}

/// The deadline of a whole suite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuiteDeadline {
    pub(crate) at: Instant,
    pub(crate) after: Duration,
    /// The flag that set it.
    pub(crate) flag: &'static str,
}

impl<'r> SuiteRun<'r> {
    /// Creates the state that is needed before the first case; the tool server is already started.
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
            pending_faults: PendingFaults::new(&run.cases, options.mode, run.facts.finished.as_deref()),
            snapshots: run.written().any(compares_tools),
            tools,
            agents: ServedAgents::default(),
            held: DeferredEndSlot::default(),
            repeat_spending: RepeatSpending::default(),
        };
        let deadline = deadline(options, clock);
        let rule = run.policy.and_then(|policy| policy.repeats(options.mode.name(), case_count(&run.cases)));
        Self { sources, suite, options, stop, deadline, rule, secrets, events, shared }
    }
}

impl SuiteDeadline {
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
    let of_budget = of_budget.map(|(at, after)| SuiteDeadline { at: Instant::from_std(at), after, flag: MAX_WALL });
    of_suite.into_iter().chain(of_budget).min_by_key(|deadline| deadline.at)
}
