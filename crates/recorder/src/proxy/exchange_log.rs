//! The log of a session: exchanges in the order of their requests, misses, secrets, and warnings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agentci_trace::Redactor;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::watch;

use crate::proxy::accepting::credentials;
use crate::proxy::accepting::program::PATIENCE;
use crate::proxy::{ClientProgram, OngoingExchange, RequestTarget};
use crate::recording::is_word;
use crate::tap::TapRegistry;
use crate::{
    Bypass, Conversations, Exchange, Miss, RecordedRequest, SeenHow, SessionEvent, StreamAnswer, WarningKind,
    is_chatter, learn_request,
};

/// Maximum number of exchanges of a session.
pub(crate) const MOST_EXCHANGES: usize = 10_000;
/// Maximum number of bytes of answers and requests that a session keeps.
const MOST_BYTES: u64 = 512 * 1024 * 1024;
/// Maximum number of different bypasses, and of different warnings.
const MOST_NOTES: usize = 200;

/// The log of a session.
pub(crate) struct ExchangeLog {
    began: Instant,
    observer: Option<UnboundedSender<SessionEvent>>,
    /// The environment that the agent would have without the recorder, to find the variable that a key comes from.
    pub(crate) environment: Vec<(String, String)>,
    /// The number of bytes of answers and requests that are kept.
    bytes: AtomicU64,
    /// The number of open exchanges.
    open: watch::Sender<usize>,
    seen: Mutex<SeenSoFar>,
}

/// The data collected so far, taken at the end of the session.
#[derive(Default)]
pub(crate) struct SeenSoFar {
    pub(crate) secrets: Redactor,
    /// Names of variables whose values were seen as keys.
    pub(crate) keys: BTreeSet<String>,
    /// By id, beginning with the first one of this session; `None` while an exchange is open.
    pub(crate) exchanges: Vec<Option<Arc<Exchange>>>,
    /// The number of exchanges before this session.
    pub(crate) before: usize,
    pub(crate) misses: Vec<Arc<Miss>>,
    pub(crate) bypassed: Vec<Bypass>,
    /// Warnings, and how often each occurred.
    pub(crate) notes: BTreeMap<WarningKind, usize>,
    /// Addresses of this machine that belong to the agent, and whether anything ever listened there.
    pub(crate) own: BTreeMap<String, bool>,
    /// Hosts that were passed through unread: connections and bytes.
    pub(crate) unread: BTreeMap<String, (usize, u64)>,
    /// The program of each exchange.
    askers: Vec<(u64, ClientProgram)>,
    /// The conversations so far, to find the exchange that a request continues.
    conversations: Conversations,
}

impl SeenSoFar {
    /// The slot of an exchange of this session; those of a replayed recording have lower ids.
    fn slot(&mut self, id: u64) -> Option<&mut Option<Arc<Exchange>>> {
        let index = usize::try_from(id).ok()?.checked_sub(self.before + 1)?;
        self.exchanges.get_mut(index)
    }
}

impl ExchangeLog {
    /// The agent called an address of this machine that belongs to it. A server may start there later, so this is
    /// evaluated at the end.
    pub(crate) fn note_own(&self, address: String, is_there: bool) {
        let mut seen = self.seen();
        if seen.own.len() < MOST_NOTES || seen.own.contains_key(&address) {
            *seen.own.entry(address).or_default() |= is_there;
        }
    }

    pub(crate) fn new(
        secrets: Redactor,
        environment: Vec<(String, String)>,
        observer: Option<UnboundedSender<SessionEvent>>,
        before: usize,
    ) -> Self {
        let seen = Mutex::new(SeenSoFar { secrets, before, ..SeenSoFar::default() });
        let (bytes, open) = (AtomicU64::new(0), watch::Sender::new(0));
        Self { began: Instant::now(), observer, environment, bytes, open, seen }
    }

