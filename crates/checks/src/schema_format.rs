//! How `format` in a JSON Schema is treated. Since draft 2019-09 the standard treats it as an annotation; a suite that
//! uses it usually expects it to be enforced.

use agentci_source::shape::words;
use agentci_source::{Diagnostic, Span};
use serde_json::Value;

/// How `format` is treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) enum Formats {
    /// Enforced in every draft.
    #[default]
    Enforce,
    /// An annotation in every draft.
    Annotate,
    /// As the draft says, with a warning if it is not enforced.
    Warn,
}

impl Formats {
    pub(crate) const NAMES: [(&str, Formats); 3] =
        [("enforce", Formats::Enforce), ("annotate", Formats::Annotate), ("warn", Formats::Warn)];
    pub(crate) const WORDS: [&str; 3] = words(&Self::NAMES);

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, formats)| *formats == self).map_or("enforce", |(name, _)| name)
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, formats)| *formats)
    }

    /// Whether formats are enforced; `None` if the draft decides.
    pub(crate) fn enforced(self) -> Option<bool> {
        match self {
            Formats::Enforce => Some(true),
            Formats::Annotate => Some(false),
            Formats::Warn => None,
        }
    }

    /// A warning about a schema whose formats are not enforced because of its draft.
    pub(crate) fn warning(self, schema: &Value, span: Span) -> Option<Diagnostic> {
        let named = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let enforced = ["draft-04", "draft-06", "draft-07"].iter().any(|draft| named.contains(draft));
        let format = named_format(schema).filter(|_| self == Formats::Warn && !enforced)?;
        Some(
            Diagnostic::warning(span, format!("`format: {format}` of this schema is not enforced"))
                .label("its draft treats `format` as an annotation")
                .help("add a `pattern` to the schema; `json_schema` in `agentci.yaml` enforces `format`"),
        )
    }
}

/// The formats that can be enforced.
const KNOWN: [&str; 16] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uuid",
];

/// The first format that a schema names.
fn named_format(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(map) => {
            let own = map.get("format").and_then(Value::as_str).filter(|name| KNOWN.contains(name));
            // The values of these keywords are data, not schemas.
            let inner = map.iter().filter(|(key, _)| !["const", "default", "enum", "examples"].contains(&key.as_str()));
            own.or_else(|| inner.map(|(_, value)| value).find_map(named_format))
        }
        Value::Array(items) => items.iter().find_map(named_format),
        _ => None,
    }
}
