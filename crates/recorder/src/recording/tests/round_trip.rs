//! Every recording survives a round trip.

use agentci_trace::Redactor;
use bytes::Bytes;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    AnswerFrame, CommandExit, EndKind, Exchange, ExchangeEnd, FormPart, Header, LearnedHole, ProviderApi, RecordedBody,
    RecordedRequest, RecordedResponse, Recording, Roots,
};

/// Words that no rule treats as a secret.
fn text() -> impl Strategy<Value = String> {
    "[ab \\\\\"\n\r\té\u{2028}\u{0}😀<]{0,12}"
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![vec(any::<u8>(), 0..20).prop_map(Bytes::from), text().prop_map(Bytes::from)]
}

fn json_value() -> impl Strategy<Value = Value> {
    let number = "(0|-?[1-9][0-9]{0,20})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,4})?";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number.prop_map(|digits| serde_json::from_str(&digits).unwrap()),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn part() -> impl Strategy<Value = FormPart> {
    (text(), option::of(text()), option::of(text()), bytes())
        .prop_map(|(name, filename, content_type, content)| FormPart { name, filename, content_type, content })
}

fn body() -> impl Strategy<Value = RecordedBody> {
    prop_oneof![
        Just(RecordedBody::Empty),
        json_value().prop_map(RecordedBody::Json),
        text().prop_map(RecordedBody::Text),
        vec((text(), text()), 0..4).prop_map(RecordedBody::Form),
        vec(part(), 0..3).prop_map(RecordedBody::Parts),
        bytes().prop_map(RecordedBody::Bytes),
        any::<u64>().prop_map(|bytes| RecordedBody::TooLarge { bytes }),
    ]
}

fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    vec((prop_oneof![Just("accept".to_owned()), Just("content-type".to_owned())], text()), 0..4)
}

fn request() -> impl Strategy<Value = RecordedRequest> {
    let api = prop_oneof![Just(ProviderApi::OpenAiChat), Just(ProviderApi::Gemini), Just(ProviderApi::Bedrock)];
    (any::<u64>(), option::of(text()), text(), text(), option::of(api), headers(), body()).prop_map(
        |(at_us, by, origin, path, speaks, headers, body)| RecordedRequest {
            at_us,
            by,
            method: "POST".into(),
            origin,
            path: format!("/{path}"),
            speaks,
            headers,
            body,
        },
    )
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let frame = (any::<u64>(), bytes()).prop_map(|(at_us, bytes)| AnswerFrame { at_us, bytes });
    let response = (any::<u64>(), 100..1000_u16, headers(), vec(frame, 0..4))
        .prop_map(|(at_us, status, headers, frames)| RecordedResponse { at_us, status, headers, frames });
    let how = prop_oneof![
        Just(EndKind::Closed),
        Just(EndKind::Left),
        text().prop_map(EndKind::Broken),
        text().prop_map(EndKind::Unreachable),
        Just(EndKind::TooLarge),
    ];
    (request(), option::of(response), any::<u64>(), how, any::<bool>(), any::<u64>()).prop_map(
        |(request, response, at_us, how, chatter, after)| Exchange {
            id: 0,
            request,
            response,
            end: ExchangeEnd { at_us, how },
            chatter,
            after: Some(after),
        },
    )
}

fn recording() -> impl Strategy<Value = Recording> {
    let hole = (text(), text()).prop_map(|(at, from)| LearnedHole { speaks: Some(ProviderApi::Gemini), at, from });
    let exit = (any::<u64>(), option::of(any::<i32>())).prop_map(|(at_us, code)| CommandExit { at_us, code });
    let header = (vec(text(), 0..3), any::<u64>(), option::of(text()), text(), option::of(text())).prop_map(
        |(command, now_ms, zone, cwd, home)| {
            let roots = Roots { cwd: cwd.into(), home: home.map(Into::into), tmp: None };
            Header {
                command,
                now_ms,
                zone,
                offset_s: -3600,
                roots,
                keys: vec!["OPENAI_API_KEY".into()],
                absent: vec!["127.0.0.1:9".into()],
            }
        },
    );
    (header, vec(exchange(), 0..5), vec(hole, 0..3), option::of(exit)).prop_map(
        |(header, mut exchanges, holes, exit)| {
            for (position, exchange) in exchanges.iter_mut().enumerate() {
                let position = position as u64;
                exchange.id = position + 1;
                exchange.after = exchange.after.and_then(|after| after.checked_rem(position)).map(|after| after + 1);
            }
            Recording { header, exchanges, holes, exit }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_recording_round_trips(recording in recording()) {
        let written = recording.write(&Redactor::default()).unwrap();
        prop_assert!(written.files.is_empty());
        let back = Recording::parse(&written.text).unwrap();
        prop_assert_eq!(&back, &recording);
        // Equal values may differ in digits and in the order of keys; equal texts do not.
        prop_assert_eq!(back.write(&Redactor::default()).unwrap().text, written.text);
    }

    #[test]
    fn any_patched_body_round_trips(first in json_value(), second in json_value()) {
        let long = "said before ".repeat(200);
        let bodies = [json!({"a": long, "b": first, "c": 1}), json!({"a": long, "b": second, "d": [1]})];
        let recording = super::recording_of(bodies.iter().cloned().map(RecordedBody::Json));
        let text = recording.write(&Redactor::default()).unwrap().text;
        let back = Recording::parse(&text).unwrap();
        for (exchange, body) in back.exchanges.iter().zip(&bodies) {
            let RecordedBody::Json(value) = &exchange.request.body else { panic!("JSON") };
            prop_assert_eq!(value.to_string(), body.to_string());
        }
    }
}

#[test]
fn large_content_round_trips_through_files() {
    let large = "large content ".repeat(100_000);
    let bodies = [
        RecordedBody::Json(json!({"said": large})),
        RecordedBody::Text(large.clone()),
        RecordedBody::Bytes(vec![255; 2 << 20].into()),
        RecordedBody::Parts(vec![FormPart { content: large.clone().into(), ..FormPart::default() }]),
    ];
    let mut recording = super::recording_of(bodies);
    recording.exchanges[0].response = Some(RecordedResponse {
        frames: vec![AnswerFrame { at_us: 1, bytes: large.clone().into() }],
        status: 200,
        ..RecordedResponse::default()
    });
    let written = recording.write(&Redactor::default()).unwrap();
    assert!(written.text.len() < 4_000, "{}", written.text.len());
    assert_eq!(written.files.len(), 3, "equal content is one file");
    let mut read = |name: &str| {
        let file = written.files.iter().find(|(known, _)| known == name);
        file.map(|(_, content)| content.clone()).ok_or_else(|| "missing".to_owned())
    };
    assert_eq!(Recording::parse_with(&written.text, &mut read).unwrap(), recording);
    assert!(Recording::parse(&written.text).unwrap_err().message.contains("beside the recording is missing"));
    let mut other = |_: &str| Ok(Bytes::from_static(b"something else"));
    let error = Recording::parse_with(&written.text, &mut other).unwrap_err();
    assert!(error.message.contains("beside the recording was modified"), "{error}");
}

#[test]
fn deeply_nested_json_round_trips() {
    for depth in [99, 100, 101, 126] {
        let value: Value = serde_json::from_str(&format!("{}{}", "[".repeat(depth), "]".repeat(depth))).unwrap();
        let recording = super::recording_of([RecordedBody::Json(value)]);
        let text = recording.write(&Redactor::default()).unwrap().text;
        assert_eq!(Recording::parse(&text).unwrap(), recording, "{depth}");
    }
}
