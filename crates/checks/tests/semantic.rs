//! The check `semantic`, with invented similarities.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::path::Path;

use agentci_checks::{EvidenceQuestion, ReadyCheck, single};
use agentci_plan::Check;
use agentci_source::{MemoryFiles, Node, Sources, Span};
use agentci_trace::{Event, EventKind, Moment, Trace};
use agentci_verdict::Outcome;
use serde_json::{Value, json};

const BUILTIN: &str = "builtin:small@1";
const OPENAI: &str = "openai:text-embedding-3-small";

fn span() -> Span {
    let file = Sources::default().add(Path::new("s/agentci.yaml"), "");
    Span { file, line: 1, column: 1, width: 1 }
}

fn compiled(arguments: &Value, negate: bool) -> Result<ReadyCheck, Vec<String>> {
    let check = Check { negate, ..Check::new("semantic", span(), Node::from_value(arguments, span())) };
    single(check, &MemoryFiles::default(), Path::new("s"))
        .map_err(|problems| problems.into_iter().map(|problem| problem.message).collect())
}

fn saying(text: &str) -> Trace {
    let mut trace = Trace::default();
    trace.push(Event { at: Moment::default(), turn: 0, kind: EventKind::FinalOutput(json!(text).into()) });
    trace
}

fn measured(similarity: f64, embedder: &str) -> Value {
    json!({ "similarity": similarity, "embedder": embedder })
}

/// The message for an answer of this similarity; empty if the check passes.
fn said(arguments: &Value, negate: bool, answer: &Value) -> Option<String> {
    match compiled(arguments, negate).unwrap().conclude(&saying("Paid 15."), answer) {
        Outcome::Passed => None,
        Outcome::Failed(failure) => Some([&[failure.message], &failure.notes[..]].concat().join("\n")),
        Outcome::Error(failure) => Some(format!("error: {} ({})", failure.message, failure.label)),
        other @ Outcome::NotEvaluated(_) => panic!("{other:?}"),
    }
}

fn holds(arguments: &Value, similarity: f64, embedder: &str) -> bool {
    said(arguments, false, &measured(similarity, embedder)).is_none()
}

#[test]
fn numeric_threshold_is_the_minimum_similarity() {
    let arguments = json!({ "expected": "Paid.", "threshold": 0.88 });
    assert!(holds(&arguments, 0.88, OPENAI) && holds(&arguments, 0.879_999_5, OPENAI));
    assert!(!holds(&arguments, 0.8799, OPENAI));
    let told = said(&arguments, false, &measured(0.8795, OPENAI)).unwrap();
    let first = "the answer is not similar enough to the expected text: similarity 0.8795 is below 0.88 (openai:text-embedding-3-small)";
    assert_eq!(told, format!("{first}\nthe answer is: Paid 15."));
}

#[test]
fn threshold_defaults_to_that_of_the_embedder() {
    let own = |similarity| json!({ "similarity": similarity, "embedder": BUILTIN, "default_threshold": 0.5 });
    assert_eq!(said(&json!("Paid."), false, &own(0.5)), None);
    assert!(said(&json!("Paid."), false, &own(0.49)).is_some());
    assert!(holds(&json!("Paid."), 0.88, OPENAI) && !holds(&json!("Paid."), 0.87, OPENAI));
}

#[test]
fn threshold_can_be_set_per_embedder() {
    let arguments = json!({ "expected": "Paid.", "threshold": {
        "builtin": 0.5, "openai": 0.8, "openai:text-embedding-3-small": 0.7,
    } });
    assert!(holds(&arguments, 0.5, BUILTIN) && !holds(&arguments, 0.49, BUILTIN));
    assert!(holds(&arguments, 0.8, "openai:other") && !holds(&arguments, 0.79, "openai:other"));
    // The longest key that names the embedder takes precedence.
    assert!(holds(&arguments, 0.7, OPENAI) && !holds(&arguments, 0.69, OPENAI));
    let only = json!({ "expected": "Paid.", "threshold": { "builtin": 0.5, "open": 0.1 } });
    assert_eq!(
        said(&only, false, &measured(0.99, OPENAI)).unwrap(),
        "error: no threshold is set for the embedder `openai:text-embedding-3-small` (only for `builtin`, `open`)"
    );
}

#[test]
fn suspicious_threshold_for_embedder_is_reported() {
    let told = |threshold: Value, embedder| {
        let arguments = json!({ "expected": "Paid.", "threshold": threshold });
        said(&arguments, false, &measured(0.1, embedder)).unwrap().contains("a threshold depends on the embedder")
    };
    assert!(told(json!(0.88), BUILTIN));
    assert!(!told(json!(0.88), OPENAI) && !told(json!(0.6), BUILTIN) && !told(json!({ "builtin": 0.88 }), BUILTIN));
}

