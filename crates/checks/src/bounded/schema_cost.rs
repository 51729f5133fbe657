//! Estimates the cost of validating against a schema.
//!
//! Without references, each part of a schema is applied at most once to each part of a value. The subschemas of
//! `anyOf`, `oneOf`, `not` and `if` are applied again to report why they do not match, once for each level. A reference
//! costs what its target costs: thirty definitions that each refer to the next one twice cost a billion. A schema that
//! refers to itself has no bound. `unevaluated*` checks each part once more against its neighbours.
//!
//! The estimate errs on the safe side: anything that is not understood here has no bound.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{CHEAP, Weight};

/// The size of a compiled pattern that takes as long as one visit.
const PATTERN: u64 = 50;

/// The estimated cost of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchemaCost {
    /// Visits for each part of a value, before `unevaluated*` multiplies them.
    each: u64,
    /// The deepest nesting of `unevaluated*`.
    unevaluated: u32,
    /// Whether compiling it may take long.
    pub(crate) dear_to_build: bool,
}

impl SchemaCost {
    pub(crate) fn of(schema: &Value) -> Self {
        let mut walk = CostWalk { root: schema, known: HashMap::new(), patterns: 0, foreign: false, dynamic: false };
        let mut cost = walk.node(schema, true);
        if walk.foreign || walk.dynamic {
            cost.parts = u64::MAX;
        }
        let expands = walk.dynamic || cost.unevaluated > 0;
        Self {
            each: cost.parts.saturating_mul(cost.branches + 2),
            unevaluated: cost.unevaluated,
            dear_to_build: (expands && cost.parts > CHEAP) || walk.patterns > CHEAP,
        }
    }

    /// Whether validating a value with at most this many parts is cheap.
    pub(crate) fn is_cheap(&self, parts: u64) -> bool {
        let visits = self.each.saturating_mul(parts);
        !self.dear_to_build && visits.saturating_mul(parts.saturating_pow(self.unevaluated)) <= CHEAP
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct SchemaPartCost {
    parts: u64,
    /// The deepest nesting of `anyOf`, `oneOf`, `not` and `if`.
    branches: u64,
    unevaluated: u32,
}

impl SchemaPartCost {
    const UNBOUNDED: SchemaPartCost = SchemaPartCost::of(u64::MAX);

    const fn of(parts: u64) -> Self {
        Self { parts, branches: 0, unevaluated: 0 }
    }

    fn and(self, other: Self) -> Self {
        Self {
            parts: self.parts.saturating_add(other.parts),
            branches: self.branches.max(other.branches),
            unevaluated: self.unevaluated.max(other.unevaluated),
        }
    }
}

struct CostWalk<'s> {
    root: &'s Value,
    /// The costs of reference targets; `None` while a target is being walked, so that a recursive reference is
    /// recognised.
    known: HashMap<String, Option<SchemaPartCost>>,
    /// The total size of all compiled patterns.
    patterns: u64,
    /// Whether an inner `$id` may change what references point at.
    foreign: bool,
    dynamic: bool,
}

impl CostWalk<'_> {
    fn node(&mut self, schema: &Value, root: bool) -> SchemaPartCost {
        match schema {
            Value::Array(items) => self.all(items),
            Value::Object(map) => self.object(map, root),
            _ => SchemaPartCost::of(1),
        }
    }

    fn object(&mut self, map: &Map<String, Value>, root: bool) -> SchemaPartCost {
        let mut sum = SchemaPartCost::of(1);
        let (mut branches, mut unevaluated) = (0, 0);
        for (key, value) in map {
            let inside = match (key.as_str(), value) {
                // Definitions are applied only where something refers to them.
                ("$defs" | "definitions", Value::Object(_)) if root => continue,
                ("$ref", Value::String(to)) => self.target(to),
                ("$dynamicRef" | "$recursiveRef", Value::String(_)) => {
                    self.dynamic = true;
                    SchemaPartCost::UNBOUNDED
                }
                ("$id" | "id", Value::String(_)) if !root => {
                    self.foreign = true;
                    SchemaPartCost::default()
                }
                ("pattern", Value::String(pattern)) => self.pattern(pattern),
                ("patternProperties", Value::Object(patterns)) => {
                    let named = patterns
                        .keys()
                        .map(|pattern| self.pattern(pattern))
                        .fold(SchemaPartCost::default(), SchemaPartCost::and);
                    named.and(self.all(patterns.values()))
                }
                // Names chosen by the user, each with a schema.
                (
                    "properties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies",
                    Value::Object(schemas),
                ) => self.all(schemas.values()),
                // The values of these keywords are data, not schemas.
                ("const" | "enum" | "default" | "examples" | "example", _) => {
                    SchemaPartCost::of(Weight::of(value).parts)
                }
                _ => self.node(value, false),
            };
            branches += u64::from(matches!(key.as_str(), "anyOf" | "oneOf" | "not" | "if"));
            unevaluated += u32::from(matches!(key.as_str(), "unevaluatedProperties" | "unevaluatedItems"));
            sum = sum.and(inside);
        }
        SchemaPartCost { branches: sum.branches + branches, unevaluated: sum.unevaluated + unevaluated, ..sum }
    }

