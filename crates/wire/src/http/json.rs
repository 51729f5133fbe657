//! Posts JSON and reads the whole answer.

use std::time::Duration;

use super::HttpError;
use super::stream::{HttpMethod, StreamRequest, send};

/// A request with a JSON body.
#[derive(Debug, Clone)]
pub struct JsonRequest {
    pub url: String,
    /// Additional headers.
    pub headers: Vec<(String, String)>,
    /// The body, as JSON text.
    pub body: String,
    /// The timeout of the whole exchange.
    pub timeout: Duration,
    /// The size limit of the answer, in bytes.
    pub limit: usize,
}

/// An answer, read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeResponse {
    /// The status code.
    pub status: u16,
    /// The `Retry-After` header.
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
}

/// Posts JSON and reads the answer.
pub async fn post_json(request: JsonRequest) -> Result<WholeResponse, HttpError> {
    let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
    headers.extend(request.headers);
    let sent = StreamRequest { url: request.url, method: HttpMethod::Post, headers, body: request.body.into() };
    let answered = async {
        let mut answer = send(sent).await?;
        let retry_after = answer.header("retry-after").map(str::to_owned);
        let body = answer.body(request.limit).await?;
        Ok(WholeResponse { status: answer.status, retry_after, body })
    };
    tokio::time::timeout(request.timeout, answered).await.unwrap_or(Err(HttpError::Timeout))
}
