//! Messages as they crossed the wire, for whoever wants to keep them.

use std::sync::Arc;
use std::time::Instant;

/// One message, or what should have been one, as it came or went.
#[derive(Debug, Clone, Copy)]
pub struct McpFrame<'a> {
    /// Which way it went.
    pub direction: Direction,
    /// When it was complete here.
    pub at: Instant,
    /// The message's bytes, without what carried it: no line end, no event fields.
    pub bytes: &'a [u8],
}

/// Which way a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the server.
    Received,
    /// To the server.
    Sent,
}

type ShownFrame = dyn Fn(McpFrame<'_>) + Send + Sync;

/// Is shown every message, in the order in which they came and went; it must not wait.
#[derive(Clone, Default)]
pub struct FrameWatch(Option<Arc<ShownFrame>>);

impl FrameWatch {
    /// Shows every message to a function.
    pub fn new(function: impl Fn(McpFrame<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(function)))
    }

    pub(super) fn show(&self, direction: Direction, bytes: &[u8]) {
        if let Some(function) = &self.0 {
            function(McpFrame { direction, at: Instant::now(), bytes });
        }
    }
}

impl std::fmt::Debug for FrameWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(a function)" } else { "Watch(nobody)" })
    }
}