fn contradiction(certain: bool) -> Value {
    json!({ "kind": "negation", "certain": certain, "expected": "paid", "said": "not paid" })
}

fn with_facts(similarity: f64) -> Value {
    let number = |text: &str| json!({ "kind": "number", "text": text });
    let facts = json!({ "missing": [number("20")], "extra": [number("15")], "contradiction": contradiction(false) });
    json!({ "similarity": similarity, "embedder": BUILTIN, "default_threshold": 0.5, "facts": facts })
}

#[test]
fn missing_fact_fails_warns_or_is_ignored() {
    let arguments = |facts: &str| json!({ "expected": "Paid 20.", "facts": facts });
    let told = said(&json!("Paid 20."), false, &with_facts(0.9)).unwrap();
    assert_eq!(
        told,
        "the answer lacks expected facts: number `20`\n\
         similarity 0.9000 (threshold 0.5000, builtin:small@1)\n\
         only in the answer: number `15`\npossible contradiction: negation: expected: paid; the answer says: not paid\nthe answer is: Paid 15."
    );
    assert_eq!(said(&arguments("fail"), false, &with_facts(0.9)), Some(told));
    assert_eq!(said(&arguments("warn"), false, &with_facts(0.9)), None);
    assert_eq!(said(&arguments("off"), false, &with_facts(0.9)), None);
    let kept = |facts: &str| compiled(&arguments(facts), false).unwrap().keep(with_facts(0.9));
    assert_eq!(
        kept("warn").warnings,
        ["the answer differs from the expected text: missing: number `20`; only in the answer: number `15`; \
          possible contradiction: negation: expected: paid; the answer says: not paid"]
    );
    assert!(kept("fail").warnings.is_empty(), "it is a failure");
    assert_eq!(
        kept("off").warnings,
        ["the answer differs from the expected text: possible contradiction: negation: expected: paid; the answer \
          says: not paid"]
    );
    assert!(kept("off").evidence["facts"].get("missing").is_none());
    // A failure because of the similarity shows the missing facts as well.
    let far = said(&arguments("warn"), false, &with_facts(0.2)).unwrap();
    assert!(far.contains("similarity 0.2000 is below 0.5") && far.contains("missing: number `20`"), "{far}");
    let kept = compiled(&arguments("warn"), false).unwrap().keep(with_facts(0.2));
    assert!(kept.warnings.is_empty(), "it is a failure");
}

#[test]
fn malformed_facts_are_an_error_unless_they_are_not_compared() {
    for facts in [json!(null), json!("none"), json!({ "missing": "number 20" }), json!({ "contradiction": true })] {
        let answer = json!({ "similarity": 0.9, "embedder": BUILTIN, "default_threshold": 0.5, "facts": facts });
        let told = said(&json!("Paid 20."), false, &answer);
        assert_eq!(told.as_deref(), Some("error: the measured similarity could not be read ()"), "{facts}");
        let kept = compiled(&json!("Paid 20."), false).unwrap().keep(answer.clone());
        assert_eq!((kept.similarity, &kept.evidence), (None, &answer));
        assert!(
            said(&json!("Paid 20."), true, &answer).is_some_and(|told| told.starts_with("the answer is too similar"))
        );
    }
}

#[test]
fn contradiction_fails_warns_or_is_ignored() {
    let arguments = |reaction: &str| json!({ "expected": "Paid.", "contradictions": reaction });
    let evidence = |certain| {
        let facts = json!({ "extra": [{ "kind": "name", "text": "Lopez" }], "contradiction": contradiction(certain) });
        json!({ "similarity": 0.9, "embedder": BUILTIN, "default_threshold": 0.5, "facts": facts })
    };
    let kept = |reaction: &str, certain| compiled(&arguments(reaction), false).unwrap().keep(evidence(certain));
    let told = said(&json!("Paid."), false, &evidence(true)).unwrap();
    assert_eq!(
        told,
        "the answer contradicts the expected text: negation: expected: paid; the answer says: not paid\n\
         similarity 0.9000 (threshold 0.5000, builtin:small@1)\n\
         only in the answer: name `Lopez`\nthe answer is: Paid 15."
    );
    assert_eq!(said(&arguments("fail"), false, &evidence(true)), Some(told));
    assert!(kept("fail", true).warnings.is_empty(), "it is a failure");
    for (reaction, certain, warning) in [
        ("fail", false, "possible contradiction: negation: expected: paid; the answer says: not paid"),
        ("warn", false, "possible contradiction: negation: expected: paid; the answer says: not paid"),
        ("warn", true, "contradiction: negation: expected: paid; the answer says: not paid"),
    ] {
        assert_eq!(said(&arguments(reaction), false, &evidence(certain)), None);
        let told = format!("the answer differs from the expected text: {warning}");
        assert_eq!(kept(reaction, certain).warnings, [told], "{reaction} {certain}");
    }
    assert_eq!(said(&arguments("off"), false, &evidence(true)), None);
    assert!(kept("off", true).warnings.is_empty());
    assert_eq!(
        said(
            &arguments("fail"),
            true,
            &json!({ "similarity": 0.1, "embedder": BUILTIN, "default_threshold": 0.5,
        "facts": { "contradiction": contradiction(true) } })
        ),
        None,
        "`not` compares only the similarity"
    );
    // Facts may be off while contradictions are not, and the other way round.
    let only = json!({ "expected": "Paid.", "facts": "off" });
    assert!(said(&only, false, &evidence(true)).is_some_and(|told| !told.contains("Lopez")));
}

