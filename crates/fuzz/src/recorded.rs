//! Recordings of worlds, and the requests that they answer.

use std::sync::Arc;

use agentci_recorder::{
    Answered, Circumstances, EndKind, Exchange, ExchangeEnd, MatchRules, Matcher, RecordedBody, RecordedRequest,
    RecordedResponse, Recording,
};
use agentci_trace::Redactor;

/// Maximum number of requests of one input.
const REQUESTS: usize = 8;

pub(crate) fn world_recording(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(recording) = Recording::parse(text) else { return };
    // A recording whose secrets cannot all be removed is rejected.
    let Ok(written) = recording.write(&Redactor::default()) else { return };
    let again = Recording::parse(&written.text).unwrap();
    let stored = again.write(&Redactor::default()).unwrap();
    assert_eq!(stored.text, written.text);
    assert_eq!(Recording::parse(&stored.text).unwrap(), again);
}

/// Requests that are separated by zero bytes: the first line of each is its path, and the rest its body.
pub(crate) fn matching(bytes: &[u8]) {
    let requests: Vec<RecordedRequest> = bytes.splitn(REQUESTS, |byte| *byte == 0).map(request).collect();
    let exchange = |(id, request): (u64, &RecordedRequest)| Exchange {
        id,
        request: request.clone(),
        response: Some(RecordedResponse { status: 200, ..RecordedResponse::default() }),
        end: ExchangeEnd { at_us: 0, how: EndKind::Closed },
        chatter: false,
        after: None,
    };
    let exchanges = (1..).zip(&requests).map(exchange).collect();
    let recording = Arc::new(Recording { exchanges, ..Recording::default() });
    let matcher = || Matcher::new(Arc::clone(&recording), Circumstances::default(), MatchRules::default());
    let mut same = matcher();
    for (id, request) in (1..).zip(&requests) {
        match same.answer(request) {
            Answered::Recorded { id: found, holes, .. } => assert!(found <= id && holes.is_empty(), "{request:?}"),
            Answered::Chatter => {}
            Answered::Miss(miss) => panic!("{request:?} is not in its own recording: {miss:?}"),
        }
    }
    // Others may be answered or not, and a miss can be explained.
    let mut other = matcher();
    for request in requests.iter().rev() {
        let mut changed = request.clone();
        changed.path.push('1');
        for asked in [request, &changed] {
            if let Answered::Miss(miss) = other.answer(asked) {
                miss.explain("r.jsonl", None);
            }
        }
    }
    other.tally();
}

/// A request in the form of a recording: without secrets.
fn request(bytes: &[u8]) -> RecordedRequest {
    let text = String::from_utf8_lossy(bytes);
    let (path, body) = text.split_once('\n').unwrap_or((&text, ""));
    let body = match serde_json::from_str(body) {
        Ok(value) => RecordedBody::Json(value),
        Err(_) if body.is_empty() => RecordedBody::Empty,
        Err(_) => RecordedBody::Text(body.to_owned()),
    };
    let request = RecordedRequest {
        method: "POST".into(),
        origin: "https://api.openai.com".into(),
        path: format!("/{}", path.trim_start_matches('/')),
        body,
        ..RecordedRequest::default()
    };
    request.redacted(&Redactor::default())
}
