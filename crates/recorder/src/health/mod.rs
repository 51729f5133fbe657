//! The health of a recording: which of its answers are errors, and which the live world gives another shape by now.
//!
//! ```text
//! recording ─▶ bad_answers                                   calls whose answer is an error
//!          └─▶ may_ask ─▶ Live::ask ─▶ drift(recorded, now)  calls whose answer has another shape now
//! ```
//!
//! A shape is the status class, the content type and, of JSON, the names of keys with the types of their values. Values are not
//! compared: they differ with every answer of a model.

mod answer;
mod ask;
mod bad_answers;
mod compare;
mod drift;
mod login;
mod may_ask;
mod places;
mod sequel;
mod shape;
mod vocabulary;

pub use ask::{Live, LiveAnswer};
pub use bad_answers::{BadAnswer, BadAnswers, bad_answers};
pub use compare::Change;
pub use drift::{Drift, Known};
pub use login::{Login, login};
pub use may_ask::{NotAsked, WhatToAsk, goes_to, may_ask};
pub use places::{Places, places};
pub use sequel::Sequel;

#[cfg(test)]
mod tests;
