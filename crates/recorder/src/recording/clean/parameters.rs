//! Secrets in queries and forms, detected by the names of their parameters.

use agentci_trace::{PLACEHOLDER, Redactor};

use super::super::headers::is_word;
use super::{keys, texts};

/// Secret parameters, in addition to those that are detected by their names.
const SECRET: [&str; 7] =
    ["sig", "signature", "x-amz-signature", "x-amz-credential", "x-goog-signature", "x-goog-credential", "jwt"];
/// Parameters that are often secrets, and as often ordinary values: the value decides.
const MAY_BE: [&str; 3] = ["key", "code", "session"];
/// A shorter value of such a parameter is ordinary.
const SHORTEST_RANDOM: usize = 20;

/// The host of an API with its key in the query, and a part of the paths of that API on any host.
const KEYED_HOST: &str = "generativelanguage.googleapis.com";
const KEYED_PATHS: [&str; 6] = [
    ":generateContent",
    ":streamGenerateContent",
    ":countTokens",
    ":embedContent",
    ":batchEmbedContents",
    "/v1beta/models",
];

/// Whether the parameter `key` of an address is always a credential. The address may lack its host.
fn takes_key(origin: &str, path: &str) -> bool {
    let path = path.split('?').next().expect("a split has a first part");
    origin.contains(KEYED_HOST) || path.contains(KEYED_HOST) || KEYED_PATHS.iter().any(|known| path.contains(known))
}

/// Whether a parameter of such an address is a secret.
fn is_secret_at(takes_key: bool, name: &str, value: &str, redactor: &Redactor) -> bool {
    (takes_key && name.eq_ignore_ascii_case("key") && !value.is_empty()) || is_secret(name, value, redactor)
}

/// Whether a parameter is a secret.
pub(super) fn is_secret(name: &str, value: &str, redactor: &Redactor) -> bool {
    let name = name.to_ascii_lowercase();
    if MAY_BE.contains(&name.as_str()) {
        return is_random(value);
    }
    let ordinary = keys::speaks_about(&name) || keys::PAGES.iter().any(|word| name.contains(word));
    SECRET.contains(&name.as_str()) || (redactor.is_secret_key(&name) && !ordinary && !value.is_empty())
}

/// Whether a value looks random: long, with lower-case and capital letters and digits.
fn is_random(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    value.len() >= SHORTEST_RANDOM
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~%+/=".contains(&byte))
}

/// The secret parameters of a path with its query; the origin may be unknown.
pub(super) fn secrets<'p>(origin: &str, path: &'p str, redactor: &Redactor) -> Vec<&'p str> {
    let Some((_, query)) = path.split_once('?') else { return Vec::new() };
    let takes_key = takes_key(origin, path);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let found = pairs.filter(|(name, value)| is_secret_at(takes_key, name, value, redactor)).map(|(_, value)| value);
    found.filter(|value| takes_key || !is_word(value)).collect()
}

/// A path with its query, without secrets; the origin may be unknown.
pub(crate) fn clean_path(origin: &str, path: &str, redactor: &Redactor) -> String {
    let Some((before, query)) = path.split_once('?') else {
        return redactor.text(path).into_owned();
    };
    let takes_key = takes_key(origin, path);
    let (query, fragment) = query.split_once('#').map_or((query, None), |(query, fragment)| (query, Some(fragment)));
    let pairs: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if is_secret_at(takes_key, name, value, redactor) => format!("{name}={PLACEHOLDER}"),
            Some((name, value)) => format!("{}={}", redactor.text(name), redactor.text(value)),
            None => redactor.text(pair).into_owned(),
        })
        .collect();
    let fragment = fragment.map(|fragment| format!("#{}", redactor.text(fragment))).unwrap_or_default();
    format!("{}?{}{fragment}", redactor.text(before), pairs.join("&"))
}

/// Removes the secrets of a form.
pub(super) fn scrub_pairs(pairs: &mut [(String, String)], redactor: &Redactor) {
    for (name, value) in pairs {
        if is_secret(name, value, redactor) {
            *value = PLACEHOLDER.into();
        } else {
            texts::scrub(value, redactor);
        }
        texts::scrub(name, redactor);
    }
}
