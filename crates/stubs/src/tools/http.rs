//! Tools behind a URL: the arguments are a JSON body, and the result is JSON.

use agentci_plan::{HttpTool, UnsetVariableError};
use agentci_wire::http::{JsonRequest, post_json};
use serde_json::Value;

use super::command::fill_pairs;

/// Maximum size of a result in bytes.
const RESULT_LIMIT: usize = 64 << 20;
/// Maximum number of characters of an error page to show.
const SHOWN: usize = 300;

/// A tool as a request without a body, with its variables filled in.
#[derive(Debug)]
pub(super) struct ToolEndpoint(JsonRequest);

impl ToolEndpoint {
    pub(super) fn new(tool: &HttpTool, lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, UnsetVariableError> {
        let (url, headers) = (tool.url.fill(lookup)?, fill_pairs(&tool.headers, lookup)?);
        Ok(Self(JsonRequest { url, headers, body: String::new(), timeout: tool.timeout, limit: RESULT_LIMIT }))
    }

    pub(super) async fn call(&self, args: &Value) -> Result<Value, String> {
        let request = JsonRequest { body: args.to_string(), ..self.0.clone() };
        let answer = post_json(request).await.map_err(|error| error.to_string())?;
        if !(200..300).contains(&answer.status) {
            return Err(failure(answer.status, &answer.body));
        }
        if answer.body.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&answer.body).map_err(|error| format!("its result is not JSON: {error}"))
    }
}

/// The error message of an answer with a failure status.
pub(crate) fn failure(status: u16, body: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(body).trim().chars().take(SHOWN).collect();
    if text.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {text}") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agentci_plan::Text;
    use agentci_source::{Sources, Span};
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn refuses_response_over_size_limit() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Text::Literal(format!("http://{}/", listener.local_addr().unwrap()));
        let size = RESULT_LIMIT + 1;
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"{}") {
                stream.read_buf(&mut head).await.unwrap();
            }
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n");
            let _ = stream.write_all(&[head.as_bytes(), &vec![b' '; size]].concat()).await;
        });
        let span = Span::whole(Sources::default().add(std::path::Path::new("s"), ""));
        let tool = HttpTool { url, headers: Vec::new(), timeout: Duration::from_mins(1), span };
        let error = ToolEndpoint::new(&tool, &|_| None).unwrap().call(&json!({})).await.unwrap_err();
        assert!(error.contains("67108864"), "{error}");
    }
}
