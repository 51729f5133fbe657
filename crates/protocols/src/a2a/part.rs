//! The parts of messages and artifacts.
//!
//! | | 1.0 | 0.3, JSON-RPC | 0.3, HTTP+JSON |
//! |---|---|---|---|
//! | text | `{text}` | `{kind: text, text}` | `{text}` |
//! | data | `{data}` | `{kind: data, data}` | `{data: {data}}` |
//! | a file by URL | `{url, filename, mediaType}` | `{kind: file, file: {uri, name, mimeType}}` | `{file: {fileWithUri, name, mimeType}}` |
//! | a file by content | `{raw, ..}` | `{kind: file, file: {bytes, ..}}` | `{file: {fileWithBytes, ..}}` |

use serde_json::{Map, Value, json};

use super::card::{A2aProtocol, A2aVersion, Binding};
use super::fields::{A2aError, A2aFields, shown};

/// A part of a message or an artifact.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aPart {
    pub content: PartContent,
    /// The file name, if it is a file.
    pub filename: Option<String>,
    /// The media type of the content.
    pub media_type: Option<String>,
    /// Additional metadata.
    pub metadata: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PartContent {
    Text(String),
    /// Any JSON.
    Data(Value),
    /// The URL of a file.
    Url(String),
    /// The content of a file, in Base64.
    Raw(String),
}

impl A2aPart {
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: PartContent::Text(text.into()), filename: None, media_type: None, metadata: None }
    }

    /// The size of its content, in bytes.
    pub(super) fn size(&self) -> usize {
        match &self.content {
            PartContent::Text(text) | PartContent::Url(text) | PartContent::Raw(text) => text.len(),
            PartContent::Data(data) => data.to_string().len(),
        }
    }

    /// Reads a part that an agent sent.
    pub(super) fn read(value: &Value, protocol: A2aProtocol) -> Result<Self, A2aError> {
        let fields = A2aFields::open(value, "a part")?;
        let metadata = fields.any("metadata").cloned();
        if let Some(file) = fields.any("file") {
            return Self::read_file(file, metadata);
        }
        let content = if let Some(text) = fields.any("text") {
            let text = text
                .as_str()
                .ok_or_else(|| A2aError(format!("the text of a part must be a string, found {}", shown(text))))?;
            PartContent::Text(text.to_owned())
        } else if let Some(url) = fields.text("url")? {
            PartContent::Url(url)
        } else if let Some(raw) = fields.text("raw")? {
            PartContent::Raw(raw)
        } else if let Some(data) = value.get("data") {
            let wrapped = protocol == A2aProtocol { version: A2aVersion::V03, binding: Binding::Rest };
            PartContent::Data(data.get("data").filter(|_| wrapped).unwrap_or(data).clone())
        } else {
            return Err(A2aError(format!("a part has neither text, data nor a file: {}", shown(value))));
        };
        Ok(Self { content, filename: fields.text("filename")?, media_type: fields.text("mediaType")?, metadata })
    }

    fn read_file(file: &Value, metadata: Option<Value>) -> Result<Self, A2aError> {
        let fields = A2aFields::open(file, "the file of a part")?;
        let url = fields.text("uri")?.or(fields.text("fileWithUri")?);
        let raw = fields.text("bytes")?.or(fields.text("fileWithBytes")?);
        let content = match (url, raw) {
            (Some(url), _) => PartContent::Url(url),
            (None, Some(raw)) => PartContent::Raw(raw),
            (None, None) => return Err(A2aError(format!("a file has neither a URL nor content: {}", shown(file)))),
        };
        Ok(Self { content, filename: fields.text("name")?, media_type: fields.text("mimeType")?, metadata })
    }

    /// Reads a part of a suite, which must be in the format of 1.0.
    pub(super) fn written(value: &Value) -> Result<Self, String> {
        const KEYS: [&str; 7] = ["text", "data", "url", "raw", "filename", "mediaType", "metadata"];
        let form = "a part is `{text: ..}`, `{data: ..}`, `{url: ..}` or `{raw: ..}`, optionally with `filename`, \
                    `mediaType` and `metadata`";
        let Some(map) = value.as_object() else { return Err(format!("{form}, found {}", shown(value))) };
        if let Some(unknown) = map.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("{form}, found the key `{}`", unknown.escape_debug()));
        }
        if KEYS[..4].iter().filter(|key| map.contains_key(**key)).count() != 1 {
            return Err(format!("{form}; exactly one of the four is required, found {}", shown(value)));
        }
        let modern = A2aProtocol { version: A2aVersion::V1, binding: Binding::JsonRpc };
        A2aPart::read(value, modern).map_err(|broken| broken.0)
    }

    /// The part as it is sent.
    pub(super) fn write(&self, protocol: A2aProtocol) -> Value {
        let mut part = match protocol.version {
            A2aVersion::V1 => self.modern(),
            A2aVersion::V03 => self.older(protocol.binding),
        };
        if let Some(metadata) = &self.metadata {
            part.insert("metadata".into(), metadata.clone());
        }
        Value::Object(part)
    }

    /// The part as a trace shows it: in the format of 1.0, with the size of a file in place of its content.
    pub(super) fn seen(&self) -> Value {
        let mut part = self.modern();
        if let Some(Value::String(raw)) = part.get("raw") {
            // Four Base64 characters are three bytes.
            let bytes = raw.trim_end_matches('=').len() * 3 / 4;
            part.insert("raw".into(), json!(format!("{bytes} bytes")));
        }
        Value::Object(part)
    }

    fn modern(&self) -> Map<String, Value> {
        let (key, value) = match &self.content {
            PartContent::Text(text) => ("text", json!(text)),
            PartContent::Data(data) => ("data", data.clone()),
            PartContent::Url(url) => ("url", json!(url)),
            PartContent::Raw(raw) => ("raw", json!(raw)),
        };
        let named = [("filename", &self.filename), ("mediaType", &self.media_type)];
        object((key, value), named)
    }

    /// The format of 0.3, which has a `kind` over JSON-RPC, and wraps data over HTTP+JSON.
    fn older(&self, binding: Binding) -> Map<String, Value> {
        let named = [("name", &self.filename), ("mimeType", &self.media_type)];
        let file = |key, content: &str| Value::Object(object((key, json!(content)), named));
        let json_rpc = binding == Binding::JsonRpc;
        let (kind, value) = match &self.content {
            PartContent::Text(text) => ("text", json!(text)),
            PartContent::Data(data) if json_rpc => ("data", data.clone()),
            PartContent::Data(data) => ("data", json!({ "data": data })),
            PartContent::Url(url) => ("file", file(if json_rpc { "uri" } else { "fileWithUri" }, url)),
            PartContent::Raw(raw) => ("file", file(if json_rpc { "bytes" } else { "fileWithBytes" }, raw)),
        };
        let named_kind = json_rpc.then(|| ("kind".to_owned(), json!(kind)));
        named_kind.into_iter().chain([(kind.to_owned(), value)]).collect()
    }
}

