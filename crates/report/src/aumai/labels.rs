//! The dialect's own labels for assertions.

/// The label of an assertion: its name, the expected value, whether it passed, and the measured values.
///
/// ```
/// # use agentci_report::label;
/// assert_eq!(label("contains_text", Some("hi"), true, 0, 0.0), "contains_text: 'hi'");
/// assert_eq!(label("max_tokens", Some("50"), false, 60, 0.0), "max_tokens: 60 exceeds limit 50");
/// ```
pub fn label(name: &str, subject: Option<&str>, met: bool, tokens_used: u64, latency_ms: f64) -> String {
    let subject = subject.unwrap_or_default();
    match (name, met) {
        ("contains_text" | "calls_tool", true) => format!("{name}: '{subject}'"),
        ("contains_text" | "calls_tool", false) => format!("{name}: '{subject}' not found in output"),
        ("max_tokens", true) => format!("max_tokens: {tokens_used} <= {subject}"),
        ("max_tokens", false) => format!("max_tokens: {tokens_used} exceeds limit {subject}"),
        ("max_latency_ms", true) => format!("max_latency_ms: {latency_ms:.1} <= {subject}"),
        ("max_latency_ms", false) => format!("max_latency_ms: {latency_ms:.1} exceeds limit {subject}"),
        ("no_pii", true) => "no_pii: no PII detected".into(),
        ("no_pii", false) => "no_pii: PII detected in output".into(),
        ("valid_json", true) => "valid_json: output is valid JSON".into(),
        ("valid_json", false) => "valid_json: output is not valid JSON".into(),
        ("matches_schema", true) => "matches_schema: output conforms to schema".into(),
        ("matches_schema", false) => "matches_schema: output does not conform to schema".into(),
        (other, true) => other.to_owned(),
        (other, false) => format!("{other}: failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expectation_has_pass_and_fail_labels() {
        for (name, subject, met, missed) in [
            ("contains_text", Some("x"), "contains_text: 'x'", "contains_text: 'x' not found in output"),
            ("calls_tool", Some("x"), "calls_tool: 'x'", "calls_tool: 'x' not found in output"),
            ("max_tokens", Some("50"), "max_tokens: 12 <= 50", "max_tokens: 12 exceeds limit 50"),
            (
                "max_latency_ms",
                Some("100.0"),
                "max_latency_ms: 150.5 <= 100.0",
                "max_latency_ms: 150.5 exceeds limit 100.0",
            ),
            ("no_pii", None, "no_pii: no PII detected", "no_pii: PII detected in output"),
            ("valid_json", None, "valid_json: output is valid JSON", "valid_json: output is not valid JSON"),
            (
                "matches_schema",
                None,
                "matches_schema: output conforms to schema",
                "matches_schema: output does not conform to schema",
            ),
        ] {
            assert_eq!(label(name, subject, true, 12, 150.5), met);
            assert_eq!(label(name, subject, false, 12, 150.5), missed);
        }
    }
}
