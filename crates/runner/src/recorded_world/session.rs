//! The recorder of an attempt while it runs, and who listens to it.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use agentci_recorder::{Finished, Miss, Seen, Session};
use agentci_stubs::Faults;
use agentci_trace::Kind;
use agentci_verdict::Replay;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::faults::SharedFaults;
use super::observe::Reader;

/// What becomes of what a session saw.
#[derive(Debug)]
pub(crate) enum Used {
    /// It is looked at, and not kept.
    Watched,
    /// It is kept.
    Recorded,
    /// It is added to what was recorded before.
    Updated,
    /// It was recorded before.
    Replayed(Replay),
}

/// The recorder of an attempt; it ends with it.
pub(crate) struct WorldSession {
    /// What the agent finds in its environment unless the target says otherwise: keys that are none.
    pub(crate) environment: Vec<(String, String)>,
    /// What it finds there in any case: what leads it to the recorder.
    pub(crate) enforced: Vec<(String, String)>,
    /// Where the process ids of programs go that are started.
    pub(crate) started: UnboundedSender<u32>,
    session: Arc<Session>,
    listener: Arc<Mutex<Listener>>,
    tasks: [JoinHandle<()>; 2],
    used: Used,
    faults: SharedFaults,
}

/// A session that is over.
pub(crate) struct Ended {
    pub(crate) finished: Finished,
    pub(crate) used: Used,
    /// What went wrong on purpose, and what did not.
    pub(crate) faults: Faults,
    /// What was seen after the last turn.
    pub(crate) late: Vec<Kind>,
    /// What could not be observed, in words.
    pub(crate) unobserved: Vec<String>,
}

/// How long a turn that is over waits for exchanges under way. An agent has its last answer before we know that this was all of
/// it; but it may also keep a stream open that never ends.
const SETTLE_TIMEOUT: Duration = Duration::from_millis(250);

impl WorldSession {
    pub(super) fn new(
        session: Arc<Session>,
        (used, faults): (Used, SharedFaults),
        keys: &[String],
        reader: Reader,
        seen: UnboundedReceiver<Seen>,
        observer: UnboundedSender<Kind>,
    ) -> Self {
        let keys: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
        let (environment, enforced) =
            session.environment().into_iter().partition(|(name, _)| keys.contains(name.as_str()));
        let listener = Listener { seen, reader, observer: Some(observer), misses: Vec::new(), late: Vec::new() };
        let listener = Arc::new(Mutex::new(listener));
        let (started, pids) = unbounded_channel();
        let tasks = [
            tokio::spawn(listen(Arc::clone(&listener), Arc::downgrade(&session))),
            tokio::spawn(watch(pids, Arc::downgrade(&session))),
        ];
        Self { environment, enforced, started, session, listener, tasks, used, faults }
    }

    /// Tells of everything that was seen until now, and of answers that the agent has just got.
    pub(crate) async fn settle(&self) {
        self.session.quiet(SETTLE_TIMEOUT).await;
        self.lock().drain(&self.session);
    }

    /// The requests that the recording has no answer to, so far.
    pub(crate) fn misses(&self) -> Vec<Arc<Miss>> {
        if !matches!(self.used, Used::Replayed(_)) {
            return Vec::new();
        }
        let mut listener = self.lock();
        listener.drain(&self.session);
        listener.misses.clone()
    }

    /// Ends the session.
    pub(crate) async fn finish(self) -> Ended {
        let Self { session, listener, tasks, used, faults, .. } = self;
        tasks.iter().for_each(JoinHandle::abort);
        {
            // From now on nobody takes events out of the channel any more.
            let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
            listener.drain(&session);
            listener.observer = None;
        }
        // The tasks have it only for moments in which nothing is awaited.
        let finished = match Arc::try_unwrap(session) {
            Ok(session) => Box::pin(session.finish()).await,
            Err(_) => Finished::default(),
        };
        let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
        while let Ok(seen) = listener.seen.try_recv() {
            listener.take(&seen);
        }
        let faults = faults.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let unobserved = listener.reader.unobserved();
        Ended { finished, used, faults, late: std::mem::take(&mut listener.late), unobserved }
    }

    fn lock(&self) -> MutexGuard<'_, Listener> {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who listens to a session.
struct Listener {
    seen: UnboundedReceiver<Seen>,
    reader: Reader,
    /// Who is told; nobody when the conversation is over.
    observer: Option<UnboundedSender<Kind>>,
    misses: Vec<Arc<Miss>>,
    late: Vec<Kind>,
}

impl Listener {
    /// Takes what was seen until now.
    fn drain(&mut self, session: &Session) {
        while let Ok(seen) = self.seen.try_recv() {
            self.take(&seen);
        }
        if let Some(reason) = self.reader.overspent() {
            session.close_upstream(&reason);
        }
    }

    fn take(&mut self, seen: &Seen) {
        match seen {
            Seen::Miss(miss) => self.misses.push(Arc::clone(miss)),
            Seen::Exchange(exchange, how) => {
                let kinds = self.reader.read(exchange, *how);
                self.tell(kinds);
            }
            Seen::Answer(answer) => {
                let kind = self.reader.hear(answer);
                self.tell(kind);
            }
        }
    }

    fn tell(&mut self, kinds: impl IntoIterator<Item = Kind>) {
        for kind in kinds {
            match &self.observer {
                // Whoever listened may be gone by now.
                Some(observer) => drop(observer.send(kind)),
                None => self.late.push(kind),
            }
        }
    }
}

/// Passes on what the session sees, in the moment it is seen.
async fn listen(listener: Arc<Mutex<Listener>>, session: Weak<Session>) {
    loop {
        let seen = poll_fn(|context| {
            let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
            listener.seen.poll_recv(context)
        });
        let Some(seen) = seen.await else { return };
        let Some(session) = session.upgrade() else { return };
        let mut listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
        listener.take(&seen);
        listener.drain(&session);
    }
}

/// Has the connections of every program watched that is started.
async fn watch(mut pids: UnboundedReceiver<u32>, session: Weak<Session>) {
    while let Some(pid) = pids.recv().await {
        let Some(session) = session.upgrade() else { return };
        session.watch(pid);
    }
}
