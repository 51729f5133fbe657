//! Which headers are kept. For requests this is an allowlist, so that no secret header can be forgotten.

/// Headers of requests that are kept.
const OF_REQUESTS: [&str; 7] = [
    "content-type",
    "accept",
    "anthropic-version",
    "anthropic-beta",
    "openai-beta",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// Headers of answers that are kept.
const OF_ANSWERS: [&str; 8] = [
    "content-type",
    "content-encoding",
    "retry-after",
    "location",
    "mcp-session-id",
    "mcp-protocol-version",
    "x-request-id",
    "request-id",
];

/// Parts of the names of rate limit headers.
const RATE_LIMITS: [&str; 2] = ["ratelimit", "rate-limit"];

/// Headers with credentials.
const SECRET: [&str; 8] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "cookie",
    "set-cookie",
    "x-amz-security-token",
];

/// Words in the name of any other header that make its value a secret, if it looks like one.
const SECRET_WORDS: [&str; 10] =
    ["token", "secret", "auth", "key", "apikey", "password", "credential", "credentials", "signature", "jwt"];
/// Headers with such a word whose values are not secrets.
const HARMLESS: [&str; 3] = ["idempotency", "websocket", "cache"];
/// A shorter value is not a secret because of the name of its header.
const SHORTEST: usize = 8;

/// Whether a header of a request is kept; the name in lower case.
pub fn keep_request_header(name: &str) -> bool {
    OF_REQUESTS.contains(&name)
}

/// Whether a header of an answer is kept; the name in lower case.
pub fn keep_response_header(name: &str) -> bool {
    OF_ANSWERS.contains(&name) || RATE_LIMITS.iter().any(|part| name.contains(part))
}

/// Whether a header contains credentials; it is never kept, and its value is a secret.
pub(super) fn is_secret_header(name: &str) -> bool {
    SECRET.iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

/// Whether the value of a header is a secret: that of a header with credentials, or one with a similar name and both
/// letters and digits.
pub(crate) fn is_credential(name: &str, value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    let looks_secret = || value.len() >= SHORTEST && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    is_secret_header(name) || (looks_secret() && is_named_as_secret(&name.to_ascii_lowercase()))
}

fn is_named_as_secret(name: &str) -> bool {
    let mut words = name.split(['-', '_']);
    words.any(|word| SECRET_WORDS.contains(&word)) && !HARMLESS.iter().any(|word| name.contains(word))
}

/// The longest value of letters alone that counts as a word.
const LONGEST_WORD: usize = 20;

/// Whether a key is only a placeholder word, such as `ollama` or `not-needed`. As a secret, it would be removed
/// wherever the word occurs.
pub(crate) fn is_word(key: &str) -> bool {
    key.len() < LONGEST_WORD && key.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_ ".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_secret_headers() {
        for name in SECRET {
            assert!(!keep_request_header(name) && !keep_response_header(name), "{name}");
        }
        assert!(!keep_request_header("x-my-token") && !keep_request_header("user-agent"));
        assert!(keep_response_header("anthropic-ratelimit-requests-remaining"));
        assert!(keep_response_header("x-ratelimit-limit-tokens") && !keep_response_header("x-set-cookie"));
    }

    #[test]
    fn detects_credential_by_header_name_and_value() {
        for (name, value) in [("authorization", "x"), ("X-Shop-Token", "shoptok-8842"), ("x_signature", "9f86d081")] {
            assert!(is_credential(name, value), "{name}");
        }
        for (name, value) in [
            ("x-auth-type", "password"),
            ("Idempotency-Key", "0193b2a4-7c11-7d3e-9c55-0242ac120002"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ1"),
            ("x-monkey", "banana-1234"),
            ("x-token", "short1"),
        ] {
            assert!(!is_credential(name, value), "{name}");
        }
    }
}
