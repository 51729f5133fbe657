//! Suites of cases, and the plan that contains them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Cases, FormatConventions, Gates, Price, Redaction, Target};
use agentci_source::{Sources, Span, Spanned};

/// Everything to run.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The files it was made from.
    pub sources: Sources,
    /// The suites, in the order they run.
    pub suites: Vec<Suite>,
}

/// Cases that share settings and one run folder.
#[derive(Debug, Clone)]
pub struct Suite {
    pub name: String,
    /// The format it was written in, as a label. The behavior that follows from it is in `conventions`.
    pub dialect: Dialect,
    /// The assumptions of its format.
    pub conventions: FormatConventions,
    /// The file that defines it.
    pub path: PathBuf,
    /// The folder its paths are relative to.
    pub folder: PathBuf,
    /// Where it is defined.
    pub span: Span,
    /// Whether tools are replayed, recorded or live; the caller can override it.
    pub mode: Mode,
    /// Where run folders are created; the caller can override it.
    pub output_dir: Option<PathBuf>,
    /// What to redact from its artifacts, in addition to what is always redacted.
    pub redact: Redaction,
    /// Requirements for the run as a whole.
    pub gates: Gates,
    /// Patterns of files and folders that the search for suites skips, relative to the folder of the suite's file.
    pub exclude: Vec<String>,
    /// The folder of the agent that the cases belong to, if the format has one folder per agent and the caller did not
    /// choose one.
    pub agent_folder: Option<PathBuf>,
    /// Agents by name that are not the target of a case: they judge or report.
    pub agents: Vec<(String, Arc<Target>)>,
    /// The embedder for semantic checks; the caller can override it.
    pub embedder: Option<Spanned<String>>,
    /// Prices by model name; they take precedence over the built-in prices.
    pub prices: BTreeMap<String, Price>,
    /// The cases, in the order they run.
    pub cases: Cases,
}

/// The format a suite was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Dialect {
    /// `agentci.yaml`, the plan's own YAML.
    Native,
    /// `suite.yaml` with `cases/` and `cassettes/`.
    Runledger,
    /// `ananke.config.yaml` and test files with `turns`.
    Ananke,
    /// YAML tests of `name`, `input_messages` and `expected_behavior`, answered by a scripted model.
    Aumai,
    /// `tests/<agent>/**/*.yaml` of `test_name`, `user_input` and `tool_fixtures`.
    Scenario,
    /// JSON lines of `id`, `input` and `assert` below a `package.yao`.
    Yao,
}

impl Dialect {
    /// Its name in messages and artifacts.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Where tool answers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// From the recording; nothing is executed.
    #[default]
    Replay,
    /// From the tools; they are recorded.
    Record,
    /// From the tools; nothing is recorded.
    Live,
}

impl Mode {
    /// All modes by name.
    pub const NAMES: [(&'static str, Mode); 3] =
        [("replay", Mode::Replay), ("record", Mode::Record), ("live", Mode::Live)];

    pub fn name(self) -> &'static str {
        self.into()
    }
}
