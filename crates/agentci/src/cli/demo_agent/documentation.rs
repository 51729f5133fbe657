//! The documentation that the agents look things up in.

use serde_json::{Value, json};

/// What is known: a word of the question, the title, and what stands there.
const PAGES: [(&str, &str, &str); 2] = [
    ("password", "Reset your password", "Open the sign-in page and ask for a reset link."),
    ("delivered", "Delivery", "Orders are delivered within three days."),
];

/// The pages that have to do with a question.
pub(super) fn search(question: &str) -> Value {
    let question = question.to_lowercase();
    let found = PAGES.iter().filter(|(word, _, _)| question.contains(word));
    json!({ "hits": found.map(|(_, title, snippet)| json!({ "title": title, "snippet": snippet })).collect::<Vec<_>>() })
}
