//! The optional parts of a model's answer: they depend on what the model does, not on the provider.

use serde_json::{Map, Value};

/// Keys whose objects are written by the model: the arguments of a tool.
pub(super) const WRITTEN: [&str; 4] = ["input", "args", "arguments", "parsed"];

/// Keys that are only present if the model does something specific.
pub(super) const SOMETIMES: [&str; 30] = [
    "annotations",
    "audio",
    "avgLogprobs",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "citationMetadata",
    "citations",
    "codeExecutionResult",
    "executableCode",
    "finishMessage",
    "finishReason",
    "function_call",
    "functionCall",
    "groundingMetadata",
    "inlineData",
    "logprobs",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "refusal",
    "role",
    "safetyRatings",
    "text",
    "thinking",
    "thought",
    "thoughtSignature",
    "thoughtsTokenCount",
    "tool_calls",
    "tool_plan",
    "toolUsePromptTokenCount",
];

/// Known kinds of events and values of `type`: which of them occur depends on what the model does.
const KINDS: [&str; 40] = [
    // Anthropic
    "citations_delta",
    "code_execution_tool_result",
    "error",
    "input_json_delta",
    "mcp_tool_result",
    "mcp_tool_use",
    "message",
    "ping",
    "redacted_thinking",
    "server_tool_use",
    "signature_delta",
    "text",
    "text_delta",
    "thinking",
    "thinking_delta",
    "tool_use",
    "web_fetch_tool_result",
    "web_search_tool_result",
    // OpenAI: items and their parts
    "code_interpreter_call",
    "computer_call",
    "container_file_citation",
    "custom",
    "custom_tool_call",
    "file_citation",
    "file_path",
    "file_search_call",
    "function",
    "function_call",
    "image_generation_call",
    "local_shell_call",
    "mcp_approval_request",
    "mcp_call",
    "mcp_list_tools",
    "output_text",
    "reasoning",
    "reasoning_text",
    "refusal",
    "summary_text",
    "url_citation",
    "web_search_call",
];

/// Kinds of events with several steps: the prefix, and the steps.
const STEPS: [(&str, &[&str]); 23] = [
    // Anthropic
    ("content_block_", &["delta", "start", "stop"]),
    ("message_", &["delta", "start", "stop"]),
    // OpenAI
    ("response.", &["completed", "created", "failed", "in_progress", "incomplete", "queued"]),
    ("response.audio.", &["delta", "done"]),
    ("response.audio.transcript.", &["delta", "done"]),
    ("response.code_interpreter_call.", &["completed", "in_progress", "interpreting"]),
    ("response.code_interpreter_call_code.", &["delta", "done"]),
    ("response.content_part.", &["added", "done"]),
    ("response.custom_tool_call_input.", &["delta", "done"]),
    ("response.file_search_call.", &["completed", "in_progress", "searching"]),
    ("response.function_call_arguments.", &["delta", "done"]),
    ("response.output_item.", &["added", "done"]),
    ("response.output_text.", &["annotation.added", "delta", "done"]),
    ("response.reasoning_summary_part.", &["added", "done"]),
    ("response.reasoning_summary_text.", &["delta", "done"]),
    ("response.reasoning_text.", &["delta", "done"]),
    ("response.refusal.", &["delta", "done"]),
    ("response.web_search_call.", &["completed", "in_progress", "searching"]),
    // Cohere
    ("citation-", &["end", "start"]),
    ("content-", &["delta", "end", "start"]),
    ("message-", &["end", "start"]),
    ("tool-call-", &["delta", "end", "start"]),
    ("tool-plan-", &["delta"]),
];

/// Whether it depends on the model that something of this kind occurs.
pub(super) fn is_known_kind(kind: &str) -> bool {
    let is_step = |(stem, steps): &(&str, &[&str])| kind.strip_prefix(stem).is_some_and(|step| steps.contains(&step));
    KINDS.contains(&kind) || STEPS.iter().any(is_step)
}

/// Whether the keys of an object are data: ids, dates, addresses. All its values then share one shape.
pub(super) fn is_keyed_by_ids(object: &Map<String, Value>) -> bool {
    !object.is_empty() && object.keys().all(|key| is_id(key))
}

/// The shortest name with a digit that is taken for an id whatever it looks like.
const LONG: usize = 16;
/// The shortest end of an id after its prefix that may have letters.
const END: usize = 6;

fn is_id(key: &str) -> bool {
    let has_digit = key.bytes().any(|byte| byte.is_ascii_digit());
    let is_number = key.bytes().all(|byte| byte.is_ascii_digit() || b"-:./ TZ+".contains(&byte));
    let end = key.rsplit(['-', '_', ':', '#']).next().expect("a split has a first part");
    let is_numbered = end.len() < key.len() && end.len() > 1 && end.bytes().all(|byte| byte.is_ascii_digit());
    let is_random = end.len() >= END
        && end.bytes().any(|byte| byte.is_ascii_digit())
        && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && end.bytes().any(|byte| byte.is_ascii_alphabetic());
    key.contains(['@', '/'])
        || has_digit && (is_number || is_numbered || key.len() >= LONG || (end.len() < key.len() && is_random))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_no_duplicates() {
        for list in [&KINDS[..], &SOMETIMES, &WRITTEN] {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), list.len());
        }
    }

    #[test]
    fn distinguishes_ids_from_names() {
        for id in ["17", "A-17", "ord_123", "2026-05-03", "me@example.com", "/orders/1", "call_7Fq2xX", "10.0.0.1"] {
            assert!(is_id(id), "{id}");
        }
        for name in ["id", "line_1", "line1", "sha256", "address", "created_at", "Thursday", "gpt-4o", "x-request-id"] {
            assert!(!is_id(name), "{name}");
        }
    }
}
