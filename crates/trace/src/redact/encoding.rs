//! The encodings in which a value may occur: as it is, as JSON text up to five levels deep, in a URL or a form, in
//! base64 at any offset of a longer text, in hexadecimal, and line by line.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::alphabet::STANDARD as STANDARD_ALPHABET;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

/// The nesting of JSON within JSON: a note that quotes an answer that quotes a request, and so on.
const JSON_LEVELS: usize = 5;
/// The minimum length of a value, or of a line of it, for encodings with a small alphabet: shorter ones could match
/// innocent text by chance.
const SHORTEST_DERIVED: usize = 8;
/// The maximum number of lines of a value that are searched for separately.
const MOST_LINES: usize = 500;

/// All forms of a value, without duplicates.
pub(super) fn forms(value: &str) -> Vec<String> {
    let mut forms = SecretForms(vec![value.to_owned()]);
    forms.encoded(value);
    if value.contains('\n') {
        let unix = value.replace("\r\n", "\n");
        forms.written(&unix);
        forms.encoded(&unix);
        let windows = unix.replace('\n', "\r\n");
        forms.written(&windows);
        forms.encoded(&windows);
        for line in unix.lines().map(str::trim).take(MOST_LINES) {
            // The armor lines are the same for every key.
            if line.len() >= SHORTEST_DERIVED && !line.starts_with("-----") {
                forms.written(line);
            }
        }
    }
    forms.0
}

/// The forms collected so far.
struct SecretForms(Vec<String>);

impl SecretForms {
    fn add(&mut self, form: String) {
        if !form.is_empty() && !self.0.contains(&form) {
            self.0.push(form);
        }
    }

    /// Adds a value in every encoding.
    fn encoded(&mut self, value: &str) {
        self.written(value);
        self.in_urls(value);
        self.add(STANDARD.encode(value));
        if value.len() >= SHORTEST_DERIVED {
            self.inside_base64(value.as_bytes());
            let hexadecimal = hexadecimal(value);
            self.add(hexadecimal.to_uppercase());
            self.add(hexadecimal);
        }
    }

    /// Adds a value as it is and as JSON, with and without escapes for non-ASCII characters.
    fn written(&mut self, value: &str) {
        self.add(value.to_owned());
        let slashes = |text: &str| json(text).replace('/', "\\/");
        let debug = |text: &str| text.escape_debug().to_string();
        let escapes: [fn(&str) -> String; 4] = [json, ascii_json, slashes, debug];
        for escape in escapes {
            let mut form = value.to_owned();
            for _ in 0..JSON_LEVELS {
                let next = escape(&form);
                if next == form {
                    break;
                }
                form = next;
                self.add(form.clone());
            }
        }
    }

    /// Adds a value as part of a URL or of a form. Encoders differ in the characters they keep.
    fn in_urls(&mut self, value: &str) {
        for kept in ["-._~", "-._~!'()*", "-._~/", "-._~!'()*;,/?:@&=+$#"] {
            for upper in [true, false] {
                self.add(percent(value, kept, upper));
            }
        }
        for kept in ["-._*", "-._~"] {
            for upper in [true, false] {
                self.add(percent(value, &format!("{kept} "), upper).replace(' ', "+"));
            }
        }
    }

    /// Adds the base64 encodings of the value at any offset of a longer text, such as `user:VALUE` in a header.
    /// Characters at its ends that depend on neighboring bytes are left out.
    fn inside_base64(&mut self, value: &[u8]) {
        for before in 0..3 {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(value);
            let whole = STANDARD.encode(&bytes);
            let first = (before * 8).div_ceil(6);
            let last = bytes.len() * 8 / 6;
            let inner = &whole[first..last];
            if inner.len() < SHORTEST_DERIVED {
                continue;
            }
            let to_its_end = &whole[first..];
            for form in [inner, to_its_end, to_its_end.trim_end_matches('=')] {
                self.add(form.to_owned());
                self.add(form.replace('+', "-").replace('/', "_"));
            }
        }
    }
}

fn json(text: &str) -> String {
    let written = serde_json::to_string(text).expect("any text can be written as JSON");
    written[1..written.len() - 1].to_owned()
}

/// JSON in ASCII only, as some encoders produce it.
fn ascii_json(text: &str) -> String {
    json(text).chars().fold(String::new(), |mut written, letter| {
        if letter.is_ascii() {
            written.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(written, "\\u{unit:04x}");
            }
        }
        written
    })
}

/// Percent-encodes a value; letters, digits and the characters in `kept` stay.
fn percent(value: &str, kept: &str, upper: bool) -> String {
    value.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = if upper { write!(encoded, "%{byte:02X}") } else { write!(encoded, "%{byte:02x}") };
        }
        encoded
    })
}

fn hexadecimal(value: &str) -> String {
    value.bytes().fold(String::new(), |mut encoded, byte| {
        let _ = write!(encoded, "{byte:02x}");
        encoded
    })
}

/// Decodes base64, if the text is valid. Excess characters at the end, as in cut or copied text, are ignored.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone);
    let digits = text.trim_end_matches('=').as_bytes();
    let whole = digits.len() - usize::from(digits.len() % 4 == 1);
    GeneralPurpose::new(&STANDARD_ALPHABET, lenient).decode(&digits[..whole]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_match_standard_formats() {
        for (plain, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(decode_base64(encoded).as_deref(), Some(plain.as_bytes()));
        }
        for careless in ["Zm9v===", "Zm9vY", "Zm9v"] {
            assert_eq!(decode_base64(careless).as_deref(), Some(&b"foo"[..]), "{careless}");
        }
        assert_eq!(decode_base64("no base64"), None);
        assert_eq!(percent("a b/ü", "-._~", true), "a%20b%2F%C3%BC");
        assert_eq!(percent("a b/ü", "-._~/", false), "a%20b/%c3%bc");
        assert_eq!(ascii_json("é\"😀"), "\\u00e9\\\"\\ud83d\\ude00");
    }

    #[test]
    fn number_of_separately_matched_lines_is_limited() {
        let lines: Vec<String> = (0..=MOST_LINES).map(|number| format!("line-number-{number}")).collect();
        let forms = forms(&lines.join("\n"));
        assert!(forms.contains(&lines[MOST_LINES - 1]) && !forms.contains(&lines[MOST_LINES]));
    }

    #[test]
    fn plain_value_has_few_forms() {
        let forms = forms("plainvalue");
        assert!(forms.len() <= 12, "{forms:?}");
        // A short value has no forms that could match innocent text.
        assert_eq!(super::forms("abc123"), ["abc123", "YWJjMTIz"]);
    }

    #[test]
    fn finds_value_inside_base64_at_any_offset() {
        let secret = "swordfish-1";
        let forms = forms(secret);
        for before in ["", "a", "ab", "abc", "user:"] {
            for after in ["", "x", "xy", "xyz"] {
                let whole = STANDARD.encode(format!("{before}{secret}{after}"));
                assert!(forms.iter().any(|form| whole.contains(form.as_str())), "{before} {after}: {whole}");
            }
        }
    }
}
