//! The labelled pairs by which the rules about contradictions were made, and their acceptance lists.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::fmt::Write as _;

use agentci_embed::contradictions::{find, unjudged};
use agentci_embed::facts::compare;
use proptest::prelude::*;

/// Tab-separated pairs under lines with their kind and `s` for the same meaning or `d` for a different one.
const PAIRS: [&str; 4] = [
    include_str!("../../../fixtures/embeddings/contradictions/dev.tsv"),
    include_str!("../../../fixtures/embeddings/contradictions/dev2.tsv"),
    include_str!("../../../fixtures/embeddings/contradictions/dev3.tsv"),
    include_str!("../../../fixtures/embeddings/contradictions/dev4.tsv"),
];

/// Pairs that were written before the rules and only measure them.
const MEASURED: &str = include_str!("../../../fixtures/embeddings/measured.jsonl");

const DOCUMENTATION: &str = include_str!("../../../docs/reference/embeddings.md");

struct Pair {
    kind: &'static str,
    same: bool,
    expected: &'static str,
    answer: &'static str,
}

fn pairs(file: &'static str) -> Vec<Pair> {
    let mut heading = ("", "");
    let mut pairs = Vec::new();
    for line in file.lines() {
        let (first, second) = line.split_once('\t').unwrap();
        match first.strip_prefix('#') {
            Some(kind) => heading = (kind, second),
            None => pairs.push(Pair { kind: heading.0, same: heading.1 == "s", expected: first, answer: second }),
        }
    }
    pairs
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    same: usize,
    alarms: usize,
    likely_alarms: usize,
    different: usize,
    caught: usize,
    likely: usize,
}

fn counts(pairs: &[Pair]) -> Counts {
    let mut counts = Counts::default();
    for pair in pairs {
        let found = find(pair.expected, pair.answer);
        let (certain, likely) =
            (found.as_ref().is_some_and(|found| found.certain), found.as_ref().is_some_and(|found| !found.certain));
        let (all, sure, maybe) = if pair.same {
            (&mut counts.same, &mut counts.alarms, &mut counts.likely_alarms)
        } else {
            (&mut counts.different, &mut counts.caught, &mut counts.likely)
        };
        *all += 1;
        *sure += usize::from(certain);
        *maybe += usize::from(likely);
    }
    counts
}

#[test]
fn development_pairs_are_told_apart() {
    let [first, others @ ..] = PAIRS.map(|file| counts(&pairs(file)));
    assert_eq!((first.same, first.different), (213, 195));
    assert_eq!(first.alarms, 0, "{first:?}");
    assert!(first.caught >= 175, "{first:?}");
    assert!(others.iter().map(|counts| counts.alarms).sum::<usize>() <= 2, "{others:?}");
}

fn verdict(expected: &str, answer: &str) -> Option<bool> {
    find(expected, answer).map(|found| found.certain)
}

fn differing(pairs: &[(&str, &str)], wanted: Option<bool>) -> Vec<String> {
    let wrong = pairs.iter().filter(|(expected, answer)| verdict(expected, answer) != wanted);
    wrong.map(|(expected, answer)| format!("{expected} | {answer} | {:?}", find(expected, answer))).collect()
}

