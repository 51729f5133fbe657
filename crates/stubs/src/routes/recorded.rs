//! Turns recorded calls of live tools into fixtures.

use std::collections::HashMap;
use std::path::PathBuf;

use agentci_plan::RecordedFixture;
use agentci_trace::{Redactor, sha256_beginning, value_key};
use bytes::Bytes;
use hyper::header::{
    AGE, CONTENT_TYPE, COOKIE, DATE, HeaderMap, HeaderName, SERVER, SET_COOKIE, STRICT_TRANSPORT_SECURITY, VIA,
};
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::content::{content_type, ending};
use super::request::ToolRequest;

/// Headers that vary between answers and that agents do not use.
const IDLE: [HeaderName; 7] = [AGE, COOKIE, DATE, SERVER, SET_COOKIE, STRICT_TRANSPORT_SECURITY, VIA];
/// Number of characters of the hash in a file name.
const NAME: usize = 12;

/// A call of a live tool, and its answer.
#[derive(Debug, Clone)]
pub(super) struct RecordedToolCall {
    pub(super) tool: String,
    pub(super) method: Method,
    pub(super) asked: ToolRequest,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) bytes: Bytes,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenFixture {
    pub(super) fixture: RecordedFixture,
    /// The content of its file.
    pub(super) bytes: Bytes,
}

/// The fixtures of some calls, by tool and in the order of the calls. A value that is secret anywhere in the calls is
/// redacted everywhere.
pub(super) fn fixtures(calls: &[RecordedToolCall], secrets: &Redactor) -> Vec<(String, Vec<WrittenFixture>)> {
    let mut secrets = secrets.clone();
    for call in calls {
        secrets.learn(call.asked.value());
        if let Ok(answer) = serde_json::from_slice(&call.bytes) {
            secrets.learn(&answer);
        }
    }
    let mut tools: Vec<(String, Vec<WrittenFixture>)> = Vec::new();
    for call in calls {
        let of_tool = |other: &&RecordedToolCall| other.tool == call.tool;
        let several = calls.iter().filter(of_tool).any(|other| other.method != call.method);
        let written = written(call, several, &secrets);
        match tools.iter_mut().find(|(tool, _)| *tool == call.tool) {
            Some((_, list)) => list.push(written),
            None => tools.push((call.tool.clone(), vec![written])),
        }
    }
    for (_, list) in &mut tools {
        without_repeats(list);
    }
    tools
}

/// Drops repeated answers at the end, because the last answer to a request is repeated anyway.
fn without_repeats(list: &mut Vec<WrittenFixture>) {
    // For each request, the first of the equal answers at the end seen so far; `None` once a different answer precedes
    // them.
    let mut ends: HashMap<(Option<String>, String), Option<usize>> = HashMap::new();
    let mut needed = vec![true; list.len()];
    for (at, written) in list.iter().enumerate().rev() {
        let end = ends.entry((written.fixture.method.clone(), value_key(&written.fixture.request))).or_insert(Some(at));
        match *end {
            Some(later) if later != at && list.get(later) == Some(written) => {
                needed.splice(later..=later, [false]);
                *end = Some(at);
            }
            Some(later) if later != at => *end = None,
            _ => {}
        }
    }
    let mut needed = needed.into_iter();
    list.retain(|_| needed.next().expect("there is a mark for each fixture"));
}

fn written(call: &RecordedToolCall, with_method: bool, secrets: &Redactor) -> WrittenFixture {
    let mut request = call.asked.value().clone();
    secrets.value(&mut request);
    let bytes = clean(&call.bytes, secrets);
    let content = call.headers.get(CONTENT_TYPE).and_then(|content| content.to_str().ok());
    let ending = match content {
        Some(content) => ending(content),
        None if serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok() => "json",
        None if str::from_utf8(&bytes).is_ok() => "txt",
        None => "bin",
    };
    let file = folder(&call.tool).join(format!("{}.{ending}", sha256_beginning(&bytes, NAME)));
    let plain = |content: &str| content.to_ascii_lowercase().replace([' ', '"'], "").replace(";charset=utf-8", "");
    let told_by_name = content.is_some_and(|content| plain(content) == plain(content_type(&file)));
    let headers = call.headers.iter().filter(|(name, _)| !IDLE.contains(name));
    let headers = headers.filter(|(name, _)| !(told_by_name && **name == CONTENT_TYPE));
    let headers = headers.filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        let hidden = secrets.hides(name.as_str(), &value.into());
        (!hidden).then(|| (name.to_string(), secrets.text(value).into_owned()))
    });
    let fixture = RecordedFixture {
        method: with_method.then(|| call.method.to_string()),
        request,
        file,
        status: call.status.as_u16(),
        headers: headers.collect(),
    };
    WrittenFixture { fixture, bytes }
}

