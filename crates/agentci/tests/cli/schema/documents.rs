//! Files that have a schema, and their schema errors with line numbers.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use agentci::source::yaml;
use agentci::source::{Content, Node, Reading, Sources};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

/// A document in a file; a JSON Lines file has several.
pub(super) struct Document {
    pub(super) path: PathBuf,
    /// The name of its schema.
    pub(super) schema: &'static str,
    pub(super) value: Value,
    /// The tree of a YAML file, for line numbers.
    node: Option<Node>,
    /// The lines of the document, if the file has several.
    lines: RangeInclusive<u32>,
}

/// An error found by a schema.
pub(super) struct Refusal {
    /// The lines that it may be about.
    pub(super) lines: Vec<u32>,
    message: String,
}

/// All documents below a folder that have a schema and can be parsed.
pub(super) fn below(folder: &Path) -> Vec<Document> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            let elsewhere = ["__files", "recordings", "cassettes", "ci"].contains(&name) || name.starts_with('.');
            found.extend(if elsewhere { Vec::new() } else { below(&path) });
        } else if let Some(schema) = schema_of(&path) {
            found.extend(documents(&path, schema));
        }
    }
    found
}

/// The name of the schema for a file, by its path and its keys.
fn schema_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let above = |wanted: &str| path.ancestors().skip(1).any(|folder| folder.file_name().is_some_and(|it| it == wanted));
    let beside = |wanted: &str| path.ancestors().skip(1).take(4).any(|folder| folder.join(wanted).is_file());
    let text = fs::read_to_string(path).ok()?;
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    match path.extension()?.to_str()? {
        "yao" if name == "package.yao" => Some("yao-package"),
        "yao" if above("connectors") => Some("yao-connector"),
        "jsonl" if above("tests") && beside("package.yao") => Some("yao"),
        "yaml" | "yml" => match name {
            name if name.ends_with(".mcp.yaml") => Some("mcp-script"),
            "mock_config.yaml" => Some("aumai-mock"),
            "ananke.config.yaml" => Some("ananke-config"),
            "suite.yaml" if !has("name:") => Some("runledger"),
            "agentci.yaml" => Some("native"),
            "prompts.yml" => Some("yao-prompts"),
            "docker-compose.test.yml" => None,
            _ if above("cases") => Some("runledger-case"),
            _ if beside("ananke.config.yaml") || has("turns:") => Some("ananke"),
            _ if above("models") || has("rules:") || name == "model.yaml" => Some("model-script"),
            _ if has("test_name") || has("user_input") => Some("scenario"),
            _ if has("input_messages") || has("name:") || has("tests:") || has("- name:") => Some("aumai"),
            _ => None,
        },
        _ => None,
    }
}

/// The documents of a file; none if it cannot be parsed, which the readers report.
pub(super) fn documents(path: &Path, schema: &'static str) -> Vec<Document> {
    let Ok(text) = fs::read_to_string(path) else { return Vec::new() };
    let document = |value, node, lines| Document { path: path.to_path_buf(), schema, value, node, lines };
    if schema == "yao" {
        let mut stream = serde_json::Deserializer::from_str(&text).into_iter();
        let mut found = Vec::new();
        // Values follow one another; each may span several lines.
        let begin = |at: usize| text[at..].find(|c: char| !c.is_whitespace()).map_or(at, |space| at + space);
        let line = |at: usize| u32::try_from(text[..at].matches('\n').count()).unwrap() + 1;
        let mut first = line(begin(0));
        while let Some(Ok(value)) = stream.next() {
            found.push(document(value, None, first..=line(stream.byte_offset())));
            first = line(begin(stream.byte_offset()));
        }
        return found;
    }
    // JSON is YAML, except for the comments in some of these files.
    let plain = |line: &str| if line.trim_start().starts_with("//") { String::new() } else { line.to_owned() };
    let text = if schema.starts_with("yao-") && schema != "yao-prompts" {
        text.lines().map(plain).collect::<Vec<_>>().join("\n")
    } else {
        text
    };
    let file = Sources::default().add(path, text.as_str());
    let Ok(node) = yaml::parse(&text, file) else { return Vec::new() };
    let Ok(value) = node.value(Reading::Core) else { return Vec::new() };
    vec![document(value, Some(node), 1..=1)]
}

impl Document {
    /// A document from a text instead of a file.
    pub(super) fn of(text: &str, schema: &'static str) -> Self {
        let node = yaml::parse(text, Sources::default().add(Path::new("own.yaml"), text)).unwrap();
        Self {
            path: "own.yaml".into(),
            schema,
            value: node.value(Reading::Core).unwrap(),
            node: Some(node),
            lines: 1..=1,
        }
    }

    pub(super) fn refusals(&self, validator: &Validator) -> Vec<Refusal> {
        let errors: Vec<ValidationError<'_>> = validator.iter_errors(&self.value).collect();
        let refusal = |error: &ValidationError<'_>| {
            let mut lines = Vec::new();
            self.lines(error, &mut lines);
            // A missing key may be a misspelt one, which the readers report once.
            let misspelt = |other: &&ValidationError<'_>| {
                matches!(other.kind(), ValidationErrorKind::AdditionalProperties { .. })
                    && other.instance_path() == error.instance_path()
            };
            if let (ValidationErrorKind::Required { .. }, Some(other)) = (error.kind(), errors.iter().find(misspelt)) {
                self.lines(other, &mut lines);
            }
            Refusal { lines, message: format!("{} at `{}`", error.masked(), error.instance_path()) }
        };
        errors.iter().map(refusal).collect()
    }

    /// Adds the lines that an error may be about; of several alternatives, those that match deepest.
    fn lines(&self, error: &ValidationError<'_>, lines: &mut Vec<u32>) {
        let own = error.instance_path().as_str();
        match error.kind() {
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                let depth = |way: &Vec<ValidationError<'_>>| {
                    way.iter()
                        .map(|error| error.instance_path().as_str().matches('/').count())
                        .max()
                        .unwrap_or_default()
                };
                let deepest = context.iter().map(depth).max().unwrap_or_default();
                for error in context.iter().filter(|way| depth(way) == deepest).flatten() {
                    self.lines(error, lines);
                }
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                for key in unexpected {
                    lines.extend(self.places(&below_key(own, key)).first());
                }
            }
            // An error about several keys may be reported at any of them.
            ValidationErrorKind::OneOfMultipleValid { .. }
            | ValidationErrorKind::Not { .. }
            | ValidationErrorKind::MaxProperties { .. } => {
                lines.extend(self.places(own));
                let keys = self.value.pointer(own).and_then(Value::as_object).into_iter().flat_map(|map| map.keys());
                for key in keys {
                    lines.extend(self.places(&below_key(own, key)).first());
                }
            }
            _ => lines.extend(self.places(own)),
        }
    }

    /// The lines of the key and of the value that a pointer points at.
    fn places(&self, pointer: &str) -> Vec<u32> {
        let Some(mut node) = self.node.as_ref() else { return self.lines.clone().collect() };
        let mut key = node.span.line;
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            match &node.content {
                Content::Map(pairs) => {
                    let pair = pairs.iter().find(|pair| pair.key.text == part).unwrap();
                    (key, node) = (pair.key.span.line, &pair.value);
                }
                Content::List(items) => {
                    node = &items[part.parse::<usize>().unwrap()];
                    key = node.span.line;
                }
                Content::Scalar(_) => panic!("{pointer} leads into a word"),
            }
        }
        vec![key, node.span.line]
    }
}

fn below_key(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

impl std::fmt::Debug for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, lines {:?}", self.message, self.lines)
    }
}
