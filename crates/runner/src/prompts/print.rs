//! Fingerprints of texts and values that do not depend on the time and place of a run.

use agentci_recorder::{MentionedTime, NormalizedText, TextNormalizer};
use agentci_trace::{Redactor, canonical, sha256_beginning};
use agentci_verdict::NOW;
use serde_json::{Number, Value};

use super::DIGITS;

/// Makes fingerprints.
pub(super) struct FingerprintMaker<'p> {
    pub(super) secrets: &'p Redactor,
    pub(super) normalizer: &'p TextNormalizer,
}

/// The fingerprint of a text or a value.
pub(super) struct PromptPrint<T> {
    pub(super) hash: String,
    /// The points in time that it mentions.
    pub(super) times: Vec<String>,
    /// The form that is shown, without ids and folders of this run.
    pub(super) shown: T,
}

impl FingerprintMaker<'_> {
    /// The fingerprint of a text that contains no secrets.
    pub(super) fn text(&self, text: &str) -> PromptPrint<String> {
        let NormalizedText { text, shown, times } = self.normalizer.text(text);
        PromptPrint { hash: hash(&text), times: times.into_iter().map(said).collect(), shown }
    }

    /// The fingerprint of a value that contains no secrets.
    pub(super) fn value(&self, value: &Value) -> PromptPrint<Value> {
        let mut shown = value.clone();
        self.walk(&mut shown, &mut |normalized| normalized.shown);
        let (mut value, mut times) = (value.clone(), Vec::new());
        self.walk(&mut value, &mut |normalized| {
            times.extend(normalized.times.into_iter().map(said));
            normalized.text
        });
        PromptPrint { hash: hash(&canonical(&value)), times, shown }
    }

    /// Replaces every string.
    fn walk(&self, value: &mut Value, instead: &mut dyn FnMut(NormalizedText) -> String) {
        match value {
            Value::String(text) => *text = instead(self.normalizer.text(text)),
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item, instead)),
            Value::Object(map) => {
                // Times are compared in order, but the order of keys has no meaning.
                map.sort_keys();
                map.values_mut().for_each(|item| self.walk(item, instead));
            }
            // `0` and `0.0` are equal.
            Value::Number(number) => {
                #[expect(clippy::cast_possible_truncation, reason = "it is an integer within the range of one")]
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
    /// Identifies it within the same run: all times that are the present are treated as one.
    pub(super) fn id(&self) -> String {
        if self.times.is_empty() {
            return self.hash.clone();
        }
        let times = self.times.iter().map(|time| if time.starts_with(NOW) { NOW } else { time });
        hash(&format!("{}\n{}", self.hash, times.collect::<Vec<_>>().join("\n")))
    }
}

fn said(MentionedTime { text, now }: MentionedTime) -> String {
    if now { format!("{NOW}{text}") } else { text }
}

pub(super) fn hash(text: &str) -> String {
    sha256_beginning(text.as_bytes(), DIGITS)
}
