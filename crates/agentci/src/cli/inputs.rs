//! Files that suites are made of: no report replaces one of them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use agentci::{Suites, real_path};

use super::reports::{Misfit, ReportFlags};
use super::watch::recorded;

/// Whether no report goes where an input of a suite is. `read` is what was read of the disk to load them.
pub(super) fn are_kept(reports: &ReportFlags, suites: &Suites, read: &BTreeSet<PathBuf>) -> Result<(), Misfit> {
    let plan = suites.plan();
    let targets: Vec<PathBuf> = plan.suites.iter().flat_map(|suite| reports.files(&suite.name)).collect();
    if targets.is_empty() {
        return Ok(());
    }
    // Files of lines are looked into to see whether they are tests, and may be reports of former runs.
    let is_lines = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let mut inputs: BTreeSet<PathBuf> =
        read.iter().filter(|path| !is_lines(path)).map(|path| real_path(path)).collect();
    for suite in &plan.suites {
        inputs.insert(real_path(&suite.path));
        inputs.extend(suite.gates.baseline.iter().map(|baseline| real_path(&baseline.value)));
        for case in &suite.cases {
            inputs.insert(real_path(plan.sources.path(case.span.file)));
            inputs.extend(recorded(case).iter().map(|path| real_path(path)));
        }
    }
    match targets.iter().find(|target| target.is_file() && inputs.contains(&real_path(target))) {
        None => Ok(()),
        Some(target) => Err(Misfit {
            message: format!("a report would replace `{}`, which the suite is made of", target.display()),
            help: "write the report to another file".into(),
        }),
    }
}
