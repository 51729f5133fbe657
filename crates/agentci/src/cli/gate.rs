//! `agentci gate simulate`: what the gate `no_regression` would do with the history of a baseline.

use std::fmt::Write as _;
use std::path::PathBuf;

use agentci::read_baseline;
use agentci::report::{baseline_problem, count_of, one_line};
use agentci::verdict::{Baseline, ExitStatus, SimulatedChange, SimulatedRepeats, Simulation};
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;

use super::{CliContext, CliError, CommandResult};

#[derive(Debug, Subcommand)]
pub(crate) enum GateCommand {
    /// Simulate how often `no_regression` would fail, with and without a change of the agent
    Simulate(SimulateArguments),
}

/// Arguments of `agentci gate simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArguments {
    /// Baseline with the history of the suite
    #[arg(value_name = "BASELINE")]
    baseline: PathBuf,
    /// Runs of each case in a run of the suite
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    runs: u64,
    /// Maximum number of runs of a case that is repeated until it is decided
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=200))]
    max_runs: u64,
    /// Accepted share of false alarms
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    alpha: f64,
    /// Runs of the suite to simulate for each change
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: u32,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The simulated changes, and their names.
const CHANGES: [(&str, SimulatedChange); 5] = [
    ("nothing (false alarms)", SimulatedChange::None),
    ("one case never passes", SimulatedChange::OneBroken),
    ("a tenth of the cases pass 60 % less often", SimulatedChange::SomeDrop { share: 0.1, drop: 0.6 }),
    ("a tenth of the cases pass 30 % less often", SimulatedChange::SomeDrop { share: 0.1, drop: 0.3 }),
    ("every case passes 10 % less often", SimulatedChange::AllDrop { drop: 0.1 }),
];

pub(crate) fn gate(command: &GateCommand, context: &CliContext) -> CommandResult {
    let GateCommand::Simulate(arguments) = command;
    let path = arguments.baseline.display().to_string();
    let help = "create one from a good run: `agentci baseline promote --from RUN_DIR --to FILE`";
    let baseline =
        read_baseline(&arguments.baseline).map_err(|problem| CliError::new(baseline_problem(&path, &problem), help))?;
    let histories = Simulation::histories(&baseline, &baseline.mode);
    if histories.is_empty() {
        return Err(CliError::new(
            format!("the baseline `{path}` has no runs of any case"),
            "add runs with `agentci baseline promote --add`",
        ));
    }
    let SimulateArguments { runs, max_runs: most_runs, alpha, rounds, seed, .. } = *arguments;
    let simulation = Simulation { alpha, runs, most_runs, rounds, seed };
    let row = |(name, change): &(&'static str, SimulatedChange)| SimulatedRow {
        change: name,
        red: simulation.red(&histories, *change),
        until_decided: simulation.until_decided(&histories, *change),
    };
    let rows: Vec<SimulatedRow> = CHANGES.iter().map(row).collect();
    if arguments.json {
        let document = json!({
            "suite": baseline.suite, "cases": histories.len(), "runs": runs, "max_runs": most_runs, "alpha": alpha,
            "rounds": rounds, "seed": seed, "changes": rows,
        });
        context.print(&format!("{document:#}\n"));
    } else {
        context.print(&table(&simulation, &baseline, histories.len(), &rows));
    }
    Ok(ExitStatus::Success)
}

/// What the gate would do after one change of the agent.
#[derive(Debug, Serialize)]
struct SimulatedRow {
    change: &'static str,
    /// The share of red runs with a fixed number of runs.
    red: f64,
    until_decided: SimulatedRepeats,
}

fn table(simulation: &Simulation, baseline: &Baseline, cases: usize, rows: &[SimulatedRow]) -> String {
    let Simulation { alpha, runs, most_runs, rounds, seed } = *simulation;
    let suite = format!("{} with {}", baseline.suite, count_of(cases, "case"));
    let mut text = format!(
        "{} in the history, alpha {alpha}; {rounds} simulated runs, seed {seed}\n\n",
        count_of(baseline.history.runs().len(), "run"),
    );
    text.insert_str(0, &format!("{}: ", one_line(&suite)));
    let (fixed, most) = (format!("{runs} runs each"), format!("until decided, at most {most_runs}"));
    let (change, undecided, mean) = ("what changes", "not enough", "mean runs");
    let width = rows.iter().map(|row| row.change.len()).max().unwrap_or_default();
    let _ = writeln!(text, "{change:width$}  {fixed:>12}  {most:>28}  {undecided:>10}  {mean:>9}");
    for SimulatedRow { change, red, until_decided: repeats } in rows {
        let share = |share: f64| format!("{:.1} % red", share * 100.0);
        let (red, again) = (share(*red), share(repeats.red));
        let open = format!("{:.1} %", repeats.undecided * 100.0);
        let _ = writeln!(text, "{change:width$}  {red:>12}  {again:>28}  {open:>10}  {:>9.1}", repeats.runs);
    }
    text
}

/// A share of false alarms.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.001..=0.5).contains(&share) => Ok(share),
        _ => Err("must be a number from 0.001 to 0.5".to_owned()),
    }
}
