//! What may be asked of a trace.
//!
//! [`compile`] turns every check of a plan into a ready one and reports each bad argument, pattern or schema with its place;
//! [`ReadyCheck::evaluate`] is a pure function of the trace. Each check is one file here and one line in the registry.

mod agent;
mod bounded;
mod call_order;
mod called;
mod changed;
mod compile;
mod compiler;
mod contains;
mod duration;
mod equality;
mod equals;
mod evaluate;
mod evidence;
mod finish_reason;
mod idle;
mod json_path;
mod json_schema;
mod latency;
mod matches;
mod model_called;
mod no_pii;
mod output;
mod pattern;
mod pii;
mod python;
mod registry;
mod required_fields;
mod said;
mod schema_format;
mod script;
mod semantic;
mod spelling;
mod task;
mod tokens;
mod tool_called;
mod tool_evidence;
mod tool_result;
mod type_of;
mod unreachable;
mod unusable;
mod vacuous;
mod valid_json;
mod walk;
mod wanted_text;

pub use bounded::{Evaluator, Task};
pub use changed::{Changed, changed};
pub use compile::{Ready, ReadyCase, ReadyCheck, ReadySuite, compile, refill, single, survivable};
pub use evidence::{Kept, Question};
pub use latency::latency_ms;
pub use model_called::expects_none;
pub use registry::{names, shapes};
pub use script::ScriptCall;
pub use vacuous::cannot_fail;
