//! Injects faults into answers.
//!
//! A fault does not use up an exchange: a client that retries gets the recorded answer. A request that is not recorded
//! is still a miss.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::{AnswerFrame, EndKind, Exchange, RecordedRequest, RecordedResponse, miss_answer};

/// A fault in an answer.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Spoil {
    /// The answer is an error with this message.
    Error(String),
    /// The answer is delayed.
    Delay(Duration),
    /// The answer ends with invalid data.
    Malformed,
    /// The answer is cut off in the middle.
    Truncated,
    /// There is no answer.
    Hang,
}

impl Spoil {
    /// Its name in suites and events.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// Decides which fault to inject into the answer to a request.
pub(crate) type Decide = dyn Fn(&RecordedRequest) -> Option<Spoil> + Send + Sync;

/// A recorded exchange with a fault in its answer.
pub(crate) fn spoilt(recorded: &Exchange, how: &Spoil) -> Exchange {
    let mut exchange = recorded.clone();
    match how {
        Spoil::Delay(_) => {}
        Spoil::Error(words) => {
            exchange.response = Some(error(recorded, words));
            exchange.end.how = EndKind::Closed;
        }
        Spoil::Hang => {
            exchange.response = None;
            exchange.end.how = EndKind::Left;
        }
        Spoil::Malformed => halve(&mut exchange, b"{\"half of a"),
        Spoil::Truncated => {
            halve(&mut exchange, b"");
            exchange.end.how = EndKind::Broken("on purpose".into());
        }
    }
    exchange
}

/// The event that replaces the one that answers a request over a stream; `None` if there is none.
pub(crate) fn spoilt_event(event: &[u8], id: &Value, how: &Spoil) -> Option<Bytes> {
    let half = &event[..event.len() / 2];
    match how {
        Spoil::Delay(_) => Some(Bytes::copy_from_slice(event)),
        Spoil::Error(words) => Some(format!("event: message\ndata: {}\n\n", tool_error(id, words)).into()),
        Spoil::Hang => None,
        Spoil::Malformed => Some([half, b"{\"half of a\n\n"].concat().into()),
        Spoil::Truncated => Some(Bytes::copy_from_slice(half)),
    }
}

/// Keeps the first half of an answer, and appends data.
fn halve(exchange: &mut Exchange, then: &[u8]) {
    let Some(response) = &mut exchange.response else { return };
    let at_us = response.frames.last().map_or(response.at_us, |frame| frame.at_us);
    let whole = response.whole();
    let bytes = Bytes::from([&whole[..whole.len() / 2], then].concat());
    response.frames = vec![AnswerFrame { at_us, bytes }];
}

/// The error in its usual format: that of the API for a model, a result with `isError` for an MCP tool.
fn error(recorded: &Exchange, words: &str) -> RecordedResponse {
    let request = &recorded.request;
    let at_us = recorded.response.as_ref().map_or(request.at_us, |response| response.at_us);
    let body = request.body.as_json();
    let call = body.filter(|body| body["jsonrpc"] == "2.0" && body["method"] == "tools/call");
    let (status, body) = match (call, request.speaks) {
        (Some(call), _) => (200, tool_error(&call["id"], words).to_string()),
        (None, Some(api)) => (500, miss_answer(Some(api), request, words).body),
        (None, None) => (500, json!({ "error": words }).to_string()),
    };
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    RecordedResponse { at_us, status, headers, frames: vec![AnswerFrame { at_us, bytes: body.into() }] }
}

/// The answer of an MCP tool that failed.
fn tool_error(id: &Value, words: &str) -> Value {
    let result = json!({ "content": [{ "type": "text", "text": words }], "isError": true });
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExchangeEnd, ProviderApi, RecordedBody};

    fn exchange(body: Value, speaks: Option<ProviderApi>) -> Exchange {
        let frames = vec![AnswerFrame { at_us: 2, bytes: "{\"shipped\":true}".into() }];
        Exchange {
            id: 1,
            request: RecordedRequest { body: RecordedBody::Json(body), speaks, ..RecordedRequest::default() },
            response: Some(RecordedResponse { status: 200, frames, ..RecordedResponse::default() }),
            end: ExchangeEnd { at_us: 3, how: EndKind::Closed },
            chatter: false,
            after: None,
        }
    }

    fn sent(exchange: &Exchange) -> (u16, String) {
        let response = exchange.response.as_ref().unwrap();
        (response.status, String::from_utf8(response.frames[0].bytes.to_vec()).unwrap())
    }

    #[test]
    fn injected_error_has_the_format_the_client_expects() {
        let error = Spoil::Error("down".into());
        let tool = spoilt(&exchange(json!({}), None), &error);
        assert_eq!(sent(&tool), (500, r#"{"error":"down"}"#.into()));
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call" });
        let (status, body) = sent(&spoilt(&exchange(call, None), &error));
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["id"], &body["result"]["isError"]), (200, &json!(7), &json!(true)));
        let (status, body) = sent(&spoilt(&exchange(json!({}), Some(ProviderApi::AnthropicMessages)), &error));
        assert!(status == 500 && body.contains(r#""type":"error""#) && body.contains("down"), "{body}");
    }

    #[test]
    fn truncates_or_corrupts_second_half_of_response() {
        let whole = exchange(json!({}), None);
        let cut = spoilt(&whole, &Spoil::Truncated);
        assert_eq!((sent(&cut).1.as_str(), &cut.end.how), ("{\"shippe", &EndKind::Broken("on purpose".into())));
        let other = spoilt(&whole, &Spoil::Malformed);
        assert_eq!((sent(&other).1.as_str(), &other.end.how), ("{\"shippe{\"half of a", &EndKind::Closed));
        assert_eq!(spoilt(&whole, &Spoil::Hang).response, None);
    }
}
