//! Splits a recording after a call.

use std::collections::BTreeSet;

use crate::matching::may_repeat;
use crate::{EndKind, Exchange, RecordedRequest, Recording};

use super::scripted::is_of_model;

#[derive(Debug)]
pub(crate) struct ForkCut {
    /// The calls up to and including the last one before the fork.
    pub(crate) beginning: Recording,
    /// The later calls, without calls to models.
    pub(crate) rest: Recording,
    /// The calls of the beginning that the agent must make before the fork is reached.
    pub(crate) awaited: BTreeSet<u64>,
}

impl ForkCut {
    /// Splits a recording after a call.
    pub(crate) fn at(recording: Recording, until: u64) -> Self {
        let (first, then): (Vec<Exchange>, Vec<Exchange>) =
            recording.exchanges.into_iter().partition(|exchange| exchange.id <= until);
        let awaited = awaited(&first);
        let rest = then.into_iter().filter(|exchange| !is_of_model(&exchange.request)).collect();
        let (header, holes) = (recording.header, recording.holes);
        let part = |exchanges| Recording { header: header.clone(), exchanges, holes: holes.clone(), exit: None };
        Self { beginning: part(first), rest: part(rest), awaited }
    }
}

/// All calls except telemetry, calls that the agent aborted, and repeated queries: how often an agent polls depends on
/// the speed of the machine. The last call is always awaited, since the fork follows it.
fn awaited(exchanges: &[Exchange]) -> BTreeSet<u64> {
    let calls: Vec<&Exchange> = exchanges.iter().filter(|exchange| !exchange.chatter).collect();
    let is_repeated = |index: usize| {
        let request = &calls[index].request;
        may_repeat(request) && calls[..index].iter().any(|earlier| same(&earlier.request, request))
    };
    let last = calls.len().saturating_sub(1);
    let is_left = |index: usize| calls[index].end.how == EndKind::Left;
    let needed = (0..calls.len()).filter(|index| *index == last || !(is_repeated(*index) || is_left(*index)));
    needed.map(|index| calls[index].id).collect()
}

fn same(one: &RecordedRequest, other: &RecordedRequest) -> bool {
    (&one.method, &one.origin, &one.path, &one.body) == (&other.method, &other.origin, &other.path, &other.body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExchangeEnd;

    fn call(id: u64, method: &str, path: &str, chatter: bool) -> Exchange {
        Exchange {
            id,
            request: RecordedRequest { method: method.into(), path: path.into(), ..RecordedRequest::default() },
            response: None,
            end: ExchangeEnd { at_us: id, how: EndKind::Closed },
            chatter,
            after: None,
        }
    }

    fn cut(until: u64) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
        let exchanges = vec![
            call(1, "POST", "/v1/chat/completions", false),
            call(2, "GET", "/job", false),
            call(3, "POST", "/log", true),
            call(4, "GET", "/job", false),
            call(5, "GET", "/job", false),
            call(6, "POST", "/v1/chat/completions", false),
            call(7, "POST", "/refund", false),
        ];
        let cut = ForkCut::at(Recording { exchanges, ..Recording::default() }, until);
        let ids = |recording: &Recording| recording.exchanges.iter().map(|exchange| exchange.id).collect();
        (ids(&cut.beginning), ids(&cut.rest), cut.awaited.into_iter().collect())
    }

    #[test]
    fn remainder_excludes_model_calls() {
        assert_eq!(cut(5).0, [1, 2, 3, 4, 5]);
        assert_eq!(cut(5).1, [7]);
        assert_eq!(cut(0), (vec![], vec![2, 3, 4, 5, 7], vec![]));
        assert_eq!(cut(9).1, [0; 0]);
    }

    #[test]
    fn does_not_wait_for_cancelled_calls() {
        let mut left = call(1, "POST", "/slow", false);
        left.end.how = EndKind::Left;
        let exchanges = vec![left, call(2, "POST", "/next", false)];
        let cut = ForkCut::at(Recording { exchanges, ..Recording::default() }, 2);
        assert_eq!(cut.awaited.into_iter().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn waits_for_last_call_but_not_telemetry_or_repeats() {
        assert_eq!(cut(6).2, [1, 2, 6]);
        assert_eq!(cut(5).2, [1, 2, 5]);
        assert_eq!(cut(3).2, [1, 2]);
    }
}
