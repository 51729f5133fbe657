//! Removes exchanges and values from a recording.

use std::collections::BTreeMap;

use agentci_trace::Redactor;

use super::clean::cleaned;
use super::{Exchange, Recording};

/// What to remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remove {
    /// Telemetry and similar.
    pub chatter: bool,
    /// Exchanges by their ids.
    pub ids: Vec<u64>,
    /// Exchanges by their hosts, with or without a port.
    pub hosts: Vec<String>,
    /// Values, wherever they occur.
    pub values: Vec<String>,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// The number of exchanges.
    pub exchanges: usize,
    /// Ids and hosts that no exchange has.
    pub unknown: Vec<String>,
    /// How many of the values are still in the recording: they are too short to be searched.
    pub short: usize,
}

impl Recording {
    /// Removes exchanges and values. The remaining exchanges are renumbered, and their conversations stay connected.
    pub fn remove(&mut self, what: &Remove) -> Removed {
        let gone = |exchange: &Exchange| {
            (what.chatter && exchange.chatter)
                || what.ids.contains(&exchange.id)
                || what.hosts.iter().any(|host| is_host(exchange, host))
        };
        let any = |test: &dyn Fn(&Exchange) -> bool| self.exchanges.iter().any(test);
        let ids = what.ids.iter().filter(|id| !any(&|exchange| exchange.id == **id)).map(u64::to_string);
        let hosts = what.hosts.iter().filter(|host| !any(&|exchange| is_host(exchange, host))).cloned();
        let unknown = ids.chain(hosts).collect();
        let before = self.exchanges.len();
        let kept: Vec<bool> = self.exchanges.iter().map(|exchange| !gone(exchange)).collect();
        renumber(&mut self.exchanges, &kept);
        let exchanges = before - self.exchanges.len();
        Removed { exchanges, unknown, short: self.scrub(&what.values) }
    }

    /// Removes values wherever they occur, and returns how many are too short for that.
    fn scrub(&mut self, values: &[String]) -> usize {
        if values.is_empty() {
            return 0;
        }
        let mut secrets = Redactor::default();
        let mut short = 0;
        for value in values {
            secrets.learn_value(value);
            if secrets.known_places(value).is_empty() {
                short += 1;
            }
        }
        *self = cleaned(self, &mut secrets);
        short
    }
}

fn is_host(exchange: &Exchange, host: &str) -> bool {
    let origin = &exchange.request.origin;
    let address = origin.split_once("://").map_or(origin.as_str(), |(_, address)| address);
    let name = address.rsplit_once(':').map_or(address, |(name, _)| name);
    address.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(host)
}

fn renumber(exchanges: &mut Vec<Exchange>, kept: &[bool]) {
    // The new number of each remaining exchange; for a removed one, that of the exchange that it continued.
    let mut numbers: BTreeMap<u64, Option<u64>> = BTreeMap::new();
    let mut next = 1;
    for (exchange, kept) in exchanges.iter_mut().zip(kept) {
        let after = exchange.after.and_then(|after| numbers.get(&after).copied().flatten());
        let number = if *kept { Some(next) } else { after };
        numbers.insert(exchange.id, number);
        exchange.after = after;
        if *kept {
            exchange.id = next;
            next += 1;
        }
    }
    let mut kept = kept.iter();
    exchanges.retain(|_| *kept.next().expect("there is a mark for each exchange"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndKind, ExchangeEnd, RecordedBody, RecordedRequest};

    fn recording() -> Recording {
        let exchange = |id: u64, origin: &str, after| Exchange {
            id,
            request: RecordedRequest {
                origin: origin.into(),
                path: "/".into(),
                body: RecordedBody::Text(format!("ask {id} for swordfish")),
                ..RecordedRequest::default()
            },
            response: None,
            end: ExchangeEnd { at_us: 0, how: EndKind::Closed },
            chatter: id == 2,
            after,
        };
        let exchanges = vec![
            exchange(1, "https://a.example:8443", None),
            exchange(2, "https://log.example", None),
            exchange(3, "https://a.example:8443", Some(1)),
            exchange(4, "https://b.example", Some(3)),
            exchange(5, "https://b.example", Some(4)),
        ];
        Recording { exchanges, ..Recording::default() }
    }

    fn left(recording: &Recording) -> Vec<(u64, Option<u64>, String)> {
        let exchanges = recording.exchanges.iter();
        exchanges.map(|exchange| (exchange.id, exchange.after, exchange.request.origin.clone())).collect()
    }

    #[test]
    fn renumbers_remaining_exchanges_and_keeps_conversations() {
        let mut recording = recording();
        let removed = recording.remove(&Remove { chatter: true, ids: vec![3, 9], ..Remove::default() });
        assert_eq!(removed, Removed { exchanges: 2, unknown: vec!["9".into()], short: 0 });
        let (a, b) = ("https://a.example:8443".to_owned(), "https://b.example".to_owned());
        assert_eq!(left(&recording), [(1, None, a), (2, Some(1), b.clone()), (3, Some(2), b)]);
        let text = recording.write(&Redactor::default()).unwrap().text;
        assert_eq!(Recording::parse(&text).unwrap(), recording);
    }

    #[test]
    fn matches_hosts_with_or_without_port() {
        for (host, exchanges) in [("a.example", 2), ("A.example:8443", 2), ("a.example:1", 0), ("example", 0)] {
            let removed = recording().remove(&Remove { hosts: vec![host.into()], ..Remove::default() });
            assert_eq!((removed.exchanges, removed.unknown.len()), (exchanges, usize::from(exchanges == 0)), "{host}");
        }
    }

    #[test]
    fn redacts_values_and_counts_short_ones() {
        let mut recording = recording();
        let removed = recording.remove(&Remove { values: vec!["swordfish".into(), "ask".into()], ..Remove::default() });
        assert_eq!(removed, Removed { exchanges: 0, unknown: Vec::new(), short: 1 });
        assert_eq!(recording.exchanges[0].request.body, RecordedBody::Text("ask 1 for [REDACTED]".into()));
    }
}
