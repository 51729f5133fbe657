//! What the agent did: one ordered list of events.
//!
//! A driver writes the trace while it talks to the agent, checks read it, and everything shown or stored is derived from it. It
//! is raw and lives in memory only for the length of one attempt.

mod beside;
mod canonical;
mod digest;
mod event;
mod joined;
mod json_beginning;
mod model_request;
mod model_trouble;
mod output;
mod recognised;
mod redact;
mod same;
mod usage;

pub use canonical::canonical;
pub use digest::{sha256, sha256_beginning};
pub use event::{Event, Kind, Moment, Observer, ToolCall, ToolResult, Trace};
pub use joined::{Change, Difference, Joiner, Made, TracedCall, differences, same_tool};
pub use json_beginning::json_beginning;
pub use model_request::{Continued, ModelAttempts, ModelRequest, OfferedTool, RequestMessage, RequestedCall};
pub use model_trouble::{ModelTrouble, TroubleKind};
pub use output::{Output, Spelling};
pub use recognised::{Form, failure_form, known_forms, refusal_form};
pub use redact::{PLACEHOLDER, Redactor, fits_recorded};
pub use same::{decimal, same_value, value_key};
pub use usage::{Usage, add_decimals};
