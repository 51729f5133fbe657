//! The check `number`, with the numbers of an answer as evidence.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::path::Path;

use agentci_checks::{EvidenceQuestion, ReadyCheck, single};
use agentci_plan::Check;
use agentci_source::{MemoryFiles, Node, Sources, Span};
use agentci_trace::{Event, EventKind, Moment, Trace};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

fn compiled(arguments: &Value, negate: bool) -> Result<ReadyCheck, Vec<String>> {
    let file = Sources::default().add(Path::new("s/agentci.yaml"), "");
    let span = Span { file, line: 1, column: 1, width: 1 };
    let check = Check { negate, ..Check::new("number", span, Node::from_value(arguments, span)) };
    single(check, &MemoryFiles::default(), Path::new("s"))
        .map_err(|problems| problems.into_iter().map(|problem| problem.message).collect())
}

fn saying(text: &str) -> Trace {
    let mut trace = Trace::default();
    trace.push(Event { at: Moment::default(), turn: 0, kind: EventKind::FinalOutput(json!(text).into()) });
    trace
}

fn number(text: &str, readings: &[f64], before: &str, after: &str) -> Value {
    json!({ "text": text, "readings": readings, "doubtful": false, "before": before, "after": after })
}

/// The message of the failure; `None` if the check passes.
fn told(arguments: &Value, negate: bool, numbers: &[Value]) -> Option<String> {
    match compiled(arguments, negate).unwrap().conclude(&saying("said"), &json!({ "numbers": numbers })) {
        Outcome::Passed => None,
        Outcome::Failed(failure) => Some(failure.message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn number_must_be_stated() {
    let numbers = [number("20", &[20.0], "EUR ", " per month"), number("20.5", &[20.5], "or ", " %")];
    assert_eq!(told(&json!(20), false, &numbers), None);
    assert_eq!(told(&json!(21), false, &numbers).unwrap(), "the answer does not state the number 21");
    assert_eq!(told(&json!({ "value": 20.4, "within": 0.1 }), false, &numbers), None);
    assert!(told(&json!({ "value": 20.4, "within": 0.05 }), false, &numbers).is_some());
    assert_eq!(told(&json!({ "value": 21, "decimals": 0 }), false, &numbers), None, "20.5 is rounded");
    assert_eq!(told(&json!(20), true, &numbers).unwrap(), "the answer states `20`, which `not` forbids");
    assert_eq!(told(&json!(21), true, &numbers), None);
}

#[test]
fn unit_is_next_to_the_number() {
    let stated = |before, after| [number("20", &[20.0], before, after)];
    for (unit, before, after) in [
        ("EUR", "EUR ", " per month"),
        ("EUR", "costs €", "."),
        ("EUR", "", " euros"),
        ("eur", "", "€"),
        ("%", "", "\u{a0}%"),
        ("%", "", " percent"),
        ("kg", "", " kg"),
        ("day", "", " days"),
    ] {
        assert_eq!(told(&json!({ "value": 20, "unit": unit }), false, &stated(before, after)), None, "{unit}");
    }
    for (unit, before, after) in [("EUR", "USD ", ""), ("EUR", "", " European"), ("kg", "", ""), ("%", "", " points")] {
        let told = told(&json!({ "value": 20, "unit": unit }), false, &stated(before, after)).unwrap();
        assert!(told.starts_with(&format!("the answer does not state 20 {unit}: ")), "{told}");
        assert!(told.contains("with another unit"), "{told}");
    }
    assert_eq!(told(&json!({ "value": 20, "unit": "EUR" }), true, &stated("$", "")), None);
    let glued = [number("20kg", &[20.0], "", " of")];
    assert_eq!(told(&json!({ "value": 20, "unit": "kg" }), false, &glued), None);
}

#[test]
fn ambiguity_is_reported() {
    let numbers = [number("1.200", &[1.2, 1200.0], "", "")];
    assert_eq!(told(&json!(1200), false, &numbers), None);
    let kept = compiled(&json!(1200), false).unwrap().keep(json!({ "numbers": numbers }));
    assert_eq!(kept.warnings, ["the number is ambiguous: `1.200` may mean 1.2 or 1200"]);
    assert_eq!(
        told(&json!(1200), true, &numbers).unwrap(),
        "the answer may state 1200, which `not` forbids: `1.200` may mean 1.2 or 1200"
    );
    let both = [numbers[0].clone(), number("1200", &[1200.0], "", "")];
    assert!(compiled(&json!(1200), false).unwrap().keep(json!({ "numbers": both })).warnings.is_empty());
}

#[test]
fn empty_answer_states_nothing() {
    let check = compiled(&json!(20), false).unwrap();
    assert_eq!(check.question(&saying(" ")), None);
    assert_eq!(check.question(&saying("20")), Some(EvidenceQuestion::Numbers { said: "20".into() }));
}

#[test]
fn invalid_arguments_are_refused() {
    for (arguments, told) in [
        (json!("twenty"), "`value` must be a number"),
        (json!({ "unit": "EUR" }), "value"),
        (json!({ "value": 1, "within": -1 }), "`within` must be 0 or more, found -1"),
        (json!({ "value": 1, "digits": 1 }), "digits"),
    ] {
        let found = compiled(&arguments, false).unwrap_err().join("\n");
        assert!(found.contains(told), "{arguments}: {found}");
    }
}
