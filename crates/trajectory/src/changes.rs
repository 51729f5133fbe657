//! All differences between two JSON values, by path, and their application.

use agentci_text::pointer;
use agentci_trace::same_value;
use serde::Serialize;
use serde_json::Value;

use crate::PartKind;

/// A value that differs. Objects and lists are compared value by value; a list that grew or shrank is compared after
/// what its ends have in common is set aside, so that one new item is one change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueChange {
    /// The JSON pointer of the old value, empty for the whole value; `None` if the value is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// The JSON pointer of the new value; `None` if the value is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

impl ValueChange {
    /// The path to show: that of the new value if there is one.
    pub fn path(&self) -> &str {
        self.new_path.as_deref().or(self.old_path.as_deref()).unwrap_or_default()
    }
}

/// A change of a part of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartChange {
    pub part: PartKind,
    /// What changed in it.
    #[serde(flatten)]
    pub change: ValueChange,
    /// Whether only fingerprints were compared: it is known that the value changed, but not how.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub only_fingerprint: bool,
}

/// The maximum depth that is compared value by value; anything deeper is compared as a whole.
const DEPTH: usize = 64;

/// All differences, in the order of the new value; what is gone from an object comes first. `same` compares two strings
/// or numbers that are not equal.
pub fn value_changes(old: &Value, new: &Value, same: &mut impl FnMut(&Value, &Value) -> bool) -> Vec<ValueChange> {
    let mut walk = ValueComparer { same, found: Vec::new() };
    walk.value(&mut String::new(), &mut String::new(), old, new, DEPTH);
    walk.found
}

struct ValueComparer<'s, S> {
    same: &'s mut S,
    found: Vec<ValueChange>,
}

impl<S: FnMut(&Value, &Value) -> bool> ValueComparer<'_, S> {
    fn value(&mut self, from: &mut String, to: &mut String, old: &Value, new: &Value, depth: usize) {
        match (old, new) {
            (Value::Object(one), Value::Object(other)) if depth > 0 => {
                for (key, old) in one.iter().filter(|(key, _)| !other.contains_key(*key)) {
                    self.gone(from, key, old);
                }
                for (key, new) in other {
                    match one.get(key) {
                        Some(old) => self.pair(from, to, (key, old), (key, new), depth),
                        None => self.added(to, key, new),
                    }
                }
            }
            (Value::Array(one), Value::Array(other)) if depth > 0 => self.list(from, to, one, other, depth),
            _ if same_value(old, new) => {}
            _ if is_scalar(old) && is_scalar(new) && (self.same)(old, new) => {}
            _ => self.found.push(ValueChange {
                old_path: Some(from.clone()),
                new_path: Some(to.clone()),
                old: Some(old.clone()),
                new: Some(new.clone()),
            }),
        }
    }

    fn list(&mut self, from: &mut String, to: &mut String, one: &[Value], other: &[Value], depth: usize) {
        let grown = one.len() != other.len();
        let start = if grown { one.iter().zip(other).take_while(|(a, b)| same_value(a, b)).count() } else { 0 };
        let (rest, others) = (&one[start..], &other[start..]);
        let ends = rest.iter().rev().zip(others.iter().rev()).take_while(|(a, b)| same_value(a, b));
        let end = if grown { ends.count() } else { 0 };
        let (rest, others) = (&rest[..rest.len() - end], &others[..others.len() - end]);
        let both = rest.len().min(others.len());
        for (index, (old, new)) in rest.iter().zip(others).enumerate() {
            let key = (start + index).to_string();
            self.pair(from, to, (&key, old), (&key, new), depth);
        }
        for (index, old) in rest.iter().enumerate().skip(both) {
            self.gone(from, &(start + index).to_string(), old);
        }
        for (index, new) in others.iter().enumerate().skip(both) {
            self.added(to, &(start + index).to_string(), new);
        }
        // The common end keeps its values but not its positions; nothing in it changed.
    }

    fn pair(&mut self, from: &mut String, to: &mut String, old: (&str, &Value), new: (&str, &Value), depth: usize) {
        let lengths = (from.len(), to.len());
        pointer::push(from, old.0);
        pointer::push(to, new.0);
        self.value(from, to, old.1, new.1, depth - 1);
        from.truncate(lengths.0);
        to.truncate(lengths.1);
    }

    fn gone(&mut self, from: &str, key: &str, old: &Value) {
        let mut path = from.to_owned();
        pointer::push(&mut path, key);
        self.found.push(ValueChange { old_path: Some(path), new_path: None, old: Some(old.clone()), new: None });
    }

    fn added(&mut self, to: &str, key: &str, new: &Value) {
        let mut path = to.to_owned();
        pointer::push(&mut path, key);
        self.found.push(ValueChange { old_path: None, new_path: Some(path), old: None, new: Some(new.clone()) });
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(old: &Value, new: &Value) -> Vec<String> {
        let told = |change: &ValueChange| {
            let sign = match (&change.old, &change.new) {
                (Some(_), Some(_)) => '~',
                (Some(_), None) => '-',
                _ => '+',
            };
            format!("{sign}{}", change.path())
        };
        value_changes(old, new, &mut |_, _| false).iter().map(told).collect()
    }

    #[test]
    fn change_deep_in_a_value_is_found_by_its_path() {
        let old = json!({"order": {"lines": [{"sku": "a", "tax": {"rate": 7}}, {"sku": "b"}]}});
        let mut new = old.clone();
        new["order"]["lines"][0]["tax"]["rate"] = 19.into();
        assert_eq!(paths(&old, &new), ["~/order/lines/0/tax/rate"]);
        assert_eq!(paths(&json!({"a": 1, "b": null}), &json!({"b": 2, "c": 1})), ["-/a", "~/b", "+/c"]);
        assert_eq!(paths(&json!({"a/b": 1}), &json!({"a/b": 2})), ["~/a~1b"]);
        assert_eq!(paths(&json!({"a": {}}), &json!({"a": []})), ["~/a"]);
        assert!(paths(&json!({"a": 1, "b": 2}), &json!({"b": 2.0, "a": 1})).is_empty());
    }

    #[test]
    fn item_that_is_inserted_or_removed_is_one_change() {
        assert_eq!(paths(&json!([1, 2, 3]), &json!([0, 1, 2, 3])), ["+/0"]);
        assert_eq!(paths(&json!([1, 2, 3]), &json!([1, 3])), ["-/1"]);
        assert_eq!(paths(&json!([1, 2]), &json!([2, 1])), ["~/0", "~/1"]);
        assert_eq!(paths(&json!([1, 2]), &json!([1, 2, 2])), ["+/2"]);
    }
}
