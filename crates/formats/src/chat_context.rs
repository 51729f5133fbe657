//! The context of a `chat` agent (its user, locale, client): the keys and their defaults.

use serde_json::{Map, Value};

/// The string keys of a context, in the order in which they are printed.
pub(crate) const TEXTS: [&str; 8] = ["user", "team", "locale", "client_type", "client_ip", "referer", "accept", "chat"];

/// The key of further data for prompts and functions.
const METADATA: &str = "metadata";

/// The default context of a `chat` target. It has no `chat`: a conversation is named after its case by default.
pub fn default_chat_context() -> Map<String, Value> {
    let texts = [
        ("user", "test-user"),
        ("team", "test-team"),
        ("locale", DEFAULT_LOCALE),
        ("client_type", "test"),
        ("client_ip", "127.0.0.1"),
        ("referer", "test"),
        ("accept", "standard"),
    ];
    texts.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect()
}

pub(crate) const DEFAULT_LOCALE: &str = "en-us";

/// Replaces the metadata of a context; empty metadata removes the key.
pub(crate) fn set_metadata(context: &mut Map<String, Value>, metadata: Map<String, Value>) {
    if metadata.is_empty() {
        context.remove(METADATA);
    } else {
        context.insert(METADATA.into(), Value::Object(metadata));
    }
}

pub(crate) fn metadata(context: &Map<String, Value>) -> Option<&Map<String, Value>> {
    context.get(METADATA).and_then(Value::as_object)
}
