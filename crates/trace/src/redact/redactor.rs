//! Removes secrets from values and texts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use regex::Regex;
use serde_json::Value;

use super::arguments;
use super::encoding::decode_base64;
use super::keys::{may_hold_secret_key, secret_key, secret_variable, snake, worth_hiding};
use super::marked::MarkedText;
use super::patterns;
use super::values::SecretValues;

/// The replacement for a secret.
pub const PLACEHOLDER: &str = "[REDACTED]";

/// The minimum length of an environment variable or a header that counts as a secret: for a shorter one the name alone
/// says too little.
const SHORTEST_NAMED: usize = 8;
/// The maximum nesting of JSON within strings of JSON.
const DEEPEST: usize = 4;

/// Removes secrets. Every case has its own redactor, but few learn anything: the known secrets are shared until one
/// does.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Values that are removed wherever they occur.
    values: Arc<SecretValues>,
    /// Additional keys, in snake case.
    keys: Arc<Vec<String>>,
    /// Additional patterns.
    patterns: Arc<Vec<Regex>>,
}

impl Redactor {
    /// Adds environment variables whose names look secret.
    #[must_use]
    pub fn with_environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in variables {
            if secret_variable(&name, &value) {
                self.learn_long(&value);
            }
        }
        self
    }

    /// Adds a key whose values are secret.
    pub fn add_key(&mut self, key: &str) {
        Arc::make_mut(&mut self.keys).push(snake(key));
    }

    /// Adds a pattern of secrets.
    pub fn add_pattern(&mut self, pattern: Regex) {
        Arc::make_mut(&mut self.patterns).push(pattern);
    }

    /// Remembers every string and long number under a secret key in a value, including JSON within its strings.
    pub fn learn(&mut self, value: &Value) {
        self.learn_within(value, DEEPEST);
    }

    /// Remembers the values under secret keys in a text that is JSON.
    pub fn learn_text(&mut self, text: &str) {
        if let Some(value) = self.json_with_secret_key(text) {
            self.learn_within(&value, DEEPEST - 1);
        }
    }

    fn learn_within(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if self.hides(key, value) {
                        self.learn_all(value);
                    } else {
                        self.learn_within(value, depth);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn_within(item, depth)),
            Value::String(text) if depth > 0 => {
                if let Some(value) = self.json_with_secret_key(text) {
                    self.learn_within(&value, depth - 1);
                }
            }
            _ => {}
        }
    }

    /// Parses a text that is JSON and may contain a secret key. Most texts are ruled out quickly.
    fn json_with_secret_key(&self, text: &str) -> Option<Value> {
        let structured = text.trim_start().starts_with(['{', '[', '"']);
        (structured && may_hold_secret_key(text, &self.keys)).then(|| serde_json::from_str(text).ok()).flatten()
    }

    /// Whether a text is JSON with a value under a secret key.
    fn hides_within(&self, text: &str, depth: usize) -> bool {
        depth > 0 && self.json_with_secret_key(text).is_some_and(|value| self.hides_any(&value, depth - 1))
    }

    fn hides_any(&self, value: &Value, depth: usize) -> bool {
        match value {
            Value::Object(map) => map.iter().any(|(key, value)| self.hides(key, value) || self.hides_any(value, depth)),
            Value::Array(items) => items.iter().any(|item| self.hides_any(item, depth)),
            Value::String(text) => self.hides_within(text, depth),
            _ => false,
        }
    }

    /// Remembers secrets in the arguments of a command, such as `--api-key VALUE`.
    pub fn learn_arguments<S: AsRef<str>>(&mut self, arguments: &[S]) {
        for (at, range) in arguments::secrets(arguments) {
            if let Some(secret) = arguments.get(at).and_then(|argument| argument.as_ref().get(range)) {
                self.learn_value(secret);
            }
        }
    }

    /// Removes secrets from the arguments of a command: by the names of flags, however short the values are, and as in
    /// any text.
    pub fn arguments(&self, arguments: &mut [String]) {
        for (at, range) in arguments::secrets(arguments) {
            if let Some(argument) = arguments.get_mut(at) {
                argument.replace_range(range, PLACEHOLDER);
            }
        }
        for argument in arguments {
            self.scrub(argument);
        }
    }

    /// Remembers an authentication header: its whole value, and the part after the scheme, as in `Bearer TOKEN`.
    pub fn learn_header(&mut self, value: &str) {
        let (scheme, credential) = value.split_once(' ').unwrap_or(("", value));
        self.learn_long(value);
        self.learn_long(credential.trim_start());
        if scheme.eq_ignore_ascii_case("basic")
            && let Some(pair) = decode_base64(credential.trim()).and_then(|pair| String::from_utf8(pair).ok())
            && let Some((_, password)) = pair.split_once(':')
        {
            self.learn_long(password);
        }
        // The values of cookies, without their names.
        for (_, cookie) in value.split(';').filter_map(|pair| pair.split_once('=')) {
            self.learn_long(cookie.trim());
        }
    }

    fn learn_long(&mut self, value: &str) {
        if value.len() >= SHORTEST_NAMED {
            self.learn_value(value);
        }
    }

    /// Whether the value of a key is secret.
    pub fn is_secret_key(&self, key: &str) -> bool {
        secret_key(key, &self.keys)
    }

    /// Adds everything that another redactor knows.
    pub fn absorb(&mut self, other: &Redactor) {
        if !Arc::ptr_eq(&self.values, &other.values) && self.values.lacks_any_of(&other.values) {
            Arc::make_mut(&mut self.values).absorb(&other.values);
        }
    }

    /// Remembers the value of a key, if the key is secret.
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

    /// Remembers a value, to be removed wherever it occurs.
    pub fn learn_value(&mut self, value: &str) {
        if self.values.lacks(value) {
            Arc::make_mut(&mut self.values).add(value);
        }
    }

    /// A text without secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.marked(text).into_clean()
    }

    /// The ranges of the secrets in a text, in order and without overlaps.
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        self.marked(text).into_removed()
    }

    /// The ranges of known secret values in a text, in no particular order; other text that looks secret is not
    /// included.
    pub fn known_places(&self, text: &str) -> Vec<Range<usize>> {
        self.values.find(text)
    }

    fn marked<'t>(&self, text: &'t str) -> MarkedText<'t> {
        let mut text = MarkedText::new(text);
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

    /// Removes secrets from a text in place.
    pub fn scrub(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.text(text) {
            *text = clean;
        }
    }

    /// Removes secrets from a value in place; values that are removed because of their key are remembered.
    pub fn value_learning(&mut self, value: &mut Value) {
        // Most values contain no secret, which is checked first.
        if !self.is_clean(value) {
            self.learn(value);
            self.value(value);
        }
    }

    /// The same for a shared value: it is copied only if it contains a secret.
    pub fn shared_learning(&mut self, value: &mut Arc<Value>) {
        if !self.is_clean(value) {
            self.value_learning(Arc::make_mut(value));
        }
    }

    /// A value without secrets; it is copied only if it contains one.
    pub fn clean<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if self.is_clean(value) {
            return Cow::Borrowed(value);
        }
        let mut clean = value.clone();
        self.value(&mut clean);
        Cow::Owned(clean)
    }

    /// Whether a value contains no secrets.
    fn is_clean(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_clean_text(text) && !self.hides_within(text, DEEPEST),
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

    /// Removes secrets from a value in place.
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
                // A key may also be a secret.
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
    fn value_of_secret_key_is_redacted_everywhere() {
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
    fn short_values_are_not_redacted() {
        let mut redactor = Redactor::default();
        redactor.value_learning(&mut json!({"token": "a", "secret": "12345"}));
        assert_eq!(redactor.text("a banana 12345"), "a banana 12345");
    }

    #[test]
    fn redacts_json_escaped_secrets() {
        let mut redactor = Redactor::default();
        redactor.learn_value("quo\"te-secret-value");
        assert_eq!(redactor.text(r#"{"a":"quo\"te-secret-value"}"#), r#"{"a":"[REDACTED]"}"#);
    }

    #[test]
    fn nested_json_strings_are_searched_up_to_depth_limit() {
        let mut value = json!({"token": "swordfish"});
        for depth in 0..=DEEPEST + 1 {
            let mut redactor = Redactor::default();
            redactor.learn(&value);
            let learnt = redactor.text("a swordfish") == "a [REDACTED]";
            assert_eq!(learnt, depth <= DEEPEST, "{value}");
            assert_eq!(redactor.hides_any(&value, DEEPEST), depth <= DEEPEST, "{value}");
            value = json!([{"content": value.to_string()}]);
        }
    }

    #[test]
    fn redacts_secret_keys_in_embedded_json() {
        let mut redactor = Redactor::default();
        let mut value = json!({"answer": r#"{"passphrase": "correct horse battery"}"#});
        redactor.value_learning(&mut value);
        assert_eq!(value, json!({"answer": r#"{"passphrase": "[REDACTED]"}"#}));
    }

    #[test]
    fn redacts_header_values_with_and_without_scheme() {
        let mut redactor = Redactor::default();
        redactor.learn_header("Bearer opaque-token-1");
        // user:swordfish
        redactor.learn_header("Basic dXNlcjpzd29yZGZpc2g=");
        redactor.learn_header("theme=dark; session=cookie-value-1");
        assert_eq!(
            redactor.text("opaque-token-1 swordfish dXNlcjpzd29yZGZpc2g= cookie-value-1 dark"),
            "[REDACTED] [REDACTED] [REDACTED] [REDACTED] dark"
        );
    }

    #[test]
    fn redacts_arguments_of_secret_flags() {
        let mut redactor = Redactor::default();
        let mut arguments = ["agent", "--api-key", "abc", "--token=long-token-1", "x"].map(str::to_owned);
        redactor.learn_arguments(&arguments);
        redactor.arguments(&mut arguments);
        assert_eq!(arguments, ["agent", "--api-key", "[REDACTED]", "--token=[REDACTED]", "x"]);
        assert_eq!(redactor.text("it is long-token-1"), "it is [REDACTED]");
    }

    #[test]
    fn absorbs_secrets_of_another_redactor() {
        let (mut one, mut other) = (Redactor::default(), Redactor::default());
        one.learn_value("swordfish");
        other.learn_value("hunter22");
        other.absorb(&one);
        assert_eq!(other.text("swordfish hunter22"), "[REDACTED] [REDACTED]");
        assert_eq!(one.text("swordfish hunter22"), "[REDACTED] hunter22");
    }

    #[test]
    fn environment_values_are_secret_by_name() {
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
    fn custom_keys_and_patterns_are_redacted() {
        let mut redactor = Redactor::default();
        redactor.add_key("patientName");
        redactor.add_pattern(Regex::new(r"P-\d+").unwrap());
        let mut value = json!({"patient_name": "Ada Lovelace", "note": "P-17 is Ada Lovelace"});
        redactor.value_learning(&mut value);
        assert_eq!(value, json!({"patient_name": "[REDACTED]", "note": "[REDACTED] is [REDACTED]"}));
    }

    #[test]
    fn returns_ranges_of_secrets_in_text() {
        let mut redactor = Redactor::default();
        redactor.learn_value("hunter22");
        redactor.add_pattern(Regex::new(r"P-\d+").unwrap());
        let text = "P-17: hunter22 at x://me:s3cr3t!@db, bearer abcdefgh1";
        let places: Vec<&str> = redactor.places(text).into_iter().map(|place| &text[place]).collect();
        assert_eq!(places, ["P-17", "hunter22", "s3cr3t!", "abcdefgh1"]);
        assert!(redactor.places("nothing here").is_empty());
        assert_eq!(redactor.known_places(text), vec![6..14_usize; 1]);
    }
}
