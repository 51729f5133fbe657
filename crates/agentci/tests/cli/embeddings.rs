//! A service for embeddings that does what a test says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// What the service does with a request.
pub(crate) enum Reply {
    /// Answers with vectors: of texts that begin with `Paid` one, of `Nearly` one at a cosine of 0.8, of others one across.
    Vectors,
    /// Answers with this status, these header lines and this body.
    Say(u16, &'static str, &'static str),
    /// Takes the request and never answers.
    Hang,
}

/// The service; it listens until the test process ends.
pub(crate) struct Embeddings {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) key: String,
    pub(crate) body: Value,
}

impl Embeddings {
    /// Answers each request as `reply` says, which gets its number, from 0, and its texts.
    pub(crate) fn new(reply: impl Fn(usize, &[String]) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (seen, reply) = (Arc::clone(&asked), Arc::new(reply));
        std::thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let (seen, reply) = (Arc::clone(&seen), Arc::clone(&reply));
                std::thread::spawn(move || serve(stream, &seen, &*reply));
            }
        });
        Self { url, asked }
    }

    /// The base URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The texts it was asked for so far, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.asked().iter().flat_map(|asked| texts(&asked.body)).collect()
    }
}

fn texts(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    body["input"].as_array().unwrap().iter().map(text).collect()
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Asked>>, reply: &dyn Fn(usize, &[String]) -> Reply) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut first, mut length, mut key) = (String::new(), 0, String::new());
    reader.read_line(&mut first).ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok()?,
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => key = value.to_owned(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let texts = texts(&body);
    let path = first.split(' ').nth(1)?.to_owned();
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(Asked { path, key, body });
        seen.len() - 1
    };
    let (status, headers, body) = match reply(number, &texts) {
        Reply::Say(status, headers, body) => (status, headers, body.to_owned()),
        Reply::Vectors => (200, "", vectors(&texts)),
        Reply::Hang => {
            // The client goes away first.
            std::thread::sleep(Duration::from_secs(600));
            return None;
        }
    };
    let head =
        format!("HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", body.len());
    stream.write_all(format!("{head}connection: close\r\n{headers}\r\n{body}").as_bytes()).ok()
}

fn vectors(texts: &[String]) -> String {
    let vector = |text: &String| match text.split_whitespace().next() {
        Some("Paid") => [1.0, 0.0],
        Some("Nearly") => [0.8, 0.6],
        _ => [0.0, 1.0],
    };
    let data: Vec<Value> =
        texts.iter().enumerate().map(|(index, text)| json!({ "index": index, "embedding": vector(text) })).collect();
    json!({ "data": data }).to_string()
}
