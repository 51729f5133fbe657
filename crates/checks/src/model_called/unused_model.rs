//! Finds cases whose agent need not call its model.

use agentci_plan::{Case, Check};
use agentci_source::Reading;
use serde_json::Value;

/// Whether the agent of a case may finish without calling its model.
pub fn may_go_unasked(case: &Case) -> bool {
    let mut checks = case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter()));
    let none_allowed = case.limits.model_calls.is_some_and(|limit| limit.most < 1.0);
    case.world.model_optional || none_allowed || checks.any(|check| expects_none(check))
}

/// Whether a check expects that the model is not called.
fn expects_none(check: &Check) -> bool {
    if &*check.kind.value != "model_called" {
        return false;
    }
    if check.negate {
        // With conditions, only requests that meet them are forbidden.
        return check.arguments.pairs().is_none_or(<[_]>::is_empty);
    }
    let count = check.arguments.get("count").and_then(|count| count.value(Reading::Core).ok());
    let is_zero = |value: &Value| value.as_f64() == Some(0.0);
    match count {
        Some(Value::Object(bounds)) => bounds.get("max").is_some_and(is_zero),
        Some(count) => is_zero(&count),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use agentci_source::{Node, Sources, Span};
    use serde_json::json;

    use super::*;

    #[test]
    fn detects_checks_that_expect_no_model_call() {
        let span = Span::whole(Sources::default().add(std::path::Path::new("s"), ""));
        let check = |kind: &str, arguments: Value| Check::new(kind, span, Node::from_value(&arguments, span));
        for count in [json!(0), json!({ "max": 0 })] {
            assert!(expects_none(&check("model_called", json!({ "count": count }))), "{count}");
        }
        let several = [json!(1), json!({ "min": 1 }), json!({ "min": 0, "max": 3 }), json!({ "max": 3 })];
        let several = several.map(|count| json!({ "count": count }));
        for arguments in several.into_iter().chain([json!({}), json!({ "system": "x" })]) {
            assert!(!expects_none(&check("model_called", arguments.clone())), "{arguments}");
        }
        assert!(!expects_none(&check("tool_called", json!({ "count": 0 }))));
        assert!(expects_none(&Check { negate: true, ..check("model_called", json!({})) }));
        assert!(!expects_none(&Check { negate: true, ..check("model_called", json!({ "messages": "x" })) }));
    }
}
