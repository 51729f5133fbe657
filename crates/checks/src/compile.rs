//! Compiles the checks of a plan.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Check, ColumnError, EmptyChecks, Plan, UnsetVariableError, fill, fill_columns};
use agentci_source::{Diagnostic, Diagnostics, Files, Reading, Severity, did_you_mean, read};
use agentci_trace::Trace;
use agentci_verdict::Outcome;
use serde_json::{Value, json};

use crate::compile_suite::compile_suite;
use crate::compiler::Compiler;
use crate::evaluate::{Evaluate, no_output};
use crate::registry::{self, OF_OUTPUT};
use crate::{EvidenceQuestion, KeptAnswer, ScriptCall, invalid};

/// The compiled checks of a plan; suites and cases are in the order of the plan.
#[derive(Debug, Clone, Default)]
pub struct ReadyChecks {
    pub suites: Vec<ReadySuite>,
}

/// The compiled checks of a suite.
#[derive(Debug, Clone, Default)]
pub struct ReadySuite {
    pub cases: Vec<ReadyCase>,
    /// Whether a check that all cases share is invalid, so that no case can run.
    pub refused: bool,
}

/// The compiled checks of a case.
#[derive(Debug, Clone, Default)]
pub struct ReadyCase {
    /// Checks of the whole case.
    pub checks: Box<[ReadyCheck]>,
    /// Checks of each turn; empty if no turn has any.
    pub turns: Box<[Box<[ReadyCheck]>]>,
    /// Problems with the checks of this case.
    pub problems: Diagnostics,
}

/// A check that can be evaluated, or can be once its variables are filled. Clones share the compiled check.
#[derive(Debug, Clone)]
pub struct ReadyCheck {
    check: Arc<Check>,
    /// The check before its variables were filled.
    written: Arc<Check>,
    /// Absent until the variables are filled.
    test: Option<Arc<dyn Evaluate>>,
}

impl ReadyCheck {
    fn new(check: Arc<Check>, test: Option<Arc<dyn Evaluate>>) -> Self {
        Self { written: Arc::clone(&check), check, test }
    }

    /// The check of the plan, or the invalid check that replaces it.
    pub fn check(&self) -> &Arc<Check> {
        &self.check
    }

    /// An invalid check that replaces this one and fails with this problem.
    #[must_use]
    pub fn unusable(&self, problem: &Diagnostic) -> Self {
        never(&self.check, problem)
    }

    /// Whether its variables must still be filled, by [`refill`].
    pub fn waits_for_variables(&self) -> bool {
        self.test.is_none()
    }

    /// The question that must be answered before the check can be evaluated, if it needs more than the trace.
    pub fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        self.test.as_ref()?.question(trace)
    }

    /// Whether evaluating it on a trace of this size may take so long that it should run on a separate thread.
    pub fn may_take_long(&self, bytes: u64) -> bool {
        const SOON: u64 = 50_000_000;
        self.test.as_ref().is_some_and(|test| test.weight().saturating_mul(bytes) > SOON)
    }

    /// The function of the suite that it calls, if any.
    pub fn script(&self) -> Option<&ScriptCall> {
        self.test.as_ref()?.script()
    }

    /// What determines its outcome on a trace: its kind, its arguments as written, and the file that it names. `None` if
    /// that is not known: for an invalid check, and for a file whose name contains variables.
    pub fn definition(&self) -> Option<Value> {
        let Check { kind, arguments, negate, templated, invalid, .. } = &*self.written;
        let file = self.test.as_ref().and_then(|test| test.reads());
        if *invalid || (*templated && file.is_some()) {
            return None;
        }
        let arguments = arguments.value(Reading::Core).ok()?;
        Some(json!([&*kind.value, negate, arguments, file]))
    }

    /// Evaluates it on a trace.
    pub fn evaluate(&self, trace: &Trace) -> Outcome {
        self.outcome(|test, negate| {
            if OF_OUTPUT.contains(&&*self.check.kind.value) && trace.output().value().is_none() {
                no_output()
            } else if negate {
                test.evaluate_negated(trace)
            } else {
                test.evaluate(trace)
            }
        })
    }

    /// Warnings about a check that passed.
    pub fn warnings(&self, trace: &Trace) -> Vec<String> {
        self.test.as_ref().map(|test| test.warnings(trace, self.check.negate)).unwrap_or_default()
    }

    /// Evaluates it on a trace, with the answer to its question.
    pub fn conclude(&self, trace: &Trace, answer: &Value) -> Outcome {
        self.outcome(|test, negate| test.conclude(trace, answer, negate))
    }

    /// The part of the answer to its question that a run keeps.
    pub fn keep(&self, answer: Value) -> KeptAnswer {
        match &self.test {
            Some(test) => test.keep(answer, self.check.negate),
            None => KeptAnswer { evidence: answer, ..KeptAnswer::default() },
        }
    }

    fn outcome(&self, judge: impl FnOnce(&dyn Evaluate, bool) -> Outcome) -> Outcome {
        let Some(test) = &self.test else {
            return Outcome::NotEvaluated("its variables were not substituted".into());
        };
        let mut outcome = judge(&**test, self.check.negate);
        if let (Outcome::Failed(failure), Some(message)) = (&mut outcome, self.check.message()) {
            let own = std::mem::replace(&mut failure.message, message.to_string());
            failure.notes.insert(0, own);
        }
        outcome
    }
}

