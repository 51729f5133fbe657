//! Paths: what a percent sign stands for, and how a name becomes a part of a path.

use std::fmt::Write as _;

/// A part of an address with its percent signs resolved. What does not stand for a byte stays as it is written.
pub(super) fn decoded(written: &str) -> String {
    let bytes = written.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let code = code.and_then(|code| Some(16 * hex(code[0])? + hex(code[1])?));
        plain.push(code.unwrap_or(*byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(plain).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// A name as one part of a path.
pub(super) fn encoded(name: &str) -> String {
    let mut written = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            written.push(char::from(byte));
        } else {
            let _ = write!(written, "%{byte:02X}");
        }
    }
    written
}

/// The tool that a path names, without a slash at its end.
pub(super) fn tool(path: &str) -> String {
    decoded(path.strip_suffix('/').unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tool_is_its_path_with_at_most_one_slash_at_the_end() {
        for (path, name) in [
            ("paySlips", "paySlips"),
            ("paySlips/", "paySlips"),
            ("paySlips//", "paySlips/"),
            ("pay%20slips", "pay slips"),
            ("v1/pay", "v1/pay"),
            ("100%", "100%"),
            ("a%zzb%4", "a%zzb%4"),
            ("%ff", "\u{fffd}"),
            ("a+b", "a+b"),
        ] {
            assert_eq!(tool(path), name, "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_name_survives_a_path(name in ".{0,20}") {
            let written = encoded(&name);
            prop_assert!(written.is_ascii() && !written.contains(['/', '?', '#', ' ']));
            prop_assert_eq!(decoded(&written), name);
        }
    }
}
