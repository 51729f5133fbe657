//! Finds the earlier exchange that a request continues, by its messages.
//!
//! Every exchange is stored under a digest of its messages. A request has such a digest for each prefix of its
//! messages, and continues the exchange of the longest known prefix. Of several exchanges with equal messages, one
//! whose answer the request repeats is preferred, then one with the same system prompt.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::ProviderApi;
use super::api::read;
use super::conversation::{messages, system_pointers};
use crate::matching::{hash_of, texts_in};
use crate::{Exchange, RecordedRequest};

/// How many exchanges with equal messages are kept; the oldest are dropped.
const SAME_MOST: usize = 256;

/// The exchanges so far, indexed so that the one that a request continues is found quickly.
#[derive(Debug, Default)]
pub struct Conversations {
    by_messages: HashMap<u64, Vec<KnownExchange>>,
    /// By the ids of answers, which requests of the Responses API refer to.
    by_answer: HashMap<String, u64>,
}

#[derive(Debug)]
struct KnownExchange {
    id: u64,
    system: u64,
    /// Digests of the ids of the calls in its answer, and of the text.
    answer: Vec<u64>,
}

impl Conversations {
    /// Adds a finished exchange.
    pub fn take(&mut self, exchange: &Exchange) {
        let Some((api, body)) = spoken(&exchange.request) else { return };
        let answer = exchange.response.as_ref().and_then(|response| Some(read(api.wire()?, response)));
        let answer = answer.unwrap_or_default();
        self.by_answer.extend(answer.id.map(|id| (id, exchange.id)));
        let said = answer.calls.iter().map(|call| call.id.as_str()).chain([answer.text.as_str()]);
        let answer = said.filter(|said| !said.is_empty()).map(hash_of).collect();
        let Some(key) = beginnings(api, &exchange.request.origin, body).pop() else { return };
        let known = self.by_messages.entry(key).or_default();
        if known.len() >= SAME_MOST {
            known.remove(0);
        }
        known.push(KnownExchange { id: exchange.id, system: system(api, body), answer });
    }

    /// The exchange that a request continues: its messages are the longest known prefix of the request's.
    pub fn after(&self, request: &RecordedRequest) -> Option<u64> {
        let (api, body) = spoken(request)?;
        if let Some(id) = body["previous_response_id"].as_str().and_then(|id| self.by_answer.get(id)) {
            return Some(*id);
        }
        let mut keys = beginnings(api, &request.origin, body);
        // The longest prefix is the request itself.
        keys.pop();
        let (at, known) = keys.iter().enumerate().rev().find_map(|(at, key)| Some((at, self.by_messages.get(key)?)))?;
        let rest = messages(api, body).and_then(|all| all.get(at + 1..)).expect("there is a key for each message");
        let (repeated, own) = (texts(rest), system(api, body));
        let rank = |known: &KnownExchange| {
            (known.answer.iter().any(|said| repeated.contains(said)), known.system == own, known.id)
        };
        known.iter().max_by_key(|known| rank(known)).map(|known| known.id)
    }
}

/// The exchange that a request continues, among the earlier ones. For many requests, use [`Conversations`].
pub fn after(earlier: &[Exchange], request: &RecordedRequest) -> Option<u64> {
    let mut conversations = Conversations::default();
    for exchange in earlier {
        conversations.take(exchange);
    }
    conversations.after(request)
}

fn spoken(request: &RecordedRequest) -> Option<(ProviderApi, &Value)> {
    request.api().zip(request.body.as_json())
}

/// The digest of each prefix of the messages, the shortest first. System prompts are excluded: agents put variable
/// content there.
fn beginnings(api: ProviderApi, origin: &str, body: &Value) -> Vec<u64> {
    let mut hasher = DefaultHasher::new();
    (api, origin).hash(&mut hasher);
    let said = messages(api, body).unwrap_or_default().iter().map(|message| {
        if !matches!(message["role"].as_str(), Some("system" | "developer")) {
            plain(message).hash(&mut hasher);
        }
        hasher.finish()
    });
    said.collect()
}

fn system(api: ProviderApi, body: &Value) -> u64 {
    let pointers = system_pointers(api, body);
    let prompts = pointers.iter().filter_map(|pointer| body.pointer(pointer));
    hash_of(&prompts.map(plain).collect::<Vec<Value>>())
}

/// A message in the form that is compared. Cache marks are removed, since they move from message to message, and a text
/// becomes a list with one part: clients convert it to that in order to add the mark.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(map) => {
            let fields = map.iter().filter(|(key, _)| *key != "cache_control");
            let field = |(key, value): (&String, &Value)| match value {
                Value::String(text) if key == "content" => (key.clone(), json!([{ "type": "text", "text": text }])),
                _ => (key.clone(), plain(value)),
            };
            fields.map(field).collect()
        }
        _ => value.clone(),
    }
}

