//! Percent signs in addresses.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands for something else in an address.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as one part of a path or query.
pub fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, &RESERVED).to_string()
}

/// A text with its percent signs resolved. What does not stand for a byte stays as it is written.
pub fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
