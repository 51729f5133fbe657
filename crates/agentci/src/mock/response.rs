//! The answers of a scripted model.

use std::sync::Arc;

use agentci_plan::{MockResponse, MockScript};
use serde::{Deserialize, Serialize};

use super::InvalidModelError;

/// One answer of a scripted model.
///
/// ```
/// use agentci::MockLlmResponse;
///
/// let response = MockLlmResponse::new("Hello!", "gpt-4o", 12, 80.0)?;
/// assert_eq!(response.finish_reason, "stop");
/// assert!(MockLlmResponse::new("Hello!", "gpt-4o", 12, -1.0).is_err());
/// assert!(serde_json::from_str::<MockLlmResponse>(r#"{"content": "x", "model": "m", "tokens_used": -1, "latency_ms": 0}"#).is_err());
/// # Ok::<(), agentci::mock::InvalidModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenResponse")]
#[non_exhaustive]
pub struct MockLlmResponse {
    /// The text of the answer.
    pub content: String,
    /// The model that the answer is from.
    pub model: String,
    /// The number of tokens used.
    pub tokens_used: u64,
    /// The reported latency in milliseconds; there is no actual delay.
    pub latency_ms: f64,
    /// Why the answer ended: `stop`, `tool_calls`, `end_turn`.
    pub finish_reason: String,
}

#[derive(Deserialize)]
struct WrittenResponse {
    content: String,
    model: String,
    tokens_used: u64,
    latency_ms: f64,
    finish_reason: Option<String>,
}

impl TryFrom<WrittenResponse> for MockLlmResponse {
    type Error = InvalidModelError;

    fn try_from(written: WrittenResponse) -> Result<Self, InvalidModelError> {
        let response = Self::new(written.content, written.model, written.tokens_used, written.latency_ms)?;
        Ok(Self { finish_reason: written.finish_reason.unwrap_or(response.finish_reason), ..response })
    }
}

impl MockLlmResponse {
    /// Creates an answer with the finish reason `stop`. A negative latency is refused.
    pub fn new(
        content: impl Into<String>,
        model: impl Into<String>,
        tokens_used: u64,
        latency_ms: f64,
    ) -> Result<Self, InvalidModelError> {
        Ok(Self {
            content: content.into(),
            model: model.into(),
            tokens_used,
            latency_ms: InvalidModelError::unless_at_least_zero("latency_ms", latency_ms)?,
            finish_reason: MockScript::DEFAULT_FINISH_REASON.into(),
        })
    }

    /// Sets the finish reason.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: impl Into<String>) -> Self {
        self.finish_reason = reason.into();
        self
    }

    pub(super) fn from_plan(response: MockResponse) -> Self {
        let MockResponse { content, model, tokens_used, latency_ms, finish_reason } = response;
        Self { content, model, tokens_used, latency_ms, finish_reason }
    }

    pub(super) fn to_plan(&self) -> MockResponse {
        MockResponse {
            content: self.content.clone(),
            model: self.model.clone(),
            tokens_used: self.tokens_used,
            latency_ms: self.latency_ms,
            finish_reason: self.finish_reason.clone(),
        }
    }
}

/// The configuration of a scripted model.
///
/// ```
/// use agentci::{MockLlmConfig, MockLlmResponse};
///
/// let config = MockLlmConfig::new("gpt-4o")
///     .with_responses([MockLlmResponse::new("Hello!", "gpt-4o", 12, 80.0)?])
///     .with_failure_rate(0.1)?;
/// assert!(MockLlmConfig::new("gpt-4o").with_failure_rate(1.1).is_err());
/// # Ok::<(), agentci::mock::InvalidModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenResponses")]
pub struct MockLlmConfig {
    model_name: String,
    responses: Vec<MockLlmResponse>,
    default_latency_ms: f64,
    failure_rate: f64,
}

#[derive(Deserialize)]
struct WrittenResponses {
    model_name: String,
    #[serde(default)]
    responses: Vec<MockLlmResponse>,
    default_latency_ms: Option<f64>,
    #[serde(default)]
    failure_rate: f64,
}

impl TryFrom<WrittenResponses> for MockLlmConfig {
    type Error = InvalidModelError;

    fn try_from(written: WrittenResponses) -> Result<Self, InvalidModelError> {
        Self::new(written.model_name)
            .with_responses(written.responses)
            .with_failure_rate(written.failure_rate)?
            .with_default_latency_ms(written.default_latency_ms.unwrap_or(MockScript::DEFAULT_LATENCY_MS))
    }
}

impl MockLlmConfig {
    /// Creates a model without responses, which never fails.
    pub fn new(model_name: impl Into<String>) -> Self {
        Self {
            model_name: model_name.into(),
            responses: Vec::new(),
            default_latency_ms: MockScript::DEFAULT_LATENCY_MS,
            failure_rate: 0.0,
        }
    }

    /// Sets the responses, which are returned in turn.
    #[must_use]
    pub fn with_responses(mut self, responses: impl IntoIterator<Item = MockLlmResponse>) -> Self {
        self.responses = responses.into_iter().collect();
        self
    }

    /// Sets the latency of the default answer, which is used without responses; 0 or more.
    pub fn with_default_latency_ms(mut self, latency: f64) -> Result<Self, InvalidModelError> {
        self.default_latency_ms = InvalidModelError::unless_at_least_zero("default_latency_ms", latency)?;
        Ok(self)
    }

    /// Sets the share of calls that fail, from 0 to 1.
    pub fn with_failure_rate(mut self, rate: f64) -> Result<Self, InvalidModelError> {
        if !(0.0..=1.0).contains(&rate) {
            let wanted = "from 0 to 1";
            return Err(InvalidModelError::OutOfRange { field: "failure_rate", wanted, found: rate });
        }
        self.failure_rate = rate;
        Ok(self)
    }

    /// The model of the default answer, which is used without responses.
    pub fn model_name(&self) -> &str {
        &self.model_name
    }

    /// The responses, in order.
    pub fn responses(&self) -> &[MockLlmResponse] {
        &self.responses
    }

    /// The latency of the default answer, in milliseconds.
    pub fn default_latency_ms(&self) -> f64 {
        self.default_latency_ms
    }

    /// The share of calls that fail.
    pub fn failure_rate(&self) -> f64 {
        self.failure_rate
    }

    pub(super) fn into_plan(self) -> Arc<MockScript> {
        Arc::new(MockScript {
            model_name: self.model_name,
            responses: self.responses.iter().map(MockLlmResponse::to_plan).collect(),
            default_latency_ms: self.default_latency_ms,
            failure_rate: self.failure_rate,
        })
    }
}
