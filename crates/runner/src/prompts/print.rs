//! What tells one text or value from another, whenever and wherever it was written.

use agentci_recorder::{SaidTime, Steadier};
use agentci_trace::{Redactor, canonical, sha256_beginning};
use agentci_verdict::TimeSaid;
use serde_json::{Number, Value};

use super::DIGITS;

/// Makes prints.
pub(super) struct Printer<'p> {
    pub(super) secrets: &'p Redactor,
    pub(super) steadier: &'p Steadier,
}

/// The print of a text or a value.
pub(super) struct Print {
    pub(super) hash: String,
    pub(super) times: Vec<TimeSaid>,
}

impl Printer<'_> {
    /// The print of a text without secrets.
    pub(super) fn text(&self, text: &str) -> Print {
        let steady = self.steadier.text(text);
        Print { hash: hash(&steady.text), times: steady.times.into_iter().map(said).collect() }
    }

    /// The print of a value without secrets.
    pub(super) fn value(&self, value: &Value) -> Print {
        let mut value = value.clone();
        let mut times = Vec::new();
        self.steady(&mut value, &mut times);
        Print { hash: hash(&canonical(&value)), times }
    }

    fn steady(&self, value: &mut Value, times: &mut Vec<TimeSaid>) {
        match value {
            Value::String(text) => {
                let steady = self.steadier.text(text);
                *text = steady.text;
                times.extend(steady.times.into_iter().map(said));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.steady(item, times)),
            Value::Object(map) => {
                // Times are compared in order, and the order of keys says nothing.
                map.sort_keys();
                map.values_mut().for_each(|item| self.steady(item, times));
            }
            // `0` is `0.0`.
            Value::Number(number) => {
                #[expect(clippy::cast_possible_truncation, reason = "it is a whole number within the range of one")]
                let whole = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
                if let (false, Some(whole)) = (number.is_i64() || number.is_u64(), number.as_f64().and_then(whole)) {
                    *number = Number::from(whole);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

impl Print {
    /// What tells it from others of the same run: the times that are the present are one.
    pub(super) fn id(&self) -> String {
        if self.times.is_empty() {
            return self.hash.clone();
        }
        let times = self.times.iter().map(|time| if time.now { "\u{0}" } else { &time.text });
        hash(&format!("{}\n{}", self.hash, times.collect::<Vec<_>>().join("\n")))
    }
}

fn said(time: SaidTime) -> TimeSaid {
    TimeSaid { text: time.text, now: time.now }
}

pub(super) fn hash(text: &str) -> String {
    sha256_beginning(text.as_bytes(), DIGITS)
}
