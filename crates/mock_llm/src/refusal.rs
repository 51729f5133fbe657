//! Errors in the format of each provider.

use std::time::Duration;

use serde_json::{Value, json};

use super::{gemini, provider::Provider};

/// An error response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelRefusal {
    /// The HTTP status.
    pub(super) status: u16,
    /// The message in the body.
    pub(super) message: String,
    /// The part of the request that is wrong.
    pub(super) param: Option<String>,
    /// A code that is more specific than the status.
    pub(super) code: Option<&'static str>,
    /// The value of the `retry-after` header.
    pub(super) retry_after: Option<Duration>,
    /// The allowed methods.
    pub(super) allow: Option<&'static str>,
}

impl ModelRefusal {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), param: None, code: None, retry_after: None, allow: None }
    }

    /// An error (400) in a part of the request.
    pub(super) fn of_part(param: &str, message: impl Into<String>) -> Self {
        Self { param: Some(param.to_owned()), ..Self::new(400, message) }
    }

    pub(super) fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// The error on one line, with its status and parameter.
    pub(super) fn told(&self) -> String {
        let Self { status, message, param, .. } = self;
        match param {
            Some(param) => format!("{message} (status {status}, `{param}`)"),
            None => format!("{message} (status {status})"),
        }
    }

    /// The body in the provider's format.
    pub(super) fn body(&self, provider: Provider, request_id: &str) -> Value {
        match provider {
            Provider::OpenAi | Provider::Azure => json!({
                "error": {
                    "message": self.message,
                    "type": self.openai_type(),
                    "param": self.param,
                    "code": self.code.or_else(|| self.openai_code()),
                }
            }),
            Provider::Anthropic => json!({
                "type": "error",
                "error": { "type": self.anthropic_type(), "message": self.message },
                "request_id": request_id,
            }),
            Provider::Gemini => json!({
                "error": { "code": self.status, "message": self.message, "status": gemini::status(self.status) }
            }),
            Provider::Ollama => json!({ "error": self.message }),
        }
    }

    fn openai_type(&self) -> &'static str {
        match self.status {
            429 => "requests",
            500.. => "server_error",
            _ => "invalid_request_error",
        }
    }

    fn openai_code(&self) -> Option<&'static str> {
        match self.status {
            401 => Some("invalid_api_key"),
            429 => Some("rate_limit_exceeded"),
            _ => None,
        }
    }

    fn anthropic_type(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_format_of_each_provider() {
        let refusal = ModelRefusal::of_part("messages", "it must be a list");
        assert_eq!(
            refusal.body(Provider::OpenAi, "r1").to_string(),
            r#"{"error":{"message":"it must be a list","type":"invalid_request_error","param":"messages","code":null}}"#
        );
        assert_eq!(
            ModelRefusal::new(429, "slow down").body(Provider::Anthropic, "r1").to_string(),
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"},"request_id":"r1"}"#
        );
        assert_eq!(
            ModelRefusal::new(429, "slow down").body(Provider::Gemini, "r1").to_string(),
            r#"{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}"#
        );
        assert_eq!(ModelRefusal::new(404, "gone").body(Provider::Ollama, "r1").to_string(), r#"{"error":"gone"}"#);
        assert_eq!(ModelRefusal::new(529, "").body(Provider::Anthropic, "")["error"]["type"], "overloaded_error");
        assert_eq!(ModelRefusal::new(401, "").body(Provider::OpenAi, "")["error"]["code"], "invalid_api_key");
    }
}
