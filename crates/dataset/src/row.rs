//! One row, where it is, and what can be wrong with it.

use agentci_source::FileError;
use serde_json::{Map, Value};

/// Where a row begins. A reader can continue there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowSpot {
    /// The byte at which the row begins; its number in a format that is not text.
    pub offset: u64,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DataRow {
    /// The values by column. Those of CSV and TSV are strings.
    pub fields: Map<String, Value>,
    /// The line at which it begins, from 1.
    pub line: u32,
    /// The column at which it begins, from 1.
    pub column: u32,
}

impl DataRow {
    /// The value of a variable: `row` is the whole row, `row.name` a column, and `row.name.key` a part of its value.
    pub fn variable(&self, name: &str) -> Option<Value> {
        if name == "row" {
            return Some(Value::Object(self.fields.clone()));
        }
        self.find(name.strip_prefix("row.")?).cloned()
    }

    /// A column, or a part of its value. The name of a column may contain dots.
    pub fn find(&self, path: &str) -> Option<&Value> {
        if let Some(value) = self.fields.get(path) {
            return Some(value);
        }
        let dots = path.match_indices('.').map(|(at, _)| at);
        dots.rev().find_map(|at| inside(self.fields.get(&path[..at])?, &path[at + 1..]))
    }
}

/// A part of a value: a key of an object, or an index of an array.
fn inside<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, part| match value {
        Value::Object(map) => map.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// A value as text: a string as it is, null as nothing, anything else as JSON.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// What is wrong with a row, or with a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataError {
    /// One sentence.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// The line, from 1; 0 for the whole file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl DataError {
    pub(crate) fn at(line: u32, column: u32, message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, line, column }
    }

    pub(crate) fn of_file(message: impl Into<String>) -> Self {
        Self::at(0, 0, message)
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<FileError> for DataError {
    fn from(error: FileError) -> Self {
        Self::of_file(error.to_string())
    }
}

impl From<std::io::Error> for DataError {
    fn from(error: std::io::Error) -> Self {
        Self::of_file(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_find_columns_and_parts_of_values() {
        let Value::Object(fields) = json!({ "a": { "b": [1, "two"] }, "a.b": "dotted", "c": null }) else { panic!() };
        let row = DataRow { fields, line: 1, column: 1 };
        for (name, value) in [
            ("row.a.b", Some(json!("dotted"))),
            ("row.a.b.1", Some(json!("two"))),
            ("row.c", Some(Value::Null)),
            ("row.d", None),
            ("other", None),
        ] {
            assert_eq!(row.variable(name), value, "{name}");
        }
        assert_eq!(row.variable("row.a"), Some(json!({ "b": [1, "two"] })));
    }
}
