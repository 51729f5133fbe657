//! The flags that set ceilings for a whole run, and what is said about them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use agentci::report::count_of;
use agentci::runner::{Budget, Spent};
use agentci::source::parse_duration;
use clap::Args;

/// Flags for the ceilings of a run.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CeilingFlags {
    /// Start no further case once the agents' model calls have cost this much in US dollars; the rest can be run with `--resume`
    #[arg(long, value_name = "USD", value_parser = usd)]
    max_cost: Option<f64>,
    /// Stop when the run has taken this long: cases under way are ended, and no further case starts
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    max_wall: Option<Duration>,
}

impl CeilingFlags {
    /// The budget of a run that starts now.
    pub(super) fn budget(&self) -> Arc<Budget> {
        Arc::new(Budget::new(self.max_cost, self.max_wall))
    }
}

/// One line about the cost of live calls; `None` if no model was called through the recorder.
pub(super) fn spent(budget: &Budget) -> Option<String> {
    let Spent { cost_usd, model_calls, unpriced, .. } = budget.spent();
    if model_calls == 0 {
        return None;
    }
    let mut line = format!("live: {}, {} USD", count_of(model_calls, "model call"), amount(cost_usd));
    if !unpriced.is_empty() {
        let names: Vec<String> = unpriced.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
        let _ = write!(line, ", not counting {}, whose price is unknown (set `prices` in the suite)", names.join(", "));
    }
    line.push('\n');
    Some(line)
}

/// The warning about costs that `--max-cost` could not limit, if there are any.
pub(super) fn unobserved(budget: &Budget) -> Option<String> {
    let count = budget.spent().unobserved;
    let runs = if count == 1 { "1 run of a case".to_owned() } else { format!("{count} runs of cases") };
    (budget.limits_cost() && count > 0).then(|| {
        format!(
            "warning: `--max-cost` does not cover {runs} whose agent reported no usage\nhelp: let the agent report \
             `usage` with `cost_usd`, or record its model calls\n"
        )
    })
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
