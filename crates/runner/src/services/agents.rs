//! Agents that are servers, each started once for all cases that share it; one that is led to a scripted model or to played tools,
//! which are there for one attempt, is started for that attempt alone, unless each question tells it where its model is.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use agentci_plan::{Case, HttpServer, HttpTarget, Target, ToolSource};
use tokio::sync::Mutex;

use super::agent::{PORT, ServedAgent, ServerEnvironment, unreachable};
use crate::{job::CaseJob, open_error::NotOpened};

/// Agents that are servers.
#[derive(Default)]
pub(crate) struct ServedAgents {
    /// All lanes look here, on one thread. Nothing is awaited while it is borrowed: who waits holds an agent's own lock.
    known: RefCell<Vec<SharedAgent>>,
}

/// One of them; cases that want it while it is being started wait.
#[derive(Clone)]
struct SharedAgent {
    target: Arc<Target>,
    whose: AgentOwner,
    /// Shared by the cases that use the agent, on one thread; whoever starts or stops it holds the lock while it waits.
    state: Rc<Mutex<StartState>>,
}

/// Whom an agent is there for.
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
    /// No case needed it so far.
    #[default]
    Wanted,
    /// It runs, or did when it was last looked at.
    Running(Box<ServedAgent>),
    /// It could not be started for this case; no other tries again.
    Failed(String),
}

/// An agent that can be asked.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// The port that was chosen for it.
    pub(crate) port: Option<u16>,
    /// That it had to be started again.
    pub(crate) warning: Option<String>,
    /// Its process id.
    pub(crate) started: Option<u32>,
}

/// Whether a server that the run starts is there for one attempt alone: it is led to a model of that attempt, or to tools that
/// could otherwise be called for another case.
pub(crate) fn has_own_agent(job: &CaseJob<'_>) -> bool {
    let Some((http, server)) = program(&job.case.target) else { return false };
    // Each start has a new address; one that is fixed may still be taken.
    let plays_tools = matches!(job.case.world.tools, ToolSource::Routes(_));
    is_led_to_own(job.case, http) || (plays_tools && http.url.value.uses(PORT) && server.shared.is_none())
}

/// Whether the agent of a case is led to what is there for one attempt: a model, MCP servers, or a recorder.
fn is_led_to_own(case: &Case, http: &HttpTarget) -> bool {
    case.recorded_world().is_some()
        || (case.world.model.is_some() && !http.tells_of_model())
        || (!case.world.mcp.is_empty() && !http.tells_of_mcp())
}

/// Whether the agent of a case is started for it alone, at an address that other cases may want as well.
pub(crate) fn takes_turns(case: &Case) -> bool {
    program(&case.target).is_some_and(|(http, _)| is_led_to_own(case, http) && !http.url.value.uses(PORT))
}

/// Whether the agent of a case is a server that somebody else started, who told it where its tools are.
pub(crate) fn is_running(case: &Case) -> bool {
    match &*case.target {
        Target::Http(http) => http.server.is_none(),
        Target::Agui(_) | Target::A2a(_) => true,
        Target::Process(_) | Target::Mock(_) | Target::Mcp(_) | Target::Chat(_) => false,
    }
}

/// The program of a target that the run starts itself.
fn program(target: &Target) -> Option<(&HttpTarget, &HttpServer)> {
    match target {
        Target::Http(http) => http.server.as_ref().map(|server| (&**http, server)),
        Target::Process(_) | Target::Mock(_) | Target::Agui(_) | Target::A2a(_) | Target::Mcp(_) | Target::Chat(_) => {
            None
        }
    }
}

impl ServedAgents {
    /// Makes sure that the agent of a case runs, where it is ours to start.
    pub(crate) async fn reach(
        &self,
        job: &CaseJob<'_>,
        number: u32,
        lookup: &dyn Fn(&str) -> Option<String>,
        environment: &dyn Fn() -> ServerEnvironment,
    ) -> Result<Reached, NotOpened> {
        let shared = || self.shared(job, number);
        match program(&job.case.target) {
            // Apart, since it takes much room in cases that have none.
            Some((http, server)) => Box::pin(shared().run(job, http, server, lookup, environment)).await,
            None => Ok(Reached::default()),
        }
    }

    /// How the agent of a case left, in words, if it did; and what it printed last. One that broke off may be about to leave.
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

    /// Ends the agent of a case that was given up while it was busy, so that what it still does is not taken for the next case's;
    /// that one starts it again.
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

    /// An attempt is over, and with it the agent that was there for it alone.
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

    /// Ends them all.
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
    ) -> Result<Reached, NotOpened> {
        let mut state = self.state.lock().await;
        let mut warning = None;
        match &mut *state {
            StartState::Wanted => {}
            StartState::Failed(case) => {
                let message = format!("the agent could not be started, as the case `{case}` tells");
                return Err(unreachable(job, server, message).into());
            }
            StartState::Running(agent) => match agent.left().await {
                None => {
                    // Of several cases at once nobody can tell whose words they are.
                    if job.run.shared.tools.is_shared(job) {
                        agent.begin_case();
                    }
                    return Ok(Reached { port: agent.port, warning: None, started: agent.process.id() });
                }
                Some(exit) => {
                    warning =
                        Some(format!("the agent had ended with {exit} after an earlier case, and was started again"));
                }
            },
        }
        if let StartState::Running(gone) = std::mem::take(&mut *state) {
            Box::pin(gone.stop()).await;
        }
        let started = Box::pin(ServedAgent::start(job, http, server, lookup, environment())).await;
        match started {
            Ok(agent) => {
                let reached = Reached { port: agent.port, warning, started: agent.process.id() };
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
