//! The names of the columns that rows have.

use std::collections::BTreeSet;

use crate::row::DataRow;

/// The maximum number of names that are remembered: rows of JSON may each have others.
const MOST: usize = 1000;

/// The columns of all rows seen so far.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    names: BTreeSet<String>,
    full: bool,
}

impl Columns {
    /// Adds the columns of a row.
    pub fn add(&mut self, row: &DataRow) {
        for name in row.fields.keys() {
            if self.names.contains(name) {
                continue;
            }
            if self.names.len() == MOST {
                self.full = true;
                return;
            }
            self.names.insert(name.clone());
        }
    }

    /// Whether no row has the column that a variable names. It may also name a part of a value.
    pub fn lack(&self, path: &str) -> bool {
        let known = |name: &str| self.names.contains(name);
        !self.full && !known(path) && !path.match_indices('.').any(|(at, _)| known(&path[..at]))
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn names_are_limited() {
        let row = |name: String| DataRow { fields: [(name, Value::Null)].into_iter().collect(), line: 1, column: 1 };
        let mut columns = Columns::default();
        (0..MOST).for_each(|number| columns.add(&row(format!("c{number}"))));
        assert!(columns.lack("d") && !columns.lack("c1.part"));
        // Nothing is reported as unknown once not all names are known.
        columns.add(&row("d".into()));
        assert!(!columns.lack("e"));
    }
}
