//! Removing secrets from values and texts.

use std::borrow::Cow;

use regex::Regex;
use serde_json::Value;

use super::keys::{secret_key, snake, worth_hiding};
use super::patterns;

/// What stands in the place of a secret.
pub const PLACEHOLDER: &str = "[REDACTED]";

/// A shorter value is not looked for in text: it would be found everywhere.
const SHORTEST: usize = 6;
/// The same for values of environment variables, whose names tell less.
const SHORTEST_IN_ENVIRONMENT: usize = 8;
/// How many values are remembered.
const MOST: usize = 2_000;
/// A text that was cut may end in the beginning of a secret; this much of it is enough to know it by.
const FRAGMENT: usize = 8;

/// Removes secrets.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Values to remove wherever they stand, longest first.
    values: Vec<String>,
    /// Further keys, in snake case.
    keys: Vec<String>,
    /// Further forms.
    patterns: Vec<Regex>,
}

impl Redactor {
    /// Takes note of environment variables whose names look secret.
    #[must_use]
    pub fn with_environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in variables {
            if value.len() >= SHORTEST_IN_ENVIRONMENT && secret_key(&name, &[]) {
                self.learn_value(&value);
            }
        }
        self
    }

    /// A further key whose values are secret.
    pub fn add_key(&mut self, key: &str) {
        self.keys.push(snake(key));
    }

    /// A further form that secrets have.
    pub fn add_pattern(&mut self, pattern: Regex) {
        self.patterns.push(pattern);
    }

    /// Remembers every text and long number that stands under a secret key in a value.
    pub fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if secret_key(key, &self.keys) && worth_hiding(key, value) {
                        self.learn_all(value);
                    } else {
                        self.learn(value);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            _ => {}
        }
    }

    /// Remembers the value of one key, if the key is secret.
    pub fn learn_pair(&mut self, key: &str, value: &str) {
        if secret_key(key, &self.keys) {
            self.learn_value(value);
        }
    }

    fn learn_all(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.learn_value(text),
            Value::Number(number) => self.learn_value(number.as_str()),
            Value::Array(items) => items.iter().for_each(|item| self.learn_all(item)),
            Value::Object(map) => map.values().for_each(|value| self.learn_all(value)),
            _ => {}
        }
    }

    /// Remembers a value, to be removed wherever it stands.
    pub fn learn_value(&mut self, value: &str) {
        let value = value.trim();
        if value.len() < SHORTEST || value.contains(PLACEHOLDER) || self.values.len() >= MOST {
            return;
        }
        // In a message a value may stand as JSON writes it.
        let written = serde_json::to_string(value).unwrap_or_default();
        let written = written.trim_matches('"');
        for form in [value, written] {
            if !self.values.iter().any(|known| known == form) {
                let at = self.values.partition_point(|known| known.len() >= form.len());
                self.values.insert(at, form.to_owned());
            }
        }
    }

    /// A text without secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        for value in &self.values {
            if clean.contains(value.as_str()) {
                clean = Cow::Owned(clean.replace(value.as_str(), PLACEHOLDER));
            } else if let Some(cut) = self::cut(&clean, value) {
                clean = Cow::Owned(cut);
            }
        }
        if let Some(scrubbed) = patterns::scrub(&clean) {
            clean = Cow::Owned(scrubbed);
        }
        for pattern in &self.patterns {
            if pattern.is_match(&clean) {
                clean = Cow::Owned(pattern.replace_all(&clean, PLACEHOLDER).into_owned());
            }
        }
        clean
    }

    /// A text without secrets, in place.
    pub fn scrub(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.text(text) {
            *text = clean;
        }
    }

    /// A value without secrets; what is removed because of its key is remembered.
    pub fn value_learning(&mut self, value: &mut Value) {
        self.learn(value);
        self.value(value);
    }

    /// A value without secrets, in place.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.scrub(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    if secret_key(key, &self.keys) && worth_hiding(key, value) {
                        *value = Value::String(PLACEHOLDER.into());
                    } else {
                        self.value(value);
                    }
                }
                // A secret may also stand where a key should.
                let dirty = map.keys().any(|key| matches!(self.text(key), Cow::Owned(_)));
                if dirty {
                    let old = std::mem::take(map);
                    map.extend(old.into_iter().map(|(key, value)| (self.text(&key).into_owned(), value)));
                }
            }
            Value::Number(number) if self.values.iter().any(|known| known == number.as_str()) => {
                *value = Value::String(PLACEHOLDER.into());
            }
            _ => {}
        }
    }
}

/// The text with the beginning of a value removed where the text was cut in the middle of it.
fn cut(text: &str, value: &str) -> Option<String> {
    let beginning = value.get(..FRAGMENT)?;
    let at = text.find(beginning)?;
    let rest = &text[at..];
    let shared = rest.bytes().zip(value.bytes()).take_while(|(a, b)| a == b).count();
    let after = rest.get(shared..)?;
    (shared >= FRAGMENT && (after.is_empty() || after.starts_with("...")))
        .then(|| format!("{}{PLACEHOLDER}{after}", &text[..at]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_removed_by_its_key_is_removed_everywhere() {
        let mut redactor = Redactor::default();
        let mut value =
            json!({"user": {"password": "hunter22", "note": "pass is hunter22"}, "token": 12_345_678, "auth": true});
        redactor.value_learning(&mut value);
        assert_eq!(
            value,
            json!({"user": {"password": "[REDACTED]", "note": "pass is [REDACTED]"}, "token": "[REDACTED]", "auth": true})
        );
        assert_eq!(redactor.text("said hunter22, 12345678"), "said [REDACTED], [REDACTED]");
        assert!(matches!(redactor.text("nothing here"), Cow::Borrowed(_)));
    }

    #[test]
    fn short_values_are_not_looked_for() {
        let mut redactor = Redactor::default();
        redactor.value_learning(&mut json!({"token": "a", "secret": "12345"}));
        assert_eq!(redactor.text("a banana 12345"), "a banana 12345");
    }

    #[test]
    fn secrets_are_found_as_json_writes_them_and_where_text_was_cut() {
        let mut redactor = Redactor::default();
        redactor.learn_value("quo\"te-secret-value");
        assert_eq!(redactor.text(r#"{"a":"quo\"te-secret-value"}"#), r#"{"a":"[REDACTED]"}"#);
        assert_eq!(redactor.text("see quo\"te-sec..."), "see [REDACTED]...");
        assert_eq!(redactor.text("see quo\"te-other"), "see quo\"te-other");
    }

    #[test]
    fn environment_values_count_by_name() {
        let variables = [("MY_API_KEY", "abcdefgh"), ("HOME", "/home/somebody"), ("TOKEN", "short")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let redactor = Redactor::default().with_environment(variables);
        assert_eq!(redactor.text("abcdefgh /home/somebody short"), "[REDACTED] /home/somebody short");
    }

    #[test]
    fn suites_add_keys_and_patterns() {
        let mut redactor = Redactor::default();
        redactor.add_key("patientName");
        redactor.add_pattern(Regex::new(r"P-\d+").unwrap());
        let mut value = json!({"patient_name": "Ada Lovelace", "note": "P-17 is Ada Lovelace"});
        redactor.value_learning(&mut value);
        assert_eq!(value, json!({"patient_name": "[REDACTED]", "note": "[REDACTED] is [REDACTED]"}));
    }
}
