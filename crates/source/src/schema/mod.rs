//! JSON Schemas of files, and tables of their keys, both generated from the shapes that the readers use.

mod checks;
mod rules;
mod table;
mod values;
mod writer;

use serde_json::Value;

use crate::shape::{CheckShape, Kind};

pub use table::{KeyRow, Table, tables};

/// The JSON Schema, draft-07, of a file of the kind `root`; `checks` are the available checks.
pub fn schema(title: &str, root: &Kind, checks: &[&'static CheckShape]) -> Value {
    writer::SchemaWriter::new(checks).file(title, root)
}
