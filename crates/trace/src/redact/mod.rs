//! Redaction: secrets are removed by the name of their key, by their form, and by their value.
//!
//! A value that was removed because of its key is remembered, so that it is also removed where it occurs in plain text.
//! The placeholder is always the same. Names, ids and counts that agentci generates are never redacted.

mod arguments;
mod encoding;
mod keys;
mod marked;
mod patterns;
mod recent_values;
mod redacted_match;
mod redactor;
mod values;

pub use redacted_match::fits_recorded;
pub use redactor::{PLACEHOLDER, Redactor};
