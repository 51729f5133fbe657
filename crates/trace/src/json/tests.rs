//! Whatever is written here is what others write.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::write::Json;
use super::{write_beginning, write_json};

fn written(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    write_json(value, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[derive(Serialize)]
enum Shape {
    Unit,
    New(u8),
    Pair(f64, char),
    Named { a: Option<i8>, b: () },
}

#[derive(Serialize)]
struct Row(u8, &'static str);

#[derive(Serialize)]
struct Named(Vec<i64>);

#[derive(Serialize)]
struct Nothing;

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    One,
}

#[derive(Serialize)]
struct Everything {
    shapes: Vec<Shape>,
    row: Row,
    named: Named,
    unit: Nothing,
    keyed: BTreeMap<Key, bool>,
    pair: (bool, f32),
    map: BTreeMap<String, u64>,
    nothing: [u8; 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<u8>,
    wide: u128,
}

#[test]
fn all_shapes_are_written_as_others_write_them() {
    let everything = Everything {
        row: Row(1, "two"),
        named: Named(vec![i64::MIN]),
        unit: Nothing,
        keyed: BTreeMap::from([(Key::One, false)]),
        shapes: vec![Shape::Unit, Shape::New(7), Shape::Pair(0.1, '"'), Shape::Named { a: Some(-1), b: () }],
        pair: (true, f32::NAN),
        map: BTreeMap::from([("a\nb".into(), u64::MAX), (String::new(), 0)]),
        nothing: [],
        absent: None,
        wide: u128::MAX,
    };
    assert_eq!(written(&everything), serde_json::to_string(&everything).unwrap());
}

#[test]
fn numbers_keep_their_digits() {
    let text = r#"{"a":123456789012345678901234567890,"b":[1.10,-0,1e400],"c":{}}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(written(&value), value.to_string());
    assert!(written(&value).contains("1.10"));
}

#[test]
fn a_map_has_texts_for_keys() {
    assert!(write_json(&BTreeMap::from([(1, 2)]), &mut Vec::new()).is_err());
}

/// Any value; few are deep.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[\\PC\"\\\\\n]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-zé\"]{0,10}", inner), 0..6).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_written_as_others_write_it(value in any_value()) {
        prop_assert_eq!(written(&value), value.to_string());
    }

    #[test]
    fn a_beginning_is_cut_between_characters(value in any_value(), most in 0_usize..60) {
        let text = value.to_string();
        let expected = &text[..text.floor_char_boundary(most)];
        prop_assert_eq!(write_beginning(&value, most), (expected.to_owned(), text.len() > most));
    }
}

#[test]
fn of_a_huge_value_little_is_written() {
    let huge = json!([["x".repeat(1000), vec![0; 100_000]]]);
    let mut bytes = Vec::new();
    assert!(huge.serialize(Json { into: &mut bytes, limit: 1100 }).is_err());
    assert!(bytes.len() < 1200, "{}", bytes.len());
    bytes.clear();
    assert!(huge.serialize(Json { into: &mut bytes, limit: 10 }).is_err());
    assert!(bytes.len() < 20, "{}", bytes.len());
}
