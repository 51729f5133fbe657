//! Tools that an agent calls over HTTP, and their answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::Text;
use agentci_source::{Span, Spanned};

/// Tools that an agent calls over HTTP, each at its own path, mocked by the stub tool server.
#[derive(Debug, Clone, PartialEq)]
pub struct Routes {
    /// The variables that point the agent at the tools; shared by the cases of a suite.
    pub bases: Arc<[ToolBase]>,
    /// The tools and their answers.
    pub tools: Vec<RoutedTool>,
    /// What to do when no fixture matches a request.
    pub miss: UnansweredRoute,
    /// The port where a running agent expects the tools; any free port when absent.
    pub port: Option<u16>,
    /// Where recorded answers are written.
    pub record: Option<RouteRecord>,
    /// Where the suite sets it.
    pub span: Span,
}

/// A variable that points the agent at its tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolBase {
    /// The name of the variable.
    pub name: Spanned<String>,
    /// The URL of the real tools, for recording.
    pub live: Option<Text>,
}

/// A tool and its answers.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutedTool {
    /// Its name, which is also its path.
    pub id: Spanned<String>,
    /// Its answers. Those to the same request are given in order; the last one repeats.
    pub fixtures: Vec<Fixture>,
}

/// An answer and the request it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixture {
    /// Its name in messages, if any.
    pub name: Option<String>,
    /// The method; any when absent.
    pub method: Option<String>,
    /// The body, or the query if there is no body; any when absent.
    pub request: Option<Value>,
    pub answer: FixtureAnswer,
    pub status: u16,
    /// Headers in addition to `content-type`, which they override.
    pub headers: Vec<(String, String)>,
    /// The delay before the answer.
    pub delay: Duration,
    /// Where it is defined.
    pub span: Span,
}

/// The body of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum FixtureAnswer {
    /// The bytes of a file.
    File(Spanned<PathBuf>),
    /// A JSON value.
    Inline(Value),
}

/// What to do when no fixture matches a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnansweredRoute {
    /// The case fails.
    #[default]
    Fail,
    Warn,
}

impl UnansweredRoute {
    /// All values by name.
    pub const NAMES: [(&'static str, UnansweredRoute); 2] =
        [("fail", UnansweredRoute::Fail), ("warn", UnansweredRoute::Warn)];
}

/// Where recorded answers are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRecord {
    /// The file whose fixtures are replaced.
    pub suite: PathBuf,
    /// The position of its fixtures, from their key to the end of their block; `None` if it has none yet.
    pub block: Option<Span>,
    /// Writes fixtures in the format of the file.
    pub writer: FixtureWriter,
    /// The folder for the files of the answers.
    pub folder: PathBuf,
}

/// Replaces the fixtures in the text of a suite by those of each tool. The error says why they cannot be placed.
pub type WriteFixtures = fn(&str, Option<Span>, &[RecordedTool]) -> Result<String, String>;

/// Writes fixtures in the format of a suite.
#[derive(Debug, Clone, Copy)]
pub struct FixtureWriter(pub WriteFixtures);

impl PartialEq for FixtureWriter {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for FixtureWriter {}

/// A tool and its recorded answers.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTool {
    /// Its name, which is also its path.
    pub id: String,
    /// Its answers, in the order of the calls.
    pub fixtures: Vec<RecordedFixture>,
}

/// A recorded answer and the request it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedFixture {
    /// The method, if it matters.
    pub method: Option<String>,
    /// The body, or the query if there is no body.
    pub request: Value,
    /// The file of the answer, relative to the folder of the answers.
    pub file: PathBuf,
    pub status: u16,
    /// Headers in addition to those implied by the file name.
    pub headers: Vec<(String, String)>,
}
