//! Writes an answer, whole or streamed as JSON lines. A call is not split, and the last line has no text.

use agentci_plan::Finish;
use serde_json::{Value, json};

use super::{OllamaForm, moment};
use crate::answer::{SpokenAnswer, WantedCall};
use crate::events::{AnswerEvents, Framing};
use crate::tokens::{count, tokens};

fn done_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::ToolCalls | Finish::ContentFilter => "stop",
        Finish::Length => "length",
    }
}

pub(in super::super) fn whole(answer: &SpokenAnswer, form: OllamaForm) -> Value {
    let calls = answer.calls.iter().enumerate().map(tool_call).collect();
    line(answer, form, answer.text.as_deref().unwrap_or_default(), calls, true)
}

pub(in super::super) fn events(answer: &SpokenAnswer, form: OllamaForm) -> AnswerEvents {
    let mut events = AnswerEvents::framed(Framing::Lines);
    for token in answer.text.as_deref().map(tokens).into_iter().flatten() {
        events.tokens(1);
        events.data(&line(answer, form, token, Vec::new(), false));
    }
    for (index, call) in answer.calls.iter().enumerate().filter(|_| form != OllamaForm::Generate) {
        events.tokens(count(&call.json));
        events.data(&line(answer, form, "", vec![tool_call((index, call))], false));
    }
    events.data(&line(answer, form, "", Vec::new(), true));
    events
}

/// A whole answer, or a line of a stream.
fn line(answer: &SpokenAnswer, form: OllamaForm, content: &str, calls: Vec<Value>, done: bool) -> Value {
    let mut line = json!({ "model": answer.model, "created_at": moment(answer.created) });
    if form == OllamaForm::Generate {
        line["response"] = content.into();
    } else {
        line["message"] = json!({ "role": "assistant", "content": content });
        if !calls.is_empty() {
            line["message"]["tool_calls"] = calls.into();
        }
    }
    line["done"] = done.into();
    if done {
        line["done_reason"] = done_reason(answer.finish).into();
        line["total_duration"] = 4_000_000.into();
        line["load_duration"] = 1_000_000.into();
        line["prompt_eval_count"] = answer.input_tokens.into();
        line["prompt_eval_duration"] = 1_000_000.into();
        line["eval_count"] = answer.output_tokens.into();
        line["eval_duration"] = 2_000_000.into();
    }
    line
}

fn tool_call((index, call): (usize, &WantedCall)) -> Value {
    json!({ "id": call.id, "function": { "index": index, "name": call.name, "arguments": call.args } })
}
