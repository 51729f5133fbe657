//! The health of a recording: which of its answers are errors, and which have another shape in the live world now.
//!
//! ```text
//! recording ─▶ bad_answers                                              calls whose answer is an error
//!          └─▶ may_repeat ─▶ LiveWorld::repeat ─▶ drift(recorded, now)  calls whose answer has another shape now
//! ```
//!
//! A shape consists of the status class, the content type and, for JSON, the names of keys with the types of their
//! values. Values are not compared: they differ with every answer of a model.

mod answer;
mod bad_answers;
mod compare;
mod dependent_calls;
mod drift;
mod key_variables;
mod lines;
mod live_world;
mod optional_values;
mod repeatable;
mod shape;

pub use bad_answers::{BadAnswer, BadAnswers, bad_answers};
pub use compare::ShapeChange;
pub use dependent_calls::IdMapping;
pub use drift::{Drift, KnownShapes};
pub use key_variables::{Login, login};
pub use lines::{ExchangeLines, places};
pub use live_world::{LiveAnswer, LiveWorld};
pub use repeatable::{NotRepeatableError, RepeatPolicy, goes_to, may_repeat};

#[cfg(test)]
mod tests;
