//! What may be asked of a trace.
//!
//! [`compile`] turns every check of a plan into a ready one and reports each bad argument, pattern or schema with its place;
//! [`ReadyCheck::evaluate`] is a pure function of the trace. Each check is one file here and one line in the registry.

mod call_order;
mod called;
mod compile;
mod compiler;
mod contains;
mod duration;
mod evaluate;
mod evidence;
mod json_schema;
mod latency;
mod matches;
mod no_pii;
mod pattern;
mod pii;
mod registry;
mod required_fields;
mod said;
mod semantic;
mod shorten;
mod spelling;
mod task;
mod tokens;
mod tool_called;
mod tool_evidence;
mod valid_json;

pub use compile::{Ready, ReadyCase, ReadyCheck, ReadySuite, compile, refill, single};
pub use evidence::{Kept, Question};
pub use latency::latency_ms;
pub use registry::names;
