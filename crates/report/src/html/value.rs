//! Values and texts from outside, escaped and cut.
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

/// The most of a value that is shown without a script, in bytes.
pub(super) const SHORT: usize = 2 * 1024;
/// A value that fits into so many bytes stays on one line.
const ONE_LINE: usize = 90;

/// A JSON value: on one line if it is short, else one member a line.
pub(super) fn json(value: &Value, limit: usize) -> String {
    let (text, missing) = match json_beginning(value, ONE_LINE) {
        (text, false) => (text, false),
        (_, true) => pretty_beginning(value, limit),
    };
    framed(&text, missing, limit)
}

/// As much of a value on several lines as fits, and whether some of it is missing: writing stops where there is no more room.
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

/// The end of a text.
pub(super) fn end_of(text: &str, limit: usize) -> String {
    let (shown, missing) = cut::tail(text, limit);
    let note = if missing { format!("<p class=cut>only the last {} KB", limit / 1024) } else { String::new() };
    format!("{note}<pre>{}</pre>", html_text(shown))
}

fn framed(text: &str, missing: bool, limit: usize) -> String {
    // A line end right after the tag would be swallowed.
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
    fn long_values_are_cut_between_characters() {
        let long = json(&json!("é".repeat(3000)), SHORT);
        assert!(long.ends_with("é</pre><p class=cut>cut after 2 KB"), "{long}");
        assert!(text(&"é".repeat(3000), SHORT).len() < SHORT + 60);
        assert!(end_of(&"é".repeat(3000), SHORT).starts_with("<p class=cut>only the last 2 KB<pre>é"));
        assert!(!json(&json!("x".repeat(SHORT - 2)), SHORT).contains("cut"));
    }
}
