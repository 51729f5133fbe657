//! The ids of cases, made from the columns of their rows.

use crate::row::{DataRow, value_text};

/// The maximum length of an id, in characters.
const ID_LIMIT: usize = 200;

/// An id with columns in braces, such as `{lang}-{id}`. Empty braces are the name of the file and the number of the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdTemplate {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Plain(String),
    Column(String),
    /// The name of the file and the number of the row.
    Usual,
}

impl IdTemplate {
    /// Parses an id. A column may also be written as a variable: `${row.id}`.
    pub fn parse(written: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = written;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((column, after)) = after.split_once('}') else { break };
            let variable = before.strip_suffix('$').zip(column.strip_prefix("row."));
            let (before, column) = variable.unwrap_or((before, column));
            if !before.is_empty() {
                parts.push(Part::Plain(before.into()));
            }
            parts.push(if column.is_empty() { Part::Usual } else { Part::Column(column.into()) });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Plain(rest.into()));
        }
        Self { parts }
    }

    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Column(name) => Some(name.as_str()),
            Part::Plain(_) | Part::Usual => None,
        })
    }

    /// Whether it depends on more than the values of the row.
    pub(crate) fn is_numbered(&self) -> bool {
        self.parts.contains(&Part::Usual)
    }

    /// The id of a row whose file and number are `usual`. The error says why it has none.
    pub fn of(&self, row: &DataRow, usual: &str) -> Result<String, String> {
        let mut id = String::new();
        for part in &self.parts {
            match part {
                Part::Plain(text) => id.push_str(text),
                Part::Usual => id.push_str(usual),
                Part::Column(name) => {
                    let value = row.find(name).map(value_text).unwrap_or_default();
                    if value.is_empty() {
                        return Err(format!("the row has no value for `{}`, which its id needs", name.escape_debug()));
                    }
                    id.push_str(&value);
                }
            }
        }
        // Ids are names in one line of a report.
        let id = id.split_whitespace().collect::<Vec<_>>().join(" ");
        if id.is_empty() {
            return Err("the id of the row is empty".into());
        }
        if id.chars().count() > ID_LIMIT {
            return Err(format!("the id of the row has more than {ID_LIMIT} characters"));
        }
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_made_from_columns() {
        let fields = json!({ "lang": "de", "n": 7, "none": "", "text": "a\n b" }).as_object().unwrap().clone();
        let row = DataRow { fields, line: 1, column: 1 };
        for (written, id) in [
            ("{lang}-{n}", Ok("de-7")),
            ("q/${row.n}", Ok("q/7")),
            ("{text}", Ok("a b")),
            ("open {n", Ok("open {n")),
            ("{}[a=b]", Ok("file-3[a=b]")),
            ("{none}", Err("the row has no value for `none`, which its id needs")),
            ("{typo}", Err("the row has no value for `typo`, which its id needs")),
        ] {
            let found = IdTemplate::parse(written).of(&row, "file-3");
            assert_eq!(found.as_deref().map_err(String::as_str), id, "{written}");
        }
        assert_eq!(IdTemplate::parse("a-{lang}-{n}").columns().collect::<Vec<_>>(), ["lang", "n"]);
    }
}
