//! Counting how often the definitions of a schema are applied, and stopping when it was too often.
//!
//! A schema without references is applied to each part of a value a fixed number of times at most; what multiplies are
//! references. So a keyword of our own is put into each definition that is referred to. The library has no way to stop in the
//! middle: the keyword unwinds, and [`Evaluator`](super::Evaluator) catches it.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

use super::schema_cost::pointer;

/// The keyword; nobody's schema has it.
pub(super) const KEYWORD: &str = "x-agentci-visits";

/// What is thrown when there were too many.
pub(super) struct TooMany;

/// How many visits are left.
#[derive(Debug, Clone, Default)]
pub(super) struct Visits(Arc<AtomicU64>);

impl Visits {
    pub(super) fn allow(&self, most: u64) {
        self.0.store(most, Ordering::Relaxed);
    }

    fn one(&self) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 0 {
            // Not a panic: nothing is wrong with this program, so nothing is printed.
            resume_unwind(Box::new(TooMany));
        }
    }
}

impl<'i> Keyword<'i> for Visits {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        self.one();
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        self.one();
        true
    }
}

/// Puts the keyword into the definitions that a schema refers to. Only what stands under `$defs` or `definitions` is surely a
/// schema and no data that looks like one.
pub(super) fn count_in(schema: &Value) -> Value {
    let mut pointers = Vec::new();
    references(schema, &mut pointers);
    let mut counted = schema.clone();
    for pointer in pointers {
        let parent = pointer.rsplit_once('/').and_then(|(parent, _)| parent.rsplit('/').next());
        if (pointer.is_empty() || matches!(parent, Some("$defs" | "definitions")))
            && let Some(Value::Object(definition)) = counted.pointer_mut(&pointer)
        {
            definition.insert(KEYWORD.into(), true.into());
        }
    }
    counted
}

fn references(schema: &Value, pointers: &mut Vec<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| references(item, pointers)),
        Value::Object(map) => {
            let named = ["$ref", "$dynamicRef", "$recursiveRef"].iter().filter_map(|name| map.get(*name)?.as_str());
            pointers.extend(named.filter_map(pointer));
            map.values().for_each(|value| references(value, pointers));
        }
        _ => {}
    }
}
