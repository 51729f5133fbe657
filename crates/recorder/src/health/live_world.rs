//! Sends recorded requests to the live world again.

use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;

use super::key_variables::{headers, path_without_key};
use crate::proxy::{
    LARGEST_ANSWER, MOST_FRAMES, RequestTarget, Splitter, Upstream, response_headers, to_server, words,
};
use crate::{AnswerFrame, EndKind, ExchangeEnd, RecordedBody, RecordedRequest, RecordedResponse};

/// A client for the live world.
pub struct LiveWorld {
    upstream: Upstream,
    limit: Duration,
}

/// The current answer of the live world, with times relative to those of the recorded request.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveAnswer {
    /// The answer.
    pub response: RecordedResponse,
    /// When it ended. The answer is always complete.
    pub end: ExchangeEnd,
}

impl LiveWorld {
    /// Takes additional certificate authorities as PEM, the environment that names the user's proxy, and the timeout of
    /// a whole answer.
    pub fn new(roots: Option<&[u8]>, environment: &[(String, String)], limit: Duration) -> Result<Self, String> {
        Ok(Self { upstream: Upstream::new(roots, environment)?, limit })
    }

    /// Sends a recorded request again with additional headers. The error is the reason why there is no complete answer.
    pub async fn repeat(&self, request: &RecordedRequest, keys: &[(String, String)]) -> Result<LiveAnswer, String> {
        match tokio::time::timeout(self.limit, self.send(request, keys)).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no complete answer within {} s", self.limit.as_secs_f64())),
        }
    }

    async fn send(&self, request: &RecordedRequest, keys: &[(String, String)]) -> Result<LiveAnswer, String> {
        let target = RequestTarget::of_origin(&request.origin).ok_or("its address is not an HTTP address")?;
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|error| error.to_string())?;
        let mut sent = HeaderMap::new();
        for (name, value) in headers(request).iter().chain(keys) {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| error.to_string())?;
            let mut value =
                HeaderValue::from_str(value).map_err(|_| format!("the header `{name}` has an invalid value"))?;
            value.set_sensitive(true);
            sent.insert(name, value);
        }
        let began = Instant::now();
        let now = || request.at_us.saturating_add(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
        let body = bytes(&request.body)?.map(reqwest::Body::from);
        let path = path_without_key(request);
        let mut answer = self.upstream.send(&target, method, &path, to_server(&sent), body).await?;
        let headers = response_headers(answer.headers());
        let mut response =
            RecordedResponse { at_us: now(), status: answer.status().as_u16(), headers, frames: Vec::new() };
        let mut splitter = Splitter::of(&response);
        let mut length = 0;
        while let Some(chunk) = answer.chunk().await.map_err(words)? {
            length += chunk.len() as u64;
            if length > LARGEST_ANSWER || response.frames.len() >= MOST_FRAMES {
                return Err("its answer is too large to be recorded".into());
            }
            let at_us = now();
            response.frames.extend(splitter.push(&chunk).into_iter().map(|bytes| AnswerFrame { at_us, bytes }));
        }
        let at_us = now();
        response.frames.extend(splitter.rest().map(|bytes| AnswerFrame { at_us, bytes }));
        Ok(LiveAnswer { response, end: ExchangeEnd { at_us, how: EndKind::Closed } })
    }
}

/// The body as it was sent.
fn bytes(body: &RecordedBody) -> Result<Option<Bytes>, String> {
    Ok(match body {
        RecordedBody::Empty => None,
        RecordedBody::Json(value) => Some(value.to_string().into()),
        RecordedBody::Text(text) => Some(text.clone().into()),
        RecordedBody::Bytes(bytes) => Some(bytes.clone()),
        RecordedBody::Form(pairs) => {
            let mut url = Url::parse("http://form.invalid").map_err(|error| error.to_string())?;
            url.query_pairs_mut().extend_pairs(pairs);
            Some(url.query().unwrap_or_default().to_owned().into())
        }
        RecordedBody::Parts(_) | RecordedBody::TooLarge { .. } => {
            return Err("its body was not recorded verbatim".into());
        }
    })
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Calls a server that answers with this many bytes and closes the connection.
    async fn asked(length: usize) -> Result<LiveAnswer, String> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await;
            let _ = stream.write_all(&vec![b'x'; length]).await;
        });
        let live = LiveWorld::new(None, &[], Duration::from_mins(1)).unwrap();
        let request =
            RecordedRequest { method: "GET".into(), origin, path: "/".into(), at_us: 7, ..RecordedRequest::default() };
        live.repeat(&request, &[]).await
    }

    #[tokio::test]
    async fn too_large_response_is_refused() {
        let answer = asked(3).await.unwrap();
        assert_eq!((answer.response.status, &answer.response.frames[0].bytes[..]), (200, &b"xxx"[..]));
        assert!(answer.response.at_us >= 7 && answer.end.at_us >= answer.response.at_us);
        let most = usize::try_from(LARGEST_ANSWER).unwrap();
        assert_eq!(asked(most + 1).await.unwrap_err(), "its answer is too large to be recorded");
    }

    #[test]
    fn form_body_is_sent_url_encoded() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let form = RecordedBody::Form(vec![pair("a b", "1&2"), pair("c", "")]);
        assert_eq!(bytes(&form).unwrap().unwrap(), "a+b=1%262&c=");
        assert!(bytes(&RecordedBody::TooLarge { bytes: 1 }).is_err());
    }
}
