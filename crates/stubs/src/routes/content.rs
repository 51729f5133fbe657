//! Content types by file extension, and headers that describe the connection rather than the body.

use std::path::Path;

use agentci_text::media_type;
use hyper::header::HeaderName;

/// Content types by file extension. A file without an extension is JSON.
const ENDINGS: [(&str, &str); 15] = [
    ("json", JSON),
    ("txt", "text/plain; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("htm", "text/html; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("ndjson", "application/x-ndjson"),
    ("jsonl", "application/x-ndjson"),
    ("sse", "text/event-stream; charset=utf-8"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("bin", "application/octet-stream"),
];

const JSON: &str = "application/json";

/// Headers that describe the connection or the length of the body.
const OF_THE_CONNECTION: [&str; 9] = [
    "connection",
    "content-length",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The content type of a file, by its extension.
pub(super) fn content_type(path: &Path) -> &'static str {
    let Some(ending) = path.extension().and_then(|ending| ending.to_str()) else { return JSON };
    let known = ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    known.map_or("application/octet-stream", |(_, content)| content)
}

/// The extension for a file with a content type: the first that [`content_type`] maps to it.
pub(super) fn ending(content: &str) -> &'static str {
    let wanted = media_type(content);
    if wanted.ends_with("+json") {
        return "json";
    }
    let known = ENDINGS.iter().find(|(_, content)| media_type(content) == wanted);
    known.map_or("bin", |(ending, _)| ending)
}

/// Whether a header describes the connection or the length of the body.
pub(super) fn of_the_connection(name: &HeaderName) -> bool {
    name == "trailer" || OF_THE_CONNECTION.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_file_extensions_to_content_types_and_back() {
        for (path, content) in [
            ("payslips/999999.json", "application/json"),
            ("999999", "application/json"),
            ("A.TXT", "text/plain; charset=utf-8"),
            ("x.weird", "application/octet-stream"),
        ] {
            assert_eq!(content_type(Path::new(path)), content, "{path}");
        }
        for (content, wanted) in [
            ("application/json; charset=utf-8", "json"),
            ("application/problem+json", "json"),
            ("Text/HTML", "html"),
            ("image/webp", "bin"),
        ] {
            assert_eq!(ending(content), wanted, "{content}");
        }
        for (known, content) in ENDINGS {
            assert_eq!(content_type(Path::new(&format!("x.{}", ending(content)))), content, "{known}");
        }
    }
}
