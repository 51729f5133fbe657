//! Answers and whole turns.

mod answers;
mod custom;
mod driven;
mod known;
mod properties;
mod torn;
