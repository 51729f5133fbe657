//! The running recorder of an attempt, and its listener.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use agentci_recorder::{FinishedSession, Miss, RecorderSession, SessionEvent};
use agentci_stubs::Faults;
use agentci_trace::EventKind;
use agentci_verdict::ReplaySource;
use agentci_wire::lock;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::{faults::SharedFaults, observe::ExchangeReader};
use crate::observation_line::ObservationLine;

/// What happens with what a session saw.
#[derive(Debug)]
pub(crate) enum SessionUse {
    /// It is observed but not saved.
    Watched,
    /// It is saved.
    Recorded,
    /// It is added to an existing recording.
    Updated,
    /// It comes from an existing recording.
    Replayed(ReplaySource),
}

/// The recorder of an attempt.
pub(crate) struct WorldSession {
    /// Environment variables that the target can override: placeholder keys.
    pub(crate) environment: Vec<(String, String)>,
    /// Environment variables that the target cannot override: those that point the agent at the recorder.
    pub(crate) enforced: Vec<(String, String)>,
    /// Receives the process ids of started programs.
    pub(crate) started: UnboundedSender<u32>,
    session: Arc<RecorderSession>,
    listener: Arc<Mutex<SessionListener>>,
    tasks: [JoinHandle<()>; 2],
    used: SessionUse,
    faults: SharedFaults,
}

/// A session that is over.
pub(crate) struct SessionEnd {
    pub(crate) finished: FinishedSession,
    pub(crate) used: SessionUse,
    /// The state of the injected faults.
    pub(crate) faults: Faults,
    /// Events that were seen after the last turn.
    pub(crate) late: Vec<EventKind>,
    /// Warnings for what could not be observed.
    pub(crate) unobserved: Vec<String>,
}

/// How long a finished turn waits for exchanges in progress. An agent has its last answer before the recorder knows
/// that it was complete; but it may also keep a stream open that never ends.
const SETTLE_TIMEOUT: Duration = Duration::from_millis(250);

impl WorldSession {
    pub(super) fn new(
        session: Arc<RecorderSession>,
        (used, faults): (SessionUse, SharedFaults),
        keys: &[String],
        reader: ExchangeReader,
        seen: UnboundedReceiver<SessionEvent>,
        observer: UnboundedSender<EventKind>,
    ) -> Self {
        let keys: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
        let (environment, enforced) =
            session.environment().into_iter().partition(|(name, _)| keys.contains(name.as_str()));
        let listener = SessionListener { seen, reader, line: ObservationLine::new(Some(observer)), misses: Vec::new() };
        let listener = Arc::new(Mutex::new(listener));
        let (started, pids) = unbounded_channel();
        let tasks = [
            tokio::spawn(listen(Arc::clone(&listener), Arc::downgrade(&session))),
            tokio::spawn(watch(pids, Arc::downgrade(&session))),
        ];
        Self { environment, enforced, started, session, listener, tasks, used, faults }
    }

    /// Passes on everything that was seen so far, including answers that the agent has just received.
    pub(crate) async fn settle(&self) {
        self.session.quiet(SETTLE_TIMEOUT).await;
        lock(&self.listener).drain(&self.session);
    }

    /// The requests so far without a recorded answer.
    pub(crate) fn misses(&self) -> Vec<Arc<Miss>> {
        if !matches!(self.used, SessionUse::Replayed(_)) {
            return Vec::new();
        }
        let mut listener = lock(&self.listener);
        listener.drain(&self.session);
        listener.misses.clone()
    }

    pub(crate) async fn finish(self) -> SessionEnd {
        let Self { session, listener, tasks, used, faults, .. } = self;
        tasks.iter().for_each(JoinHandle::abort);
        {
            // From now on no task takes events out of the channel.
            let mut listener = lock(&listener);
            listener.drain(&session);
            listener.line.end_conversation();
        }
        // The tasks hold it only briefly, without awaiting anything.
        let finished = match Arc::try_unwrap(session) {
            Ok(session) => Box::pin(session.finish()).await,
            Err(_) => FinishedSession::default(),
        };
        let mut listener = lock(&listener);
        while let Ok(seen) = listener.seen.try_recv() {
            listener.take(&seen);
        }
        let faults = lock(&faults).clone();
        let unobserved = listener.reader.unobserved();
        SessionEnd { finished, used, faults, late: listener.line.take_late(), unobserved }
    }
}

/// Listens to a session.
struct SessionListener {
    seen: UnboundedReceiver<SessionEvent>,
    reader: ExchangeReader,
    line: ObservationLine,
    misses: Vec<Arc<Miss>>,
}

impl SessionListener {
    /// Processes everything that was seen so far.
    fn drain(&mut self, session: &RecorderSession) {
        while let Ok(seen) = self.seen.try_recv() {
            self.take(&seen);
        }
        if let Some(reason) = self.reader.overspent() {
            session.close_upstream(&reason);
        }
    }

    fn take(&mut self, seen: &SessionEvent) {
        match seen {
            SessionEvent::Miss(miss) => self.misses.push(Arc::clone(miss)),
            SessionEvent::Exchange(exchange, how) => {
                self.reader.read(exchange, *how).into_iter().for_each(|kind| self.line.tell(kind));
            }
            SessionEvent::Answer(answer) => {
                self.reader.hear(answer).into_iter().for_each(|kind| self.line.tell(kind));
            }
        }
    }
}

/// Passes on what the session sees, as soon as it is seen.
async fn listen(listener: Arc<Mutex<SessionListener>>, session: Weak<RecorderSession>) {
    loop {
        let seen = poll_fn(|context| {
            let mut listener = lock(&listener);
            listener.seen.poll_recv(context)
        });
        let Some(seen) = seen.await else { return };
        let Some(session) = session.upgrade() else { return };
        let mut listener = lock(&listener);
        listener.take(&seen);
        listener.drain(&session);
    }
}

/// Watches the connections of every started program.
async fn watch(mut pids: UnboundedReceiver<u32>, session: Weak<RecorderSession>) {
    while let Some(pid) = pids.recv().await {
        let Some(session) = session.upgrade() else { return };
        session.watch(pid);
    }
}
