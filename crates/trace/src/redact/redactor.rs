//! Removing secrets from values and texts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use regex::Regex;
use serde_json::Value;

use super::keys::{secret_key, secret_variable, snake, worth_hiding};
use super::marked::Marked;
use super::patterns;
use super::values::Values;

/// What stands in the place of a secret.
pub const PLACEHOLDER: &str = "[REDACTED]";

/// A shorter value of an environment variable is not taken for a secret: its name alone tells too little.
const SHORTEST_IN_ENVIRONMENT: usize = 8;

/// Removes secrets. Every case has one of its own, and few learn anything: what is known is shared until one does.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Values to remove wherever they stand.
    values: Arc<Values>,
    /// Further keys, in snake case.
    keys: Arc<Vec<String>>,
    /// Further forms.
    patterns: Arc<Vec<Regex>>,
}

impl Redactor {
    /// Takes note of environment variables whose names look secret.
    #[must_use]
    pub fn with_environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in variables {
            if value.len() >= SHORTEST_IN_ENVIRONMENT && secret_variable(&name, &value) {
                self.learn_value(&value);
            }
        }
        self
    }

    /// A further key whose values are secret.
    pub fn add_key(&mut self, key: &str) {
        Arc::make_mut(&mut self.keys).push(snake(key));
    }

    /// A further form that secrets have.
    pub fn add_pattern(&mut self, pattern: Regex) {
        Arc::make_mut(&mut self.patterns).push(pattern);
    }

    /// Remembers every text and long number that stands under a secret key in a value.
    pub fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if self.hides(key, value) {
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
        if self.values.lacks(value) {
            Arc::make_mut(&mut self.values).add(value);
        }
    }

    /// A text without secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.marked(text).into_clean()
    }

    /// Where the secrets of a text stand, in order; no two overlap.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.marked(text).into_removed()
    }

    fn marked<'t>(&self, text: &'t str) -> Marked<'t> {
        let mut text = Marked::new(text);
        self.values.remove(&mut text);
        patterns::scrub(&mut text);
        for pattern in self.patterns.iter() {
            let found: Vec<Range<usize>> = pattern.find_iter(text.clean()).map(|found| found.range()).collect();
            text.remove(&found);
        }
        text
    }

    /// Whether a value is removed because of its key.
    pub fn hides(&self, key: &str, value: &Value) -> bool {
        secret_key(key, &self.keys) && worth_hiding(key, value)
    }

    /// A text without secrets, in place.
    pub fn scrub(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.text(text) {
            *text = clean;
        }
    }

    /// A value without secrets; what is removed because of its key is remembered.
    pub fn value_learning(&mut self, value: &mut Value) {
        // Most values hold no secret, which takes one look.
        if !self.is_clean(value) {
            self.learn(value);
            self.value(value);
        }
    }

    /// The same of a value that others hold, too, and that stays theirs: it is copied if it holds a secret.
    pub fn shared_learning(&mut self, value: &mut Arc<Value>) {
        if !self.is_clean(value) {
            self.value_learning(Arc::make_mut(value));
        }
    }

    /// A value without secrets, and without a copy of one that holds none.
    pub fn clean<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if self.is_clean(value) {
            return Cow::Borrowed(value);
        }
        let mut clean = value.clone();
        self.value(&mut clean);
        Cow::Owned(clean)
    }

    /// Whether nothing is removed of a value.
    fn is_clean(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_clean_text(text),
            Value::Array(items) => items.iter().all(|item| self.is_clean(item)),
            Value::Object(map) => map
                .iter()
                .all(|(key, value)| !self.hides(key, value) && self.is_clean_text(key) && self.is_clean(value)),
            Value::Number(number) => !self.values.holds(number.as_str()),
            Value::Null | Value::Bool(_) => true,
        }
    }

    fn is_clean_text(&self, text: &str) -> bool {
        matches!(self.text(text), Cow::Borrowed(_))
    }

    /// A value without secrets, in place.
    pub fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.scrub(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    if self.hides(key, value) {
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
            Value::Number(number) if self.values.holds(number.as_str()) => {
                *value = Value::String(PLACEHOLDER.into());
            }
            _ => {}
        }
    }
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
    fn secrets_are_found_as_json_writes_them() {
        let mut redactor = Redactor::default();
        redactor.learn_value("quo\"te-secret-value");
        assert_eq!(redactor.text(r#"{"a":"quo\"te-secret-value"}"#), r#"{"a":"[REDACTED]"}"#);
    }

    #[test]
    fn environment_values_count_by_name() {
        let variables = [
            ("MY_API_KEY", "abcdefgh"),
            ("HOME", "/home/somebody"),
            ("TOKEN", "short"),
            ("PWD", "somebody-folder"),
            ("AUTH_STAGE", "production"),
            ("TOKEN_FILE", "/run/secrets/token"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let redactor = Redactor::default().with_environment(variables);
        let text = "/home/somebody short somebody-folder production /run/secrets/token";
        assert_eq!(redactor.text(&format!("abcdefgh {text}")), format!("[REDACTED] {text}"));
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

    #[test]
    fn places_are_where_the_text_has_secrets() {
        let mut redactor = Redactor::default();
        redactor.learn_value("hunter22");
        redactor.add_pattern(Regex::new(r"P-\d+").unwrap());
        let text = "P-17: hunter22 at x://me:s3cr3t!@db, bearer abcdefgh1";
        let places: Vec<&str> = redactor.places(text).into_iter().map(|place| &text[place]).collect();
        assert_eq!(places, ["P-17", "hunter22", "s3cr3t!", "abcdefgh1"]);
        assert!(redactor.places("nothing here").is_empty());
    }
}
