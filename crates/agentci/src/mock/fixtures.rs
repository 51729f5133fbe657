//! Scripted models that imitate well-known ones, and loading of tests.

use std::path::Path;

use super::{
    AgentTestCase, AgentTestRunner, LoadError, MAX_YAML_SIZE, MockLlmConfig, MockLlmProvider, MockLlmResponse,
};

/// A model that answers like those of `OpenAI`: with text, with JSON, and with a tool call in `tool_calls`.
///
/// ```
/// let model = agentci::create_mock_openai();
/// let reasons: Vec<String> = (0..3).filter_map(|_| Some(model.complete(&[], None).ok()?.finish_reason)).collect();
/// assert_eq!(reasons, ["stop", "stop", "tool_calls"]);
/// ```
pub fn create_mock_openai() -> MockLlmProvider {
    MockLlmProvider::new(mock_openai())
}

/// A model that answers like those of Anthropic: with text, with JSON, and with a tool call as `tool_use`.
///
/// ```
/// let model = agentci::create_mock_anthropic();
/// let reasons: Vec<String> = (0..3).filter_map(|_| Some(model.complete(&[], None).ok()?.finish_reason)).collect();
/// assert_eq!(reasons, ["end_turn", "end_turn", "tool_use"]);
/// ```
pub fn create_mock_anthropic() -> MockLlmProvider {
    MockLlmProvider::new(mock_anthropic())
}

/// The script of [`create_mock_openai`], for setting other responses or a failure rate.
///
/// ```
/// use agentci::{MockLlmProvider, mock::mock_openai};
///
/// let model = MockLlmProvider::new(mock_openai().with_responses([]).with_failure_rate(0.0)?);
/// assert_eq!(model.complete(&[], None).map(|response| response.content), Ok(String::new()));
/// # Ok::<(), agentci::mock::InvalidModelError>(())
/// ```
pub fn mock_openai() -> MockLlmConfig {
    let json =
        r#"{"answer": "Paris is the capital of France.", "confidence": 0.97, "reasoning": "It is common knowledge."}"#;
    let tool = r#"{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "search_web", "arguments": "{\"query\": \"agent testing\"}"}}]}"#;
    let answers = [
        ("I'm happy to help. Here is a short answer to your question.", 28, 320.0, "stop"),
        (json, 42, 410.0, "stop"),
        (tool, 55, 280.0, "tool_calls"),
    ];
    script("gpt-4o", 350.0, answers)
}

/// The script of [`create_mock_anthropic`], for setting other responses or a failure rate.
pub fn mock_anthropic() -> MockLlmConfig {
    let json = r#"{"status": "success", "data": {"items": ["one", "two"], "count": 2}}"#;
    let tool = r#"{"type": "tool_use", "id": "toolu_1", "name": "calculator", "input": {"expression": "2 + 2"}}"#;
    let answers = [
        ("Looking at the request, there are two points that matter most here.", 35, 290.0, "end_turn"),
        (json, 48, 375.0, "end_turn"),
        (tool, 62, 310.0, "tool_use"),
    ];
    script("claude-opus-4-6", 320.0, answers)
}

/// A script of answers: content, tokens, latency in milliseconds, and finish reason.
fn script(model: &str, latency: f64, answers: [(&str, u64, f64, &str); 3]) -> MockLlmConfig {
    let responses = answers.map(|(content, tokens_used, latency_ms, finish_reason)| MockLlmResponse {
        content: content.into(),
        model: model.into(),
        tokens_used,
        latency_ms,
        finish_reason: finish_reason.into(),
    });
    let config = MockLlmConfig::new(model).with_responses(responses);
    config.with_default_latency_ms(latency).expect("no latency here is negative")
}

/// Loads the tests of a file, or of all files at or below a folder.
pub fn load_test_suite(path: impl AsRef<Path>) -> Result<Vec<AgentTestCase>, LoadError> {
    let path = path.as_ref();
    let runner = AgentTestRunner::new();
    if path.is_dir() { runner.load_tests(path) } else { runner.load_yaml_file(path, MAX_YAML_SIZE) }
}