#[test]
fn contradictions_are_asked_for_unless_they_are_off() {
    let asks = |arguments: &Value| match compiled(arguments, false).unwrap().question(&saying("Done")) {
        Some(EvidenceQuestion::Similarity { contradictions, .. }) => contradictions,
        other => panic!("{other:?}"),
    };
    assert!(asks(&json!("Paid.")) && asks(&json!({ "expected": "Paid.", "contradictions": "warn" })));
    assert!(!asks(&json!({ "expected": "Paid.", "contradictions": "off" })));
}

#[test]
fn evidence_keeps_similarity_and_threshold() {
    let kept = compiled(&json!({ "expected": "Paid 20.", "threshold": 0.6 }), false).unwrap().keep(with_facts(0.9));
    let facts = with_facts(0.9)["facts"].clone();
    let evidence = json!({ "similarity": 0.9, "embedder": BUILTIN, "threshold": 0.6, "facts": facts });
    assert_eq!(kept.evidence, evidence);
    assert_eq!(kept.similarity.unwrap().threshold, Some(0.6));
}

#[test]
fn negated_requires_low_similarity_and_ignores_facts() {
    let arguments = json!({ "expected": "Paid 20.", "threshold": 0.5 });
    assert_eq!(said(&arguments, true, &with_facts(0.4)), None);
    let told = said(&arguments, true, &with_facts(0.6)).unwrap();
    assert!(told.starts_with("the answer is too similar to the text: similarity 0.6000 is not below 0.5 ("), "{told}");
    let kept = compiled(&arguments, true).unwrap().keep(with_facts(0.4));
    assert!(kept.similarity.is_some_and(|similarity| similarity.negated && similarity.facts.is_empty()));
}

#[test]
fn empty_answer_needs_no_embedder() {
    let check = compiled(&json!("Paid."), false).unwrap();
    for nothing in [saying(" \n"), Trace::default()] {
        assert_eq!(check.question(&nothing), None);
        assert!(
            matches!(check.evaluate(&nothing), Outcome::Failed(failure) if failure.message == "the answer is empty")
        );
        assert_eq!(compiled(&json!("Paid."), true).unwrap().evaluate(&nothing), Outcome::Passed);
    }
    let question = EvidenceQuestion::Similarity { expected: "Paid.".into(), said: "Done".into(), contradictions: true };
    assert_eq!(check.question(&saying("Done")), Some(question));
}

#[test]
fn non_numeric_similarity_is_an_error() {
    for answer in [json!({}), json!({ "similarity": "near", "embedder": BUILTIN }), json!(7)] {
        assert!(said(&json!("Paid."), false, &answer).unwrap().starts_with("error: "), "{answer}");
    }
}

#[test]
fn refuses_invalid_thresholds_and_blank_text() {
    for (arguments, message) in [
        (json!({ "threshold": 0.5 }), "`semantic` needs `expected`"),
        (json!(" "), "the expected text must not be blank"),
        (json!({ "expected": "a", "threshold": 1.1 }), "`threshold` must be from 0 to 1, found 1.1"),
        (json!({ "expected": "a", "threshold": "high" }), "`threshold` must be a number, found the string `high`"),
        (json!({ "expected": "a", "threshold": {} }), "`threshold` names no embedder"),
        (
            json!({ "expected": "a", "threshold": { "builtin": -1 } }),
            "`threshold.builtin` must be from 0 to 1, found -1",
        ),
        (
            json!({ "expected": "a", "facts": "strict" }),
            "`facts` must be one of `fail`, `warn`, `off`, found the string `strict`",
        ),
        (json!({ "expected": "a", "treshold": 1 }), "unknown key `treshold` in `semantic`"),
    ] {
        assert_eq!(compiled(&arguments, false).unwrap_err(), [message], "{arguments}");
    }
}
