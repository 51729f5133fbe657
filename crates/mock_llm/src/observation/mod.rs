//! Model calls that a live provider or a recording answered.
//!
//! Turns a request and its answer into the trace events that a scripted model would have reported.

mod reader;
mod request;
mod shown;

pub use reader::{SeenCall, WireReader};
pub(super) use shown::request as traced;

#[cfg(test)]
mod tests;
