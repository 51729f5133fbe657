//! Removes secrets from JSON: values under sensitive keys, and secrets in its texts.
//!
//! Not every sensitive key has a secret: a tool may have a parameter `password` with a description, and a model may
//! return a `token` with its probability.

use agentci_trace::{PLACEHOLDER, Redactor};
use serde_json::{Map, Value};

use super::texts;

/// How many levels of JSON inside strings are searched.
const DEEPEST: usize = 4;
/// A shorter number is not a secret, whatever its key.
const SHORTEST_NUMBER: usize = 6;
/// The schemes of an authorization header.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];
/// Values under sensitive keys that are not secrets.
const ORDINARY: [&str; 19] = [
    "string",
    "number",
    "integer",
    "boolean",
    "object",
    "required",
    "optional",
    "include",
    "same-origin",
    "bearer",
    "Bearer",
    "oauth2",
    "password",
    "secret",
    "disabled",
    "enabled",
    "default",
    "unknown",
    "client_credentials",
];
/// The value of a key with this ending is not the secret that the key mentions.
const ABOUT: [&str; 21] = [
    "count",
    "counts",
    "limit",
    "budget",
    "usage",
    "total",
    "max",
    "type",
    "endpoint",
    "url",
    "uri",
    "supported",
    "method",
    "methods",
    "servers",
    "name",
    "id",
    "details",
    "format",
    "field",
    "status",
];
/// Words before `token` in keys for pagination.
pub(super) const PAGES: [&str; 4] = ["page", "next", "continuation", "sync"];
/// An object with one of these keys describes a value, or is a token of a model.
const DESCRIBES: [&str; 8] = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "description", "logprob"];

/// Learns the values under sensitive keys.
pub(super) fn learn(value: &Value, redactor: &mut Redactor) {
    learn_within(value, redactor, DEEPEST);
}

/// Learns the values under sensitive keys in a text that is JSON.
pub(super) fn learn_text(text: &str, redactor: &mut Redactor) {
    if let Some(value) = structured(text) {
        learn_within(&value, redactor, DEEPEST - 1);
    }
}

/// The value of a text that is a JSON object or list.
pub(super) fn structured(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text).ok()).flatten()
}

fn learn_within(value: &Value, redactor: &mut Redactor, depth: usize) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if hides(map, key, value, redactor) {
                    learn_all(value, redactor);
                } else {
                    learn_within(value, redactor, depth);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| learn_within(item, redactor, depth)),
        Value::String(text) if depth > 0 => {
            if let Some(value) = structured(text) {
                learn_within(&value, redactor, depth - 1);
            }
        }
        _ => {}
    }
}

fn learn_all(value: &Value, redactor: &mut Redactor) {
    match value {
        Value::String(text) if !ORDINARY.contains(&text.as_str()) => {
            redactor.learn_value(text);
            // The secret is the part after the scheme of a header.
            if text
                .split_once(' ')
                .is_some_and(|(scheme, _)| SCHEMES.iter().any(|one| scheme.eq_ignore_ascii_case(one)))
            {
                redactor.learn_header(text);
            }
        }
        Value::Number(number) => redactor.learn_value(number.as_str()),
        Value::Array(items) => items.iter().for_each(|item| learn_all(item, redactor)),
        Value::Object(map) => map.values().for_each(|value| learn_all(value, redactor)),
        _ => {}
    }
}

/// Removes the secrets of a value.
pub(super) fn scrub(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => texts::scrub(text, redactor),
        Value::Number(number) => {
            if redactor.known_places(number.as_str()).contains(&(0..number.as_str().len())) {
                *value = PLACEHOLDER.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| scrub(item, redactor)),
        Value::Object(map) => scrub_object(map, redactor),
        Value::Null | Value::Bool(_) => {}
    }
}

fn scrub_object(map: &mut Map<String, Value>, redactor: &Redactor) {
    let hidden = map.iter().map(|(key, value)| hides(map, key, value, redactor)).collect::<Vec<_>>();
    for ((_, value), hidden) in map.iter_mut().zip(hidden) {
        if hidden {
            *value = PLACEHOLDER.into();
        } else {
            scrub(value, redactor);
        }
    }
    // A key may also be a secret.
    if map.keys().any(|key| texts::clean(key, redactor).is_some()) {
        let old = std::mem::take(map);
        map.extend(old.into_iter().map(|(key, value)| (texts::clean(&key, redactor).unwrap_or(key), value)));
    }
}

/// Whether a value is removed because of its key.
fn hides(map: &Map<String, Value>, key: &str, value: &Value, redactor: &Redactor) -> bool {
    if !redactor.hides(key, value) || speaks_about(key) {
        return false;
    }
    match value {
        Value::String(text) => {
            let said = key == "token" && map.contains_key("logprob");
            let short = text.len() < SHORTEST_TOKEN && is_vague(key);
            !said && !short && !text.is_empty() && !text.starts_with("http://") && !text.starts_with("https://")
        }
        Value::Object(fields) => !DESCRIBES.iter().any(|key| fields.contains_key(*key)),
        // A short number is the id of a token; a secret is longer.
        Value::Number(number) => number.as_str().len() >= SHORTEST_NUMBER && !map.contains_key("logprob"),
        // Lists under such keys name what is allowed or required, as in `auth: [basic]`; their objects have their own
        // keys.
        _ => false,
    }
}

/// Words that name secrets and, as often, ordinary values, such as the token of an order.
const VAGUE: [&str; 4] = ["token", "auth", "credential", "credentials"];
/// Words next to them that make them clearly secrets.
const CLEAR: [&str; 8] = ["access", "refresh", "api", "bearer", "session", "secret", "password", "private"];
/// A shorter value under a vague key is ordinary data. As a secret, it would be removed everywhere else, and not be
/// compared.
const SHORTEST_TOKEN: usize = 16;

/// Whether a key may also name ordinary data.
fn is_vague(key: &str) -> bool {
    let words = words(key);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&VAGUE) && !has(&CLEAR)
}

pub(super) fn speaks_about(key: &str) -> bool {
    let words = words(key);
    words.last().is_some_and(|last| ABOUT.contains(&last.as_str()))
        || words.iter().any(|word| PAGES.contains(&word.as_str()))
}

/// The words of a key: `nextPageToken` has three.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for letter in key.chars() {
        let starts = letter.is_uppercase() && before_lower;
        if starts || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        before_lower = letter.is_lowercase();
    }
    words
}
