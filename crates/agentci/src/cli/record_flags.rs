//! The flags of `agentci record` for suites: what is recorded again, and what it may cost.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use agentci::plan::{Case, Mode};
use agentci::runner::{Budget, Spent};
use agentci::source::parse_duration;
use clap::Args;

use super::{CliError, LoadedSuite, RunArguments, Suites, in_ci};

/// Arguments of `agentci record` with suites.
#[derive(Debug, Args)]
pub(crate) struct RecordSuiteArguments {
    #[command(flatten)]
    pub(super) run: RunArguments,
    #[command(flatten)]
    pub(super) recording: RecordFlags,
}

/// Flags that only recording has a use for.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RecordFlags {
    /// Keep recorded answers that still match, and record only missing ones
    #[arg(long, help_heading = "Recording")]
    pub(super) update: bool,
    /// Stop when the model calls have cost more than this amount in US dollars
    #[arg(long, value_name = "USD", value_parser = usd, help_heading = "Recording")]
    max_cost: Option<f64>,
    /// Stop when the run takes longer than this
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Recording")]
    max_wall: Option<Duration>,
    /// Record even if `CI` is set; the agents call real models and tools
    #[arg(long, help_heading = "Recording")]
    yes: bool,
}

impl RecordFlags {
    /// The budget of the run.
    pub(super) fn budget(&self) -> Arc<Budget> {
        Arc::new(Budget::new(self.max_cost, self.max_wall))
    }

    /// Refuses a run that would call the live world in CI: a forgotten mode must not cost money.
    pub(super) fn allowed(&self, suites: &Suites, mode: Option<Mode>) -> Result<(), CliError> {
        let records = |loaded: &&LoadedSuite| mode.unwrap_or(loaded.suite.mode) == Mode::Record;
        let live = |case: &&Case| case.skip.is_none() && case.broken.is_none() && case.recorded_world().is_some();
        let case = suites.loaded().iter().filter(records).flat_map(LoadedSuite::written_cases).find(live);
        let Some(case) = case.filter(|_| in_ci() && !self.yes) else { return Ok(()) };
        let message = format!(
            "nothing was recorded: `CI` is set, and `{}` would call the real model and tools of its agent",
            case.id.escape_debug()
        );
        Err(CliError::new(message, "record on your machine and commit the recordings, or add `--yes`"))
    }
}

/// One line about the cost of live calls; `None` if no model was called.
pub(super) fn spent(budget: &Budget) -> Option<String> {
    let Spent { cost_usd, model_calls, unpriced } = budget.spent();
    if model_calls == 0 {
        return None;
    }
    let calls = if model_calls == 1 { "model call" } else { "model calls" };
    let mut line = format!("live: {model_calls} {calls}, {} USD", amount(cost_usd));
    if !unpriced.is_empty() {
        let names: Vec<String> = unpriced.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
        let _ = write!(line, ", not counting {}, whose price is unknown (set `prices` in the suite)", names.join(", "));
    }
    line.push('\n');
    Some(line)
}

/// An amount with up to six decimals, without trailing zeros.
fn amount(usd: f64) -> String {
    let text = format!("{usd:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn usd(text: &str) -> Result<f64, String> {
    let amount = text.trim_start_matches('$').parse::<f64>().ok();
    amount
        .filter(|amount| amount.is_finite() && *amount >= 0.0)
        .ok_or_else(|| "expected an amount in US dollars, such as 0.5".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_amounts_without_trailing_digits() {
        for (usd, text) in [(0.0, "0"), (0.006, "0.006"), (0.000_075_000_000_000_000_01, "0.000075"), (12.0, "12")] {
            assert_eq!(amount(usd), text);
        }
    }
}
