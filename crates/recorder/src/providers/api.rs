//! The APIs that are known, which of them a request belongs to, and how their answers are read.
//!
//! Hosts do not count: gateways, Azure, Vertex and servers on loopback speak the APIs of others. Paths that other services might
//! have as well, such as `/messages`, also need a body that fits.

use agentci_protocols::chat::{ModelAnswer, WireApi, read_answer};
use serde_json::Value;

use crate::{Exchange, Request, Response};

/// An API that a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Api {
    /// OpenAI's Chat Completions, and everyone's who speaks it.
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

const ALL: [Api; 8] = [
    Api::OpenAiChat,
    Api::OpenAiResponses,
    Api::OpenAiEmbeddings,
    Api::AnthropicMessages,
    Api::Gemini,
    Api::CohereChat,
    Api::OllamaChat,
    Api::Bedrock,
];

impl Api {
    /// Its name in a recording.
    pub fn name(self) -> &'static str {
        match self {
            Api::OpenAiChat => "openai.chat",
            Api::OpenAiResponses => "openai.responses",
            Api::OpenAiEmbeddings => "openai.embeddings",
            Api::AnthropicMessages => "anthropic.messages",
            Api::Gemini => "gemini",
            Api::CohereChat => "cohere.chat",
            Api::OllamaChat => "ollama.chat",
            Api::Bedrock => "bedrock",
        }
    }

    /// The API that has this name.
    pub fn read(name: &str) -> Option<Self> {
        ALL.into_iter().find(|api| api.name() == name)
    }

    /// The same for whoever reads its answers; nothing where they are not a model's words.
    pub fn wire(self) -> Option<WireApi> {
        match self {
            Api::OpenAiChat => Some(WireApi::Chat),
            Api::OpenAiResponses => Some(WireApi::Responses),
            Api::AnthropicMessages => Some(WireApi::Messages),
            Api::Gemini => Some(WireApi::Gemini),
            Api::CohereChat => Some(WireApi::Cohere),
            Api::OllamaChat => Some(WireApi::Ollama),
            Api::Bedrock => Some(WireApi::Bedrock),
            Api::OpenAiEmbeddings => None,
        }
    }
}

/// The API that a request belongs to, judged by its path and body.
pub fn api_of(request: &Request) -> Option<Api> {
    if request.method != "POST" {
        return None;
    }
    let path = route(&request.path);
    let last = path.rsplit('/').next().unwrap_or_default();
    match last {
        // Azure: `/openai/deployments/{name}/chat/completions`.
        "completions" if path.ends_with("/chat/completions") => Some(Api::OpenAiChat),
        "embeddings" if has(request, &["input"]) => Some(Api::OpenAiEmbeddings),
        "responses" if has_any(request, &["input", "prompt", "previous_response_id", "conversation"]) => {
            Some(Api::OpenAiResponses)
        }
        "messages" if has(request, &["messages", "max_tokens"]) => Some(Api::AnthropicMessages),
        "chat" if path.ends_with("/v2/chat") && has(request, &["messages", "model"]) => Some(Api::CohereChat),
        "chat" if path.ends_with("/api/chat") && has(request, &["messages", "model"]) => Some(Api::OllamaChat),
        "generate" if path.ends_with("/api/generate") && has(request, &["model"]) => Some(Api::OllamaChat),
        "converse" | "converse-stream" | "invoke" | "invoke-with-response-stream" if path.contains("/model/") => {
            Some(Api::Bedrock)
        }
        _ => of_verb(request, last),
    }
}

/// Google's paths end in a verb: `/v1beta/models/gemini-2.5-pro:generateContent`. Its cloud passes requests to the models of others
/// on as they are.
fn of_verb(request: &Request, last: &str) -> Option<Api> {
    match last.rsplit_once(':')?.1 {
        "generateContent" | "streamGenerateContent" => Some(Api::Gemini),
        "rawPredict" | "streamRawPredict" if has(request, &["anthropic_version"]) => Some(Api::AnthropicMessages),
        "rawPredict" | "streamRawPredict" if has(request, &["messages"]) => Some(Api::OpenAiChat),
        _ => None,
    }
}

