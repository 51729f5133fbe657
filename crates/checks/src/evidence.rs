//! What a check needs to know beside the trace. The runner answers these questions and keeps the answers with the run,
//! so that the same trace can be evaluated again without calling anything.

use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_verdict::{CheckScore, Similarity};
use serde_json::Value;

use crate::BoundedTask;

/// A question that the trace does not answer. Every answer is a JSON value, described at each variant.
#[derive(Debug, Clone, PartialEq)]
pub enum EvidenceQuestion {
    /// How similar two texts are: `{"similarity": 0.87, "embedder": ID}`, with the facts that only one of them states
    /// under `"facts"`, with a contradiction if asked for, the embedder's own threshold, if it has one, under
    /// `"default_threshold"`, and a `"note"` if there is one.
    Similarity {
        /// The expected text; many questions share it.
        expected: String,
        /// The answer of the agent.
        said: String,
        /// Whether to look for contradictions.
        contradictions: bool,
    },
    /// The numbers that a text states: a list under `"numbers"`, each with its `"text"`, its `"readings"`, whether it is
    /// `"doubtful"`, and what is directly `"before"` and `"after"` it.
    Numbers {
        /// The answer of the agent.
        said: String,
    },
    /// What a function returns: its value as JSON under `"returned"`, or a string under `"thrown"` if it failed, with its
    /// `"place"` and the lines of a `"traceback"`. What it printed is under `"printed"`.
    Script {
        /// The file with the function.
        file: Arc<ScriptFile>,
        /// The name of the function.
        function: String,
        /// The arguments of the call.
        arguments: Vec<Value>,
    },
    /// The answer of another agent of the suite: its final output under `"output"`.
    Agent {
        /// The name of the agent in the suite.
        agent: String,
        /// The message to send.
        message: String,
    },
    /// The result of a schema or a path that may take too long, or too much memory, to be evaluated in the process of
    /// the run. The answer is that of [`Evaluator`](crate::Evaluator).
    Bounded(BoundedTask),
}

/// The part of an answer that a run keeps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptAnswer {
    /// The answer, with what the check adds to it.
    pub evidence: Value,
    /// The similarity that reports show, if the answer has one.
    pub similarity: Option<Similarity>,
    /// The partial score, if the check gave one.
    pub score: Option<CheckScore>,
    /// Warnings about a check that passed.
    pub warnings: Vec<String>,
}
