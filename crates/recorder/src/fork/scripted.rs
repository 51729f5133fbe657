//! Maps the path of a provider's API to that of the scripted model.

use crate::{ProviderApi, RecordedRequest};

/// Endpoints that count tokens, which the scripted model answers too.
const COUNTS: [&str; 3] = ["/messages/count_tokens", "/responses/input_tokens", ":countTokens"];

/// Whether a request calls a model.
pub(super) fn is_of_model(request: &RecordedRequest) -> bool {
    request.api().is_some() || counts(request).is_some()
}

/// The path and query at which the scripted model answers a request. `None` if it does not support the API, or if the
/// request does not call a model.
pub(crate) fn scripted_path(request: &RecordedRequest) -> Option<String> {
    let whole = request.path.as_str();
    let path = whole.split('?').next().expect("a split has a first part");
    let deployment = || whole.find("/deployments/").map(|at| format!("/openai{}", &whole[at..]));
    if let Some(count) = counts(request) {
        return if count.starts_with(':') { of_google(whole) } else { Some(format!("/v1{count}")) };
    }
    match request.api()? {
        ProviderApi::OpenAiChat => deployment().or_else(|| Some("/v1/chat/completions".into())),
        ProviderApi::OpenAiResponses => Some("/v1/responses".into()),
        ProviderApi::OpenAiEmbeddings => deployment().or_else(|| Some("/v1/embeddings".into())),
        ProviderApi::AnthropicMessages => Some("/v1/messages".into()),
        ProviderApi::Gemini => of_google(whole),
        ProviderApi::OllamaChat if path.trim_end_matches('/').ends_with("/generate") => Some("/api/generate".into()),
        ProviderApi::OllamaChat => Some("/api/chat".into()),
        ProviderApi::CohereChat | ProviderApi::Bedrock => None,
    }
}

fn counts(request: &RecordedRequest) -> Option<&'static str> {
    let path = request.path.split('?').next().expect("a split has a first part");
    COUNTS.into_iter().find(|end| request.method == "POST" && path.ends_with(end))
}

/// Google's paths contain the name of the model after a prefix that depends on the cloud.
fn of_google(path: &str) -> Option<String> {
    path.find("/models/").map(|at| format!("/v1beta{}", &path[at..]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordedBody;

    #[test]
    fn maps_gateway_and_cloud_paths_to_provider_path() {
        let body = json!({ "model": "m", "messages": [], "max_tokens": 9, "input": "x", "anthropic_version": "v" });
        for (path, scripted) in [
            ("/proxy/v1/chat/completions", Some("/v1/chat/completions")),
            ("/openai/deployments/gpt/chat/completions?v=1", Some("/openai/deployments/gpt/chat/completions?v=1")),
            ("/backend-api/codex/responses", Some("/v1/responses")),
            ("/v1/messages?beta=true", Some("/v1/messages")),
            ("/v1/messages/count_tokens", Some("/v1/messages/count_tokens")),
            ("/v1/p/models/claude:streamRawPredict", Some("/v1/messages")),
            ("/v1/p/google/models/g:generateContent", Some("/v1beta/models/g:generateContent")),
            ("/v1beta/models/g:streamGenerateContent?alt=sse", Some("/v1beta/models/g:streamGenerateContent?alt=sse")),
            ("/v1internal:generateContent", None),
            ("/api/chat", Some("/api/chat")),
            ("/api/generate", Some("/api/generate")),
            ("/v2/chat", None),
            ("/orders/17", None),
        ] {
            let (method, body) = ("POST".into(), RecordedBody::Json(body.clone()));
            let request = RecordedRequest { method, path: path.into(), body, ..RecordedRequest::default() };
            assert_eq!(scripted_path(&request).as_deref(), scripted, "{path}");
        }
    }
}
