//! Replaces unpaired surrogates. Strings of the engine consist of 16-bit units, and a string that was cut may end in
//! half a character, which a Rust string cannot contain.

use std::borrow::Cow;

/// Replaces every unpaired surrogate in JSON by the replacement character.
pub(crate) fn without_halves(json: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(next) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let escape = at + next;
        at = escape + 2;
        match unit(json, escape) {
            Some(0xD800..=0xDBFF) if matches!(unit(json, escape + 6), Some(0xDC00..=0xDFFF)) => at = escape + 12,
            Some(0xD800..=0xDFFF) => {
                clean.push_str(&json[kept..escape]);
                clean.push('\u{FFFD}');
                at = escape + 6;
                kept = at;
            }
            _ => {}
        }
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    clean.push_str(&json[kept..]);
    Cow::Owned(clean)
}

/// The 16-bit unit of a `\uXXXX` escape at this place.
fn unit(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_only_unpaired_surrogates() {
        for (json, clean) in [
            (r#""a\n\\b""#, r#""a\n\\b""#),
            (r#""\ud83d\ude00 \\ud83d""#, r#""\ud83d\ude00 \\ud83d""#),
            (r#""\ud83d\ud83d\ude00\ude00é""#, "\"\u{FFFD}\\ud83d\\ude00\u{FFFD}é\""),
            (r#""\ud83d"#, "\"\u{FFFD}"),
            (r"\", r"\"),
            (r"\ué", r"\ué"),
        ] {
            assert_eq!(without_halves(json), clean);
        }
    }
}
