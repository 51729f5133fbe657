//! Selects rows by the values of their columns.

use regex::Regex;
use serde_json::Value;

use crate::row::{DataRow, value_text};

/// Conditions on columns, all of which a row must meet.
#[derive(Debug, Clone, Default)]
pub struct RowFilter {
    /// The conditions by column.
    pub conditions: Vec<(String, Condition)>,
}

/// A condition on a value.
#[derive(Debug, Clone)]
pub enum Condition {
    /// It is one of these values. Numbers and booleans equal their text, since CSV has only text.
    OneOf(Vec<Value>),
    /// Its text matches a pattern.
    Matches(Regex),
    /// It is a number within these bounds.
    Within {
        /// The lower bound, inclusive.
        min: Option<f64>,
        /// The upper bound, inclusive.
        max: Option<f64>,
    },
    /// It does not meet a condition.
    Not(Box<Condition>),
}

impl RowFilter {
    /// Whether a row meets all conditions. A column that the row does not have is null.
    pub fn accepts(&self, row: &DataRow) -> bool {
        self.conditions.iter().all(|(column, condition)| condition.holds(row.find(column).unwrap_or(&Value::Null)))
    }
}

impl Condition {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|wanted| same(wanted, value)),
            Self::Matches(pattern) => pattern.is_match(&value_text(value)),
            Self::Within { min, max } => number(value)
                .is_some_and(|number| min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)),
            Self::Not(condition) => !condition.holds(value),
        }
    }
}

fn same(wanted: &Value, found: &Value) -> bool {
    if wanted == found || value_text(wanted) == value_text(found) {
        return true;
    }
    // A string of the suite is compared as it is: `"07"` is not `7`.
    if !wanted.is_number() {
        return false;
    }
    // Integers are compared exactly: as floats, long ids would equal their neighbours.
    if let (Some(wanted), Some(found)) = (integer(wanted), integer(found)) {
        return wanted == found;
    }
    let as_number = || Some((number(wanted)?, number(found)?));
    as_number().is_some_and(|(wanted, found)| wanted.total_cmp(&found).is_eq())
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => number.as_str().parse().ok(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn accepts(condition: Condition, value: Value) -> bool {
        let fields = [("a".to_owned(), value)].into_iter().collect();
        let filter = RowFilter { conditions: vec![("a".into(), condition)] };
        filter.accepts(&DataRow { fields, line: 1, column: 1 })
    }

    #[test]
    fn numbers_of_the_suite_equal_their_text_in_csv() {
        let one_of = |value: Value| Condition::OneOf(vec![value]);
        assert!(accepts(one_of(json!(20)), json!("20.0")) && accepts(one_of(json!(true)), json!("true")));
        let id = 1_234_567_890_123_456_789_i64;
        assert!(accepts(one_of(json!(id)), json!(id)) && !accepts(one_of(json!(id)), json!(id + 1)));
        assert!(accepts(one_of(json!(id)), json!(id.to_string())) && !accepts(one_of(json!(id)), json!("1e400")));
        assert!(accepts(one_of(json!("07")), json!("07")) && !accepts(one_of(json!("07")), json!("7")));
        assert!(accepts(one_of(Value::Null), json!("")) && !accepts(one_of(json!("de")), json!("den")));
    }

    #[test]
    fn bounds_accept_only_numbers() {
        let within = || Condition::Within { min: Some(2.0), max: None };
        assert!(accepts(within(), json!(2)) && accepts(within(), json!(" 3 ")));
        assert!(
            !accepts(within(), json!("1.9")) && !accepts(within(), json!("many")) && !accepts(within(), json!("inf"))
        );
        assert!(accepts(Condition::Not(Box::new(within())), json!("many")));
        assert!(accepts(Condition::Matches(Regex::new("^m").unwrap()), json!("many")));
    }
}
