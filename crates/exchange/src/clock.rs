//! The clock of events.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use agentci_trace::Moment;

/// Dates events: reads the wall clock once, then a monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
    unix_start_ms: u64,
}

impl Clock {
    /// Starts the clock.
    pub fn start() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start: Instant::now(), unix_start_ms: u64::try_from(unix.as_millis()).unwrap_or(u64::MAX) }
    }

    /// The current time.
    pub fn now(&self) -> Moment {
        self.at(Instant::now())
    }

    /// The time of an instant.
    pub fn at(&self, instant: Instant) -> Moment {
        let offset = instant.saturating_duration_since(self.start);
        self.after(u64::try_from(offset.as_micros()).unwrap_or(u64::MAX))
    }

    /// The time this many microseconds after the start.
    pub fn after(&self, offset_us: u64) -> Moment {
        Moment { unix_ms: self.unix_start_ms + offset_us / 1000, offset_us }
    }

    /// When the clock was started.
    pub fn started(&self) -> Instant {
        self.start
    }
}
