//! One case: everything it needs to be run, no inheritance left.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde_json::Value;

use crate::{Check, Hook, Limits, Target, Text, Turn, World};
use agentci_source::{Diagnostics, Name, Span};

/// The most runs of a case: each is kept until the end, to tell how much they are alike.
pub const MOST_RUNS: u32 = 100_000;

/// One case of a suite. A plan may hold a hundred thousand, so each field takes as little room as it can.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name within the suite.
    pub id: Name,
    /// Where it stands.
    pub span: Span,
    /// What it is about.
    pub description: Option<Box<str>>,
    /// Words to select it by.
    pub tags: Box<[String]>,
    /// Why it is not to be run.
    pub skip: Option<Box<Skip>>,
    /// How to reach the agent.
    pub target: Arc<Target>,
    /// What the agent meets.
    pub world: Arc<World>,
    /// Variables for templates, in the order they are filled.
    pub variables: Arc<Vec<(String, Text)>>,
    /// Commands to run before the turns.
    pub hooks: Arc<Vec<Hook>>,
    /// What is said to the agent.
    pub turns: Box<[Turn]>,
    /// Checks over the whole case, shared ones first.
    pub checks: Box<[Arc<Check>]>,
    /// What it may use up.
    pub limits: Arc<Limits>,
    /// How long it may take before it is given up, if no limit on wall time says so earlier.
    pub timeout: Option<Duration>,
    /// How often it is run, at most [`MOST_RUNS`]; it passes only if all runs do.
    pub runs: u32,
    /// When to stop.
    pub stop: StopRule,
    /// Whether it is meant to be answered from its recording, so that nobody misses the agent.
    pub played: bool,
    /// What its file has the agent asked, where that is not the turns as they are: a text rather than a message of it.
    pub asked: Option<Arc<Value>>,
    /// The whole result that is hoped for, where its file says so; whatever is asked of it is among the checks.
    pub expected: Option<Arc<Value>>,
    /// What else its file says of it, for those who read reports.
    pub metadata: Option<Arc<Value>>,
    /// What keeps it from being run, where its own file is wrong and the rest of the suite is not.
    pub broken: Option<Diagnostics>,
}

/// Cases of a suite. Each has room of its own, which is free again once it was run; and one list of all would take its room
/// before what they are made of is gone.
pub type Cases = Vec<Box<Case>>;

impl Case {
    /// A case that says nothing and asks nothing.
    pub fn new(id: impl Into<Name>, span: Span, target: Arc<Target>, world: Arc<World>) -> Self {
        static VARIABLES: LazyLock<Arc<Vec<(String, Text)>>> = LazyLock::new(Arc::default);
        static HOOKS: LazyLock<Arc<Vec<Hook>>> = LazyLock::new(Arc::default);
        Self {
            id: id.into(),
            span,
            description: None,
            tags: Box::default(),
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
            stop: StopRule::default(),
            played: false,
            asked: None,
            expected: None,
            metadata: None,
            broken: None,
        }
    }
}

/// Why a case is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// The reason given, if any.
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
