//! Percent-encoding of URLs.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters that must be encoded.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a text as one segment of a path or one value of a query.
pub fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

/// Decodes a percent-encoded text. Invalid escapes, and a text that does not decode to UTF-8, are left unchanged:
/// different texts stay different.
pub fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_what_is_not_text_unchanged() {
        assert_eq!(percent_decoded("a%20b%3A%2f%C3%A9"), "a b:/é");
        for text in ["100%", "%zz", "%ff", "%C3%A9%ff"] {
            assert_eq!(percent_decoded(text), text);
        }
    }
}
