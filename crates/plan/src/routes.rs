//! Tools that an agent calls over HTTP, and what they answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::Text;
use agentci_source::{Span, Spanned};

/// Tools that an agent calls over HTTP, each at a path of its own, played by a server of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Routes {
    /// What leads the agent to them; shared by the cases of a suite.
    pub bases: Arc<[ToolBase]>,
    /// The tools and their answers.
    pub tools: Vec<RoutedTool>,
    /// What a request comes to that nothing answers.
    pub miss: UnansweredRoute,
    /// The port at which an agent that already runs expects them; any that is free otherwise.
    pub port: Option<u16>,
    /// Where answers are written when they are recorded.
    pub record: Option<RouteRecord>,
    /// Where the suite says so.
    pub span: Span,
}

/// The name of a variable that leads the agent to its tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolBase {
    /// The variable.
    pub name: Spanned<String>,
    /// Where it leads when answers are recorded.
    pub live: Option<Text>,
}

/// A tool and its answers.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutedTool {
    /// Its name, which is its path.
    pub id: Spanned<String>,
    /// Its answers. Those to the same request are given in turn, the last again and again.
    pub fixtures: Vec<Fixture>,
}

/// An answer and the request it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixture {
    /// What it is called in messages, if anything.
    pub name: Option<String>,
    /// The method; any when absent.
    pub method: Option<String>,
    /// The body, or the query where there is no body; any when absent.
    pub request: Option<Value>,
    /// The answer.
    pub answer: FixtureAnswer,
    /// The status.
    pub status: u16,
    /// Headers beside `content-type`, which they override.
    pub headers: Vec<(String, String)>,
    /// How long the answer takes.
    pub delay: Duration,
    /// Where it stands.
    pub span: Span,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum FixtureAnswer {
    /// The bytes of a file.
    File(Spanned<PathBuf>),
    /// A JSON value.
    Inline(Value),
}

/// What a request comes to that nothing answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnansweredRoute {
    /// The case fails.
    #[default]
    Fail,
    /// A warning.
    Warn,
}

impl UnansweredRoute {
    /// Every one by its name.
    pub const NAMES: [(&'static str, UnansweredRoute); 2] =
        [("fail", UnansweredRoute::Fail), ("warn", UnansweredRoute::Warn)];
}

/// Where recorded answers go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRecord {
    /// The file whose fixtures are replaced.
    pub suite: PathBuf,
    /// The fixtures in it, from their key to the end of their block; nothing when there are none yet.
    pub block: Option<Span>,
    /// How fixtures are written in the format of the file.
    pub writer: FixtureWriter,
    /// The folder for the answers' files.
    pub folder: PathBuf,
}

/// Puts the fixtures of each tool into the text of a suite, in the place of those that are there. An error says why there is no
/// place for them.
pub type WriteFixtures = fn(&str, Option<Span>, &[RecordedTool]) -> Result<String, String>;

/// How fixtures are written in the format of a suite.
#[derive(Debug, Clone, Copy)]
pub struct FixtureWriter(pub WriteFixtures);

impl PartialEq for FixtureWriter {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for FixtureWriter {}

/// A tool, and the answers of it that were recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTool {
    /// Its name, which is its path.
    pub id: String,
    /// Its answers, in the order of the calls.
    pub fixtures: Vec<RecordedFixture>,
}

/// An answer that was recorded, and the request it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedFixture {
    /// The method, where it makes a difference.
    pub method: Option<String>,
    /// The body, or the query where there is no body.
    pub request: Value,
    /// The file of the answer, from the folder of the answers.
    pub file: PathBuf,
    /// The status.
    pub status: u16,
    /// Headers beside those that the name of the file tells.
    pub headers: Vec<(String, String)>,
}
