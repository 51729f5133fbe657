//! A remote embedder with a local HTTP server: what it sends, what it retries, and when it stops.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agentci_embed::remote::{Cache, EmbeddingError, RemoteError, RetryLimits};
use agentci_embed::{EmbedError, Embedder, Remote, Service};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The reaction of the server to a request.
#[derive(Clone)]
enum Reply {
    /// A vector for each text: its length and 1.
    Vectors,
    /// This status, headers and body.
    Raw(u16, &'static str, &'static str),
    /// Closes the connection.
    Close,
    /// Never answers.
    Nothing,
}

/// A server that sends its replies in order and repeats the last one.
struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

#[derive(Clone)]
struct Seen {
    head: String,
    body: Value,
}

impl Server {
    async fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (replies, log) = (replies.to_vec(), Arc::clone(&seen));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, replies.clone(), Arc::clone(&log)));
            }
        });
        Self { url, seen }
    }

    fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// A client of this server that does not wait long.
    fn client(&self, limits: RetryLimits, cache: Cache) -> Embedder {
        let service = Service { base_url: self.url.clone(), model: "m".into(), key: Some("sk-test".into()) };
        Embedder::Remote(Box::new(Remote::new(service, limits, cache)))
    }
}

async fn serve(mut stream: TcpStream, replies: Vec<Reply>, log: Arc<Mutex<Vec<Seen>>>) {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break String::from_utf8(bytes.drain(..end + 4).collect()).unwrap().to_lowercase();
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    };
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    while bytes.len() < length {
        stream.read_buf(&mut bytes).await.unwrap();
    }
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    let texts = body["input"].as_array().unwrap().clone();
    let index = {
        let mut log = log.lock().unwrap();
        log.push(Seen { head, body });
        log.len() - 1
    };
    let (status, headers, body) = match replies.get(index).or(replies.last()).unwrap() {
        Reply::Vectors => {
            // In the wrong order, which is allowed.
            let vector = |(index, text): (usize, &Value)| json!({ "index": index, "embedding": [text.as_str().unwrap().len(), 1] });
            let data: Vec<Value> = texts.iter().enumerate().map(vector).rev().collect();
            (200, "", json!({ "object": "list", "data": data }).to_string())
        }
        Reply::Raw(status, headers, body) => (*status, *headers, (*body).to_owned()),
        Reply::Close => return,
        Reply::Nothing => return std::future::pending().await,
    };
    let length = body.len();
    let answer = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
    let _ = stream.write_all(answer.as_bytes()).await;
}

fn quick() -> RetryLimits {
    RetryLimits {
        request: Duration::from_secs(20),
        total: Duration::from_mins(1),
        retries: 3,
        pause: Duration::from_millis(2),
    }
}

async fn failure(embedder: &Embedder) -> RemoteError {
    match embedder.embed(&["a text"]).await.unwrap_err() {
        EmbedError::Remote(error) => error,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn sends_requests_as_the_protocol_requires() {
    let server = Server::start(&[Reply::Vectors]).await;
    let embedder = server.client(quick(), Cache::in_memory());
    assert_eq!(embedder.id(), "openai:m");
    let vectors = embedder.embed(&["four", "", "sixsix", " \n", "four"]).await.unwrap();
    assert_eq!(vectors, [vec![4.0, 1.0], vec![], vec![6.0, 1.0], vec![], vec![4.0, 1.0]]);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].head.starts_with("post /v1/embeddings "), "{}", requests[0].head);
    assert!(requests[0].head.contains("authorization: bearer sk-test\r\n"), "{}", requests[0].head);
    assert_eq!(requests[0].body, json!({ "model": "m", "input": ["four", "sixsix"] }));
}

#[tokio::test]
async fn batches_texts_and_preserves_their_order() {
    let server = Server::start(&[Reply::Vectors]).await;
    let texts: Vec<String> = (1..=150).map(|length| "x".repeat(length)).collect();
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = server.client(quick(), Cache::in_memory()).embed(&borrowed).await.unwrap();
    let sizes: Vec<usize> = server.requests().iter().map(|seen| seen.body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [64, 64, 22]);
    assert!(vectors.iter().zip(1_u16..).all(|(vector, length)| *vector == [f32::from(length), 1.0]));
}

