//! Where a driver writes what happens.

use std::ops::ControlFlow;

use agentci_exchange::Clock;
use agentci_trace::{Event, EventKind, Moment, Trace};

/// The watcher of the trace wants no more: a limit is exceeded, or the tool host refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

type SinkChange<'w> = Box<dyn Fn(&mut EventKind) + 'w>;
type TraceWatcher<'w> = Box<dyn FnMut(&Event) -> ControlFlow<()> + 'w>;

/// Where a driver writes what happens. A watcher sees every event as it comes and may ask to stop.
pub struct TraceSink<'w> {
    clock: Clock,
    turn: u32,
    trace: Trace,
    change: Option<SinkChange<'w>>,
    watcher: TraceWatcher<'w>,
}

impl<'w> TraceSink<'w> {
    /// A sink with a watcher.
    pub fn new(clock: Clock, watcher: impl FnMut(&Event) -> ControlFlow<()> + 'w) -> Self {
        Self { clock, turn: 0, trace: Trace::default(), change: None, watcher: Box::new(watcher) }
    }

    /// Lets something be evened out before anyone sees it.
    #[must_use]
    pub fn with_change(mut self, change: impl Fn(&mut EventKind) + 'w) -> Self {
        self.change = Some(Box::new(change));
        self
    }

    /// What follows belongs to this turn.
    pub fn set_turn(&mut self, turn: u32) {
        self.turn = turn;
    }

    /// The clock by which events are dated.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Writes down what happened now.
    pub fn push(&mut self, kind: EventKind) -> Result<(), Stopped> {
        self.push_at(self.clock.now(), kind)
    }

    /// Writes down what happened at a moment: when it arrived, or when it did in the recording.
    pub fn push_at(&mut self, at: Moment, mut kind: EventKind) -> Result<(), Stopped> {
        if let Some(change) = &self.change {
            change(&mut kind);
        }
        let event = Event { at, turn: self.turn, kind };
        let flow = (self.watcher)(&event);
        self.trace.push(event);
        match flow {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stopped),
        }
    }

    /// Everything that was written so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Everything that was written.
    pub fn into_trace(self) -> Trace {
        self.trace
    }
}
