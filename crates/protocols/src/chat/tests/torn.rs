//! Streams that are truncated at every byte.

use super::spoken::all;
use super::*;

#[test]
fn truncated_stream_yields_only_received_content() {
    for spoken in all() {
        let full = spoken.streamed();
        let api = spoken.api;
        let (mut ends, mut most) = (Vec::new(), 0);
        for end in 0..spoken.stream.len() {
            let torn = read_answer(api, 200, spoken.content_type, [&spoken.stream[..end]]);
            assert!(full.text.starts_with(&torn.text), "{api:?} {end}: {}", torn.text);
            assert!(torn.calls.len() >= most || torn.calls.is_empty(), "{api:?} {end}");
            most = most.max(torn.calls.len());
            assert_eq!(torn.calls, full.calls[..torn.calls.len()], "{api:?} {end}: only calls that came whole");
            assert_eq!(torn.error, None, "{api:?} {end}");
            if torn.complete {
                assert_eq!((&torn.text, &torn.calls), (&full.text, &full.calls), "{api:?} {end}");
                ends.push(end);
            }
        }
        // The end of an answer is in the second half: before that, nothing counts as complete.
        let first = ends.first().copied().unwrap_or(spoken.stream.len());
        assert!(first > spoken.stream.len() / 2, "{api:?} {first} of {}", spoken.stream.len());
    }
}

#[test]
fn chunk_boundaries_do_not_change_the_result() {
    for spoken in all() {
        for size in [1, 7, 64] {
            let pieces = spoken.stream.chunks(size);
            assert_eq!(
                read_answer(spoken.api, 200, spoken.content_type, pieces),
                spoken.streamed(),
                "{:?}",
                spoken.api
            );
        }
    }
}

#[test]
fn incomplete_call_is_not_reported_as_a_call() {
    let start = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "a", "name": "wipe", "input": {} } });
    let answer = read_answer(WireApi::Messages, 200, SSE, [named(&[start]).as_slice()]);
    assert_eq!((answer.calls.len(), answer.complete), (0, false));
    assert!(answer.notes.iter().any(|note| note.contains("arguments of a call")), "{:?}", answer.notes);
}

#[test]
fn truncated_body_has_no_content() {
    for spoken in all() {
        let body = spoken.whole.to_string();
        let answer = read_answer(spoken.api, 200, "application/json", [&body.as_bytes()[..body.len() / 2]]);
        assert_eq!((answer.complete, answer.calls.len(), answer.text.as_str()), (false, 0, ""), "{:?}", spoken.api);
        assert!(!answer.notes.is_empty());
    }
}
