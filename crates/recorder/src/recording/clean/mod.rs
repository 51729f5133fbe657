//! Removes the secrets from a recording.
//!
//! A secret anywhere in a recording is removed everywhere in it: the values of headers with credentials, values under
//! sensitive keys, and texts with the form of a secret. A text that is streamed in many events is cleaned as a whole,
//! since a secret may begin in one event and end in another: the placeholder is put where it begins, and the number of
//! events does not change. An event without a secret is kept byte for byte.

mod answer;
mod events;
mod frames;
mod keys;
mod parameters;
mod recording;
mod request;
mod split;
mod texts;

pub(crate) use answer::values_of;
pub(crate) use parameters::clean_path;
pub(crate) use request::variables_shown;
pub use request::{learn_request, learn_response};
pub(crate) use split::plain;

pub(super) use recording::{cleaned, leftover};

#[cfg(test)]
mod tests;
