//! Summarizes a recording in one line per host.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use agentci::report::one_line;
use agentci_recorder::{EndKind, Exchange, Recording, is_stdio};

use super::{RecordBudget, counted, grouped, host};

/// One line per host, in the order of their first calls, and one for telemetry. In an update, kept calls are only
/// counted.
pub(super) fn peers(recording: &Recording, kept: Option<usize>, budget: &RecordBudget) -> String {
    let recorded = recording.exchanges.get(kept.unwrap_or_default()..).unwrap_or_default();
    let mut peers: Vec<(&str, Peer)> = Vec::new();
    let mut chatter: BTreeMap<&str, usize> = BTreeMap::new();
    for exchange in recorded {
        let host = host(&exchange.request.origin);
        if exchange.chatter && is_stdio(&exchange.request.origin) {
            // Protocol messages between an MCP host and its server are not telemetry.
            continue;
        }
        if exchange.chatter {
            *chatter.entry(host).or_default() += 1;
            continue;
        }
        if !peers.iter().any(|(known, _)| *known == host) {
            peers.push((host, Peer::default()));
        }
        let of_host = peers.iter_mut().filter(|(known, _)| *known == host);
        of_host.for_each(|(_, peer)| peer.add(exchange, budget));
    }
    let width = peers.iter().map(|(host, _)| host.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for (index, (host, peer)) in peers.iter().enumerate() {
        let begin = if index == 0 { "recorded" } else { "        " };
        let _ = writeln!(text, "{begin} {:width$}  {}", one_line(host), peer.line());
    }
    if !chatter.is_empty() {
        let calls = counted(chatter.values().sum(), "call", "calls");
        let _ = writeln!(text, "telemetry and similar: {calls}, {}", counted(chatter.len(), "host", "hosts"));
    }
    if let Some(kept) = kept {
        let costs: Vec<f64> = peers.iter().filter_map(|(_, peer)| peer.cost).collect();
        let cost = if costs.is_empty() { String::new() } else { format!(", ${:.4}", costs.iter().sum::<f64>()) };
        let _ = writeln!(text, "{} kept, {} recorded{cost}", grouped(kept as u64), grouped(recorded.len() as u64));
    }
    text
}

/// The calls to one host.
#[derive(Debug, Default)]
struct Peer {
    calls: usize,
    streamed: usize,
    /// The start and the end of each call, in microseconds.
    spans: Vec<(u64, u64)>,
    tokens: u64,
    cost: Option<f64>,
    failed: usize,
    /// The reason of the first failure.
    failure: Option<String>,
}

impl Peer {
    fn add(&mut self, exchange: &Exchange, budget: &RecordBudget) {
        self.calls += 1;
        self.streamed += usize::from(is_streamed(exchange));
        self.spans.push((exchange.request.at_us, exchange.end.at_us));
        if let EndKind::Unreachable(words) | EndKind::Broken(words) = &exchange.end.how {
            self.failed += 1;
            self.failure.get_or_insert_with(|| one_line(words).into_owned());
        }
        let used = budget.used(exchange);
        self.tokens += used.tokens.unwrap_or_default();
        if let Some(cost) = used.cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
    }

    fn line(&self) -> String {
        let failure = self.failure.as_deref().unwrap_or_default();
        if self.failed == self.calls {
            return format!("{} failed: {failure}", counted(self.calls, "call", "calls"));
        }
        let mut parts = vec![counted(self.calls, "call", "calls")];
        if self.streamed > 0 {
            parts.push(format!("{} streamed", grouped(self.streamed as u64)));
        }
        let micros = covered(&self.spans);
        parts.push(format!("{}.{} s", grouped(micros / 1_000_000), micros / 100_000 % 10));
        if self.tokens > 0 {
            parts.push(format!("{} tokens", grouped(self.tokens)));
        }
        if let Some(cost) = self.cost {
            parts.push(format!("${cost:.4}"));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed: {failure}", grouped(self.failed as u64)));
        }
        parts.join(", ")
    }
}

/// The time that these spans cover; overlaps count once.
fn covered(spans: &[(u64, u64)]) -> u64 {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let (mut sum, mut until) = (0, 0);
    for (from, to) in spans {
        sum += to.saturating_sub(from.max(until));
        until = until.max(to);
    }
    sum
}

fn is_streamed(exchange: &Exchange) -> bool {
    let headers = exchange.response.as_ref().map(|response| response.headers.as_slice()).unwrap_or_default();
    let streams = ["text/event-stream", "application/x-ndjson", "application/vnd.amazon.eventstream"];
    // Every answer of a stdio server arrives in lines.
    let is_http = !is_stdio(&exchange.request.origin);
    is_http
        && headers
            .iter()
            .any(|(name, value)| name == "content-type" && streams.iter().any(|kind| value.starts_with(kind)))
}

#[cfg(test)]
mod tests {
    use agentci_recorder::{ExchangeEnd, RecordedRequest, RecordedResponse};

    use super::*;

    fn exchange(origin: &str, kind: &str, until: u64, chatter: bool) -> Exchange {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Exchange {
            id: 1,
            request: RecordedRequest { origin: origin.into(), at_us: 100_000, ..RecordedRequest::default() },
            response: Some(RecordedResponse { status: 200, headers, ..RecordedResponse::default() }),
            end: ExchangeEnd { at_us: until, how: EndKind::Closed },
            chatter,
            after: None,
        }
    }

    #[test]
    fn prints_one_line_per_host() {
        let exchanges = vec![
            exchange("https://api.openai.com", "text/event-stream; charset=utf-8", 1_400_000, false),
            exchange("http://127.0.0.1:80", "application/json", 150_000, false),
            exchange("https://api.openai.com", "application/json", 200_000, false),
            exchange("https://statsig.example", "application/json", 200_000, true),
        ];
        let recording = Recording { exchanges, ..Recording::default() };
        let budget = RecordBudget::new(None, None).unwrap();
        assert_eq!(
            peers(&recording, None, &budget),
            "recorded api.openai.com  2 calls, 1 streamed, 1.3 s\n         127.0.0.1:80    1 call, 0.0 s\n\
             telemetry and similar: 1 call, 1 host\n"
        );
    }

    #[test]
    fn reports_kept_recorded_and_failed_calls() {
        let mut failed = exchange("https://api.openai.com", "", 0, false);
        failed.response = None;
        failed.end.how = EndKind::Unreachable("no route".into());
        let exchanges = vec![exchange("http://a", "", 0, false), exchange("http://b", "", 0, false), failed];
        let mut recording = Recording { exchanges, ..Recording::default() };
        let budget = RecordBudget::new(None, None).unwrap();
        assert_eq!(
            peers(&recording, Some(2), &budget),
            "recorded api.openai.com  1 call failed: no route\n2 kept, 1 recorded\n"
        );
        assert_eq!(peers(&recording, Some(3), &budget), "3 kept, 0 recorded\n");
        recording.exchanges[0].request.origin = "https://api.openai.com".into();
        let told = peers(&recording, None, &budget);
        assert!(told.starts_with("recorded api.openai.com  2 calls, 0.0 s, 1 failed: no route\n"), "{told}");
    }

    #[test]
    fn counts_overlapping_time_once() {
        assert_eq!(covered(&[(5, 9), (0, 10), (8, 12), (20, 21)]), 13);
    }
}
