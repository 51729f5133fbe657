//! What may or may not be in an answer of a model, whatever the provider does: it depends on what the model says.

use serde_json::{Map, Value};

/// Keys whose objects a model writes itself: the arguments of a tool.
const WRITTEN: [&str; 4] = ["input", "args", "arguments", "parsed"];

/// Keys that are there when a model does something, and are not when it does something else.
const SOMETIMES: [&str; 30] = [
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

/// Kinds of events and values of `type` that are known: a model that does something else sends others of them.
const KINDS: [&str; 97] = [
    // Anthropic
    "citations_delta",
    "code_execution_tool_result",
    "content_block_delta",
    "content_block_start",
    "content_block_stop",
    "error",
    "input_json_delta",
    "mcp_tool_result",
    "mcp_tool_use",
    "message",
    "message_delta",
    "message_start",
    "message_stop",
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
    // OpenAI: events
    "response.audio.delta",
    "response.audio.done",
    "response.audio.transcript.delta",
    "response.audio.transcript.done",
    "response.code_interpreter_call.completed",
    "response.code_interpreter_call.in_progress",
    "response.code_interpreter_call.interpreting",
    "response.code_interpreter_call_code.delta",
    "response.code_interpreter_call_code.done",
    "response.completed",
    "response.content_part.added",
    "response.content_part.done",
    "response.created",
    "response.custom_tool_call_input.delta",
    "response.custom_tool_call_input.done",
    "response.failed",
    "response.file_search_call.completed",
    "response.file_search_call.in_progress",
    "response.file_search_call.searching",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.in_progress",
    "response.incomplete",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.annotation.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.queued",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
    "response.refusal.delta",
    "response.refusal.done",
    "response.web_search_call.completed",
    "response.web_search_call.in_progress",
    "response.web_search_call.searching",
    // Cohere
    "citation-end",
    "citation-start",
    "content-delta",
    "content-end",
    "content-start",
    "message-end",
    "message-start",
    "tool-call-delta",
    "tool-call-end",
    "tool-call-start",
    "tool-plan-delta",
];

/// Whether a model writes what is under this key.
pub(super) fn is_written(key: &str) -> bool {
    WRITTEN.contains(&key)
}

/// Whether it depends on what a model does that this key is there.
pub(super) fn is_there_sometimes(key: &str) -> bool {
    SOMETIMES.contains(&key)
}

/// Whether it depends on what a model does that something of this kind is there.
pub(super) fn is_known_kind(kind: &str) -> bool {
    KINDS.contains(&kind)
}

/// Whether the keys of an object are data: ids, dates, addresses. All its values have one shape then.
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
    let end = key.rsplit(['-', '_', ':', '#']).next().unwrap_or_default();
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
    fn lists_are_sorted_by_hand_and_hold_nothing_twice() {
        for list in [&KINDS[..], &SOMETIMES, &WRITTEN] {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), list.len());
        }
    }

    #[test]
    fn ids_are_told_from_names() {
        for id in ["17", "A-17", "ord_123", "2026-05-03", "me@example.com", "/orders/1", "call_7Fq2xX", "10.0.0.1"] {
            assert!(is_id(id), "{id}");
        }
        for name in ["id", "line_1", "line1", "sha256", "address", "created_at", "Thursday", "gpt-4o", "x-request-id"] {
            assert!(!is_id(name), "{name}");
        }
    }
}
