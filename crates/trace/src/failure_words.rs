//! Recognises results that say that a tool was not run or failed, by the texts that frameworks use for them.
//!
//! On most wires a result is a string, with no field for either. The texts below are written by the frameworks
//! themselves; other texts can be described with `world.tools.refusals`.

use serde_json::Value;

/// A form of result that a framework produces.
#[derive(Debug, Clone, Copy)]
pub struct ResultForm {
    pub framework: &'static str,
    /// The text by which it is recognised.
    pub words: &'static str,
    /// The source of the text.
    pub source: &'static str,
    fits: fn(&str, &str) -> bool,
}

impl ResultForm {
    /// A description for messages.
    pub fn told(&self) -> String {
        format!("{}: \"{}\"", self.framework, self.words)
    }
}

fn is(text: &str, words: &str) -> bool {
    text == words
}

fn begins(text: &str, words: &str) -> bool {
    text.starts_with(words)
}

fn ends(text: &str, words: &str) -> bool {
    text.ends_with(words)
}

/// Starts with `Error` and ends with these words in any letter case: the words alone could have any author.
fn error_ending(text: &str, words: &str) -> bool {
    text.starts_with("Error") && text.to_lowercase().ends_with(&words.to_lowercase())
}

/// Data with this `type`, if the output is passed on unchanged.
fn typed(text: &str, words: &str) -> bool {
    text.starts_with('{')
        && serde_json::from_str::<Value>(text)
            .is_ok_and(|value| value.get("type").and_then(Value::as_str) == Some(words))
}

/// An object whose only key is `error`.
fn only_error(text: &str, words: &str) -> bool {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(text) else { return false };
    // Validation errors, as pydantic lists them.
    let of_pydantic = |error: &Value| ["type", "loc", "msg"].into_iter().all(|key| error.get(key).is_some());
    let says_so = |error: &Value| match error {
        Value::String(_) => true,
        Value::Array(errors) => !errors.is_empty() && errors.iter().all(of_pydantic),
        _ => false,
    };
    words == "error" && map.len() == 1 && map.get("error").is_some_and(says_so)
}

/// An object whose only key is `error`, with a value that starts with these words.
fn error_begins(text: &str, words: &str) -> bool {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(text) else { return false };
    map.len() == 1 && map.get("error").and_then(Value::as_str).is_some_and(|error| error.starts_with(words))
}

/// Contains the name of the tool between the words before and after it.
fn names_tool(text: &str, words: &str) -> bool {
    let Some((before, after)) = words.split_once('…') else { return false };
    let Some((name, rest)) = text.strip_prefix(before).and_then(|rest| rest.split_once(after)) else { return false };
    let is_name = !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || letter == '\'');
    // A form that ends in a bracket continues with a list.
    is_name && (rest.is_empty() || after.ends_with('['))
}

