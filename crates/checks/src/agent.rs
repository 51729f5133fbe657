//! # What it checks
//! Another agent accepts the answer. The check sends `{"output": .., "input": .., "criteria": ..}`, with the fields of
//! `metadata` added, to one of the `agents` of the suite, which answers `{"passed": true, "reason": ".."}`, alone or
//! in a fenced block. An answer of any other form fails the check, also under `not`.
//!
//! # Why
//! Some qualities need a reader to judge them: whether an answer is polite, complete, to the point.
//!
//! # Example
//! ```yaml
//! checks:
//!   - agent: { agent: judge, criteria: The answer is polite. }
//! ```

use std::sync::Arc;

use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Node, Spanned, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde_json::{Map, Value};

use crate::call_words::cut;
use crate::compiler::{Compiler, data, object};
use crate::evaluate::{Evaluate, no_output};
use crate::evidence::EvidenceQuestion;
use crate::output::{input, structured};
use agentci_text::shorten;

/// The longest part of a reason that a message shows, in characters.
const REASON: usize = 1_000;

#[derive(Debug)]
struct AgentCheck {
    name: Spanned<String>,
    criteria: Value,
    input: Option<Value>,
    metadata: Map<String, Value>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "agent", about: "Another agent judges the answer.", arguments: Kind::Shape(&ARGUMENTS) };

static ARGUMENTS: Shape = Shape::new(
    "`agent`",
    "The agent that judges the answer, and its criteria.",
    &[
        required("agent", Kind::Name, "One of the `agents` of the suite."),
        required("criteria", Kind::Data, "The criteria that the answer must meet."),
        optional("input", Kind::Data, "The input to show the judge. Default: the agent's last input."),
        optional("metadata", Kind::Object, "Additional fields of the message to the judge."),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let name = arguments.required("agent", read::name);
    let criteria = arguments.required("criteria", data);
    let input = arguments.optional("input", data);
    let metadata = arguments.optional("metadata", object).unwrap_or_default();
    arguments.finish()?;
    Some(Arc::new(AgentCheck { name: name?, criteria: criteria?, input, metadata }))
}

impl Evaluate for AgentCheck {
    fn evaluate(&self, _trace: &Trace) -> Outcome {
        no_output()
    }

    fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        let input = self.input.as_ref().or(input(trace)).cloned().unwrap_or_default();
        let mut message = Map::new();
        message.insert("output".into(), trace.output().value()?.into_owned());
        message.insert("input".into(), input);
        message.insert("criteria".into(), self.criteria.clone());
        for (key, value) in &self.metadata {
            message.entry(key.as_str()).or_insert_with(|| value.clone());
        }
        Some(EvidenceQuestion::Agent { agent: self.name.value.clone(), message: Value::Object(message).to_string() })
    }

    fn conclude(&self, _trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        let name = &self.name.value;
        let said = answer.get("output").unwrap_or(&Value::Null);
        let failed = |message: String, label: &str| Failure::new(message).at(self.name.span, label);
        let read = structured(said).map(|(read, _)| read).filter(|read| read.is_object());
        let verdict = read.as_ref().and_then(|read| read.get("passed").or(read.get("pass"))?.as_bool());
        let Some(passed) = verdict else {
            let message = format!("`{name}` did not answer with a boolean `passed`: {}", cut(said));
            return Outcome::Failed(failed(message, "no verdict"));
        };
        if passed != negate {
            return Outcome::Passed;
        }
        let reason = read.as_deref().and_then(|read| read["reason"].as_str());
        let reason = reason.map(|reason| format!(": {}", shorten(reason, REASON))).unwrap_or_default();
        let verdict = if passed { "accepted the answer, which `not` forbids" } else { "rejected the answer" };
        Outcome::Failed(failed(format!("`{name}` {verdict}{reason}"), verdict))
    }
}
