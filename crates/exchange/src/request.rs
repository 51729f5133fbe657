//! What is sent.

use std::time::Duration;

pub use agentci_wire::http::Method;
use serde_json::Value;

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where to.
    pub url: String,
    /// What is asked for.
    pub method: Method,
    /// Headers; without a `content-type` the body is JSON.
    pub headers: Vec<(String, String)>,
    /// The body, as JSON text; none if it is empty.
    pub body: String,
    /// What makes it the same request when it is replayed: ids that are new each time are left out of it.
    pub identity: Value,
    /// How long everything may take, from sending it to the last byte of the answer.
    pub timeout: Duration,
}