#[test]
fn certain_contradictions_are_found() {
    let pairs = [
        ("Your refund has been approved.", "Your refund has not been approved."),
        ("The ticket is refundable.", "The ticket is non-refundable."),
        ("Breakfast is included in the price.", "Breakfast is excluded from the price."),
        ("Your account is active.", "Your account is no longer active."),
        ("All employees must complete the training.", "None of the employees must complete the training."),
        ("You have to pay a cancellation fee.", "There is no cancellation fee to pay."),
        ("I have cancelled your booking.", "I was unable to cancel your booking."),
        ("The item is in stock.", "The item is out of stock."),
        ("Smoking is prohibited in the building.", "Smoking is not prohibited in the building."),
        ("You don't have to wear a helmet.", "You must not wear a helmet."),
        ("Payment is made before delivery.", "Payment is made after delivery."),
        ("Anna owes Ben 50 euros.", "Ben owes Anna 50 euros."),
        ("The flight goes from Berlin to Madrid.", "The flight goes from Madrid to Berlin."),
        ("Lena is Tom's manager.", "Tom is Lena's manager."),
        ("Install the driver before connecting the printer.", "Connect the printer before installing the driver."),
        ("Plan A is cheaper than plan B.", "Plan B is cheaper than plan A."),
        ("Delivery takes at least five days.", "Delivery takes at most five days."),
        ("The first instalment is due in May.", "The last instalment is due in May."),
        ("Only admins can delete users.", "Anyone can delete users."),
        ("The invoice is sent by email.", "The invoice is sent by post."),
        ("The parcel is insured.", "Your parcel left the warehouse. It is uninsured."),
        ("Haustiere sind erlaubt.", "Haustiere sind nicht erlaubt."),
        ("Der Laden ist sonntags geöffnet.", "Der Laden ist sonntags geschlossen."),
        ("El tren va de Madrid a Sevilla.", "El tren va de Sevilla a Madrid."),
        ("Yes, you can.", "No, you can not."),
        ("The warranty lasts two years.", "Could you tell me your order number?"),
        ("The warranty covers the battery.", "Unfortunately I don't know whether the warranty covers the battery."),
        // Hidden in a long polite text.
        (
            "Your refund was approved.",
            "Thank you so much for reaching out to us today, and sorry for the wait! I looked into your account and \
             checked everything with my colleagues in the team. As it turns out, your refund was not approved. I hope \
             this answers your question, and I wish you a wonderful week.",
        ),
    ];
    assert_eq!(differing(&pairs, Some(true)), [""; 0]);
}

#[test]
fn honest_answers_do_not_contradict() {
    let pairs = [
        ("Your refund was not approved.", "Your refund was denied."),
        ("Pets are not allowed.", "Pets are forbidden."),
        ("You don't have to attend the training.", "Attending the training is optional."),
        ("The store is not open on Sundays.", "The store is closed on Sundays."),
        ("The warranty does not cover accidental damage.", "The warranty covers everything except accidental damage."),
        ("It is possible to change the seat.", "It is not impossible to change the seat."),
        ("Always lock the door.", "Never leave the door unlocked."),
        ("All invoices were paid.", "No invoices were left unpaid."),
        ("You must be 18 or older.", "You can't be younger than 18."),
        ("Only managers can approve leave.", "Employees cannot approve leave; only managers can."),
        ("The report is due before Friday.", "Hand in the report no later than Thursday."),
        ("You need your manager's approval.", "Without your manager's approval it won't work."),
        ("Anna owes Ben 50 euros.", "Ben is owed 50 euros by Anna."),
        ("Plan A is cheaper than plan B.", "Plan B is more expensive than plan A."),
        ("Before the upgrade, back up the database.", "Upgrade only after you have backed up the database."),
        ("The printer supports duplex.", "The printer supports duplex, but it does not support A3."),
        ("The parcel was delivered yesterday.", "The parcel was delivered yesterday, not today."),
        ("Turn off the router and turn it on again.", "Switch the router off, then switch it on."),
        ("Sales sent the contract to legal.", "Legal received the contract from sales."),
        ("Please do not reply to this email.", "This address is not monitored, so please don't reply to this email."),
        // Quotes the question, adds a caveat, lists exceptions.
        ("The pool is open.", "You asked whether the pool is closed. The pool is open."),
        ("Your refund was approved.", "Your refund was approved. It has not been paid out yet."),
        ("Pets are allowed.", "Pets are allowed, except in the restaurant, where they are not."),
        ("The ticket is refundable.", "The ticket is refundable unless you bought it at a discount."),
        ("Haustiere sind nicht erlaubt.", "Es sind keine Haustiere erlaubt."),
        ("Your booking is confirmed.", "42"),
        ("", ""),
        ("...", "?"),
    ];
    assert_eq!(differing(&pairs, None), [""; 0]);
}

