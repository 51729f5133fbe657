//! Suites of cases, and the plan that holds them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Cases, Gates, Habits, Price, Redaction, Target};
use agentci_source::{Sources, Span, Spanned};

/// Everything that is to be run.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The files it was made from.
    pub sources: Sources,
    /// The suites, in the order they run.
    pub suites: Vec<Suite>,
}

/// Cases that belong together and share one run folder.
#[derive(Debug, Clone)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// The format it was written in: a label to show. What follows from it is in `habits`.
    pub dialect: Dialect,
    /// What its format takes for granted.
    pub habits: Habits,
    /// The file that defines it.
    pub path: PathBuf,
    /// The folder its paths are relative to.
    pub folder: PathBuf,
    /// Where it stands.
    pub span: Span,
    /// Whether tools are replayed, recorded or live, unless the caller says otherwise.
    pub mode: Mode,
    /// Where run folders go, unless the caller says otherwise.
    pub output_dir: Option<PathBuf>,
    /// What is kept out of its artifacts beyond what always is.
    pub redact: Redaction,
    /// What the run as a whole must come to.
    pub gates: Gates,
    /// Files and folders in which no suite is looked for, by patterns seen from the folder of the suite's file.
    pub exclude: Vec<String>,
    /// The folder of the agent that the cases belong to, where the format keeps each agent in a folder and the caller chose none.
    pub agent_folder: Option<PathBuf>,
    /// Agents that are no target of a case, by name: those that judge or report.
    pub agents: Vec<(String, Arc<Target>)>,
    /// Who tells how near two texts are in meaning, as the suite says; the caller may say otherwise.
    pub embedder: Option<Spanned<String>>,
    /// What models cost that are not known, or cost something else here, by their names.
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

/// Where the answers of tools come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// From the recording; nothing is executed.
    #[default]
    Replay,
    /// From the tools, and into the recording.
    Record,
    /// From the tools, nothing kept.
    Live,
}

impl Mode {
    /// Every mode by its name.
    pub const NAMES: [(&'static str, Mode); 3] =
        [("replay", Mode::Replay), ("record", Mode::Record), ("live", Mode::Live)];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
