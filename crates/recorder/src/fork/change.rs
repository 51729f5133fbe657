//! Changes to recorded answers, written as `/calls/6/result=JSON`.

use serde_json::Value;

use super::answer::{self, SetAnswerError};
use super::scripted::scripted_path;
use crate::{Exchange, Recording, miss_answer};

/// A change to the answer of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerChange {
    /// The call, as numbered by `agentci recording show`.
    pub call: u64,
    what: ChangeKind,
    /// The path as written: `/calls/6/result`.
    place: String,
}

#[derive(Debug, Clone, PartialEq)]
enum ChangeKind {
    Status(u16),
    /// The whole result, or the value at a pointer into it.
    Result(String, Value),
}

/// A model call whose answer is set to a text. A scripted model sends it in the format of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenCall {
    /// The number of the call.
    pub call: u64,
    /// The text of the answer.
    pub text: String,
}

/// Why a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ChangeError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

fn wrong(message: String, help: impl Into<String>) -> ChangeError {
    ChangeError { message, help: help.into() }
}

/// The help for a call without an answer.
const ANOTHER_CALL: &str = "change another call; `agentci recording show` lists them";

/// The help for a change that cannot be parsed.
const FORMS: &str = "expected `/calls/N/result=JSON`, `/calls/N/result/POINTER=JSON` or `/calls/N/status=CODE`";

impl AnswerChange {
    /// Parses a change: `/calls/6/result={"shipped": false}`.
    pub fn parse(text: &str) -> Result<Self, ChangeError> {
        let Some((place, value)) = text.split_once('=') else {
            return Err(wrong(format!("`{text}` has no `=` followed by a value"), FORMS));
        };
        let no_place = || wrong(format!("`{place}` is not a place in an answer"), FORMS);
        let below = place.strip_prefix("/calls/").ok_or_else(no_place)?;
        let (call, part) = below.split_once('/').ok_or_else(no_place)?;
        let call: u64 = call.parse().map_err(|_| no_place())?;
        let what = match part.strip_prefix("result").filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            Some(pointer) => {
                let parsed = serde_json::from_str(value).map_err(|error| {
                    let quoted = Value::from(value).to_string();
                    let help = format!("a string needs JSON quotes: `--set '{place}={quoted}'`");
                    wrong(format!("the value of `{place}` is not JSON: {error}"), help)
                })?;
                ChangeKind::Result(pointer.to_owned(), parsed)
            }
            None if part == "status" => {
                let status = value.parse().ok().filter(|status| (200..600).contains(status));
                let help = || format!("use a number from 200 to 599: `--set {place}=503`");
                ChangeKind::Status(status.ok_or_else(|| wrong(format!("`{value}` is not a status code"), help()))?)
            }
            None => return Err(no_place()),
        };
        Ok(Self { call, what, place: place.to_owned() })
    }

    /// The path of the change: `/calls/6/result`.
    pub fn place(&self) -> &str {
        &self.place
    }
}

