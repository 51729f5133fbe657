mod limits;
mod refused;
mod round_trip;
mod size;

use crate::{EndKind, Exchange, ExchangeEnd, RecordedBody, RecordedRequest, Recording};

/// A recording of requests to one endpoint, each continuing the one before it.
fn recording_of(bodies: impl IntoIterator<Item = RecordedBody>) -> Recording {
    let exchange = |(position, body): (usize, RecordedBody)| {
        let id = position as u64 + 1;
        let request = RecordedRequest {
            at_us: id * 10,
            method: "POST".into(),
            origin: "https://api.example.com".into(),
            path: "/v1/messages".into(),
            body,
            ..RecordedRequest::default()
        };
        let end = ExchangeEnd { at_us: id * 10 + 5, how: EndKind::Closed };
        Exchange { id, request, response: None, end, chatter: false, after: (id > 1).then(|| id - 1) }
    };
    Recording { exchanges: bodies.into_iter().enumerate().map(exchange).collect(), ..Recording::default() }
}
