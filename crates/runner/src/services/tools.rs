//! Tools over HTTP: one stub tool server per suite, and the routes of each case while it runs.

use std::sync::Arc;

use agentci_drivers::ToolBases;
use agentci_plan::{AnsweredBy, Case, Mode, Routes, Target, ToolSource, UnansweredRoute, World};
use agentci_source::Place;
use agentci_stubs::{
    Faults, LateCalls, RouteError, RouteMiss, RouteOptions, RouteServer, RouteServerOptions, RouteSession,
};
use agentci_trace::{EventKind, Redactor, Trace};
use agentci_verdict::{Cause, Finding};
use tokio::sync::mpsc::UnboundedSender;

use super::{has_own_agent, is_running};
use crate::{job::CaseJob, run::RunPlan, setup_error::SetupError};

/// The address of tools that are never called.
const NOWHERE: &str = "http://127.0.0.1:0";

/// The maximum number of different misses that are reported per case.
const MOST_TOLD: usize = 10;

/// The stub tool server of a suite.
pub(crate) struct ToolServer {
    /// The server, or why it could not be started; `None` if no case needs it.
    server: Option<Result<RouteServer, String>>,
    /// Whether each case has its own paths, because several run concurrently.
    scoped: bool,
    /// Whether an agent that agentci does not start calls it.
    called_by_running: bool,
    /// The agents and worlds of all cases that need it.
    worlds: Vec<(Arc<Target>, Arc<World>)>,
}

/// The open tools of a running case.
pub(crate) struct OpenTools {
    pub(crate) session: RouteSession,
    routes: Arc<Routes>,
}

impl ToolServer {
    /// No server, for a run that starts no agent.
    pub(crate) fn absent() -> Self {
        Self { server: None, scoped: false, called_by_running: false, worlds: Vec::new() }
    }

    pub(crate) async fn start(run: &RunPlan<'_>) -> Self {
        let options = run.options;
        let routed = run.written().filter(|case| routes(&case.world).is_some());
        let needed = routed.clone().any(|case| case.skip.is_none());
        let scoped = run.lanes() > 1;
        if !needed {
            return Self { server: None, scoped, called_by_running: false, worlds: Vec::new() };
        }
        let called_by_running = routed.clone().any(|case| is_called_by_running(case, options.mode));
        let expected = || routed.clone().find_map(|case| routes(&case.world)?.port);
        let port =
            if options.settings.stub_port == 0 { expected().unwrap_or_default() } else { options.settings.stub_port };
        let worlds = routed.map(|case| (Arc::clone(&case.target), Arc::clone(&case.world))).collect();
        let wanted = RouteServerOptions { bind: options.settings.stub_bind, port };
        let started = RouteServer::start(wanted).await.map_err(|error| error.to_string());
        Self { server: Some(started), scoped, called_by_running, worlds }
    }

    /// Its address, if an agent that agentci does not start calls it: such an agent is not told the address.
    pub(crate) fn for_running_agents(&self) -> Option<String> {
        let server = self.server.as_ref()?.as_ref().ok()?;
        self.called_by_running.then(|| server.url())
    }

    /// A note for a failed case whose agent was already running and called none of its tools.
    pub(crate) fn uncalled(&self, job: &CaseJob<'_>, trace: &Trace) -> Option<String> {
        let has_tools = routes(&job.case.world).is_some_and(|routes| !routes.tools.is_empty());
        let address = self.for_running_agents().filter(|_| has_tools && is_running(job.case))?;
        trace.asked_calls().is_empty().then(|| {
            format!(
                "the agent called no tool at {address}, the stub tool server: it is already running, so it must know \
                 this address; set the port that it expects with `--stub-port`"
            )
        })
    }

