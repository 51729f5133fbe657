//! The canonical form of JSON, by which tool arguments are compared.
//!
//! Keys are sorted by code point at every depth, lists keep their order, nothing stands between the parts, and nothing is
//! coerced: `1` and `1.0` differ, `true` and `1` differ. Integers keep every digit. Floats that are the same double are the same
//! (`1e2` is `100.0`) and are printed as Python prints them, since that is how recorded suites spell them.

use std::io::Write as _;

use serde_json::{Map, Number, Value};

/// The canonical text of a value.
pub fn canonical(value: &Value) -> String {
    let mut text = Vec::with_capacity(64);
    write_canonical(value, &mut text);
    // JSON is text.
    String::from_utf8(text).unwrap_or_default()
}

fn write_canonical(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(truth) => out.extend_from_slice(if *truth { b"true" } else { b"false" }),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_canonical(item, out);
            }
            out.push(b']');
        }
        Value::Object(map) => write_object(map, out),
    }
}

fn write_object(map: &Map<String, Value>, out: &mut Vec<u8>) {
    let mut pairs: Vec<(&String, &Value)> = map.iter().collect();
    pairs.sort_by_key(|(key, _)| key.as_str());
    out.push(b'{');
    for (index, (key, value)) in pairs.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_text(key, out);
        out.push(b':');
        write_canonical(value, out);
    }
    out.push(b'}');
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing a text to memory never fails.
    let _ = serde_json::to_writer(out, text);
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    let digits = number.as_str();
    if !digits.contains(['.', 'e', 'E']) {
        out.extend_from_slice(if digits == "-0" { b"0" } else { digits.as_bytes() });
        return;
    }
    match digits.parse::<f64>() {
        Ok(float) if float.is_finite() => write_float(float, out),
        // Beyond what a double holds: the digits themselves.
        _ => out.extend_from_slice(digits.as_bytes()),
    }
}

/// Python's `repr`: the shortest digits that read back the same, with an exponent below 1e-4 and from 1e16 on.
fn write_float(float: f64, out: &mut Vec<u8>) {
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if float != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.unsigned_abs());
        return;
    }
    let plain = format!("{float}");
    out.extend_from_slice(plain.as_bytes());
    if !plain.contains('.') {
        out.extend_from_slice(b".0");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> String {
        canonical(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn sorts_keys_and_keeps_lists() {
        assert_eq!(of(r#"{"b": [2, 1], "a": {"z": null, "é": true}}"#), r#"{"a":{"z":null,"é":true},"b":[2,1]}"#);
        assert_eq!(of(r#""\u00e9\n\u2028""#), "\"é\\n\u{2028}\"");
    }

    #[test]
    fn coerces_nothing() {
        assert_ne!(of("1"), of("1.0"));
        assert_ne!(of("true"), of("1"));
        assert_ne!(of("-0.0"), of("0.0"));
        assert_ne!(of("9007199254740993"), of("9007199254740992"));
        assert_ne!(of("\"1\""), of("1"));
    }

    #[test]
    fn equal_numbers_are_equal_text() {
        for (a, b) in [("1e2", "100.0"), ("0.1000", "0.1"), ("-0", "0"), ("1E+2", "1e2"), ("1.5e300", "15e299")] {
            assert_eq!(of(a), of(b), "{a} {b}");
        }
        let long = "123456789012345678901234567890";
        assert_eq!(of(long), long);
    }

    #[test]
    fn floats_print_as_python_prints_them() {
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
