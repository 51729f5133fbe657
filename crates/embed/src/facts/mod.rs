//! Compares the facts of two texts that can be checked without a model: numbers, dates and times, ids and names.
//! An embedding hardly changes with a wrong number; a comparison of facts finds it.
//!
//! [`numbers`] returns the numbers of one text. [`compare`] returns what only one of the expected text and the answer states. The rules are heuristics, chosen so
//! that a good answer rarely fails: `1,200` is `1200.00` and `EUR 1.200`, `2:30 pm` is `14:30`, `15 March` is
//! `2026-03-15`, `HR-12` is `hr 12`, and `HR` is `human resources`. Digits are read in all scripts; words for numbers,
//! months and weekdays are English.

mod calendar;
mod clock;
mod compare;
mod fold;
mod gather;
mod id;
mod name;
mod number;
mod pieces;
mod spelled;
mod stated;

pub use compare::compare;
pub use stated::{StatedNumber, numbers};
