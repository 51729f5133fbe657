//! Checks the API keys of requests: the key that the script requires, and keys that may be real secrets.

use std::borrow::Cow;

use agentci_trace::{ModelTrouble, TroubleKind};
use hyper::http::request::Parts;

use super::provider::{Provider, query_key};
use super::{journal::JournalEntry, refusal::ModelRefusal, rule_engine::RuleEngine};

/// The minimum length of a key to redact; shorter ones would occur in ordinary words.
const SECRET: usize = 8;

/// Warns about a key that is not the placeholder, and redacts it: it may be a real one.
pub(super) fn look_at(engine: &RuleEngine, head: &Parts, entry: &mut JournalEntry) {
    let known = &engine.policy.keys;
    if known.is_empty() {
        return;
    }
    for key in Provider::keys(head).filter(|key| !known.iter().any(|known| known == key)) {
        if let Some(secrets) = engine.policy.secrets.as_ref().filter(|_| key.len() >= SECRET) {
            secrets.add(&key);
        }
        let message = "a request to the scripted model has an API key that is not the placeholder: the agent does not \
                       read its key from the environment";
        entry.troubles.push(ModelTrouble::warning(TroubleKind::ForeignKey, message));
    }
}

/// Refuses a request without the script's API key, as its provider would.
pub(super) fn authorize(engine: &RuleEngine, provider: Provider, head: &Parts) -> Result<(), ModelRefusal> {
    let Some(wanted) = &engine.script.api_key else { return Ok(()) };
    let key = Provider::key(&head.headers).map(Cow::Borrowed).or_else(|| query_key(head).map(Cow::Owned));
    let refusal = match (key, provider) {
        (Some(key), _) if key == *wanted => return Ok(()),
        (Some(_), Provider::Gemini) => ModelRefusal::new(400, "API key not valid. Please pass a valid API key."),
        (Some(_), _) => ModelRefusal::new(401, "incorrect API key provided: the script requires another one"),
        (None, Provider::OpenAi | Provider::Ollama) => {
            ModelRefusal::new(401, "you did not provide an API key: send `authorization: Bearer KEY`")
        }
        (None, Provider::Azure) => ModelRefusal::new(401, "you did not provide an API key: send `api-key: KEY`"),
        (None, Provider::Anthropic) => ModelRefusal::new(401, "x-api-key header is required"),
        (None, Provider::Gemini) => {
            ModelRefusal::new(403, "you did not provide an API key: send `x-goog-api-key: KEY`")
        }
    };
    Err(refusal)
}
