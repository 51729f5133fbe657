//! Compiles the checks of one suite. A check that several cases share is compiled once, and its problems are reported
//! once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use agentci_plan::{Case, Check, FormatConventions, InvalidChecks, Suite, Turn, without_effect};
use agentci_source::{Diagnostics, Files, Severity, Span};

use crate::compile::{CheckOrigin, make_ready, never, survivable};
use crate::compiler::Compiler;
use crate::{ReadyCase, ReadyCheck, ReadySuite};

/// Compiles the checks of a suite; adds problems to `all` and to the cases they belong to.
pub(crate) fn compile_suite(suite: &Suite, files: &dyn Files, all: &mut Diagnostics) -> ReadySuite {
    let mut making = SuiteCompiler {
        compiler: Compiler::new(files, &suite.folder),
        conventions: &suite.conventions,
        shared: HashMap::new(),
        unled: Vec::new(),
    };
    let mut cases: Vec<ReadyCase> = suite.cases.iter().map(|case| making.case(case, all)).collect();
    add_settings_without_effect(suite, &mut cases, all);
    let refused = making.refuses(suite, &cases);
    ReadySuite { cases, refused }
}

/// The state that the cases of a suite share while their checks are compiled.
struct SuiteCompiler<'s> {
    compiler: Compiler<'s>,
    conventions: &'s FormatConventions,
    /// Compiled checks by the pointer to their plan, since cases share them.
    shared: HashMap<*const Check, Result<ReadyCheck, Diagnostics>>,
    /// The models that were already reported as never called.
    unled: Vec<Span>,
}

/// The problems with the checks of a case.
#[derive(Default)]
struct CaseProblems {
    problems: Diagnostics,
    /// Checks whose problems were added: a check that several turns share is reported once.
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
            // A setting that all cases share is reported once.
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

    /// Compiles a check; `None` if it is invalid, so that its case cannot run.
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
        let made = make_ready(&mut self.compiler, check, CheckOrigin::Suite(self.conventions.empty_checks));
        let problems = std::mem::take(&mut self.compiler.problems);
        if let (None, InvalidChecks::FailCase, Some(wrong)) =
            (&made, self.conventions.invalid_checks, problems.iter().next())
        {
            problems.iter().for_each(|problem| all.push(survivable(problem)));
            return Ok(never(check, wrong));
        }
        all.append(problems.clone());
        made.ok_or(problems)
    }

    /// Whether no case of the suite can run, because a problem concerns all of them.
    fn refuses(&self, suite: &Suite, cases: &[ReadyCase]) -> bool {
        let together = self.conventions.invalid_checks == InvalidChecks::RefuseSuite;
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

/// Reports settings of the suite without effect. A setting that all cases share is reported once.
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
