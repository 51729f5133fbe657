//! The forms that one value is written in: as it is, as JSON text, in a URL, in base64.

use std::fmt::Write as _;

/// Every form of a value, each once.
pub(super) fn forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    let written = serde_json::to_string(value).unwrap_or_default();
    for form in [written.trim_matches('"').to_owned(), percent(value), base64(value.as_bytes())] {
        if !form.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// As a part of a URL.
fn percent(value: &str) -> String {
    value.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0_u32, |word, byte| (word << 8) | u32::from(*byte)) << (8 * (3 - group.len()));
        for position in 0..4 {
            let letter = if position <= group.len() {
                char::from(LETTERS[(word >> (18 - 6 * position)) as usize & 63])
            } else {
                '='
            };
            encoded.push(letter);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_as_others_do() {
        for (plain, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
        assert_eq!(percent("a b/ü"), "a%20b%2F%C3%BC");
        assert_eq!(forms("plainvalue").len(), 2);
    }
}
