//! Writes an answer, whole or streamed as responses with one part each. A call is not split, and the last response has
//! the finish reason.

use agentci_plan::Finish;
use serde_json::{Value, json};

use crate::answer::{SpokenAnswer, WantedCall};
use crate::events::{AnswerEvents, Framing};
use crate::tokens::{count, tokens};

fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::ToolCalls => "STOP",
        Finish::Length => "MAX_TOKENS",
        Finish::ContentFilter => "SAFETY",
    }
}

pub(in super::super) fn whole(answer: &SpokenAnswer) -> Value {
    let said = answer.text.as_deref().filter(|text| !text.is_empty()).map(text_part);
    let parts: Vec<Value> = said.into_iter().chain(answer.calls.iter().map(call_part)).collect();
    let candidates = (0..answer.choices).map(|index| candidate(answer, index, &parts, true));
    response(answer, &candidates.collect::<Vec<_>>())
}

pub(in super::super) fn events(answer: &SpokenAnswer, framing: Framing) -> AnswerEvents {
    let mut events = AnswerEvents::framed(framing);
    for index in 0..answer.choices {
        let mut send = |parts: &[Value], spoken: u32, ends: bool| {
            events.tokens(spoken);
            events.data(&response(answer, &[candidate(answer, index, parts, ends)]));
        };
        let said = answer.text.as_deref().map(tokens).into_iter().flatten().map(|token| (text_part(token), 1));
        let calls = answer.calls.iter().map(|call| (call_part(call), count(&call.json)));
        let mut parts = said.chain(calls).peekable();
        if parts.peek().is_none() {
            send(&[], 0, true);
        }
        while let Some((part, spoken)) = parts.next() {
            send(&[part], spoken, parts.peek().is_none());
        }
    }
    events.close();
    events
}

fn response(answer: &SpokenAnswer, candidates: &[Value]) -> Value {
    json!({
        "candidates": candidates,
        "usageMetadata": {
            "promptTokenCount": answer.input_tokens,
            "candidatesTokenCount": answer.output_tokens,
            "totalTokenCount": answer.total_tokens(),
            "promptTokensDetails": [{ "modality": "TEXT", "tokenCount": answer.input_tokens }],
        },
        "modelVersion": answer.model,
        "responseId": answer.id("agentci"),
    })
}

fn candidate(answer: &SpokenAnswer, index: u32, parts: &[Value], ends: bool) -> Value {
    let content = json!({ "parts": parts, "role": "model" });
    if ends {
        json!({ "content": content, "finishReason": finish_reason(answer.finish), "index": index })
    } else {
        json!({ "content": content, "index": index })
    }
}

fn text_part(text: &str) -> Value {
    json!({ "text": text })
}

fn call_part(call: &WantedCall) -> Value {
    json!({ "functionCall": { "id": call.id, "name": call.name, "args": call.args } })
}
