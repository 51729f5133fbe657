//! No secret reaches the text of a recording, and nothing else counts as one.

use agentci_trace::Redactor;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::{
    AnswerFrame, EndKind, Exchange, ExchangeEnd, RecordedBody, RecordedRequest, RecordedResponse, Recording,
    learn_request, learn_response,
};

const SECRET: &str = "swordfish-17-value";

fn secrets() -> Redactor {
    let mut secrets = Redactor::default();
    learn_request(&mut secrets, &[("Authorization".into(), format!("Bearer {SECRET}"))], "/");
    secrets
}

fn exchange(body: RecordedBody, content_type: &str, frames: &[&str]) -> Exchange {
    let frame = |(at, text): (usize, &&str)| AnswerFrame { at_us: at as u64, bytes: (*text).to_owned().into() };
    Exchange {
        id: 1,
        request: RecordedRequest {
            method: "POST".into(),
            origin: "https://api.example.com".into(),
            path: "/v1/chat".into(),
            body,
            ..RecordedRequest::default()
        },
        response: Some(RecordedResponse {
            at_us: 1,
            status: 200,
            headers: vec![("content-type".into(), content_type.into())],
            frames: frames.iter().enumerate().map(frame).collect(),
        }),
        end: ExchangeEnd { at_us: 9, how: EndKind::Closed },
        chatter: false,
        after: None,
    }
}

fn recording(exchange: Exchange) -> Recording {
    Recording { exchanges: vec![exchange], ..Recording::default() }
}

/// The recording after it was written and read. Writing it again changes nothing.
fn stored(recording: &Recording, secrets: &Redactor) -> Recording {
    let text = recording.write(secrets).unwrap().text;
    let back = Recording::parse(&text).unwrap();
    assert_eq!(back.write(secrets).unwrap().text, text);
    back
}

fn frames(content_type: &str, frames: &[&str]) -> Vec<String> {
    let back = stored(&recording(exchange(RecordedBody::Empty, content_type, frames)), &secrets());
    let response = back.exchanges[0].response.clone().unwrap();
    response.frames.iter().map(|frame| String::from_utf8(frame.bytes.to_vec()).unwrap()).collect()
}

/// An event that contains a text.
type Shape = fn(&str) -> Value;

/// The parts of a secret, each in its own event, in the format of an API.
fn streamed(shape: Shape) -> Vec<String> {
    let parts = ["The key is sword", "fish-", "17", "-value, and", " that is all"];
    parts.iter().map(|part| format!("event: x\ndata: {}\n\n", shape(part))).collect()
}

#[test]
fn removes_secret_split_over_events_of_every_api() {
    let shapes: [Shape; 9] = [
        |text| json!({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"content": text}}]}),
        |text| json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "function": {"arguments": text}}]}}]}),
        |text| json!({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "delta": text}),
        |text| json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": text}),
        |text| json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": text}}),
        |text| json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": text}}),
        |text| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}),
        |text| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}}),
        |text| text.into(),
    ];
    for shape in shapes {
        let events = streamed(shape);
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let clean = frames("text/event-stream", &events);
        let said = ["The key is [REDACTED]", "", "", ", and", " that is all"];
        let expected: Vec<String> = said.iter().map(|part| format!("event: x\ndata: {}\n\n", shape(part))).collect();
        assert_eq!(clean, expected);
    }
}

#[test]
fn keeps_interleaved_streams_separate() {
    let event = |index: u64, text: &str| {
        format!("data: {}\n\n", json!({"type": "content_block_delta", "index": index, "delta": {"text": text}}))
    };
    let events = [event(0, "swordfish"), event(1, "other"), event(0, "-17-value"), event(1, " words")];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let expected = [event(0, "[REDACTED]"), event(1, "other"), event(0, ""), event(1, " words")];
    assert_eq!(frames("text/event-stream", &events), expected);
}

#[test]
fn redacted_call_arguments_remain_valid_json() {
    let event = |text: &str| {
        format!("data: {}\n\n", json!({"type": "content_block_delta", "index": 0, "delta": {"partial_json": text}}))
    };
    for (parts, expected) in [
        (["{\"password\": \"hun", "ter2222\", \"n\": 1}"], ["{\"password\": \"[REDACTED]", "\", \"n\": 1}"]),
        (["{\"token\": 1234", "5678}"], ["{\"token\":\"[REDACTED]\"}", ""]),
    ] {
        let events = parts.map(event);
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        assert_eq!(frames("text/event-stream", &events), expected.map(event));
    }
}

