//! Compares the facts of two texts.

use agentci_verdict::{DifferingFact, DifferingFacts};

use super::gather::{LocatedFact, StatedFacts, Value, gather};
use super::id::{is_address, version_parts};
use super::number::Number;

/// Compares the facts of the expected text with those of an answer.
pub fn compare(expected: &str, answer: &str) -> DifferingFacts {
    let (expected, answer) = (gather(expected), gather(answer));
    DifferingFacts {
        missing: only_in(&expected, &answer),
        extra: only_in(&answer, &expected),
        unclear: unclear(&expected, &answer),
        contradiction: None,
    }
}

/// The facts that only one text states, each once.
fn only_in(one: &StatedFacts<'_>, other: &StatedFacts<'_>) -> Vec<DifferingFact> {
    let mut facts: Vec<DifferingFact> = Vec::new();
    for found in one.facts.iter().filter(|found| found.required) {
        let fact = fact(found);
        if how_stated(found, other) == Match::No && !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    facts
}

fn fact(found: &LocatedFact<'_>) -> DifferingFact {
    DifferingFact { kind: found.value.kind().to_owned(), text: found.text.to_owned() }
}

/// The facts that match only if both texts mean the same by them.
fn unclear(expected: &StatedFacts<'_>, answer: &StatedFacts<'_>) -> Vec<String> {
    let mut unclear = Vec::new();
    for found in expected.facts.iter().filter(|found| found.required) {
        if how_stated(found, answer) == Match::Unclear
            && let Some(other) = answer.facts.iter().find(|other| how_same(found, other) == Match::Unclear)
        {
            unclear.push(format!("{} for `{}`", fact(found), other.text));
        }
    }
    unclear.dedup();
    unclear
}

/// Whether a text states a fact of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    No,
    /// It may be meant differently.
    Unclear,
    Sure,
}

impl From<bool> for Match {
    fn from(same: bool) -> Self {
        if same { Match::Sure } else { Match::No }
    }
}

fn how_stated(found: &LocatedFact<'_>, by: &StatedFacts<'_>) -> Match {
    match &found.value {
        Value::Name(name) => {
            let names = by.facts.iter().filter_map(|found| match &found.value {
                Value::Name(name) => Some(name),
                _ => None,
            });
            name.is_stated_by(&by.words, names).into()
        }
        // Its numbers are separate facts, which may be stated in any words; only the reversed ratio contradicts it.
        Value::Ratio(one, two) => {
            let has = |one: &Number, two: &Number| {
                by.facts.iter().any(|found| {
                    matches!(&found.value, Value::Ratio(first, second) if first.is_same(*one) && second.is_same(*two))
                })
            };
            Match::from(has(one, two) || !has(two, one))
        }
        _ => by.facts.iter().map(|other| how_same(found, other)).max().unwrap_or(Match::No),
    }
}

/// Whether a fact states another.
fn how_same(found: &LocatedFact<'_>, other: &LocatedFact<'_>) -> Match {
    match (&found.value, &other.value) {
        (Value::Number(one), Value::Number(two)) if one.is_same(*two) => {
            // The same spelling means the same in both texts.
            if one.is_unclear(*two) && found.text != other.text { Match::Unclear } else { Match::Sure }
        }
        (Value::Number(number), Value::Date(date)) => {
            number.whole().is_some_and(|whole| date.day == Some(whole) || date.year == Some(whole)).into()
        }
        (Value::Number(number), Value::Time(time)) => number.whole().is_some_and(|hour| time.is_hour(hour)).into(),
        (Value::Number(number), Value::Id(id)) | (Value::Id(id), Value::Number(number)) => {
            number.whole().is_some_and(|number| id.is_number(number)).into()
        }
        (Value::Version(parts), Value::Version(others)) => (parts == others).into(),
        (Value::Version(parts), Value::Number(_)) => (version_parts(other.text).as_ref() == Some(parts)).into(),
        (Value::Number(_), Value::Version(parts)) => (version_parts(found.text).as_ref() == Some(parts)).into(),
        (Value::Date(date), Value::Date(other)) => date.is_stated_by(*other).into(),
        (Value::Weekday(day), Value::Weekday(other)) => (day == other).into(),
        (Value::Time(time), Value::Time(other)) => time.is_same(*other).into(),
        (Value::Id(id), Value::Id(same)) if id.is_same(*same) => {
            if is_address(found.text) || same_letters(found.text, other.text) { Match::Sure } else { Match::Unclear }
        }
        _ => Match::No,
    }
}

