//! What an attempt meets that it shares with others: tools over HTTP, and an agent that is a server.

use agentci_drivers::ToolBases;
use agentci_stubs::Faults;
use agentci_trace::Kind;
use tokio::sync::mpsc::UnboundedSender;

use crate::job::Job;
use crate::mock_model::{self, Model};
use crate::prepare::Unprepared;
use crate::services::{OpenTools, PORT, Reached, Services, has_own_agent};
use crate::variables::Scope;

/// What an attempt meets that it shares with others.
#[derive(Default)]
pub(crate) struct Surroundings {
    /// The tools of the case that are over HTTP.
    pub(crate) tools: Option<OpenTools>,
    /// What leads the agent to them.
    pub(crate) bases: ToolBases,
    /// What an agent that is started for this attempt finds in its environment.
    pub(crate) environment: Vec<(String, String)>,
    /// What is odd already.
    pub(crate) warning: Option<String>,
}

/// Has the tools of the case served and its agent run, and tells the case where they are. A replay needs neither.
pub(crate) async fn surroundings(
    job: &Job<'_>,
    number: u32,
    scope: &mut Scope<'_>,
    replayed: bool,
    faults: Faults,
    observer: Option<&UnboundedSender<Kind>>,
    model: Option<&Model>,
) -> Result<Surroundings, Unprepared> {
    let Services { tools: server, agents, .. } = job.services;
    let tools = if replayed {
        None
    } else {
        server.open(job, faults, observer.cloned(), &|name| scope.get(name)).map_err(|finding| *finding)?
    };
    let bases = server.bases(job, tools.as_ref());
    for (name, base) in &bases.bases {
        scope.set(name, base);
    }
    if replayed {
        // Nobody will be asked there, but the address must be one.
        if scope.get(PORT).is_none() {
            scope.set(PORT, "0");
        }
        return Ok(Surroundings { bases, ..Surroundings::default() });
    }
    let environment = || {
        let mut told = if has_own_agent(job) {
            bases.bases.clone()
        } else {
            // An agent that is started now serves the cases to come as well.
            server.shared_bases(&job.case.target, job.options.mode)
        };
        told.extend(model.iter().flat_map(|model| model.environment.iter().cloned()));
        if !told.is_empty() {
            told.extend(mock_model::no_proxy(job.options.environment));
        }
        told
    };
    let Reached { variables, warning } = agents.reach(job, number, &|name| scope.get(name), &environment).await?;
    for (name, value) in &variables {
        scope.set(name, value);
    }
    let environment = if tools.is_some() { bases.bases.clone() } else { Vec::new() };
    Ok(Surroundings { tools, bases, environment, warning })
}
