//! Normalizes tool results and outputs before they are compared.

use serde_json::Value;

/// Changes to tool results, their error messages and the final output, applied in this order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Normalization {
    /// Keys that are dropped at any depth.
    pub strip_keys: Vec<String>,
    /// Paths that are dropped: names and list indexes separated by dots; `*` matches any.
    pub strip_paths: Vec<String>,
    /// Paths whose value is replaced.
    pub replace_paths: Vec<(String, Value)>,
    /// Patterns that are replaced in every string.
    pub replace_text: Vec<TextReplacement>,
}

/// A pattern and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextReplacement {
    /// The pattern, including flags.
    pub pattern: String,
    /// The replacement; `$1` or `\1` is the first group.
    pub replacement: String,
}

impl Normalization {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The suite's changes combined with the case's: lists are concatenated, and the case's replacement for a path
    /// takes precedence.
    #[must_use]
    pub fn extended(&self, case: &Normalization) -> Normalization {
        let mut both = self.clone();
        both.strip_keys.extend(case.strip_keys.iter().cloned());
        both.strip_paths.extend(case.strip_paths.iter().cloned());
        both.replace_paths.retain(|(path, _)| !case.replace_paths.iter().any(|(other, _)| other == path));
        both.replace_paths.extend(case.replace_paths.iter().cloned());
        both.replace_text.extend(case.replace_text.iter().cloned());
        both
    }
}