    fn all<'v>(&mut self, schemas: impl IntoIterator<Item = &'v Value>) -> SchemaPartCost {
        schemas.into_iter().map(|schema| self.node(schema, false)).fold(SchemaPartCost::of(1), SchemaPartCost::and)
    }

    fn target(&mut self, to: &str) -> SchemaPartCost {
        let Some(target) = pointer(to).and_then(|pointer| self.root.pointer(&pointer)) else {
            return SchemaPartCost::UNBOUNDED;
        };
        match self.known.get(to) {
            Some(Some(cost)) => return *cost,
            Some(None) => return SchemaPartCost::UNBOUNDED,
            None => {}
        }
        self.known.insert(to.to_owned(), None);
        let cost = self.node(target, std::ptr::eq(target, self.root));
        self.known.insert(to.to_owned(), Some(cost));
        cost
    }

    fn pattern(&mut self, pattern: &str) -> SchemaPartCost {
        let size = pattern_size(pattern);
        self.patterns = self.patterns.saturating_add(size);
        SchemaPartCost::of(1 + size / PATTERN)
    }
}

/// The largest size of a pattern after its counted repetitions are expanded.
pub(crate) fn pattern_size(pattern: &str) -> u64 {
    let counts = pattern.split('{').skip(1).filter_map(|rest| {
        let (counts, _) = rest.split_once('}')?;
        counts.split(',').filter_map(|count| count.trim().parse::<u64>().ok()).max()
    });
    counts.fold(pattern.len() as u64, |size, count| size.saturating_mul(count.max(1)))
}

/// The JSON pointer of a reference within the document; `None` for a reference to an anchor or to another document.
fn pointer(to: &str) -> Option<String> {
    let pointer = to.strip_prefix('#')?;
    // Percent-encoded references are rare and need not be supported here.
    ((pointer.is_empty() || pointer.starts_with('/')) && !pointer.contains('%')).then(|| pointer.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A chain of definitions, each of which refers to the next `often` times.
    fn chain(levels: usize, often: usize) -> Value {
        let mut definitions = Map::new();
        for level in 0..levels {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            definitions.insert(format!("d{level}"), json!({ "anyOf": vec![next; often] }));
        }
        definitions.insert(format!("d{levels}"), json!({ "type": "string" }));
        json!({ "$ref": "#/$defs/d0", "$defs": definitions })
    }

    #[test]
    fn ordinary_schemas_are_cheap_for_ordinary_outputs() {
        let order = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {
                "Address": { "type": "object", "properties": { "street": { "type": "string" }, "zip": { "type": "string", "pattern": "^[0-9]{5}(-[0-9]{4})?$" } }, "required": ["street"] },
                "Customer": { "type": "object", "properties": { "name": { "type": "string" }, "home": { "$ref": "#/$defs/Address" }, "work": { "anyOf": [{ "$ref": "#/$defs/Address" }, { "type": "null" }] } } },
                "Item": { "type": "object", "properties": { "sku": { "type": "string" }, "count": { "type": "integer", "minimum": 1, "examples": [{ "id": "x", "$ref": "y" }] } }, "required": ["sku"], "additionalProperties": false },
            },
            "type": "object",
            "properties": { "customer": { "$ref": "#/$defs/Customer" }, "items": { "type": "array", "items": { "$ref": "#/$defs/Item" }, "uniqueItems": true } },
            "required": ["customer", "items"],
        });
        let cost = SchemaCost::of(&order);
        assert!(!cost.dear_to_build);
        assert!(cost.is_cheap(2_000), "{cost:?}");
        assert!(!cost.is_cheap(10_000_000));
        assert!(SchemaCost::of(&chain(30, 1)).is_cheap(200));
        assert!(SchemaCost::of(&json!(true)).is_cheap(100_000));
        let closed = json!({ "allOf": [{ "properties": { "a": true } }], "unevaluatedProperties": false });
        assert!(SchemaCost::of(&closed).is_cheap(100));
    }

    #[test]
    fn multiplying_or_unbounded_schemas_are_expensive() {
        let unevaluated = |mut schema: Value| {
            schema["unevaluatedProperties"] = false.into();
            schema
        };
        for dear in [
            chain(31, 2),
            json!({ "properties": { "next": { "$ref": "#" } } }),
            json!({ "$defs": { "a": { "items": { "$ref": "#/$defs/b" } }, "b": { "items": { "$ref": "#/$defs/a" } } }, "$ref": "#/$defs/a" }),
            json!({ "$dynamicRef": "#node" }),
            json!({ "$defs": { "a": { "$anchor": "named" } }, "$ref": "#named" }),
            json!({ "properties": { "a": { "$id": "other", "$ref": "#/$defs/x" } }, "$defs": { "x": true } }),
            json!({ "properties": { "$defs": chain(31, 2) }, "$defs": chain(31, 2)["$defs"].clone() }),
            json!({ "properties": { "default": { "$ref": "#" } } }),
            json!({ "pattern": "((a{999}){999}){999}" }),
            unevaluated(chain(31, 2)),
        ] {
            assert!(!SchemaCost::of(&dear).is_cheap(1), "{dear}");
        }
        let nested = unevaluated(json!({ "anyOf": [unevaluated(json!({ "anyOf": [unevaluated(json!({}))] }))] }));
        assert!(!SchemaCost::of(&nested).is_cheap(100));
    }

    #[test]
    fn only_expanded_schemas_are_expensive_to_build() {
        assert!(!SchemaCost::of(&chain(31, 2)).dear_to_build);
        assert!(!SchemaCost::of(&json!({ "properties": { "next": { "$ref": "#" } } })).dear_to_build);
        let mut closed = chain(31, 2);
        closed["unevaluatedProperties"] = false.into();
        assert!(SchemaCost::of(&closed).dear_to_build);
        let patterns: Vec<Value> = (0..100).map(|_| json!({ "pattern": "(\\w{200}){200}" })).collect();
        assert!(SchemaCost::of(&json!({ "anyOf": patterns })).dear_to_build);
    }
}
