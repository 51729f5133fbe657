//! The checks of a trace.
//!
//! [`compile`] compiles every check of a plan and reports each invalid argument, pattern or schema with its place;
//! [`ReadyCheck::evaluate`] is a pure function of the trace. Each check is one file here and one line in the registry.

mod agent;
mod bounded;
mod call_loop;
mod call_order;
mod call_words;
mod compile;
mod compile_suite;
mod compiler;
mod contains;
mod duration;
mod equals;
mod evaluate;
mod evidence;
mod finish_reason;
mod ineffective;
mod invalid;
mod json_path;
mod json_schema;
mod latency;
mod matches;
mod model_called;
mod no_pii;
mod number;
mod output;
mod output_words;
mod pattern;
mod pii;
mod python;
mod registry;
mod required_fields;
mod schema_format;
mod script;
mod script_result;
mod semantic;
mod spelling;
mod task;
mod tokens;
mod tool_called;
mod tool_evidence;
mod tool_result;
mod type_of;
mod unreachable;
mod vacuous;
mod valid_json;
mod value_path;
mod version_changes;
mod wanted_text;

pub use bounded::{BoundedTask, Evaluator};
pub use call_loop::call_sequence;
pub use compile::{
    Lookup, ReadyCase, ReadyCheck, ReadyChecks, ReadySuite, RefillError, compile, refill, single, survivable,
};
pub use evidence::{EvidenceQuestion, KeptAnswer};
pub use latency::latency_ms;
pub use model_called::may_go_unasked;
pub use registry::{names, shapes};
pub use script::ScriptCall;
pub use vacuous::cannot_fail;
pub use version_changes::{ChangedVerdict, changed};
