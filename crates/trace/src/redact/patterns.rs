//! Patterns that only secrets match.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexSet};

use super::marked::MarkedText;
use super::redactor::PLACEHOLDER;
use super::values::any_of;

/// Each pattern and its replacement; `$1` is the part that stays. No other pattern has a numbered group.
const PATTERNS: [(&str, &str); 18] = [
    // Private keys with their armor lines.
    (r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)", "[REDACTED]"),
    // The end of a private key whose beginning is missing.
    (r"(?s)\A(?:[A-Za-z0-9+/=]{16,}\s+)+[A-Za-z0-9+/=]*\s*-----END [A-Z ]*PRIVATE KEY-----", "[REDACTED]"),
    // Any of the forms below, truncated by agentci.
    (
        r"\b(?:sk-|[sr]k_live_|gh[pousr]_|github_pat_|glpat-|AKIA|AIza|xox[a-z]-|eyJ)[A-Za-z0-9_.-]*\.\.\.",
        "[REDACTED]...",
    ),
    (
        r"\b(?:sk-|[sr]k_live_|gh[pousr]_|github_pat_|glpat-|AKIA|AIza|xox[a-z]-|eyJ)[A-Za-z0-9_.-]* \[cut\]",
        "[REDACTED] [cut]",
    ),
    // Authorization headers.
    (r"(?i)\b(bearer\s+)[a-z0-9._~+/=-]{8,}", "${1}[REDACTED]"),
    (r"(?i)\b(basic\s+)[a-z0-9+/]{12,}={0,2}", "${1}[REDACTED]"),
    // OpenAI, Anthropic and others with the same prefix, dashes included.
    (r"\bsk-[A-Za-z0-9_-]{20,}", "[REDACTED]"),
    // Stripe.
    (r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", "[REDACTED]"),
    // GitHub and GitLab.
    (r"\bgh[pousr]_[A-Za-z0-9]{36,}", "[REDACTED]"),
    (r"\bgithub_pat_[A-Za-z0-9_]{22,}", "[REDACTED]"),
    (r"\bglpat-[A-Za-z0-9_-]{20,}", "[REDACTED]"),
    // AWS and Google.
    (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", "[REDACTED]"),
    (r"\bAIza[A-Za-z0-9_-]{35}", "[REDACTED]"),
    // Slack, Hugging Face, npm.
    (r"\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36})", "[REDACTED]"),
    // JSON web tokens.
    (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", "[REDACTED]"),
    (r"\b[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", "[REDACTED]"),
    // Connection strings with a password.
    (r"\b([a-z][a-z0-9+.-]*://[^\s:/@]+:)[^\s/@]+@", "${1}[REDACTED]@"),
    // A key and its value in plain text: `api_key=...`, `"password": "..."`, also if JSON is quoted in JSON.
    (
        r#"(?i)((?:api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|client[_-]?secret|secret[_-]?key|password|passwd|passphrase|token|secret|pwd)(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?)(?:[^\s"',;&}\])\[\\]|\\+[^\s"'\\]){6,}"#,
        "${1}[REDACTED]",
    ),
];

/// The minimum length of a text that any pattern matches.
const SHORTEST: usize = 8;

/// A text without any of these, in any letter case, matches no pattern. Most texts contain none, so the patterns are
/// not even compiled for them.
static TRIGGERS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    any_of(&[
        "-----begin",
        "-----end",
        "bearer",
        "basic",
        "sk-",
        "sk_",
        "rk_",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "akia",
        "asia",
        "aiza",
        "xox",
        "eyj",
        "://",
        "npm_",
        "hf_",
    ])
});

/// The same for keys in plain text, where a separator is between the key and its value.
static KEY_TRIGGERS: LazyLock<AhoCorasick> =
    LazyLock::new(|| any_of(&["key", "token", "secret", "passw", "passphrase", "pwd"]));

fn may_match(text: &str) -> bool {
    text.len() >= SHORTEST
        && (TRIGGERS.is_match(text)
            || text.bytes().any(|byte| matches!(byte, b':' | b'=')) && KEY_TRIGGERS.is_match(text))
}

struct Compiled {
    any: RegexSet,
    each: Vec<(Regex, &'static str)>,
}

/// Compiled once for the whole program.
static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
    let regex = |pattern: &str| Regex::new(pattern).expect("the patterns above are regular expressions");
    Compiled {
        any: RegexSet::new(PATTERNS.map(|(pattern, _)| pattern)).expect("the patterns above are regular expressions"),
        each: PATTERNS.iter().map(|(pattern, with)| (regex(pattern), *with)).collect(),
    }
});

