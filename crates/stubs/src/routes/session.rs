//! The routes of one case while they are served, and saving of what was recorded.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use agentci_files::write_whole;
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
use crate::Faults;

/// Maximum size of a suite that fixtures are written to, in bytes; the same as for reading a suite.
const SUITE_LIMIT: u64 = 10 << 20;

/// What to serve, and how.
pub struct RouteOptions<'o> {
    /// The tools and their answers.
    pub routes: Arc<Routes>,
    /// Whether requests are answered from fixtures or forwarded to live tools, and whether their answers are recorded.
    pub mode: Mode,
    /// The faults to inject.
    pub faults: Faults,
    /// Receives calls, results and misses.
    pub observer: Option<UnboundedSender<EventKind>>,
    /// The file system with the answer files.
    pub files: &'o dyn Files,
    /// Looks up the variables in live addresses.
    pub variables: &'o dyn Fn(&str) -> Option<String>,
}

/// The files written by a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRecording {
    /// The file whose fixtures were replaced.
    pub suite: PathBuf,
    /// The answer files, without duplicates.
    pub files: Vec<PathBuf>,
    /// The number of recorded calls.
    pub calls: usize,
}

/// The routes of one case while they are served. Dropping it removes them and aborts pending requests.
#[derive(Debug)]
pub struct RouteSession {
    url: String,
    routes: Arc<Routes>,
    active: Arc<SessionState>,
    sessions: Arc<RouteSessions>,
}

impl RouteSession {
    pub(super) fn open(
        sessions: &Arc<RouteSessions>,
        url: String,
        (scope, alone): (Option<&str>, bool),
        options: RouteOptions<'_>,
    ) -> Result<Self, RouteError> {
        let RouteOptions { routes, mode, faults, observer, files, variables } = options;
        let (set, live) = match mode {
            Mode::Replay => (FixtureSet::new(&routes, files)?, Vec::new()),
            Mode::Record | Mode::Live => {
                let live = routes.bases.iter().map(|base| live(base, variables)).collect::<Result<_, _>>()?;
                (FixtureSet::default(), live)
            }
        };
        let active = Arc::new(SessionState::new((scope.map(str::to_owned), alone), mode, set, live, faults, observer));
        sessions.add(Arc::clone(&active))?;
        Ok(Self { url, routes, active, sessions: Arc::clone(sessions) })
    }

    /// The base URL of the tools for the agent, with the scope and without a trailing slash.
    pub fn base(&self) -> String {
        match &self.active.scope {
            Some(scope) => format!("{}/{}", self.url, percent_encoded(scope)),
            None => self.url.clone(),
        }
    }

    /// The variables with the base URLs of the tools, and their values. When requests are forwarded, each variable has
    /// its own path, which identifies the live address.
    pub fn bases(&self) -> Vec<(String, String)> {
        let base = self.base();
        let value = |name: &str| match self.active.mode {
            Mode::Replay => base.clone(),
            Mode::Record | Mode::Live => format!("{base}/{}", percent_encoded(name)),
        };
        self.routes.bases.iter().map(|base| (base.name.value.clone(), value(&base.name.value))).collect()
    }

    /// The requests so far that no fixture matched, in order of arrival.
    pub fn misses(&self) -> Vec<RouteMiss> {
        self.active.misses()
    }

    /// The calls that arrive after this is dropped and the case has ended.
    pub fn late_calls(&self) -> LateCalls {
        self.active.late.clone()
    }

    /// The state of the faults.
    pub fn faults(&self) -> Faults {
        self.active.state().faults.clone()
    }

    /// Replaces the fixtures of the suite by the recorded ones, with secrets redacted. Answer files are written first,
    /// named by a hash of their content so that none is overwritten; then the suite is replaced atomically. `None` if
    /// there is nothing to write: no tool was called, or the mode is not record.
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
                write_whole(&path, &answer.bytes)?;
                written.push(path);
            }
        }
        write_whole(&record.suite, text)?;
        Ok(Some(RouteRecording { suite: record.suite.clone(), files: written, calls: calls.len() }))
    }
}

impl Drop for RouteSession {
    fn drop(&mut self) {
        self.sessions.remove(&self.active);
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
