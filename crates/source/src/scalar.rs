//! The types of plain scalars in a YAML file.
//!
//! A scalar keeps its text until a reader that knows the field requests a type. There are two readings for data without
//! a known type, such as an agent's input: YAML 1.2's core schema, and the YAML 1.1 reading of Python's loader, which
//! suites written for Python tools rely on (`yes` is true there, `010` is eight).

use serde_json::{Number, Value};

/// A scalar as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// Its text, with quotes and escapes resolved.
    pub text: Box<str>,
    /// Whether it was quoted or a block, and so is a string whatever its text.
    pub quoted: bool,
    /// Whether it was inserted, so that a number or boolean is a string where a string is required.
    pub inserted: bool,
}

/// How plain scalars without a known type are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// YAML 1.2 core schema.
    Core,
    /// YAML 1.1 as in Python's loader, except that dates stay strings.
    Legacy,
}

impl Scalar {
    /// A scalar that is always a string.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self { text: text.into().into(), quoted: true, inserted: false }
    }

    /// A scalar whose type depends on the reading.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into().into(), quoted: false, inserted: false }
    }

    /// Whether it is null: empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        !self.quoted && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }

    /// The boolean, for a field that is known to be one: YAML 1.1's words are accepted too.
    pub fn truth(&self) -> Option<bool> {
        if self.quoted {
            return None;
        }
        match self.text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    /// The JSON value under a reading; `None` for values that JSON cannot represent (`.nan`, `.inf`).
    pub fn value(&self, reading: Reading) -> Option<Value> {
        if self.quoted {
            return Some(Value::String(self.text.to_string()));
        }
        if self.is_null() {
            return Some(Value::Null);
        }
        match &*self.text {
            "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
            _ => {}
        }
        let unsigned = self.text.trim_start_matches(['+', '-']);
        if unsigned.eq_ignore_ascii_case(".inf") || unsigned.eq_ignore_ascii_case(".nan") {
            return None;
        }
        let number = match reading {
            Reading::Core => core_number(&self.text),
            Reading::Legacy => {
                if is_legacy_word(&self.text) {
                    return self.truth().map(Value::Bool);
                }
                legacy_number(&self.text)
            }
        };
        let number = number.and_then(|digits| digits.parse::<Number>().ok());
        Some(number.map_or_else(|| Value::String(self.text.to_string()), Value::Number))
    }
}

/// Whether it is one of YAML 1.1's extra words for true and false, in the three spellings its resolver accepts.
fn is_legacy_word(text: &str) -> bool {
    matches!(text, "yes" | "Yes" | "YES" | "no" | "No" | "NO" | "on" | "On" | "ON" | "off" | "Off" | "OFF")
}

/// A number of the core schema, in JSON's notation.
fn core_number(text: &str) -> Option<String> {
    for (prefix, base) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return u128::from_str_radix(digits, base).ok().map(|n| n.to_string());
        }
    }
    decimal(text)
}

/// A YAML 1.1 number as Python's loader resolves it, in JSON's notation.
fn legacy_number(text: &str) -> Option<String> {
    let (sign, rest) = split_sign(text);
    let digits: String = rest.chars().filter(|c| *c != '_').collect();
    if rest.starts_with('_') || digits.is_empty() {
        return None;
    }
    let based = |digits: &str, base| u128::from_str_radix(digits, base).ok().map(|n| format!("{sign}{n}"));
    if let Some(binary) = digits.strip_prefix("0b") {
        return based(binary, 2);
    }
    if let Some(hex) = digits.strip_prefix("0x") {
        return based(hex, 16);
    }
    if digits.contains(':') {
        return sexagesimal(&digits).map(|n| format!("{sign}{n}"));
    }
    if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
        return based(&digits, 8);
    }
    // A float needs a point there, and its exponent a sign: `1e3` is a string.
    if let Some((_, exponent)) = digits.split_once(['e', 'E'])
        && (!digits.contains('.') || !exponent.starts_with(['+', '-']))
    {
        return None;
    }
    decimal(&format!("{sign}{digits}"))
}

