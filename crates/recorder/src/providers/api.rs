//! The supported APIs, how requests are assigned to them, and how their answers are read.
//!
//! Hosts are ignored: gateways, Azure, Vertex and servers on loopback provide the same APIs. Paths that other services
//! might also have, such as `/messages`, require a matching body.

use agentci_protocols::chat::{ModelAnswer, WireApi, read_answer};
use serde_json::Value;

use crate::{Exchange, RecordedRequest, RecordedResponse};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProviderApi {
    /// OpenAI's Chat Completions, and compatible APIs.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// OpenAI's embeddings.
    OpenAiEmbeddings,
    /// Anthropic's Messages.
    AnthropicMessages,
    /// Google's `generateContent` and `streamGenerateContent`.
    Gemini,
    /// Cohere's chat, version 2.
    CohereChat,
    /// Ollama's chat.
    OllamaChat,
    /// Amazon Bedrock's Converse and `InvokeModel`.
    Bedrock,
}

/// Each API with its name in a recording, and the reader of its answers; in the order of the enum.
const ALL: [(ProviderApi, &str, Option<WireApi>); 8] = [
    (ProviderApi::OpenAiChat, "openai.chat", Some(WireApi::Chat)),
    (ProviderApi::OpenAiResponses, "openai.responses", Some(WireApi::Responses)),
    (ProviderApi::OpenAiEmbeddings, "openai.embeddings", None),
    (ProviderApi::AnthropicMessages, "anthropic.messages", Some(WireApi::Messages)),
    (ProviderApi::Gemini, "gemini", Some(WireApi::Gemini)),
    (ProviderApi::CohereChat, "cohere.chat", Some(WireApi::Cohere)),
    (ProviderApi::OllamaChat, "ollama.chat", Some(WireApi::Ollama)),
    (ProviderApi::Bedrock, "bedrock", Some(WireApi::Bedrock)),
];

impl ProviderApi {
    /// The name of the API in a recording.
    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    /// The API with this name.
    pub fn read(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, known, _)| *known == name).map(|(api, ..)| *api)
    }

    /// The reader of its answers; `None` if they are not text of a model.
    pub fn wire(self) -> Option<WireApi> {
        ALL[self as usize].2
    }
}

/// The API that a request belongs to, determined by its path and body.
pub fn api_of(request: &RecordedRequest) -> Option<ProviderApi> {
    if request.method != "POST" {
        return None;
    }
    let path = route(&request.path);
    let last = path.rsplit('/').next().expect("a split has a first part");
    match last {
        // Azure: `/openai/deployments/{name}/chat/completions`.
        "completions" if path.ends_with("/chat/completions") => Some(ProviderApi::OpenAiChat),
        "embeddings" if has(request, &["input"]) => Some(ProviderApi::OpenAiEmbeddings),
        "responses" if has_any(request, &["input", "prompt", "previous_response_id", "conversation"]) => {
            Some(ProviderApi::OpenAiResponses)
        }
        "messages" if has(request, &["messages", "max_tokens"]) => Some(ProviderApi::AnthropicMessages),
        "chat" if path.ends_with("/v2/chat") && has(request, &["messages", "model"]) => Some(ProviderApi::CohereChat),
        "chat" if path.ends_with("/api/chat") && has(request, &["messages", "model"]) => Some(ProviderApi::OllamaChat),
        "generate" if path.ends_with("/api/generate") && has(request, &["model"]) => Some(ProviderApi::OllamaChat),
        "converse" | "converse-stream" | "invoke" | "invoke-with-response-stream" if path.contains("/model/") => {
            Some(ProviderApi::Bedrock)
        }
        _ => of_verb(request, last),
    }
}

/// Google's paths end in a verb: `/v1beta/models/gemini-2.5-pro:generateContent`. Its cloud forwards requests for
/// models of other providers unchanged.
fn of_verb(request: &RecordedRequest, last: &str) -> Option<ProviderApi> {
    match last.rsplit_once(':')?.1 {
        "generateContent" | "streamGenerateContent" => Some(ProviderApi::Gemini),
        "rawPredict" | "streamRawPredict" if has(request, &["anthropic_version"]) => {
            Some(ProviderApi::AnthropicMessages)
        }
        "rawPredict" | "streamRawPredict" if has(request, &["messages"]) => Some(ProviderApi::OpenAiChat),
        _ => None,
    }
}

/// A path without its query and trailing slashes.
pub(super) fn route(path: &str) -> &str {
    path.split(['?', '#']).next().expect("a split has a first part").trim_end_matches('/')
}

fn field<'r>(request: &'r RecordedRequest, name: &str) -> Option<&'r Value> {
    request.body.as_json()?.get(name)
}

