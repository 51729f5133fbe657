//! Collects the warnings at the end of a session: those noted before, and those that follow from the exchanges.

use std::collections::BTreeMap;

use crate::compression::is_readable;
use crate::proxy::SeenSoFar;
use crate::{EndKind, Exchange, RecordedBody, Warning, WarningKind};

/// Statuses for a missing or wrong key.
const DENIED: [u16; 2] = [401, 403];

/// The warnings of a session.
pub(crate) fn of(seen: &SeenSoFar) -> Vec<Warning> {
    let mut counts: BTreeMap<WarningKind, usize> = BTreeMap::new();
    for exchange in seen.exchanges.iter().flatten() {
        for kind in shown(exchange) {
            *counts.entry(kind).or_default() += 1;
        }
    }
    let unread = seen.unread.iter().map(|(host, (connections, bytes))| {
        (WarningKind::PassedOn { host: host.clone(), bytes: *bytes }, *connections)
    });
    let noted = seen.notes.iter().map(|(kind, times)| (kind.clone(), *times));
    counts.into_iter().chain(noted).chain(unread).map(|(kind, times)| Warning { kind, times }).collect()
}

/// The warnings of one exchange.
fn shown(exchange: &Exchange) -> Vec<WarningKind> {
    let mut kinds = Vec::new();
    let request = &exchange.request;
    let place = || {
        let path = request.path.split(['?', '#']).next().expect("a split has a first part");
        format!("{} {}{path}", request.method, request.origin)
    };
    if let Some(response) = &exchange.response {
        if DENIED.contains(&response.status) && !exchange.chatter {
            kinds.push(WarningKind::Denied(response.status));
        }
        if let Some(encoding) = response.header("content-encoding").filter(|encoding| !is_readable(encoding)) {
            kinds.push(WarningKind::Unsearched { origin: request.origin.clone(), encoding: encoding.to_owned() });
        }
    }
    if let RecordedBody::TooLarge { .. } = request.body {
        kinds.push(WarningKind::TooLarge { request: true, place: place() });
    }
    match &exchange.end.how {
        EndKind::TooLarge => kinds.push(WarningKind::TooLarge { request: false, place: place() }),
        EndKind::Unreachable(what) if !exchange.chatter => kinds.push(WarningKind::Unreachable(what.clone())),
        _ => {}
    }
    kinds
}
