//! Extracts from a recorded run what a suite can check: tool calls, numbers in the answer, and usage.

use agentci_protocols::chat::{AnswerCall, ModelAnswer};
use agentci_recorder::{Exchange, RecordedBody, Recording, model_answer};
use regex::Regex;
use serde_json::{Map, Value};

/// How many calls, and how many numbers, are checked at most.
const MOST_CHECKED: usize = 12;

/// What is extracted from a recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SuiteDraft {
    /// Tool calls whose results were sent back to the model, in order.
    pub(super) calls: Vec<DraftCall>,
    /// Numbers in the agent's answer that come from its model or a tool, as written there.
    pub(super) numbers: Vec<String>,
    pub(super) model_calls: usize,
    pub(super) tool_calls: usize,
    /// Input and output tokens, if every answer reports them.
    pub(super) tokens: Option<(u64, u64)>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DraftCall {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

impl SuiteDraft {
    /// Extracts a draft from a recording and the output of the agent.
    pub(super) fn from(recording: &Recording, output: &str) -> Self {
        let answers: Vec<(usize, ModelAnswer)> = recording
            .exchanges
            .iter()
            .enumerate()
            .filter(|(_, exchange)| !exchange.chatter)
            .filter_map(|(index, exchange)| Some((index, model_answer(exchange)?.1)))
            .collect();
        let given = |answer: &ModelAnswer| answer.complete && answer.error.is_none();
        let mut all = Vec::new();
        for (index, answer) in answers.iter().filter(|(_, answer)| given(answer)) {
            let later = &recording.exchanges[index + 1..];
            let answered = answer.calls.iter().filter(|call| later.iter().any(|exchange| brings_back(exchange, call)));
            all.extend(answered.map(read_call));
        }
        let usages = answers.iter().filter(|(_, answer)| given(answer)).map(|(_, answer)| {
            let usage = answer.usage?;
            Some((usage.input?, usage.output?))
        });
        let tokens = usages.reduce(|sum, next| {
            let ((sum_in, sum_out), (tokens_in, tokens_out)) = (sum?, next?);
            Some((sum_in + tokens_in, sum_out + tokens_out))
        });
        let tool_calls = all.len();
        let mut calls: Vec<DraftCall> = Vec::new();
        for call in all {
            if !calls.contains(&call) && calls.len() < MOST_CHECKED {
                calls.push(call);
            }
        }
        Self {
            calls,
            numbers: numbers(recording, output),
            model_calls: answers.len(),
            tool_calls,
            tokens: tokens.flatten(),
        }
    }

    /// The tools, in the order of their first calls.
    pub(super) fn order(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for call in &self.calls {
            if !names.contains(&call.name.as_str()) {
                names.push(&call.name);
            }
        }
        names
    }
}

/// Whether a request contains the result of a call.
fn brings_back(exchange: &Exchange, call: &AnswerCall) -> bool {
    let RecordedBody::Json(body) = &exchange.request.body else { return false };
    if exchange.request.speaks.is_none() {
        return false;
    }
    let body = body.to_string();
    let quoted = |text: &str| body.contains(&Value::from(text).to_string());
    if call.id.is_empty() { body.contains("unctionResponse") && quoted(&call.name) } else { quoted(&call.id) }
}

fn read_call(call: &AnswerCall) -> DraftCall {
    let arguments = match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    DraftCall { name: call.name.clone(), arguments }
}

/// Numbers with at least two digits that come from the recorded world: others, such as durations, may vary between
/// runs.
fn numbers(recording: &Recording, output: &str) -> Vec<String> {
    let Ok(pattern) = Regex::new(r"\d+(?:[.,:/-]\d+)*") else { return Vec::new() };
    let told: Vec<String> = recording.exchanges.iter().filter(|exchange| !exchange.chatter).map(told).collect();
    let mut numbers: Vec<String> = Vec::new();
    for found in pattern.find_iter(output) {
        let number = found.as_str();
        let alone = |character: Option<char>| !character.is_some_and(char::is_alphanumeric);
        let whole = alone(output[..found.start()].chars().next_back()) && alone(output[found.end()..].chars().next());
        let long = number.chars().filter(char::is_ascii_digit).count() > 1;
        let is_new = long && whole && !numbers.iter().any(|known| known == number);
        if is_new && told.iter().any(|text| text.contains(number)) {
            numbers.push(number.to_owned());
        }
        if numbers.len() == MOST_CHECKED {
            break;
        }
    }
    numbers
}

/// The text of the response in an exchange.
fn told(exchange: &Exchange) -> String {
    if let Some((_, answer)) = model_answer(exchange) {
        return answer.text;
    }
    let frames = exchange.response.iter().flat_map(|response| &response.frames);
    frames.map(|frame| String::from_utf8_lossy(&frame.bytes)).collect()
}

#[cfg(test)]
mod tests {
    use agentci_recorder::{AnswerFrame, EndKind, ExchangeEnd, ProviderApi, RecordedRequest, RecordedResponse};
    use serde_json::json;

    use super::*;

    fn chat(id: u64, request: Value, answer: &Value) -> Exchange {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let frames = vec![AnswerFrame { at_us: 0, bytes: answer.to_string().into() }];
        Exchange {
            id,
            request: RecordedRequest {
                speaks: Some(ProviderApi::OpenAiChat),
                body: RecordedBody::Json(request),
                ..RecordedRequest::default()
            },
            response: Some(RecordedResponse { status: 200, headers, frames, ..RecordedResponse::default() }),
            end: ExchangeEnd { at_us: 0, how: EndKind::Closed },
            chatter: false,
            after: None,
        }
    }

    fn answer(message: &Value, finish: &str) -> Value {
        json!({ "id": "c", "model": "m", "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
                "usage": { "prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14 } })
    }

    #[test]
    fn drafts_only_calls_with_a_result() {
        let call = |id: &str, name: &str| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": "{\"order\":\"A-17\"}" } });
        let asks = json!({ "role": "assistant", "content": null, "tool_calls": [call("call_1", "find"), call("call_2", "refund")] });
        let with_result = json!({ "messages": [{ "role": "tool", "tool_call_id": "call_1", "content": "{}" }] });
        let says = json!({ "role": "assistant", "content": "Refunded 20.50 of 1 item" });
        let exchanges = vec![
            chat(1, json!({ "messages": [] }), &answer(&asks, "tool_calls")),
            chat(2, with_result, &answer(&says, "stop")),
        ];
        let recording = Recording { exchanges, ..Recording::default() };
        let drawn = SuiteDraft::from(&recording, "Refunded 20.50 of 1 item in 0.731 s\n");
        let find =
            DraftCall { name: "find".into(), arguments: json!({ "order": "A-17" }).as_object().unwrap().clone() };
        assert_eq!(drawn.calls, [find]);
        // A single digit is not checked, and the duration is the agent's own.
        assert_eq!(drawn.numbers, ["20.50"]);
        assert_eq!((drawn.model_calls, drawn.tool_calls, drawn.tokens), (2, 1, Some((20, 8))));
    }
}
