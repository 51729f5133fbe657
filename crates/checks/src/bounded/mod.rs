//! Schemas and paths whose evaluation may take too long, or too much memory, to happen where the run goes on.
//!
//! A [`BoundedTask`] is such an evaluation as plain data. The runner sends it as three lines to a worker process, which answers it with an
//! [`Evaluator`]:
//!
//! ```text
//! schema enforce                  what to do: `path`, or `schema` and what its `format` means
//! {"type":"object"}               the schema, or the path as a JSON string
//! {"answer":42}                   the value it is applied to
//! ```
//!
//! The answer is one line of JSON. Which evaluations are tasks is decided by estimates: [`SchemaCost`] and [`is_cheap`].

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

/// What an evaluation may be estimated to cost, in visits of one part of a schema or path at one part of a value, before it is
/// left to a worker. Well below a second even without optimisation of the program.
pub(crate) const CHEAP: u64 = 1_000_000;

/// An evaluation that is left to a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundedTask {
    /// The word for what is to be done.
    kind: String,
    /// The schema, or the path as a text.
    subject: Arc<Value>,
    /// What it is applied to.
    value: Value,
}

impl BoundedTask {
    /// What of a value breaks a schema.
    pub(crate) fn schema(schema: Arc<Value>, formats: Formats, value: Value) -> Self {
        Self { kind: format!("{} {}", evaluator::SCHEMA, formats.name()), subject: schema, value }
    }

    /// What a path of RFC 9535 leads to.
    pub(crate) fn path(path: String, value: Value) -> Self {
        Self { kind: evaluator::PATH.to_owned(), subject: Arc::new(path.into()), value }
    }

    /// The lines that ask a worker for it.
    pub fn lines(&self) -> String {
        format!("{}\n{}\n{}\n", self.kind, self.subject, self.value)
    }
}
