//! Answers and whole turns.

mod answers;
mod calls;
mod custom;
mod driven;
mod known;
mod properties;
mod side_data;
mod torn;
