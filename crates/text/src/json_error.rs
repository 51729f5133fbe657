//! Errors of the JSON parser in words for people.

use std::fmt::Display;

/// The error of a JSON parser, with its jargon replaced: `expected ident` means a word that JSON does not have.
///
/// ```
/// let error = serde_json::from_str::<serde_json::Value>("thinking").unwrap_err();
/// let words = agentci_text::json_error(&error);
/// assert_eq!(words, "expected `true`, `false` or `null` at line 1 column 2");
/// ```
pub fn json_error(error: &impl Display) -> String {
    error.to_string().replace("expected ident", "expected `true`, `false` or `null`")
}
