//! The sink to which drivers write trace events.

use std::ops::ControlFlow;

use agentci_exchange::Clock;
use agentci_trace::{Event, EventKind, Moment, Trace};

/// The turn was stopped: a limit is exceeded, or the tool host refused a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoppedError;

type SinkChange<'w> = Box<dyn Fn(&mut EventKind) + 'w>;
type TraceWatcher<'w> = Box<dyn FnMut(&Event) -> ControlFlow<()> + 'w>;

/// Receives the trace events of a driver. A watcher sees every event as it arrives and may stop the turn.
pub struct TraceSink<'w> {
    clock: Clock,
    turn: u32,
    trace: Trace,
    change: Option<SinkChange<'w>>,
    watcher: TraceWatcher<'w>,
}

impl<'w> TraceSink<'w> {
    /// Creates a sink with a watcher.
    pub fn new(clock: Clock, watcher: impl FnMut(&Event) -> ControlFlow<()> + 'w) -> Self {
        Self { clock, turn: 0, trace: Trace::default(), change: None, watcher: Box::new(watcher) }
    }

    /// Normalizes every event before the watcher and the trace see it.
    #[must_use]
    pub fn with_change(mut self, change: impl Fn(&mut EventKind) + 'w) -> Self {
        self.change = Some(Box::new(change));
        self
    }

    /// Sets the turn of the following events.
    pub fn set_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// The clock of the events.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Adds an event with the current time.
    pub fn push(&mut self, kind: EventKind) -> Result<(), StoppedError> {
        self.push_at(self.clock.now(), kind)
    }

    /// Adds an event with a given time: its arrival, or the recorded one.
    pub fn push_at(&mut self, at: Moment, mut kind: EventKind) -> Result<(), StoppedError> {
        if let Some(change) = &self.change {
            change(&mut kind);
        }
        let event = Event { at, turn: self.turn, kind };
        let flow = (self.watcher)(&event);
        self.trace.push(event);
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StoppedError),
        }
    }

    /// The trace so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The whole trace.
    pub fn into_trace(self) -> Trace {
        self.trace
    }
}
