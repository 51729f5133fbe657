//! Who asks a `chat` agent, and from where: the keys of its context, and what they are where a suite says nothing.

use serde_json::{Map, Value};

/// The texts of a context, in the order in which they are written.
pub(crate) const TEXTS: [&str; 8] = ["user", "team", "locale", "client_type", "client_ip", "referer", "accept", "chat"];

/// The key of what else prompts and functions may look at.
const METADATA: &str = "metadata";

/// The context of a `chat` target whose suite says nothing about it. A conversation without a `chat` is named after its case.
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

/// The language of a conversation that names none.
pub(crate) const DEFAULT_LOCALE: &str = "en-us";

/// Replaces the metadata of a context; without an entry there is none.
pub(crate) fn set_metadata(context: &mut Map<String, Value>, metadata: Map<String, Value>) {
    if metadata.is_empty() {
        context.remove(METADATA);
    } else {
        context.insert(METADATA.into(), Value::Object(metadata));
    }
}

/// The metadata of a context, if it has some.
pub(crate) fn metadata(context: &Map<String, Value>) -> Option<&Map<String, Value>> {
    context.get(METADATA).and_then(Value::as_object)
}
