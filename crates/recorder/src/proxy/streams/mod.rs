//! Streams of events, and what in them belongs together.

pub(crate) mod event_owner;
pub(crate) mod frames;
pub(crate) mod mcp_stream;
