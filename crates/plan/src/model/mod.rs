//! A scripted model: which answer it gives to which request, how fast, and with which failures.

mod condition;
mod failure;
mod rule;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_source::{Diagnostics, Node, Span};

use crate::UnansweredRoute;

pub use condition::{ModelCondition, WantedOffer, WantedWords};
pub use failure::{ModelFailure, ModelFailureKind};
pub use rule::{AnswerPace, Finish, ModelRule, ScriptedCall, ScriptedUsage, SequenceStep};

/// The scripted model for the agent of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelWorld {
    /// Where the script is.
    pub source: ScriptSource,
    /// Where the suite names or contains it.
    pub span: Span,
    pub script: Arc<ModelScript>,
    /// What to do when no rule matches a request; takes precedence over the script.
    pub miss: Option<UnansweredRoute>,
    /// Whether to reject requests that the provider would reject; takes precedence over the script.
    pub strict: Option<bool>,
}

impl ModelWorld {
    /// A model without settings of the suite.
    pub fn new(source: ScriptSource, span: Span) -> Self {
        Self { source, span, script: Arc::default(), miss: None, strict: None }
    }

    /// What to do when no rule matches a request.
    pub fn missed(&self) -> UnansweredRoute {
        self.miss.or(self.script.miss).unwrap_or_default()
    }

    /// Whether it rejects requests that its provider would reject.
    pub fn is_strict(&self) -> bool {
        self.strict.unwrap_or_else(|| self.script.is_strict())
    }
}

/// Where the script of a model is.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptSource {
    /// In a separate file.
    File(PathBuf),
    /// In the suite itself.
    Suite(Node),
}

impl ScriptSource {
    /// The separate file, if any.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Suite(_) => None,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelScript {
    /// The model name it reports if the request has none.
    pub model: Option<String>,
    /// The only API key it accepts; any when absent.
    pub api_key: Option<String>,
    /// The seed of all random choices.
    pub seed: Option<u64>,
    /// Its rules; the first that matches a request answers it.
    pub rules: Vec<ModelRule>,
    /// Answers for requests that no rule matches, in order; after the last one they repeat from the start.
    pub default: Vec<String>,
    /// Whether it rejects requests that its provider would reject; it does when absent.
    pub strict: Option<bool>,
    /// What to do when no rule matches a request; the case fails when absent.
    pub miss: Option<UnansweredRoute>,
    /// Settings that have no effect, for `agentci check`.
    pub warnings: Diagnostics,
}

impl ModelScript {
    /// Whether it rejects requests that its provider would reject.
    pub fn is_strict(&self) -> bool {
        self.strict.unwrap_or(true)
    }

    /// Whether there are random choices that the script's own seed does not determine.
    pub fn draws(&self) -> bool {
        let by_chance = |rule: &ModelRule| rule.failure.as_ref().is_some_and(|failure| failure.rate < 1.0);
        self.seed.is_none() && self.rules.iter().any(by_chance)
    }
}
