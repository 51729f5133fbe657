//! # What it checks
//! A function of yours accepts the output. It is called with the agent's final output, the agent's last input (or
//! `input`) and `value`, and returns `true` or `false`, or an object with a boolean `pass` and optionally a `message`.
//! It may also return a score from 0 to 1, as a number or as `score` of an object; the check then needs a `threshold`,
//! and passes if the score reaches it. The file is Python, JavaScript or TypeScript, relative to the suite's folder.
//! A function that throws, times out or returns anything else fails the check, also under `not`.
//!
//! # Why
//! It covers whatever no other check can express. JavaScript and TypeScript run in a sandbox: they have no files, no
//! network, no timers, and no state from one call to the next. Python runs with `python3` or the virtual environment of
//! the project, and may import its packages.
//!
//! # Example
//! ```yaml
//! checks:
//!   - script: { file: checks/totals.ts, function: addsUp }
//!   - script: { file: checks/totals.ts, function: isTotal, value: 30 }
//!   - script: { file: checks/tone.py, function: politeness, threshold: 0.8 }
//! ```

use std::path::Path;
use std::sync::Arc;

use agentci_plan::ScriptFile;
use agentci_source::shape::{CheckShape, Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Span, Spanned, join, read};
use agentci_text::{cut_off, shorten};
use agentci_trace::Trace;
use agentci_verdict::{CheckScore, Failure, Outcome};
use serde_json::Value;

use crate::call_words::cut;
use crate::compiler::{Compiler, data, spanned};
use crate::evaluate::{Evaluate, no_output};
use crate::evidence::{EvidenceQuestion, KeptAnswer};
use crate::output::input;
use crate::script_result::{ScriptResult, ScriptResultError};

/// The largest script file, in bytes.
const FILE_LIMIT: u64 = 1 << 20;
/// The longest part of a function's message that is shown, in characters.
const SAID: usize = 2_000;
/// How many lines of what a function printed a failure shows.
const PRINTED_LINES: usize = 20;
/// The longest part of such a line, in characters.
const PRINTED_LINE: usize = 500;

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
    /// The file and the function as in the suite: the name of the score in reports.
    name: Box<str>,
    value: Value,
    input: Option<Value>,
    threshold: Option<Spanned<f64>>,
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
            "The Python, JavaScript or TypeScript file with the function, relative to the suite's folder.",
        ),
        required("function", Kind::Name, "The name of the function."),
        optional("value", Kind::Data, "The third argument of the function."),
        optional("input", Kind::Data, "The second argument of the function. Default: the agent's last input."),
        optional(
            "threshold",
            Kind::Range(0.0, 1.0),
            "The minimum score, greater than 0. Required if the function returns a score.",
        ),
    ],
);

pub(crate) fn compile(arguments: &Node, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
    let mut arguments = compiler.open(&ARGUMENTS, arguments)?;
    let file = arguments.required("file", spanned(read::text));
    let function = arguments.required("function", read::name);
    let value = arguments.optional("value", data).unwrap_or_default();
    let input = arguments.optional("input", data);
    let threshold = arguments.optional("threshold", threshold);
    arguments.finish()?;
    let (Spanned { value: file, span: file_span }, function) = (file?, function?);
    let name = format!("{file}:{}", function.value).into();
    let file = load(&join(compiler.folder, &file), file_span, compiler)?;
    Some(Arc::new(ScriptCheck { call: ScriptCall { file, file_span, function }, name, value, input, threshold }))
}

/// A score that an output must reach; every score is at least 0.
fn threshold(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<Spanned<f64>> {
    let number = read::number(node, name, problems)?;
    if number > 0.0 && number <= 1.0 {
        return Some(Spanned::new(number, node.span));
    }
    let message = if number == 0.0 {
        format!("every score reaches a `{name}` of 0")
    } else {
        format!("`{name}` must be greater than 0 and at most 1, found {number}")
    };
    let help = match number {
        percent if percent > 1.0 && percent <= 100.0 => format!("scores are from 0 to 1: write `{}`", percent / 100.0),
        _ => "scores are from 0 to 1, and every score is at least 0".to_owned(),
    };
    problems.error(node.span, message, "out of range").help(help);
    None
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
            let message = format!("error in `{name}`: {thrown} ({})", self.place(answer));
            let failure = failed(message, "error in this function").notes(lines(answer.get("traceback")));
            return Outcome::Failed(failure.notes(printed(answer)));
        }
        let returned = answer.get("returned").unwrap_or(&Value::Null);
        let least = self.threshold.as_ref().map(|threshold| threshold.value);
        let ScriptResult { pass, score, said } = match ScriptResult::read(name, returned, least) {
            Ok(result) => result,
            Err(ScriptResultError { message, label, help }) => {
                let failure = failed(message, label).notes(help.map(str::to_owned));
                return Outcome::Failed(failure.notes(printed(answer)));
            }
        };
        if pass != negate {
            return Outcome::Passed;
        }
        let shown = score.map(|score| CheckScore::shown(score, least)).unwrap_or_default();
        let (verdict, span) = match (score, &self.threshold) {
            (Some(_), Some(Spanned { value, .. })) if pass => {
                (format!("gave the score {shown}, at least {value}, which `not` forbids"), None)
            }
            (Some(score), Some(Spanned { value, span })) if !CheckScore::passes(score, *value) => {
                (format!("gave the score {shown}, expected at least {value}"), Some(*span))
            }
            _ if pass => ("accepted the output, which `not` forbids".to_owned(), None),
            _ => ("rejected the output".to_owned(), None),
        };
        let message = match said {
            Some(said) => format!("`{name}` {verdict}: {}", shorten(said, SAID)),
            None => format!("`{name}` {verdict}"),
        };
        let failure = match span {
            Some(span) => Failure::new(message).at(span, format!("the score is {shown}")),
            None => failed(message, &verdict),
        };
        Outcome::Failed(failure.note(format!("it returned {}", cut(returned))).notes(printed(answer)))
    }

    fn keep(&self, answer: Value, _negate: bool) -> KeptAnswer {
        let threshold = self.threshold.as_ref().map(|threshold| threshold.value);
        let result = answer.get("returned").and_then(|returned| ScriptResult::read("", returned, threshold).ok());
        let score = result.and_then(|result| result.score);
        let score = score.map(|score| CheckScore { check: self.name.clone(), score, threshold });
        KeptAnswer { evidence: answer, score, ..KeptAnswer::default() }
    }

    fn script(&self) -> Option<&ScriptCall> {
        Some(&self.call)
    }
}

impl ScriptCheck {
    /// Where an error happened: the file, with the line and the column as far as known.
    fn place(&self, answer: &Value) -> String {
        let path = self.call.file.path.display();
        match (answer["place"]["line"].as_u64(), answer["place"]["column"].as_u64()) {
            (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
            (Some(line), None) => format!("{path}:{line}"),
            _ => path.to_string(),
        }
    }
}

/// What the function printed.
fn printed(answer: &Value) -> Vec<String> {
    let printed = answer.get("printed").and_then(Value::as_str).unwrap_or_default();
    let shown = printed.lines().take(PRINTED_LINES);
    shown.map(|line| format!("it printed: {}", cut_off(line, PRINTED_LINE))).collect()
}

fn lines(list: Option<&Value>) -> Vec<String> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
