//! Reads the arguments of a request: from its body, or from its query if it has none.

use std::borrow::Cow;

use agentci_text::{media_type, percent_decoded};
use agentci_trace::{decimal, same_value};
use hyper::header::{CONTENT_TYPE, HeaderMap};
use serde_json::{Map, Value};

/// The arguments of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ToolRequest {
    /// A body: JSON, else its text as a string.
    Body(Value),
    /// Parameters: each a string, or a list of strings if repeated.
    Parameters(Value),
}

impl ToolRequest {
    /// Reads a request. A form is read as parameters, unless it is JSON: some clients label every body a form.
    pub(super) fn read(headers: &HeaderMap, query: Option<&str>, body: &[u8]) -> Self {
        if body.trim_ascii().is_empty() {
            return ToolRequest::Parameters(parameters(query.unwrap_or_default()));
        }
        let json: Option<Value> = serde_json::from_slice(body).ok();
        if let Some(json @ (Value::Object(_) | Value::Array(_) | Value::String(_))) = json {
            return ToolRequest::Body(json);
        }
        let content = headers.get(CONTENT_TYPE).and_then(|content| content.to_str().ok()).unwrap_or_default();
        if media_type(content) == "application/x-www-form-urlencoded"
            && let Ok(form) = str::from_utf8(body)
        {
            return ToolRequest::Parameters(parameters(form));
        }
        ToolRequest::Body(json.unwrap_or_else(|| Value::String(String::from_utf8_lossy(body).into_owned())))
    }

    /// The arguments of the call.
    pub(super) fn value(&self) -> &Value {
        let (ToolRequest::Body(value) | ToolRequest::Parameters(value)) = self;
        value
    }

    /// The arguments, converted to the types in a fixture where possible: parameters are strings, and `17` may mean a
    /// number.
    pub(super) fn like(&self, fixture: &Value) -> Cow<'_, Value> {
        match (self, fixture) {
            (ToolRequest::Parameters(Value::Object(sent)), Value::Object(wanted)) => {
                let typed = sent.iter().map(|(name, value)| (name.clone(), typed(value, wanted.get(name))));
                Cow::Owned(Value::Object(typed.collect()))
            }
            _ => Cow::Borrowed(self.value()),
        }
    }
}

/// The parameters of a query. `ids[]=1` is a list called `ids`.
fn parameters(query: &str) -> Value {
    let mut all: Map<String, Value> = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let plain = |written: &str| percent_decoded(&written.replace('+', " "));
        let (name, value) = (plain(name), Value::String(plain(value)));
        let (name, listed) = name.strip_suffix("[]").map_or((name.as_str(), false), |name| (name, true));
        match all.get_mut(name) {
            None if listed => drop(all.insert(name.to_owned(), Value::Array(vec![value]))),
            None => drop(all.insert(name.to_owned(), value)),
            Some(Value::Array(values)) => values.push(value),
            Some(one) => *one = Value::Array(vec![one.take(), value]),
        }
    }
    Value::Object(all)
}

/// A parameter, converted to the type of the expected value if possible.
fn typed(sent: &Value, wanted: Option<&Value>) -> Value {
    match (sent, wanted) {
        (sent, Some(wanted)) if loosely_same(wanted, sent) => wanted.clone(),
        // A list with one item is sent as a single parameter.
        (Value::String(_), Some(Value::Array(wanted))) => Value::Array(vec![typed(sent, wanted.first())]),
        (Value::Array(sent), Some(Value::Array(wanted))) => {
            Value::Array(sent.iter().enumerate().map(|(at, sent)| typed(sent, wanted.get(at))).collect())
        }
        _ => sent.clone(),
    }
}

/// Whether a parameter equals a value when its text is read as the type of the value.
pub(super) fn loosely_same(wanted: &Value, sent: &Value) -> bool {
    let Value::String(text) = sent else { return same_value(wanted, sent) };
    match wanted {
        Value::String(wanted) => wanted == text,
        Value::Bool(truth) => text.eq_ignore_ascii_case(if *truth { "true" } else { "false" }),
        Value::Null => text.is_empty() || text == "null",
        Value::Number(wanted) => {
            let sent: Option<serde_json::Number> = text.parse().ok();
            sent.is_some_and(|sent| decimal(sent.as_str()) == decimal(wanted.as_str()))
        }
        Value::Array(_) | Value::Object(_) => serde_json::from_str(text).is_ok_and(|sent| same_value(wanted, &sent)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(query: &str) -> ToolRequest {
        ToolRequest::read(&HeaderMap::new(), Some(query), b" ")
    }

    #[test]
    fn query_is_parsed_into_object_of_strings() {
        let query = "a=1&b=x+y%26z&a=2&flag&e=&tags[]=t&%C3%A9=%";
        let wanted = json!({"a": ["1", "2"], "b": "x y&z", "flag": "", "e": "", "tags": ["t"], "é": "%"});
        assert_eq!(*asked(query).value(), wanted);
        assert_eq!(*asked("").value(), json!({}));
    }

    #[test]
    fn parameters_are_coerced_to_fixture_types() {
        for (query, fixture) in [
            ("id=17", json!({"id": 17})),
            ("id=17.0", json!({"id": 17})),
            ("id=17", json!({"id": "17"})),
            ("on=True&off=false", json!({"on": true, "off": false})),
            ("id=17", json!({"id": [17]})),
            ("id=17&id=18", json!({"id": [17, 18]})),
            ("id[]=17&id[]=18", json!({"id": [17, 18]})),
            ("none=", json!({"none": null})),
            ("filter=%7B%22a%22%3A1.0%7D", json!({"filter": {"a": 1}})),
            ("list=%5B1%5D", json!({"list": [1]})),
        ] {
            assert_eq!(*asked(query).like(&fixture), fixture, "{query}");
        }
        for (query, fixture) in [
            ("id=17", json!({"id": 18})),
            ("id=1e", json!({"id": 1})),
            ("id=1&id=2", json!({"id": [2, 1]})),
            ("id=1&id=2", json!({"id": 1})),
            ("id=1", json!({"id": 1, "more": 2})),
            ("id=1&more=2", json!({"id": 1})),
            ("on=1", json!({"on": true})),
        ] {
            assert_ne!(*asked(query).like(&fixture), fixture, "{query}");
        }
    }

    #[test]
    fn parses_json_text_and_form_bodies() {
        let mut headers = HeaderMap::new();
        let read = |headers: &HeaderMap, body: &[u8]| ToolRequest::read(headers, Some("q=1"), body);
        assert_eq!(read(&headers, b"{\"a\":1}"), ToolRequest::Body(json!({"a": 1})));
        assert_eq!(read(&headers, b"{\"a\":"), ToolRequest::Body(json!("{\"a\":")));
        assert_eq!(read(&headers, b"\xff"), ToolRequest::Body(json!("\u{fffd}")));
        assert_eq!(read(&headers, "[".repeat(9999).as_bytes()), ToolRequest::Body(json!("[".repeat(9999))));
        headers.insert(CONTENT_TYPE, "application/x-www-form-urlencoded; charset=utf-8".parse().unwrap());
        assert_eq!(read(&headers, b"a=1"), ToolRequest::Parameters(json!({"a": "1"})));
        // A client that labels every body a form.
        assert_eq!(read(&headers, b"{\"a\":1}"), ToolRequest::Body(json!({"a": 1})));
        assert_eq!(read(&headers, b"12"), ToolRequest::Parameters(json!({"12": ""})));
    }
}
