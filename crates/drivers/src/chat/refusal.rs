//! Turns error responses of providers into errors.

use agentci_trace::Moment;
use serde_json::Value;

use super::completion::CompletionError;
use super::retry::{AnswerError, kind_may_pass};
use crate::DriveError;

/// The maximum length of an answer in a message.
const SHOWN: usize = 500;

/// The error for a status that is not a success.
pub(super) fn refused(status: u16, body: &[u8]) -> DriveError {
    let help = match status {
        400 | 422 => "check the options of the agent and the messages of the case: the model does not accept them",
        401 | 403 => "check the connector's key",
        404 | 405 => "check the connector's host and model",
        429 => "run fewer cases at once (`--parallel`), or retry with `--retries`",
        500.. => "the model provider has a problem: try again later",
        _ => "check the connector",
    };
    let words = words(body);
    let words = if words.is_empty() { words } else { format!(": {words}") };
    DriveError::of_status(status, format!("the model's server answered with status {status}{words}"), help)
}

/// The error for an answer that cannot be used. `said` is whether the model already produced output, which rules out a
/// retry.
pub(super) fn unusable(broken: CompletionError, said: bool, at: Moment) -> AnswerError {
    let help = "check the connector's host and type: the server there does not follow the API of that type";
    match broken {
        CompletionError::Malformed(message) => {
            AnswerError::Final(DriveError::protocol(format!("the model's answer cannot be read: {message}"), help))
        }
        CompletionError::CutOff => AnswerError::Final(DriveError::protocol(
            "the model's answer ended before it was complete",
            "check the server and any proxy in front of it",
        )),
        CompletionError::Failed { kind, message } => {
            let name = kind.as_ref().map(|kind| format!(" ({kind})")).unwrap_or_default();
            let error = DriveError::AgentError(format!("{}{name}", short(&message)));
            match kind {
                Some(kind) if !said && kind_may_pass(&kind) => AnswerError::Busy { error, wait: None, at },
                _ => AnswerError::Final(error),
            }
        }
    }
}

/// The error message in an answer.
fn words(body: &[u8]) -> String {
    let said: Option<Value> = serde_json::from_slice(body).ok();
    let message = said.as_ref().and_then(|said| {
        let error = said.get("error").unwrap_or(said);
        error.get("message").or_else(|| said.get("detail")).unwrap_or(error).as_str()
    });
    match message {
        Some(message) => short(message),
        None => short(&String::from_utf8_lossy(body)),
    }
}

fn short(text: &str) -> String {
    agentci_text::excerpt(text.trim(), SHOWN).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_includes_the_provider_message() {
        let told = |status, body: &str| refused(status, body.as_bytes()).to_string();
        assert_eq!(
            told(401, r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error"}}"#),
            "the model's server answered with status 401: Incorrect API key provided"
        );
        assert_eq!(
            told(529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            "the model's server answered with status 529: Overloaded"
        );
        assert_eq!(
            told(404, r#"{"error":"model not found"}"#),
            "the model's server answered with status 404: model not found"
        );
        assert_eq!(told(422, r#"{"detail":"bad"}"#), "the model's server answered with status 422: bad");
        assert_eq!(told(502, "<html>"), "the model's server answered with status 502: <html>");
        assert_eq!(told(500, ""), "the model's server answered with status 500");
        assert!(told(500, &"\u{fc}".repeat(2_000)).ends_with("\u{fc}..."));
    }
}
