//! A scripted model: what it answers to which request, how fast, and what goes wrong on purpose.

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

/// The scripted model that a case's agent meets.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelWorld {
    /// Where the script is.
    pub source: ScriptSource,
    /// Where the suite names it, or has it.
    pub span: Span,
    /// What it says.
    pub script: Arc<ModelScript>,
    /// What the suite says of requests that no rule fits, before the script.
    pub miss: Option<UnansweredRoute>,
    /// Whether the suite wants what providers refuse to be refused, before the script.
    pub strict: Option<bool>,
}

impl ModelWorld {
    /// A model that is nothing but its script.
    pub fn new(source: ScriptSource, span: Span) -> Self {
        Self { source, span, script: Arc::default(), miss: None, strict: None }
    }

    /// What happens when no rule fits a request.
    pub fn missed(&self) -> UnansweredRoute {
        self.miss.or(self.script.miss).unwrap_or_default()
    }

    /// Whether it refuses what its provider would refuse.
    pub fn is_strict(&self) -> bool {
        self.strict.unwrap_or_else(|| self.script.is_strict())
    }
}

/// Where the script of a model is.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptSource {
    /// In a file of its own.
    File(PathBuf),
    /// In the suite itself.
    Suite(Node),
}

impl ScriptSource {
    /// The file, if it has one of its own.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Suite(_) => None,
        }
    }
}

/// What a scripted model does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelScript {
    /// The name it reports when the request names none.
    pub model: Option<String>,
    /// The only key it accepts; any when absent.
    pub api_key: Option<String>,
    /// What every draw depends on.
    pub seed: Option<u64>,
    /// What it answers, the first that fits.
    pub rules: Vec<ModelRule>,
    /// What it answers when no rule fits, one after the other and round again.
    pub default: Vec<String>,
    /// Whether it refuses what its provider would refuse; it does when absent.
    pub strict: Option<bool>,
    /// What happens when no rule fits a request; the case fails when absent.
    pub miss: Option<UnansweredRoute>,
    /// Settings that have no effect, for `agentci check`.
    pub warnings: Diagnostics,
}

impl ModelScript {
    /// Whether it refuses what its provider would refuse.
    pub fn is_strict(&self) -> bool {
        self.strict.unwrap_or(true)
    }

    /// Whether anything is left to a draw that the script's own seed does not decide.
    pub fn draws(&self) -> bool {
        let by_chance = |rule: &ModelRule| rule.failure.as_ref().is_some_and(|failure| failure.rate < 1.0);
        self.seed.is_none() && self.rules.iter().any(by_chance)
    }
}
