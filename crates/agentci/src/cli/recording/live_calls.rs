//! The calls to repeat against the live world, their cost, and the user's consent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;

use agentci_protocols::chat::requested_model;
use agentci_recorder::{Exchange, RecordedBody, Recording, RepeatPolicy, may_repeat};

use super::keys::{KeySource, LoginHeaders};
use crate::cli::init::answer;
use crate::cli::record::{RecordBudget, host};
use crate::cli::{CliContext, CliError, counted, in_ci};

/// How many calls that are not repeated are listed.
const MOST_NAMED: usize = 20;

/// The calls to repeat.
#[derive(Debug, Default)]
pub(super) struct DriftPlan<'r> {
    pub(super) asked: Vec<(&'r Exchange, LoginHeaders)>,
    /// Calls that are not repeated, each with the reason.
    pub(super) not_asked: Vec<(&'r Exchange, String)>,
    /// How many of those only lack a key.
    pub(super) without_key: usize,
}

/// The cost of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallCost {
    /// No model is called.
    Nothing,
    /// In US dollars.
    About(f64),
    /// The price or the token usage of this model is unknown.
    Unknown(String),
}

impl CallCost {
    /// The cost of a call, by its answer.
    pub(super) fn of(exchange: &Exchange, budget: &RecordBudget) -> Self {
        let used = budget.used(exchange);
        match (used.cost, used.model) {
            (Some(cost), _) => CallCost::About(cost),
            (None, Some(model)) => CallCost::Unknown(model),
            (None, None) if exchange.request.speaks.is_some() => CallCost::Unknown(asked_model(exchange)),
            (None, None) => CallCost::Nothing,
        }
    }

    /// The cost in words.
    pub(super) fn told(&self) -> String {
        match self {
            CallCost::Nothing => "recording it again calls no model".into(),
            CallCost::About(cost) => format!("recording it again costs about ${cost:.4}"),
            CallCost::Unknown(model) => format!("recording it again costs an unknown amount for `{model}`"),
        }
    }
}

/// The model that a request names.
fn asked_model(exchange: &Exchange) -> String {
    let RecordedBody::Json(body) = &exchange.request.body else { return "?".into() };
    requested_model(&exchange.request.path, body).unwrap_or_else(|| "?".into())
}

impl<'r> DriftPlan<'r> {
    pub(super) fn of(recording: &'r Recording, what: &RepeatPolicy, keys: &mut KeySource) -> Self {
        let mut plan = Self::default();
        for exchange in &recording.exchanges {
            if let Err(reason) = may_repeat(exchange, what) {
                plan.not_asked.push((exchange, reason.to_string()));
                continue;
            }
            match keys.of_request(&exchange.request) {
                Ok(sent) => plan.asked.push((exchange, sent)),
                Err(variables) => {
                    plan.without_key += 1;
                    let reason = format!("needs a key: set `{variables}`, or pass it with `--header`");
                    plan.not_asked.push((exchange, reason));
                }
            }
        }
        plan
    }

    /// The plan in words, printed before any call is made.
    pub(super) fn text(&self, file: &str, budget: &RecordBudget) -> String {
        let all = self.asked.len() + self.not_asked.len();
        let mut text = format!("{file}: {} of {} can be repeated\n", self.asked.len(), counted(all, "call", "calls"));
        let mut hosts: BTreeMap<&str, Vec<&(&Exchange, LoginHeaders)>> = BTreeMap::new();
        for asked in &self.asked {
            hosts.entry(host(&asked.0.request.origin)).or_default().push(asked);
        }
        for (host, calls) in hosts {
            let mut parts = vec![counted(calls.len(), "call", "calls")];
            parts.extend(total(calls.iter().map(|(exchange, _)| CallCost::of(exchange, budget))));
            let mut keys: Vec<&String> = calls.iter().flat_map(|(_, sent)| &sent.told).collect();
            keys.sort();
            keys.dedup();
            parts.extend(keys.into_iter().cloned());
            let _ = writeln!(text, "  {host}: {}", parts.join(", "));
        }
        for (exchange, reason) in self.not_asked.iter().take(MOST_NAMED) {
            let _ = writeln!(text, "not repeated: {} ({reason})", exchange.named());
        }
        if let Some(more) = self.not_asked.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            let _ = writeln!(text, "not repeated: {}", counted(more, "more call", "more calls"));
        }
        text
    }
}

/// The total cost of calls; `None` if they cost nothing.
pub(super) fn total(costs: impl Iterator<Item = CallCost>) -> Option<String> {
    let (mut dollars, mut unknown) = (None, Vec::new());
    for cost in costs {
        match cost {
            CallCost::Nothing => {}
            CallCost::About(cost) => *dollars.get_or_insert(0.0) += cost,
            CallCost::Unknown(model) => unknown.push(model),
        }
    }
    unknown.sort();
    unknown.dedup();
    let known = dollars.map(|dollars: f64| format!("about ${dollars:.4}"));
    let unknown = (!unknown.is_empty()).then(|| format!("an unknown amount for `{}`", unknown.join("`, `")));
    match (known, unknown) {
        (Some(known), Some(unknown)) => Some(format!("{known} and {unknown}")),
        (known, unknown) => known.or(unknown),
    }
}

/// Asks for consent. Without a terminal, `--yes` is required.
pub(super) fn consent(question: &str, yes: bool, context: &CliContext) -> Result<bool, CliError> {
    if yes {
        return Ok(true);
    }
    let refused = if in_ci() {
        "while `CI` is set"
    } else if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        "without a terminal to ask for confirmation"
    } else {
        let answer = answer(&format!("{question} [y/N] "), context).unwrap_or_default();
        return Ok(["y", "yes"].contains(&answer.to_ascii_lowercase().as_str()));
    };
    let message = format!("`agentci recording drift` calls real models and tools, so it does not run {refused}");
    Err(CliError::new(message, "no calls were made; add `--yes` to confirm"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_cost_is_not_counted_as_zero() {
        let all = |costs: &[CallCost]| total(costs.iter().cloned());
        let unknown = CallCost::Unknown("m".into());
        assert_eq!(all(&[CallCost::Nothing]), None);
        assert_eq!(all(&[CallCost::About(0.5), CallCost::Nothing, CallCost::About(0.25)]).unwrap(), "about $0.7500");
        assert_eq!(all(&[unknown.clone(), unknown.clone()]).unwrap(), "an unknown amount for `m`");
        assert_eq!(all(&[unknown, CallCost::About(0.0)]).unwrap(), "about $0.0000 and an unknown amount for `m`");
    }
}
