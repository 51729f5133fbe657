//! Finds e-mail addresses: a name, `@`, and a domain whose last part is letters.

use std::ops::Range;

use super::PersonalDataKind;

/// The longest address that mail servers accept, in bytes.
const LONGEST: usize = 254;

pub(super) fn find(text: &str) -> Vec<(PersonalDataKind, Range<usize>)> {
    let bytes = text.as_bytes();
    let mut found: Vec<(PersonalDataKind, Range<usize>)> = Vec::new();
    for (at, _) in text.match_indices('@') {
        let free_from = found.last().map_or(0, |(_, range)| range.end).max(at.saturating_sub(LONGEST));
        let name = bytes[free_from..at].iter().rev().take_while(|byte| in_name(**byte)).count();
        let start = at - name + bytes[at - name..at].iter().take_while(|byte| **byte == b'.').count();
        let rest = &bytes[at + 1..bytes.len().min(at + 1 + LONGEST)];
        let domain = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
        if let Some(end) = domain_end(&text[at + 1..at + 1 + domain]).filter(|_| start < at) {
            found.push((PersonalDataKind::Email, start..at + 1 + end));
        }
    }
    found
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

/// The end of the domain at the beginning of a text; `None` if there is none.
fn domain_end(text: &str) -> Option<usize> {
    let domain = text.trim_end_matches(['.', '-']);
    let (before, top) = domain.rsplit_once('.')?;
    let labels_are_good = before.split('.').all(|label| !label.is_empty() && !label.starts_with('-'));
    let letters = top.bytes().take_while(u8::is_ascii_alphabetic).count();
    (labels_are_good && letters >= 2 && letters == top.len()).then_some(domain.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|(_, range)| &text[range]).collect()
    }

    #[test]
    fn extracts_only_the_email_address() {
        assert_eq!(addresses("<bob.o'neil+x@mail.example.co.uk>."), ["bob.o'neil+x@mail.example.co.uk"]);
        assert_eq!(addresses("a@b.io,c@d.org"), ["a@b.io", "c@d.org"]);
        assert_eq!(addresses("ü@example.com x@ y@z @home.de a@b..com a@-b.com me@10.0.0.1"), Vec::<&str>::new());
    }
}
