//! What a check has to know beside the trace. The runner finds it out and keeps it with the run, so that the same trace can be
//! judged again without asking anyone.

use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_verdict::Similarity;
use serde_json::Value;

use crate::BoundedTask;

/// A question that the trace does not answer. Every answer is a JSON value; what it looks like is told with each.
#[derive(Debug, Clone, PartialEq)]
pub enum EvidenceQuestion {
    /// How near two texts are in meaning: `{"similarity": 0.87, "embedder": ID}`, the facts that only one of them states under
    /// `"facts"`, the embedder's own threshold, if it has one, under `"default_threshold"`, and `"note"` where something is odd.
    Similarity {
        /// What was hoped for; often asked about.
        expected: String,
        /// What was said.
        said: String,
    },
    /// What a function returns: its value as JSON, under `"returned"`; or `"thrown"`, a text, where it did not return.
    Script {
        /// The file of the function.
        file: Arc<ScriptFile>,
        /// Its name.
        function: String,
        /// What it is called with.
        arguments: Vec<Value>,
    },
    /// What another agent says, one that the suite knows by this name: its result under `"output"`.
    Agent {
        /// The agent's name.
        agent: String,
        /// What it is told.
        message: String,
    },
    /// What becomes of a schema or a path that may take too long, or too much memory, to be evaluated where the run goes on. The
    /// answer is that of [`Evaluator`](crate::Evaluator).
    Bounded(BoundedTask),
}

/// What a run keeps of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptAnswer {
    /// The answer, with what the check knows beside it.
    pub evidence: Value,
    /// The number in it, if it is one that reports show.
    pub similarity: Option<Similarity>,
    /// What is odd and did not keep the check from holding.
    pub warnings: Vec<String>,
}
