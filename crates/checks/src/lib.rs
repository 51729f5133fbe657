//! What may be asked of a trace.
//!
//! [`compile`] turns every check of a plan into a ready one and reports each bad argument, pattern or schema with its place;
//! [`ReadyCheck::evaluate`] is a pure function of the trace. Each check is one file here and one line in the registry.

mod call_order;
mod called;
mod compile;
mod contains;
mod evaluate;
mod json_schema;
mod registry;
mod required_fields;
mod tool_called;

pub use compile::{Ready, ReadyCase, ReadyCheck, ReadySuite, compile, refill};
pub use registry::names;
