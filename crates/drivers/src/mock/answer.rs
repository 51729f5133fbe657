//! An answer of a scripted model, as a trace tells it.

use std::sync::Arc;

use agentci_plan::MockResponse;
use agentci_trace::{EventKind, Usage};
use serde_json::{Value, json};

/// An answer that is made once, however many cases are given it.
#[derive(Debug)]
pub struct MockAnswer {
    content: String,
    tokens_used: u64,
    /// All of it, as the model's own.
    response: Arc<Value>,
    /// Its words, as the result.
    output: Arc<Value>,
}

impl MockAnswer {
    /// The answer that is written down so.
    pub fn new(response: MockResponse) -> Self {
        let MockResponse { content, model, tokens_used, latency_ms, finish_reason } = response;
        let response = json!({
            "content": content, "model": model, "tokens_used": tokens_used, "latency_ms": latency_ms,
            "finish_reason": finish_reason,
        });
        let output = Arc::new(Value::String(content.clone()));
        Self { content, tokens_used, response: response.into(), output }
    }

    /// What a trace has of it: the call of the model, what it used, its words, and the words as the result.
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
