//! The checks of one suite made ready: those that cases share are compiled once, and what is wrong is reported once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agentci_plan::{Case, Check, Habits, InvalidChecks, Suite, Turn, without_effect};
use agentci_source::{Diagnostics, Files, Severity, Span};

use crate::compile::{CheckOrigin, make_ready, never, survivable};
use crate::compiler::Compiler;
use crate::{ReadyCase, ReadyCheck, ReadySuite};

/// Makes the checks of a suite ready; problems go to `all`, and to the cases they belong to.
pub(crate) fn compile_suite(suite: &Suite, files: &dyn Files, all: &mut Diagnostics) -> ReadySuite {
    let mut making = SuiteCompiler {
        compiler: Compiler::new(files, &suite.folder),
        habits: &suite.habits,
        shared: HashMap::new(),
        unled: Vec::new(),
    };
    let mut cases: Vec<ReadyCase> = suite.cases.iter().map(|case| making.case(case, all)).collect();
    add_settings_without_effect(suite, &mut cases, all);
    let refused = making.refuses(suite, &cases);
    ReadySuite { cases, refused }
}

/// What the cases of a suite share while their checks are made ready.
struct SuiteCompiler<'s> {
    compiler: Compiler<'s>,
    habits: &'s Habits,
    /// Checks of several cases, compiled once; the pointer tells that they are the same.
    shared: HashMap<*const Check, Result<ReadyCheck, Diagnostics>>,
    /// Where models were reported that nothing would ask.
    unled: Vec<Span>,
}

/// What is wrong with the checks of a case.
#[derive(Default)]
struct CaseProblems {
    problems: Diagnostics,
    /// Checks that were reported: what is asked of several turns is wrong once.
    reported: HashSet<*const Check>,
}

impl SuiteCompiler<'_> {
    fn case(&mut self, case: &Case, all: &mut Diagnostics) -> ReadyCase {
        let mut wrong = CaseProblems::default();
        let checks = case.checks.iter().filter_map(|check| self.check(check, &mut wrong, all)).collect();
        let misfits = case.target.misfits(&case.turns);
        all.append(misfits.clone());
        wrong.problems.append(misfits);
        if let Some(unled) = case.target.unled(&case.world) {
            // What is said for all cases is wrong once.
            if !self.unled.contains(&unled.span) {
                self.unled.push(unled.span);
                all.push(unled.clone());
            }
            wrong.problems.push(unled);
        }
        let mut turns = Box::default();
        if case.turns.iter().any(|turn| !turn.checks.is_empty()) {
            let of_turn =
                |turn: &Turn| turn.checks.iter().filter_map(|check| self.check(check, &mut wrong, all)).collect();
            turns = case.turns.iter().map(of_turn).collect();
        }
        ReadyCase { checks, turns, problems: wrong.problems }
    }

    /// A check made ready; `None` when it is invalid, and that refuses its case.
    fn check(&mut self, check: &Arc<Check>, wrong: &mut CaseProblems, all: &mut Diagnostics) -> Option<ReadyCheck> {
        let known = self.shared.get(&Arc::as_ptr(check)).cloned();
        let made = known.unwrap_or_else(|| {
            let made = self.make(check, all);
            self.shared.insert(Arc::as_ptr(check), made.clone());
            made
        });
        let report = |problems| {
            if wrong.reported.insert(Arc::as_ptr(check)) {
                wrong.problems.append(problems);
            }
        };
        made.map_err(report).ok()
    }

    fn make(&mut self, check: &Arc<Check>, all: &mut Diagnostics) -> Result<ReadyCheck, Diagnostics> {
        let made = make_ready(&mut self.compiler, check, CheckOrigin::Suite(self.habits.empty_checks));
        let problems = std::mem::take(&mut self.compiler.problems);
        if let (None, InvalidChecks::FailCase, Some(wrong)) =
            (&made, self.habits.invalid_checks, problems.iter().next())
        {
            problems.iter().for_each(|problem| all.push(survivable(problem)));
            return Ok(never(check, wrong));
        }
        all.append(problems.clone());
        made.ok_or(problems)
    }

    /// Whether nothing of the suite is to be run: what is wrong concerns every case.
    fn refuses(&self, suite: &Suite, cases: &[ReadyCase]) -> bool {
        let together = self.habits.invalid_checks == InvalidChecks::RefuseSuite;
        if together && cases.iter().any(|case| case.problems.has_errors()) {
            return true;
        }
        let runnable = || suite.cases.iter().filter(|case| case.broken.is_none());
        let wrong_for_all = |check: &Arc<Check>| {
            self.shared.get(&Arc::as_ptr(check)).is_some_and(Result::is_err)
                && runnable().all(|case| case.checks.iter().any(|other| Arc::ptr_eq(other, check)))
        };
        let several = runnable().nth(1).is_some();
        several && runnable().take(1).any(|case| case.checks.iter().any(wrong_for_all))
    }
}

/// Adds what the suite says in vain. What is said for all cases is wrong once.
fn add_settings_without_effect(suite: &Suite, cases: &mut [ReadyCase], all: &mut Diagnostics) {
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
}
