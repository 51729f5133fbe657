//! Patterns that match the answer.

use serde_json::{Value, json};

use crate::trial::{Story, check, failure, holds};

fn said(text: &str) -> agentci_trace::Trace {
    Story::default().says(text).told()
}

#[test]
fn patterns_are_searched_in_the_answer() {
    for (asked, text, found) in [
        (json!(r"order [A-Z]-\d+"), "Your order A-17 is on its way.", true),
        (json!("^Your"), "Your order", true),
        (json!("^order"), "Your order", false),
        (json!("order$"), "Your order", true),
        (json!("ORDER"), "Your order", false),
        (json!("(?i)ORDER"), "Your order", true),
        (json!({"pattern": "ORDER", "ignore_case": true}), "Your order", true),
        (json!({"pattern": "ORDER", "ignore_case": false}), "Your order", false),
        (json!({"pattern": ["ORDER", "your"], "ignore_case": true}), "Your order", true),
        (json!(["Your", "order"]), "Your order", true),
        (json!(["Your", "parcel"]), "Your order", false),
        (json!("a.b"), "a\nb", false),
        (json!("a\nb"), "a\nb", true),
        (json!("zur.ck"), "Geld zurück", true),
        (json!([]), "", true),
        (json!("."), "", false),
    ] {
        assert_eq!(holds("matches", &asked, false, &said(text)), found, "{asked} in {text:?}");
    }
    // Case matters for one and not for the other, although both have the same source.
    let both = json!({"pattern": "ORDER", "ignore_case": true});
    assert!(
        holds("matches", &both, false, &said("order")) && !holds("matches", &json!("ORDER"), false, &said("order"))
    );
}

#[test]
fn checks_the_last_turn_or_the_whole_conversation() {
    let story = Story::default().says("one ").says("two").next_turn().says("three").told();
    let whole = |pattern: &str| json!({"pattern": pattern, "of": "conversation"});
    assert!(holds("matches", &whole("one two\nthree"), false, &story));
    assert!(holds("matches", &whole("(?m)^three$"), false, &story));
    assert!(holds("matches", &json!("^three$"), false, &story));
    assert!(!holds("matches", &json!("two"), false, &story));
    assert!(!holds("matches", &json!("two"), true, &story), "what is forbidden is forbidden in every turn");
    assert!(!holds("matches", &json!("two"), false, &story.of_turn(1)));
}

#[test]
fn failure_shows_missing_patterns_and_the_answer() {
    let missing = failure("matches", &json!(["Your", "parc.l", "gone"]), false, &said("Your order"), &["1"]);
    assert_eq!(missing.message, "the answer does not match `parc.l`, `gone`");
    assert_eq!(missing.label, "not in the answer");
    assert_eq!(missing.notes, ["the answer is: Your order"]);
    let asked = json!({"pattern": "x"});
    assert_eq!(failure("matches", &asked, false, &said(""), &["pattern"]).notes, ["the answer is empty"]);
}

#[test]
fn negated_forbids_every_pattern_and_shows_the_match() {
    for (asked, good) in [
        (json!(["sorry", "error"]), true),
        (json!(["sorry", "refund"]), false),
        (json!({"pattern": "REFUND", "ignore_case": true}), false),
        (json!("REFUND"), true),
        (json!([]), true),
    ] {
        assert_eq!(holds("matches", &asked, true, &said("a refund of 20")), good, "{asked}");
    }
    let text = format!("{}then an error 42 came up and the order was lost {}", "before ".repeat(20), "x".repeat(60));
    let found = failure("matches", &json!(["sorry", r"error \d+", "lost"]), true, &said(&text), &["1"]);
    assert_eq!(found.message, r"the answer matches `error \d+`, `lost`, which `not` forbids");
    assert_eq!(
        found.notes,
        [
            r"`error \d+` matches in: ... before before before before then an error 42 came up and the order was lost ...",
            "`lost` matches in: ... an error 42 came up and the order was lost ...",
        ]
    );
}

#[test]
fn refuses_arguments_of_the_wrong_type() {
    for (asked, why) in [
        (json!(7), "`matches` must be a string, found the number 7"),
        (Value::Null, "`matches` must be a string, found nothing"),
        (json!(["a", 7]), "an item of `matches` must be a string, found the number 7"),
        (json!({"ignore_case": true}), "`matches` needs `pattern`"),
        (json!({"pattern": "a", "ignore_case": "maybe"}), "`ignore_case` must be a boolean, found the string `maybe`"),
        (json!({"pattern": "a", "flags": "i"}), "unknown key `flags` in `matches`"),
    ] {
        assert_eq!(check("matches", &asked, false).problem().message, why, "{asked}");
    }
}