#[test]
fn reworded_negations_are_only_likely_contradictions() {
    let pairs = [
        ("Passwords must not be shared.", "Sharing passwords is against the rules."),
        ("The old version is no longer supported.", "Support for the old version has ended."),
        ("The doctor is not available today.", "The doctor is out today."),
        ("The printer is not connected to the network.", "The printer has lost its network connection."),
        (
            "Do not plug in the device before installing the software.",
            "Install the software first, then plug in the device.",
        ),
    ];
    assert_eq!(differing(&pairs, Some(false)), [""; 0]);
}

#[test]
fn evidence_names_the_words_that_contradict() {
    for (expected, answer, told) in [
        ("Your refund was approved.", "Your refund hasn't been approved.", "negation: `approved`, `not approved`"),
        ("Your refund was approved.", "Your refund was denied.", "opposite: `approved`, `denied`"),
        (
            "The doctor is available today.",
            "The doctor is not available today.",
            "negation: `doctor`, `The doctor is not available today`",
        ),
        (
            "I have cancelled your booking.",
            "I was unable to cancel your booking.",
            "negation: `cancelled`, `unable to cancel`",
        ),
        ("Delivery takes at least five days.", "Delivery takes at most five days.", "opposite: `at least`, `at most`"),
        (
            "The alarm is switched on at night.",
            "The alarm is switched off at night.",
            "quantifier: `switched on at night`, `switched off at night`",
        ),
        ("The invoice is sent by email.", "The invoice is sent by post.", "exclusive: `email`, `post`"),
        ("Yes, it is.", "No, it is not.", "yes or no: `yes`, `no`"),
    ] {
        let found = find(expected, answer).unwrap();
        assert_eq!(format!("{}: `{}`, `{}`", found.kind, found.expected, found.said), told);
    }
}

#[test]
fn texts_in_other_languages_are_not_judged() {
    for (expected, answer, not) in [
        ("Возврат одобрен.", "Возврат не одобрен.", true),
        ("The refund was approved.", "Die Rückerstattung wurde nicht genehmigt, weil die Frist vorbei ist.", true),
        ("The refund was approved.", "It was not approved.", false),
        ("Die Erstattung wurde genehmigt.", "Die Erstattung wurde nicht genehmigt.", false),
        ("The total is 12 euros.", "12 €", false),
        ("42", "43", false),
    ] {
        assert_eq!(unjudged(expected, answer), not, "{expected} | {answer}");
        assert!(!not || find(expected, answer).is_none());
    }
}

#[test]
fn long_texts_are_read_up_to_a_limit() {
    let filler = "The parcel with the books left the big warehouse in the north, and nobody opened it, before noon. ";
    let late = format!("{}Your refund was not approved.", filler.repeat(1_000));
    assert!(late.split_whitespace().count() > 10_000);
    assert_eq!(verdict("Your refund was approved.", &late), None, "it is behind the words that are read");
    let early = format!("{}Your refund was not approved.", filler.repeat(100));
    assert_eq!(verdict("Your refund was approved.", &early), Some(true));
    // Both long, in one sentence each, and in many short clauses.
    for text in ["a red box, ".repeat(20_000), "not ".repeat(50_000), "box ".repeat(50_000), "x, ".repeat(50_000)] {
        assert_eq!(verdict(&text, &format!("{text} no")).filter(|certain| *certain), None);
        find(&text, &late);
    }
}

/// Words that the rules know, in any order.
fn sentence() -> impl Strategy<Value = String> {
    const WORDS: [&str; 40] = [
        "the", "a", "refund", "parcel", "was", "is", "not", "never", "no", "without", "approved", "denied", "before",
        "after", "than", "cheaper", "more", "only", "all", "some", "Anna", "owes", "Ben", "from", "to", "Berlin", "by",
        "email", "can", "must", "don't", "have", "unless", "but", "and", "it", "at", "least", "five", "open",
    ];
    let word = prop::sample::select(&WORDS[..]);
    let end = prop::sample::select(&[". ", ", ", "! ", "; ", " ", " ", " "][..]);
    prop::collection::vec((word, end), 1..30)
        .prop_map(|words| words.into_iter().flat_map(|(word, end)| [word, end]).collect())
}

