//! Finds personal data in a text: its kind, its place and its masked form.

mod card;
mod email;
mod finding;
mod numbers;

pub(crate) use finding::{PersonalData, PersonalDataKind};

/// All personal data in a text, in order.
pub(crate) fn find(text: &str) -> Vec<PersonalData> {
    let cards = card::find(text);
    let mut ranges = email::find(text);
    // Digits of a card number are not also a telephone number.
    let apart = |range: &std::ops::Range<usize>| {
        !cards.iter().any(|(_, card)| range.start < card.end && card.start < range.end)
    };
    ranges.extend(numbers::find(text).into_iter().filter(|(_, range)| apart(range)));
    ranges.extend(cards);
    ranges.sort_by_key(|(_, range)| range.start);
    ranges.into_iter().map(|(kind, range)| PersonalData::new(kind, text, range)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<PersonalDataKind> {
        find(text).into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn finds_every_kind_of_personal_data() {
        for (text, kind) in [
            ("Contact: alice@example.com", PersonalDataKind::Email),
            ("Call 555-867-5309 for support", PersonalDataKind::Phone),
            ("(555) 867-5309", PersonalDataKind::Phone),
            ("+1 555 867 5309", PersonalDataKind::Phone),
            ("1-555-867-5309.", PersonalDataKind::Phone),
            ("555.867.5309", PersonalDataKind::Phone),
            ("phone: 5558675309", PersonalDataKind::Phone),
            ("+15558675309", PersonalDataKind::Phone),
            ("SSN 123-45-6789", PersonalDataKind::SocialSecurity),
            ("123 45 6789", PersonalDataKind::SocialSecurity),
            ("ssn: 123456789", PersonalDataKind::SocialSecurity),
            ("4111 1111 1111 1111", PersonalDataKind::Card),
            ("4111-1111-1111-1111", PersonalDataKind::Card),
            ("card 4111111111111111.", PersonalDataKind::Card),
            ("4222222222222", PersonalDataKind::Card),
            ("378282246310005", PersonalDataKind::Card),
            ("3782 822463 10005", PersonalDataKind::Card),
            ("5555555555554444", PersonalDataKind::Card),
            ("2223003122003222", PersonalDataKind::Card),
            ("6011111111111117", PersonalDataKind::Card),
            ("3056 930902 5904", PersonalDataKind::Card),
            ("3530111333300000", PersonalDataKind::Card),
            ("6250941006528599", PersonalDataKind::Card),
        ] {
            assert_eq!(kinds(text), [kind], "{text}");
        }
    }

    #[test]
    fn ignores_other_numbers() {
        for text in [
            "The answer is 42.",
            "pi is 3.14159265358979",
            "at 1700000000000 ms",
            "order 1234567890",
            "550e8400-e29b-41d4-a716-446655440000",
            "sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "555-0132",
            "root@localhost",
            "000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000",
            "id 123456789",
            "4111 1111 1111 1112",
            "9999999999999995",
            "x4111111111111111",
            "41111111111111110000000",
            "ORD-555-867-5309",
            "555-867-53091",
            "2720999999999999",
            "2024-11-15 04:54:53",
            "10.123.456.7890",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn findings_are_masked_and_located() {
        let found = find("hello\nmail alice@example.com or 555-867-5309");
        let shown: Vec<_> = found.iter().map(|found| (found.line, found.column, found.masked.as_str())).collect();
        assert_eq!(shown, [(2, 6, "a***@***.com"), (2, 27, "***-***-**09")]);
    }

    #[test]
    fn finds_nothing_in_long_repetitive_text() {
        let digits = "1 ".repeat(200_000) + &"7".repeat(200_000) + &"a.".repeat(200_000);
        assert_eq!(find(&digits).len(), 0);
    }
}
