//! JSON without its secrets: what stands under telling keys, and what its texts hold.
//!
//! The keys of requests to models are fewer than those of the world: a tool has a parameter that is called `password` and whose
//! description is not one, and a model says a `token` with its probability.

use agentci_trace::{PLACEHOLDER, Redactor};
use serde_json::{Map, Value};

use super::texts;

/// JSON within the texts of JSON is followed this deep.
const DEEPEST: usize = 4;
/// A shorter number is not a secret, whatever its key.
const SHORTEST_NUMBER: usize = 6;
/// How the value of a header that says who asks may begin.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];
/// Words that stand under telling keys and are no secrets.
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
/// A key that ends so does not hold the secret that it speaks of.
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
/// Tokens that say where a list goes on.
pub(super) const PAGES: [&str; 4] = ["page", "next", "continuation", "sync"];
/// An object that has one of these keys describes a value, or is one of a model's words.
const DESCRIBES: [&str; 8] = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "description", "logprob"];

/// Remembers what stands under telling keys.
pub(super) fn learn(value: &Value, redactor: &mut Redactor) {
    learn_within(value, redactor, DEEPEST);
}

/// Remembers what stands under telling keys in a text that is JSON.
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
            // What follows the scheme of a header is the secret.
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
    // A secret may also stand where a key should.
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
        // A short number is the id of a word; a secret is longer.
        Value::Number(number) => number.as_str().len() >= SHORTEST_NUMBER && !map.contains_key("logprob"),
        // Lists under such keys name what is allowed or required, as `auth: [basic]`; their objects have keys of their own.
        _ => false,
    }
}

/// Words that name secrets and, as often, ordinary values: the token of an order, say.
const VAGUE: [&str; 4] = ["token", "auth", "credential", "credentials"];
/// Words beside them that leave no doubt.
const CLEAR: [&str; 8] = ["access", "refresh", "api", "bearer", "session", "secret", "password", "private"];
/// A shorter value under a vague key is ordinary data. Taken for a secret it would be removed from everything else, and not
/// compared.
const SHORTEST_TOKEN: usize = 16;

/// Whether a key may as well speak of ordinary data.
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
