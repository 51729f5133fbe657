//! Agents that are servers. Each is started once for all cases that share it. An agent that uses a scripted model or
//! played tools of one attempt is started for that attempt alone, unless each request tells it where its model is.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use agentci_plan::{Case, HttpServer, HttpTarget, Target, ToolSource};
use tokio::sync::Mutex;

use super::agent::{PORT, ServedAgent, ServerEnvironment, unreachable};
use crate::{job::CaseJob, setup_error::SetupError};

/// Agents that are servers.
#[derive(Default)]
pub(crate) struct ServedAgents {
    /// Shared by all lanes on one thread. Nothing is awaited while this is borrowed; waiting happens under the lock of
    /// one agent.
    known: RefCell<Vec<SharedAgent>>,
}

/// One agent; cases that need it while it is starting wait.
#[derive(Clone)]
struct SharedAgent {
    target: Arc<Target>,
    whose: AgentOwner,
    /// Shared by the cases that use the agent, on one thread; the lock is held while the agent is started or stopped.
    state: Rc<Mutex<StartState>>,
}

/// Which cases an agent serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentOwner {
    All,
    Attempt { case: usize, number: u32 },
}

impl AgentOwner {
    fn of(job: &CaseJob<'_>, number: u32) -> Self {
        if has_own_agent(job) { AgentOwner::Attempt { case: job.index, number } } else { AgentOwner::All }
    }
}

#[derive(Default)]
enum StartState {
    /// No case has needed it so far.
    #[default]
    Wanted,
    /// It is running, or was at the last check.
    Running(Box<ServedAgent>),
    /// It could not be started for this case; other cases do not try again.
    Failed(String),
}

/// An agent that is reachable.
#[derive(Debug, Default)]
pub(crate) struct ReachedAgent {
    /// The port that was chosen for it.
    pub(crate) port: Option<u16>,
    /// The warning that it had to be restarted.
    pub(crate) warning: Option<String>,
    /// Its process id.
    pub(crate) started: Option<u32>,
}

/// Whether an agent that agentci starts serves one attempt alone: it uses a model of that attempt, or tools that could
/// otherwise be called for another case.
pub(crate) fn has_own_agent(job: &CaseJob<'_>) -> bool {
    let Some((http, server)) = program(&job.case.target) else { return false };
    // With `PORT` each start gets a new address; a fixed address may still be in use.
    let plays_tools = matches!(job.case.world.tools, ToolSource::Routes(_));
    is_led_to_own(job.case, http) || (plays_tools && http.url.value.uses(PORT) && server.shared.is_none())
}

/// Whether the agent of a case uses something that exists for one attempt only: a model, MCP servers, or a recorder.
fn is_led_to_own(case: &Case, http: &HttpTarget) -> bool {
    case.recorded_world().is_some()
        || (case.world.model.is_some() && !http.tells_of_model())
        || (!case.world.mcp.is_empty() && !http.tells_of_mcp())
}

/// Whether the agent of a case is started for it alone at a fixed address, which other cases may need too.
pub(crate) fn takes_turns(case: &Case) -> bool {
    program(&case.target).is_some_and(|(http, _)| is_led_to_own(case, http) && !http.url.value.uses(PORT))
}

/// Whether the agent of a case is a server that agentci does not start, and that was configured with the address of its
/// tools.
pub(crate) fn is_running(case: &Case) -> bool {
    match &*case.target {
        Target::Http(http) => http.server.is_none(),
        Target::Agui(_) | Target::A2a(_) => true,
        Target::Process(_) | Target::Mock(_) | Target::Mcp(_) | Target::Chat(_) => false,
    }
}

/// The program of a target that agentci starts.
fn program(target: &Target) -> Option<(&HttpTarget, &HttpServer)> {
    match target {
        Target::Http(http) => http.server.as_ref().map(|server| (&**http, server)),
        Target::Process(_) | Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => {
            None
        }
    }
}

impl ServedAgents {
    /// Makes sure that the agent of a case is running, if agentci starts it.
    pub(crate) async fn reach(
        &self,
        job: &CaseJob<'_>,
        number: u32,
        lookup: &dyn Fn(&str) -> Option<String>,
        environment: &dyn Fn() -> ServerEnvironment,
    ) -> Result<ReachedAgent, SetupError> {
        let shared = || self.shared(job, number);
        match program(&job.case.target) {
            // Boxed, so that cases without such an agent do not pay for its size.
            Some((http, server)) => Box::pin(shared().run(job, http, server, lookup, environment)).await,
            None => Ok(ReachedAgent::default()),
        }
    }