/// Results that say that a tool was not run.
const REFUSALS: &[ResultForm] = &[
    ResultForm {
        framework: "openai-agents",
        words: "Tool execution was not approved.",
        source: "openai/openai-agents-python, src/agents/tool.py, DEFAULT_APPROVAL_REJECTION_MESSAGE; the same words in openai-agents-js",
        fits: is,
    },
    ResultForm {
        framework: "AI SDK",
        words: "Tool execution denied.",
        source: "vercel/ai, packages/openai/src/chat/convert-to-openai-chat-messages.ts: an `execution-denied` output without a reason",
        fits: is,
    },
    ResultForm {
        framework: "AI SDK",
        words: "Tool call execution denied.",
        source: "vercel/ai 7, packages/openai/src/responses: an `execution-denied` output without a reason, as seen on the wire",
        fits: is,
    },
    ResultForm {
        framework: "AI SDK",
        words: "execution-denied",
        source: "vercel/ai, packages/provider-utils, ToolResultOutput: `{ type: 'execution-denied', reason }`",
        fits: typed,
    },
    ResultForm {
        framework: "LangChain",
        words: "User rejected the tool call for",
        source: "langchain-ai/langchain, libs/langchain_v1/langchain/agents/middleware/human_in_the_loop.py; the same words in langchainjs",
        fits: begins,
    },
    ResultForm {
        framework: "pydantic-ai",
        words: "The tool call was denied.",
        source: "pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/tools.py, ToolDenied.message",
        fits: is,
    },
    ResultForm {
        framework: "openai-agents",
        words: "Tool '…' not found.",
        source: "openai/openai-agents-python, src/agents: `tool_not_found_behavior`, as seen on the wire",
        fits: names_tool,
    },
    ResultForm {
        framework: "LangGraph",
        words: "Error: … is not a valid tool, try one of [",
        source: "langchain-ai/langgraph, libs/prebuilt/langgraph/prebuilt/tool_node.py, INVALID_TOOL_NAME_ERROR_TEMPLATE",
        fits: names_tool,
    },
    ResultForm {
        framework: "AI SDK",
        words: "AI_NoSuchToolError",
        source: "vercel/ai, packages/ai/src/error/no-such-tool-error.ts; `{ error }` on the wires of OpenAI",
        fits: error_begins,
    },
    ResultForm {
        framework: "pydantic-ai",
        words: "Unknown tool name:",
        source: "pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/_tool_manager.py; `{ error }` on the wires of OpenAI",
        fits: error_begins,
    },
];

/// Results that say that a tool failed, if the protocol has no field for that.
const FAILURES: &[ResultForm] = &[
    ResultForm {
        framework: "openai-agents",
        words: "An error occurred while running the tool",
        source: "openai/openai-agents-python, src/agents/tool.py, default_tool_error_function; the same words in openai-agents-js",
        fits: begins,
    },
    ResultForm {
        framework: "openai-agents",
        words: "An error occurred while parsing tool arguments",
        source: "openai/openai-agents-python, src/agents/tool.py, default_tool_error_function",
        fits: begins,
    },
    ResultForm {
        framework: "LangGraph",
        words: "Please fix your mistakes.",
        source: "langchain-ai/langgraph, libs/prebuilt/langgraph/prebuilt/tool_node.py, TOOL_CALL_ERROR_TEMPLATE; the same words in langgraphjs",
        fits: error_ending,
    },
    ResultForm {
        framework: "LangGraph",
        words: "Please fix the error and try again.",
        source: "langchain-ai/langgraph, libs/prebuilt/langgraph/prebuilt/tool_node.py, TOOL_EXECUTION_ERROR_TEMPLATE and TOOL_INVOCATION_ERROR_TEMPLATE",
        fits: error_ending,
    },
    ResultForm {
        framework: "AI SDK",
        words: "error-text",
        source: "vercel/ai, packages/provider-utils, ToolResultOutput: `{ type: 'error-text', value }`",
        fits: typed,
    },
    ResultForm {
        framework: "AI SDK",
        words: "error-json",
        source: "vercel/ai, packages/provider-utils, ToolResultOutput: `{ type: 'error-json', value }`",
        fits: typed,
    },
    ResultForm {
        framework: "pydantic-ai",
        words: "\n\nFix the errors and try again.",
        source: "pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/messages.py, RetryPromptPart.model_response",
        fits: ends,
    },
    ResultForm {
        framework: "AI SDK and pydantic-ai",
        words: "error",
        source: "vercel/ai 7, packages/openai, and pydantic/pydantic-ai 2, pydantic_ai_slim/pydantic_ai/models/openai.py: `{ error }` and nothing else, as seen on the wire",
        fits: only_error,
    },
];

/// All known forms.
pub fn known_forms() -> impl Iterator<Item = &'static ResultForm> {
    REFUSALS.iter().chain(FAILURES)
}

/// The refusal form that a result matches, if any.
pub fn refusal_form(result: &Value, error: Option<&str>) -> Option<&'static ResultForm> {
    find(REFUSALS, result, error)
}