    /// Microseconds since the session began.
    pub(crate) fn now_us(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, SeenSoFar> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns the credentials in a request.
    pub(crate) fn learn(&self, target: &RequestTarget, headers: &hyper::HeaderMap, uri: &hyper::Uri) {
        let telling = credentials::in_headers(headers);
        let mut seen = self.seen();
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        learn_request(&mut seen.secrets, &telling, &format!("{}{path}", target.origin()));
        let found = credentials::find(&telling, uri.query());
        for name in credentials::variables(&found, &self.environment) {
            // A value that is sent as a key and stored in a variable is a secret, whatever it looks like.
            let variable = self.environment.iter().find(|(known, _)| *known == name);
            if let Some((_, value)) = variable.filter(|(_, value)| !is_word(value)) {
                seen.secrets.learn_value(value);
            }
            seen.keys.insert(name);
        }
    }

    /// Learns the secrets of a server that is being started, and removes them from its command.
    pub(crate) fn learn_server(&self, environment: &[(String, String)], command: &mut [String]) {
        let mut seen = self.seen();
        let secrets = std::mem::take(&mut seen.secrets).with_environment(environment.iter().cloned());
        seen.secrets = secrets;
        seen.secrets.learn_arguments(command);
        seen.secrets.arguments(command);
    }

    /// A text without secrets.
    pub(crate) fn clean(&self, text: &str) -> String {
        self.seen().secrets.text(text).into_owned()
    }

    /// The secrets so far.
    pub(crate) fn secrets(&self) -> Redactor {
        self.seen().secrets.clone()
    }

    /// Begins an exchange; with `keep` it becomes part of the recording.
    pub(crate) fn begin(self: &Arc<Self>, request: RecordedRequest, keep: bool) -> OngoingExchange {
        let (id, after) = self.number(&request, keep);
        let exchange = Exchange { id, chatter: is_chatter(&request), request, after, ..Exchange::default() };
        OngoingExchange::of(Arc::clone(self), exchange, SeenHow::Live)
    }

    /// Begins an exchange with a recorded answer, which becomes part of the new recording.
    pub(crate) fn begin_again(self: &Arc<Self>, exchange: Exchange) -> OngoingExchange {
        let (id, after) = self.number(&exchange.request, true);
        OngoingExchange::of(Arc::clone(self), Exchange { id, after, ..exchange }, SeenHow::Replayed)
    }

    /// The id of a new exchange, 0 if it is not kept, and the one that it continues.
    fn number(&self, request: &RecordedRequest, keep: bool) -> (u64, Option<u64>) {
        let mut seen = self.seen();
        let room = seen.before + seen.exchanges.len() < MOST_EXCHANGES;
        let after = seen.conversations.after(request);
        let id = if keep && room {
            seen.exchanges.push(None);
            seen.before + seen.exchanges.len()
        } else {
            0
        };
        drop(seen);
        self.open();
        if keep && !room {
            self.note(WarningKind::Full(MOST_EXCHANGES));
        }
        (id as u64, after)
    }

    /// Counts an open exchange.
    pub(crate) fn open(&self) {
        self.open.send_modify(|open| *open += 1);
    }

    /// Ends an exchange. A program whose name is unknown may have one when the session ends.
    pub(crate) fn end(&self, exchange: Exchange, how: SeenHow, asker: Option<ClientProgram>) {
        let exchange = Arc::new(exchange);
        let mut seen = self.seen();
        if let Some(slot) = seen.slot(exchange.id) {
            *slot = Some(Arc::clone(&exchange));
            seen.conversations.take(&exchange);
            seen.askers.extend(asker.map(|program| (exchange.id, program)));
        }
        // Sent while the lock is held, so that the order is that of the ends.
        self.tell(SessionEvent::Exchange(exchange, how));
        drop(seen);
        self.open.send_modify(|open| *open = open.saturating_sub(1));
    }

    fn tell(&self, seen: SessionEvent) {
        if let Some(observer) = &self.observer {
            let _ = observer.send(seen);
        }
    }

    /// Reserves memory for this many bytes. Returns whether there was enough.
    pub(crate) fn keeps(&self, bytes: u64) -> bool {
        self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_BYTES
    }

    /// Releases memory.
    pub(crate) fn forgets(&self, bytes: u64) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Reports an answer that came over a stream.
    pub(crate) fn hear(&self, answer: StreamAnswer) {
        self.tell(SessionEvent::Answer(Arc::new(answer)));
    }

    pub(crate) fn miss(&self, miss: Miss) {
        let miss = Arc::new(miss);
        let mut seen = self.seen();
        self.tell(SessionEvent::Miss(Arc::clone(&miss)));
        if seen.misses.len() < MOST_EXCHANGES {
            seen.misses.push(miss);
        }
    }

    /// Adds a warning.
    pub(crate) fn note(&self, kind: WarningKind) {
        let mut seen = self.seen();
        if seen.notes.len() < MOST_NOTES || seen.notes.contains_key(&kind) {
            *seen.notes.entry(kind).or_default() += 1;
        }
    }

    /// Counts connections that are passed through unread, or the bytes of one.
    pub(crate) fn note_unread(&self, host: &str, connections: usize, bytes: u64) {
        let mut seen = self.seen();
        if seen.unread.len() < MOST_NOTES || seen.unread.contains_key(host) {
            let (known, total) = seen.unread.entry(host.to_owned()).or_default();
            *known += connections;
            *total = total.saturating_add(bytes);
        }
    }

    pub(crate) fn bypass(&self, bypass: Bypass) {
        let mut seen = self.seen();
        let known = seen
            .bypassed
            .iter()
            .any(|known| (&known.program, &known.to, &known.reason) == (&bypass.program, &bypass.to, &bypass.reason));
        if !known && seen.bypassed.len() < MOST_NOTES {
            seen.bypassed.push(bypass);
        }
    }

    /// Adds the names of programs that were still unknown when their exchanges ended. Marks exchanges of MCP servers
    /// that are themselves recorded as chatter: in a replay those servers do not run, and send nothing.
    pub(crate) async fn name_programs(&self, tapped: &TapRegistry) {
        let askers = std::mem::take(&mut self.seen().askers);
        let all = async {
            for (_, program) in askers.iter().filter(|(_, program)| program.known().is_none()) {
                program.found().await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, all).await;
        let mut seen = self.seen();
        for (id, program) in askers {
            if let Some(Some(exchange)) = seen.slot(id) {
                let exchange = Arc::make_mut(exchange);
                exchange.request.by = program.known();
                exchange.chatter |= program.is_below(|pid| tapped.contains(pid));
            }
        }
    }

    /// Waits until no exchange is open, up to this timeout.
    pub(crate) async fn quiet(&self, patience: Duration) {
        let mut open = self.open.subscribe();
        let _ = tokio::time::timeout(patience, open.wait_for(|open| *open == 0)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EndKind;

    fn ledger(before: usize) -> Arc<ExchangeLog> {
        Arc::new(ExchangeLog::new(Redactor::default(), Vec::new(), None, before))
    }

    #[test]
    fn drops_exchanges_above_the_limit() {
        let ledger = ledger(MOST_EXCHANGES - 1);
        for _ in 0..2 {
            ledger.begin(RecordedRequest::default(), true).end(EndKind::Closed);
        }
        let seen = ledger.seen();
        assert_eq!(seen.exchanges.iter().flatten().map(|exchange| exchange.id).collect::<Vec<_>>(), [10_000]);
        assert_eq!(*ledger.open.borrow(), 0);
        assert_eq!(seen.notes.len(), 1);
    }

    #[test]
    fn drops_bytes_above_the_limit() {
        let ledger = ledger(0);
        assert!(ledger.keeps(MOST_BYTES));
        assert!(!ledger.keeps(1));
        ledger.forgets(MOST_BYTES + 1);
        assert!(ledger.keeps(1));
    }
}
