//! Which of several recorded requests answers: order, repetition, conversations, chatter, JSON-RPC.

use super::*;

#[test]
fn parallel_requests_with_same_user_message_get_own_responses() {
    let request = |number: usize| {
        chat(json!({ "messages": [
            { "role": "system", "content": format!("You are clerk {number} of {A}.") },
            { "role": "user", "content": "What now?" },
        ] }))
    };
    let mut matcher = matcher(recording((0..50).map(request).collect()), here(NOW));
    for step in 0..50 {
        let number = step * 37 % 50;
        assert_eq!(id(&matcher.answer(&request(number))), number as u64 + 1);
    }
    assert_eq!((matcher.tally().exact, matcher.tally().unused.len()), (50, 0));
}

#[test]
fn equal_requests_are_answered_in_order_without_repeats() {
    let mut matcher = matcher(recording(vec![prompt("x"), prompt("x"), prompt("x")]), here(NOW));
    for expected in 1..=3 {
        assert_eq!(id(&matcher.answer(&prompt("x"))), expected);
    }
    let miss = missed(matcher.answer(&prompt("x")));
    assert_eq!((miss.number, miss.reason.as_str()), (4, "it was sent more times than it was recorded"));
    assert_eq!(matcher.tally().misses, 1);
}

#[test]
fn repeats_last_response_to_read_only_requests() {
    let list = |number: u64, method: &str| {
        let body = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": { "_meta": { "progressToken": number } } });
        RecordedRequest { method: "POST".into(), body: RecordedBody::Json(body), path: "/mcp".into(), ..get("") }
    };
    let requests = vec![get("/a?x=1"), get("/a?x=1"), list(1, "tools/list"), list(2, "tools/call")];
    let mut matcher = matcher(recording(requests), here(NOW));
    for expected in [1, 2, 2, 2] {
        assert_eq!(id(&matcher.answer(&get("/a?x=1"))), expected);
    }
    for number in [1, 5, 9] {
        let answered = matcher.answer(&list(number, "tools/list"));
        let Answered::Recorded { id, holes, reply_id } = answered else { panic!("{answered:?}") };
        assert_eq!((id, holes, reply_id), (3, Holes::default(), (number != 1).then(|| json!(number))));
    }
    assert_eq!(id(&matcher.answer(&list(7, "tools/call"))), 4);
    missed(matcher.answer(&list(8, "tools/call")));
    assert_eq!(missed(matcher.answer(&get("/a?x=2"))).reason, "query `x` changed");
}

#[test]
fn follow_up_request_matches_its_own_conversation() {
    // Two conversations with new ids, whose second turns differ in nothing else.
    let turn = |id: &str, first: &str, more: bool| {
        let mut messages = vec![json!({ "role": "user", "content": first })];
        if more {
            messages.push(json!({ "role": "assistant", "content": "go on" }));
        }
        chat(json!({ "messages": messages, "trace": id, "more": more }))
    };
    let ids = |number: u8| format!("{number:08}-1111-4222-8333-444455556666");
    let mut recorded = recording(vec![
        turn(&ids(1), "order 1", false),
        turn(&ids(2), "order 1", false),
        turn(&ids(3), "order 1", true),
        turn(&ids(4), "order 1", true),
    ]);
    recorded.exchanges[2].after = Some(2);
    recorded.exchanges[3].after = Some(1);
    let mut matcher = matcher(recorded, here(NOW));
    assert_eq!(id(&matcher.answer(&turn(&ids(5), "order 1", false))), 1);
    assert_eq!(id(&matcher.answer(&turn(&ids(6), "order 1", true))), 4);
}

#[test]
fn telemetry_changes_are_not_misses() {
    let mut recorded = recording(vec![prompt("x"), get("/ping?n=1")]);
    recorded.exchanges[1].chatter = true;
    let mut matcher = matcher(recorded, here(NOW));
    assert_eq!(id(&matcher.answer(&get("/ping?n=2"))), 2);
    assert_eq!(id(&matcher.answer(&get("/ping?n=1"))), 2);
    missed(matcher.answer(&get("/other")));
    let tally = matcher.tally();
    assert_eq!((tally.chatter, tally.exact, tally.misses, tally.unused), (2, 0, 1, vec![1]));
}
