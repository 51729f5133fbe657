//! A minimal hyper server: reads each request to its end and sends a fixed answer. Prints its address; the argument is
//! a file with an answer as sent over the wire, whose headers and body are sent again.
#![expect(clippy::print_stdout, reason = "it says where it is")]

use std::convert::Infallible;
use std::error::Error;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("one argument: a file with an answer")?;
    let answer = std::fs::read(path)?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("no head")?;
    let headers = headers(std::str::from_utf8(&answer[..end])?)?;
    let body = Bytes::from(answer[end + 4..].to_vec());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(headers, body))
}

/// The headers, except those that hyper writes itself.
fn headers(head: &str) -> Result<Vec<(HeaderName, HeaderValue)>, Box<dyn Error>> {
    let pairs = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let pairs = pairs.filter(|(name, _)| !["content-length", "date"].contains(name));
    pairs.map(|(name, value)| Ok((name.parse()?, value.parse()?))).collect()
}

async fn serve(headers: Vec<(HeaderName, HeaderValue)>, body: Bytes) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (headers, body) = (headers.clone(), body.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (headers, body) = (headers.clone(), body.clone());
            async move {
                let _ = request.into_body().collect().await;
                let mut response = Response::new(Full::new(body));
                response.headers_mut().extend(headers);
                Ok::<_, Infallible>(response)
            }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
