//! What a text states that can be checked without a model: numbers, dates and times, ids, names, and whether it says no. An
//! embedding hardly sees a wrong number; a comparison of facts sees nothing else.
//!
//! In go the expected text and the answer, out comes what only one of them states. Everything here is a guess about language,
//! made so that a good answer is rarely blamed: `1,200` is `1200.00` and `EUR 1.200`, `2:30 pm` is `14:30`, `15 March` is
//! `2026-03-15`, `HR-12` is `hr 12`, and `HR` is `human resources`. Digits are read in all scripts; words for numbers, months,
//! weekdays and no are English ones.

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

pub use compare::compare;
