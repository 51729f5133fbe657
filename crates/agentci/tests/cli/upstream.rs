//! A model and a tool on loopback that can be closed, so that a replay cannot reach them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// The question for which the model requests its tool five times, once for each of `A-1` to `A-5`: ten calls, and one
/// for the answer.
pub(crate) const TEN_STEPS: &str = "Where are my five orders?";

/// A server that implements OpenAI's Chat Completions and answers everything else as a tool. It keeps every request.
/// Before each piece of an answer it waits for the `pause_ms` of the request.
pub(crate) struct Upstream {
    pub(crate) url: String,
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
    /// A text to replace in every answer, and its replacement.
    rewrite: Arc<Mutex<Option<[String; 2]>>>,
    closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Upstream {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (requests, closed) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(AtomicBool::new(false)));
        let rewrite = Arc::<Mutex<Option<[String; 2]>>>::default();
        let (noted, ends, rewrites) = (Arc::clone(&requests), Arc::clone(&closed), Arc::clone(&rewrite));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (noted, rewrites) = (Arc::clone(&noted), Arc::clone(&rewrites));
                std::thread::spawn(move || answer(&stream, &noted, &rewrites));
            }
        });
        Self { url, requests, rewrite, closed, thread: Some(thread) }
    }

    /// Replaces a text in all further answers, as after a change of the API.
    pub(crate) fn rewrites(&self, text: &str, other: &str) {
        *self.rewrite.lock().unwrap() = Some([text.to_owned(), other.to_owned()]);
    }

    /// The number of requests so far.
    pub(crate) fn asked(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// Stops listening.
    pub(crate) fn close(&mut self) {
        self.closed.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        self.thread.take().unwrap().join().unwrap();
    }
}

fn answer(mut stream: &TcpStream, noted: &Mutex<Vec<String>>, rewrite: &Mutex<Option<[String; 2]>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    noted.lock().unwrap().push(format!("{head}\n{}", String::from_utf8_lossy(&body)));
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let (kind, mut frames) = reply(&path, &head, &body);
    if let Some([text, other]) = &*rewrite.lock().unwrap() {
        for frame in &mut frames {
            *frame = frame.replace(text, other);
        }
    }
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    )
    .ok()?;
    for frame in frames {
        std::thread::sleep(Duration::from_millis(body["pause_ms"].as_u64().unwrap_or_default()));
        write!(stream, "{:x}\r\n{frame}\r\n", frame.len()).ok()?;
        stream.flush().ok()?;
    }
    write!(stream, "0\r\n\r\n").ok()
}

/// The model first requests its tool and then reports the result; the tool returns the key it was called with.
fn reply(path: &str, head: &str, body: &Value) -> (&'static str, Vec<String>) {
    if !path.starts_with("/v1/chat/completions") {
        let key = head.lines().find_map(|line| line.strip_prefix("x-api-key: ")).unwrap_or("none").to_owned();
        return ("application/json", vec![json!({ "shipped": "2024-05-03", "caller": key }).to_string()]);
    }
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.last().cloned().unwrap_or_default();
    let asks = json!([{ "index": 0, "id": "call_7Fq2", "type": "function",
                        "function": { "name": "find_order", "arguments": "{\"order\":\"A-17\",\"depth\":2}" } }]);
    let found = messages.iter().filter(|message| message["role"] == "tool").count();
    let (message, finish) = match last["role"] == "tool" {
        _ if messages[0]["content"] == TEN_STEPS && found < 5 => {
            let arguments = format!("{{\"order\":\"A-{}\"}}", found + 1);
            let call = json!([{ "index": 0, "id": format!("call_{found}Kq8"), "type": "function",
                                "function": { "name": "find_order", "arguments": arguments } }]);
            (json!({ "role": "assistant", "content": null, "tool_calls": call }), "tool_calls")
        }
        true => (
            json!({ "role": "assistant", "content": format!("Order 4711 shipped: {}", last["content"].as_str().unwrap_or_default()) }),
            "stop",
        ),
        false if messages.iter().any(|message| message["content"] == "hello") => {
            (json!({ "role": "assistant", "content": "Hi." }), "stop")
        }
        false => (json!({ "role": "assistant", "content": null, "tool_calls": asks }), "tool_calls"),
    };
    let usage = json!({ "prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200 });
    if body["stream"] != true {
        let choices = json!([{ "index": 0, "message": message, "finish_reason": finish }]);
        let answer =
            json!({ "id": "c1", "object": "chat.completion", "model": "gpt-4o", "choices": choices, "usage": usage });
        return ("application/json", vec![answer.to_string()]);
    }
    let chunk = |delta: &Value, finish: Value| {
        let choices = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        format!(
            "data: {}\n\n",
            json!({ "id": "c1", "object": "chat.completion.chunk", "model": "gpt-4o", "choices": choices })
        )
    };
    (
        "text/event-stream",
        vec![chunk(&message, Value::Null), chunk(&json!({}), finish.into()), "data: [DONE]\n\n".into()],
    )
}
