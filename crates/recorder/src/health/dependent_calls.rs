//! Calls that continue others: they refer to earlier answers by ids that differ in the live world.

use std::collections::HashMap;

use serde_json::Value;

use crate::{Exchange, RecordedBody, RecordedRequest, RecordedResponse, model_answer};

/// The header with the session of the Model Context Protocol.
const SESSION: &str = "mcp-session-id";
/// The key of a request that refers to the answer it continues.
const PREVIOUS: &str = "previous_response_id";

/// Maps ids of recorded answers to those of the current answers.
#[derive(Debug, Default)]
pub struct IdMapping {
    names: HashMap<String, String>,
}

impl IdMapping {
    /// Records the ids of the current answer.
    pub fn learn(&mut self, recorded: &Exchange, now: &RecordedResponse) {
        let session = |response: &RecordedResponse| response.header(SESSION).map(str::to_owned);
        let today = Exchange { response: Some(now.clone()), ..recorded.clone() };
        let id = |exchange: &Exchange| model_answer(exchange)?.1.id;
        let sessions = recorded.response.as_ref().and_then(session).zip(session(now));
        self.names.extend(sessions.into_iter().chain(id(recorded).zip(id(&today))));
    }

    /// A request that refers to the current answers instead of the recorded ones.
    pub fn continued(&self, request: &RecordedRequest) -> RecordedRequest {
        let mut request = request.clone();
        if let RecordedBody::Json(body) = &mut request.body
            && let Some(Value::String(previous)) = body.get_mut(PREVIOUS)
        {
            self.rename(previous);
        }
        for (_, value) in request.headers.iter_mut().filter(|(name, _)| name == SESSION) {
            self.rename(value);
        }
        request
    }

    fn rename(&self, name: &mut String) {
        if let Some(today) = self.names.get(name) {
            name.clone_from(today);
        }
    }
}
