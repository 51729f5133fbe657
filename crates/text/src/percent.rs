//! Percent-encoding of URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters that must be encoded.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a text as one segment of a path or one value of a query.
pub fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

/// Decodes a percent-encoded text. Invalid escapes are left unchanged.
pub fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