/// Compiles every check of a plan. Problems are also kept with the cases they belong to.
pub fn compile(plan: &Plan, files: &dyn Files) -> (ReadyChecks, Diagnostics) {
    let mut all = Diagnostics::default();
    let suites = plan.suites.iter().map(|suite| compile_suite(suite, files, &mut all)).collect();
    (ReadyChecks { suites }, all)
}

/// Compiles one check that belongs to no plan; the paths of its files are relative to `folder`.
pub fn single(check: Check, files: &dyn Files, folder: &Path) -> Result<ReadyCheck, Diagnostics> {
    let mut compiler = Compiler::new(files, folder);
    make_ready(&mut compiler, &Arc::new(check), CheckOrigin::Alone).ok_or(compiler.problems)
}

/// Why the variables of a check cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefillError {
    /// A variable has no value.
    #[error(transparent)]
    Unset(#[from] UnsetVariableError),
    /// A column of data is not what the check needs.
    #[error(transparent)]
    Column(#[from] ColumnError),
}

/// The values of variables.
#[derive(Clone, Copy)]
pub struct Lookup<'l> {
    /// The value of a variable as text.
    pub text: &'l dyn Fn(&str) -> Option<String>,
    /// The value of a column of data, with its type.
    pub column: &'l dyn Fn(&str) -> Option<Value>,
}

impl<'l> Lookup<'l> {
    /// The values of variables, without a row of data.
    pub fn of_text(text: &'l dyn Fn(&str) -> Option<String>) -> Self {
        Self { text, column: &|_| None }
    }
}

/// Fills the variables of a check and compiles it. The outer error is about a variable.
pub fn refill(
    ready: &ReadyCheck,
    files: &dyn Files,
    folder: &Path,
    lookup: Lookup<'_>,
) -> Result<Result<ReadyCheck, Diagnostics>, RefillError> {
    let mut check = Check::clone(&ready.check);
    check.arguments = fill(&fill_columns(&check.arguments, lookup.column)?, lookup.text)?;
    check.templated = false;
    let mut compiler = Compiler::new(files, folder);
    let made = make_ready(&mut compiler, &Arc::new(check), CheckOrigin::Filled);
    let made = made.map(|filled| ReadyCheck { written: Arc::clone(&ready.written), ..filled });
    Ok(made.ok_or(compiler.problems))
}

/// The origin of a check, which decides whether it may require nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOrigin {
    /// A suite, with its policy for checks that require nothing.
    Suite(EmptyChecks),
    /// A suite, with its variables filled.
    Filled,
    /// No suite: the check is used as it is.
    Alone,
}

pub(crate) fn make_ready(compiler: &mut Compiler<'_>, check: &Arc<Check>, origin: CheckOrigin) -> Option<ReadyCheck> {
    if check.invalid {
        return Some(ReadyCheck::new(Arc::clone(check), Some(invalid::evaluator(check))));
    }
    let Some(compile) = registry::find(&check.kind.value) else {
        unknown(compiler, check);
        return None;
    };
    let test = if check.templated {
        None
    } else {
        let before = compiler.problems.count(Severity::Error);
        let test = compile(&check.arguments, compiler)?;
        demands_something(check, origin, &mut compiler.problems);
        if compiler.problems.count(Severity::Error) > before {
            return None;
        }
        Some(test)
    };
    Some(ReadyCheck::new(Arc::clone(check), test))
}

/// Reports a check that requires nothing. Formats that have always passed such a check still do, with a warning.
fn demands_something(check: &Check, origin: CheckOrigin, problems: &mut Diagnostics) {
    let Some(empty) = check.empty_demand().filter(|_| origin != CheckOrigin::Alone) else { return };
    let problem = empty.problem(check, origin == CheckOrigin::Filled);
    let passes = match origin {
        CheckOrigin::Suite(EmptyChecks::PassInOrdersAndProhibitions) => {
            check.kind.value == "call_order" || check.negate
        }
        CheckOrigin::Suite(EmptyChecks::Pass) => true,
        CheckOrigin::Suite(EmptyChecks::Refused) | CheckOrigin::Filled | CheckOrigin::Alone => false,
    };
    problems.push(if passes { Diagnostic { severity: Severity::Warning, ..problem } } else { problem });
}

/// An invalid check that replaces one with a problem and keeps its name.
pub(crate) fn never(check: &Check, problem: &Diagnostic) -> ReadyCheck {
    let known = registry::names().find(|name| check.kind.value == *name);
    let Check { kind, arguments, invalid, .. } = Check::invalid(check.kind.span, problem.message.clone(), problem.span);
    let labelled = check.clone().with_label(check.label().or(known));
    let check = Check { kind, arguments, invalid, templated: false, ..labelled };
    let test = invalid::evaluator(&check);
    ReadyCheck::new(Arc::new(check), Some(test))
}

/// Turns a problem with a check into a warning that its case will fail.
pub fn survivable(problem: &Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        message: format!("this assertion cannot pass: {}", problem.message),
        label: "its test will fail".into(),
        ..problem.clone()
    }
}

fn unknown(compiler: &mut Compiler<'_>, check: &Check) {
    let kind = &check.kind;
    let known: Vec<&str> = registry::names().collect();
    let help = match did_you_mean(&kind.value, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known checks: {}", read::quoted_list(&known)),
    };
    let message = format!("unknown check `{}`", kind.value.escape_debug());
    compiler.problems.error(kind.span, message, "not a check in this format").help(help);
}
