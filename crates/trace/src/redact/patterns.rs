//! Patterns that only secrets match.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::marked::MarkedText;
use super::redactor::PLACEHOLDER;
use super::values::any_of;

/// A form of secrets.
struct SecretPattern {
    /// A text without any of these, in any letter case, does not match. Most texts contain none, so most patterns are
    /// not even compiled.
    triggers: &'static [&'static str],
    pattern: &'static str,
    /// `$1` is the part that stays. Patterns without it have no numbered group.
    replacement: &'static str,
}

const fn secret(triggers: &'static [&'static str], pattern: &'static str, replacement: &'static str) -> SecretPattern {
    SecretPattern { triggers, pattern, replacement }
}

/// What keys of known providers begin with.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "akia",
    "aiza",
    "xox",
    "eyj",
];

const PATTERNS: [SecretPattern; 18] = [
    // Private keys with their armor lines.
    secret(
        &["-----begin"],
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
        "[REDACTED]",
    ),
    // The end of a private key whose beginning is missing.
    secret(
        &["-----end"],
        r"(?s)\A(?:[A-Za-z0-9+/=]{16,}\s+)+[A-Za-z0-9+/=]*\s*-----END [A-Z ]*PRIVATE KEY-----",
        "[REDACTED]",
    ),
    // Any of the forms below, truncated by agentci.
    secret(
        PREFIXES,
        r"\b(?:sk-|[sr]k_live_|gh[pousr]_|github_pat_|glpat-|AKIA|AIza|xox[a-z]-|eyJ)[A-Za-z0-9_.-]*\.\.\.",
        "[REDACTED]...",
    ),
    secret(
        PREFIXES,
        r"\b(?:sk-|[sr]k_live_|gh[pousr]_|github_pat_|glpat-|AKIA|AIza|xox[a-z]-|eyJ)[A-Za-z0-9_.-]* \[cut\]",
        "[REDACTED] [cut]",
    ),
    // Authorization headers.
    secret(&["bearer"], r"(?i)\b(bearer\s+)[a-z0-9._~+/=-]{8,}", "${1}[REDACTED]"),
    secret(&["basic"], r"(?i)\b(basic\s+)[a-z0-9+/]{12,}={0,2}", "${1}[REDACTED]"),
    // OpenAI, Anthropic and others with the same prefix, dashes included.
    secret(&["sk-"], r"\bsk-[A-Za-z0-9_-]{20,}", "[REDACTED]"),
    // Stripe.
    secret(&["sk_", "rk_"], r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", "[REDACTED]"),
    // GitHub and GitLab.
    secret(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{36,}", "[REDACTED]"),
    secret(&["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{22,}", "[REDACTED]"),
    secret(&["glpat-"], r"\bglpat-[A-Za-z0-9_-]{20,}", "[REDACTED]"),
    // AWS and Google.
    secret(&["akia", "asia"], r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", "[REDACTED]"),
    secret(&["aiza"], r"\bAIza[A-Za-z0-9_-]{35}", "[REDACTED]"),
    // Slack, Hugging Face, npm.
    secret(
        &["xox", "hf_", "npm_"],
        r"\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36})",
        "[REDACTED]",
    ),
    // JSON web tokens.
    secret(&["eyj"], r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", "[REDACTED]"),
    secret(&["eyj"], r"\b[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", "[REDACTED]"),
    // Connection strings with a password.
    secret(&["://"], r"\b([a-z][a-z0-9+.-]*://[^\s:/@]+:)[^\s/@]+@", "${1}[REDACTED]@"),
    // A key and its value in plain text: `api_key=...`, `"password": "..."`, also if JSON is quoted in JSON.
    secret(
        &["key", "token", "secret", "passw", "passphrase", "pwd"],
        r#"(?i)((?:api[_-]?key|access[_-]?token|refresh[_-]?token|auth[_-]?token|client[_-]?secret|secret[_-]?key|password|passwd|passphrase|token|secret|pwd)(?:\\*["'])?\s*[:=]\s*(?:\\*["'])?)(?:[^\s"',;&}\])\[\\]|\\+[^\s"'\\]){6,}"#,
        "${1}[REDACTED]",
    ),
];

/// The index of the last pattern, which is the only one that requires a separator between a key and its value.
const KEY_AND_VALUE: usize = PATTERNS.len() - 1;

/// The minimum length of a text that any pattern matches.
const SHORTEST: usize = 8;

/// Finds the triggers of all patterns, and for each trigger the index of its pattern.
static TRIGGERS: LazyLock<(AhoCorasick, Vec<usize>)> = LazyLock::new(|| {
    let triggers = || PATTERNS.iter().enumerate().flat_map(|(at, it)| it.triggers.iter().map(move |word| (*word, at)));
    let words: Vec<&str> = triggers().map(|(word, _)| word).collect();
    (any_of(&words), triggers().map(|(_, pattern)| pattern).collect())
});

/// The patterns that may match a text, in order.
fn candidates(text: &str) -> BTreeSet<usize> {
    let (triggers, patterns) = &*TRIGGERS;
    if text.len() < SHORTEST || !triggers.is_match(text) {
        return BTreeSet::new();
    }
    let mut found: BTreeSet<usize> =
        triggers.find_overlapping_iter(text).map(|trigger| patterns[trigger.pattern().as_usize()]).collect();
    if !text.contains([':', '=']) {
        found.remove(&KEY_AND_VALUE);
    }
    found
}

/// The pattern at this index, compiled when it is first needed.
fn compiled(index: usize) -> &'static Regex {
    static COMPILED: [OnceLock<Regex>; PATTERNS.len()] = [const { OnceLock::new() }; PATTERNS.len()];
    let compile = || Regex::new(PATTERNS[index].pattern).expect("the patterns above are regular expressions");
    COMPILED[index].get_or_init(compile)
}

/// Removes all known forms from a text.
pub(super) fn scrub(text: &mut MarkedText) {
    for index in candidates(text.clean()) {
        let stays_behind = PATTERNS[index].replacement.rsplit_once(PLACEHOLDER).map_or(0, |(_, behind)| behind.len());
        let stretches: Vec<Range<usize>> = compiled(index)
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
        for (index, pattern) in PATTERNS.iter().enumerate() {
            assert_eq!(compiled(index).captures_len() > 1, pattern.replacement.starts_with("${1}"));
        }
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