/// Applies changes to a recording that answers the calls up to `until`. Returns the calls that a scripted model must
/// answer.
pub fn change(recording: &mut Recording, changes: &[AnswerChange], until: u64) -> Result<Vec<SpokenCall>, ChangeError> {
    let mut spoken: Vec<SpokenCall> = Vec::new();
    let count = recording.exchanges.len();
    for (index, change) in changes.iter().enumerate() {
        let AnswerChange { call, what, place } = change;
        let found = recording.exchanges.iter_mut().find(|exchange| exchange.id == *call);
        let exchange = found.ok_or_else(|| {
            let help = format!("it has calls 1 to {count}; `agentci recording show` lists them");
            wrong(format!("the recording has no call {call}"), help)
        })?;
        if *call > until {
            let message = format!("call {call} comes after `--until {until}`, so the recording does not answer it");
            return Err(wrong(message, format!("replay up to that call: `--until {call}`")));
        }
        let is_spoken = spoken.iter().any(|spoken| spoken.call == *call);
        let is_changed = || changes[..index].iter().any(|earlier| earlier.call == *call);
        if is_spoken || spoken_as(exchange, what).is_some() && is_changed() {
            let help = "a string replaces the whole answer of a model: set it alone, or change single values";
            return Err(wrong(format!("call {call} is set to a string and has further changes"), help));
        }
        match (what, spoken_as(exchange, what)) {
            (_, Some(text)) if scripted_path(&exchange.request).is_some() => {
                spoken.push(SpokenCall { call: *call, text: text.to_owned() });
            }
            (_, Some(_)) => {
                let help = format!("change a value of the recorded answer: `--set '{place}/POINTER=JSON'`");
                return Err(wrong(format!("call {call} uses an API that cannot be answered with a text"), help));
            }
            (ChangeKind::Status(status), None) => set_status(exchange, *status).ok_or_else(|| {
                let message = format!("call {call} got no answer when it was recorded, so it has no status");
                wrong(message, ANOTHER_CALL)
            })?,
            (ChangeKind::Result(pointer, value), None) => {
                answer::set(recording, *call, pointer, value).map_err(|refused| explained(refused, change))?;
            }
        }
    }
    Ok(spoken)
}

/// The text that a model should answer with.
fn spoken_as<'c>(exchange: &Exchange, what: &'c ChangeKind) -> Option<&'c str> {
    let ChangeKind::Result(pointer, Value::String(text)) = what else { return None };
    let api = exchange.request.api()?;
    (pointer.is_empty() && api.wire().is_some()).then_some(text)
}

/// Sets the status. An error of a model gets a body in the format of its API, as its SDK expects.
fn set_status(exchange: &mut Exchange, status: u16) -> Option<()> {
    let api = exchange.request.api();
    let is_error = api.is_some() && status >= 400;
    let body = is_error.then(|| miss_answer(api, &exchange.request, &format!("status {status}, set by `--set`")).body);
    let response = exchange.response.as_mut()?;
    response.status = status;
    if let Some(body) = body {
        answer::replace(response, body);
        let kind = response.headers.iter_mut().find(|(name, _)| name == "content-type");
        if let Some((_, kind)) = kind {
            "application/json".clone_into(kind);
        }
    }
    Some(())
}