/// The failure form that a result matches, if any.
pub fn failure_form(result: &Value) -> Option<&'static ResultForm> {
    find(FAILURES, result, None)
}

fn find(forms: &'static [ResultForm], result: &Value, error: Option<&str>) -> Option<&'static ResultForm> {
    let written;
    let text = match (error, result) {
        (Some(error), _) => error,
        (None, Value::String(text)) => text,
        (None, Value::Object(map)) if map.contains_key("type") || map.contains_key("error") => {
            written = result.to_string();
            &written
        }
        _ => return None,
    };
    let text = text.trim();
    forms.iter().find(|form| (form.fits)(text, form.words.trim_start_matches(' ')))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recognizes_refusals_of_known_frameworks() {
        for text in [
            "Tool execution was not approved.",
            "Tool execution denied.",
            "Tool call execution denied.",
            "Tool 'search_orders' not found.",
            "Error: search_orders is not a valid tool, try one of [find_order].",
            "User rejected the tool call for `refund` with id call_1",
            "The tool call was denied.",
        ] {
            assert!(refusal_form(&json!(text), None).is_some(), "{text}");
            assert!(refusal_form(&Value::Null, Some(text)).is_some(), "{text}");
        }
        assert!(refusal_form(&json!({"type": "execution-denied", "reason": "no"}), None).is_some());
        assert!(refusal_form(&json!({"error": "AI_NoSuchToolError: Model tried to call `x`"}), None).is_some());
        assert!(refusal_form(&json!({"error": "Unknown tool name: 'x'. Available tools: 'y'"}), None).is_some());
    }

    #[test]
    fn text_mentioning_refusal_is_an_ordinary_result() {
        for text in [
            "Refund of 20 EUR: approved.",
            "The bank says: Tool execution was not approved.",
            "The tool call was denied. Yesterday.",
            "Order 'A-17' not found.",
            "Tool 'hammer' is in stock. Accessory 'bit' not found.",
            "Error: A-17 is not a valid order",
            "",
        ] {
            assert!(refusal_form(&json!(text), None).is_none(), "{text}");
        }
        assert!(refusal_form(&json!({"type": "refund"}), None).is_none());
        assert!(refusal_form(&json!({"status": "execution-denied"}), None).is_none());
    }

    #[test]
    fn recognizes_failures_of_known_frameworks() {
        for text in [
            "An error occurred while running the tool. Please try again. Error: boom",
            "An error occurred while running the tool. Please try again.",
            "Error: ValueError('x')\n Please fix your mistakes.",
            "Error: ENOENT\n please fix your mistakes.",
            "Error invoking tool 'f' with kwargs {} with error:\n x\n Please fix the error and try again.",
            "1 validation error:\n```json\n[]\n```\n\nFix the errors and try again.",
        ] {
            assert!(failure_form(&json!(text)).is_some(), "{text}");
        }
        for text in
            ["Error: none found", "your essay: Please fix your mistakes.", "Fix the errors and try again.", "[]"]
        {
            assert!(failure_form(&json!(text)).is_none(), "{text}");
        }
        assert!(failure_form(&json!({"type": "error-text", "value": "x"})).is_some());
        assert!(failure_form(&json!({"error": "boom"})).is_some());
        let invalid = json!({"type": "missing", "loc": ["total"], "msg": "Field required", "input": {}});
        assert!(failure_form(&json!({"error": [invalid]})).is_some());
        for result in [
            json!({"error": null}),
            json!({"error": "none", "rows": []}),
            json!({"error": {"code": 1}}),
            json!({"error": []}),
            json!({"error": [{"code": 1}]}),
        ] {
            assert!(failure_form(&result).is_none(), "{result}");
        }
    }

    #[test]
    fn every_form_names_its_source() {
        for form in known_forms() {
            assert!(form.source.contains('/') && !form.words.is_empty(), "{form:?}");
        }
    }
}
