//! Anthropic's Messages: rules for requests with `thinking: { type: enabled }`. Adaptive thinking has no such rules.

use super::refuse;
use crate::{fields::items, refusal::ModelRefusal};
use serde_json::Value;

/// The minimum budget for thinking, in tokens.
const LEAST_BUDGET: u64 = 1024;

pub(super) fn check(request: &Value) -> Result<(), ModelRefusal> {
    let kind = |part: &Value| part["type"].as_str().map(str::to_owned);
    let Some(thinking) = request.get("thinking").filter(|thinking| kind(thinking).as_deref() == Some("enabled")) else {
        return Ok(());
    };
    let forced = request.get("tool_choice").and_then(kind);
    if matches!(forced.as_deref(), Some("any" | "tool")) {
        // mastra-ai/mastra#7507, run-llama/llama_index#19641, langchain-ai/langchain#35544
        return refuse("Thinking may not be enabled when tool_choice forces tool use.");
    }
    let Some(budget) = thinking["budget_tokens"].as_u64() else { return Ok(()) };
    if budget < LEAST_BUDGET {
        // themaximalist/llm.js#30
        return refuse(format!(
            "thinking.enabled.budget_tokens: Input should be greater than or equal to {LEAST_BUDGET}"
        ));
    }
    // With tools, the budget may exceed one answer (interleaved thinking).
    let tools = items(request.get("tools"));
    if tools.is_empty() && request["max_tokens"].as_u64().is_some_and(|most| most <= budget) {
        // sigoden/aichat#1304, ProfSynapse/nexus#17
        return refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(request: &Value) -> Option<String> {
        check(&serde_json::from_slice::<Value>(request.to_string().as_bytes()).unwrap())
            .err()
            .map(|refusal| refusal.message)
    }

    #[test]
    fn thinking_requires_token_budget_and_unforced_tool_choice() {
        let thinks = |kind: &str, budget: u64, choice: &str, tools: Value| {
            let thinking = json!({ "type": kind, "budget_tokens": budget });
            refused(
                &json!({ "max_tokens": 2000, "thinking": thinking, "tool_choice": { "type": choice }, "tools": tools }),
            )
        };
        let tools = json!([{ "name": "find" }]);
        assert_eq!(thinks("enabled", 1024, "auto", json!([])), None);
        assert_eq!(thinks("enabled", 4000, "none", tools.clone()), None);
        assert_eq!(
            (thinks("adaptive", 0, "any", tools.clone()), thinks("disabled", 0, "tool", tools.clone())),
            (None, None)
        );
        assert_eq!(refused(&json!({ "max_tokens": 9, "tool_choice": { "type": "any" } })), None);
        for forced in ["any", "tool"] {
            assert!(thinks("enabled", 1024, forced, tools.clone()).unwrap().starts_with("Thinking may not be enabled"));
        }
        assert!(thinks("enabled", 1023, "auto", json!([])).unwrap().ends_with("greater than or equal to 1024"));
        assert!(thinks("enabled", 2000, "auto", json!([])).unwrap().starts_with("`max_tokens` must be greater"));
    }
}
