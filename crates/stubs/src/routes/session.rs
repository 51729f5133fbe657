//! The routes of one case while they are served.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use agentci_plan::{Mode, RecordedTool, Routes, ToolBase};
use agentci_source::Files;
use agentci_text::percent_encoded;
use agentci_trace::{EventKind, Redactor};
use tokio::sync::mpsc::UnboundedSender;

use super::error::RouteError;
use super::fixtures::FixtureSet;
use super::forward::ForwardTarget;
use super::late_calls::LateCalls;
use super::miss::RouteMiss;
use super::recorded::{WrittenFixture, fixtures};
use super::session_state::SessionState;
use super::sessions::RouteSessions;
use crate::{Faults, replace_file};

/// The largest suite that recorded answers are written to, as large as one may be.
const SUITE_LIMIT: u64 = 10 << 20;

/// What is served, and how.
pub struct RouteOptions<'o> {
    /// The tools and their answers.
    pub routes: Arc<Routes>,
    /// Whether requests are answered from the fixtures, or by the live tools, and recorded.
    pub mode: Mode,
    /// What goes wrong on purpose.
    pub faults: Faults,
    /// Who is told of calls, results and misses.
    pub observer: Option<UnboundedSender<EventKind>>,
    /// Where the files of answers are.
    pub files: &'o dyn Files,
    /// The variables of live addresses.
    pub variables: &'o dyn Fn(&str) -> Option<String>,
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
    url: String,
    routes: Arc<Routes>,
    active: Arc<SessionState>,
    board: Arc<RouteSessions>,
}

impl RouteSession {
    pub(super) fn open(
        board: &Arc<RouteSessions>,
        url: String,
        (scope, alone): (Option<&str>, bool),
        options: RouteOptions<'_>,
    ) -> Result<Self, RouteError> {
        let RouteOptions { routes, mode, faults, observer, files, variables } = options;
        let (shelf, live) = match mode {
            Mode::Replay => (FixtureSet::new(&routes, files)?, Vec::new()),
            Mode::Record | Mode::Live => {
                let live = routes.bases.iter().map(|base| live(base, variables)).collect::<Result<_, _>>()?;
                (FixtureSet::default(), live)
            }
        };
        let active =
            Arc::new(SessionState::new((scope.map(str::to_owned), alone), mode, shelf, live, faults, observer));
        board.add(Arc::clone(&active))?;
        Ok(Self { url, routes, active, board: Arc::clone(board) })
    }

    /// What the agent is given as the base of its tools, the scope included, without a slash at the end.
    pub fn base(&self) -> String {
        match &self.active.scope {
            Some(scope) => format!("{}/{}", self.url, percent_encoded(scope)),
            None => self.url.clone(),
        }
    }

    /// Each variable that leads the agent to its tools, with its value. When requests are forwarded each has a path of its own,
    /// so that it is known where to.
    pub fn bases(&self) -> Vec<(String, String)> {
        let base = self.base();
        let value = |name: &str| match self.active.mode {
            Mode::Replay => base.clone(),
            Mode::Record | Mode::Live => format!("{base}/{}", percent_encoded(name)),
        };
        self.routes.bases.iter().map(|base| (base.name.value.clone(), value(&base.name.value))).collect()
    }

    /// The requests so far that nothing answered, in the order they came.
    pub fn misses(&self) -> Vec<RouteMiss> {
        self.active.misses()
    }

    /// The calls that come when this is dropped and the case over.
    pub fn late_calls(&self) -> LateCalls {
        self.active.late.clone()
    }

    /// What went wrong on purpose so far.
    pub fn faults(&self) -> Faults {
        self.active.state().faults.clone()
    }

    /// Puts what was recorded in the place of the former fixtures, without its secrets: the files of the answers first, each
    /// named by what it holds so that none is lost, then the suite, whole or not at all. `None` when there is nothing to write:
    /// no tool was called, or nothing is recorded.
    pub fn save_recording(&self, secrets: &Redactor) -> Result<Option<RouteRecording>, RouteError> {
        let Some(record) = self.routes.record.as_ref().filter(|_| self.active.mode == Mode::Record) else {
            return Ok(None);
        };
        let calls = std::mem::take(&mut self.active.state().recorded);
        if calls.is_empty() {
            return Ok(None);
        }
        let tools = fixtures(&calls, secrets);
        let wrong = |reason: String| RouteError::Suite { path: record.suite.clone(), reason };
        let mut bytes = Vec::new();
        let file = fs_err::File::open(&record.suite)?;
        if !file.metadata()?.is_file() {
            return Err(wrong("it is not a regular file".into()));
        }
        if file.take(SUITE_LIMIT + 1).read_to_end(&mut bytes)? as u64 > SUITE_LIMIT {
            return Err(wrong(format!("it has grown to more than {} MiB", SUITE_LIMIT >> 20)));
        }
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text".into()))?;
        let recorded = |(id, list): &(String, Vec<WrittenFixture>)| {
            let fixtures = list.iter().map(|written| written.fixture.clone()).collect();
            RecordedTool { id: id.clone(), fixtures }
        };
        let fixtures: Vec<RecordedTool> = tools.iter().map(recorded).collect();
        let text = (record.writer.0)(&text, record.block, &fixtures).map_err(wrong)?;
        let mut written: Vec<PathBuf> = Vec::new();
        for answer in tools.iter().flat_map(|(_, list)| list) {
            let path = record.folder.join(&answer.fixture.file);
            if !written.contains(&path) {
                replace_file(&path, &answer.bytes)?;
                written.push(path);
            }
        }
        replace_file(&record.suite, text)?;
        Ok(Some(RouteRecording { suite: record.suite.clone(), files: written, calls: calls.len() }))
    }
}

impl Drop for RouteSession {
    fn drop(&mut self) {
        self.board.remove(&self.active);
        self.active.close();
    }
}

fn live(base: &ToolBase, variables: &dyn Fn(&str) -> Option<String>) -> Result<ForwardTarget, RouteError> {
    let name = base.name.value.clone();
    match base.live.as_ref().map(|live| live.fill(variables)).transpose() {
        Ok(url) => Ok(ForwardTarget { name, url }),
        Err(reason) => Err(RouteError::Live { name, reason, span: base.name.span }),
    }
}
