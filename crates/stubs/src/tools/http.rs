//! A tool behind a URL: arguments as a JSON body, the result as JSON.

use agentci_plan::{HttpTool, UnsetVariable};
use agentci_wire::http::{JsonRequest, post_json};
use serde_json::Value;

/// The largest result.
const RESULT_LIMIT: usize = 64 << 20;
/// How much of an error page is shown.
const SHOWN: usize = 300;

/// A tool with its variables filled in.
#[derive(Debug)]
pub(super) struct Endpoint {
    request: JsonRequest,
}

impl Endpoint {
    pub(super) fn new(tool: &HttpTool, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, UnsetVariable> {
        let mut headers = Vec::with_capacity(tool.headers.len());
        for (name, value) in &tool.headers {
            headers.push((name.clone(), value.fill(lookup)?));
        }
        let url = tool.url.fill(lookup)?;
        let request = JsonRequest { url, headers, body: String::new(), timeout: tool.timeout, limit: RESULT_LIMIT };
        Ok(Self { request })
    }

    pub(super) async fn call(&self, args: &Value) -> Result<Value, String> {
        let request = JsonRequest { body: args.to_string(), ..self.request.clone() };
        let answer = post_json(request).await.map_err(|error| error.to_string())?;
        if !(200..300).contains(&answer.status) {
            let text: String = String::from_utf8_lossy(&answer.body).trim().chars().take(SHOWN).collect();
            let status = answer.status;
            return Err(if text.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {text}") });
        }
        if answer.body.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&answer.body).map_err(|error| format!("its result is not JSON: {error}"))
    }
}
