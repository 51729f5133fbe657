//! Generates a schema from shapes.

use crate::shape::{CheckShape, Field, Kind, Need, Shape, Tagged, UnknownKeys};
use serde_json::{Map, Value, json};

use super::checks::{self, described};
use super::{rules, values};

/// Draft-07 is the newest draft that the YAML support of all editors handles.
const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// A schema that is being written.
pub(super) struct SchemaWriter<'c> {
    pub(super) checks: &'c [&'static CheckShape],
    pub(super) definitions: Map<String, Value>,
    /// The shapes written so far, and their names.
    named: Vec<(&'static Shape, String)>,
    /// Whether a string with a variable is allowed in place of a word or a duration, as in the arguments of checks.
    templated: bool,
}

impl<'c> SchemaWriter<'c> {
    pub(super) fn new(checks: &'c [&'static CheckShape]) -> Self {
        Self { checks, definitions: Map::new(), named: Vec::new(), templated: false }
    }

    /// The schema of a file.
    pub(super) fn file(mut self, title: &str, root: &Kind) -> Value {
        let root = self.kind(root);
        let mut schema = Map::new();
        schema.insert("$schema".into(), DRAFT.into());
        schema.insert("title".into(), title.into());
        let root = if root.get("$ref").is_some() { json!({ "allOf": [root] }) } else { root };
        if let Value::Object(root) = root {
            schema.extend(root);
        }
        schema.insert("definitions".into(), Value::Object(self.definitions));
        Value::Object(schema)
    }

    /// The schema of the arguments of a check.
    pub(super) fn arguments(&mut self, kind: &Kind) -> Value {
        let before = std::mem::replace(&mut self.templated, true);
        let schema = self.kind(kind);
        self.templated = before;
        schema
    }

    fn kind(&mut self, kind: &Kind) -> Value {
        match kind {
            Kind::List(item) => values::list(&self.kind(item), false),
            Kind::Filled(item) => values::list(&self.kind(item), true),
            Kind::OneOrMore(item) => values::one_or_more(self.kind(item)),
            Kind::Map(value) => json!({ "type": "object", "additionalProperties": self.kind(value) }),
            Kind::FilledMap(value) => {
                json!({ "type": "object", "additionalProperties": self.kind(value), "minProperties": 1 })
            }
            Kind::Shape(shape) => self.shape(shape),
            Kind::Tagged(tagged) => self.tagged(tagged),
            Kind::Having(key, with, without) => {
                json!({ "if": rules::has(with, key), "then": self.shape(with), "else": self.shape(without) })
            }
            Kind::Either(kinds) => self.either(kinds),
            Kind::Check => checks::check(self),
            Kind::Arguments(name) => checks::arguments(name, self),
            plain => values::plain(plain, self.templated),
        }
    }

    fn either(&mut self, kinds: &[Kind]) -> Value {
        let nothing = kinds.iter().any(|kind| matches!(kind, Kind::Nothing));
        let others = kinds.iter().filter(|kind| !matches!(kind, Kind::Nothing));
        let mut ways: Vec<Value> = others.map(|kind| self.kind(kind)).collect();
        let schema = if ways.len() == 1 { ways.remove(0) } else { json!({ "anyOf": ways }) };
        if nothing { values::or_nothing(schema) } else { schema }
    }

    /// A reference to the schema of a shape, which is written once.
    fn shape(&mut self, shape: &'static Shape) -> Value {
        self.shape_of(shape, "")
    }

    /// The same, with a word that distinguishes it from other shapes with the same name.
    fn shape_of(&mut self, shape: &'static Shape, word: &str) -> Value {
        if let Some((_, name)) = self.named.iter().find(|(known, _)| std::ptr::eq(*known, shape)) {
            return reference(name);
        }
        let name = self.free_name(&format!("{} {word}", shape.what));
        self.named.push((shape, name.clone()));
        self.definitions.insert(name.clone(), Value::Null);
        let schema = self.mapping(shape);
        self.definitions.insert(name.clone(), schema);
        reference(&name)
    }

    fn mapping(&mut self, shape: &'static Shape) -> Value {
        let mut schema = Map::new();
        schema.insert("description".into(), shape.about.into());
        schema.insert("type".into(), "object".into());
        let properties: Map<String, Value> =
            shape.fields().map(|field| (field.key.to_owned(), self.field(field))).collect();
        schema.insert("properties".into(), Value::Object(properties));
        let required: Vec<&str> =
            shape.fields().filter(|field| field.need == Need::Required).map(|field| field.key).collect();
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        match shape.unknown {
            UnknownKeys::Warned | UnknownKeys::Ignored => {}
            UnknownKeys::Refused => _ = schema.insert("additionalProperties".into(), json!(false)),
            UnknownKeys::Matching { pattern, about } => {
                schema.insert("patternProperties".into(), json!({ pattern: { "description": about } }));
                schema.insert("additionalProperties".into(), json!(false));
            }
        }
        rules::add(shape, &mut schema);
        Value::Object(schema)
    }

    fn field(&mut self, field: &Field) -> Value {
        let schema = self.kind(&field.kind);
        let schema = match field.need {
            Need::Required | Need::Filled => schema,
            Need::Optional | Need::Depends => values::or_nothing(schema),
        };
        described(field.about, schema)
    }

    /// One key decides which schema applies, so that only errors of that schema are reported.
    fn tagged(&mut self, tagged: &'static Tagged) -> Value {
        let tag = tagged.tag;
        let mut words: Vec<Value> = tagged.variants.iter().map(|(word, _)| json!(word)).collect();
        // Each shape with the first of its words, and all of them.
        let mut ways: Vec<(&'static Shape, &'static str, Vec<Value>)> = Vec::new();
        for (word, shape) in tagged.variants {
            match ways.iter_mut().find(|(known, ..)| std::ptr::eq(*known, *shape)) {
                Some((.., words)) => words.push(json!(word)),
                None => ways.push((shape, word, vec![json!(word)])),
            }
        }
        let mut all = Vec::with_capacity(ways.len());
        for (shape, word, mut words) in ways {
            let usual = tagged.usual.is_some_and(|usual| words.contains(&json!(usual)));
            if usual {
                words.push(Value::Null);
            }
            let mut condition = json!({ "type": "object", "properties": { tag: { "enum": words } } });
            if !usual {
                condition["required"] = json!([tag]);
            }
            all.push(json!({ "if": condition, "then": self.shape_of(shape, word) }));
        }
        if tagged.usual.is_some() {
            words.push(Value::Null);
        }
        let field = tagged.variants.iter().find_map(|(_, shape)| shape.fields().find(|field| field.key == tag));
        let decides = described(field.map_or("", |field| field.about), json!({ "enum": words }));
        let mut schema = json!({ "type": "object", "properties": { tag: decides }, "allOf": all });
        if tagged.usual.is_none() {
            schema["required"] = json!([tag]);
        }
        schema
    }

    /// A name made from that of the shape, with a number if it is taken.
    fn free_name(&self, what: &str) -> String {
        let plain = what.replace('`', "");
        let plain =
            ["the ", "a ", "an "].iter().find_map(|article| plain.strip_prefix(article)).unwrap_or(&plain).trim();
        let wish: String = plain.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        let taken = |name: &String| self.definitions.contains_key(name);
        let numbered = (2_u32..).map(|number| format!("{wish}-{number}"));
        std::iter::once(wish.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(wish)
    }
}

/// A reference to a definition.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}
