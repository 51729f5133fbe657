//! Reads the token usage of a run.

use agentci_trace::Usage;
use serde_json::Value;

/// The sum over providers and models; `None` if there is no usage; the error is a message. Parts such as cached tokens
/// are included in the totals and not added to them. The protocol has no cost, but it is read if a server sends one.
pub(super) fn usage(value: &Value) -> Result<Option<Usage>, &'static str> {
    let Some(entries) = value.as_array() else { return Err("`usage` is not a list") };
    let mut sum = Usage::default();
    for entry in entries {
        let tokens = |name: &str| match entry.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(count) => count.as_u64().map(Some).ok_or("a count in `usage` is not a non-negative integer"),
        };
        let cost = ["costUsd", "cost"].into_iter().find_map(|name| entry.get(name)?.as_f64());
        let (tokens_in, tokens_out) = (tokens("inputTokens")?, tokens("outputTokens")?);
        if [sum.tokens_in, tokens_in, sum.tokens_out, tokens_out].into_iter().flatten().any(|count| count > 1 << 53) {
            return Err("a count in `usage` exceeds the limit of the protocol");
        }
        let cost_usd = cost.filter(|cost| cost.is_finite() && *cost >= 0.0);
        sum = sum.plus(Usage { tokens_in, tokens_out, cost_usd });
    }
    Ok(Some(sum).filter(|sum| *sum != Usage::default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sums_totals_but_not_their_subtotals() {
        let sum = usage(&json!([
            {"provider": "a", "model": "x", "inputTokens": 10, "outputTokens": 5, "reasoningTokens": 4, "cachedInputTokens": 9},
            {"provider": "b", "outputTokens": 2, "costUsd": 0.5, "inputTokens": null}
        ]));
        assert_eq!(sum, Ok(Some(Usage { tokens_in: Some(10), tokens_out: Some(7), cost_usd: Some(0.5) })));
        assert_eq!(usage(&json!([])), Ok(None));
        assert_eq!(usage(&json!([{"model": "x"}])), Ok(None));
    }

    #[test]
    fn an_invalid_count_is_refused() {
        assert!(usage(&json!({"inputTokens": 1})).is_err());
        assert!(usage(&json!([{"inputTokens": -1}])).is_err());
        assert!(usage(&json!([{"inputTokens": u64::MAX}])).is_err());
    }
}