/// Removes all known forms from a text.
pub(super) fn scrub(text: &mut MarkedText) {
    if !may_match(text.clean()) {
        return;
    }
    let found = COMPILED.any.matches(text.clean());
    for (regex, with) in found.iter().map(|index| &COMPILED.each[index]) {
        let stays_behind = with.rsplit_once(PLACEHOLDER).map_or(0, |(_, behind)| behind.len());
        let stretches: Vec<Range<usize>> = regex
            .captures_iter(text.clean())
            .filter_map(|captures| {
                let whole = captures.get(0).filter(|whole| !is_of_page(text.clean(), whole.start()))?;
                let start = captures.get(1).map_or(whole.start(), |stays| stays.end());
                Some(start..whole.end() - stays_behind)
            })
            .collect();
        text.remove(&stretches);
    }
}

/// Words before `token` that mark a pagination token: `page_token`, `nextPageToken`.
const PAGES: [&str; 4] = ["page", "next", "continuation", "sync"];

/// Whether the match at this position is the second half of the name of such a token.
fn is_of_page(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches(['_', '-']);
    let ends_with = |word: &str| {
        before.get(before.len().wrapping_sub(word.len())..).is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    let is_token = text.get(start..start + 5).is_some_and(|key| key.eq_ignore_ascii_case("token"));
    is_token && PAGES.into_iter().any(ends_with)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(text: &str) -> String {
        let mut text = MarkedText::new(text);
        scrub(&mut text);
        text.into_clean().into_owned()
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(COMPILED.each.len(), PATTERNS.len());
    }

    #[test]
    fn redacts_known_secret_formats() {
        for (text, clean) in [
            ("key sk-proj-abcdefghijklmnop1234 end", "key [REDACTED] end"),
            ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [REDACTED]"),
            ("basic dXNlcjpwYXNzd29yZA==", "basic [REDACTED]"),
            ("ghp_0123456789abcdefghijklmnopqrstuvwxyz", "[REDACTED]"),
            ("AKIAIOSFODNN7EXAMPLE", "[REDACTED]"),
            ("postgres://me:s3cr3t!@db:5432/x", "postgres://me:[REDACTED]@db:5432/x"),
            ("eyJhbGciOiJI.eyJzdWIiOiIx.abcdefghijk", "[REDACTED]"),
            ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nafter", "[REDACTED]\nafter"),
            ("api_key=abcdef123 rest", "api_key=[REDACTED] rest"),
            ("GET /x?token=abcdef123&y=1", "GET /x?token=[REDACTED]&y=1"),
            ("see sk-proj-abc...", "see [REDACTED]..."),
            ("AAAAB3NzaC1yc2EAAAADAQAB\nQ0FmZmU=\n-----END PRIVATE KEY-----\nok", "[REDACTED]\nok"),
            (r#"{"password": "hunter22"}"#, r#"{"password": "[REDACTED]"}"#),
            (r#""{\"password\": \"hunter22\"}""#, r#""{\"password\": \"[REDACTED]\"}""#),
            (r#""{\\\"password\\\":\\\"hun\\\\ter22\\\"}""#, r#""{\\\"password\\\":\\\"[REDACTED]\\\"}""#),
            ("see sk-proj-abc [cut]", "see [REDACTED] [cut]"),
        ] {
            assert_eq!(scrubbed(text), clean);
        }
    }

    #[test]
    fn leaves_ordinary_text_unchanged() {
        for text in [
            "the bearer of bad news",
            "/list?page_token=AAAApage1&next-token=BBBBpage2",
            r#"{"nextPageToken": "CAoQAA12345"}"#,
            "sk-8 is a road",
            "https://example.com/a:b@c",
            "basic questions",
            "tokens_out: 1234567",
            "password: ''",
        ] {
            assert_eq!(scrubbed(text), text);
        }
    }
}
