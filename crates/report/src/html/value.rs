//! Escapes and truncates untrusted values and texts.
//!
//! ```html
//! <pre>{"q":"reset"}</pre>
//! <pre>{
//!   "hits": [
//!     "a long list ...</pre><p class=cut>cut after 2 KB
//! ```

use agentci_trace::json_beginning;
use serde_json::Value;

use crate::{cut, html_text};

/// The maximum size of a value that is shown without JavaScript, in bytes.
pub(super) const SHORT: usize = 2 * 1024;
/// The maximum size of a value on one line, in bytes.
const ONE_LINE: usize = 90;

/// A JSON value: on one line if it is short, else one member per line.
pub(super) fn json(value: &Value, limit: usize) -> String {
    let (text, missing) = match json_beginning(value, ONE_LINE) {
        (text, false) => (text, false),
        (_, true) => pretty_beginning(value, limit),
    };
    framed(&text, missing, limit)
}

/// The beginning of a value on several lines, and whether it was truncated: serialization stops at the limit.
fn pretty_beginning(value: &Value, limit: usize) -> (String, bool) {
    let mut bytes = vec![0; limit];
    let mut room = bytes.as_mut_slice();
    let missing = serde_json::to_writer_pretty(&mut room, value).is_err();
    let used = limit - room.len();
    let whole = bytes[..used].utf8_chunks().next().map(|chunk| chunk.valid().to_owned());
    (whole.unwrap_or_default(), missing)
}

/// The beginning of a text.
pub(super) fn text(text: &str, limit: usize) -> String {
    let (shown, missing) = cut::head(text, limit);
    framed(shown, missing, limit)
}

pub(super) fn end_of(text: &str, limit: usize) -> String {
    let (shown, missing) = cut::tail(text, limit);
    let note = if missing { format!("<p class=cut>only the last {} KB", limit / 1024) } else { String::new() };
    format!("{note}<pre>{}</pre>", html_text(shown))
}

fn framed(text: &str, missing: bool, limit: usize) -> String {
    // HTML drops a line end right after the tag.
    let lead = if text.starts_with('\n') { "\n" } else { "" };
    let note = if missing { format!("<p class=cut>cut after {} KB", limit / 1024) } else { String::new() };
    format!("<pre>{lead}{}</pre>{note}", html_text(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_values_stay_on_one_line() {
        assert_eq!(json(&json!({"a": [1, "<"]}), SHORT), "<pre>{&quot;a&quot;:[1,&quot;&lt;&quot;]}</pre>");
        assert!(json(&json!({"a": "x".repeat(100)}), SHORT).starts_with("<pre>{\n  &quot;a&quot;"));
    }

    #[test]
    fn truncates_long_values_between_characters() {
        let long = json(&json!("é".repeat(3000)), SHORT);
        assert!(long.ends_with("é</pre><p class=cut>cut after 2 KB"), "{long}");
        assert!(text(&"é".repeat(3000), SHORT).len() < SHORT + 60);
        assert!(end_of(&"é".repeat(3000), SHORT).starts_with("<p class=cut>only the last 2 KB<pre>é"));
        assert!(!json(&json!("x".repeat(SHORT - 2)), SHORT).contains("cut"));
    }
}
