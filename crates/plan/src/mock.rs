//! A target without an agent: a model with scripted answers.

use std::sync::Arc;

use agentci_source::Span;

/// A scripted model that is called once per case.
#[derive(Debug, Clone, PartialEq)]
pub struct MockTarget {
    /// Its script, shared by the cases that use the same model.
    pub script: Arc<MockScript>,
    /// The position of the case in the whole suite, from 0: together with the seed it alone determines the answer.
    pub position: u32,
    /// Where the suite sets it.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MockScript {
    /// The model name of an answer if there are no responses.
    pub model_name: String,
    /// The answers, in order; after the last one they repeat from the start.
    pub responses: Vec<MockResponse>,
    /// The latency of an answer in milliseconds if there are no responses.
    pub default_latency_ms: f64,
    /// The share of calls that fail, from 0 to 1.
    pub failure_rate: f64,
}

/// One answer of a scripted model.
#[derive(Debug, Clone, PartialEq)]
pub struct MockResponse {
    /// Its text.
    pub content: String,
    /// The model it is from.
    pub model: String,
    /// The number of tokens it reports.
    pub tokens_used: u64,
    /// The latency it reports, in milliseconds.
    pub latency_ms: f64,
    /// The finish reason it reports.
    pub finish_reason: String,
}

impl MockScript {
    /// The default latency of an answer, in milliseconds.
    pub const DEFAULT_LATENCY_MS: f64 = 50.0;
    /// The default finish reason of an answer.
    pub const DEFAULT_FINISH_REASON: &'static str = "stop";

    /// Whether calls fail at random.
    pub fn draws(&self) -> bool {
        self.failure_rate > 0.0 && self.failure_rate < 1.0
    }

    /// Whether every answer is the same.
    pub fn is_constant(&self) -> bool {
        self.responses.len() < 2 && self.failure_rate == 0.0
    }

    /// The answer to a call, after `served` answers.
    pub fn response(&self, served: usize) -> MockResponse {
        match self.responses.len() {
            0 => MockResponse {
                content: String::new(),
                model: self.model_name.clone(),
                tokens_used: 0,
                latency_ms: self.default_latency_ms,
                finish_reason: Self::DEFAULT_FINISH_REASON.into(),
            },
            count => self.responses[served % count].clone(),
        }
    }
}

/// One generic answer.
impl Default for MockScript {
    fn default() -> Self {
        Self {
            model_name: "mock-model".into(),
            responses: vec![MockResponse {
                content: "Mock response: task completed successfully.".into(),
                model: "mock-model".into(),
                tokens_used: 12,
                latency_ms: 10.0,
                finish_reason: Self::DEFAULT_FINISH_REASON.into(),
            }],
            default_latency_ms: Self::DEFAULT_LATENCY_MS,
            failure_rate: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_through_responses_and_defaults_when_empty() {
        let mut script = MockScript::default();
        script.responses.push(MockResponse { content: "second".into(), ..script.responses[0].clone() });
        let said: Vec<String> = (0..3).map(|served| script.response(served).content).collect();
        assert_eq!(said[1], "second");
        assert_eq!(said[0], said[2]);
        script.responses.clear();
        let empty = script.response(7);
        assert_eq!((empty.content.as_str(), empty.model.as_str(), empty.tokens_used), ("", "mock-model", 0));
        assert!((empty.latency_ms - 50.0).abs() < f64::EPSILON);
    }
}
