//! The shape of JSON: the keys of objects and the types of their values. Values at the same place in several answers,
//! or in several items of a list, share one shape.

use std::collections::{BTreeMap, BTreeSet};

use agentci_text::ValueType;
use serde_json::Value;

use super::optional_values::{WRITTEN, is_keyed_by_ids};

/// The shape of all values at one place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ObservedShape {
    pub(super) types: BTreeSet<ValueType>,
    /// Objects by their `type`, if the answer is a model's: each type has its own keys. All other objects are under an
    /// empty type.
    pub(super) objects: BTreeMap<String, ObjectKeys>,
    /// The items of lists.
    pub(super) items: Option<Box<ObservedShape>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ObjectKeys {
    /// The number of objects.
    pub(super) objects: usize,
    /// For each key, how many of the objects have it, and the shape of its values.
    pub(super) by_name: BTreeMap<String, (usize, ObservedShape)>,
    /// The values of objects whose keys are ids.
    pub(super) by_id: Option<Box<ObservedShape>>,
}

impl ObservedShape {
    /// Adds a value at this place.
    pub(super) fn add(&mut self, value: &Value, of_model: bool) {
        self.types.insert(ValueType::of(value));
        match value {
            Value::Array(items) => {
                let shape = self.items.get_or_insert_default();
                for item in items {
                    shape.add(item, of_model);
                }
            }
            Value::Object(object) => {
                let kind = object.get("type").and_then(Value::as_str).filter(|_| of_model);
                let keys = self.objects.entry(kind.unwrap_or_default().to_owned()).or_default();
                keys.objects += 1;
                if is_keyed_by_ids(object) {
                    let shape = keys.by_id.get_or_insert_default();
                    for value in object.values() {
                        shape.add(value, of_model);
                    }
                    return;
                }
                for (name, value) in object {
                    let (times, shape) = keys.by_name.entry(name.clone()).or_default();
                    *times += 1;
                    if of_model && WRITTEN.contains(&name.as_str()) {
                        shape.types.insert(ValueType::of(value));
                    } else {
                        shape.add(value, of_model);
                    }
                }
            }
            _ => {}
        }
    }
}
