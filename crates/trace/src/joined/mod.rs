//! Joins observations of tool calls, so that each call appears once.
//!
//! One call may be requested on the model wire, run by a stub, and reported in the agent's own protocol. Each
//! observation is recorded in the trace; here they are joined into one call with its states: *requested* by a model,
//! *executed*, *answered*, or *refused*.
//!
//! They are joined by id; else by name and order, ignoring an MCP or namespace prefix; else an exchange with a stub
//! between the request of a call and its result is a part of that call. An exchange outside any call stands by itself.

mod arguments;
mod conversation;
mod joined_call;
mod joiner;
mod name;
#[cfg(test)]
mod tests;

pub use self::arguments::{ArgumentDifference, differences};
pub use self::joined_call::{MadeCall, TracedCall};
pub use self::joiner::{CallChange, Joiner};
pub use self::name::same_tool;

pub(crate) use self::joined_call::units;
