//! The trace: an ordered list of what the agent did.
//!
//! A driver writes the trace while it talks to the agent, checks read it, and everything that is shown or stored is
//! derived from it. It is unredacted and stays in memory for one attempt only.

mod canonical;
mod digest;
mod equality;
mod event;
mod failure_words;
mod joined;
mod json_beginning;
mod model_request;
mod model_trouble;
mod output;
mod redact;
mod scalars;
mod usage;

pub use canonical::canonical;
pub use digest::{sha256, sha256_beginning, sha256_bytes};
pub use equality::{decimal, same_value, value_key};
pub use event::{Event, EventKind, Moment, Observer, ToolCall, ToolResult, Trace};
pub use failure_words::{ResultForm, failure_form, known_forms, refusal_form};
pub use joined::{ArgumentDifference, CallChange, Joiner, MadeCall, TracedCall, differences, same_tool};
pub use json_beginning::json_beginning;
pub use model_request::{
    Continued, ModelAttempts, ModelRequest, OfferedTool, RequestMessage, RequestedCall, request_parameters,
};
pub use model_trouble::{ModelTrouble, TroubleKind};
pub use output::{Output, OutputSpelling};
pub use redact::{PLACEHOLDER, Redactor, fits_recorded};
pub use usage::{Usage, add_decimals};
