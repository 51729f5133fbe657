//! Removes secrets from a recording.
//!
//! A value that is secret anywhere in a recording is removed everywhere. Text that is streamed over many events is
//! cleaned as a whole, because a secret may start in one event and end in another: the placeholder is in the event
//! where it starts, and the number of events does not change.

mod cleaner;
mod json;
mod learn;
mod streams;

pub(super) use cleaner::clean;

#[cfg(test)]
mod tests;
