//! # What it checks
//! Another agent says so: one that the suite knows by this name gets `{"output": .., "input": .., "criteria": ..}`, with whatever
//! stands under `metadata` beside them, and answers `{"passed": true, "reason": ".."}`, alone or between fences. An answer of any
//! other form fails, negated or not.
//!
//! # Why
//! What only a reader can tell: whether an answer is polite, complete, to the point.
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

/// How much of a reason is shown.
const REASON: usize = 1_000;

#[derive(Debug)]
struct AgentCheck {
    name: Spanned<String>,
    criteria: Value,
    input: Option<Value>,
    metadata: Map<String, Value>,
}

/// What it is given.
pub(crate) const SHAPE: CheckShape =
    CheckShape { name: "agent", about: "Another agent judges the answer.", arguments: Kind::Shape(&ARGUMENTS) };

static ARGUMENTS: Shape = Shape::new(
    "`agent`",
    "Who judges, and by what.",
    &[
        required("agent", Kind::Name, "One of the `agents` of the suite."),
        required("criteria", Kind::Data, "What is asked of the answer."),
        optional("input", Kind::Data, "What the agent was asked, if it is to be told otherwise."),
        optional("metadata", Kind::Object, "What else the judge is told."),
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
            let message = format!("`{name}` did not answer with `passed`, true or false: {}", cut(said));
            return Outcome::Failed(failed(message, "gave no verdict"));
        };
        if passed != negate {
            return Outcome::Held;
        }
        let reason = read.as_deref().and_then(|read| read["reason"].as_str());
        let reason = reason.map(|reason| format!(": {}", shorten(reason, REASON))).unwrap_or_default();
        let verdict = if passed { "lets it pass, and must not" } else { "does not let it pass" };
        Outcome::Failed(failed(format!("`{name}` {verdict}{reason}"), verdict))
    }
}
