//! The JSON values of an answer, grouped by the kind of their event.

use agentci_protocols::sse::{Decoder, SseEvent};
use serde_json::Value;

use crate::RecordedResponse;
use crate::recording::{plain, values_of};

/// Ends a stream of OpenAI; it is not JSON and carries no data.
const DONE: &str = "[DONE]";

/// The JSON values of an answer, each with the kind of its event: the name of the event, or the `type` of its data.
/// Values outside of events have an empty kind. An event that is not JSON becomes a string.
pub(super) fn values(response: &RecordedResponse) -> Vec<(String, Value)> {
    let unpacked = plain(response);
    let response = unpacked.as_ref().unwrap_or(response);
    if !response.is_event_stream() {
        return values_of(response).into_iter().map(|value| (String::new(), value)).collect();
    }
    let whole = response.whole();
    // No event is larger than the answer.
    let mut decoder = Decoder::new(whole.len()).without_raw();
    decoder.push(&whole);
    let events = std::iter::from_fn(|| decoder.next().ok().flatten());
    events.filter_map(value).collect()
}

fn value(event: SseEvent) -> Option<(String, Value)> {
    if event.data.trim() == DONE || event.data.is_empty() {
        return None;
    }
    let value = serde_json::from_str(&event.data).unwrap_or(Value::String(event.data));
    let kind = event.event.or_else(|| value.get("type")?.as_str().map(str::to_owned));
    Some((kind.unwrap_or_default(), value))
}