#[test]
fn detects_key_by_pattern_across_events() {
    let event = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let events = [event("use sk-proj-abcd"), event("efghijklmnop"), event("qrst1234 now")];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    assert_eq!(frames("text/event-stream", &events), [event("use [REDACTED]"), event(""), event(" now")]);
}

#[test]
fn keeps_events_without_secrets_unchanged() {
    let events = [
        "\u{feff}: ping\r\n\r\n",
        "data: {\"a\":  1.50, \"max_tokens\": 8,\ndata: \"logprobs\": [{\"token\": \"according\", \"logprob\": -0.1}]}\n\n",
        "data: {\"usage\":{\"prompt_tokens\":12,\"total_tokens\":34},\"id\":\"call_AbCdEf0123456789AbCdEf01\"}\n\n",
        "id: 7\ndata: \"a text\"\n\n",
        "data: [DONE]\n\n",
    ];
    assert_eq!(frames("text/event-stream", &events), events);
    // Also next to one that has a secret.
    let mut with = events.to_vec();
    with.push("data: {\"said\": \"swordfish-17-value\"}\n\n");
    let clean = frames("text/event-stream", &with);
    assert_eq!(clean[..5], events);
    assert_eq!(clean[5], "data: {\"said\":\"[REDACTED]\"}\n\n");
}

#[test]
fn redacts_comments_event_fields_and_duplicate_keys() {
    let events = [
        ": swordfish-17-value\n\n",
        "id: swordfish-17-value\ndata: {\"a\":1}\n\n",
        "data: {\"a\":\"swordfish-17-value\",\"a\":1}\n\n",
        "data: \"swordfish-17-value\"\n\n",
        "data: plain swordfish-17-value\ndata: text\n\n",
    ];
    assert_eq!(
        frames("text/event-stream", &events),
        [
            ": [REDACTED]\n\n",
            "id: [REDACTED]\ndata: {\"a\":1}\n\n",
            "data: {\"a\":1}\n\n",
            "data: \"[REDACTED]\"\n\n",
            "data: plain [REDACTED]\ndata: text\n\n",
        ]
    );
}

#[test]
fn removes_secret_split_over_chunks_of_other_formats() {
    assert_eq!(frames("text/plain", &["it is sword", "fish-17", "-value.", "é"]), ["it is [REDACTED]", ".", "é"]);
    assert_eq!(frames("application/json", &["{\"a\": \"sword", "fish-17-value\"}"]), ["{\"a\":\"[REDACTED]\"}"]);
    let lines = ["{\"message\":{\"content\":\"sword\"}}\n{\"mess", "age\":{\"content\":\"fish-17-value!\"}}\n"];
    let clean = ["{\"message\":{\"content\":\"[REDACTED]\"}}\n", "{\"message\":{\"content\":\"!\"}}\n"];
    assert_eq!(frames("application/x-ndjson", &lines), clean);
    let list = ["[{\"candidates\":[{\"text\":\"sword\"}]},\n", "{\"candidates\":[{\"text\":\"fish-17-value\"}]}]"];
    assert_eq!(
        frames("application/json", &list),
        ["[{\"candidates\":[{\"text\":\"[REDACTED]\"}]},{\"candidates\":[{\"text\":\"\"}]}]"]
    );
    for harmless in [
        ["{\"a\": ", "1.50}"],
        ["plain ", "text"],
        ["{\"a\": 1}\n{\"a\"", ": 2}\n"],
        // Items of a list do not continue each other.
        ["[{\"title\": \"Basic \"},", "{\"title\": \"questionsabouteverything\"}]"],
    ] {
        assert_eq!(frames("application/json", &harmless), harmless);
    }
}