/// A body with its secrets redacted; unchanged, byte for byte, if it contains none.
fn clean(bytes: &Bytes, secrets: &Redactor) -> Bytes {
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        let mut clean = value.clone();
        secrets.value(&mut clean);
        return if clean == value { bytes.clone() } else { Bytes::from(format!("{clean:#}\n")) };
    }
    match str::from_utf8(bytes) {
        Ok(text) => Bytes::from(secrets.text(text).into_owned()),
        Err(_) => bytes.clone(),
    }
}

/// The folder for the answers of a tool: its name, with unsuitable characters replaced.
fn folder(tool: &str) -> PathBuf {
    let plain = |part: &str| -> String {
        let known = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = part.chars().take(100).map(known).collect();
        // Prevents parent folders and hidden files.
        if name.starts_with('.') { format!("_{name}") } else { name }
    };
    tool.split('/').filter(|part| !part.is_empty()).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, method: Method, request: Value, answer: &str) -> RecordedToolCall {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, "application/json; charset=utf-8".parse().unwrap());
        headers.insert(DATE, "today".parse().unwrap());
        let asked = ToolRequest::Body(request);
        let bytes = Bytes::from(answer.to_owned());
        RecordedToolCall { tool: tool.into(), method, asked, status: StatusCode::OK, headers, bytes }
    }

    fn answers(calls: &[RecordedToolCall]) -> Vec<(String, Vec<String>)> {
        let text = |written: &WrittenFixture| String::from_utf8(written.bytes.to_vec()).unwrap();
        let fixtures = fixtures(calls, &Redactor::default());
        fixtures.into_iter().map(|(tool, list)| (tool, list.iter().map(text).collect())).collect()
    }

    #[test]
    fn repeated_final_responses_are_written_once() {
        let post = |request: i32, answer: &str| call("t", Method::POST, json!({ "n": request }), answer);
        let calls = [post(1, "a"), post(1, "a"), post(2, "x"), post(1, "b"), post(2, "x"), post(1, "b"), post(1, "b")];
        let wanted = ["a", "a", "x", "b"].map(str::to_owned).to_vec();
        assert_eq!(answers(&calls), [("t".to_owned(), wanted)]);
        let calls = [post(1, "b"), post(1, "a"), post(1, "b")];
        assert_eq!(answers(&calls)[0].1, ["b", "a", "b"]);
    }

    #[test]
    fn method_is_recorded_only_for_mixed_methods() {
        let calls = [
            call("t", Method::POST, json!({}), "1"),
            call("t", Method::DELETE, json!({}), "1"),
            call("u", Method::PUT, json!({}), "1"),
        ];
        let fixtures = fixtures(&calls, &Redactor::default());
        let methods: Vec<Option<&str>> = fixtures
            .iter()
            .flat_map(|(_, list)| list.iter().map(|written| written.fixture.method.as_deref()))
            .collect();
        assert_eq!(methods, [Some("POST"), Some("DELETE"), None]);
    }

    #[test]
    fn redacts_secrets_and_keeps_other_bodies_unchanged() {
        let calls = [
            call(
                "login",
                Method::POST,
                json!({"user": "ada", "password": "hunter22"}),
                r#"{ "session_token": "abcdef123456" }"#,
            ),
            call("list", Method::POST, json!({"with": "abcdef123456"}), "{ \"n\":  1.0 }"),
        ];
        let fixtures = fixtures(&calls, &Redactor::default());
        let (login, list) = (&fixtures[0].1[0], &fixtures[1].1[0]);
        assert_eq!(login.fixture.request, json!({"user": "ada", "password": "[REDACTED]"}));
        assert_eq!(login.bytes, "{\n  \"session_token\": \"[REDACTED]\"\n}\n");
        assert_eq!(list.fixture.request, json!({"with": "[REDACTED]"}));
        assert_eq!(list.bytes, "{ \"n\":  1.0 }");
        assert!(login.fixture.headers.is_empty(), "{:?}", login.fixture.headers);
    }

    #[test]
    fn tool_names_cannot_escape_folder() {
        for (tool, wanted) in [
            ("paySlips", "paySlips"),
            ("v1/pay", "v1/pay"),
            ("../../etc/passwd", "_../_../etc/passwd"),
            ("/.ssh//x", "_.ssh/x"),
            ("a\\b:c\0", "a_b_c_"),
        ] {
            assert_eq!(folder(tool), PathBuf::from(wanted), "{tool}");
        }
    }
}
