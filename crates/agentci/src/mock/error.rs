//! Errors of models, files and calls.

use std::path::PathBuf;

/// A value that is invalid in a model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidModelError {
    /// A number is out of its range.
    #[error("`{field}` must be {wanted}, found {found}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// The valid range, in words.
        wanted: &'static str,
        /// The invalid value.
        found: f64,
    },
    /// A test is invalid.
    #[error("{}", .0.join("; "))]
    Test(
        /// The reasons.
        Vec<String>,
    ),
}

impl InvalidModelError {
    /// Checks that a number is 0 or more.
    pub(super) fn unless_at_least_zero(field: &'static str, found: f64) -> Result<f64, Self> {
        if found >= 0.0 { Ok(found) } else { Err(Self::OutOfRange { field, wanted: "0 or more", found }) }
    }
}

/// Why tests could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The path does not exist.
    #[error("`{}` does not exist", .0.display())]
    NotFound(PathBuf),
    /// A file is invalid.
    #[error("{0}")]
    Invalid(
        /// The problems with their positions, as `agentci check` shows them.
        String,
    ),
    /// The tests could not be run at all.
    #[error("the tests could not be run: {0}")]
    Run(
        /// The reason.
        String,
    ),
}

/// A simulated failure of a call to a scripted model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SimulatedError(pub(super) String);
