//! An HTTP server that tests can script; it listens until the test process ends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    /// The header `authorization`.
    pub(crate) key: String,
    /// All header lines.
    pub(crate) head: String,
    /// The body, if it is JSON.
    pub(crate) body: Value,
}

/// An answer: status, additional header lines, each with its line end, and body.
pub(crate) struct Answer(pub(crate) u16, pub(crate) &'static str, pub(crate) String);

/// Answers each request with the result of `reply`; never answers if that is `None`. Returns the address, without a
/// path.
pub(crate) fn listen(reply: impl Fn(Asked) -> Option<Answer> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let reply = Arc::new(reply);
    std::thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let reply = Arc::clone(&reply);
            std::thread::spawn(move || serve(stream, &*reply));
        }
    });
    address
}

fn serve(mut stream: TcpStream, reply: &dyn Fn(Asked) -> Option<Answer>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut first, mut length, mut key, mut head) = (String::new(), 0, String::new(), String::new());
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        head.push_str(&line);
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok()?,
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => value.clone_into(&mut key),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let path = first.split(' ').nth(1)?.to_owned();
    let Some(Answer(status, headers, body)) = reply(Asked { path, key, head, body }) else {
        // The client gives up before that.
        std::thread::sleep(Duration::from_mins(10));
        return None;
    };
    let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
    stream.write_all(format!("{head}{headers}\r\n{body}").as_bytes()).ok()
}
