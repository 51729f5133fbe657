//! The agent that calls a model, as a plain HTTP server: a client posts `{"question": ..}` and gets `{"answer": ..}`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use super::model;

/// How long a client may take with its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The largest request, in bytes.
const REQUEST_LIMIT: u64 = 1 << 20;

/// Serves until the process is stopped.
pub(super) fn serve() -> Option<()> {
    let port: u16 = std::env::var("PORT").ok()?.parse().ok()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
    for stream in listener.incoming().filter_map(Result::ok) {
        std::thread::spawn(move || converse(&stream));
    }
    Some(())
}

/// Serves one request.
fn converse(stream: &TcpStream) -> Option<()> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT)).ok()?;
    let asked = body(stream)?;
    let (status, said) = match asked["question"].as_str().map(model::answer) {
        Some(Ok(text)) => ("200 OK", json!({ "answer": text })),
        Some(Err(message)) => ("502 Bad Gateway", json!({ "error": message })),
        None => ("400 Bad Request", json!({ "error": "`question` is missing" })),
    };
    let said = said.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        said.len()
    );
    let mut stream = stream;
    stream.write_all((head + &said).as_bytes()).ok()
}

/// The posted JSON; null if it is invalid, and `None` without a request.
fn body(stream: &TcpStream) -> Option<Value> {
    let mut input = BufReader::new(stream.take(REQUEST_LIMIT));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut text = Vec::new();
    input.take(length).read_to_end(&mut text).ok()?;
    Some(serde_json::from_slice(&text).unwrap_or_default())
}
