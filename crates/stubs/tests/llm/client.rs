//! A client with a socket and no opinion.

use std::path::Path;
use std::sync::Arc;

use agentci_plan::{MemoryFiles, ModelScript, Sources};
use agentci_stubs::{ModelServer, ServerOptions};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
    /// Whether all of the body came.
    pub(crate) whole: bool,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The data of each event, `[DONE]` left out.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    /// The names of the events, those that follow each other told once.
    pub(crate) fn event_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.body.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
        names.dedup();
        names
    }
}

pub(crate) fn script(yaml: &str) -> Arc<ModelScript> {
    let files = MemoryFiles::default().with("model.yaml", yaml);
    Arc::new(agentci_formats::load_model_script(&files, &mut Sources::default(), Path::new("model.yaml")).unwrap())
}

pub(crate) async fn serve(yaml: &str) -> ModelServer {
    ModelServer::start(script(yaml), ServerOptions::default()).await.unwrap()
}

/// Sends a request as it is and reads the answer to its end.
pub(crate) async fn send(server: &ModelServer, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(request).await.unwrap();
    read(&mut stream).await
}

pub(crate) async fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A connection that is reset has said what it had to say.
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8(bytes).unwrap();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap_or((text.as_str(), ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    let (body, whole) =
        if head.contains("transfer-encoding: chunked") { unchunk(rest) } else { (rest.to_owned(), true) };
    Answer { status, head: head.to_owned(), body, whole }
}

fn unchunk(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        body.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    (body, false)
}

pub(crate) fn request(method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub(crate) async fn post(server: &ModelServer, path: &str, body: &Value) -> Answer {
    send(server, &request("POST", path, "", body.to_string().as_bytes())).await
}

pub(crate) async fn get(server: &ModelServer, path: &str) -> Answer {
    send(server, &request("GET", path, "", b"")).await
}

/// A chat request that says this.
pub(crate) async fn chat(server: &ModelServer, user: &str) -> Answer {
    let body = serde_json::json!({ "model": "gpt-4o", "messages": [{ "role": "user", "content": user }] });
    post(server, "/v1/chat/completions", &body).await
}

/// The text of a chat completion.
pub(crate) fn said(answer: &Answer) -> String {
    answer.json()["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
}
