use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

use super::*;

/// A server that accepts one connection, reads one request, writes an answer and closes. Returns what it read.
async fn serve(answer: &'static [u8]) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read_request(&mut stream).await;
        stream.write_all(answer).await.unwrap();
        request
    });
    (format!("http://{address}/agent?key=hidden"), task)
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request).to_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
    }
}

fn request(url: &str, headers: &[(&str, &str)]) -> StreamRequest {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    StreamRequest { url: url.to_owned(), method: HttpMethod::Post, headers, body: "{}".into() }
}

#[tokio::test]
async fn custom_headers_override_default_headers() {
    let (url, served) = serve(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    let answer =
        send(request(&url, &[("Accept", "text/event-stream"), ("Content-Type", "application/a2a+json")])).await;
    assert_eq!(answer.unwrap().status, 204);
    let seen = served.await.unwrap();
    assert!(seen.starts_with("post /agent?key=hidden http/1.1\r\n"), "{seen}");
    let of = |name: &str| seen.lines().filter(|line| line.starts_with(name)).collect::<Vec<_>>();
    assert_eq!(of("accept:"), ["accept: text/event-stream"]);
    assert_eq!(of("accept-encoding"), ["accept-encoding: identity"]);
    assert_eq!(of("content-type"), ["content-type: application/a2a+json"]);
    assert!(seen.ends_with("\r\n\r\n{}"), "{seen}");
}

#[tokio::test]
async fn request_without_body_has_no_content_headers() {
    let (url, served) = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    send(StreamRequest { method: HttpMethod::Get, body: "".into(), ..request(&url, &[]) }).await.unwrap();
    let seen = served.await.unwrap();
    assert!(seen.starts_with("get ") && !seen.contains("content-"), "{seen}");
}

#[tokio::test]
async fn streams_body_after_response_head() {
    let (url, _served) = serve(
        b"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    )
    .await;
    let mut answer = send(request(&url, &[])).await.unwrap();
    assert_eq!((answer.status, answer.content_type().as_str()), (200, "text/event-stream"));
    assert_eq!(answer.header("Content-Type"), Some("Text/Event-Stream; charset=utf-8"));
    assert_eq!(answer.header("x-none"), None);
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.unwrap() {
        body.extend_from_slice(&chunk);
    }
    assert_eq!(body, b"abcde");
}

#[tokio::test]
async fn refuses_response_over_size_limit() {
    let (url, _served) = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabcde").await;
    assert_eq!(send(request(&url, &[])).await.unwrap().body(4).await, Err(HttpError::TooLarge(4)));
    let (url, _served) = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabcde").await;
    assert_eq!(send(request(&url, &[])).await.unwrap().body(5).await, Ok(b"abcde".to_vec()));
}

#[tokio::test]
async fn incomplete_response_is_reported_as_truncated() {
    for answer in [
        &b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc",
    ] {
        let (url, _served) = serve(answer).await;
        let mut incoming = send(request(&url, &[])).await.unwrap();
        assert_eq!(incoming.chunk().await.unwrap().as_deref(), Some(&b"abc"[..]));
        let error = incoming.chunk().await.unwrap_err();
        assert_eq!(error.to_string(), "the answer is truncated: the connection was closed before its end");
    }
}

#[tokio::test]
async fn refuses_conflicting_content_length_and_transfer_encoding() {
    let wrong = "the answer has both `content-length` and `transfer-encoding`, which contradict each other";
    for both in
        ["content-length: 3\r\ntransfer-encoding: chunked", "transfer-encoding: gzip, chunked\r\ncontent-length: 3"]
    {
        let answer = format!("HTTP/1.1 200 OK\r\n{both}\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        let (url, _served) = serve(answer.leak().as_bytes()).await;
        assert_eq!(send(request(&url, &[])).await.unwrap_err(), HttpError::Broken(wrong.into()), "{both}");
    }
}

#[tokio::test]
async fn connection_without_response_is_reported_as_broken() {
    let (url, _served) = serve(b"").await;
    let error = send(request(&url, &[])).await.unwrap_err();
    assert_eq!(error, HttpError::Broken("the connection was closed before an answer came".into()));
    let (url, _served) = serve(b"hello\r\n\r\n").await;
    let error = send(request(&url, &[])).await.unwrap_err();
    assert!(matches!(&error, HttpError::Broken(words) if words.starts_with("no answer came: ")), "{error}");
}

#[tokio::test]
async fn unreachable_server_is_reported_without_url_secrets() {
    // A bound port without a listener.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let error = send(request(&format!("http://me:hidden@{address}/?key=hidden"), &[])).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("could not connect to `{address}`: connection refused, nothing is listening there")
    );
    // A name that fails without a DNS request.
    let error = send(request("http://nobody..localhost/?key=hidden", &[])).await.unwrap_err();
    let words = error.to_string();
    assert!(
        words.starts_with("could not connect to `nobody..localhost:80`: the host name cannot be resolved ("),
        "{words}"
    );
    assert!(!words.contains("hidden"), "{words}");
}

#[tokio::test]
async fn follows_same_server_redirects_only() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 307 Go\r\nlocation: /next\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        let second = read_request(&mut stream).await;
        let elsewhere = b"HTTP/1.1 307 Go\r\nlocation: https://example.invalid/\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(elsewhere).await.unwrap();
        second
    });
    let answer = send(request(&format!("http://{address}/first"), &[])).await.unwrap();
    assert_eq!((answer.status, answer.header("location")), (307, Some("https://example.invalid/")));
    let second = served.await.unwrap();
    assert!(second.starts_with("post /next ") && second.ends_with("{}"), "{second}");
}

