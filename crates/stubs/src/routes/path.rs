//! Paths: what a percent sign stands for, and how a name becomes a part of a path.

use std::fmt::Write as _;

/// A part of an address with its percent signs resolved. What does not stand for a byte stays as it is written.
pub fn decoded(written: &str) -> String {
    let hex = |digit: &u8| char::from(*digit).to_digit(16);
    let mut plain = Vec::with_capacity(written.len());
    let mut rest = written.as_bytes();
    while let [first, after @ ..] = rest {
        let code = match after {
            [high, low, ..] if *first == b'%' => hex(high).zip(hex(low)).map(|(high, low)| 16 * high + low),
            _ => None,
        };
        plain.push(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&plain).into_owned()
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
