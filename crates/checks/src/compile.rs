//! From check data to ready checks.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Check, EmptyChecks, Plan, UnsetVariableError, fill};
use agentci_source::{Diagnostic, Diagnostics, Files, Severity, did_you_mean, read};
use agentci_trace::Trace;
use agentci_verdict::Outcome;
use serde_json::Value;

use crate::compile_suite::compile_suite;
use crate::compiler::Compiler;
use crate::evaluate::{Evaluate, no_output};
use crate::registry::{self, OF_OUTPUT};
use crate::{EvidenceQuestion, KeptAnswer, ScriptCall, invalid};

/// The ready checks of a plan; suites and cases stand where they stand in the plan.
#[derive(Debug, Clone, Default)]
pub struct ReadyChecks {
    /// One for each suite.
    pub suites: Vec<ReadySuite>,
}

/// The ready checks of a suite.
#[derive(Debug, Clone, Default)]
pub struct ReadySuite {
    /// One for each case.
    pub cases: Vec<ReadyCase>,
    /// Whether a check that every case shares is wrong, so that there is nothing to run.
    pub refused: bool,
}

/// The ready checks of a case.
#[derive(Debug, Clone, Default)]
pub struct ReadyCase {
    /// Over the whole case.
    pub checks: Box<[ReadyCheck]>,
    /// Over each turn; empty where no turn has any.
    pub turns: Box<[Box<[ReadyCheck]>]>,
    /// What is wrong with checks of this case.
    pub problems: Diagnostics,
}

/// A check that can be evaluated, or could be once its variables are filled. What it is made of is shared by its copies.
#[derive(Debug, Clone)]
pub struct ReadyCheck {
    check: Arc<Check>,
    /// Absent while variables are to be filled.
    test: Option<Arc<dyn Evaluate>>,
}

impl ReadyCheck {
    /// The check as the plan has it, or what takes its place.
    pub fn check(&self) -> &Arc<Check> {
        &self.check
    }

    /// An invalid check in its place, for what is wrong with it.
    #[must_use]
    pub fn unusable(&self, problem: &Diagnostic) -> Self {
        never(&self.check, problem)
    }

    /// Whether its variables are still to be filled, by [`refill`].
    pub fn waits_for_variables(&self) -> bool {
        self.test.is_none()
    }

    /// What it has to know beside a trace, to be answered before it is evaluated.
    pub fn question(&self, trace: &Trace) -> Option<EvidenceQuestion> {
        self.test.as_ref()?.question(trace)
    }

    /// Whether evaluating it over a trace of so many bytes may take longer than the run can wait: then it belongs on a thread.
    pub fn may_take_long(&self, bytes: u64) -> bool {
        const SOON: u64 = 50_000_000;
        self.test.as_ref().is_some_and(|test| test.weight().saturating_mul(bytes) > SOON)
    }

    /// The function of the suite's own that it calls, if it calls one.
    pub fn script(&self) -> Option<&ScriptCall> {
        self.test.as_ref()?.script()
    }

    /// What becomes of it over a trace.
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

    /// What is odd although it held.
    pub fn warnings(&self, trace: &Trace) -> Vec<String> {
        self.test.as_ref().map(|test| test.warnings(trace, self.check.negate)).unwrap_or_default()
    }

    /// The same, with the answer to its question.
    pub fn conclude(&self, trace: &Trace, answer: &Value) -> Outcome {
        self.outcome(|test, negate| test.conclude(trace, answer, negate))
    }

    /// What a run keeps of the answer to its question.
    pub fn keep(&self, answer: Value) -> KeptAnswer {
        match &self.test {
            Some(test) => test.keep(answer, self.check.negate),
            None => KeptAnswer { evidence: answer, ..KeptAnswer::default() },
        }
    }

    fn outcome(&self, judge: impl FnOnce(&dyn Evaluate, bool) -> Outcome) -> Outcome {
        let Some(test) = &self.test else {
            return Outcome::NotEvaluated("its variables were never filled".into());
        };
        let mut outcome = judge(&**test, self.check.negate);
        if let (Outcome::Failed(failure), Some(message)) = (&mut outcome, self.check.message()) {
            let own = std::mem::replace(&mut failure.message, message.to_string());
            failure.notes.insert(0, own);
        }
        outcome
    }
}

/// Makes every check of a plan ready. Problems are also kept with the cases they belong to.
pub fn compile(plan: &Plan, files: &dyn Files) -> (ReadyChecks, Diagnostics) {
    let mut all = Diagnostics::default();
    let suites = plan.suites.iter().map(|suite| compile_suite(suite, files, &mut all)).collect();
    (ReadyChecks { suites }, all)
}

/// Makes one check ready that belongs to no plan; files that it names are looked for in `folder`.
pub fn single(check: Check, files: &dyn Files, folder: &Path) -> Result<ReadyCheck, Diagnostics> {
    let mut compiler = Compiler::new(files, folder);
    make_ready(&mut compiler, &Arc::new(check), CheckOrigin::Alone).ok_or(compiler.problems)
}

/// Fills the variables of a check and makes it ready. The outer error is a variable without a value.
pub fn refill(
    ready: &ReadyCheck,
    files: &dyn Files,
    folder: &Path,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Result<ReadyCheck, Diagnostics>, UnsetVariableError> {
    let mut check = Check::clone(&ready.check);
    check.arguments = fill(&check.arguments, lookup)?;
    check.templated = false;
    let mut compiler = Compiler::new(files, folder);
    Ok(make_ready(&mut compiler, &Arc::new(check), CheckOrigin::Filled).ok_or(compiler.problems))
}

/// Where a check comes from that is to be made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOrigin {
    /// A suite whose checks that ask for nothing mean this.
    Suite(EmptyChecks),
    /// A suite, with its variables filled.
    Filled,
    /// No suite: whoever asks knows what is asked.
    Alone,
}

pub(crate) fn make_ready(compiler: &mut Compiler<'_>, check: &Arc<Check>, origin: CheckOrigin) -> Option<ReadyCheck> {
    if check.invalid {
        return Some(ReadyCheck { check: Arc::clone(check), test: Some(invalid::evaluator(check)) });
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
    Some(ReadyCheck { check: Arc::clone(check), test })
}

/// Reports a check that asks for nothing. Formats that have always passed such a check keep its verdict, with a warning.
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

/// An invalid check in place of one with a problem. It keeps the name of the other.
pub(crate) fn never(check: &Check, problem: &Diagnostic) -> ReadyCheck {
    let known = registry::names().find(|name| check.kind.value == *name);
    let Check { kind, arguments, invalid, .. } = Check::invalid(check.kind.span, problem.message.clone(), problem.span);
    let labelled = check.clone().with_label(check.label().or(known));
    let check = Check { kind, arguments, invalid, templated: false, ..labelled };
    ReadyCheck { test: Some(invalid::evaluator(&check)), check: Arc::new(check) }
}

/// What is wrong with a check, as a warning that its case will fail.
pub fn survivable(problem: &Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        message: format!("this assertion can not hold: {}", problem.message),
        label: "its test will fail".into(),
        ..problem.clone()
    }
}

fn unknown(compiler: &mut Compiler<'_>, check: &Check) {
    let kind = &check.kind;
    let known: Vec<&str> = registry::names().collect();
    let help = match did_you_mean(&kind.value, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("checks are {}", read::quoted_list(&known)),
    };
    let message = format!("unknown check `{}`", kind.value.escape_debug());
    compiler.problems.error(kind.span, message, "not a check in this format").help(help);
}
