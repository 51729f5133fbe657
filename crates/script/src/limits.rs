//! What one call may take.

use std::time::Duration;

/// What one call may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes it may hold.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(5), memory: 64 * 1024 * 1024 }
    }
}
