//! What can be wrong with models, files and calls.

use std::path::PathBuf;

/// A value that a model does not take.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidModelError {
    /// A number is out of its range.
    #[error("`{field}` must be {wanted}, found {found}")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its range, in words.
        wanted: &'static str,
        /// What was given.
        found: f64,
    },
    /// A test is wrong; each reason is told.
    #[error("{}", .0.join("; "))]
    Test(
        /// The reasons.
        Vec<String>,
    ),
}

impl InvalidModelError {
    /// A number that must be 0 or more.
    pub(super) fn unless_at_least_zero(field: &'static str, found: f64) -> Result<f64, Self> {
        if found >= 0.0 { Ok(found) } else { Err(Self::OutOfRange { field, wanted: "0 or more", found }) }
    }
}

/// Why tests could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Nothing stands at the path.
    #[error("there is no file or folder `{}`", .0.display())]
    NotFound(PathBuf),
    /// A file is wrong; every problem is told with its place.
    #[error("{0}")]
    Invalid(
        /// The problems, as `agentci check` shows them.
        String,
    ),
    /// The tests could not be run at all.
    #[error("the tests could not be run: {0}")]
    Run(
        /// What the system said.
        String,
    ),
}

/// A call of a scripted model that failed on purpose.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SimulatedError(pub(super) String);