/// Whether two texts have the same letters, including their case.
fn same_letters(one: &str, other: &str) -> bool {
    one.chars().filter(|c| c.is_alphabetic()).eq(other.chars().filter(|c| c.is_alphabetic()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn missing(expected: &str, answer: &str) -> String {
        compare(expected, answer).missing.iter().map(DifferingFact::to_string).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn equivalent_facts_match_across_formats() {
        for (expected, answer) in [
            ("It costs 1,200 euros.", "The price: €1200.00"),
            ("It costs EUR 1.200,50.", "That is 1,200.50 EUR."),
            ("You have 3k points.", "You have three thousand points, i.e. 3000"),
            ("The rate is 5 %.", "It is five percent."),
            ("She works thirty-seven and a half hours.", "37.5 hours a week"),
            ("We meet at 2:30 pm.", "We meet at 14:30."),
            ("We meet at 2 p.m.", "See you at 14:00"),
            ("Lunch is at noon.", "Lunch is at 12:00 pm."),
            ("Due on 2026-03-15.", "It is due on March 15, 2026."),
            ("Due on 15 March 2026.", "Due the 15th of March."),
            ("Due on Sunday, 15 March.", "Due on 15.3.2026"),
            ("It happened in 2026.", "It happened on 3 May 2026"),
            ("Paid on the 15th.", "Paid on 15 March"),
            ("See ticket HR-12.", "It is in ticket hr 12"),
            ("Order 48213 was shipped.", "Your order ORD-48213 is on its way."),
            ("Order ORD-48213 was shipped.", "Order 48213 is on its way."),
            ("Write to help@example.com.", "Use the address HELP@example.com"),
            ("Ask Maria Lopez about it.", "Ms Lopez can help."),
            ("Ask Maria about it.", "maria knows."),
            ("It was sent to José in Zürich.", "Jose, Zurich"),
            ("Ask HR about it.", "Ask human resources about it."),
            ("Ask Human Resources about it.", "Ask HR."),
            ("See Berlin's office.", "The office in Berlin"),
            ("It takes 1 day.", "It takes one day."),
            ("You have ١٢ days.", "You have 12 days."),
            ("The balance is -$50.", "The balance is minus 50 dollars."),
            ("Use 1.2 million.", "Use 1,200,000."),
            ("Closed on Mondays.", "We are closed each Monday."),
            ("Please reply by Friday, I'm away then.", "Reply until friday."),
        ] {
            assert_eq!(missing(expected, answer), "", "{expected} / {answer}");
        }
    }

    #[test]
    fn reports_changed_facts_as_missing() {
        for (expected, answer, what) in [
            ("It costs 1,200 euros.", "It costs 1,500 euros.", "number `1,200`"),
            ("It takes twelve days.", "It takes thirteen days.", "number `twelve`"),
            ("The balance is -50.", "The balance is 50.", "number `50`"),
            ("Due on 15 March 2026.", "Due on 15 April 2026.", "date `15 March 2026`"),
            ("Due on 15 March 2026.", "Due on 16 March 2026.", "date `15 March 2026`"),
            ("Due on March 15, 2026.", "Due on March 15, 2027.", "date `March 15, 2026`"),
            ("It is paid in March.", "You may march to the bank.", "date `March`"),
            ("We meet on Friday.", "We meet on Thursday.", "date `Friday`"),
            ("We meet at 2:30 pm.", "We meet at 3:30 pm.", "date `2:30`"),
            ("We meet at 9 am.", "We meet at 9 pm.", "date `9 am`"),
            ("See ticket HR-12.", "See ticket HR-21.", "id `HR-12`"),
            ("Write to help@example.com.", "Write to info@example.com.", "id `help@example.com`"),
            ("Run version 1.2.3.", "Run version 1.2.4.", "id `1.2.3`"),
            ("Please ask Maria Lopez.", "Please ask Maria Gomez.", "name `Maria Lopez`"),
            ("The office is in Berlin.", "The office is in Munich.", "name `Berlin`"),
            ("It is on GitHub.", "It is on GitLab.", "name `GitHub`"),
        ] {
            assert_eq!(missing(expected, answer), what, "{expected} / {answer}");
        }
    }

    #[test]
    fn distinguishes_similar_looking_facts() {
        for (expected, answer, what) in [
            ("Due on 03/05/2026.", "Due on 05/03/2026.", "date `03/05/2026`"),
            ("Due on 03/05/2026.", "Due on 3-5-26.", ""),
            ("Due on 03/05/2026.", "Due on May 3, 2026.", ""),
            ("Due on 03/05/2026.", "Due on 05.03.2026.", ""),
            ("They won 3:1.", "They won 1:3.", "number `3:1`"),
            ("They won 3:1.", "It ended 3 to 1.", ""),
            ("They won 3:1.", "They won 3:1, after 1:3 last time.", ""),
            ("Mix it 2:1.", "Mix it 4:2.", "number `1`"),
            ("Room 0042 is free.", "Room 42 is free.", "id `0042`"),
            ("Room 42 is free.", "Room 0042 is free.", "number `42`"),
            ("Room 0042 is free.", "room 0042", ""),
            ("Install version 1.10.", "Install version 1.1.", "id `1.10`"),
            ("Install version 1.10.", "Install 1.1.", "id `1.10`"),
            ("Install 1.1.", "Install release 1.10.", "number `1.1`"),
            ("Install version 1.10.", "Install v1.10.", ""),
            ("Install v1.10.", "Install 1.10 of it.", ""),
            ("Install version 2.0.", "Install version 2.", ""),
            ("Install 1.21.3.", "Install 12.1.3.", "id `1.21.3`"),
            ("Install version 1.2.10.", "Install version 1.2.1.", "id `1.2.10`"),
            ("Install version 1.2.10.", "Install v1.2.10.", ""),
            ("Install 1.2.3.", "Install v1.2.3.", ""),
            ("It costs 1.10 EUR.", "It costs 1.1 EUR.", ""),
            ("Released on release 15 March 2026.", "On 15 March 2026", ""),
        ] {
            assert_eq!(missing(expected, answer), what, "{expected} / {answer}");
        }
    }

    #[test]
    fn reports_ambiguous_matches() {
        let told = |expected: &str, answer: &str| compare(expected, answer).to_string();
        assert_eq!(told("It costs 1.500 euros.", "It costs 1,5 euros."), "treated as equal: number `1.500` for `1,5`");
        assert_eq!(told("It costs 1,5 euros.", "It costs 1.500 euros."), "treated as equal: number `1,5` for `1.500`");
        assert_eq!(told("Use the code abc123.", "Use the code ABC123."), "treated as equal: id `abc123` for `ABC123`");
        for (expected, answer) in [
            ("It costs 1.5 euros.", "It costs 1,5 euros."),
            ("It costs EUR 1.500.", "It costs 1,500 euros."),
            ("It costs EUR 1.200,50.", "That is 1,200.50 euros."),
            ("Write to help@example.com.", "Write to HELP@example.com."),
            ("Use the code abc123.", "ABC123 is old; use the code abc123."),
        ] {
            assert_eq!(compare(expected, answer).unclear, [""; 0], "{expected} / {answer}");
        }
    }

    #[test]
    fn text_without_facts_requires_nothing() {
        for expected in [
            "First, open the settings. Second, choose one of them.",
            "1. Open the settings\n2. Click on save",
            "May I help you? March on!",
            "Die Rechnung wurde gestern an unsere Kunden der Firma in der Stadt geschickt.",
            "YOUR REFUND WAS SENT",
            "I'm sure I’ll be OK with that.",
            "Refunds are on their way.",
        ] {
            assert_eq!(missing(expected, "Something else."), "", "{expected}");
        }
    }

    #[test]
    fn reads_a_number_in_words_at_the_beginning() {
        assert_eq!(missing("Twelve days remain.", "There are 11 days left."), "number `Twelve`");
        assert_eq!(missing("Twelve days remain.", "There are 12 days left."), "");
    }

    #[test]
    fn reports_both_sides() {
        let differences = compare("You get 1,200 euros on Friday.", "You won't get 1,500 euros, 1,500 in Berlin.");
        assert_eq!(
            differences.to_string(),
            "missing: number `1,200`, date `Friday`; only in the answer: number `1,500`, name `Berlin`"
        );
    }

    proptest! {
        #[test]
        fn text_matches_itself(text in "\\PC{0,80}") {
            prop_assert_eq!(compare(&text, &text), DifferingFacts::default());
        }

        #[test]
        fn comparison_is_symmetric_for_arbitrary_text(a in "[0-9A-Za-z.,:/'’\u{a0}T€ -]{0,60}", b in any::<String>()) {
            let (there, back) = (compare(&a, &b), compare(&b, &a));
            prop_assert_eq!(there.missing, back.extra);
            prop_assert_eq!(compare(&a, &a), DifferingFacts::default());
        }
    }
}
