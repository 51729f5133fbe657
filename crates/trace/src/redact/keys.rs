//! Decides which keys hold secrets.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use super::values::any_of;

/// A key that contains one of these, in snake case, holds a secret.
const CONTAINED: [&str; 10] = [
    "api_key",
    "apikey",
    "access_token",
    "refresh_token",
    "auth_token",
    "authorization",
    "private_key",
    "client_secret",
    "secret_key",
    "access_key",
];

/// So does a key that has one of these as a word.
const WORDS: [&str; 9] =
    ["token", "secret", "password", "passwd", "pwd", "auth", "passphrase", "credential", "credentials"];

/// A number under a key that ends in one of these is a token count, not a secret.
const COUNTING: [&str; 6] = ["count", "limit", "budget", "usage", "total", "max"];

/// Whether the value of a key is secret.
pub(super) fn secret_key(key: &str, extra: &[String]) -> bool {
    if extra.is_empty() && is_harmless(key) {
        return false;
    }
    let snake = snake(key);
    CONTAINED.iter().any(|part| snake.contains(part))
        || snake.split('_').any(|word| WORDS.contains(&word))
        || extra.contains(&snake)
}

/// Each of the words above contains one of these.
static FRAGMENTS: LazyLock<AhoCorasick> =
    LazyLock::new(|| any_of(&["key", "token", "auth", "secret", "pass", "pwd", "credential"]));

/// A quick check that rules out most keys without converting them to snake case: the conversion only changes the letter
/// case of an ASCII key and removes nothing.
fn is_harmless(key: &str) -> bool {
    key.is_ascii() && !FRAGMENTS.is_match(key)
}

/// Words that are too common in names of environment variables to indicate a secret: `PWD`, `AUTH_STAGE`.
const NOT_IN_VARIABLES: [&str; 2] = ["pwd", "auth"];

/// Whether an environment variable holds a secret. A path does not: its content may be secret, but not its name.
pub(super) fn secret_variable(name: &str, value: &str) -> bool {
    let snake = snake(name);
    let words = snake.split('_').filter(|word| !NOT_IN_VARIABLES.contains(word));
    let named =
        CONTAINED.iter().any(|part| snake.contains(part)) || words.into_iter().any(|word| WORDS.contains(&word));
    let is_key = snake.rsplit('_').next() == Some("key") && looks_random(value);
    (named || is_key) && !value.starts_with('/') && !value.contains(":/")
}

/// The minimum length of a value that is treated as a key because of its variable's name.
const SHORTEST_KEY: usize = 16;

/// Whether a value is one long word with letters and digits.
fn looks_random(value: &str) -> bool {
    value.len() >= SHORTEST_KEY
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// A flag that starts with one of these words takes no value.
const SWITCHES: [&str; 9] = ["no", "use", "with", "without", "skip", "require", "enable", "disable", "show"];

/// Whether a command-line argument takes a secret: its name ends in a secret word. `--token-limit` does not.
pub(super) fn secret_argument(name: &str) -> bool {
    if is_harmless(name) {
        return false;
    }
    let snake = snake(name);
    let last = snake.rsplit('_').next().expect("a split has a first part");
    let named = CONTAINED.iter().any(|part| snake.ends_with(part)) || (last != "auth" && WORDS.contains(&last));
    named && !snake.split('_').next().is_some_and(|first| SWITCHES.contains(&first))
}

/// Whether a text may contain a secret key.
pub(super) fn may_hold_secret_key(text: &str, extra: &[String]) -> bool {
    !extra.is_empty() || !is_harmless(text)
}

/// Whether a value under a secret key is hidden: booleans, empty values and token counts are not.
pub(super) fn worth_hiding(key: &str, value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) => !snake(key).split('_').any(|word| COUNTING.contains(&word)),
        _ => true,
    }
}

/// The key in snake case: `clientSecret`, `Client-Secret` and `CLIENT_SECRET` are `client_secret`.
pub(super) fn snake(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    let mut before = '_';
    let mut rest = key.chars().peekable();
    while let Some(letter) = rest.next() {
        let upper = letter.is_uppercase();
        let starts_word = upper && (before.is_lowercase() || before.is_ascii_digit());
        // The last of several capitals starts the next word: `APIKey`.
        let ends_row = upper && before.is_uppercase() && rest.peek().is_some_and(|next| next.is_lowercase());
        if (starts_word || ends_row) && !snake.ends_with('_') {
            snake.push('_');
        }
        if letter.is_alphanumeric() {
            snake.extend(letter.to_lowercase());
        } else if !snake.ends_with('_') {
            snake.push('_');
        }
        before = letter;
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_secret_keys_in_any_case_style() {
        for key in [
            "api_key",
            "apiKey",
            "APIKey",
            "x-api-key",
            "OPENAI_API_KEY",
            "accessToken",
            "clientSecret",
            "Authorization",
            "password",
            "db.password",
            "auth",
            "userPwd",
            "private-key",
        ] {
            assert!(secret_key(key, &[]), "{key}");
        }
        for key in
            ["tokens_out", "author", "authority", "secretary", "tokenizer", "keyboard", "passwords_changed", "id"]
        {
            assert!(!secret_key(key, &[]), "{key}");
        }
        assert!(secret_key("Patient-Name", &["patient_name".into()]));
    }

    #[test]
    fn counts_and_flags_are_not_secret() {
        assert!(!worth_hiding("token_count", &7.into()));
        assert!(!worth_hiding("auth", &true.into()));
        assert!(worth_hiding("token", &7.into()));
        assert!(worth_hiding("token_count", &"x".into()));
    }
}
