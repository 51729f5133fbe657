//! Equality of values: keys in any order, lists in order, and numbers by value, so that `1` equals `1.0`.

use serde_json::Value;

use crate::canonical::with_sorted_keys;

/// Whether two values are equal.
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || decimal(a.as_str()) == decimal(b.as_str()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same_value(value, other)))
        }
        _ => a == b,
    }
}

/// A string that is the same for two values if and only if they are equal.
pub fn value_key(value: &Value) -> String {
    with_sorted_keys(value, &|digits| decimal(digits.as_str()))
}

/// The normal form of a number: its digits without zeros at either end, and a power of ten. Nothing is rounded, and a
/// large exponent costs nothing.
pub fn decimal(written: &str) -> String {
    let (sign, plain) = written.strip_prefix('-').map_or(("", written), |plain| ("-", plain));
    let (mantissa, exponent) = plain.split_once(['e', 'E']).unwrap_or((plain, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return "0".into();
    }
    let moved = i64::try_from(digits.len() - significant.len()).ok().zip(i64::try_from(fraction.len()).ok());
    let exponent = exponent.parse::<i64>().ok().zip(moved);
    let exponent =
        exponent.and_then(|(exponent, (zeros, fraction))| exponent.checked_add(zeros)?.checked_sub(fraction));
    match exponent {
        Some(exponent) => format!("{sign}{significant}e{exponent}"),
        None => written.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Number};

    use super::*;

    fn of(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn compares_numbers_exactly_by_value() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("-0.0", "0"),
            ("1.50", "15e-1"),
            ("120", "12E+1"),
            ("1e400", "10e399"),
            ("0.001", "1e-3"),
            ("0e99", "0"),
        ] {
            assert!(same_value(&of(a), &of(b)) && value_key(&of(a)) == value_key(&of(b)), "{a} {b}");
        }
        for (a, b) in [
            ("1", "-1"),
            ("9007199254740993", "9007199254740992"),
            ("123456789012345678901234567890", "123456789012345678901234567891"),
            ("0.1", "0.10000000000000001"),
            ("1", "true"),
            ("1", "\"1\""),
            ("1", "10"),
            ("1e99999999999999999999", "1e99999999999999999998"),
        ] {
            assert!(!same_value(&of(a), &of(b)) && value_key(&of(a)) != value_key(&of(b)), "{a} {b}");
        }
    }

    #[test]
    fn list_order_and_missing_keys_matter() {
        for (a, b) in [("[1,2]", "[2,1]"), ("{}", "[]"), ("{\"a\":null}", "{}"), ("[]", "null"), ("[[1],2]", "[[1,2]]")]
        {
            assert!(!same_value(&of(a), &of(b)) && value_key(&of(a)) != value_key(&of(b)), "{a} {b}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<i64>().prop_map(Value::from),
            "-?[1-9][0-9]{0,30}(\\.[0-9]{1,5})?(e[+-]?[0-9]{1,3})?"
                .prop_map(|digits| Value::Number(digits.parse::<Number>().unwrap())),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number,
            "[a-c\"\\\\é,:{}]{0,4}".prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::vec(("[a-c\"]{0,2}", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    /// The same value with the keys of every object reversed.
    fn turned(value: &Value) -> Value {
        match value {
            Value::Array(items) => Value::Array(items.iter().map(turned).collect()),
            Value::Object(map) => {
                let pairs: Vec<(String, Value)> =
                    map.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect();
                Value::Object(pairs.into_iter().collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn key_order_does_not_matter(value in any_value()) {
            let turned = turned(&value);
            prop_assert!(same_value(&value, &turned));
            prop_assert_eq!(value_key(&value), value_key(&turned));
        }

        #[test]
        fn value_keys_are_equal_only_for_equal_values(a in any_value(), b in any_value()) {
            prop_assert_eq!(same_value(&a, &b), value_key(&a) == value_key(&b));
        }
    }
}
