//! Limits of a call.

use std::time::Duration;

/// The default time limit.
const TIME: Duration = Duration::from_secs(5);
/// The default memory limit, in bytes.
const MEMORY: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLimits {
    /// The time limit. Default: 5 seconds.
    pub time: Duration,
    /// The memory limit in bytes. Default: 64 MiB.
    pub memory: usize,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self { time: TIME, memory: MEMORY }
    }
}
