//! An embeddings service that tests can script.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::http_server::{Answer, Asked, listen};

/// What the service does with a request.
pub(crate) enum Reply {
    /// Answers with vectors: texts that begin with `Nearly` have a similarity of 0.8 with those that begin with `Paid`,
    /// all others are orthogonal to them.
    Vectors,
    /// Answers with this status, these header lines and this body.
    Say(u16, &'static str, &'static str),
    /// Accepts the request and never answers.
    Hang,
}

pub(crate) struct Embeddings {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Embeddings {
    /// Answers each request with the result of `reply`, which gets the number of the request, from 0, and its texts.
    pub(crate) fn new(reply: impl Fn(usize, &[String]) -> Reply + Send + Sync + 'static) -> Self {
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let seen = Arc::clone(&asked);
        let address = listen(move |request| {
            let texts = texts(&request.body);
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(request);
                seen.len() - 1
            };
            match reply(number, &texts) {
                Reply::Say(status, headers, body) => Some(Answer(status, headers, body.to_owned())),
                Reply::Vectors => Some(Answer(200, "content-type: application/json\r\n", vectors(&texts))),
                Reply::Hang => None,
            }
        });
        Self { url: format!("{address}/v1"), asked }
    }

    /// The base URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The texts of all requests so far, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.asked().iter().flat_map(|asked| texts(&asked.body)).collect()
    }
}

fn texts(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    body["input"].as_array().unwrap().iter().map(text).collect()
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