fn object<'k>(first: (&'k str, Value), texts: [(&'k str, &Option<String>); 2]) -> Map<String, Value> {
    let texts = texts.into_iter().filter_map(|(key, text)| Some((key, json!(text.as_ref()?))));
    std::iter::once(first).chain(texts).map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [A2aProtocol; 4] = [
        A2aProtocol { version: A2aVersion::V1, binding: Binding::JsonRpc },
        A2aProtocol { version: A2aVersion::V1, binding: Binding::Rest },
        A2aProtocol { version: A2aVersion::V03, binding: Binding::JsonRpc },
        A2aProtocol { version: A2aVersion::V03, binding: Binding::Rest },
    ];

    fn parts() -> Vec<A2aPart> {
        let named = |content| A2aPart {
            content,
            filename: Some("plan.pdf".into()),
            media_type: Some("application/pdf".into()),
            metadata: Some(json!({"page": 1})),
        };
        let data = PartContent::Data(json!({"data": {"total": 42.0}}));
        vec![
            A2aPart::text("hello"),
            A2aPart::text(""),
            A2aPart { content: data, filename: None, media_type: None, metadata: None },
            named(PartContent::Url("https://example.com/plan.pdf".into())),
            named(PartContent::Raw("aGVsbG8=".into())),
        ]
    }

    #[test]
    fn parts_round_trip_in_every_protocol() {
        for protocol in ALL {
            for part in parts() {
                assert_eq!(A2aPart::read(&part.write(protocol), protocol), Ok(part), "{protocol:?}");
            }
        }
    }

    #[test]
    fn trace_shows_file_size_instead_of_content() {
        assert_eq!(parts()[4].seen()["raw"], "5 bytes");
    }

    #[test]
    fn suite_parts_accept_only_one_form() {
        assert!(A2aPart::written(&json!({"data": null})).is_ok());
        for wrong in [json!("hello"), json!({}), json!({"text": "a", "data": 1}), json!({"kind": "text", "text": "a"})]
        {
            assert!(A2aPart::written(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn refuses_part_without_valid_content() {
        for wrong in [json!({}), json!({"text": 1}), json!({"kind": "file", "file": {}}), json!([])] {
            assert!(A2aPart::read(&wrong, ALL[0]).is_err(), "{wrong}");
        }
    }
}
