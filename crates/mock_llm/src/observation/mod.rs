//! Calls of a model that somebody else answered: a live provider, or a recording of one.
//!
//! A request and its answer come in, the trace events that a scripted model would have told go out.

mod reader;
mod request;
mod shown;

pub use reader::{SeenCall, WireReader};
pub(super) use shown::request as traced;

#[cfg(test)]
mod tests;
