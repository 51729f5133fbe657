//! What the agent did: one ordered list of events.
//!
//! A driver writes the trace while it talks to the agent, checks read it, and everything shown or stored is derived from it. It
//! is raw and lives in memory only for the length of one attempt.

mod canonical;
mod event;
mod redact;
mod usage;

pub use canonical::canonical;
pub use event::{Event, Kind, Moment, Observer, ToolCall, ToolResult, Trace, TracedCall};
pub use redact::{PLACEHOLDER, Redactor};
pub use usage::Usage;
