//! The canonical form of JSON, by which tool arguments are compared.
//!
//! Keys are sorted by code point at every depth, lists keep their order, there is no whitespace, and nothing is
//! coerced: `1` and `1.0` differ, `true` and `1` differ. Integers keep every digit. Floats that are the same double are
//! equal (`1e2` is `100.0`) and are printed as Python prints them, since recorded suites contain them in that form.

use serde::Serialize;
use serde_json::{Number, Value};

/// The canonical text of a value.
pub fn canonical(value: &Value) -> String {
    with_sorted_keys(value, &python_number)
}

/// A value as compact JSON with keys sorted by code point and numbers formatted by `number`.
pub(crate) fn with_sorted_keys(value: &Value, number: &dyn Fn(&Number) -> String) -> String {
    let mut text = Vec::new();
    write_sorted(value, number, &mut text);
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn write_sorted(value: &Value, number: &dyn Fn(&Number) -> String, text: &mut Vec<u8>) {
    match value {
        Value::Number(digits) => text.extend_from_slice(number(digits).as_bytes()),
        Value::Array(items) => {
            text.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(b',');
                }
                write_sorted(item, number, text);
            }
            text.push(b']');
        }
        Value::Object(map) => {
            let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| key.as_str());
            text.push(b'{');
            for (at, (key, value)) in pairs.into_iter().enumerate() {
                if at > 0 {
                    text.push(b',');
                }
                write_plain(key, text);
                text.push(b':');
                write_sorted(value, number, text);
            }
            text.push(b'}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => write_plain(value, text),
    }
}

fn write_plain(value: &impl Serialize, text: &mut Vec<u8>) {
    serde_json::to_writer(text, value).expect("any text can be written as JSON");
}

fn python_number(number: &Number) -> String {
    let digits = number.as_str();
    if !digits.contains(['.', 'e', 'E']) {
        return if digits == "-0" { "0".into() } else { digits.into() };
    }
    match digits.parse::<f64>() {
        Ok(float) if float.is_finite() => python_float(float),
        // Beyond the precision of a double: the digits themselves.
        _ => digits.into(),
    }
}

/// Python's `repr`: the shortest digits that read back the same, with an exponent below 1e-4 and from 1e16.
fn python_float(float: f64) -> String {
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("the notation of a finite number has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent of a float is a small integer");
    if float != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let plain = format!("{float}");
    if plain.contains('.') { plain } else { plain + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> String {
        canonical(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn sorts_keys_and_keeps_list_order() {
        assert_eq!(of(r#"{"b": [2, 1], "a": {"z": null, "é": true}}"#), r#"{"a":{"z":null,"é":true},"b":[2,1]}"#);
        assert_eq!(of(r#""\u00e9\n\u2028""#), "\"é\\n\u{2028}\"");
    }

    #[test]
    fn does_not_coerce_types() {
        assert_ne!(of("1"), of("1.0"));
        assert_ne!(of("true"), of("1"));
        assert_ne!(of("-0.0"), of("0.0"));
        assert_ne!(of("9007199254740993"), of("9007199254740992"));
        assert_ne!(of("\"1\""), of("1"));
    }

    #[test]
    fn equal_numbers_have_equal_text() {
        for (a, b) in [("1e2", "100.0"), ("0.1000", "0.1"), ("-0", "0"), ("1E+2", "1e2"), ("1.5e300", "15e299")] {
            assert_eq!(of(a), of(b), "{a} {b}");
        }
        let long = "123456789012345678901234567890";
        assert_eq!(of(long), long);
    }

    #[test]
    fn floats_print_as_in_python() {
        for (json, python) in [
            ("1e16", "1e+16"),
            ("1e15", "1000000000000000.0"),
            ("1e-5", "1e-05"),
            ("0.0001", "0.0001"),
            ("1.25e-7", "1.25e-07"),
            ("1e100", "1e+100"),
            ("-0.0", "-0.0"),
            ("3.14", "3.14"),
        ] {
            assert_eq!(of(json), python);
        }
    }
}
