//! `agentci diff`: compares a stored run with a baseline.

use std::path::PathBuf;

use agentci::read_baseline;
use agentci::report::{Paint, baseline_problem, comparison_table, one_line, regression};
use agentci::verdict::{Baseline, ExitStatus, GateReport, Thresholds, compare, incomplete};
use clap::Args;

use super::{CliContext, CliError, CommandResult, stored_run};

/// Arguments of `agentci diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// Baseline file to compare with
    #[arg(long, value_name = "FILE")]
    baseline: PathBuf,
    /// Run folder, or its `summary.json`
    #[arg(long, value_name = "RUN_DIR")]
    run: PathBuf,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn diff(arguments: &DiffArguments, context: &CliContext) -> CommandResult {
    let baseline_path = arguments.baseline.display().to_string();
    let help = "create one from a good run: `agentci baseline promote --from RUN_DIR --to FILE`";
    let baseline = read_baseline(&arguments.baseline)
        .map_err(|problem| CliError::new(baseline_problem(&baseline_path, &problem), help).tell(context));
    let run = stored_run::summary(&arguments.run)
        .and_then(|summary| match Baseline::read(&summary) {
            Ok(run) => Ok((summary, run)),
            Err(error) => Err(stored_run::unreadable(&arguments.run, error)),
        })
        .map_err(|error| error.tell(context));
    let (Ok(baseline), Ok((summary, run))) = (baseline, run) else { return Err(CliError::told()) };
    let thresholds = Thresholds::of_summary(&summary);
    let report = GateReport {
        baseline_path: Some(baseline_path),
        thresholds,
        written: summary["policy_snapshot"]["regression"].clone(),
        comparison: compare(Some(&baseline), &run, &thresholds, incomplete(&summary).is_none()),
        ..GateReport::default()
    };
    if arguments.json {
        let mut document = regression(&report);
        document.sort_all_objects();
        context.print(&format!("{document:#}\n"));
    } else {
        let against = one_line(report.baseline_path.as_deref().unwrap_or_default()).into_owned();
        let table = comparison_table(&report.comparison, Paint::new(context.stdout_color));
        context.print(&format!("{} against {against}\n\n{table}", stored_run::named(&summary)));
    }
    Ok(if report.passed() { ExitStatus::Success } else { ExitStatus::Failed })
}
