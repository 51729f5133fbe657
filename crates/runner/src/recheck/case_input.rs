//! Fills in the variables of a case that have a fixed value in its suite: hooks and the environment of the run are not
//! stored.

use agentci_checks::{ReadyCheck, refill};
use agentci_plan::{Case, Variables};
use agentci_verdict::Finding;

use crate::filled_case::input;
use crate::{findings, job::CaseJob};

/// The variables with a fixed value. A hook may change any variable.
pub(super) fn fixed_variables(case: &Case) -> Variables {
    let mut variables = Variables::new();
    if !case.hooks.is_empty() {
        return variables;
    }
    for (name, text) in case.variables.iter() {
        if let Ok(value) = text.fill(&|wanted| variables.get(wanted).cloned()) {
            variables.insert(name.clone(), value);
        }
    }
    variables
}

/// The checks with these variables filled in. A check with other variables stays as it is.
pub(super) fn fill(
    job: &CaseJob<'_>,
    checks: &[ReadyCheck],
    variables: &Variables,
) -> Result<Vec<ReadyCheck>, Vec<Finding>> {
    let fill = |check: &ReadyCheck| {
        if !check.waits_for_variables() {
            return Ok(check.clone());
        }
        match refill(check, job.run.options.files, &job.run.suite.folder, &|name| variables.get(name).cloned()) {
            Ok(Ok(ready)) => Ok(ready),
            Ok(Err(problems)) => Err(findings::config(&problems, job.run.sources)),
            Err(_) => Ok(check.clone()),
        }
    };
    checks.iter().map(fill).collect()
}

/// The first turn whose input in the suite differs from the stored input, by its number from 0. A turn whose variables
/// are unknown is not compared.
pub(super) fn changed_turn(job: &CaseJob<'_>, stored: &[serde_json::Value], variables: &Variables) -> Option<usize> {
    let turns = &job.case.turns;
    let differs = |(turn, stored): (&agentci_plan::Turn, &serde_json::Value)| {
        let filled = input(&turn.said, &|name| variables.get(name).cloned());
        filled.is_ok_and(|filled| job.secrets.fingerprint(&filled.as_value()).0 != job.secrets.fingerprint(stored).0)
    };
    let changed = turns.iter().zip(stored).position(differs);
    changed.or_else(|| (stored.len() > turns.len()).then_some(turns.len()))
}