fn explained(refused: SetAnswerError, change: &AnswerChange) -> ChangeError {
    let AnswerChange { call, place, .. } = change;
    let whole = format!("`--set '/calls/{call}/result=\"..\"'`");
    match refused {
        SetAnswerError::NoAnswer => {
            let message = format!("call {call} got no answer when it was recorded, so there is nothing to change");
            wrong(message, ANOTHER_CALL)
        }
        SetAnswerError::Stream => {
            let message = format!("the answer of call {call} is a stream; single values in it cannot be changed");
            wrong(message, format!("a model's text can be set as a whole: {whole}"))
        }
        SetAnswerError::NotJson => {
            let message = format!("the answer of call {call} is not JSON, so it has no `{place}`");
            wrong(message, format!("set all of it: {whole}"))
        }
        SetAnswerError::Missing { before, names } => {
            let help = match names.as_slice() {
                [] => format!("`/calls/{call}/result{before}` is a single value: set that"),
                names => format!("`/calls/{call}/result{before}` has {}", names.join(", ")),
            };
            wrong(format!("the answer of call {call} has no `{place}`"), help)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AnswerFrame, EndKind, ExchangeEnd, RecordedBody, RecordedRequest, RecordedResponse};

    fn call(id: u64, path: &str, sent: Value, kind: &str, answer: &str) -> Exchange {
        let frames = vec![AnswerFrame { at_us: id, bytes: answer.to_owned().into() }];
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Exchange {
            id,
            request: RecordedRequest {
                method: "POST".into(),
                path: path.into(),
                body: RecordedBody::Json(sent),
                ..RecordedRequest::default()
            },
            response: Some(RecordedResponse { at_us: id, status: 200, headers, frames }),
            end: ExchangeEnd { at_us: id, how: EndKind::Closed },
            chatter: false,
            after: None,
        }
    }

    /// The stream that carries the answer to call 10.
    fn listened(id: u64, answer: &str) -> Exchange {
        let mut listened = call(id, "/sse", Value::Null, "text/event-stream", "");
        listened.request = RecordedRequest { method: "GET".into(), path: "/sse".into(), ..RecordedRequest::default() };
        listened.request.origin = "http://shop.test".into();
        let events = ["event: endpoint\ndata: /messages?session=a\n\n", ": ping\n\n", answer];
        let frames = events.iter().map(|event| AnswerFrame { at_us: 10, bytes: (*event).to_owned().into() });
        listened.response.as_mut().unwrap().frames = frames.collect();
        listened
    }

    fn recording() -> Recording {
        let asked = json!({ "model": "m", "messages": [] });
        let rpc = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call" });
        let said = r#"{"choices":[{"message":{"content":"hi"}}]}"#;
        let result = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"old"}]}}"#;
        let event = format!("event: message\ndata: {result}\n\n");
        let mut accepted = call(10, "/messages?session=a", rpc.clone(), "text/plain", "Accepted");
        accepted.response.as_mut().unwrap().status = 202;
        accepted.request.origin = "http://shop.test".into();
        let mut lost = call(7, "/lost", json!({}), "", "");
        lost.response = None;
        let exchanges = vec![
            call(1, "/v1/chat/completions", asked.clone(), "application/json", said),
            call(2, "/v1/chat/completions", asked, "text/event-stream", "data: {}\n\n"),
            call(3, "/orders/17", json!({}), "application/json", r#"{"shipped":true,"items":[1,2]}"#),
            call(4, "/mcp", rpc.clone(), "application/json", result),
            call(5, "/mcp", rpc, "text/event-stream", &event),
            call(6, "/page", json!({}), "text/plain", "a page"),
            lost,
            call(8, "/v2/chat", json!({ "model": "m", "messages": [] }), "application/json", "{}"),
            listened(9, &event),
            accepted,
        ];
        Recording { exchanges, ..Recording::default() }
    }

    fn changed(texts: &[&str], until: u64) -> Result<(Recording, Vec<SpokenCall>), ChangeError> {
        let changes = texts.iter().map(|text| AnswerChange::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let mut recording = recording();
        let spoken = change(&mut recording, &changes, until)?;
        Ok((recording, spoken))
    }

    #[test]
    fn sets_whole_results_or_single_values() {
        for (set, call, body) in [
            (r#"/calls/3/result={"lost":1}"#, 3, r#"{"lost":1}"#),
            ("/calls/3/result/items/1=null", 3, r#"{"shipped":true,"items":[1,null]}"#),
            (r#"/calls/3/result="gone""#, 3, r#""gone""#),
            (r#"/calls/4/result={"isError":true}"#, 4, r#"{"jsonrpc":"2.0","id":3,"result":{"isError":true}}"#),
            (
                r#"/calls/5/result/content/0/text="new""#,
                5,
                "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"new\"}]}}\n\n",
            ),
            (r#"/calls/6/result="another page""#, 6, "another page"),
            (r#"/calls/1/result/choices/0/message/content="yes""#, 1, r#"{"choices":[{"message":{"content":"yes"}}]}"#),
        ] {
            let (recording, spoken) = changed(&[set], 8).unwrap();
            let response = recording.exchanges[call - 1].response.as_ref().unwrap();
            let bytes: Vec<u8> = response.frames.iter().flat_map(|frame| frame.bytes.to_vec()).collect();
            assert_eq!((String::from_utf8(bytes).unwrap().as_str(), spoken.len()), (body, 0), "{set}");
        }
    }

    #[test]
    fn sets_result_inside_its_stream() {
        let (changed, _) = changed(&[r#"/calls/10/result/content/0/text="new""#], 10).unwrap();
        let said = |recording: &Recording, id: usize, event: usize| {
            let bytes = recording.exchanges[id - 1].response.as_ref().unwrap().frames[event].bytes.to_vec();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(said(&changed, 9, 2), said(&recording(), 9, 2).replace("old", "new"));
        assert_eq!(said(&changed, 10, 0), "Accepted");
    }

    #[test]
    fn sets_model_text_for_streamed_and_plain_responses() {
        for call in [1, 2] {
            let (same, spoken) = changed(&[&format!(r#"/calls/{call}/result="No.""#)], 8).unwrap();
            assert_eq!((same, spoken), (recording(), vec![SpokenCall { call, text: "No.".into() }]));
        }
    }

    #[test]
    fn model_errors_get_provider_format_tool_errors_keep_body() {
        let (recording, _) = changed(&["/calls/2/status=503", "/calls/3/status=404"], 8).unwrap();
        let model = recording.exchanges[1].response.as_ref().unwrap();
        assert_eq!((model.status, model.headers[0].1.as_str()), (503, "application/json"));
        assert!(String::from_utf8_lossy(&model.frames[0].bytes).contains("\"error\""));
        let tool = recording.exchanges[2].response.as_ref().unwrap();
        assert_eq!((tool.status, tool.frames.len()), (404, 1));
        assert!(tool.frames[0].bytes.starts_with(b"{\"shipped\""));
    }

    #[test]
    fn invalid_change_is_refused_with_help() {
        for (set, until, message, help) in [
            ("/calls/3/result", 8, "has no `=`", "/calls/N/status=CODE"),
            ("/calls/x/result=1", 8, "is not a place", "/calls/N/result=JSON"),
            ("/call/3/result=1", 8, "is not a place", "/calls/N/result=JSON"),
            ("/calls/3/resultx=1", 8, "is not a place", "/calls/N/result=JSON"),
            ("/calls/3/result=hello", 8, "is not JSON", r#"`--set '/calls/3/result="hello"'`"#),
            ("/calls/3/status=ok", 8, "is not a status code", "/calls/3/status=503"),
            ("/calls/3/status=99", 8, "is not a status code", "200 to 599"),
            ("/calls/11/result=1", 12, "has no call 11", "calls 1 to 10"),
            ("/calls/0/result=1", 8, "has no call 0", "calls 1 to 10"),
            ("/calls/4/result=1", 3, "comes after `--until 3`", "--until 4"),
            ("/calls/3/result/itens/0=1", 8, "has no `/calls/3/result/itens/0`", "`shipped`, `items`"),
            ("/calls/3/result/items/7=1", 8, "has no", "items 0 to 1"),
            ("/calls/3/result/shipped/x=1", 8, "has no", "`/calls/3/result/shipped` is a single value"),
            ("/calls/4/result/content/0/txt=1", 8, "has no", "`type`, `text`"),
            ("/calls/2/result/x=1", 8, "is a stream", "set as a whole"),
            ("/calls/2/result={}", 8, "is a stream", "set as a whole"),
            ("/calls/6/result/x=1", 8, "is not JSON", "set all of it"),
            ("/calls/7/result=1", 8, "got no answer", "another call"),
            ("/calls/7/status=500", 8, "got no answer", "another call"),
            (r#"/calls/8/result="x""#, 8, "cannot be answered with a text", "/calls/8/result/POINTER"),
        ] {
            let error = changed(&[set], until).unwrap_err();
            assert!(error.message.contains(message) && error.help.contains(help), "{set}: {error:?}");
        }
        let both = changed(&["/calls/1/status=503", r#"/calls/1/result="x""#], 8).unwrap_err();
        assert!(both.message.contains("further changes"), "{both:?}");
        let both = changed(&[r#"/calls/1/result="x""#, "/calls/1/status=503"], 8).unwrap_err();
        assert!(both.message.contains("further changes"), "{both:?}");
    }
}
