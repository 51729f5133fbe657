//! A recording without its secrets.
//!
//! What is secret anywhere in a recording is removed everywhere in it: values that came in headers that say who asks, values
//! under telling keys, and texts of telling forms. What streams in many events is cleaned as a whole, since a secret may begin
//! in one event and end in another: the placeholder stands where it begins, and the events stay as many as they were. An event
//! without a secret stays as it is, byte for byte.

mod answer;
mod events;
mod frames;
mod keys;
mod parameters;
mod recording;
mod request;
mod split;
mod texts;

pub(crate) use answer::{is_event_stream, values_of};
pub(crate) use parameters::clean_path;
pub use request::{learn_request, learn_response};
pub(crate) use request::{percent_decoded, variables_shown};
pub(crate) use split::plain;

pub(super) use recording::{cleaned, leftover};

#[cfg(test)]
mod tests;