fn has(request: &RecordedRequest, names: &[&str]) -> bool {
    names.iter().all(|name| field(request, name).is_some())
}

fn has_any(request: &RecordedRequest, names: &[&str]) -> bool {
    names.iter().any(|name| field(request, name).is_some())
}

/// The API and the answer of a model call, as far as it was received; `None` if the exchange is not a model call.
pub fn model_answer(exchange: &Exchange) -> Option<(WireApi, ModelAnswer)> {
    let api = exchange.request.api()?.wire()?;
    let answer = exchange.response.as_ref().map(|response| read(api, response));
    Some((api, answer.unwrap_or_default()))
}

pub(super) fn read(api: WireApi, response: &RecordedResponse) -> ModelAnswer {
    let content_type = response.header("content-type").unwrap_or_default();
    read_answer(api, response.status, content_type, response.frames.iter().map(|frame| &*frame.bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordedBody;

    fn posted(path: &str, body: Value) -> RecordedRequest {
        RecordedRequest {
            method: "POST".into(),
            path: path.into(),
            body: RecordedBody::Json(body),
            ..RecordedRequest::default()
        }
    }

    #[test]
    fn recognizes_every_api_path() {
        let chat = json!({ "model": "m", "messages": [] });
        let claude = json!({ "anthropic_version": "vertex-2023-10-16", "max_tokens": 9, "messages": [] });
        let asked = json!({ "model": "m", "input": "hi" });
        let contents = json!({ "contents": [] });
        let vertex = "/v1/projects/p/locations/l/publishers";
        let all = [
            ("/v1/chat/completions", &chat, ProviderApi::OpenAiChat),
            ("/openai/deployments/gpt/chat/completions?api-version=2024-10-21", &chat, ProviderApi::OpenAiChat),
            ("/openai/v1/chat/completions/", &chat, ProviderApi::OpenAiChat),
            ("/v1/responses", &asked, ProviderApi::OpenAiResponses),
            ("/backend-api/codex/responses", &asked, ProviderApi::OpenAiResponses),
            ("/v1/embeddings", &asked, ProviderApi::OpenAiEmbeddings),
            ("/v1/messages?beta=true", &claude, ProviderApi::AnthropicMessages),
            ("/messages", &claude, ProviderApi::AnthropicMessages),
            (&format!("{vertex}/anthropic/models/claude-x:streamRawPredict"), &claude, ProviderApi::AnthropicMessages),
            (&format!("{vertex}/mistralai/models/mistral-x:rawPredict"), &chat, ProviderApi::OpenAiChat),
            (&format!("{vertex}/google/models/gemini-x:generateContent"), &contents, ProviderApi::Gemini),
            ("/v1beta/models/gemini-x:streamGenerateContent?alt=sse", &contents, ProviderApi::Gemini),
            ("/v1internal:streamGenerateContent?alt=sse", &contents, ProviderApi::Gemini),
            ("/v2/chat", &chat, ProviderApi::CohereChat),
            ("/api/chat", &chat, ProviderApi::OllamaChat),
            ("/api/generate", &json!({ "model": "m", "prompt": "hi" }), ProviderApi::OllamaChat),
            ("/model/anthropic.claude%3A0/converse-stream", &chat, ProviderApi::Bedrock),
            ("/model/us.amazon.nova/invoke", &claude, ProviderApi::Bedrock),
        ];
        for (path, body, api) in all {
            assert_eq!(api_of(&posted(path, body.clone())), Some(api), "{path}");
        }
    }

    #[test]
    fn ignores_similar_paths_of_other_services() {
        let all = [
            ("/v1/messages", json!({ "to": "me", "text": "hi" })),
            ("/v1/threads/t/messages", json!({ "role": "user", "content": "hi" })),
            ("/v1/messages/count_tokens", json!({ "model": "m", "messages": [] })),
            ("/surveys/7/responses", json!({ "answers": [1] })),
            ("/api/chat", json!({ "id": "c", "messages": [] })),
            ("/api/generate", json!({ "pdf": true })),
            ("/v1/functions/invoke", json!({ "name": "refund" })),
            ("/v1/models/gemini-x:countTokens", json!({ "contents": [] })),
            ("/v1/completions", json!({ "model": "m", "prompt": "hi" })),
        ];
        for (path, body) in all {
            assert_eq!(api_of(&posted(path, body)), None, "{path}");
        }
        let got =
            RecordedRequest { method: "GET".into(), path: "/v1/chat/completions".into(), ..RecordedRequest::default() };
        assert_eq!(api_of(&got), None);
    }

    #[test]
    fn api_names_round_trip() {
        for (api, ..) in ALL {
            assert_eq!(ProviderApi::read(api.name()), Some(api));
        }
        assert_eq!(ProviderApi::read("openai"), None);
    }
}
