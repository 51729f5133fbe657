//! Finds calls of a recording whose answer is an error: every replay repeats that error.

use std::collections::HashMap;

use agentci_text::{excerpt, one_line};
use agentci_trace::sha256;
use serde_json::Value;

use super::answer::values;
use crate::{EndKind, Exchange, RecordedRequest, RecordedResponse, Recording, model_answer};

/// Maximum number of characters of an error message.
const TOLD: usize = 120;
/// Statuses that ask a client to retry later.
const LATER: [u16; 2] = [429, 529];

/// The answers of a recording that are errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BadAnswers {
    pub errors: Vec<BadAnswer>,
    /// How many answers only asked to retry later, and were retried successfully.
    pub retried: usize,
}

/// An answer that is an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadAnswer {
    /// The number of the call.
    pub id: u64,
    /// The status, if there is an answer.
    pub status: Option<u16>,
    /// What happened to the call, as a verb phrase: `was answered with status 404`.
    pub what: String,
    /// Whether the error is in the end of the exchange, not in the answer itself.
    pub by_end: bool,
}

/// Finds the answers of a recording that are errors. Telemetry is skipped, since its answers do not matter.
pub fn bad_answers(recording: &Recording) -> BadAnswers {
    let mut found = BadAnswers::default();
    let mut succeeded = None;
    for exchange in recording.exchanges.iter().filter(|exchange| !exchange.chatter) {
        let Some((what, by_end)) = wrong(exchange) else { continue };
        let status = exchange.response.as_ref().map(|response| response.status);
        if status.is_some_and(|status| LATER.contains(&status)) {
            let succeeded = succeeded.get_or_insert_with(|| successes(recording));
            if succeeded.get(&print(&exchange.request)).is_some_and(|id| *id > exchange.id) {
                found.retried += 1;
                continue;
            }
        }
        found.errors.push(BadAnswer { id: exchange.id, status, what, by_end });
    }
    found
}

/// The last successful call of each request.
fn successes(recording: &Recording) -> HashMap<String, u64> {
    let good = recording.exchanges.iter().filter(|exchange| exchange.response.is_some() && wrong(exchange).is_none());
    good.map(|exchange| (print(&exchange.request), exchange.id)).collect()
}

/// A fingerprint; equal requests have the same.
fn print(request: &RecordedRequest) -> String {
    sha256(format!("{} {}{}\n{:?}", request.method, request.origin, request.path, request.body).as_bytes())
}

/// The error of an answer, and whether it is in the end of the exchange.
fn wrong(exchange: &Exchange) -> Option<(String, bool)> {
    match &exchange.end.how {
        EndKind::Broken(message) => return Some((format!("broke off: {}", short(message)), true)),
        EndKind::Unreachable(message) => return Some((format!("did not reach its server: {}", short(message)), true)),
        EndKind::TooLarge => return Some(("has an answer that was too large to be recorded".into(), true)),
        EndKind::Closed | EndKind::Left => {}
    }
    let response = exchange.response.as_ref()?;
    let said = said(exchange, response);
    if response.status >= 400 {
        let said = said.filter(|said| !said.starts_with("status ")).map(|said| format!(": {said}")).unwrap_or_default();
        return Some((format!("was answered with status {}{said}", response.status), false));
    }
    said.map(|said| (format!("was answered with an error: {said}"), false))
}

/// The error message inside an answer.
pub(super) fn said(exchange: &Exchange, response: &RecordedResponse) -> Option<String> {
    let of_model = || model_answer(exchange)?.1.error;
    let values = values(response);
    let within = values.iter().find_map(|(kind, value)| of_protocol(kind, value));
    within.or_else(of_model).map(|said| short(&said))
}

/// The error of a JSON-RPC answer, or of an event named `error`.
fn of_protocol(kind: &str, value: &Value) -> Option<String> {
    let messages = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let error = messages.iter().filter(|value| value["jsonrpc"] == "2.0").find_map(|value| value.get("error"));
    if let Some(error) = error.filter(|error| !error.is_null()) {
        let message = error["message"].as_str().unwrap_or_default();
        return Some(format!("JSON-RPC {} {message}", error["code"]));
    }
    if kind != "error" {
        return None;
    }
    let message = value.pointer("/error/message").or_else(|| value.get("message")).and_then(Value::as_str);
    Some(message.map_or_else(|| value.to_string(), str::to_owned))
}

fn short(text: &str) -> String {
    one_line(&excerpt(text, TOLD)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnswerFrame, ExchangeEnd, RecordedBody};

    fn call(id: u64, asked: &str, status: u16, kind: &str, answer: &str) -> Exchange {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        let frames = vec![AnswerFrame { at_us: 2, bytes: answer.to_owned().into() }];
        let request = RecordedRequest {
            method: "POST".into(),
            origin: "https://a.example".into(),
            path: "/v1/x".into(),
            body: RecordedBody::Text(asked.into()),
            ..RecordedRequest::default()
        };
        let response = Some(RecordedResponse { at_us: 1, status, headers, frames });
        Exchange {
            id,
            request,
            response,
            end: ExchangeEnd { at_us: 3, how: EndKind::Closed },
            chatter: false,
            after: None,
        }
    }

    fn found(exchanges: Vec<Exchange>) -> (Vec<(u64, String)>, usize) {
        let found = bad_answers(&Recording { exchanges, ..Recording::default() });
        (found.errors.into_iter().map(|bad| (bad.id, bad.what)).collect(), found.retried)
    }

    #[test]
    fn finds_errors_in_status_body_and_connection() {
        let json = "application/json";
        let mut lost = call(4, "d", 200, json, "{}");
        lost.end.how = EndKind::Broken("reset\nby peer".into());
        let mut telemetry = call(5, "e", 500, json, "");
        telemetry.chatter = true;
        let all = vec![
            call(1, "a", 404, json, ""),
            call(2, "b", 200, json, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool"}}"#),
            call(3, "c", 200, "text/event-stream", "event: error\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n"),
            lost,
            telemetry,
            call(6, "f", 200, json, r#"{"error":"of the shop's own, and nothing that we know"}"#),
            call(7, "g", 200, json, r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#),
        ];
        let wanted = [
            (1, "was answered with status 404".to_owned()),
            (2, "was answered with an error: JSON-RPC -32602 no such tool".to_owned()),
            (3, "was answered with an error: overloaded".to_owned()),
            (4, "broke off: reset\\nby peer".to_owned()),
        ];
        assert_eq!(found(all), (wanted.to_vec(), 0));
    }

    #[test]
    fn rate_limit_is_accepted_only_if_retry_succeeded() {
        let json = "application/json";
        let again = vec![call(1, "a", 429, json, ""), call(2, "a", 429, json, ""), call(3, "a", 200, json, "{}")];
        assert_eq!(found(again), (Vec::new(), 2));
        let status = "was answered with status 429".to_owned();
        let other = vec![call(1, "a", 429, json, ""), call(2, "b", 200, json, "{}")];
        assert_eq!(found(other), (vec![(1, status.clone())], 0));
        let before = vec![call(1, "a", 200, json, "{}"), call(2, "a", 429, json, "")];
        assert_eq!(found(before), (vec![(2, status)], 0));
        let gone = vec![call(1, "a", 404, json, ""), call(2, "a", 200, json, "{}")];
        assert_eq!(found(gone).1, 0);
    }
}