    /// A note on how the agent of a case exited, if it did, and the end of its output. An agent that dropped a
    /// connection may be about to exit.
    pub(crate) async fn look(&self, job: &CaseJob<'_>, number: u32, broke_off: bool) -> (Option<String>, Vec<String>) {
        if program(&job.case.target).is_none() {
            return (None, Vec::new());
        }
        let shared = self.shared(job, number);
        let mut state = shared.state.lock().await;
        let StartState::Running(agent) = &mut *state else { return (None, Vec::new()) };
        let left = if broke_off { agent.leaves().await } else { agent.left().await };
        match left {
            Some(exit) => (Some(format!("the agent ended with {exit}")), agent.last_words().await),
            None => (None, agent.printed()),
        }
    }

    /// Stops the agent of a case that timed out while the agent was busy, so that its later calls are not attributed to
    /// the next case, which restarts it.
    pub(crate) async fn give_up(&self, job: &CaseJob<'_>, number: u32) {
        if program(&job.case.target).is_none() {
            return;
        }
        let shared = self.shared(job, number);
        let mut state = shared.state.lock().await;
        if let StartState::Running(agent) = &mut *state
            && agent.left().await.is_none()
            && let StartState::Running(busy) = std::mem::take(&mut *state)
        {
            busy.stop().await;
        }
    }

    /// Stops an agent that served this attempt alone.
    pub(crate) async fn end(&self, job: &CaseJob<'_>, number: u32) {
        let whose = AgentOwner::of(job, number);
        if whose == AgentOwner::All || program(&job.case.target).is_none() {
            return;
        }
        let position = self.known.borrow().iter().position(|shared| shared.whose == whose);
        let own = position.map(|position| self.known.borrow_mut().swap_remove(position));
        if let Some(own) = own {
            own.stop().await;
        }
    }

    /// Stops all agents.
    pub(crate) async fn stop(&self) {
        let known = self.known.take();
        futures_util::future::join_all(known.iter().map(SharedAgent::stop)).await;
    }

    fn shared(&self, job: &CaseJob<'_>, number: u32) -> SharedAgent {
        let (target, whose) = (&job.case.target, AgentOwner::of(job, number));
        let mut known = self.known.borrow_mut();
        let same = |shared: &&SharedAgent| {
            shared.whose == whose && (Arc::ptr_eq(&shared.target, target) || shared.target == *target)
        };
        if let Some(shared) = known.iter().find(same) {
            return shared.clone();
        }
        let shared = SharedAgent { target: Arc::clone(target), whose, state: Rc::default() };
        known.push(shared.clone());
        shared
    }
}

impl SharedAgent {
    async fn stop(&self) {
        if let StartState::Running(agent) = std::mem::take(&mut *self.state.lock().await) {
            agent.stop().await;
        }
    }

    async fn run(
        &self,
        job: &CaseJob<'_>,
        http: &HttpTarget,
        server: &HttpServer,
        lookup: &dyn Fn(&str) -> Option<String>,
        environment: &dyn Fn() -> ServerEnvironment,
    ) -> Result<ReachedAgent, SetupError> {
        let mut state = self.state.lock().await;
        let mut warning = None;
        match &mut *state {
            StartState::Wanted => {}
            StartState::Failed(case) => {
                let message = format!("the agent could not be started: see the case `{case}`");
                return Err(unreachable(job, server, message).into());
            }
            StartState::Running(agent) => match agent.left().await {
                None => {
                    // The output of concurrent cases cannot be told apart.
                    if job.run.shared.tools.is_shared(job) {
                        agent.begin_case();
                    }
                    return Ok(ReachedAgent { port: agent.port, warning: None, started: agent.process.id() });
                }
                Some(exit) => {
                    warning = Some(format!("the agent ended with {exit} after an earlier case, and was restarted"));
                }
            },
        }
        if let StartState::Running(gone) = std::mem::take(&mut *state) {
            Box::pin(gone.stop()).await;
        }
        let started = Box::pin(ServedAgent::start(job, http, server, lookup, environment())).await;
        match started {
            Ok(agent) => {
                let reached = ReachedAgent { port: agent.port, warning, started: agent.process.id() };
                *state = StartState::Running(Box::new(agent));
                Ok(reached)
            }
            Err(error) => {
                *state = StartState::Failed(job.case.id.to_string());
                Err(error)
            }
        }
    }
}
