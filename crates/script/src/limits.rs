//! What one call may take.

use std::time::Duration;

/// How long a call may run where nobody says.
const TIME: Duration = Duration::from_secs(5);
/// How many bytes a call may hold where nobody says.
const MEMORY: usize = 64 * 1024 * 1024;

/// What one call may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLimits {
    /// How long it may run.
    pub time: Duration,
    /// How many bytes it may hold.
    pub memory: usize,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { time: TIME, memory: MEMORY }
    }
}
