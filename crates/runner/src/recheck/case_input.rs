//! Fills in the variables of a case that have a fixed value in its suite: hooks and the environment of the run are not
//! stored.

use std::sync::Arc;

use agentci_checks::{Lookup, ReadyCheck, refill};
use agentci_dataset::{DataRow, value_text};
use agentci_plan::{Case, Variables, is_row};
use agentci_verdict::Finding;
use serde_json::Value;

use crate::filled_case::input;
use crate::{findings, job::CaseJob};

/// The variables with a fixed value.
pub(super) struct FixedVariables {
    variables: Variables,
    /// The row of data that the case was made from.
    row: Option<Arc<DataRow>>,
}

impl FixedVariables {
    /// The variables of a case. A hook may change any variable, but no column of the row.
    pub(super) fn of(case: &Case) -> Self {
        let mut fixed = Self { variables: Variables::new(), row: case.row.clone() };
        if !case.hooks.is_empty() {
            return fixed;
        }
        for (name, text) in case.variables.iter() {
            if let Ok(value) = text.fill(&|wanted| fixed.get(wanted)) {
                fixed.variables.insert(name.clone(), value);
            }
        }
        fixed
    }

    fn get(&self, name: &str) -> Option<String> {
        match self.column(name) {
            Some(value) => Some(value_text(&value)),
            None => self.variables.get(name).cloned(),
        }
    }

    fn column(&self, name: &str) -> Option<Value> {
        self.row.as_ref().filter(|_| is_row(name))?.variable(name)
    }
}

/// The checks with these variables filled in. A check with other variables stays as it is.
pub(super) fn fill(
    job: &CaseJob<'_>,
    checks: &[ReadyCheck],
    variables: &FixedVariables,
) -> Result<Vec<ReadyCheck>, Vec<Finding>> {
    let fill = |check: &ReadyCheck| {
        if !check.waits_for_variables() {
            return Ok(check.clone());
        }
        let lookup = Lookup { text: &|name| variables.get(name), column: &|name| variables.column(name) };
        match refill(check, job.run.options.files, &job.run.suite.folder, lookup) {
            Ok(Ok(ready)) => Ok(ready),
            Ok(Err(problems)) => Err(findings::config(&problems, job.run.sources)),
            Err(_) => Ok(check.clone()),
        }
    };
    checks.iter().map(fill).collect()
}

/// The first turn whose input in the suite differs from the stored input, by its number from 0. A turn whose variables
/// are unknown is not compared.
pub(super) fn changed_turn(job: &CaseJob<'_>, stored: &[Value], variables: &FixedVariables) -> Option<usize> {
    let turns = &job.case.turns;
    let differs = |(turn, stored): (&agentci_plan::Turn, &Value)| {
        let filled = input(&turn.said, &|name| variables.get(name));
        filled.is_ok_and(|filled| job.secrets.fingerprint(&filled.as_value()).0 != job.secrets.fingerprint(stored).0)
    };
    let changed = turns.iter().zip(stored).position(differs);
    changed.or_else(|| (stored.len() > turns.len()).then_some(turns.len()))
}
