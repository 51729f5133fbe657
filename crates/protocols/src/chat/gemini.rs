//! Google's `generateContent` and `streamGenerateContent`.

use serde_json::{Map, Value, json};

use super::answer::{AnswerCall, AnswerUsage, ModelAnswer, ProviderTool, arguments, count, list, named, text};
use super::read::{Assembled, object};

/// The maximum number of parts that are read of one answer.
const PARTS_MOST: usize = 10_000;

pub(super) fn assemble(events: &[Value]) -> Assembled {
    let mut parts: Vec<Value> = Vec::new();
    let mut candidate = Map::new();
    let (mut id, mut model, mut usage) = (Value::Null, Value::Null, Value::Null);
    let mut blocked = false;
    for event in events {
        for (kept, key) in [(&mut id, "responseId"), (&mut model, "modelVersion"), (&mut usage, "usageMetadata")] {
            if let Some(found) = event.get(key) {
                *kept = found.clone();
            }
        }
        blocked |= event.pointer("/promptFeedback/blockReason").is_some();
        let Some(part) = list(event, "candidates").first() else { continue };
        for said in list(&part["content"], "parts") {
            add(&mut parts, said);
        }
        for (key, value) in part.as_object().into_iter().flatten().filter(|(key, _)| *key != "content") {
            candidate.insert(key.clone(), value.clone());
        }
    }
    let complete = blocked || candidate.get("finishReason").is_some_and(Value::is_string);
    candidate.insert("content".into(), json!({ "role": "model", "parts": parts }));
    let whole = object([
        ("candidates", json!([candidate])),
        ("usageMetadata", usage),
        ("modelVersion", model),
        ("responseId", id),
    ]);
    Assembled { whole, complete }
}

/// Adds a part; consecutive texts are joined.
fn add(parts: &mut Vec<Value>, part: &Value) {
    let is_text = |part: &Value| part["text"].is_string() && part.as_object().is_some_and(|map| map.len() <= 2);
    let goes_on = parts.last().is_some_and(|last| is_text(last) && is_text(part) && last["thought"] == part["thought"]);
    if goes_on {
        if let Some(Value::String(said)) = parts.last_mut().and_then(|last| last.get_mut("text")) {
            said.push_str(text(part, "text"));
        }
    } else if parts.len() < PARTS_MOST {
        parts.push(part.clone());
    }
}

pub(super) fn fill(whole: &Value, answer: &mut ModelAnswer) {
    (answer.id, answer.model) = (named(whole, "responseId"), named(whole, "modelVersion"));
    answer.usage = whole.get("usageMetadata").and_then(usage);
    answer.finish = whole.get("promptFeedback").and_then(|feedback| named(feedback, "blockReason"));
    let Some(candidate) = list(whole, "candidates").first() else { return };
    answer.finish = named(candidate, "finishReason").or(answer.finish.take());
    for part in list(&candidate["content"], "parts") {
        take(part, answer);
    }
    // Web searches appear only in the grounding metadata.
    let searched = &candidate["groundingMetadata"]["webSearchQueries"];
    if searched.as_array().is_some_and(|queries| !queries.is_empty()) {
        answer.provider_tools.push(ProviderTool {
            name: "google_search".into(),
            arguments: json!({ "queries": searched }),
            result: candidate["groundingMetadata"]["groundingChunks"].clone(),
            ..ProviderTool::default()
        });
    }
}

fn take(part: &Value, answer: &mut ModelAnswer) {
    if let Some(call) = part.get("functionCall") {
        let args = call.get("args").filter(|args| !args.is_null());
        let arguments = args.map_or_else(|| "{}".to_owned(), |args| arguments(Some(args)));
        answer.calls.push(AnswerCall { id: text(call, "id").into(), name: text(call, "name").into(), arguments });
    } else if let Some(code) = part.get("executableCode") {
        let (name, arguments) = ("code_execution".into(), code.clone());
        answer.provider_tools.push(ProviderTool { name, arguments, ..ProviderTool::default() });
    } else if let Some(result) = part.get("codeExecutionResult") {
        if let Some(tool) = answer.provider_tools.last_mut() {
            let failed = !matches!(text(result, "outcome"), "OUTCOME_OK" | "");
            tool.error = failed.then(|| text(result, "output").to_owned());
            tool.result = result["output"].clone();
        }
    } else if part["thought"] == true {
        answer.reasoning.push_str(text(part, "text"));
    } else {
        answer.text.push_str(text(part, "text"));
    }
}

fn usage(usage: &Value) -> Option<AnswerUsage> {
    let thought = count(usage, "thoughtsTokenCount");
    let (asked, tools) = (count(usage, "promptTokenCount"), count(usage, "toolUsePromptTokenCount"));
    AnswerUsage {
        input: asked.map(|asked| asked.saturating_add(tools.unwrap_or_default())),
        output: count(usage, "candidatesTokenCount")
            .or(thought.map(|_| 0))
            .map(|said| said.saturating_add(thought.unwrap_or_default())),
        cached_input: count(usage, "cachedContentTokenCount"),
        reasoning: thought,
        ..AnswerUsage::default()
    }
    .known()
}
