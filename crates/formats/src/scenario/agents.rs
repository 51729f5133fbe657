//! Assigns scenarios to agents.

use std::path::{Path, PathBuf};

use agentci_source::{Files, join, relative};

use super::project::TOP;
use crate::document::OpenedFile;

/// The folder that contains a folder for each agent.
pub(crate) const TESTS: &str = "tests";

/// Maximum number of folders to search upwards for it.
const MOST_STEPS: usize = 64;

/// The folder of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentFolder {
    pub(crate) folder: PathBuf,
    /// The folder that its paths must not leave: the one with all agents, if there is one.
    pub(crate) root: PathBuf,
}

pub(crate) struct ScenarioAgent {
    pub(crate) slug: String,
    pub(crate) home: AgentFolder,
    pub(crate) scenarios: Vec<OpenedFile>,
}

/// All agents found so far.
pub(crate) struct ScenarioAgents<'f> {
    files: &'f dyn Files,
    /// The folder with all agents, if the caller named it.
    tests: Option<PathBuf>,
    met: Vec<ScenarioAgent>,
}

impl<'f> ScenarioAgents<'f> {
    pub(crate) fn new(files: &'f dyn Files, tests: Option<&Path>) -> Self {
        Self { files, tests: tests.map(|tests| join(tests, "")), met: Vec::new() }
    }

    /// The folder with all agents: the one that the caller named, else `tests`.
    pub(crate) fn tests(&self) -> PathBuf {
        self.tests.clone().unwrap_or_else(|| PathBuf::from(TESTS))
    }

    /// The agent that a folder belongs to: the folder directly below the nearest parent folder `tests`, or below the
    /// folder that the caller named.
    pub(crate) fn home(&self, folder: &Path) -> Option<AgentFolder> {
        let mut folder = join(folder, "");
        if let Some(tests) = &self.tests {
            let below = relative(tests, &folder);
            let name = below.components().next()?;
            let within = matches!(name, std::path::Component::Normal(_)) && folder.is_absolute() == tests.is_absolute();
            return within.then(|| AgentFolder {
                folder: join(tests, &name.as_os_str().to_string_lossy()),
                root: tests.clone(),
            });
        }
        for _ in 0..MOST_STEPS {
            let above = self.files.parent(&folder).filter(|_| self.files.kind(&join(&folder, TOP)).is_none())?;
            if self.files.name(&above).is_some_and(|name| name == TESTS) {
                return Some(AgentFolder { folder, root: above });
            }
            folder = above;
        }
        None
    }

    /// Adds a scenario to its agent.
    pub(crate) fn add(&mut self, home: AgentFolder, scenario: OpenedFile) {
        if let Some(agent) = self.met.iter_mut().find(|agent| agent.home == home) {
            return agent.scenarios.push(scenario);
        }
        let slug = self.files.name(&home.folder).unwrap_or_else(|| TESTS.to_owned());
        self.met.push(ScenarioAgent { slug, home, scenarios: vec![scenario] });
    }

    /// The agents in the order they were found, their scenarios sorted by path.
    pub(crate) fn finish(&mut self) -> Vec<ScenarioAgent> {
        let mut agents = std::mem::take(&mut self.met);
        for agent in &mut agents {
            agent.scenarios.sort_by(|one, other| one.path.cmp(&other.path));
        }
        agents
    }
}
