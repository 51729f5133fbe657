//! Collects the model requests of a trace, each with what it continues.

use std::collections::HashMap;

use super::answer::calls;
use super::attempts::ModelAttempts;
use super::body::conversation;
use super::request::{Continued, ModelRequest, made};
use crate::{Event, EventKind, Observer, ToolCall, Trace};

impl Trace {
    /// The model requests, in the order they were first sent. In the trace of one turn, requests include what they
    /// continue from earlier turns.
    pub fn model_requests(&self) -> Vec<ModelRequest<'_>> {
        let mut requests = RequestChain::default();
        let (earlier, events) = self.both();
        for event in earlier {
            requests.take(event);
        }
        let own = requests.made.len();
        // A request that is repeated in another turn is a new request.
        requests.attempts = ModelAttempts::default();
        requests.first = own;
        for event in events {
            requests.take(event);
        }
        let mut made = requests.made;
        let since = made.split_off(own);
        since.into_iter().map(|request| within(request, &made)).collect()
    }
}

/// A request of one turn that may continue `earlier` ones.
fn within<'t>(mut request: ModelRequest<'t>, earlier: &[ModelRequest<'t>]) -> ModelRequest<'t> {
    let Some(Continued::Request(at)) = request.continues else { return request };
    let Some(mut known) = earlier.get(at) else {
        request.continues = Some(Continued::Request(at - earlier.len()));
        return request;
    };
    request.continues = Some(Continued::Earlier);
    let sent = |known: &ModelRequest<'t>| known.messages.iter().cloned().chain(known.answer()).collect::<Vec<_>>();
    let mut parts = vec![sent(known)];
    while let Some(Continued::Request(at)) = known.continues {
        known = &earlier[at];
        parts.push(sent(known));
    }
    request.before = parts.into_iter().rev().flatten().collect();
    request
}

/// Collects requests event by event.
#[derive(Default)]
struct RequestChain<'t> {
    made: Vec<ModelRequest<'t>>,
    /// The index of the first request whose attempts are counted.
    first: usize,
    attempts: ModelAttempts,
    /// The last request of each response or conversation, by its id.
    known: HashMap<&'t str, usize>,
    /// The index of the last answered request.
    last: usize,
}

impl<'t> RequestChain<'t> {
    fn take(&mut self, event: &'t Event) {
        let (request, response) = match &event.kind {
            EventKind::ModelCall { request, response } => (request, response),
            EventKind::ToolCall(call) if call.observer == Observer::ModelWire => return self.name(call),
            _ => return,
        };
        let at = self.first + self.attempts.take(request, response);
        if let Some(again) = self.made.get_mut(at) {
            again.attempts += 1;
            again.calls = calls(response);
        } else {
            let made = made(event.turn, request, response, &self.made, &self.known);
            self.made.push(made);
        }
        self.last = at;
        let names_answers = response["object"] == "response" || response["type"] == "message";
        let id = response["id"].as_str().filter(|_| names_answers);
        self.known.extend(id.into_iter().chain(conversation(request)).map(|id| (id, at)));
    }

    /// Sets the id that the observer assigned to a call of the last answer, if the provider has none.
    fn name(&mut self, call: &'t ToolCall) {
        let asked = self.made.get_mut(self.last).into_iter().flat_map(|request| &mut request.calls);
        if let Some(nameless) = asked.into_iter().find(|asked| asked.id.is_empty() && asked.name == call.name) {
            nameless.id = &call.call_id;
        }
    }
}
