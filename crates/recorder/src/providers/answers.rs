//! The answers of models in a recording.

use agentci_protocols::chat::{ModelAnswer, WireApi, read_answer};

use super::Api;
use crate::{Exchange, Response};

impl Api {
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
