//! Event streams, and which events belong to which request.

pub(crate) mod event_owner;
pub(crate) mod frames;
pub(crate) mod mcp_stream;
