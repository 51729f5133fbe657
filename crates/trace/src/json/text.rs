//! A text as JSON.

/// How many letters are looked at together, and how many of a shorter text.
const STRIDE: usize = 8;
const HALF: usize = 4;

/// Appends a text in quotes.
#[inline]
pub fn write_text(text: &str, into: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    into.reserve(bytes.len() + 2);
    into.push(b'"');
    if is_plain(bytes) {
        into.extend_from_slice(bytes);
    } else {
        write_escaped(bytes, into);
    }
    into.push(b'"');
}

/// Appends the name of a field and what stands behind it. Those are names in our own code, which hold nothing to be escaped.
#[inline]
pub(super) fn write_name(name: &'static str, into: &mut Vec<u8>) {
    debug_assert!(is_plain(name.as_bytes()), "{name}");
    into.reserve(name.len() + 3);
    into.push(b'"');
    into.extend_from_slice(name.as_bytes());
    into.extend_from_slice(b"\":");
}

/// Whether nothing in a text has to be escaped. Some letters are looked at twice, which is quicker than one by one.
fn is_plain(bytes: &[u8]) -> bool {
    if let Some(last) = bytes.last_chunk::<STRIDE>() {
        let before = bytes.as_chunks::<STRIDE>().0;
        return !any_special(u64::from_le_bytes(*last))
            && !before.iter().any(|eight| any_special(u64::from_le_bytes(*eight)));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<HALF>(), bytes.last_chunk::<HALF>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return !any_special((u64::from(first) << u32::BITS) | u64::from(last));
    }
    !bytes.iter().any(|byte| is_special(*byte))
}

fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// The same of eight at once: a byte is below another if taking that from it borrows from the bit above.
fn any_special(word: u64) -> bool {
    const HIGHEST: u64 = u64::from_le_bytes([0x80; STRIDE]);
    let below = |word: u64, limit: u8| word.wrapping_sub(u64::from_le_bytes([limit; STRIDE])) & !word;
    let is = |byte: u8| below(word ^ u64::from_le_bytes([byte; STRIDE]), 1);
    (below(word, b' ') | is(b'"') | is(b'\\')) & HIGHEST != 0
}

#[cold]
fn write_escaped(bytes: &[u8], into: &mut Vec<u8>) {
    let mut done = 0;
    for (at, byte) in bytes.iter().enumerate().filter(|(_, byte)| is_special(**byte)) {
        into.extend_from_slice(&bytes[done..at]);
        done = at + 1;
        match byte {
            b'"' | b'\\' => into.extend_from_slice(&[b'\\', *byte]),
            b'\n' => into.extend_from_slice(b"\\n"),
            b'\r' => into.extend_from_slice(b"\\r"),
            b'\t' => into.extend_from_slice(b"\\t"),
            0x08 => into.extend_from_slice(b"\\b"),
            0x0c => into.extend_from_slice(b"\\f"),
            other => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let digits = [DIGITS[usize::from(other >> 4)], DIGITS[usize::from(other & 15)]];
                into.extend_from_slice(b"\\u00");
                into.extend_from_slice(&digits);
            }
        }
    }
    into.extend_from_slice(&bytes[done..]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut bytes = b"before".to_vec();
        write_text(text, &mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn every_letter_is_escaped_wherever_it_stands() {
        for letter in (0..=0xff).map(char::from) {
            for length in 0..20 {
                let text = format!("{}{letter}{}", "x".repeat(length), "y".repeat(19 - length));
                for text in [&text, &text[length..], &text[..length + letter.len_utf8()]] {
                    assert_eq!(written(text), format!("before{}", serde_json::to_string(text).unwrap()));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_others_write_it(text in "(\\PC|[\"\\\\\u{0}-\u{21}\u{7f}é🦀]){0,40}") {
            prop_assert_eq!(written(&text), format!("before{}", serde_json::to_string(&text).unwrap()));
        }
    }
}
