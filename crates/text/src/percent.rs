//! Percent-encoding of URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode_byte, utf8_percent_encode};

/// The characters that must be encoded.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a text as one segment of a path or one value of a query.
pub fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

/// Decodes a percent-encoded text. Invalid escapes and bytes that are not UTF-8 stay encoded, so that different bytes
/// stay different.
pub fn percent_decoded(text: &str) -> String {
    let bytes: Vec<u8> = percent_decode_str(text).collect();
    let mut decoded = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        decoded.push_str(chunk.valid());
        decoded.extend(chunk.invalid().iter().map(|byte| percent_encode_byte(*byte)));
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_what_is_not_text_encoded() {
        assert_eq!(percent_decoded("a%20b%3A%2f%C3%A9"), "a b:/é");
        assert_eq!(percent_decoded("M%FCller%20%26 Co%c3"), "M%FCller & Co%C3");
        for text in ["100%", "%zz", "%FF"] {
            assert_eq!(percent_decoded(text), text);
        }
    }
}
