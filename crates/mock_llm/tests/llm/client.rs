//! A client of the scripted model.

use std::path::Path;
use std::sync::Arc;

use agentci_mock_llm::{ModelServer, ModelServerOptions};
use agentci_plan::ModelScript;
use agentci_source::{MemoryFiles, Sources};
use serde_json::Value;

use crate::raw::send_to;
pub(crate) use crate::raw::{Answer, read, request};

impl Answer {
    /// The data of each event, without `[DONE]`.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    /// The names of the events, without consecutive duplicates.
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
    ModelServer::start(script(yaml), ModelServerOptions::default()).await.unwrap()
}

pub(crate) async fn send(server: &ModelServer, request: &[u8]) -> Answer {
    send_to(server.address(), request).await
}

pub(crate) async fn post(server: &ModelServer, path: &str, body: &Value) -> Answer {
    send(server, &request("POST", path, "", body.to_string().as_bytes())).await
}

pub(crate) async fn get(server: &ModelServer, path: &str) -> Answer {
    send(server, &request("GET", path, "", b"")).await
}

/// Sends a chat request with this user message.
pub(crate) async fn chat(server: &ModelServer, user: &str) -> Answer {
    let body = serde_json::json!({ "model": "gpt-4o", "messages": [{ "role": "user", "content": user }] });
    post(server, "/v1/chat/completions", &body).await
}

/// The text of a chat completion.
pub(crate) fn said(answer: &Answer) -> String {
    answer.json()["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
}