#[tokio::test]
async fn never_sends_the_same_text_twice() {
    let server = Server::start(&[Reply::Vectors]).await;
    let embedder = server.client(quick(), Cache::in_memory());
    let first = embedder.embed(&["one", "two two"]).await.unwrap();
    assert_eq!(embedder.embed(&["two two", "one"]).await.unwrap(), [first[1].clone(), first[0].clone()]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn retries_transient_errors() {
    let busy = Reply::Raw(429, "retry-after: 0\r\n", r#"{"error":{"message":"slow down"}}"#);
    let failing = Reply::Raw(500, "", "oops");
    for first in [busy, failing, Reply::Raw(200, "", "<html>maintenance</html>"), Reply::Close] {
        let server = Server::start(&[first, Reply::Vectors]).await;
        let vectors = server.client(quick(), Cache::in_memory()).embed(&["abc"]).await.unwrap();
        assert_eq!(vectors, [[3.0, 1.0]]);
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn reports_persistent_error_after_three_retries() {
    let short = r#"{"data":[]}"#;
    for (reply, message) in [
        (Reply::Raw(429, "", r#"{"error":{"message":"slow down"}}"#), "HTTP 429: slow down"),
        (Reply::Raw(500, "", ""), "HTTP 500"),
        (
            Reply::Raw(200, "", "hello"),
            "the response contains no embeddings: expected value at line 1 column 1, in `hello`",
        ),
        (Reply::Raw(200, "", short), "sent 1 texts, received 0 embeddings"),
        (Reply::Raw(200, "", r#"{"data":[{"embedding":[NaN]}]}"#), "an embedding contains a number that is not finite"),
        (Reply::Raw(200, "", r#"{"data":[{"embedding":[0]}]}"#), "an embedding is empty or all zeros"),
    ] {
        let server = Server::start(&[reply]).await;
        let error = failure(&server.client(quick(), Cache::in_memory())).await;
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("`openai:m` returned no embeddings after 4 attempts: {message}\nhelp: ")),
            "{text}"
        );
        assert_eq!((error.tries, server.requests().len()), (4, 4), "{message}");
    }
}

#[tokio::test]
async fn does_not_retry_client_errors() {
    for status in [400, 401, 403, 404] {
        let server = Server::start(&[Reply::Raw(status, "", r#"{"error":{"message":"no"}}"#)]).await;
        let error = failure(&server.client(quick(), Cache::in_memory())).await;
        assert_eq!(error.trouble, EmbeddingError::Status { status, said: "no".into() });
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn times_out_after_four_attempts() {
    let server = Server::start(&[Reply::Nothing]).await;
    let limits = RetryLimits { request: Duration::from_millis(30), ..quick() };
    let error = failure(&server.client(limits, Cache::in_memory())).await;
    assert_eq!(error.trouble, EmbeddingError::Request("the request timed out".into()));
    assert_eq!(error.tries, 4);
}

#[tokio::test]
async fn total_time_is_limited() {
    let server = Server::start(&[Reply::Nothing]).await;
    let limits = RetryLimits { total: Duration::from_millis(50), ..quick() };
    let start = Instant::now();
    let error = failure(&server.client(limits, Cache::in_memory())).await;
    assert!(matches!(error.trouble, EmbeddingError::TooLong { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[tokio::test]
async fn refuses_oversized_response() {
    let large: &'static str = Box::leak(" ".repeat((32 << 20) + 1).into_boxed_str());
    let server = Server::start(&[Reply::Raw(200, "", large)]).await;
    let error = failure(&server.client(RetryLimits { retries: 0, ..quick() }, Cache::in_memory())).await;
    assert!(matches!(&error.trouble, EmbeddingError::Request(why) if why.contains("33554432")), "{error}");
}

#[tokio::test]
async fn accepts_maximum_timeouts() {
    let server = Server::start(&[Reply::Vectors]).await;
    let limits = RetryLimits { request: Duration::MAX, total: Duration::MAX, ..quick() };
    server.client(limits, Cache::in_memory()).embed(&["abc"]).await.unwrap();
}

#[tokio::test]
async fn honors_retry_after() {
    let busy = Reply::Raw(429, "Retry-After: 0.2\r\n", "");
    let server = Server::start(&[busy, Reply::Vectors]).await;
    let start = Instant::now();
    server.client(quick(), Cache::in_memory()).embed(&["abc"]).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(200), "{:?}", start.elapsed());
}

#[tokio::test]
async fn fails_immediately_if_retry_after_exceeds_the_limit() {
    let busy = Reply::Raw(503, "retry-after: 3600\r\n", "later");
    let server = Server::start(&[busy]).await;
    let error = failure(&server.client(quick(), Cache::in_memory())).await;
    let last = EmbeddingError::Status { status: 503, said: "later".into() };
    assert_eq!(error.trouble, EmbeddingError::TooLong { limit: quick().total, last: Some(Box::new(last)) });
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn detects_changed_vector_dimensions() {
    let longer = Reply::Raw(200, "", r#"{"data":[{"index":0,"embedding":[1,2,3]}]}"#);
    let server = Server::start(&[Reply::Vectors, longer]).await;
    let embedder = server.client(quick(), Cache::in_memory());
    embedder.embed(&["first"]).await.unwrap();
    assert_eq!(failure(&embedder).await.trouble, EmbeddingError::Dimensions { expected: 2, given: 3 });
}

#[tokio::test]
async fn reports_unreachable_service() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let service = Service { base_url, model: "m".into(), key: None };
    let embedder = Embedder::Remote(Box::new(Remote::new(service, quick(), Cache::in_memory())));
    let text = failure(&embedder).await.to_string();
    assert!(text.to_lowercase().contains("refused"), "{text}");
}

#[tokio::test]
async fn invalid_api_key_error_hides_the_key() {
    let service = Service { base_url: "http://127.0.0.1:1".into(), model: "m".into(), key: Some("sk-\nsecret".into()) };
    let embedder = Embedder::Remote(Box::new(Remote::new(service, quick(), Cache::in_memory())));
    let error = failure(&embedder).await;
    assert_eq!(error.tries, 1);
    assert!(error.to_string().contains("check the API key") && !error.to_string().contains("secret"), "{error}");
}
