//! An answer of a mock model, as trace events.

use std::sync::Arc;

use agentci_plan::MockResponse;
use agentci_trace::{EventKind, Usage};
use serde_json::{Value, json};

/// An answer that is shared by all cases that get it.
#[derive(Debug)]
pub struct MockAnswer {
    content: String,
    tokens_used: u64,
    /// The whole answer, as the response of the model call.
    response: Arc<Value>,
    /// Its text, as the final output.
    output: Arc<Value>,
}

impl MockAnswer {
    /// Converts a response of the script.
    pub fn new(response: MockResponse) -> Self {
        let MockResponse { content, model, tokens_used, latency_ms, finish_reason } = response;
        let response = json!({
            "content": content, "model": model, "tokens_used": tokens_used, "latency_ms": latency_ms,
            "finish_reason": finish_reason,
        });
        let output = Arc::new(Value::String(content.clone()));
        Self { content, tokens_used, response: response.into(), output }
    }

    /// Its trace events: the model call, the usage, the text, and the text as the final output.
    pub fn events(&self, input: Arc<Value>) -> [EventKind; 4] {
        let request = match input.get("messages") {
            Some(messages) => Arc::new(messages.clone()),
            None => input,
        };
        [
            EventKind::ModelCall { request, response: Arc::clone(&self.response) },
            EventKind::Usage(Usage { tokens_out: Some(self.tokens_used), ..Usage::default() }),
            EventKind::Text(self.content.clone()),
            EventKind::FinalOutput(Arc::clone(&self.output)),
        ]
    }
}
