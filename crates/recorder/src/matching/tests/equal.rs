//! Requests that are byte for byte equal: they are answered like all others, only faster.

use super::*;

fn hits(answered: &Answered) -> bool {
    matches!(answered, Answered::Recorded { .. })
}

#[test]
fn each_equal_request_is_answered_once_in_order() {
    let mut matcher = matcher(recording(vec![prompt("one"), prompt("one")]), here(NOW));
    for id in [1, 2] {
        assert_eq!(
            matcher.answer_equal(&prompt("one")),
            Some(Answered::Recorded { id, holes: Holes::default(), reply_id: None })
        );
    }
    assert_eq!(matcher.answer_equal(&prompt("one")), None);
    assert!(!hits(&matcher.answer(&prompt("one"))));
    assert_eq!((matcher.tally().exact, matcher.tally().misses), (2, 1));
}

#[test]
fn id_already_paired_with_another_no_longer_matches() {
    let about = |id: &str, what: &str| prompt(&format!("{what} {id}"));
    let mut matcher = matcher(recording(vec![about(A, "open"), about(A, "close")]), here(NOW));
    assert!(hits(&matcher.answer(&about(B, "open"))));
    // The agent continues with an id that it did not generate in this run.
    assert_eq!(matcher.answer_equal(&about(A, "close")), None);
    assert!(!hits(&matcher.answer(&about(A, "close"))));
    assert!(hits(&matcher.answer(&about(B, "close"))));
}

#[test]
fn ignored_fields_do_not_pair_ids() {
    let first = chat(json!({ "model": "m", "session": A, "messages": [{ "role": "user", "content": "hello" }] }));
    let ignore = vec!["/session".to_owned()];
    let of = |ignore| {
        let rules = MatchRules { ignore, ..MatchRules::default() };
        Matcher::new(Arc::new(recording(vec![first.clone(), prompt(&format!("see {A}"))])), here(NOW), rules)
    };
    for (ignore, second) in [(ignore, true), (Vec::new(), false)] {
        let mut matcher = of(ignore);
        assert!(matcher.answer_equal(&first).is_some());
        assert_eq!(hits(&matcher.answer(&prompt(&format!("see {C}")))), second);
    }
}

#[test]
fn compared_headers_must_be_equal() {
    let with = |version: &str| RecordedRequest { headers: vec![("x-version".into(), version.into())], ..prompt("one") };
    let rules = MatchRules { headers: vec!["X-Version".into()], ..MatchRules::default() };
    let of = || Matcher::new(Arc::new(recording(vec![with("1")])), here(NOW), rules.clone());
    assert!(of().answer_equal(&with("1")).is_some());
    assert_eq!(of().answer_equal(&with("2")), None);
    assert!(!hits(&of().answer(&with("2"))));
    assert!(matcher(recording(vec![with("1")]), here(NOW)).answer_equal(&with("2")).is_some());
}

#[test]
fn unrecorded_body_equals_nothing() {
    let large = RecordedRequest { body: RecordedBody::TooLarge { bytes: 9 }, ..prompt("") };
    let mut matcher = matcher(recording(vec![large.clone()]), here(NOW));
    assert_eq!(matcher.answer_equal(&large), None);
    assert!(!hits(&matcher.answer(&large)));
}

#[test]
fn every_part_of_a_request_is_compared() {
    let recorded = chat(json!({ "model": "m", "seed": 1, "messages": [{ "role": "user", "content": "one" }] }));
    let other = |change: &dyn Fn(&mut RecordedRequest)| {
        let mut sent = recorded.clone();
        change(&mut sent);
        matcher(recording(vec![recorded.clone()]), here(NOW)).answer_equal(&sent)
    };
    assert!(other(&|_| {}).is_some());
    assert!(other(&|sent| sent.at_us = 7).is_some());
    assert_eq!(other(&|sent| sent.method = "PUT".into()), None);
    assert_eq!(other(&|sent| sent.origin = "https://other.example".into()), None);
    assert_eq!(other(&|sent| sent.path += "?a=1"), None);
    assert_eq!(other(&|sent| sent.body = RecordedBody::Text("one".into())), None);
    assert_eq!(other(&|sent| sent.body = RecordedBody::Json(json!({}))), None);
}
