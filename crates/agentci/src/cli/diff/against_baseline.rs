//! `agentci diff --baseline`: compares a stored run with a baseline by its gates.

use std::path::Path;

use super::{CliContext, CliError, stored_run};
use crate::cli::CommandResult;
use agentci::read_baseline;
use agentci::report::{Paint, baseline_problem, comparison_table, one_line, regression};
use agentci::verdict::{Baseline, ExitStatus, GateReport, Thresholds, compare, incomplete};

pub(super) fn diff(baseline: &Path, run: &Path, json: bool, context: &CliContext) -> CommandResult {
    let baseline_path = baseline.display().to_string();
    let help = "create one from a good run: `agentci baseline promote --from RUN_DIR --to FILE`";
    let baseline = read_baseline(baseline)
        .map_err(|problem| CliError::new(baseline_problem(&baseline_path, &problem), help).tell(context));
    let stored = stored_run::summary(run)
        .and_then(|summary| match Baseline::read(&summary) {
            Ok(stored) => Ok((summary, stored)),
            Err(error) => Err(stored_run::unreadable(run, error)),
        })
        .map_err(|error| error.tell(context));
    let (Ok(baseline), Ok((summary, current))) = (baseline, stored) else { return Err(CliError::told()) };
    let thresholds = Thresholds::of_summary(&summary);
    let against = one_line(&baseline_path).into_owned();
    let report = GateReport {
        baseline_path: Some(baseline_path),
        thresholds,
        written: summary["policy_snapshot"]["regression"].clone(),
        comparison: compare(Some(&baseline), &current, &thresholds, incomplete(&summary).is_none()),
        ..GateReport::default()
    };
    if json {
        let mut document = regression(&report);
        document.sort_all_objects();
        context.print(&format!("{document:#}\n"));
    } else {
        let table = comparison_table(&report.comparison, Paint::new(context.stdout_color));
        context.print(&format!("{} against {against}\n\n{table}", stored_run::named(&summary)));
    }
    Ok(if report.passed() { ExitStatus::Success } else { ExitStatus::Failed })
}
