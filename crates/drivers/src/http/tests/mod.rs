//! Answers and whole turns.

mod answers;
mod driven;
mod properties;
