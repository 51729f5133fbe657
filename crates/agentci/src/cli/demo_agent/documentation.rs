//! The documentation that the example agents search.

use serde_json::{Value, json};

/// The pages: a word of the question, the title, and the text.
const PAGES: [(&str, &str, &str); 2] = [
    ("password", "Reset your password", "Open the sign-in page and ask for a reset link."),
    ("delivered", "Delivery", "Orders are delivered within three days."),
];

/// The pages that match a question.
pub(super) fn search(question: &str) -> Value {
    let question = question.to_lowercase();
    let found = PAGES.iter().filter(|(word, _, _)| question.contains(word));
    json!({ "hits": found.map(|(_, title, snippet)| json!({ "title": title, "snippet": snippet })).collect::<Vec<_>>() })
}
