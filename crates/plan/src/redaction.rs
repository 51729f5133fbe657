//! Secrets of a suite, in addition to those that are always redacted.

/// Additional secrets of a suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Keys whose values are secret.
    pub keys: Vec<String>,
    /// Patterns of secret text.
    pub patterns: Vec<String>,
}
