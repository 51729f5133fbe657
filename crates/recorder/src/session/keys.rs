//! The variables of the environment that contain API keys.
//!
//! SDKs refuse to start without a key, so a replay sets the variables that had one when the recording was made.

use agentci_trace::Redactor;

/// The value of a variable that contained a key when the recording was made.
pub(super) const PLACEHOLDER: &str = "agentci-placeholder";

/// Variables that contain keys according to their names, whether they were seen or not: SDKs require theirs before any
/// request, and agents omit tools whose keys are missing. A key whose value is not removed from the recording is
/// excluded: a replay with another value would miss.
pub(super) fn wanted_keys(environment: &[(String, String)]) -> impl Iterator<Item = (String, String)> {
    let is_removed = |(name, value): &&(String, String)| {
        let known = Redactor::default().with_environment([(name.clone(), value.clone())]);
        !known.known_places(value).is_empty()
    };
    environment.iter().filter(|(name, _)| name.ends_with("_API_KEY")).filter(is_removed).cloned()
}

/// SDKs refuse to start without a key, and a real one must not reach the agent unless it is used.
pub(super) fn placeholders(keys: &[String], outside: &[(String, String)], live: bool) -> Vec<(String, String)> {
    let is_set = |key: &String| outside.iter().any(|(name, value)| name == key && !value.is_empty());
    let hidden = keys.iter().filter(|key| !(live && is_set(key)));
    hidden.map(|key| (key.clone(), PLACEHOLDER.to_owned())).collect()
}