/// The digests of all texts in these values.
fn texts(values: &[Value]) -> HashSet<u64> {
    let mut found = HashSet::new();
    for value in values {
        texts_in(value, &mut |text| found.extend([hash_of(text)]));
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AnswerFrame, EndKind, ExchangeEnd, RecordedBody, RecordedResponse};

    fn asked(body: Value) -> RecordedRequest {
        let (method, path) = ("POST".into(), "/v1/chat/completions".into());
        RecordedRequest {
            method,
            path,
            origin: "https://a.example".into(),
            body: RecordedBody::Json(body),
            ..RecordedRequest::default()
        }
    }

    fn exchange(id: u64, body: Value, answer: &Value) -> Exchange {
        let frame = AnswerFrame { at_us: 0, bytes: answer.to_string().into() };
        let response = RecordedResponse { status: 200, frames: vec![frame], ..RecordedResponse::default() };
        let end = ExchangeEnd { at_us: 0, how: EndKind::Closed };
        Exchange { id, request: asked(body), response: Some(response), end, chatter: false, after: None }
    }

    fn said(text: &str) -> Value {
        json!({ "choices": [{ "index": 0, "message": { "content": text }, "finish_reason": "stop" }] })
    }

    fn user(text: &str) -> Value {
        json!({ "role": "user", "content": text })
    }

    #[test]
    fn continues_exchange_with_longest_matching_prefix() {
        let first = [user("a")];
        let second = json!([user("a"), { "role": "assistant", "content": "b" }, user("c")]);
        let third = json!([user("a"), { "content": [{ "text": "b", "type": "text", "cache_control": {} }], "role": "assistant" },
            user("c"), { "role": "assistant", "content": "d" }, user("e")]);
        let earlier = [
            exchange(1, json!({ "messages": first }), &said("b")),
            exchange(2, json!({ "messages": second.clone() }), &said("d")),
            exchange(3, json!({ "messages": [user("z")] }), &said("y")),
        ];
        assert_eq!(after(&earlier, &asked(json!({ "messages": third }))), Some(2));
        assert_eq!(after(&earlier, &asked(json!({ "messages": second }))), Some(1));
        assert_eq!(
            after(&earlier, &asked(json!({ "messages": [user("a")] }))),
            None,
            "an equal request continues nothing"
        );
        let elsewhere = RecordedRequest { origin: "https://b.example".into(), ..asked(json!({ "messages": third })) };
        assert_eq!(after(&earlier, &elsewhere), None);
    }

    #[test]
    fn response_and_system_prompt_distinguish_equal_requests() {
        let with = |system: &str, rest: &[Value]| {
            let begin = [json!({ "role": "system", "content": system }), user("a")];
            json!({ "messages": begin.iter().chain(rest).collect::<Vec<_>>() })
        };
        let call =
            json!({ "choices": [{ "message": { "tool_calls": [{ "id": "call_7", "function": { "name": "f" } }] } }] });
        let earlier = [
            exchange(1, with("one", &[]), &said("b")),
            exchange(2, with("two", &[]), &said("c")),
            exchange(3, with("two", &[]), &call),
            exchange(4, with("one", &[]), &said("d")),
        ];
        let answered = |text: &str| json!({ "role": "assistant", "content": text });
        let result = json!({ "role": "tool", "tool_call_id": "call_7", "content": "x" });
        assert_eq!(after(&earlier, &asked(with("one", &[answered("b"), user("n")]))), Some(1));
        assert_eq!(after(&earlier, &asked(with("two", &[answered("c"), user("n")]))), Some(2));
        assert_eq!(after(&earlier, &asked(with("two", &[json!({ "role": "assistant" }), result]))), Some(3));
        // The agent changed the text of the answer; the system prompt decides.
        assert_eq!(after(&earlier, &asked(with("one", &[answered("changed"), user("n")]))), Some(4));
    }

    #[test]
    fn continues_response_by_id() {
        let mut first =
            exchange(1, json!({ "input": "hi" }), &json!({ "id": "resp_1", "status": "completed", "output": [] }));
        first.request.path = "/v1/responses".into();
        let mut then = asked(json!({ "previous_response_id": "resp_1", "input": "on" }));
        then.path = "/v1/responses".into();
        assert_eq!(after(&[first], &then), Some(1));
    }

    #[test]
    fn lookup_is_fast_with_ten_thousand_exchanges() {
        let mut conversations = Conversations::default();
        for id in 1..=10_000 {
            conversations.take(&exchange(id, json!({ "messages": [user("a")] }), &said("b")));
        }
        assert_eq!(conversations.by_messages.values().map(Vec::len).collect::<Vec<_>>(), [SAME_MOST]);
        let next = asked(json!({ "messages": [user("a"), user("c")] }));
        let began = std::time::Instant::now();
        for _ in 0..1000 {
            assert_eq!(conversations.after(&next), Some(10_000));
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(5));
    }
}