    /// Opens the tools of a case, if it has any over HTTP.
    pub(crate) fn open(
        &self,
        job: &CaseJob<'_>,
        faults: Faults,
        observer: Option<UnboundedSender<EventKind>>,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<OpenTools>, SetupError> {
        let (Some(routes), Some(server)) = (routes(&job.case.world), &self.server) else { return Ok(None) };
        let server = server.as_ref().map_err(|error| {
            job.invalid(routes.span, format!("the stub tool server could not be started: {error}"))
                .help("choose another address with `--stub-port` or `--stub-bind`")
        })?;
        let own = format!("case-{}", job.index + 1);
        let options = RouteOptions {
            routes: Arc::clone(routes),
            mode: mode(job, routes),
            faults,
            observer,
            files: job.run.options.files,
            variables,
        };
        let opened = match (self.scoped, has_own_agent(job)) {
            (true, _) => server.open(Some(&own), options),
            (false, true) => server.open_alone(&own, options),
            (false, false) => server.open(None, options),
        };
        let session = opened.map_err(|error| {
            let span = match &error {
                RouteError::File { span, .. } | RouteError::Answer { span, .. } | RouteError::Live { span, .. } => {
                    *span
                }
                RouteError::Address(..) | RouteError::Taken(_) | RouteError::Suite { .. } | RouteError::Write(_) => {
                    routes.span
                }
            };
            job.invalid(span, error.to_string())
        })?;
        Ok(Some(OpenTools { session, routes: Arc::clone(routes) }))
    }

    /// Whether every request is attributed to the case that is running.
    pub(crate) fn is_shared(&self, job: &CaseJob<'_>) -> bool {
        self.server.is_some() && !self.scoped && !has_own_agent(job)
    }

    /// The base addresses of a case's tools. If the whole conversation is replayed, they are never called.
    pub(crate) fn bases(&self, job: &CaseJob<'_>, open: Option<&OpenTools>) -> ToolBases {
        let bases = match (open, routes(&job.case.world)) {
            (Some(open), _) => open.session.bases(),
            (None, Some(routes)) => {
                routes.bases.iter().map(|base| (base.name.value.clone(), NOWHERE.to_owned())).collect()
            }
            (None, None) => Vec::new(),
        };
        // An agent that is started for this attempt gets them in its environment.
        ToolBases { bases, tell: self.scoped && !has_own_agent(job) }
    }

    /// The base addresses for an agent that is started once for many cases: paths that do not belong to one case.
    pub(crate) fn shared_bases(&self, agent: &Target, mode: Mode) -> Vec<(String, String)> {
        let Some(Ok(server)) = &self.server else { return Vec::new() };
        let mut bases: Vec<(String, String)> = Vec::new();
        let worlds = self.worlds.iter().filter(|(target, _)| **target == *agent).map(|(_, world)| world);
        for base in worlds.filter_map(|world| routes(world)).flat_map(|routes| routes.bases.iter()) {
            let name = &base.name.value;
            if !bases.iter().any(|(known, _)| known == name) {
                let base = match mode {
                    Mode::Replay => server.url(),
                    // The name determines where a request is forwarded to.
                    Mode::Record | Mode::Live => format!("{}/{name}", server.url()),
                };
                bases.push((name.clone(), base));
            }
        }
        bases
    }
}

impl OpenTools {
    /// The unanswered requests so far: as findings, and as warnings if the suite says so.
    pub(crate) fn misses(&self, job: &CaseJob<'_>) -> (Vec<Finding>, Vec<String>) {
        let help = "add an answer for it, or find out why the agent requests it";
        let place = job.place(self.routes.span);
        let (findings, mut warnings) = judged(self.session.misses(), self.routes.miss, &place, help);
        warnings.dedup();
        (findings, warnings)
    }

    /// Calls that arrive after the end of their case.
    pub(crate) fn late(&self, job: &CaseJob<'_>) -> LateToolCalls {
        LateToolCalls { calls: self.session.late_calls(), miss: self.routes.miss, place: job.place(self.routes.span) }
    }

