//! # What it checks
//! A function of yours accepts the output. It is called with the agent's final output, the agent's last input (or
//! `input`) and `value`, and returns `true` or `false`, or an object with a boolean `pass` and optionally a `message`.
//! The file is JavaScript or TypeScript, relative to the suite's folder; the function need not be exported. A function
//! that throws, times out or returns anything else fails the check, also under `not`.
//!
//! # Why
//! It covers whatever no other check can express. Functions run in a sandbox: they have no files, no network, no
//! timers, and no state from one call to the next.
//!
//! # Example
//! ```yaml
//! checks:
//!   - script: { file: checks/totals.ts, function: addsUp }
//!   - script: { file: checks/totals.ts, function: isTotal, value: 30 }
//! ```

use std::path::Path;
use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Node, Span, Spanned, join, read};
use agentci_trace::Trace;
use agentci_verdict::{Failure, Outcome};
use serde_json::Value;

use crate::call_words::cut;
use crate::compiler::{Compiler, data, spanned};
use crate::evaluate::{Evaluate, no_output};
use crate::evidence::EvidenceQuestion;
use crate::output::{input, type_name};
use agentci_text::shorten;

/// The largest script file, in bytes.
const FILE_LIMIT: u64 = 1 << 20;
/// The longest part of a function's message that is shown, in characters.
const SAID: usize = 2_000;

/// A function that a check calls.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptCall {
    /// The file with the function.
    pub file: Arc<ScriptFile>,
    /// The place of the file's name in the suite.
    pub file_span: Span,
    /// The name of the function.
    pub function: Spanned<String>,
}

#[derive(Debug)]
struct ScriptCheck {
    call: ScriptCall,
    value: Value,
    input: Option<Value>,
}

/// How suites write this check.
pub(crate) const SHAPE: CheckShape = CheckShape {
    name: "script",
    about: "A function of the suite accepts the output.",
    arguments: Kind::Shape(&ARGUMENTS),
};

static ARGUMENTS: Shape = Shape::new(
    "`script`",
    "A function, and its arguments.",
    &[
        required(
            "file",
            Kind::Text,
            "The JavaScript or TypeScript file with the function, relative to the suite's folder.",
        ),
        required("function", Kind::Name, "The name of the function."),
        optional("value", Kind::Data, "The third argument of the function."),
        optional("input", Kind::Data, "The second argument of the function. Default: the agent's last input."),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let file = arguments.required("file", spanned(read::text));
    let function = arguments.required("function", read::name);
    let value = arguments.optional("value", data).unwrap_or_default();
    let input = arguments.optional("input", data);
    arguments.finish();
    let Spanned { value: file, span: file_span } = file?;
    let file = load(&join(compiler.folder, &file), file_span, compiler)?;
    Some(Arc::new(ScriptCheck { call: ScriptCall { file, file_span, function: function? }, value, input }))
}

fn load(path: &Path, span: Span, compiler: &mut Compiler<'_>) -> Option<Arc<ScriptFile>> {
    if let Some(known) = compiler.scripts.get(path) {
        return Some(Arc::clone(known));
    }
    match compiler.files.read_text(path, FILE_LIMIT) {
        Ok(source) => {
            let file = Arc::new(ScriptFile { path: path.to_owned(), source });
            compiler.scripts.insert(path.to_owned(), Arc::clone(&file));
            Some(file)
        }
        Err(error) => {
            let message = format!("the script `{}` cannot be read: {error}", path.display());
            compiler.refuse(span, message, "this file", "paths are relative to the suite's folder")
        }
    }
}

impl Evaluate for ScriptCheck {
    fn evaluate(&self, _trace: &Trace) -> Outcome {
        no_output()
    }

    fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        let output = trace.output().value()?.into_owned();
        let input = self.input.as_ref().or(input(trace)).cloned().unwrap_or_default();
        let ScriptCall { file, function, .. } = &self.call;
        let arguments = vec![output, input, self.value.clone()];
        Some(EvidenceQuestion::Script { file: Arc::clone(file), function: function.value.clone(), arguments })
    }

    fn conclude(&self, _trace: &Trace, answer: &Value, negate: bool) -> Outcome {
        let name = &self.call.function.value;
        let failed = |message: String, label: &str| Failure::new(message).at(self.call.function.span, label);
        if let Some(thrown) = answer.get("thrown").and_then(Value::as_str) {
            let path = self.call.file.path.display();
            let place = match (answer["place"]["line"].as_u64(), answer["place"]["column"].as_u64()) {
                (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
                _ => path.to_string(),
            };
            let message = format!("error in `{name}`: {thrown} ({place})");
            return Outcome::Failed(failed(message, "error in this function"));
        }
        let returned = answer.get("returned").unwrap_or(&Value::Null);
        let (pass, said) = match returned {
            Value::Bool(pass) => (*pass, None),
            Value::Object(map) if map.get("pass").is_some_and(Value::is_boolean) => {
                (map.get("pass") == Some(&Value::Bool(true)), map.get("message").and_then(Value::as_str))
            }
            // A value that is not a verdict fails under `not` as well.
            other => {
                let what = match other {
                    Value::Object(map) if map.contains_key("pass") => "whose `pass` is not a boolean".to_owned(),
                    Value::Object(_) => "which has no `pass`".to_owned(),
                    other => format!("which is of type `{}`", type_name(other)),
                };
                let message =
                    format!("`{name}` returned {}, {what}; expected a boolean or `{{ pass: boolean }}`", cut(other));
                let failure = failed(message, "must return a boolean, or an object with a boolean `pass`");
                return Outcome::Failed(failure);
            }
        };
        if pass != negate {
            return Outcome::Held;
        }
        let verdict = if pass { "accepted the output, which `not` forbids" } else { "rejected the output" };
        let message = match said {
            Some(said) if !said.is_empty() => format!("`{name}` {verdict}: {}", shorten(said, SAID)),
            _ => format!("`{name}` {verdict}"),
        };
        Outcome::Failed(failed(message, verdict).note(format!("it returned {}", cut(returned))))
    }

    fn script(&self) -> Option<&ScriptCall> {
        Some(&self.call)
    }
}
