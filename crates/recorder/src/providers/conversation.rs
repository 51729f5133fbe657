//! Where each API has the conversation and its system prompt in a request.

use serde_json::Value;

use crate::ProviderApi;

/// The messages of a request, in order; `None` if the body has no list of messages.
pub(crate) fn messages(api: ProviderApi, body: &Value) -> Option<&[Value]> {
    let list = match api {
        ProviderApi::OpenAiChat
        | ProviderApi::AnthropicMessages
        | ProviderApi::CohereChat
        | ProviderApi::OllamaChat
        | ProviderApi::Bedrock => body.get("messages"),
        ProviderApi::OpenAiResponses => body.get("input"),
        ProviderApi::Gemini => inner(body).1.get("contents"),
        ProviderApi::OpenAiEmbeddings => None,
    };
    list?.as_array().map(Vec::as_slice)
}

/// JSON pointers to all parts of the system prompt of a request.
pub(crate) fn system_pointers(api: ProviderApi, body: &Value) -> Vec<String> {
    let by_role = |list: &str| {
        let messages = messages(api, body).unwrap_or_default().iter().enumerate();
        let is_system = |message: &Value| matches!(message["role"].as_str(), Some("system" | "developer"));
        let of_system = messages.filter(|(_, message)| is_system(message));
        of_system.map(|(index, _)| format!("/{list}/{index}")).collect::<Vec<_>>()
    };
    let named = |body: &Value, before: &str, names: &[&str]| {
        let present = names.iter().filter(|name| body.get(**name).is_some());
        present.map(|name| format!("{before}/{name}")).collect::<Vec<_>>()
    };
    match api {
        ProviderApi::OpenAiChat | ProviderApi::CohereChat => by_role("messages"),
        ProviderApi::OpenAiResponses => [named(body, "", &["instructions"]), by_role("input")].concat(),
        // Messages with this role: instructions within the conversation, and models of other providers behind Bedrock's
        // InvokeModel. Ollama's `generate` has its own key.
        ProviderApi::AnthropicMessages | ProviderApi::Bedrock | ProviderApi::OllamaChat => {
            [named(body, "", &["system"]), by_role("messages")].concat()
        }
        ProviderApi::Gemini => {
            let (before, body) = inner(body);
            named(body, before, &["systemInstruction", "system_instruction"])
        }
        ProviderApi::OpenAiEmbeddings => Vec::new(),
    }
}

/// The body of a Gemini request and the pointer to it: after a login, gemini-cli calls a service that wraps it in
/// `request`.
fn inner(body: &Value) -> (&'static str, &Value) {
    let wrapped = body.get("request").filter(|request| request.get("contents").is_some());
    wrapped.map_or(("", body), |request| ("/request", request))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_system_prompts_for_each_api() {
        let roles = json!({ "system": "a", "messages": [{ "role": "user" }, { "role": "system" }] });
        let contents = json!({ "systemInstruction": {}, "contents": [{ "role": "user" }] });
        let input = json!({ "instructions": "a", "input": [{ "role": "developer" }, { "type": "reasoning" }] });
        let all = [
            (ProviderApi::OpenAiChat, roles.clone(), vec!["/messages/1"]),
            (ProviderApi::CohereChat, roles.clone(), vec!["/messages/1"]),
            (ProviderApi::AnthropicMessages, roles.clone(), vec!["/system", "/messages/1"]),
            (ProviderApi::OllamaChat, json!({ "system": "a", "prompt": "b" }), vec!["/system"]),
            (ProviderApi::Bedrock, roles, vec!["/system", "/messages/1"]),
            (ProviderApi::OpenAiResponses, input, vec!["/instructions", "/input/0"]),
            (ProviderApi::Gemini, contents.clone(), vec!["/systemInstruction"]),
            (ProviderApi::Gemini, json!({ "model": "m", "request": contents }), vec!["/request/systemInstruction"]),
        ];
        for (api, body, wanted) in all {
            let found = system_pointers(api, &body);
            assert_eq!(found, wanted, "{api:?}");
            assert!(found.iter().all(|pointer| body.pointer(pointer).is_some()), "{api:?}");
        }
    }

    #[test]
    fn finds_messages_in_wrapped_request() {
        let body = json!({ "request": { "contents": [1, 2] } });
        assert_eq!(messages(ProviderApi::Gemini, &body).map(<[Value]>::len), Some(2));
        assert_eq!(messages(ProviderApi::OpenAiResponses, &json!({ "input": "hi" })), None);
    }
}