    /// Saves the recorded answers of an attempt that finished.
    pub(crate) fn save(&self, job: &CaseJob<'_>, secrets: &Redactor) -> Option<Finding> {
        let error = self.session.save_recording(secrets).err()?;
        Some(job.invalid(self.routes.span, format!("the tool answers could not be written: {error}")))
    }
}

/// The calls of a case that come when it is over.
pub(crate) struct LateToolCalls {
    calls: LateCalls,
    miss: UnansweredRoute,
    place: Place,
}

impl LateToolCalls {
    /// The findings or warnings for these calls.
    pub(crate) fn told(self) -> (Vec<Finding>, Vec<String>) {
        let help = "make the agent wait for its tools before it answers";
        judged(self.calls.calls(), self.miss, &self.place, help)
    }
}

/// Judges unanswered calls: findings, or warnings if the suite says so.
fn judged(calls: Vec<RouteMiss>, rule: UnansweredRoute, place: &Place, help: &str) -> (Vec<Finding>, Vec<String>) {
    let calls = told(calls).into_iter();
    match rule {
        UnansweredRoute::Fail => (calls.map(|call| missed(call, place, "these tools", help)).collect(), Vec::new()),
        UnansweredRoute::Warn => (Vec::new(), calls.map(|call| call.message).collect()),
    }
}

/// The finding for an unanswered call.
pub(crate) fn missed(miss: RouteMiss, place: &Place, label: &str, help: &str) -> Finding {
    let finding = Finding::new(Cause::StubMiss, miss.message).at(place.clone(), label).help(help);
    Finding { notes: miss.notes, ..finding }
}

/// Removes repeated misses and limits their number: an agent that retries sends the same request again and again.
pub(crate) fn told(misses: Vec<RouteMiss>) -> Vec<RouteMiss> {
    let mut told: Vec<(RouteMiss, usize)> = Vec::new();
    let mut untold = 0;
    for miss in misses {
        if let Some((_, times)) = told.iter_mut().find(|(known, _)| *known == miss) {
            *times += 1;
        } else if told.len() < MOST_TOLD {
            told.push((miss, 1));
        } else {
            untold += 1;
        }
    }
    let last = told.len().saturating_sub(1);
    let noted = told.into_iter().enumerate().map(|(at, (mut miss, times))| {
        if times > 1 {
            miss.notes.push(format!("requested {times} times"));
        }
        if at == last && untold > 0 {
            miss.notes.push(format!("and {untold} more unanswered requests"));
        }
        miss
    });
    noted.collect()
}

/// The routes of a world whose tools are called over HTTP.
pub(crate) fn routes(world: &World) -> Option<&Arc<Routes>> {
    match &world.tools {
        ToolSource::Routes(routes) => Some(routes),
        ToolSource::None | ToolSource::Cassette(_) => None,
    }
}

/// Whether the agent of a case is already running and calls tools that are played or recorded for it.
fn is_called_by_running(case: &Case, mode: Mode) -> bool {
    let has_tools = routes(&case.world).is_some_and(|routes| mode == Mode::Record || !routes.tools.is_empty());
    let played = matches!(case.answered_by(mode), AnsweredBy::Recording(_));
    case.skip.is_none() && has_tools && is_running(case) && !played
}

/// The mode of a case's tools. If only the model is recorded they are played in every mode, unless there are live
/// tools.
fn mode(job: &CaseJob<'_>, routes: &Routes) -> Mode {
    let alone = job.case.world.recorded_model.is_some() && routes.bases.iter().all(|base| base.live.is_none());
    if alone { Mode::Replay } else { job.run.options.mode }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn miss(what: usize) -> RouteMiss {
        RouteMiss { tool: "pay".into(), message: format!("no answer to {what}"), notes: Vec::new() }
    }

    #[test]
    fn repeated_misses_are_reported_once() {
        let told = told(vec![miss(1), miss(2), miss(1), miss(1)]);
        let notes: Vec<(&str, &[String])> = told.iter().map(|miss| (&*miss.message, &*miss.notes)).collect();
        assert_eq!(notes, [("no answer to 1", &["requested 3 times".to_owned()][..]), ("no answer to 2", &[])]);
    }

    #[test]
    fn reports_first_misses_and_counts_the_rest() {
        let told = told((0..1000).map(miss).collect());
        assert_eq!(told.len(), MOST_TOLD);
        assert_eq!(told[MOST_TOLD - 1].notes, ["and 990 more unanswered requests"]);
    }
}