#[test]
fn removes_learned_credentials_everywhere() {
    let mut secrets = Redactor::default();
    let headers = [
        ("authorization", "Basic dXNlcjpob3JzZS1zdGFwbGU="), // user:horse-staple
        ("X-Api-Key", "plain-key-value-1"),
        ("x-goog-api-key", "goog-key-value-1"),
        ("api-key", "azure-key-value-1"),
        ("cookie", "theme=dark; session=cookie-value-1"),
        ("proxy-authorization", "Bearer proxy-value-1"),
        ("user-agent", "an-ordinary-agent"),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    learn_request(&mut secrets, &headers, "/v1?key=AIzaSyA1234567890bcdefghijklmnopqrstuvw&sig=abc%2Fdef%2Bghi&page=2");
    learn_response(&mut secrets, &[("Set-Cookie".into(), "sid=set-cookie-1; Domain=shop.example.com; Path=/".into())]);
    let values = [
        "dXNlcjpob3JzZS1zdGFwbGU=",
        "horse-staple",
        "plain-key-value-1",
        "goog-key-value-1",
        "azure-key-value-1",
        "cookie-value-1",
        "proxy-value-1",
        "AIzaSyA1234567890bcdefghijklmnopqrstuvw",
        "abc/def+ghi",
        "abc%2Fdef%2Bghi",
        "set-cookie-1",
    ];
    for value in values {
        let mut exchange = exchange(
            RecordedBody::Json(json!({"messages": [{"content": format!("it is {value}, yes")}]})),
            "text/plain",
            &[value],
        );
        exchange.request.path = format!("/v1/x?q={value}");
        exchange.request.headers = vec![("accept".into(), value.into()), ("authorization".into(), "Bearer x".into())];
        exchange.end.how = EndKind::Broken(format!("no {value}"));
        let mut recording = recording(exchange);
        recording.header.command = vec!["agent".into(), format!("--say={value}")];
        let text = recording.write(&secrets).unwrap().text;
        assert!(!text.contains(value) && !text.contains("authorization"), "{value}: {text}");
        assert!(text.contains("it is [REDACTED], yes"), "{text}");
    }
    let kept = "an-ordinary-agent dark shop.example.com user page";
    assert_eq!(secrets.text(kept), kept);
}

#[test]
fn redacts_query_parameters_by_name() {
    for (path, clean) in [
        (
            "/v1beta/models/gemini:generate?key=AIzaSyA1234567890bcdefghijklmnopqrstuvw&alt=sse",
            "/v1beta/models/gemini:generate?key=[REDACTED]&alt=sse",
        ),
        (
            "/x?api_key=abc&token=7&access_token=a%20b#f",
            "/x?api_key=[REDACTED]&token=[REDACTED]&access_token=[REDACTED]#f",
        ),
        ("/blob?sv=2024&sig=a1b2c3", "/blob?sv=2024&sig=[REDACTED]"),
        // An ordinary key selects the data: two of them must not look the same.
        ("/kv?key=order-17", "/kv?key=order-17"),
        ("/kv?key=0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "/kv?key=0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"),
        ("/list?pageToken=abcdefghi&max_tokens=8&code=DE", "/list?pageToken=abcdefghi&max_tokens=8&code=DE"),
    ] {
        let request = RecordedRequest { path: path.into(), ..RecordedRequest::default() };
        assert_eq!(request.redacted(&Redactor::default()).path, clean);
    }
}

#[test]
fn keeps_model_and_protocol_tokens() {
    let body = json!({
        "model": "gpt-4o", "max_tokens": 1_000, "max_completion_tokens": 2_000, "prompt_cache_key": "cache-key-of-this-agent",
        "session_id": "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "metadata": {"user_id": "user_1_account__session_2"},
        "usage": {"prompt_tokens": 1_234_567, "promptTokenCount": 1_234_567, "token_count": 1_234_567},
        "tools": [{"name": "login", "input_schema": {"type": "object", "required": ["password", "token"], "properties": {
            "password": {"type": "string", "description": "the password of the user"},
            "token": {"type": "string"}, "api_key": {"$ref": "#/key"}}}}],
        "messages": [{"role": "assistant", "tool_calls": [{"id": "call_AbCdEf0123456789AbCdEf01", "type": "function",
            "function": {"name": "login", "arguments": "{\"user\": \"ada\", \"order\": \"A-17\"}"}}]},
            {"role": "tool", "tool_call_id": "toolu_01AbCdEf0123456789AbCdEf", "content": "type: string, object"}],
        "logprobs": {"content": [{"token": "according", "logprob": -0.25, "top_logprobs": [{"token": " to", "logprob": -1.5}]}]},
        "oauth": {"token_endpoint": "https://auth.example.com/token", "token_type": "Bearer",
            "token_endpoint_auth_methods_supported": ["client_secret_post"], "authorization_servers": ["https://a.example"],
            "nextPageToken": "page-token-abcdef"},
        "ids": {"token": 464},
    });
    let request =
        RecordedRequest { body: RecordedBody::Json(body.clone()), path: "/".into(), ..RecordedRequest::default() };
    let RecordedBody::Json(clean) = request.redacted(&Redactor::default()).body else { panic!("JSON") };
    assert_eq!(clean, body);
}

#[test]
fn removes_values_of_secret_fields_everywhere() {
    let body = json!({"login": {"password": "hunter2222"}, "headers": {"Authorization": "Bearer opaque-value-7"},
        "arguments": "{\"client_secret\": \"quoted\\\"secret-1\"}", "credentials": {"user": "ada-lovelace"}});
    let answer = [
        "{\"access_token\": \"of-the-answer-1\", \"said\": \"hunter2222, opaque-value-7, quoted\\\"secret-1, ada-lovelace\"}",
    ];
    let mut recording = recording(exchange(RecordedBody::Json(body), "application/json", &answer));
    let mut next = exchange(
        RecordedBody::Form(vec![("password".into(), "abc".into()), ("x".into(), "of-the-answer-1".into())]),
        "",
        &[],
    );
    next.id = 2;
    recording.exchanges.push(next);
    let back = stored(&recording, &Redactor::default());
    let RecordedBody::Json(clean) = &back.exchanges[0].request.body else { panic!("JSON") };
    assert_eq!(
        *clean,
        json!({"login": {"password": "[REDACTED]"}, "headers": {"Authorization": "[REDACTED]"},
        "arguments": "{\"client_secret\": \"[REDACTED]\"}", "credentials": "[REDACTED]"})
    );
    let text = recording.write(&Redactor::default()).unwrap().text;
    for secret in ["hunter2222", "opaque-value-7", "secret-1", "ada-lovelace", "of-the-answer-1", "abc"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn requests_with_different_keys_are_equal_after_redaction() {
    let request = |key: &str| RecordedRequest {
        path: format!("/x?key={key}"),
        body: RecordedBody::Json(json!({"system": format!("my key is {key}"), "model": "m"})),
        ..RecordedRequest::default()
    };
    let (one, other) = ("AIzaSyA1234567890bcdefghijklmnopqrstuvw", "AIzaSyZ9876543210bcdefghijklmnopqrstuvw");
    let redacted = |key: &str| request(key).redacted(&Redactor::default());
    assert_eq!(redacted(one), redacted(other));
    assert_eq!(redacted(one).redacted(&secrets()), redacted(one));
}

#[test]
fn dummy_key_does_not_redact_ordinary_words() {
    let mut secrets = Redactor::default();
    for key in ["anything", "not-needed", "ollama", "test"] {
        learn_request(
            &mut secrets,
            &[("x-api-key".into(), key.into()), ("authorization".into(), format!("Bearer {key}"))],
            "/",
        );
    }
    let text = "anything else that is not-needed by ollama in a test";
    assert_eq!(secrets.text(text), text);
}

#[test]
fn short_numeric_secret_does_not_change_timestamps() {
    let mut exchange =
        exchange(RecordedBody::Json(json!({"password": 152_034, "price": 1_152_034.5})), "text/plain", &["x"]);
    exchange.request.at_us = 152_034;
    exchange.end.at_us = 91_520_341;
    let back = stored(&recording(exchange), &Redactor::default());
    let RecordedBody::Json(body) = &back.exchanges[0].request.body else { panic!("JSON") };
    assert_eq!(*body, json!({"password": "[REDACTED]", "price": 1_152_034.5}));
}

/// A gzip body with this text.
fn gzipped(text: &str) -> Vec<u8> {
    let packed = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 6);
    [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], &packed[..], &[0; 8]].concat()
}

#[test]
fn decompresses_response_only_if_it_contains_a_secret() {
    let body = |text: &str, key: &str| {
        let mut exchange = exchange(RecordedBody::Empty, "application/json", &[]);
        let response = exchange.response.as_mut().unwrap();
        response.headers.push(("content-encoding".into(), "gzip".into()));
        let packed = gzipped(text);
        let (one, other) = packed.split_at(packed.len() / 2);
        response.frames =
            [one, other].into_iter().map(|part| AnswerFrame { at_us: 3, bytes: part.to_vec().into() }).collect();
        let mut secrets = secrets();
        secrets.learn_value(key);
        let response = stored(&recording(exchange), &secrets).exchanges.remove(0).response.unwrap();
        let bytes = response.frames.iter().map(|frame| &frame.bytes[..]).collect::<Vec<_>>().concat();
        (response.headers.len(), bytes)
    };
    let (headers, clean) =
        body(r#"{"token": "hunter22-hunter22", "note": "it is swordfish-17-value"}"#, "unseen-value");
    assert_eq!((headers, clean.as_slice()), (1, &br#"{"token":"[REDACTED]","note":"it is [REDACTED]"}"#[..]));
    let plain = r#"{"answer": "nothing to hide"}"#;
    assert_eq!(body(plain, "unseen-value"), (2, gzipped(plain)));
}

#[test]
fn redacts_gemini_key_of_any_format() {
    let path = |path: &str, origin: &str| {
        let (path, origin) = (path.to_owned(), origin.to_owned());
        let request = RecordedRequest { origin, path, ..RecordedRequest::default() };
        request.redacted(&Redactor::default()).path
    };
    let google = "https://generativelanguage.googleapis.com";
    assert_eq!(path("/v1/files?key=mykey&page=2", google), "/v1/files?key=[REDACTED]&page=2");
    let local = "http://localhost:8080";
    let gemini = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=mykey";
    assert_eq!(path(gemini, local), gemini.replace("mykey", "[REDACTED]"));
    assert_eq!(path("/search?key=mykey", local), "/search?key=mykey");
    let mut secrets = Redactor::default();
    learn_request(&mut secrets, &[], &format!("{google}/v1/files?key=plain-key-of-mine"));
    assert_eq!(secrets.text("it is plain-key-of-mine"), "it is [REDACTED]");
}

#[test]
fn redacts_text_in_binary_content() {
    let content = [&[0xff, 0x00][..], SECRET.as_bytes(), &[0xfe]].concat();
    let mut exchange = exchange(RecordedBody::Bytes(content.clone().into()), "image/png", &[]);
    if let Some(response) = &mut exchange.response {
        response.frames.push(AnswerFrame { at_us: 1, bytes: content.into() });
    }
    let back = stored(&recording(exchange), &secrets());
    let expected = [&[0xff, 0x00][..], b"[REDACTED]", &[0xfe]].concat();
    assert_eq!(back.exchanges[0].request.body, RecordedBody::Bytes(expected.clone().into()));
    assert_eq!(back.exchanges[0].response.as_ref().unwrap().frames[0].bytes, expected);
}

#[test]
fn accepts_password_equal_to_a_format_keyword() {
    let mut secrets = Redactor::default();
    secrets.learn_value("response");
    assert!(recording(exchange(RecordedBody::Text("a response".into()), "text/plain", &["x"])).write(&secrets).is_ok());
}

#[test]
fn keeps_streamed_words_in_token_fields() {
    let events = ["data: {\"token\":\" according\"}\n\n", "data: {\"token\":\"to the records of this year\"}\n\n"];
    assert_eq!(frames("text/event-stream", &events), events);
    let long = ["data: {\"token\":\"ABCDEFGHIJKLMNOPQRSTUVWXYZ\"}\n\n"];
    assert_eq!(frames("text/event-stream", &long), ["data: {\"token\":\"[REDACTED]\"}\n\n"]);
    // An answer that returns a token does not stream words.
    assert_eq!(frames("application/json", &["{\"token\":\"abcdefgh12345678\"}"]), ["{\"token\":\"[REDACTED]\"}"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn removes_secret_split_at_any_position(
        before in "[a-zé ]{0,9}",
        after in "[ .!é][a-z ]{0,9}",
        cuts in vec(any::<Index>(), 0..6),
        raw in any::<bool>(),
    ) {
        let text = format!("{before} {SECRET}{after}");
        let letters: Vec<char> = text.chars().collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(letters.len())).collect();
        cuts.extend([0, letters.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|pair| letters[pair[0]..pair[1]].iter().collect::<String>());
        let event = |part: String| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": part}}]}));
        let parts: Vec<String> = if raw { parts.collect() } else { parts.map(event).collect() };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let clean = frames(if raw { "text/plain" } else { "text/event-stream" }, &parts);
        let said = |frame: &String| {
            let value: Option<Value> = frame.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
            let content = value.as_ref().and_then(|value| value.pointer("/choices/0/delta/content"));
            content.and_then(Value::as_str).map_or_else(|| frame.clone(), str::to_owned)
        };
        prop_assert_eq!(clean.iter().map(said).collect::<String>(), format!("{before} [REDACTED]{after}"));
        prop_assert!(raw || clean.len() == parts.len());
    }
}

#[test]
fn with_clean_headers_redacts_headers_only() {
    let headers = [("authorization", "Bearer swordfish-1"), ("x-note", "for swordfish-1"), ("accept", "*/*")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let body = RecordedBody::Text("all of it".into());
    let mut secrets = Redactor::default();
    secrets.learn_value("swordfish-1");
    let clean =
        RecordedRequest { headers, body: body.clone(), ..RecordedRequest::default() }.with_clean_headers(&secrets);
    let of = |name: &str| clean.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!([of("authorization"), of("x-note"), of("accept")], [None, Some("for [REDACTED]"), Some("*/*")]);
    assert_eq!(clean.body, body);
}
