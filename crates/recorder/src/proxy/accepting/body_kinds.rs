//! Determines the kind of a request body: JSON, a form, parts, text or bytes.

use agentci_text::media_type;
use bytes::Bytes;
use reqwest::Url;

use crate::compression::unpacked;
use crate::{FormPart, RecordedBody};

/// Maximum number of parts of a multipart body.
const MOST_PARTS: usize = 1_000;

/// Reads a body of this type and encoding. A body that does not match its type is kept as text or bytes.
pub(crate) fn read(content_type: &str, encoding: &str, bytes: &Bytes) -> RecordedBody {
    if bytes.is_empty() {
        return RecordedBody::Empty;
    }
    if !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity") {
        // A compressed body contains its time, and is never the same again.
        return match unpacked(encoding, bytes) {
            Some(plain) => read(content_type, "", &plain.into()),
            None => RecordedBody::Bytes(bytes.clone()),
        };
    }
    let kind = media_type(content_type);
    if kind == "multipart/form-data" {
        return parts(content_type, bytes).map_or_else(|| RecordedBody::Bytes(bytes.clone()), RecordedBody::Parts);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return RecordedBody::Bytes(bytes.clone()) };
    if kind == "application/x-www-form-urlencoded" {
        return form(text).map_or_else(|| RecordedBody::Text(text.to_owned()), RecordedBody::Form);
    }
    // Some clients send JSON without a type, or as `text/plain`.
    let may_be_json = kind.ends_with("json") || text.trim_start().starts_with(['{', '[']);
    match may_be_json.then(|| serde_json::from_str(text)) {
        Some(Ok(value)) => RecordedBody::Json(value),
        _ => RecordedBody::Text(text.to_owned()),
    }
}

fn form(text: &str) -> Option<Vec<(String, String)>> {
    let mut url = Url::parse("http://form/").ok()?;
    url.set_query(Some(text));
    Some(url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
}

/// The parts of a multipart body, RFC 7578.
fn parts(content_type: &str, bytes: &Bytes) -> Option<Vec<FormPart>> {
    let boundary = parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty())?;
    let delimiter = format!("--{boundary}");
    let inner = format!("\r\n{delimiter}");
    let mut at = memchr::memmem::find(bytes, delimiter.as_bytes())? + delimiter.len();
    let mut parts = Vec::new();
    loop {
        let rest = bytes.slice(at..);
        if rest.starts_with(b"--") {
            return Some(parts);
        }
        if !rest.starts_with(b"\r\n") || parts.len() == MOST_PARTS {
            return None;
        }
        let end = memchr::memmem::find(&rest, inner.as_bytes())?;
        // The head of a part may be empty, so its end is searched from the line break after the delimiter.
        let head_end = memchr::memmem::find(&rest[..end], b"\r\n\r\n")?;
        let head = std::str::from_utf8(&rest[..head_end]).ok()?;
        parts.push(part(head, rest.slice(head_end + 4..end)));
        at += end + inner.len();
    }
}

fn part(head: &str, content: Bytes) -> FormPart {
    let mut part = FormPart { content, ..FormPart::default() };
    for (name, value) in head.lines().filter_map(|line| line.split_once(':')) {
        if name.trim().eq_ignore_ascii_case("content-disposition") {
            part.name = parameter(value, "name").unwrap_or_default();
            part.filename = parameter(value, "filename");
        } else if name.trim().eq_ignore_ascii_case("content-type") {
            part.content_type = Some(value.trim().to_owned());
        }
    }
    part
}

/// A parameter of a header, as in `name="value"`.
fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once(';') {
        let (key, value) = after.split_once('=')?;
        let (value, left) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => value.split_at(value.find(';').unwrap_or(value.len())),
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value.trim().to_owned());
        }
        rest = left;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(kind: &str, text: &'static str) -> RecordedBody {
        read(kind, "", &Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn detects_json_by_content() {
        assert_eq!(body("application/json; charset=utf-8", "{\"a\":1}"), RecordedBody::Json(json!({ "a": 1 })));
        assert_eq!(body("application/json", "7"), RecordedBody::Json(json!(7)));
        assert_eq!(body("", " [1]"), RecordedBody::Json(json!([1])));
        assert_eq!(body("application/json", "{oh"), RecordedBody::Text("{oh".into()));
        assert_eq!(body("text/plain", "7"), RecordedBody::Text("7".into()));
        assert_eq!(body("application/json", ""), RecordedBody::Empty);
        assert!(matches!(read("application/json", "gzip", &Bytes::from_static(b"{}")), RecordedBody::Bytes(_)));
    }

    #[test]
    fn does_not_split_multipart_body_with_too_many_parts() {
        let text = "--X\r\n\r\na\r\n".repeat(MOST_PARTS + 1) + "--X--";
        assert!(matches!(read("multipart/form-data; boundary=X", "", &text.into()), RecordedBody::Bytes(_)));
    }

    #[test]
    fn parses_urlencoded_forms() {
        let pairs = vec![("a b".to_owned(), "1&#".to_owned()), ("a b".to_owned(), String::new())];
        assert_eq!(body("application/x-www-form-urlencoded", "a+b=1%26#&a%20b="), RecordedBody::Form(pairs));
    }

    #[test]
    fn splits_multipart_body_and_drops_boundary() {
        let text = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a;b.txt\"\r\nContent-Type: text/plain\r\n\r\none\r\ntwo\r\n--X\r\nContent-Disposition: form-data; name=purpose\r\n\r\n\r\n--X--\r\n";
        let RecordedBody::Parts(parts) = body("multipart/form-data; boundary=X", text) else { panic!("no parts") };
        assert_eq!(parts[0].filename.as_deref(), Some("a;b.txt"));
        assert_eq!((parts[0].name.as_str(), &parts[0].content[..]), ("file", &b"one\r\ntwo"[..]));
        assert_eq!((parts[1].name.as_str(), &parts[1].content[..]), ("purpose", &b""[..]));
        assert!(matches!(body("multipart/form-data; boundary=X", "--X\r\noh"), RecordedBody::Bytes(_)));
    }
}
