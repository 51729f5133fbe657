//! A target without an agent: a model whose answers are written down.

use std::sync::Arc;

use agentci_source::Span;

/// A scripted model that is asked once a case.
#[derive(Debug, Clone, PartialEq)]
pub struct MockTarget {
    /// What it answers, shared by the cases that meet the same model.
    pub script: Arc<MockScript>,
    /// The position of the case in the whole suite, from 0: it alone decides, with the seed, what the case is answered.
    pub position: u32,
    /// Where the suite says so.
    pub span: Span,
}

/// What a scripted model answers.
#[derive(Debug, Clone, PartialEq)]
pub struct MockScript {
    /// The model that an answer is from when no response is written down.
    pub model_name: String,
    /// The answers, given in turn.
    pub responses: Vec<MockResponse>,
    /// The latency of an answer when no response is written down, in milliseconds.
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
    /// How many tokens it took.
    pub tokens_used: u64,
    /// How long it is said to have taken, in milliseconds.
    pub latency_ms: f64,
    /// Why it ended.
    pub finish_reason: String,
}

impl MockScript {
    /// The latency of an answer where the script does not say, in milliseconds.
    pub const DEFAULT_LATENCY_MS: f64 = 50.0;
    /// Why an answer ends where the script does not say.
    pub const DEFAULT_FINISH_REASON: &'static str = "stop";

    /// Whether it depends on a draw which calls fail.
    pub fn draws(&self) -> bool {
        self.failure_rate > 0.0 && self.failure_rate < 1.0
    }

    /// Whether it says the same whatever was asked before.
    pub fn is_constant(&self) -> bool {
        self.responses.len() < 2 && self.failure_rate == 0.0
    }

    /// The answer to the call that `served` answers came before.
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

/// One answer that fits any question.
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
    fn answers_in_turn_and_from_nothing() {
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
