//! Large requests and long recordings.

use std::time::{Duration, Instant};

use super::*;

/// A request like those of coding agents: a long prompt with ids, dates and folders, many tools, a growing
/// conversation.
fn turn(number: usize, id: &str, cwd: &str, date: &str) -> RecordedRequest {
    let line = |line: usize| match line % 20 {
        0 => format!("- rule {line}: keep to {cwd}/src/part{line}.rs, say {id} on {date}, never guess a thing."),
        _ => format!("- rule {line}: be kind, be brief, take the newest of all part{line}.rs, never guess anything."),
    };
    let prompt = (0..1300).map(line).collect::<Vec<_>>().join("\n");
    let tools: Vec<Value> = (0..100)
        .map(|tool| json!({ "name": format!("tool_{tool}"), "input_schema": { "type": "object", "a": 1, "b": [1, 2, 3] } }))
        .collect();
    let messages: Vec<Value> =
        (0..=number).map(|turn| json!({ "role": "user", "content": format!("step {turn} in {cwd}") })).collect();
    RecordedRequest {
        path: "/v1/messages".into(),
        speaks: Some(ProviderApi::AnthropicMessages),
        ..chat(json!({ "system": [{ "type": "text", "text": prompt }], "tools": tools, "messages": messages }))
    }
}

#[test]
fn matches_long_requests_quickly() {
    let recorded = (0..50).map(|number| turn(number, A, "/home/me/shop", "2026-11-16")).collect();
    let sent: Vec<_> = (0..50).map(|number| turn(number, C, "/builds/7/my_shop.x", "2026-11-17")).collect();
    let begin = Instant::now();
    let mut matcher = matcher(recording(recorded), elsewhere(NOW + DAY));
    for (expected, request) in (1..).zip(&sent) {
        assert_eq!(id(&matcher.answer(request)), expected);
    }
    assert_eq!(matcher.tally().with_holes, 50);
    assert!(begin.elapsed() < Duration::from_secs(30), "{:?}", begin.elapsed());
}

#[test]
fn matches_in_long_recordings_quickly() {
    let request = |number: usize, session: &str| {
        chat(json!({ "messages": [{ "role": "user", "content": format!("order {number}") }], "session": session }))
    };
    let mut matcher = matcher(recording((0..10_000).map(|number| request(number, A)).collect()), here(NOW));
    let begin = Instant::now();
    for number in (0..10_000).rev().step_by(500) {
        assert_eq!(id(&matcher.answer(&request(number, C))), number as u64 + 1);
    }
    missed(matcher.answer(&request(10_001, C)));
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
