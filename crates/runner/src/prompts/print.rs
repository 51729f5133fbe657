//! What tells one text or value from another, whenever and wherever it was written.

use agentci_recorder::{SaidTime, Steadier, Steady};
use agentci_trace::{Redactor, canonical, sha256_beginning};
use agentci_verdict::NOW;
use serde_json::{Number, Value};

use super::DIGITS;

/// Makes prints.
pub(super) struct FingerprintMaker<'p> {
    pub(super) secrets: &'p Redactor,
    pub(super) steadier: &'p Steadier,
}

/// The print of a text or a value.
pub(super) struct PromptPrint<T> {
    pub(super) hash: String,
    /// The times in it, as they are kept.
    pub(super) times: Vec<String>,
    /// What is kept to be shown: ids and folders of this run are not in it.
    pub(super) shown: T,
}

impl FingerprintMaker<'_> {
    /// The print of a text without secrets.
    pub(super) fn text(&self, text: &str) -> PromptPrint<String> {
        let Steady { text, shown, times } = self.steadier.text(text);
        PromptPrint { hash: hash(&text), times: times.into_iter().map(said).collect(), shown }
    }

    /// The print of a value without secrets.
    pub(super) fn value(&self, value: &Value) -> PromptPrint<Value> {
        let mut shown = value.clone();
        self.walk(&mut shown, &mut |steady| steady.shown);
        let (mut value, mut times) = (value.clone(), Vec::new());
        self.walk(&mut value, &mut |steady| {
            times.extend(steady.times.into_iter().map(said));
            steady.text
        });
        PromptPrint { hash: hash(&canonical(&value)), times, shown }
    }

    /// Puts something in the place of each text.
    fn walk(&self, value: &mut Value, instead: &mut dyn FnMut(Steady) -> String) {
        match value {
            Value::String(text) => *text = instead(self.steadier.text(text)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item, instead)),
            Value::Object(map) => {
                // Times are compared in order, and the order of keys says nothing.
                map.sort_keys();
                map.values_mut().for_each(|item| self.walk(item, instead));
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

impl<T> PromptPrint<T> {
    /// What tells it from others of the same run: the times that are the present are one.
    pub(super) fn id(&self) -> String {
        if self.times.is_empty() {
            return self.hash.clone();
        }
        let times = self.times.iter().map(|time| if time.starts_with(NOW) { NOW } else { time });
        hash(&format!("{}\n{}", self.hash, times.collect::<Vec<_>>().join("\n")))
    }
}

fn said(SaidTime { text, now }: SaidTime) -> String {
    if now { format!("{NOW}{text}") } else { text }
}

pub(super) fn hash(text: &str) -> String {
    sha256_beginning(text.as_bytes(), DIGITS)
}
