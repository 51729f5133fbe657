//! Tools for demonstrations.

use serde_json::{Value, json};

/// The names of the tools that are built in.
pub(super) const NAMES: [&str; 2] = ["mock_search_docs", "search_docs"];

/// Searches documentation that is not there: two hits that repeat the question.
pub(super) fn search_docs(args: &Value) -> Value {
    let query = args["q"].as_str().filter(|query| !query.is_empty()).unwrap_or("unknown");
    json!({ "hits": [
        { "title": "Reset password", "snippet": format!("Steps that answer: {query}") },
        { "title": "Account help", "snippet": format!("More about: {query}") },
    ]})
}
