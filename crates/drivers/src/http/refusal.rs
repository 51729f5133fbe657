//! Turns failed answers into errors.

use serde_json::Value;

use super::answer_text;
use super::reader::HttpAnswerError;
use crate::DriveError;
use crate::error::{shortened, shown};

/// The error for a status that is not a success.
pub(super) fn refused(status: u16, body: &[u8]) -> DriveError {
    let help = match status {
        300..=399 => "the agent redirects the request: check the target's `url`",
        401 | 403 => "check the credentials in the target's `headers`",
        404 | 405 => "check the target's `url`: the server answers, but not at this path",
        400 | 415 | 422 => "the agent does not accept the request: check the target's `body` and `headers`",
        429 => "run fewer cases at once (`--parallel`), or retry with `--retries`",
        _ => "look at the agent's log",
    };
    let text = String::from_utf8_lossy(body);
    let words = match serde_json::from_str::<Value>(&text) {
        Ok(value @ Value::Object(_)) => answer_text::words(&value),
        _ => text.trim().to_owned(),
    };
    DriveError::of_status(status, format!("the agent answered with status {status}{}", shown(&words)), help)
}

impl From<HttpAnswerError> for DriveError {
    fn from(none: HttpAnswerError) -> Self {
        match none {
            HttpAnswerError::Failed(words) if words.is_empty() => DriveError::AgentError("no message".into()),
            HttpAnswerError::Failed(words) => DriveError::AgentError(shortened(&words)),
            HttpAnswerError::Garbled(message) => {
                DriveError::protocol(message, "check what the agent sends and its `content-type`")
            }
            HttpAnswerError::Mislabelled(message) => DriveError::protocol(
                message,
                "fix the `content-type` of the answer, or accept it as text with `protocol: warn` in the target",
            ),
            HttpAnswerError::Torn(message) => DriveError::protocol(
                message,
                "look at the agent's log: it stopped, or something in between closed the connection",
            ),
            HttpAnswerError::Ambiguous(first, second) => {
                let (first, second) = (shortened(&first), shortened(&second));
                DriveError::protocol(
                    format!(
                        "events of the kinds `{first}` and `{second}` contain text, but only one can be the answer"
                    ),
                    format!("list the kinds that are text in the target, for example `events: [{second}]`"),
                )
            }
            HttpAnswerError::Empty(message) => {
                let help = if message.ends_with("empty") {
                    "look at the agent's log"
                } else {
                    "set the target's `answer` to the JSON pointer of the text, such as `/data/text`"
                };
                DriveError::Refused { message, help: help.into() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_reports_status_and_response_message() {
        for (status, body, expected) in [
            (500, "{\"detail\":\"no model\"}", "the agent answered with status 500\nit says: no model"),
            (503, " busy\n", "the agent answered with status 503\nit says: busy"),
            (502, "", "the agent answered with status 502"),
        ] {
            assert_eq!(refused(status, body.as_bytes()).to_string(), expected);
        }
        let long = refused(400, &[b'x'; 1000]).to_string();
        assert!(long.ends_with("xxx...") && long.len() < 400, "{long}");
    }
}
