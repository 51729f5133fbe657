//! Raw messages, for observers of the connection.

use std::sync::Arc;
use std::time::Instant;

/// One raw message, or invalid input in place of one.
#[derive(Debug, Clone, Copy)]
pub struct McpFrame<'a> {
    /// The direction of the message.
    pub direction: Direction,
    /// When the message was complete.
    pub at: Instant,
    /// The bytes of the message without its transport: no line end, no event fields.
    pub bytes: &'a [u8],
}

/// The direction of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the server.
    Received,
    /// To the server.
    Sent,
}

type ShownFrame = dyn Fn(McpFrame<'_>) + Send + Sync;

/// Receives every message, in the order of sending and receiving. The function must not block.
#[derive(Clone, Default)]
pub struct FrameWatch(Option<Arc<ShownFrame>>);

impl FrameWatch {
    /// Passes every message to a function.
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
