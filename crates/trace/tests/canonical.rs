//! The canonical form does not depend on how a value is written.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use agentci_trace::canonical;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Arbitrary JSON, with integers beyond every machine type and floats of every size.
fn json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        "-?[1-9][0-9]{20,40}".prop_map(|digits| serde_json::from_str(&digits).unwrap()),
        any::<f64>().prop_filter("JSON has no others", |float| float.is_finite()).prop_map(Value::from),
    ];
    let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), number, ".*".prop_map(Value::from)];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The same value with the keys of every object in a different order.
fn reordered(value: &Value, by: usize) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<(String, Value)> =
                map.iter().map(|(key, value)| (key.clone(), reordered(value, by))).collect();
            let length = pairs.len().max(1);
            pairs.rotate_left(by % length);
            if by % 2 == 1 {
                pairs.reverse();
            }
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(|item| reordered(item, by)).collect(),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn key_order_does_not_matter(value in json(), by in 0_usize..7) {
        prop_assert_eq!(canonical(&value), canonical(&reordered(&value, by)));
    }

    #[test]
    fn canonical_form_round_trips(value in json()) {
        let text = canonical(&value);
        let read: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(canonical(&read), text);
    }
}
