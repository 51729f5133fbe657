//! A case, complete with everything it inherits from its suite.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::Value;

use crate::{CaseData, Check, Combination, Hook, Limits, Repeats, Target, Text, Turn, World};
use agentci_dataset::DataRow;
use agentci_source::{Diagnostics, Name, Span};

/// The maximum number of runs of a case: all runs are kept until the end, to measure how similar they are.
pub const MOST_RUNS: u32 = 100_000;

/// One case of a suite. A plan may have a hundred thousand cases, so each field is as small as possible.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its id in the suite.
    pub id: Name,
    /// Where it is defined.
    pub span: Span,
    /// A description for reports.
    pub description: Option<Box<str>>,
    /// Tags to select it by.
    pub tags: Box<[String]>,
    /// The combination of a matrix that it is; the tags include those of its axes.
    pub combination: Option<Arc<Combination>>,
    /// Set if the case is skipped.
    pub skip: Option<Box<Skip>>,
    /// How to reach the agent.
    pub target: Arc<Target>,
    /// The model, tools and MCP servers of the agent.
    pub world: Arc<World>,
    /// Variables for templates, in the order they are filled in.
    pub variables: Arc<Vec<(String, Text)>>,
    /// Commands to run before the turns.
    pub hooks: Arc<Vec<Hook>>,
    /// The turns of the conversation.
    pub turns: Box<[Turn]>,
    /// Checks on the whole case, those of the suite first.
    pub checks: Box<[Arc<Check>]>,
    /// The limits of the case.
    pub limits: Arc<Limits>,
    /// The timeout, if no limit on wall time ends the case earlier.
    pub timeout: Option<Duration>,
    /// How many times it runs, at most [`MOST_RUNS`]; it passes only if all runs pass.
    pub runs: u32,
    /// Set if it is repeated only until it is decided whether it got worse; then `runs` is the maximum.
    pub repeats: Option<Arc<Repeats>>,
    /// What a failed turn means for the rest of the case.
    pub stop: StopRule,
    /// Whether it replays its recording on purpose, so that `--require-agent` accepts it.
    pub played: bool,
    /// The question as its file states it, if that differs from the turns: for example a string instead of a message.
    pub asked: Option<Arc<Value>>,
    /// The expected result as its file states it; only the checks decide whether it is met.
    pub expected: Option<Arc<Value>>,
    /// Additional data of its file, for reports.
    pub metadata: Option<Arc<Value>>,
    /// Set if it stands for one case per row of data. Such a case is completed by [`Case::at_row`] before it runs.
    pub data: Option<Arc<CaseData>>,
    /// The row it was made from, if any.
    pub row: Option<Arc<DataRow>>,
    /// The problems that keep it from running, if its own definition is invalid and the rest of the suite is not.
    pub broken: Option<Diagnostics>,
}

/// The cases of a suite. Each is boxed, so that its memory is freed once it has run, and so that no list of all cases
/// has to be allocated while the nodes they are made from are still in memory.
pub type Cases = Vec<Box<Case>>;

impl Case {
    /// A case without turns and checks.
    pub fn new(id: impl Into<Name>, span: Span, target: Arc<Target>, world: Arc<World>) -> Self {
        static VARIABLES: LazyLock<Arc<Vec<(String, Text)>>> = LazyLock::new(Arc::default);
        static HOOKS: LazyLock<Arc<Vec<Hook>>> = LazyLock::new(Arc::default);
        Self {
            id: id.into(),
            span,
            description: None,
            tags: Box::default(),
            combination: None,
            skip: None,
            target,
            world,
            variables: Arc::clone(&VARIABLES),
            hooks: Arc::clone(&HOOKS),
            turns: Box::default(),
            checks: Box::default(),
            limits: Limits::none(),
            timeout: None,
            runs: 1,
            repeats: None,
            stop: StopRule::default(),
            played: false,
            asked: None,
            expected: None,
            metadata: None,
            data: None,
            row: None,
            broken: None,
        }
    }
}

/// Why a case is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// The reason, if any.
    pub reason: Option<String>,
}

/// What a failed turn means for the rest of the case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StopRule {
    /// Take no further turn.
    #[default]
    FirstFailedTurn,
    /// Take all turns and evaluate everything.
    Never,
    /// Evaluate nothing after the first failed check.
    FirstFailure,
}