/// A path without its query and a slash at its end.
pub(super) fn route(path: &str) -> &str {
    path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

fn field<'r>(request: &'r Request, name: &str) -> Option<&'r Value> {
    request.body.as_json()?.get(name)
}

fn has(request: &Request, names: &[&str]) -> bool {
    names.iter().all(|name| field(request, name).is_some())
}

fn has_any(request: &Request, names: &[&str]) -> bool {
    names.iter().any(|name| field(request, name).is_some())
}

/// The API of a model's call and the answer to it, as far as it came; nothing where the exchange is not a call of a model.
pub fn model_answer(exchange: &Exchange) -> Option<(WireApi, ModelAnswer)> {
    let api = exchange.request.api()?.wire()?;
    let answer = exchange.response.as_ref().map(|response| read(api, response));
    Some((api, answer.unwrap_or_default()))
}

pub(super) fn read(api: WireApi, response: &Response) -> ModelAnswer {
    let content_type = response.header("content-type").unwrap_or_default();
    read_answer(api, response.status, content_type, response.frames.iter().map(|frame| &*frame.bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Body;

    fn posted(path: &str, body: Value) -> Request {
        Request { method: "POST".into(), path: path.into(), body: Body::Json(body), ..Request::default() }
    }

    #[test]
    fn every_path_of_an_api_is_known() {
        let chat = json!({ "model": "m", "messages": [] });
        let claude = json!({ "anthropic_version": "vertex-2023-10-16", "max_tokens": 9, "messages": [] });
        let asked = json!({ "model": "m", "input": "hi" });
        let contents = json!({ "contents": [] });
        let vertex = "/v1/projects/p/locations/l/publishers";
        let all = [
            ("/v1/chat/completions", &chat, Api::OpenAiChat),
            ("/openai/deployments/gpt/chat/completions?api-version=2024-10-21", &chat, Api::OpenAiChat),
            ("/openai/v1/chat/completions/", &chat, Api::OpenAiChat),
            ("/v1/responses", &asked, Api::OpenAiResponses),
            ("/backend-api/codex/responses", &asked, Api::OpenAiResponses),
            ("/v1/embeddings", &asked, Api::OpenAiEmbeddings),
            ("/v1/messages?beta=true", &claude, Api::AnthropicMessages),
            ("/messages", &claude, Api::AnthropicMessages),
            (&format!("{vertex}/anthropic/models/claude-x:streamRawPredict"), &claude, Api::AnthropicMessages),
            (&format!("{vertex}/mistralai/models/mistral-x:rawPredict"), &chat, Api::OpenAiChat),
            (&format!("{vertex}/google/models/gemini-x:generateContent"), &contents, Api::Gemini),
            ("/v1beta/models/gemini-x:streamGenerateContent?alt=sse", &contents, Api::Gemini),
            ("/v1internal:streamGenerateContent?alt=sse", &contents, Api::Gemini),
            ("/v2/chat", &chat, Api::CohereChat),
            ("/api/chat", &chat, Api::OllamaChat),
            ("/api/generate", &json!({ "model": "m", "prompt": "hi" }), Api::OllamaChat),
            ("/model/anthropic.claude%3A0/converse-stream", &chat, Api::Bedrock),
            ("/model/us.amazon.nova/invoke", &claude, Api::Bedrock),
        ];
        for (path, body, api) in all {
            assert_eq!(api_of(&posted(path, body.clone())), Some(api), "{path}");
        }
    }

    #[test]
    fn other_services_with_such_paths_are_not() {
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
        let got = Request { method: "GET".into(), path: "/v1/chat/completions".into(), ..Request::default() };
        assert_eq!(api_of(&got), None);
    }

    #[test]
    fn names_are_read_back() {
        for api in ALL {
            assert_eq!(Api::read(api.name()), Some(api));
        }
        assert_eq!(Api::read("openai"), None);
    }
}
