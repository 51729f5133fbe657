//! What a suite wants kept out of artifacts, beyond what is always kept out.

/// Further secrets of a suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Keys whose values are secret.
    pub keys: Vec<String>,
    /// Patterns of text that is secret.
    pub patterns: Vec<String>,
}