#[tokio::test]
async fn refuses_too_many_redirects() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // The first request, and five redirects.
        for _ in 0..6 {
            read_request(&mut stream).await;
            stream.write_all(b"HTTP/1.1 307 Go\r\nlocation: /on\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        }
    });
    let error = send(request(&format!("http://{address}/"), &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "the server redirects too often");
    served.await.unwrap();
}

#[tokio::test]
async fn refuses_invalid_url_or_header() {
    assert_eq!(
        send(request("/agent?key=hidden", &[])).await.unwrap_err().to_string(),
        "invalid URL: relative URL without a base"
    );
    let error = send(request("ftp://host/?key=hidden", &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "invalid URL: `ftp` is neither http nor https");
    for (name, value) in [("a b", "x"), ("x-key", "two\nlines")] {
        let error = send(request("http://127.0.0.1:1/", &[(name, value)])).await.unwrap_err();
        assert_eq!(error, HttpError::Header(name.into()));
    }
}

#[tokio::test]
async fn reuses_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        for _ in 0..2 {
            read_request(&mut stream).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
        }
    });
    for _ in 0..2 {
        let json = JsonRequest {
            url: url.clone(),
            headers: Vec::new(),
            body: "{}".into(),
            timeout: Duration::from_secs(20),
            limit: 10,
        };
        assert_eq!(
            post_json(json).await.unwrap(),
            WholeResponse { status: 200, retry_after: None, body: b"{}".to_vec() }
        );
    }
    served.await.unwrap();
}

#[tokio::test]
async fn retries_when_reused_connection_was_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        for closes in [true, false] {
            let (mut stream, _) = listener.accept().await.unwrap();
            read_request(&mut stream).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
            if closes {
                read_request(&mut stream).await;
            }
        }
    });
    for _ in 0..2 {
        let mut answer = send(request(&url, &[])).await.unwrap();
        assert_eq!(answer.body(10).await.unwrap(), b"{}");
    }
    served.await.unwrap();
}

#[tokio::test]
async fn does_not_forward_request_to_another_local_server() {
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let location = format!("http://{}/", other.local_addr().unwrap());
    let answer = format!("HTTP/1.1 307 Go\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    let (url, _served) = serve(answer.leak().as_bytes()).await;
    let answer = send(request(&url, &[("x-api-key", "hidden")])).await.unwrap();
    assert_eq!((answer.status, answer.header("location")), (307, Some(location.as_str())));
}

#[tokio::test]
async fn content_length_is_computed_from_body() {
    let (url, served) =
        serve(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n").await;
    let longer = StreamRequest { body: "{\"q\":1}".into(), ..request(&url, &[("content-length", "3")]) };
    assert_eq!(send(longer).await.unwrap().status, 204);
    let seen = served.await.unwrap();
    assert!(seen.contains("\r\ncontent-length: 7\r\n") && seen.ends_with("{\"q\":1}"), "{seen}");
    let (url, served) = serve(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    send(StreamRequest { body: "".into(), ..request(&url, &[]) }).await.unwrap();
    let seen = served.await.unwrap();
    assert!(seen.contains("\r\ncontent-length: 0\r\n"), "{seen}");
}

#[tokio::test]
async fn missing_response_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let timeout = Duration::from_millis(20);
    let json = JsonRequest { url, headers: Vec::new(), body: "{}".into(), timeout, limit: 10 };
    assert_eq!(post_json(json).await.unwrap_err(), HttpError::Timeout);
}
