//! Evaluates schemas and paths that may take too long, or too much memory, outside the process of the run.
//!
//! A [`BoundedTask`] describes such an evaluation. The runner sends it as three lines to a worker process, which
//! answers it with an [`Evaluator`]:
//!
//! ```text
//! schema enforce                  what to do: `path`, or `schema` and what its `format` means
//! {"type":"object"}               the schema, or the path as a JSON string
//! {"answer":42}                   the value it is applied to
//! ```
//!
//! The answer is one line of JSON. Estimates decide which evaluations become tasks: [`SchemaCost`] and [`is_cheap`].

mod evaluator;
mod path_cost;
mod schema_cost;
mod weight;

use std::sync::Arc;

use serde_json::Value;

use crate::schema_format::Formats;

pub use self::evaluator::Evaluator;
pub(crate) use self::path_cost::{is_cheap, nests_too_deep, tokens};
pub(crate) use self::schema_cost::{SchemaCost, pattern_size};
pub(crate) use self::weight::Weight;

/// The highest estimated cost of an evaluation that is not left to a worker, in visits of one part of a schema or path
/// at one part of a value. It takes well below a second even in a debug build.
pub(crate) const CHEAP: u64 = 1_000_000;

/// An evaluation for a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundedTask {
    /// `path`, or `schema` and the treatment of `format`.
    kind: String,
    /// The schema, or the path as a string.
    subject: Arc<Value>,
    /// The value to evaluate.
    value: Value,
}

impl BoundedTask {
    /// Finds the errors of a value under a schema.
    pub(crate) fn schema(schema: Arc<Value>, formats: Formats, value: Value) -> Self {
        Self { kind: format!("{} {}", evaluator::SCHEMA, formats.name()), subject: schema, value }
    }

    /// Finds the matches of a path of RFC 9535.
    pub(crate) fn path(path: String, value: Value) -> Self {
        Self { kind: evaluator::PATH.to_owned(), subject: Arc::new(path.into()), value }
    }

    /// The lines to send to a worker.
    pub fn lines(&self) -> String {
        format!("{}\n{}\n{}\n", self.kind, self.subject, self.value)
    }
}