/// `1:30` is ninety in YAML 1.1.
fn sexagesimal(digits: &str) -> Option<u128> {
    let mut total: u128 = 0;
    for (index, part) in digits.split(':').enumerate() {
        let value: u128 = part.parse().ok()?;
        if (index > 0 && (part.len() > 2 || value > 59)) || (index == 0 && part.len() > 1 && part.starts_with('0')) {
            return None;
        }
        total = total.checked_mul(60)?.checked_add(value)?;
    }
    Some(total)
}

fn split_sign(text: &str) -> (&'static str, &str) {
    match text.as_bytes().first() {
        Some(b'-') => ("-", &text[1..]),
        Some(b'+') => ("", &text[1..]),
        _ => ("", text),
    }
}

/// A decimal integer or float in JSON's notation, with all digits kept: `+1` is `1`, `.5` is `0.5`, `1.` is `1.0`,
/// `007` is `7`.
fn decimal(text: &str) -> Option<String> {
    let (sign, rest) = split_sign(text);
    let (mantissa, exponent) =
        rest.split_once(['e', 'E']).map_or((rest, None), |(before, after)| (before, Some(after)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(before, after)| (before, Some(after)));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let fractional = fraction.unwrap_or_default();
    if !digits(whole) || !digits(fractional) || (whole.is_empty() && fractional.is_empty()) {
        return None;
    }
    let trimmed = whole.trim_start_matches('0');
    let mut result = format!("{sign}{}", if trimmed.is_empty() { "0" } else { trimmed });
    if let Some(fraction) = fraction {
        result.push('.');
        result.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.trim_start_matches(['+', '-']);
        if unsigned.is_empty() || !digits(unsigned) || exponent.len() > unsigned.len() + 1 {
            return None;
        }
        result.push('e');
        result.push_str(exponent);
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, reading: Reading) -> String {
        Scalar::plain(text).value(reading).map_or_else(|| "nothing".into(), |value| value.to_string())
    }

    #[test]
    fn core_schema_follows_yaml_1_2() {
        for (text, json) in [
            ("yes", "\"yes\""),
            ("NO", "\"NO\""),
            ("True", "true"),
            ("~", "null"),
            ("", "null"),
            ("010", "10"),
            ("+7", "7"),
            ("0o17", "15"),
            ("0x1F", "31"),
            (".5", "0.5"),
            ("1.", "1.0"),
            ("1e3", "1e+3"),
            ("1.0", "1.0"),
            ("2024-01-31", "\"2024-01-31\""),
            ("1:30", "\"1:30\""),
            ("1_000", "\"1_000\""),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("0.10000000000000000000000000001", "0.10000000000000000000000000001"),
            (".", "\".\""),
            ("1e", "\"1e\""),
            ("-", "\"-\""),
            (".inf", "nothing"),
        ] {
            assert_eq!(read(text, Reading::Core), json, "{text}");
        }
    }

    #[test]
    fn legacy_schema_matches_python_loader() {
        for (text, json) in [
            ("yes", "true"),
            ("NO", "false"),
            ("oN", "\"oN\""),
            ("010", "8"),
            ("1:30", "90"),
            ("1e3", "\"1e3\""),
            ("1.5e+3", "1.5e+3"),
            ("1_000", "1000"),
            ("0b101", "5"),
            ("2024-01-31", "\"2024-01-31\""),
            ("09", "\"09\""),
            ("12:30:45", "45045"),
        ] {
            assert_eq!(read(text, Reading::Legacy), json, "{text}");
        }
    }

    #[test]
    fn quoted_scalars_are_strings() {
        assert_eq!(Scalar::quoted("true").value(Reading::Core), Some(Value::String("true".into())));
        assert_eq!(Scalar::quoted("").value(Reading::Core), Some(Value::String(String::new())));
        assert_eq!(Scalar::quoted("yes").truth(), None);
    }
}
