//! Tool calls, each told once however many saw it.
//!
//! One call may be asked for on the wire of the model, run by a stub, and told of in the agent's own protocol. Each of them enters
//! the trace as it is seen; here they become one call again, with what is known of its life: whether it was *requested* by a
//! model, *executed*, *answered*, or *refused*.
//!
//! They are joined by their id; else by name and order, where an MCP or namespace prefix of a name is left aside; else an exchange
//! with a stub that falls between the request of a call and its result is a part of that call. An exchange that falls into no
//! call stands by itself.

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
