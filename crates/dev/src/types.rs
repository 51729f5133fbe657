//! Generates JSON Schemas of stored types from their declarations in the code: fields, optional fields, and
//! descriptions.

use std::fs;

use serde_json::{Map, Value, json};

use super::pieces::object;
use super::project;

/// Where stored types are declared.
const FOLDERS: [&str; 9] = [
    "crates/verdict/src",
    "crates/verdict/src/event",
    "crates/verdict/src/prompts",
    "crates/verdict/src/regression",
    "crates/verdict/src/baseline",
    "crates/source/src",
    "crates/plan/src",
    "crates/trace/src",
    "crates/report/src/aumai",
];

/// The declarations, and the schemas generated so far.
pub(super) struct Types {
    sources: Vec<String>,
    /// By the name of the type.
    pub(super) made: Map<String, Value>,
}

impl Types {
    /// Reads the declarations.
    pub(super) fn read() -> Self {
        let mut files = Vec::new();
        for folder in FOLDERS {
            files.extend(fs::read_dir(project().join(folder)).unwrap().map(|entry| entry.unwrap().path()));
        }
        files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        files.sort();
        Self { sources: files.iter().map(|path| fs::read_to_string(path).unwrap()).collect(), made: Map::new() }
    }

    /// The types of run events: the name of each, its description, and its type.
    pub(super) fn bodies(&self) -> Vec<(String, String, String)> {
        let text = self.declaration("\nbodies! {\n");
        let mut bodies = Vec::new();
        for (docs, _, line) in items(&text) {
            let (variant, name) = line.split_once(" = ").unwrap();
            let inner = variant.split_once('(').unwrap().1.trim_end_matches(')');
            bodies.push((name.trim_matches('"').to_owned(), docs, inner.to_owned()));
        }
        bodies
    }

    /// The schema of a type as written in Rust.
    pub(super) fn schema(&mut self, written: &str) -> Value {
        let inside = |name: &str| written.strip_prefix(name)?.strip_prefix('<')?.strip_suffix('>');
        if let Some(inner) = inside("Option") {
            let inner = self.schema(inner);
            return if inner == json!(true) { inner } else { json!({ "anyOf": [inner, { "type": "null" }] }) };
        }
        if let Some(inner) = inside("Vec") {
            return json!({ "type": "array", "items": self.schema(inner) });
        }
        if let Some(inner) = inside("Box").or_else(|| inside("Arc")) {
            return self.schema(inner);
        }
        if let Some(inner) = inside("BTreeMap").and_then(|inner| inner.strip_prefix("String, ")) {
            return json!({ "type": "object", "additionalProperties": self.schema(inner) });
        }
        match written {
            "String" | "str" => json!({ "type": "string" }),
            "bool" => json!({ "type": "boolean" }),
            "f64" => json!({ "type": "number" }),
            "u32" | "u64" | "usize" => json!({ "type": "integer", "minimum": 0 }),
            "Value" => json!(true),
            name => self.reference(name),
        }
    }

    /// A reference to a type, whose schema is generated if necessary.
    pub(super) fn reference(&mut self, name: &str) -> Value {
        if !self.made.contains_key(name) {
            // Prevents infinite recursion for a type that contains itself.
            self.made.insert(name.to_owned(), Value::Null);
            let schema = self.declared(name);
            self.made.insert(name.to_owned(), schema);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// The fields of a type, and the names of the required ones.
    pub(super) fn fields(&mut self, name: &str) -> (Map<String, Value>, Vec<String>) {
        let text = self.declaration(&format!("\npub struct {name} {{\n"));
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (docs, attributes, line) in items(&text).filter(|(_, attributes, _)| attributes != "#[serde(skip)]") {
            let (field, written) = line.strip_prefix("pub ").and_then(|line| line.split_once(": ")).unwrap();
            let mut schema = self.schema(written);
            if schema == json!(true) {
                schema = json!({});
            }
            schema["description"] = docs.into();
            properties.insert(field.to_owned(), schema);
            if !attributes.contains("skip_serializing_if") {
                required.push(field.to_owned());
            }
        }
        (properties, required)
    }

    fn declared(&mut self, name: &str) -> Value {
        let words = format!("\npub enum {name} {{\n");
        if !self.sources.iter().any(|source| source.contains(&words)) {
            let (properties, required) = self.fields(name);
            return object(properties, &required);
        }
        let text = self.declaration(&words);
        let words: Vec<String> =
            items(&text).map(|(_, attributes, line)| renamed(&attributes).unwrap_or_else(|| snake(&line))).collect();
        json!({ "enum": words })
    }

    /// The text between the braces of a declaration that begins with these words.
    fn declaration(&self, begin: &str) -> String {
        let rest = self.sources.iter().find_map(|source| Some(source.split_once(begin)?.1));
        let rest = rest.unwrap_or_else(|| panic!("nothing is declared as {begin:?}"));
        rest.split_once("\n}").unwrap().0.to_owned()
    }
}

/// The items of a declaration: the doc comment of each, its attributes, and the item itself.
fn items(text: &str) -> impl Iterator<Item = (String, String, String)> {
    let (mut docs, mut attributes) = (String::new(), String::new());
    text.lines().map(str::trim).filter_map(move |line| {
        if let Some(words) = line.strip_prefix("///") {
            docs += if docs.is_empty() { words.trim_start() } else { words };
            return None;
        }
        if line.starts_with("#[") {
            attributes += line;
            return None;
        }
        let item = line.trim_end_matches(',');
        let docs = std::mem::take(&mut docs).replace('`', "").trim_end_matches('.').to_owned();
        let attributes = std::mem::take(&mut attributes);
        (!item.is_empty()).then(|| (docs, attributes, item.to_owned()))
    })
}

/// The name from `serde(rename)`.
fn renamed(attributes: &str) -> Option<String> {
    let (_, rest) = attributes.split_once("rename = \"")?;
    Some(rest.split_once('"')?.0.to_owned())
}

fn snake(word: &str) -> String {
    let mut snake = String::new();
    for letter in word.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[test]
fn converts_types_to_schemas() {
    let source = "\npub struct A {\n    /// One `b`.\n    #[serde(default, skip_serializing_if = \"Option::is_none\")]\n    pub b: Option<B>,\n    \
                  /// All.\n    pub c: Vec<Value>,\n}\n\npub enum B {\n    /// It.\n    NotYet,\n}\n";
    let mut types = Types { sources: vec![source.to_owned()], made: Map::new() };
    types.reference("A");
    let b = json!({ "anyOf": [{ "$ref": "#/$defs/B" }, { "type": "null" }], "description": "One b" });
    let c = json!({ "type": "array", "items": true, "description": "All" });
    let properties = Map::from_iter([("b".to_owned(), b), ("c".to_owned(), c)]);
    assert_eq!(types.made["A"], object(properties, &["c".to_owned()]));
    assert_eq!(types.made["B"], json!({ "enum": ["not_yet"] }));
}
