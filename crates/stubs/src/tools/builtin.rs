//! Built-in tools for demonstrations.

use serde_json::{Value, json};

/// The names of the built-in tools.
pub(super) const NAMES: [&str; 2] = ["mock_search_docs", "search_docs"];

/// Pretends to search documentation: returns two hits that repeat the query.
pub(super) fn search_docs(args: &Value) -> Value {
    let query = args["q"].as_str().filter(|query| !query.is_empty()).unwrap_or("unknown");
    json!({ "hits": [
        { "title": "Reset password", "snippet": format!("Steps that answer: {query}") },
        { "title": "Account help", "snippet": format!("More about: {query}") },
    ]})
}
