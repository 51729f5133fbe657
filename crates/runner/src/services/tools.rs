//! Tools over HTTP: one server for a suite, and the routes of each case while it runs.

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
use crate::{job::CaseJob, open_error::NotOpened, run::RunPlan};

/// What a tool's address is where no tool will be called.
const NOWHERE: &str = "http://127.0.0.1:0";

/// How many different misses of a case are told.
const MOST_TOLD: usize = 10;

/// The server that plays the tools of a suite's cases.
pub(crate) struct ToolServer {
    /// The server, or why there is none; nothing where no case needs it.
    server: Option<Result<RouteServer, String>>,
    /// Whether each case has paths of its own, since several run at once.
    scoped: bool,
    /// Whether an agent calls it that the run does not start.
    called_by_running: bool,
    /// The agents of all cases that need it, and what each of them meets.
    worlds: Vec<(Arc<Target>, Arc<World>)>,
}

/// The tools of one case while it runs.
pub(crate) struct OpenTools {
    pub(crate) session: RouteSession,
    routes: Arc<Routes>,
}

impl ToolServer {
    pub(crate) async fn start(run: &RunPlan<'_>) -> Self {
        let options = run.options;
        let routed = run.selected().filter(|case| routes(&case.world).is_some());
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

    /// Where it is, if an agent calls it that the run does not start: nobody else tells that agent.
    pub(crate) fn for_running_agents(&self) -> Option<String> {
        let server = self.server.as_ref()?.as_ref().ok()?;
        self.called_by_running.then(|| server.url())
    }

    /// What to add to the failure of a case whose agent runs already and called none of its tools.
    pub(crate) fn uncalled(&self, job: &CaseJob<'_>, trace: &Trace) -> Option<String> {
        let has_tools = routes(&job.case.world).is_some_and(|routes| !routes.tools.is_empty());
        let address = self.for_running_agents().filter(|_| has_tools && is_running(job.case))?;
        trace.asked_calls().is_empty().then(|| {
            format!(
                "the agent called no tool at {address}, where they are played: it already runs, so it has to know this address; \
                 `--stub-port` sets the port that it expects"
            )
        })
    }

    /// Serves the tools of a case, if it has some over HTTP.
    pub(crate) fn open(
        &self,
        job: &CaseJob<'_>,
        faults: Faults,
        observer: Option<UnboundedSender<EventKind>>,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<OpenTools>, NotOpened> {
        let (Some(routes), Some(server)) = (routes(&job.case.world), &self.server) else { return Ok(None) };
        let server = server.as_ref().map_err(|error| {
            job.invalid(routes.span, format!("the stub tool server could not be started: {error}"))
                .help("choose another with `--stub-port` or `--stub-bind`")
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

    /// Whether whatever comes is taken for the case that is running.
    pub(crate) fn is_shared(&self, job: &CaseJob<'_>) -> bool {
        self.server.is_some() && !self.scoped && !has_own_agent(job)
    }

    /// What leads the agent of a case to its tools. In a replay of the whole conversation nobody will go there.
    pub(crate) fn bases(&self, job: &CaseJob<'_>, open: Option<&OpenTools>) -> ToolBases {
        let bases = match (open, routes(&job.case.world)) {
            (Some(open), _) => open.session.bases(),
            (None, Some(routes)) => {
                routes.bases.iter().map(|base| (base.name.value.clone(), NOWHERE.to_owned())).collect()
            }
            (None, None) => Vec::new(),
        };
        // An agent of its own finds them in its environment.
        ToolBases { bases, tell: self.scoped && !has_own_agent(job) }
    }

    /// What leads an agent that is started once for many cases to their tools: the paths that no case has for itself.
    pub(crate) fn shared_bases(&self, agent: &Target, mode: Mode) -> Vec<(String, String)> {
        let Some(Ok(server)) = &self.server else { return Vec::new() };
        let mut bases: Vec<(String, String)> = Vec::new();
        let worlds = self.worlds.iter().filter(|(target, _)| **target == *agent).map(|(_, world)| world);
        for base in worlds.filter_map(|world| routes(world)).flat_map(|routes| routes.bases.iter()) {
            let name = &base.name.value;
            if !bases.iter().any(|(known, _)| known == name) {
                let base = match mode {
                    Mode::Replay => server.url(),
                    // By the name it is known where a request is forwarded to.
                    Mode::Record | Mode::Live => format!("{}/{name}", server.url()),
                };
                bases.push((name.clone(), base));
            }
        }
        bases
    }
}

impl OpenTools {
    /// The requests so far that nothing answers, as findings; the other list are those that are only odd.
    pub(crate) fn misses(&self, job: &CaseJob<'_>) -> (Vec<Finding>, Vec<String>) {
        let help = "add an answer for it, or find out why the agent asks this";
        let place = job.place(self.routes.span);
        let (findings, mut warnings) = judged(self.session.misses(), self.routes.miss, &place, help);
        warnings.dedup();
        (findings, warnings)
    }

    /// The calls of the case that come when it is over.
    pub(crate) fn late(&self, job: &CaseJob<'_>) -> Late {
        Late { calls: self.session.late_calls(), miss: self.routes.miss, place: job.place(self.routes.span) }
    }

    /// Keeps what was recorded of an attempt that came to its end.
    pub(crate) fn save(&self, job: &CaseJob<'_>, secrets: &Redactor) -> Option<Finding> {
        let error = self.session.save_recording(secrets).err()?;
        Some(job.invalid(self.routes.span, format!("the answers of tools could not be written: {error}")))
    }
}

/// The calls of a case that come when it is over.
pub(crate) struct Late {
    calls: LateCalls,
    miss: UnansweredRoute,
    place: Place,
}

impl Late {
    /// What they come to: findings, or warnings.
    pub(crate) fn told(self) -> (Vec<Finding>, Vec<String>) {
        let help = "let the agent wait for its tools before it answers";
        judged(self.calls.calls(), self.miss, &self.place, help)
    }
}

/// Calls that nothing answers: findings, or warnings where the suite says so.
fn judged(calls: Vec<RouteMiss>, rule: UnansweredRoute, place: &Place, help: &str) -> (Vec<Finding>, Vec<String>) {
    let calls = told(calls).into_iter();
    match rule {
        UnansweredRoute::Fail => (calls.map(|call| missed(call, place, "these tools", help)).collect(), Vec::new()),
        UnansweredRoute::Warn => (Vec::new(), calls.map(|call| call.message).collect()),
    }
}

/// A call that nothing answers.
pub(crate) fn missed(miss: RouteMiss, place: &Place, label: &str, help: &str) -> Finding {
    let finding = Finding::new(Cause::StubMiss, miss.message).at(place.clone(), label).help(help);
    Finding { notes: miss.notes, ..finding }
}

/// The misses that are worth telling: an agent that tries again and again asks the same, or ever more of its kind.
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
            miss.notes.push(format!("asked {times} times"));
        }
        if at == last && untold > 0 {
            miss.notes.push(format!("and {untold} more requests that nothing answers"));
        }
        miss
    });
    noted.collect()
}

/// The tools of a world that are over HTTP.
pub(crate) fn routes(world: &World) -> Option<&Arc<Routes>> {
    match &world.tools {
        ToolSource::Routes(routes) => Some(routes),
        ToolSource::None | ToolSource::Cassette(_) => None,
    }
}

/// Whether the agent of a case runs already and calls tools that are played, or recorded, for it.
fn is_called_by_running(case: &Case, mode: Mode) -> bool {
    let has_tools = routes(&case.world).is_some_and(|routes| mode == Mode::Record || !routes.tools.is_empty());
    let played = matches!(case.answered_by(mode), AnsweredBy::Recording(_));
    case.skip.is_none() && has_tools && is_running(case) && !played
}

/// How the tools of a case are played. Beside a model that is recorded alone they are played in every mode, unless there are live
/// ones to ask.
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
    fn an_agent_that_asks_again_and_again_is_told_of_once() {
        let told = told(vec![miss(1), miss(2), miss(1), miss(1)]);
        let notes: Vec<(&str, &[String])> = told.iter().map(|miss| (&*miss.message, &*miss.notes)).collect();
        assert_eq!(notes, [("no answer to 1", &["asked 3 times".to_owned()][..]), ("no answer to 2", &[])]);
    }

    #[test]
    fn of_many_misses_the_first_are_told_and_the_rest_counted() {
        let told = told((0..1000).map(miss).collect());
        assert_eq!(told.len(), MOST_TOLD);
        assert_eq!(told[MOST_TOLD - 1].notes, ["and 990 more requests that nothing answers"]);
    }
}
