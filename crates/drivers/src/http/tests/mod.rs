//! Answers and whole turns.

mod answers;
mod beside;
mod calls;
mod custom;
mod driven;
mod known;
mod properties;
mod torn;
