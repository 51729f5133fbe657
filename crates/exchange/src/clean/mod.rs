//! A recording without its secrets.
//!
//! What is secret anywhere in a recording is removed everywhere in it. What streams in many events is cleaned as a whole, since
//! a secret may begin in one event and end in another: the placeholder stands where it begins, and the events stay as many as
//! they were.

mod cleaner;
mod json;
mod learn;
mod streams;

pub(super) use cleaner::clean;

#[cfg(test)]
mod tests;
