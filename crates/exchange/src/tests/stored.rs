use std::time::Duration;

use agentci_trace::Redactor;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

use super::super::*;

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no such number", |number| number.is_finite()).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((".{0,6}", inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn piece() -> impl Strategy<Value = AnswerPiece> {
    let part = prop_oneof![Just(PieceKind::Frame), Just(PieceKind::Rest), Just(PieceKind::Body)];
    let raw = prop_oneof![
        vec(any::<u8>(), 0..40),
        json_value().prop_map(|value| format!("data: {value}\n\n").into_bytes()),
        ".{0,30}".prop_map(String::into_bytes),
    ];
    (part, any::<u64>(), raw).prop_map(|(part, at_us, raw)| AnswerPiece { part, at_us, raw: raw.into() })
}

fn exchange() -> impl Strategy<Value = AgentExchange> {
    let words = || ".{0,20}".prop_map(String::from);
    let how = prop_oneof![
        Just(AgentExchangeEnd::Left),
        words().prop_map(|words| AgentExchangeEnd::Failed(ExchangeError::Unsendable(words))),
        words().prop_map(|words| AgentExchangeEnd::Failed(ExchangeError::Unreachable(words))),
        words().prop_map(|words| AgentExchangeEnd::Failed(ExchangeError::Broken(words))),
        words().prop_map(|words| AgentExchangeEnd::Failed(ExchangeError::TooLarge(words))),
        any::<u64>().prop_map(|after| {
            let after = Duration::from_micros(after);
            AgentExchangeEnd::Failed(ExchangeError::Timeout { after })
        }),
    ];
    let method = prop_oneof![Just(HttpMethod::Post), Just(HttpMethod::Get), Just(HttpMethod::Delete)];
    let head = (any::<u64>(), any::<u16>(), prop::collection::btree_map("[a-z-]{1,9}", words(), 0..3))
        .prop_map(|(at_us, status, headers)| AnswerHead { at_us, status, headers: headers.into_iter().collect() });
    let end = (any::<u64>(), how).prop_map(|(at_us, how)| ConversationEnding { at_us, how });
    (any::<u64>(), method, json_value(), option::of(head), vec(piece(), 0..4), end).prop_map(
        |(at_us, method, identity, response, pieces, end)| {
            let pieces = if response.is_some() { pieces } else { Vec::new() };
            AgentExchange { at_us, method, identity, response, pieces, end }
        },
    )
}

proptest! {
    #[test]
    fn recordings_round_trip(
        variables in vec((any::<usize>(), vec((".{0,6}", json_value()), 0..3)), 0..3),
        exchanges in vec(exchange(), 0..4),
        seed in any::<u64>(),
    ) {
        let variables = variables
            .into_iter()
            .map(|(hook, variables)| HookOutput { hook, variables: variables.into_iter().collect() })
            .collect();
        let recording = AgentRecording { seed, variables, exchanges };
        prop_assert_eq!(AgentRecording::parse(&recording.write(&Redactor::default())), Ok(recording));
    }

    #[test]
    fn never_panics_on_arbitrary_text(text in r#"(\{"v":1,"type":"recording"\}\n)?(.|\n){0,60}"#) {
        let _ = AgentRecording::parse(&text);
    }
}
