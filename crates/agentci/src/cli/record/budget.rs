//! Counts the cost of recorded model calls, and enforces `--max-cost`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use agentci_protocols::chat::requested_model;
use agentci_recorder::{
    Exchange, PriceTable, RecordedBody, RecorderSession, SeenHow, SessionEvent, TokenPrice, model_answer,
};
use serde::Deserialize;
use serde_json::Value;

use super::summary::warn;
use crate::cli::{CliContext, CliError};

/// The largest file of prices, in bytes.
const LARGEST_PRICES: u64 = 1 << 20;

/// The cost so far, and its limit.
#[derive(Debug)]
pub(in crate::cli) struct RecordBudget {
    limit: Option<f64>,
    prices: PriceTable,
    spent: f64,
    /// Models with an unknown price that a warning was printed for.
    unknown: BTreeSet<String>,
    closed: bool,
}

/// The tokens and the cost of one exchange.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::cli) struct ExchangeUsage {
    pub(super) tokens: Option<u64>,
    /// In US dollars, if the price of the model is known.
    pub(in crate::cli) cost: Option<f64>,
    /// The model, if the exchange is a model call.
    pub(in crate::cli) model: Option<String>,
}

/// A price in a `--prices` file, in US dollars per million tokens.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedPrice {
    input: f64,
    output: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
}

impl RecordBudget {
    /// Creates a budget with a limit in US dollars, and a file of prices.
    pub(in crate::cli) fn new(limit: Option<f64>, prices: Option<&Path>) -> Result<Self, CliError> {
        let mut table = PriceTable::builtin();
        for (model, price) in prices.map(stated).transpose()?.into_iter().flatten() {
            table.extend(&model, price);
        }
        Ok(Self { limit, prices: table, spent: 0.0, unknown: BTreeSet::new(), closed: false })
    }

    /// Adds the cost of a call. Once the limit is exceeded, the session makes no more live calls.
    pub(super) fn take(&mut self, event: &SessionEvent, session: Option<&RecorderSession>, context: &CliContext) {
        self.count(event, context);
        if let Some(session) = session.filter(|_| self.is_spent() && !self.closed) {
            self.closed = true;
            session.close_upstream(&self.spent_message());
        }
    }

    fn count(&mut self, event: &SessionEvent, context: &CliContext) {
        let SessionEvent::Exchange(exchange, SeenHow::Live) = event else { return };
        let used = self.used(exchange);
        self.spent += used.cost.unwrap_or_default();
        let (Some(_), None, Some(model)) = (self.limit, used.cost, used.model) else { return };
        if self.unknown.insert(model.clone()) {
            let what = if used.tokens.is_some() { "the price" } else { "the token usage" };
            let help = "`--max-cost` does not count it; `--prices` adds prices";
            warn(&format!("{what} of `{model}` is unknown, so {help}"), context);
        }
    }

    /// The tokens and the cost of an exchange.
    pub(in crate::cli) fn used(&self, exchange: &Exchange) -> ExchangeUsage {
        let Some((_, answer)) = model_answer(exchange).filter(|(_, answer)| answer.error.is_none()) else {
            return ExchangeUsage::default();
        };
        let body = match &exchange.request.body {
            RecordedBody::Json(body) => body,
            _ => &Value::Null,
        };
        let model = answer.model.or_else(|| requested_model(&exchange.request.path, body));
        let tokens = answer.usage.map(|usage| usage.input.unwrap_or_default() + usage.output.unwrap_or_default());
        let cost = model.as_deref().zip(answer.usage).and_then(|(model, usage)| self.prices.cost(model, &usage));
        ExchangeUsage { tokens, cost, model }
    }

    /// Whether the limit is exceeded.
    pub(super) fn is_spent(&self) -> bool {
        self.limit.is_some_and(|limit| self.spent > limit)
    }

    /// The message if the limit is exceeded.
    pub(super) fn spent_message(&self) -> String {
        let limit = self.limit.expect("only a limit can be exceeded");
        format!("the recorded calls cost ${:.4}, more than `--max-cost` {limit}", self.spent)
    }
}

/// Reads the prices of a file: `{"my-model": {"input": 2.5, "output": 10}}`.
fn stated(path: &Path) -> Result<BTreeMap<String, TokenPrice>, CliError> {
    let help =
        "expected JSON such as `{\"my-model\": {\"input\": 2.5, \"output\": 10}}`, in US dollars per million tokens";
    let wrong = |error: String| CliError::new(format!("`--prices {}`: {error}", path.display()), help);
    let mut text = String::new();
    fs_err::File::open(path)
        .and_then(|file| file.take(LARGEST_PRICES + 1).read_to_string(&mut text))
        .map_err(|error| wrong(error.to_string()))?;
    if text.len() as u64 > LARGEST_PRICES {
        return Err(wrong("it is larger than the 1 MiB limit".into()));
    }
    let stated: BTreeMap<String, StatedPrice> =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let mut prices = BTreeMap::new();
    for (model, StatedPrice { input, output, cached_input, cache_write }) in stated {
        let all = [Some(input), Some(output), cached_input, cache_write];
        if all.into_iter().flatten().any(|price| price < 0.0) {
            return Err(wrong(format!("the price of `{model}` is negative")));
        }
        prices.insert(model, TokenPrice { input, cached_input, cache_write, output });
    }
    Ok(prices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_valid_prices_and_refuses_invalid_or_oversized_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.json");
        let read = |text: &str| {
            fs_err::write(&path, text).unwrap();
            stated(&path)
        };
        let good = r#"{"mine": {"input": 2.5, "output": 10}}"#;
        assert!((read(good).unwrap()["mine"].output - 10.0).abs() < 1e-9);
        let long = |length: usize| format!("{good}{}", " ".repeat(length - good.len()));
        assert!(read(&long(1 << 20)).is_ok());
        let long = long((1 << 20) + 1);
        for wrong in [r#"{"mine": {"input": 2.5}}"#, r#"{"mine": {"input": -1, "output": 1}}"#, "[]", "", &long] {
            assert!(read(wrong).is_err());
        }
    }
}
