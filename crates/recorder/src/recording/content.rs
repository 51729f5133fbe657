//! Writes bodies and pieces of answers as fields of a line: as text if possible, otherwise in base64, and in a file
//! beside the recording if they are large.

use agentci_trace::sha256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::fields::{LineFields, write_pairs, written};
use super::{FormPart, RecordedBody};

/// Larger content is written to a file beside the recording.
const INLINE: usize = 1 << 20;
/// Deeper JSON is written as a string, since it would be nested too deep for a parser within the line.
const DEEPEST: usize = 100;

/// Reads a file beside a recording by its name.
pub(super) type ReadFile<'r> = dyn FnMut(&str) -> Result<Bytes, String> + 'r;

/// The files that are written beside a recording.
pub(super) type RecordingFiles = Vec<(String, Bytes)>;

/// Whether a name can be that of a file beside a recording: the SHA-256 of its content, in lower case.
pub(super) fn is_file_name(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether JSON is shallow enough to be written in a line.
pub(super) fn is_shallow(value: &Value) -> bool {
    fn within(value: &Value, left: usize) -> bool {
        match value {
            Value::Array(items) => left > 0 && items.iter().all(|item| within(item, left - 1)),
            Value::Object(map) => left > 0 && map.values().all(|item| within(item, left - 1)),
            _ => true,
        }
    }
    within(value, DEEPEST)
}

/// Adds a body to the fields of a line.
pub(super) fn write_body(body: &RecordedBody, fields: &mut Map<String, Value>, files: &mut RecordingFiles) {
    let (name, value) = match body {
        RecordedBody::Empty => return,
        RecordedBody::Json(value) => return write_json(value, fields, files),
        RecordedBody::Text(text) if text.len() > INLINE => return large(text.clone().into(), "text", fields, files),
        RecordedBody::Text(text) => ("text", text.clone().into()),
        RecordedBody::Form(pairs) => ("form", write_pairs(pairs)),
        RecordedBody::Parts(parts) => ("parts", parts.iter().map(|part| write_part(part, files)).collect()),
        RecordedBody::Bytes(bytes) if bytes.len() > INLINE => return large(bytes.clone(), "bytes", fields, files),
        RecordedBody::Bytes(bytes) => ("base64", STANDARD.encode(bytes).into()),
        RecordedBody::TooLarge { bytes } => ("too_large", (*bytes).into()),
    };
    fields.insert(name.into(), value);
}

fn write_json(value: &Value, fields: &mut Map<String, Value>, files: &mut RecordingFiles) {
    let text = value.to_string();
    if text.len() > INLINE {
        large(text.into(), "json", fields, files);
    } else if is_shallow(value) {
        fields.insert("json".into(), value.clone());
    } else {
        fields.insert("json_text".into(), text.into());
    }
}

fn write_part(part: &FormPart, files: &mut RecordingFiles) -> Value {
    let FormPart { name, filename, content_type, .. } = part;
    let mut fields = written(json!({ "name": name, "filename": filename, "content_type": content_type }));
    write_bytes(&part.content, &mut fields, files);
    Value::Object(fields)
}

/// Adds bytes to the fields of a line, as text if they are UTF-8.
pub(super) fn write_bytes(bytes: &Bytes, fields: &mut Map<String, Value>, files: &mut RecordingFiles) {
    if bytes.len() > INLINE {
        return large(bytes.clone(), "bytes", fields, files);
    }
    let (name, text) = match std::str::from_utf8(bytes) {
        Ok(text) => ("text", text.to_owned()),
        Err(_) => ("base64", STANDARD.encode(bytes)),
    };
    fields.insert(name.into(), text.into());
}

fn large(content: Bytes, holds: &str, fields: &mut Map<String, Value>, files: &mut RecordingFiles) {
    let name = sha256(&content);
    fields.insert("file".into(), name.clone().into());
    fields.insert("holds".into(), holds.into());
    if files.iter().all(|(known, _)| *known != name) {
        files.push((name, content));
    }
}

pub(super) fn read_body(fields: &mut LineFields, files: &mut ReadFile<'_>) -> Result<RecordedBody, String> {
    if let Some(value) = fields.take("json") {
        return Ok(RecordedBody::Json(value));
    }
    if let Some(text) = fields.text_if_any("json_text")? {
        return json(&text);
    }
    if let Some(text) = fields.text_if_any("text")? {
        return Ok(RecordedBody::Text(text));
    }
    if let Some(text) = fields.text_if_any("base64")? {
        return Ok(RecordedBody::Bytes(decode(&text)?));
    }
    if let Some(bytes) = fields.number_if_any("too_large")? {
        return Ok(RecordedBody::TooLarge { bytes });
    }
    if let Some(parts) = fields.if_any::<Vec<Value>>("parts", "a list")? {
        return parts.into_iter().map(|part| read_part(part, files)).collect::<Result<_, _>>().map(RecordedBody::Parts);
    }
    if let Some((content, holds)) = read_file(fields, files)? {
        let text =
            |content: &Bytes| String::from_utf8(content.to_vec()).map_err(|_| "the file of this line is not text");
        return match holds.as_str() {
            "json" => json(&text(&content)?),
            "text" => Ok(RecordedBody::Text(text(&content)?)),
            "bytes" => Ok(RecordedBody::Bytes(content)),
            _ => Err("`holds` must be `json`, `text` or `bytes`".into()),
        };
    }
    Ok(if fields.has("form") { RecordedBody::Form(fields.pairs("form")?) } else { RecordedBody::Empty })
}

fn json(text: &str) -> Result<RecordedBody, String> {
    serde_json::from_str(text)
        .map(RecordedBody::Json)
        .map_err(|error| format!("the body of this line is not JSON: {error}"))
}

fn read_part(part: Value, files: &mut ReadFile<'_>) -> Result<FormPart, String> {
    let mut fields = LineFields::of(part, "parts")?;
    let part = FormPart {
        name: fields.text("name")?,
        filename: fields.text_if_any("filename")?,
        content_type: fields.text_if_any("content_type")?,
        content: read_bytes(&mut fields, files)?,
    };
    fields.end()?;
    Ok(part)
}

pub(super) fn read_bytes(fields: &mut LineFields, files: &mut ReadFile<'_>) -> Result<Bytes, String> {
    if let Some(text) = fields.text_if_any("text")? {
        return Ok(text.into());
    }
    if let Some(text) = fields.text_if_any("base64")? {
        return decode(&text);
    }
    match read_file(fields, files)? {
        Some((content, holds)) if holds == "bytes" => Ok(content),
        Some(_) => Err("`holds` must be `bytes`".into()),
        None => Err("`text`, `base64` or `file` is missing".into()),
    }
}

fn read_file(fields: &mut LineFields, files: &mut ReadFile<'_>) -> Result<Option<(Bytes, String)>, String> {
    let Some(name) = fields.text_if_any("file")? else { return Ok(None) };
    let holds = fields.text("holds")?;
    if !is_file_name(&name) {
        return Err("`file` must be a SHA-256 in lower case".into());
    }
    let content = files(&name)?;
    if sha256(&content) != name {
        return Err(format!("the file {name} beside the recording was modified"));
    }
    Ok(Some((content, holds)))
}

fn decode(text: &str) -> Result<Bytes, String> {
    STANDARD.decode(text).map(Bytes::from).map_err(|error| format!("`base64` cannot be decoded: {error}"))
}
