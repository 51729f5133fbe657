//! From check data to ready checks.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Check, Dialect, Plan, Suite, UnsetVariable, fill, without_effect};
use agentci_source::{Diagnostic, Diagnostics, Files, Node, Severity, Spanned, did_you_mean, read};
use agentci_trace::Trace;
use agentci_verdict::Outcome;
use serde_json::Value;

use crate::compiler::Compiler;
use crate::evaluate::{Evaluate, no_output};
use crate::{Kept, Question, ScriptCall, registry, unusable};

/// The ready checks of a plan; suites and cases stand where they stand in the plan.
#[derive(Debug, Clone, Default)]
pub struct Ready {
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

    /// The same check, which never holds, negated or not, for what is wrong with it.
    #[must_use]
    pub fn unusable(&self, problem: &Diagnostic) -> Self {
        never(&self.check, problem)
    }

    /// Whether its variables are still to be filled, by [`refill`].
    pub fn waits_for_variables(&self) -> bool {
        self.test.is_none()
    }

    /// What it has to know beside a trace, to be answered before it is evaluated.
    pub fn question(&self, trace: &Trace) -> Option<Question> {
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
            if test.needs_output() && trace.output().value().is_none() {
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
    pub fn keep(&self, answer: Value) -> Kept {
        match &self.test {
            Some(test) => test.keep(answer, self.check.negate),
            None => Kept { evidence: answer, ..Kept::default() },
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
pub fn compile(plan: &Plan, files: &dyn Files) -> (Ready, Diagnostics) {
    let mut all = Diagnostics::default();
    let suites = plan.suites.iter().map(|suite| compile_suite(suite, files, &mut all)).collect();
    (Ready { suites }, all)
}

/// Makes one check ready that belongs to no plan; files that it names are looked for in `folder`.
pub fn single(check: Check, files: &dyn Files, folder: &Path) -> Result<ReadyCheck, Diagnostics> {
    let mut compiler = Compiler::new(files, folder);
    make_ready(&mut compiler, &Arc::new(check), Origin::Alone).ok_or(compiler.problems)
}

/// Fills the variables of a check and makes it ready. The outer error is a variable without a value.
pub fn refill(
    ready: &ReadyCheck,
    files: &dyn Files,
    folder: &Path,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<Result<ReadyCheck, Diagnostics>, UnsetVariable> {
    let mut check = Check::clone(&ready.check);
    check.arguments = fill(&check.arguments, lookup)?;
    check.templated = false;
    let mut compiler = Compiler::new(files, folder);
    Ok(match make_ready(&mut compiler, &Arc::new(check), Origin::Filled) {
        Some(ready) => Ok(ready),
        None => Err(compiler.problems),
    })
}

fn compile_suite(suite: &Suite, files: &dyn Files, all: &mut Diagnostics) -> ReadySuite {
    let mut compiler = Compiler::new(files, &suite.folder);
    // Checks that cases share are compiled once; the pointer tells that they are the same.
    let mut shared: HashMap<*const Check, Result<ReadyCheck, Diagnostics>> = HashMap::new();
    let mut unled_told = Vec::new();
    let mut cases = Vec::with_capacity(suite.cases.len());
    for case in &suite.cases {
        let mut ready = ReadyCase::default();
        let mut told: HashSet<*const Check> = HashSet::new();
        let mut make = |check: &Arc<Check>, of_several: bool, problems: &mut Diagnostics, all: &mut Diagnostics| {
            let mut first = || {
                let made = make_ready(&mut compiler, check, Origin::Suite(suite.dialect));
                let problems = std::mem::take(&mut compiler.problems);
                // In this dialect an assertion that can not be understood fails its test, and the test is run all the same.
                if let (None, Dialect::Yao, Some(wrong)) = (&made, suite.dialect, problems.iter().next()) {
                    problems.iter().for_each(|problem| all.push(survivable(problem)));
                    return Ok(never(check, wrong));
                }
                all.append(problems.clone());
                made.ok_or(problems)
            };
            // What only this case has need not be found again.
            let made = if of_several || Arc::strong_count(check) > 1 {
                shared.entry(Arc::as_ptr(check)).or_insert_with(first).clone()
            } else {
                first()
            };
            // What is asked of several turns is wrong once.
            made.map_err(|wrong| told.insert(Arc::as_ptr(check)).then(|| problems.append(wrong))).ok()
        };
        ready.checks = case.checks.iter().filter_map(|check| make(check, false, &mut ready.problems, all)).collect();
        let misfits = case.target.misfits(&case.turns);
        all.append(misfits.clone());
        ready.problems.append(misfits);
        if let Some(unled) = case.target.unled(&case.world) {
            // What is said for all cases is wrong once.
            if !unled_told.contains(&unled.span) {
                unled_told.push(unled.span);
                all.push(unled.clone());
            }
            ready.problems.push(unled);
        }
        if case.turns.iter().any(|turn| !turn.checks.is_empty()) {
            let turns = case.turns.iter().map(|turn| {
                let of_several = Arc::strong_count(&turn.checks) > 1;
                turn.checks.iter().filter_map(|check| make(check, of_several, &mut ready.problems, all)).collect()
            });
            ready.turns = turns.collect();
        }
        cases.push(ready);
    }
    // What is said for all cases is wrong once.
    let mut told = Vec::new();
    for (index, problem) in without_effect(suite) {
        if !told.contains(&problem.span) {
            told.push(problem.span);
            all.push(problem.clone());
        }
        if problem.severity == Severity::Error {
            cases[index].problems.push(problem);
        }
    }
    let runnable = || suite.cases.iter().filter(|case| case.broken.is_none());
    let wrong_for_all = |check: &Arc<Check>| {
        shared.get(&Arc::as_ptr(check)).is_some_and(Result::is_err)
            && runnable().all(|case| case.checks.iter().any(|other| Arc::ptr_eq(other, check)))
    };
    // Tests of this dialect stand or fall together: each position counts on those before it.
    let together = suite.dialect == Dialect::Aumai && cases.iter().any(|case| case.problems.has_errors());
    let several = runnable().nth(1).is_some();
    let refused = together || (several && runnable().take(1).any(|case| case.checks.iter().any(wrong_for_all)));
    ReadySuite { cases, refused }
}

/// Where a check comes from that is to be made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A suite of this dialect.
    Suite(Dialect),
    /// A suite, with its variables filled.
    Filled,
    /// No suite: whoever asks knows what is asked.
    Alone,
}

fn make_ready(compiler: &mut Compiler<'_>, check: &Arc<Check>, origin: Origin) -> Option<ReadyCheck> {
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
fn demands_something(check: &Check, origin: Origin, problems: &mut Diagnostics) {
    let Some(empty) = check.empty_demand().filter(|_| origin != Origin::Alone) else { return };
    let problem = empty.problem(check, origin == Origin::Filled);
    let passes = match origin {
        Origin::Suite(Dialect::Runledger) => check.kind.value == "call_order" || check.negate,
        Origin::Suite(Dialect::Aumai) => true,
        _ => false,
    };
    problems.push(if passes { Diagnostic { severity: Severity::Warning, ..problem } } else { problem });
}

/// A check that never holds in place of one with a problem. It keeps the name of the other.
fn never(check: &Check, problem: &Diagnostic) -> ReadyCheck {
    let span = problem.span;
    let known = registry::names().find(|name| check.kind.value == *name);
    let check = Check {
        kind: Spanned::new("unusable".into(), check.kind.span),
        arguments: Node::text(problem.message.clone(), span),
        templated: false,
        ..check.clone().with_label(check.label().or(known))
    };
    ReadyCheck { check: Arc::new(check), test: Some(unusable::because(problem.message.clone(), span)) }
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
    compiler.problems.push(
        Diagnostic::error(kind.span, format!("unknown check `{}`", kind.value.escape_debug()))
            .label("not a check in this format")
            .help(help),
    );
}
