//! A live world to record in tests: a model and a shop on loopback, which can be shut down.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// A server that acts as a model and as a shop.
pub(crate) struct LiveWorld {
    address: SocketAddr,
    /// Method and path of every request.
    asked: Arc<Mutex<Vec<String>>>,
    closed: Arc<AtomicBool>,
}

impl LiveWorld {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let world = Self { address, asked: Arc::default(), closed: Arc::default() };
        let (asked, closed) = (Arc::clone(&world.asked), Arc::clone(&world.closed));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if closed.load(Ordering::SeqCst) {
                    break;
                }
                let asked = Arc::clone(&asked);
                std::thread::spawn(move || serve(stream, &asked));
            }
        });
        world
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Stops listening.
    pub(crate) fn shut_down(&self) {
        self.closed.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

impl Drop for LiveWorld {
    fn drop(&mut self) {
        self.shut_down();
    }
}

fn serve(stream: TcpStream, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut length = 0;
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header).unwrap_or(0) == 0 {
                return;
            }
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        asked.lock().unwrap().push(format!("{method} {path}"));
        if path == "/never" {
            // The client gives up before that.
            std::thread::sleep(Duration::from_mins(10));
        }
        let answer = answer(path, &serde_json::from_slice(&body).unwrap_or_default()).to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        if reader.get_mut().write_all(head.as_bytes()).is_err() {
            return;
        }
    }
}

fn answer(path: &str, body: &Value) -> Value {
    match path.split('?').next().unwrap_or_default() {
        "/v1/chat/completions" => completion(body),
        "/orders" => json!({ "order": "A-17", "total": 20 }),
        "/refunds" => json!({ "refunded": body["amount"] }),
        other => json!({ "path": other }),
    }
}

/// Requests a refund of the order; once it has the result, says so.
fn completion(body: &Value) -> Value {
    let last = body["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
    let message = if last["role"] == "tool" {
        json!({ "role": "assistant", "content": format!("done: {}", last["content"].as_str().unwrap_or_default()) })
    } else {
        let arguments = json!({ "order": "A-17", "amount": 20 }).to_string();
        let function = json!({ "name": "refund_order", "arguments": arguments });
        json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "call_7Xk2pQ9", "type": "function", "function": function }] })
    };
    let finish = if last["role"] == "tool" { "stop" } else { "tool_calls" };
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100 },
    })
}