proptest! {
    #[test]
    fn a_text_never_contradicts_itself(text in sentence(), other in any::<String>()) {
        prop_assert_eq!(find(&text, &text), None);
        prop_assert_eq!(find(&other, &other), None);
        // Nor do other spaces between its words.
        prop_assert_eq!(find(&text, &format!("{}  ", text.replace(' ', "  "))), None);
    }

    #[test]
    fn any_two_texts_are_compared(one in any::<String>(), other in any::<String>(), known in sentence(), more in sentence()) {
        find(&one, &other);
        find(&known, &more);
        find(&one, &known);
    }
}

/// The measured pairs of these kinds.
fn measured(kinds: &[&str]) -> Vec<Pair> {
    let text = |pair: &serde_json::Value, key: &str| &*String::leak(pair[key].as_str().unwrap().to_owned());
    let pairs = MEASURED.lines().filter(|line| !line.starts_with('#'));
    let pairs = pairs.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()).map(|pair| Pair {
        kind: text(&pair, "kind"),
        same: pair["same"].as_bool().unwrap(),
        expected: text(&pair, "expected"),
        answer: text(&pair, "answer"),
    });
    pairs.filter(|pair| kinds.contains(&pair.kind)).collect()
}

const DIFFERENT: [(&str, &str); 8] = [
    ("negation", "a negation added or left out"),
    ("antonym", "an opposite"),
    ("order", "exchanged order"),
    ("roles", "exchanged roles"),
    ("quantifier", "another quantifier"),
    ("entity", "another of several exclusive things"),
    ("number", "another number (found by facts)"),
    ("date", "another date or time (found by facts)"),
];
const SAME: [(&str, &str); 4] = [
    ("same_negation", "the same negation in other words"),
    ("paraphrase", "other words"),
    ("caveat", "with a caveat, an exception or the question"),
    ("rewording", "a negation reworded without a negating word"),
];

#[test]
fn measured_pairs_meet_the_limits() {
    let of = |kinds: &[&str]| counts(&measured(kinds));
    let found = of(&["negation", "antonym"]);
    assert!(found.caught * 100 >= found.different * 85, "{found:?}");
    let found = of(&["same_negation", "paraphrase", "caveat"]);
    assert!(found.alarms * 100 <= found.same * 2, "{found:?}");
    let found = of(&["rewording"]);
    assert!(found.alarms * 100 <= found.same * 5, "{found:?}");
    let all = of(&DIFFERENT.iter().chain(&SAME).map(|(kind, _)| *kind).collect::<Vec<_>>());
    assert_eq!((all.same, all.different), (100, 100));
}

#[test]
fn measured_numbers_and_dates_are_found_as_facts() {
    let pairs = measured(&["number", "date"]);
    let missed = pairs.iter().filter(|pair| compare(pair.expected, pair.answer).missing.is_empty());
    assert_eq!(missed.map(|pair| pair.answer).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(pairs.len(), 12);
}

/// The documentation has the measured counts.
#[test]
fn documented_counts_match_the_measurement() {
    let mut table = String::from("| the answer has | pairs | certain | likely |\n|---|--:|--:|--:|\n");
    for (heading, kinds) in [("differs", &DIFFERENT[..]), ("says the same", &SAME[..])] {
        let mut sums = [0; 3];
        let mut rows = String::new();
        for (kind, about) in kinds {
            let found = counts(&measured(&[*kind]));
            let row = if found.same > 0 {
                [found.same, found.alarms, found.likely_alarms]
            } else {
                [found.different, found.caught, found.likely]
            };
            writeln!(rows, "| {about} | {} | {} | {} |", row[0], row[1], row[2]).unwrap();
            sums = [sums[0] + row[0], sums[1] + row[1], sums[2] + row[2]];
        }
        write!(table, "| **{heading}** | {} | {} | {} |\n{rows}", sums[0], sums[1], sums[2]).unwrap();
    }
    assert!(DOCUMENTATION.contains(&table), "docs/reference/embeddings.md should have this table:\n\n{table}");
}
