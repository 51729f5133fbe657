//! Removes the secrets of a request, and learns them.

use agentci_text::percent_decoded;
use agentci_trace::{PLACEHOLDER, Redactor};

use super::super::headers::{is_credential, is_secret_header, is_word};
use super::{keys, parameters, texts};
use crate::{Exchange, RecordedBody, RecordedRequest};

/// A shorter value of a header is not a secret: it would be found everywhere.
const SHORTEST: usize = 8;
/// Learns the secrets of a complete request, before headers are removed: all credentials in headers and query. The path
/// may be preceded by its origin.
pub fn learn_request(secrets: &mut Redactor, headers: &[(String, String)], path_and_query: &str) {
    for (_, value) in headers.iter().filter(|(name, value)| is_credential(name, value)) {
        let credential = value.split_once(' ').map_or(value.as_str(), |(_, credential)| credential).trim();
        if credential.len() >= SHORTEST && !is_word(credential) {
            secrets.learn_header(value);
        }
    }
    learn_query(secrets, "", path_and_query);
}

fn learn_query(secrets: &mut Redactor, origin: &str, path: &str) {
    for value in parameters::secrets(origin, path, secrets) {
        learn_parameter(value, secrets);
    }
}

/// Learns the secrets of a complete answer: the values of its cookies.
pub fn learn_response(secrets: &mut Redactor, headers: &[(String, String)]) {
    for (_, cookie) in headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")) {
        // The attributes after it are not secrets.
        let pair = cookie.split(';').next().expect("a split has a first part");
        if let Some((_, value)) = pair.split_once('=').filter(|(_, value)| value.trim().len() >= SHORTEST) {
            secrets.learn_value(value.trim());
        }
    }
}

fn learn_parameter(value: &str, secrets: &mut Redactor) {
    if value.len() < SHORTEST {
        return;
    }
    secrets.learn_value(value);
    // Elsewhere the same value is not encoded.
    let plain = percent_decoded(value);
    if plain != value {
        secrets.learn_value(&plain);
    }
}

impl RecordedRequest {
    /// The request without secrets: the given ones, and those found in it. Requests are compared in this form.
    #[must_use]
    pub fn redacted(&self, secrets: &Redactor) -> RecordedRequest {
        let mut secrets = secrets.clone();
        learn(self, &mut secrets);
        let mut clean = self.clone();
        scrub(&mut clean, &secrets);
        clean
    }

    /// The request without secrets in its headers, if the rest is known to have none.
    #[must_use]
    pub(crate) fn with_clean_headers(mut self, secrets: &Redactor) -> Self {
        scrub_headers(&mut self, secrets);
        self
    }
}

/// The names of variables whose values are used as secrets in requests, such as under `api_key` in a body.
pub(crate) fn variables_shown(exchanges: &[Exchange], environment: &[(String, String)]) -> Vec<String> {
    let mut shown = Redactor::default();
    for exchange in exchanges {
        learn(&exchange.request, &mut shown);
    }
    let is_shown = |value: &str| shown.known_places(value).contains(&(0..value.len()));
    let variables = environment.iter().filter(|(_, value)| value.len() >= SHORTEST && is_shown(value));
    variables.map(|(name, _)| name.clone()).collect()
}

/// Learns the values under sensitive keys in a request.
pub(super) fn learn(request: &RecordedRequest, secrets: &mut Redactor) {
    learn_request(secrets, &request.headers, &request.path);
    learn_query(secrets, &request.origin, &request.path);
    match &request.body {
        RecordedBody::Json(value) => keys::learn(value, secrets),
        RecordedBody::Text(text) => keys::learn_text(text, secrets),
        RecordedBody::Form(pairs) => {
            for (name, value) in pairs {
                if parameters::is_secret(name, value, secrets) {
                    learn_parameter(value, secrets);
                }
            }
        }
        RecordedBody::Parts(parts) => {
            for part in parts {
                let Ok(text) = std::str::from_utf8(&part.content) else { continue };
                if parameters::is_secret(&part.name, text, secrets) {
                    learn_parameter(text, secrets);
                }
                keys::learn_text(text, secrets);
            }
        }
        RecordedBody::Empty | RecordedBody::Bytes(_) | RecordedBody::TooLarge { .. } => {}
    }
}

/// Removes the secrets of a request.
pub(super) fn scrub(request: &mut RecordedRequest, secrets: &Redactor) {
    scrub_headers(request, secrets);
    request.path = parameters::clean_path(&request.origin, &request.path, secrets);
    texts::scrub(&mut request.origin, secrets);
    if let Some(by) = &mut request.by {
        texts::scrub(by, secrets);
    }
    match &mut request.body {
        RecordedBody::Json(value) => keys::scrub(value, secrets),
        RecordedBody::Text(text) => texts::scrub(text, secrets),
        RecordedBody::Form(pairs) => parameters::scrub_pairs(pairs, secrets),
        RecordedBody::Parts(parts) => {
            for part in parts {
                scrub_part(part, secrets);
            }
        }
        RecordedBody::Bytes(bytes) => texts::scrub_bytes(bytes, secrets),
        RecordedBody::Empty | RecordedBody::TooLarge { .. } => {}
    }
}

fn scrub_headers(request: &mut RecordedRequest, secrets: &Redactor) {
    request.headers.retain(|(name, _)| !is_secret_header(name));
    for (_, value) in &mut request.headers {
        texts::scrub(value, secrets);
    }
}

fn scrub_part(part: &mut crate::FormPart, secrets: &Redactor) {
    let secret = std::str::from_utf8(&part.content).is_ok_and(|text| parameters::is_secret(&part.name, text, secrets));
    if secret {
        part.content = PLACEHOLDER.into();
    } else {
        texts::scrub_bytes(&mut part.content, secrets);
    }
    texts::scrub(&mut part.name, secrets);
    for text in [&mut part.filename, &mut part.content_type].into_iter().flatten() {
        texts::scrub(text, secrets);
    }
}
